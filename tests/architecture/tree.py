"""The source tree as the checks see it: which files there are, and what they say."""

import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

HEADERS = {".h", ".hpp", ".cuh", ".inl"}
SOURCES = {".cpp", ".cc", ".cu"}
CPP = HEADERS | SOURCES
OTHER_CODE = {".py", ".sh", ".cmake", ".ts", ".js", ".css"}
CODE_NAMES = {"dev", "CMakeLists.txt"}
IGNORED_FOLDERS = {".git", ".cache", "build", "out", "node_modules", "__pycache__"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


@dataclass
class Report:
    """Counts what holds and keeps what does not, as file:line: message."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def check(self, holds: bool, place: str, message: str) -> bool:
        if holds:
            self.passed += 1
        else:
            self.failures.append(f"{place}: {message}")
        return holds


@dataclass
class File:
    path: str  # relative to the root, with slashes
    root: Path

    @property
    def suffix(self) -> str:
        return Path(self.path).suffix

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def is_header(self) -> bool:
        return self.suffix in HEADERS

    @property
    def is_cpp(self) -> bool:
        return self.suffix in CPP

    @property
    def is_code(self) -> bool:
        return self.is_cpp or self.suffix in OTHER_CODE or self.name in CODE_NAMES

    @property
    def top(self) -> str:
        """The first folder: src, app, tests; empty for a file in the root."""
        return self.path.split("/")[0] if "/" in self.path else ""

    @property
    def layer(self) -> str | None:
        """X for src/isochor/X/..., empty for a file directly in src/isochor, else None."""
        parts = self.path.split("/")
        if parts[:2] != ["src", "isochor"]:
            return None
        return parts[2] if len(parts) > 3 else ""

    @cached_property
    def text(self) -> str | None:
        """The contents, or None for a binary file."""
        try:
            return (self.root / self.path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        return (self.text or "").splitlines()

    @cached_property
    def includes(self) -> list[tuple[int, bool, str]]:
        """Of every include line: its number, whether it is quoted, and what it names."""
        found = []
        for number, line in enumerate(self.lines, 1):
            if match := INCLUDE.match(line):
                found.append((number, match[1] == '"', match[2]))
        return found


class Tree:
    def __init__(self, root: Path):
        self.root = root
        self.files = [File(path, root) for path in sorted(list_paths(root))]

    def file(self, path: str) -> File | None:
        return next((f for f in self.files if f.path == path), None)

    def cpp(self, *tops: str) -> list[File]:
        return [f for f in self.files if f.is_cpp and f.top in tops]


def list_paths(root: Path) -> list[str]:
    """What git tracks or would track; without git, all but build outputs."""
    if (root / ".git").exists():
        listing = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"], capture_output=True)
        if listing.returncode == 0:
            names = {name for name in listing.stdout.decode().split("\0") if name}
            return [name for name in names if (root / name).is_file()]
    paths = (p.relative_to(root) for p in root.rglob("*") if p.is_file())
    return [p.as_posix() for p in paths if not IGNORED_FOLDERS & set(p.parts[:-1])]


def tables(file: File) -> list[tuple[list[str], list[tuple[int, list[str]]]]]:
    """The tables of a Markdown file: header cells in lower case, (line number, cells) per row."""
    found, header, rows = [], None, []
    for number, line in enumerate([*file.lines, ""], 1):
        if line.lstrip().startswith("|"):
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if header is None:
                header = [c.lower() for c in cells]
            elif not all(re.fullmatch(r":?-+:?", c) for c in cells):
                rows.append((number, cells))
        elif header is not None:
            found.append((header, rows))
            header, rows = None, []
    return found
