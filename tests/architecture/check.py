#!/usr/bin/env python3
"""Checks the source tree against docs/architecture.md and docs/papers/.

usage: check.py SOURCE_DIR BUILD_DIR

Prints each failure as file:line: message, and as its last line "N passed, M failed".
"""

import sys
from pathlib import Path

import kernels
import layers
import sizes
import tags
import words
from tree import Report, Tree


def run(source: Path, build: Path) -> Report:
    report = Report()
    tree = Tree(source)
    layers.check(tree, report)
    sizes.check(tree, build, report)
    kernels.check(build, report)
    tags.check(tree, report)
    words.check(tree, report)
    return report


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    report = run(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    for line in report.notes + report.failures:
        print(line)
    print(f"{report.passed} passed, {len(report.failures)} failed")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
