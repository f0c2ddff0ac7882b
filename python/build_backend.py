"""Builds the wheel of pyproject.toml with CMake, with nothing but the standard library (PEP 517).

`--config-settings build-dir=build/release` takes an existing build directory.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# The first year that zip files know: equal sources give equal wheels.
DATE = (1980, 1, 1, 0, 0, 0)


def _version() -> str:
    found = re.search(r"project\(isochor VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    if found is None:
        raise SystemExit("CMakeLists.txt: names no version")
    return found[1]


def _metadata() -> str:
    return "\n".join([
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {_version()}",
        f"Summary: {PROJECT['description']}",
        f"Requires-Python: {PROJECT['requires-python']}",
        *(f"Requires-Dist: {name}" for name in PROJECT["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / PROJECT["readme"]).read_text("utf-8"),
    ])


def _cmake(*arguments: str) -> str:
    done = subprocess.run(["cmake", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    print(done.stdout, flush=True)
    if done.returncode != 0:
        raise SystemExit(f"cmake {' '.join(arguments)} ended with {done.returncode}")
    return done.stdout


def _build(build: Path, prefix: Path) -> None:
    """Leaves the package in `prefix`/isochor."""
    if not (build / "CMakeCache.txt").exists():
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        said = _cmake("-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                      "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG", "-DISOCHOR_TESTS=OFF",
                      f"-DPython_EXECUTABLE={sys.executable}")
        if left_out := re.search(r"Python bindings are left out: (.*)", said):
            raise SystemExit(f"isochor: {left_out[1]}; see './dev setup'")
    _cmake("--build", str(build), "--parallel", str(os.cpu_count() or 1), "--target",
           "isochor_python_package")
    _cmake("--install", str(build), "--component", "python", "--prefix", str(prefix))
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (prefix / "isochor" / f"_core{suffix}").exists():
        raise SystemExit(f"{build} was configured for another Python than {sys.executable}")


def _write_wheel(wheel: Path, tag: str, prefix: Path) -> None:
    info = f"isochor-{_version()}.dist-info"
    files = {str(path.relative_to(prefix)): path.read_bytes()
             for path in sorted(prefix.rglob("*")) if path.is_file()}
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: isochor\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name: str, data: bytes) -> None:
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)

        for name, data in files.items():
            add(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        add(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"{python}-{python}-{platform}"
    name = f"isochor-{_version()}-{tag}.whl"
    build = Path((config_settings or {}).get("build-dir", f"build/pip-{python}"))
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder)
        _build(ROOT / build, prefix)
        _write_wheel(Path(wheel_directory) / name, tag, prefix)
    return name


def build_sdist(sdist_directory, config_settings=None):
    stem = f"isochor-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as archive:
        for name in filter(None, listed.stdout.decode().split("\0")):
            archive.add(ROOT / name, f"{stem}/{name}", recursive=False)
        with tempfile.NamedTemporaryFile() as file:
            file.write(_metadata().encode())
            file.flush()
            archive.add(file.name, f"{stem}/PKG-INFO")
    return f"{stem}.tar.gz"
