#!/usr/bin/env python3
"""Shows that every check of check.py fails on a planted violation, and passes without it.

A small clean tree is built once per case in a temporary folder; a case changes one thing in it and
names what the failure must say.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import check

CLEAN = {
    "docs/architecture.md": """# Architecture
| folder | what lives there | may include |
|---|---|---|
| `base/` | errors | |
| `math/` | vectors | `base` |
| `solve/` | solvers | `math` |
| `lattice/` | elasticity | `solve` |
| `contact/` | *planned:* colliders | `solve` |
""",
    "docs/papers/mcadams-2011.md": """# McAdams
| tag | equation | file and function | deviation |
|---|---|---|---|
| `[McAdams11 (2)]` | energy | `src/isochor/lattice/model.h` | none |
| `[McAdams11 (9), (10)]` | differential | `src/isochor/lattice/model.h` | none |
| `[McAdams11 sec 9.2]` | SVD | `src/isochor/lattice/model.h` | none |
""",
    "src/isochor/simulation.h": "#pragma once\n#include <vector>\nnamespace isochor {}\n",
    "src/isochor/simulation.cpp":
        '#include "isochor/simulation.h"\n#include "isochor/lattice/model.h"\n',
    "src/isochor/base/error.h": "#pragma once\nnamespace isochor {}\n",
    "src/isochor/math/vec3.h": '#include "isochor/base/error.h"\nnamespace isochor {}\n',
    "src/isochor/solve/cg.h": '#include "isochor/math/vec3.h"\nnamespace isochor::solve {}\n',
    "src/isochor/solve/cg.cpp": '#include <Eigen/Dense>\n#include <tbb/task_arena.h>\n'
                                '#include "isochor/solve/cg.h"\n',
    # base is reached through solve and math.
    "src/isochor/lattice/model.h":
        '#include "isochor/solve/cg.h"\n#include "isochor/base/error.h"\n'
                                   "/// Energy [McAdams11 (2)], and its differential [McAdams11 (9),\n"
                                   "/// (10)]; also [Hughes87] and a[2].\n"
                                   "namespace isochor::lattice {}  // [McAdams11 sec 9.2]\n"
                                   'const char* url = "https://home.org/work/home/";\n',
    "src/isochor/lattice/box_kernel.h":
        "#include <embree3/rtcore.h>\nnamespace isochor::lattice {}\n",
    "app/main.cpp": '#include <CLI/CLI.hpp>\n#include "isochor/lattice/model.h"\n',
    "tests/lattice/model_test.cpp":
        '#include "isochor/lattice/model.h"\n#include "reproduce/x.h"\n',
    "reproduce/x.h": "#pragma once\n",
}
for paper in ("irving-2007", "zhu-2010", "patterson-2012", "sheen-2021"):
    CLEAN[f"docs/papers/{paper}.md"] = ("| tag | equation | file and function | deviation |\n"
                                        "|---|---|---|---|\n")

CG = "src/isochor/solve/cg.h"
TABLE = "docs/architecture.md"
PAPER = "docs/papers/mcadams-2011.md"

# name, {file: text to append, or (text, replacement)}, what the failure says.
CASES = [
    # Layers.
    ("include upwards", {CG: '#include "isochor/lattice/model.h"\n'},
     f"{CG}:3: solve/ may not include lattice/"),
    ("include of a folder without a row", {CG: '#include "isochor/other/x.h"\n'},
     f"{CG}:3: solve/ may not include other/"),
    ("include with angle brackets", {CG: "#include <isochor/lattice/model.h>\n"},
     f"{CG}:3: solve/ may not include lattice/"),
    ("include of reproduce from src", {"src/isochor/solve/cg.cpp": '#include "reproduce/x.h"\n'},
     "cg.cpp:4: src/ must not include from reproduce/"),
    ("include of tests from src", {"src/isochor/solve/cg.cpp": "#  include <tests/x.h>\n"},
     "cg.cpp:4: src/ must not include from tests/"),
    ("include by a short path", {CG: '#include "cg_more.h"\n'}, f"{CG}:3: write the whole path"),
    ("private header in a public one",
     {"src/isochor/simulation.h": '#include "isochor/math/vec3.h"\n'},
     "simulation.h:4: a public header must not include a private one"),
    ("public header in a folder", {CG: '#include "isochor/simulation.h"\n'},
     f"{CG}:3: solve/ must not include a public header"),
    ("folder without a row", {"src/isochor/extra/x.h": "namespace isochor::extra {}\n"},
     "src/isochor/extra: folder without a row"),
    ("planned folder that exists", {"src/isochor/contact/x.h": "namespace isochor::contact {}\n"},
     f"{TABLE}:8: src/isochor/contact/ exists"),
    ("row without a folder", {TABLE: "| `tets/` | tets | `solve` |\n"},
     f"{TABLE}:9: src/isochor/tets/ has no files"),
    ("circle in the table", {TABLE: ("| errors | |", "| errors | `solve` |")}, "a circle"),
    ("table names an unknown folder", {TABLE: ("| errors | |", "| errors | `nothing` |")},
     "nothing/, which has no row"),
    ("no table", {TABLE: ("may include", "includes")}, "has no table"),
    # Heavy and hidden headers.
    ("heavy header in a header", {"app/options.h": "#include <CLI/CLI.hpp>\n"},
     "app/options.h:1: CLI11 must not be included in a header"),
    ("heavy header in four sources",
     {f"app/{n}.cpp": "#include <nlohmann/json.hpp>\n" for n in "abcd"},
     "nlohmann/json is included in 4 sources"),
    ("toml++ in a header", {CG: "#include <toml++/toml.h>\n"}, "toml++ must not be included"),
    ("spdlog in a header", {CG: "#include <spdlog/spdlog.h>\n"}, "spdlog must not be included"),
    ("pybind11 in a header",
     {CG: "#include <pybind11/numpy.h>\n"}, "pybind11 must not be included"),
    ("Eigen in a header", {CG: "#include <Eigen/Sparse>\n"}, f"{CG}:3: Eigen must not be included"),
    ("tbb in a header", {CG: "#include <oneapi/tbb/task_arena.h>\n"}, f"{CG}:3: tbb must not"),
    ("embree in a header", {CG: "#include <embree3/rtcore.h>\n"}, f"{CG}:3: embree must not"),
    ("Eigen in a kernel header", {"src/isochor/lattice/box_kernel.h": "#include <Eigen/Core>\n"},
     "Eigen must not be included in a header"),
    # Sizes.
    ("long file", {"app/main.cpp": "\n" * 600}, "app/main.cpp:601: has 602 lines"),
    ("long script", {"dev": "\n" * 601}, "dev:601: has 601 lines"),
    # Tags.
    ("tag without a row",
     {CG: "// see [McAdams11 (77)]\n"}, f"{CG}:3: [McAdams11 (77)] has no row"),
    ("tag without a row in a list", {CG: "/* one\n * [McAdams11 (2), (78)] */\n"},
     f"{CG}:4: [McAdams11 (78)] has no row"),
    ("tag without a row in a test", {"tests/lattice/model_test.cpp": "// [Zhu10 alg 2]\n"},
     "model_test.cpp:3: [Zhu10 alg 2] has no row"),
    ("tag in a comment after odd quotes", {CG: "int n = 1'000;  // don't [McAdams11 (79)]\n"},
     f"{CG}:3: [McAdams11 (79)] has no row"),
    ("tag in a comment after a raw string",
     {CG: 'auto s = R"x(a " // b)x";  // [McAdams11 (80)]\n'},
     f"{CG}:3: [McAdams11 (80)] has no row"),
    ("malformed tag", {CG: "// [McAdams11 eq 7]\n"}, f"{CG}:3: not a tag: '[McAdams11 eq 7]"),
    ("tag with an unknown key", {CG: "// [McAdam11 (2)]\n"}, f"{CG}:3: not a tag: '[McAdam11 (2)]"),
    ("row that is cited nowhere", {PAPER: "| `[McAdams11 fig 3]` | hourglass | | |\n"},
     f"{PAPER}:7: [McAdams11 fig 3] is cited nowhere"),
    ("row cited in a string only", {PAPER: "| `[McAdams11 (3)]` | gradient | | |\n",
                                    CG: 'const char* s = "// [McAdams11 (3)]";\n'},
     "[McAdams11 (3)] is cited nowhere"),
    ("two rows for one equation",
     {PAPER: "| `[McAdams11 (2)]` | energy | | |\n"}, "has a second row"),
    ("row with another paper's tag",
     {PAPER: "| `[Zhu10 (2)]` | energy | | |\n"}, "is not a tag of McAdams11"),
    ("row that names a missing file",
     {PAPER: ("`src/isochor/lattice/model.h` | none |\n| `[McAdams11 (9)",
                                               "`src/isochor/lattice/gone.h` | none |\n| `[McAdams11 (9)")},
     "src/isochor/lattice/gone.h does not exist"),
    ("paper without a page",
     {"docs/papers/zhu-2010.md": None}, "docs/papers/zhu-2010.md: is missing"),
    # Words.
    ("path of a machine", {"docs/guide.md": "see /home/me/x\n"}, "docs/guide.md:1: '/home/'"),
    ("path in quotes", {"app/main.cpp": 'auto p = "/work/data";\n'}, "app/main.cpp:3: '/work/'"),
    ("path of root", {"dev": "cd /root/x\n"}, "dev:1: '/root/'"),
    ("unfinished mark", {"app/main.cpp": "// TODO later\n"}, "app/main.cpp:3: 'TODO'"),
    ("another unfinished mark", {"dev": "# FIXME\n# XXX\n"}, "dev:2: 'XXX'"),
    # Namespaces.
    ("header without its namespace", {CG: ("isochor::solve", "isochor")},
     f"{CG}:1: has no 'namespace isochor::solve'"),
    ("header with another folder's namespace", {CG: ("isochor::solve", "isochor::solver")},
     f"{CG}:1: has no 'namespace isochor::solve'"),
    ("math with its own namespace",
     {"src/isochor/math/vec3.h": ("namespace isochor", "namespace isochor::math")},
     "vec3.h:1: names of math/ belong directly into namespace isochor"),
]


def plant(root: Path, changes: dict) -> None:
    for name, text in CLEAN.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name, change in changes.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text() if path.exists() else ""
        if change is None:
            path.unlink()
        elif isinstance(change, tuple):
            assert change[0] in before, f"nothing to replace in {name}"
            path.write_text(before.replace(*change, 1))
        else:
            path.write_text(before + change)


def plant_build(build: Path, megabytes: float) -> None:
    """A real ninja build of one 'object' whose dependency file names a header of the given size."""
    build.mkdir()
    (build / "big.h").touch()
    with open(build / "big.h", "r+b") as header:
        header.truncate(int(megabytes * 1e6))
    (build / "build.ninja").write_text(
        "rule cc\n  command = echo 'x.o: big.h' > x.d && touch x.o\n  depfile = x.d\n  deps = gcc\n"
        "build x.o: cc\n")
    subprocess.run(["ninja", "-C", str(build)], check=True, capture_output=True)


def run_case(changes: dict, megabytes: float | None = None, git: bool = False) -> check.Report:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root, changes)
        if megabytes is not None:
            plant_build(root / "build", megabytes)
        if git:
            subprocess.run(["git", "init", "-q", str(root)], check=True)
        return check.run(root, root / "build")


def run_kernel(source: str) -> check.Report:
    """check.py on a build with one real kernel object."""
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), {})
        objects = Path(folder) / "build/CMakeFiles/isochor_kernels_avx2.dir/src"
        objects.mkdir(parents=True)
        subprocess.run(["g++", "-xc++", "-c", "-", "-o", str(objects / "x_kernel.cpp.o")],
                       input=source, text=True, check=True)
        return check.run(Path(folder), Path(folder) / "build")


def run_program(changes: dict) -> tuple[int, str]:
    """check.py as ctest runs it: its exit status and its last line."""
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), changes)
        done = subprocess.run([sys.executable, check.__file__, folder, folder + "/build"],
                              capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()[-1]


def main() -> int:
    failures: list[str] = []
    passed = 0

    def expect(name: str, holds: bool, found: object) -> None:
        nonlocal passed
        if holds:
            passed += 1
        else:
            failures.append(f"{name}: {found}")

    clean = run_case({})
    expect("clean tree", not clean.failures and clean.passed > 50, clean)
    for name, changes, message in CASES:
        report = run_case(changes)
        expect(name, any(message in line for line in report.failures), report.failures)

    if shutil.which("git"):
        report = run_case({".gitignore": "/ignored/\n", "ignored/x.md": "/home/me\n"}, git=True)
        expect("git: ignored files are left alone", not report.failures, report.failures)
        report = run_case({"x.md": "/home/me/\n"}, git=True)
        expect("git: new files are seen", any("x.md:1" in f for f in report.failures), report)
    if shutil.which("ninja"):
        small, big = run_case({}, 15.9), run_case({}, 16.1)
        expect("small translation unit", not small.failures, small.failures)
        expect("its size is printed", any("15.90 MB  x.o" in n for n in small.notes), small.notes)
        expect("big translation unit", any("x.o: includes 16.1 MB" in f for f in big.failures), big)

    if shutil.which("g++"):
        good = run_kernel("namespace isochor::avx2 { void k() {} }")
        expect("kernel named by its instruction set", not good.failures, good.failures)
        for bad in ("void k() {}", "inline int f() { return 1; }  int (*isochor_avx2)() = f;"):
            report = run_kernel(bad)
            expect("kernel that offers more", any("does not name" in f for f in report.failures), bad)

    expect("program on a clean tree", run_program({})[0] == 0, run_program({}))
    status, last = run_program({"dev": "# FIXME\n"})
    expect("program on a bad tree", status == 1 and last.endswith("passed, 1 failed"), last)

    for line in failures:
        print(line)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
