"""Folders are the architecture: who may include whom, and which namespace a folder has."""

import re

from tree import Report, Tree, tables

TABLE = "docs/architecture.md"
OUTSIDE = ("app", "bench", "python", "reproduce", "tests")
# Their names are the vocabulary of all folders and stand in `isochor` itself.
WITHOUT_OWN_NAMESPACE = {"base", "math"}

# Headers that are expensive to compile: in few sources, in no header.
HEAVY = {
    "spdlog": r"spdlog/",
    "CLI11": r"CLI/|CLI11",
    "pybind11": r"pybind11/",
    "nlohmann/json": r"nlohmann/",
    "toml++": r"toml\+\+/|toml\.hpp",
}
HEAVY_LIMIT = 3
# Libraries whose types stay inside sources under src/isochor.
HIDDEN = {"embree": r"embree\d?/", "tbb": r"(oneapi/)?tbb(/|\.h)", "Eigen": r"Eigen/"}
ALLOWED_IN_KERNEL_HEADERS = {"embree", "tbb"}


class Layers:
    """The table of docs/architecture.md."""

    def __init__(self, tree: Tree, report: Report):
        self.listed: dict[str, list[str]] = {}
        self.planned: set[str] = set()
        self.line: dict[str, int] = {}
        page = tree.file(TABLE)
        if not report.check(page is not None, TABLE, "is missing"):
            return
        for header, rows in tables(page):
            if header[:1] != ["folder"] or "may include" not in header:
                continue
            column = header.index("may include")
            for number, cells in rows:
                name = cells[0].strip("`/ ")
                self.listed[name] = re.findall(r"`([a-z_]+)/?`", cells[column])
                self.line[name] = number
                if "planned" in cells[1].lower().split(":")[0]:
                    self.planned.add(name)
        report.check(bool(self.listed), TABLE, "has no table 'folder | ... | may include'")
        for name, others in self.listed.items():
            for other in others:
                report.check(other in self.listed, f"{TABLE}:{self.line[name]}",
                             f"{name}/ may include {other}/, which has no row")

    def place(self, name: str) -> str:
        return f"{TABLE}:{self.line[name]}"

    def below(self, name: str) -> set[str]:
        """Every folder that `name` may include beside itself: those listed, and what they may."""
        reached, waiting = set(), list(self.listed.get(name, []))
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.add(other)
                waiting += self.listed.get(other, [])
        return reached


def check_table(tree: Tree, layers: Layers, report: Report) -> None:
    """The table has no circles and tells the truth about which folders there are."""
    present = {f.layer for f in tree.files if f.layer}
    for name in layers.listed:
        report.check(name not in layers.below(name), layers.place(name),
                     f"{name}/ may include itself by way of others: a circle")
        if name in layers.planned:
            report.check(name not in present, layers.place(name),
                         f"src/isochor/{name}/ exists: its row must no longer say planned")
        else:
            report.check(name in present, layers.place(name),
                         f"src/isochor/{name}/ has no files: its row must say planned")
    for name in sorted(present - set(layers.listed)):
        report.check(False, f"src/isochor/{name}", f"folder without a row in {TABLE}")


def check_includes(tree: Tree, layers: Layers, report: Report) -> None:
    for file in tree.cpp("src"):
        for number, quoted, target in file.includes:
            place = f"{file.path}:{number}"
            outside = target.split("/")[0] in OUTSIDE
            if not target.startswith("isochor/"):
                # Angle brackets name the system and libraries; but never the project's other parts.
                report.check(not outside, place,
                             f"src/ must not include from {target.split('/')[0]}/")
                if not outside:
                    report.check(not quoted, place,
                                 f'write the whole path, "isochor/...", not "{target}"')
                continue
            if file.layer is None:
                continue
            parts = target.split("/")
            wanted = parts[1] if len(parts) > 2 else ""
            if file.layer == "":
                report.check(wanted == "" or not file.is_header, place,
                             f"a public header must not include a private one: {target}")
            elif wanted == "":
                report.check(False, place, f"{file.layer}/ must not include a public header, "
                             f"which stands above all folders: {target}")
            else:
                allowed = wanted == file.layer or wanted in layers.below(file.layer)
                report.check(allowed, place, f"{file.layer}/ may not include {wanted}/: {target}")


def check_heavy(tree: Tree, report: Report) -> None:
    code = tree.cpp("src", *OUTSIDE)
    for name, pattern in HEAVY.items():
        # Tests have a budget of their own.
        users: dict[bool, list[str]] = {False: [], True: []}
        for file in code:
            lines = [n for n, _, target in file.includes if re.match(pattern, target)]
            if not lines:
                continue
            if report.check(not file.is_header, f"{file.path}:{lines[0]}",
                            f"{name} must not be included in a header"):
                users[file.top == "tests"].append(f"{file.path}:{lines[0]}")
        for places in users.values():
            for place in places[HEAVY_LIMIT:]:
                report.check(False, place, f"{name} is included in {len(places)} sources, "
                             f"at most {HEAVY_LIMIT} may")
    for file in tree.cpp("src"):
        if not file.is_header:
            continue
        for name, pattern in HIDDEN.items():
            kernel = file.name.endswith("_kernel.h") and name in ALLOWED_IN_KERNEL_HEADERS
            for number, _, target in file.includes:
                if re.match(pattern, target):
                    report.check(kernel, f"{file.path}:{number}",
                                 f"{name} must not be included in a header: {target}")


def check_namespaces(tree: Tree, layers: Layers, report: Report) -> None:
    for file in tree.cpp("src"):
        if not file.is_header or not file.layer or file.layer not in layers.listed:
            continue
        own = re.compile(rf"^\s*(inline\s+)?namespace isochor::{file.layer}\b", re.MULTILINE)
        has_own = own.search(file.text or "") is not None
        if file.layer in WITHOUT_OWN_NAMESPACE:
            report.check(not has_own, f"{file.path}:1",
                         f"names of {file.layer}/ belong directly into namespace isochor")
        else:
            report.check(has_own, f"{file.path}:1",
                         f"has no 'namespace isochor::{file.layer}'")


def check(tree: Tree, report: Report) -> None:
    layers = Layers(tree, report)
    check_table(tree, layers, report)
    check_includes(tree, layers, report)
    check_heavy(tree, report)
    check_namespaces(tree, layers, report)
