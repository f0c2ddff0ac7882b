"""Files that can be read in one sitting, and translation units that compile quickly."""

import shutil
import subprocess
from pathlib import Path

from tree import Report, Tree

MAX_LINES = 600
MAX_UNIT_BYTES = 16 * 1000 * 1000


def check_lines(tree: Tree, report: Report) -> None:
    for file in tree.files:
        if file.is_code:
            report.check(len(file.lines) <= MAX_LINES, f"{file.path}:{MAX_LINES + 1}",
                         f"has {len(file.lines)} lines, at most {MAX_LINES} are allowed: split it")


def read_dependencies(build: Path) -> dict[str, list[str]] | None:
    """Per object file the files that went into it, as ninja has noted them; None if it has not."""
    if not (build / ".ninja_deps").exists() or shutil.which("ninja") is None:
        return None
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"],
                             capture_output=True, text=True)
    if listing.returncode != 0:
        return None
    units: dict[str, list[str]] = {}
    current: list[str] = []
    for line in listing.stdout.splitlines():
        if line.startswith(" "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = units.setdefault(line.split(": #deps")[0], [])
    return {unit: files for unit, files in units.items() if (build / unit).exists()}


def check_units(build: Path, report: Report) -> None:
    units = read_dependencies(build)
    if not units:
        report.notes.append(f"translation units not measured: {build} holds no ninja build")
        return
    size_of: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in size_of:
            path = build / name
            size_of[name] = path.stat().st_size if path.is_file() else 0
        return size_of[name]

    totals = sorted(((sum(map(size, set(files))), unit) for unit, files in units.items()),
                    reverse=True)
    report.notes.append("largest translation units, all included files together:")
    for total, unit in totals[:5]:
        report.notes.append(f"  {total / 1e6:6.2f} MB  {unit}")
    for total, unit in totals:
        report.check(total <= MAX_UNIT_BYTES, unit, f"includes {total / 1e6:.1f} MB, "
                     f"at most {MAX_UNIT_BYTES / 1e6:.0f} are allowed")


def check(tree: Tree, build: Path, report: Report) -> None:
    check_lines(tree, report)
    check_units(build, report)
