"""Code compiled for one instruction set must not end up in the rest of the program.

An inline function that a kernel file does not inline becomes a weak symbol, and the linker keeps
one of all that have its name: the one with instructions that an older processor does not have,
perhaps. So every symbol that a kernel object offers must carry its instruction set in its name.
"""

import shutil
import subprocess
from pathlib import Path

from tree import Report


def offered_symbols(listing: str) -> list[str]:
    """Names of the global and weak definitions in the output of nm."""
    names = []
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "TWVDBR" and not fields[2].startswith("DW.ref."):
            names.append(fields[2])
    return names


def check(build: Path, report: Report) -> None:
    objects = sorted(build.glob("CMakeFiles/isochor_kernels_*.dir/**/*.o"))
    if not objects or shutil.which("nm") is None:
        report.notes.append("kernel objects: none found, not checked")
        return
    for path in objects:
        isa = path.relative_to(build).parts[1].removeprefix("isochor_kernels_").removesuffix(".dir")
        listing = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True)
        for name in offered_symbols(listing.stdout):
            report.check(f"{len(isa)}{isa}" in name, str(path.relative_to(build)),
                         f"offers {name}, which does not name the instruction set {isa}")
