"""Words that do not belong in the project: paths of a machine, marks of unfinished work."""

import re

from tree import Report, Tree

WORDS = {
    r"(?<![\w.$}~-])/(?:work|home|root)/": "a path of somebody's machine",
    r"\b(?:TODO|FIXME|XXX)\b": "a mark of unfinished work",
}
# These two must name what they look for.
EXEMPT = {"tests/architecture/words.py", "tests/architecture/check_selftest.py"}


def check(tree: Tree, report: Report) -> None:
    for file in tree.files:
        if file.text is None or file.path in EXEMPT:
            continue
        for pattern, meaning in WORDS.items():
            found = [(number, match[0]) for number, line in enumerate(file.lines, 1)
                     for match in re.finditer(pattern, line)]
            for number, word in found:
                report.check(False, f"{file.path}:{number}", f"'{word}' is {meaning}")
            if not found:
                report.check(True, file.path, "")
