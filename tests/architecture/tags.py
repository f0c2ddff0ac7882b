"""Equation tags: what the code cites has a row in docs/papers/, and every row is cited.

    [McAdams11 (12)]  [McAdams11 (9), (10)]  [Patterson12 sec 3.1]  [Zhu10 alg 2]  [Sheen21 fig 7]
"""

import re

from tree import File, Report, Tree, tables

PAPERS = {
    "Irving07": "docs/papers/irving-2007.md",
    "Zhu10": "docs/papers/zhu-2010.md",
    "McAdams11": "docs/papers/mcadams-2011.md",
    "Patterson12": "docs/papers/patterson-2012.md",
    "Sheen21": "docs/papers/sheen-2021.md",
}
ITEM = r"(?:\(\d+[a-z]?\)|sec \d+(?:\.\d+)*|alg \d+|fig \d+)"
TAG = re.compile(rf"\[({'|'.join(PAPERS)})\s+({ITEM}(?:,\s*{ITEM})*)\]")
# Looks like a tag: a key of ours in brackets, or another key followed by an item.
LIKE_TAG = re.compile(rf"\[({'|'.join(PAPERS)})\b|\[[A-Z][A-Za-z]+\d\d\s+(?:\(\d|sec |alg |fig )")
# String literals are matched first, so that "//" inside one begins no comment.
TOKEN = re.compile(r'R"([^()\s"]*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"'
                   r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n]){1,4}'"
                   r'|//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*(?:.|\n)*?\*/')


def comments(file: File) -> list[tuple[int, str]]:
    """The comments with their first line; line comments under each other are one."""
    found = []
    for match in TOKEN.finditer(file.text or ""):
        if match[0].startswith("/"):
            plain = re.sub(r"(?m)^[ \t]*(///?<?|/?\*+/?)", "", match[0])
            found.append((file.text.count("\n", 0, match.start()) + 1, plain))
    return found


def parse(line: int, text: str) -> tuple[list[tuple[int, str, str]], list[tuple[int, str]]]:
    """The (line, key, item) of all tags in a text, and what only looks like a tag."""
    tags, malformed = [], []
    for match in LIKE_TAG.finditer(text):
        number = line + text.count("\n", 0, match.start())
        if whole := TAG.match(text, match.start()):
            for item in re.findall(ITEM, whole[2]):
                tags.append((number, whole[1], item))
        else:
            malformed.append((number, text[match.start():match.start() + 30].split("\n")[0]))
    return tags, malformed


def read_rows(tree: Tree, report: Report) -> dict[tuple[str, str], str]:
    """The place of the row of every (key, item) in the equation tables."""
    rows: dict[tuple[str, str], str] = {}
    for key, path in PAPERS.items():
        page = tree.file(path)
        if not report.check(page is not None, path, "is missing"):
            continue
        equations = [t for t in tables(page) if t[0][:1] == ["tag"]]
        report.check(len(equations) == 1, path, "must have one table that begins with 'tag'")
        for header, lines in equations:
            files = header.index("file and function") if "file and function" in header else None
            for number, cells in lines:
                place = f"{path}:{number}"
                tags, malformed = parse(number, cells[0])
                report.check(bool(tags) and not malformed and all(t[1] == key for t in tags),
                             place, f"'{cells[0]}' is not a tag of {key}")
                for _, tagged, item in tags:
                    report.check((tagged, item) not in rows, place,
                                 f"[{tagged} {item}] has a second row")
                    rows[tagged, item] = place
                named = re.findall(r"`([\w./-]+/[\w.-]+\.\w+)`", cells[files] if files else "")
                for name in named:
                    report.check(tree.file(name) is not None, place, f"{name} does not exist")
    return rows


def check(tree: Tree, report: Report) -> None:
    rows = read_rows(tree, report)
    cited = set()
    for file in tree.cpp("src", "reproduce", "tests"):
        for line, text in comments(file):
            tags, malformed = parse(line, text)
            for number, start in malformed:
                report.check(False, f"{file.path}:{number}", f"not a tag: '{start}'")
            for number, key, item in tags:
                cited.add((key, item))
                report.check((key, item) in rows, f"{file.path}:{number}",
                             f"[{key} {item}] has no row in {PAPERS[key]}")
    for (key, item), place in rows.items():
        report.check((key, item) in cited, place, f"[{key} {item}] is cited nowhere in the code")
