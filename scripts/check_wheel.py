# ruff: noqa: INP001  # a script, not a package
"""Checks what a wheel ships: the package and nothing else, and not too much of it."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

MAX_WHEEL_BYTES = 4_200_000
MAX_SAMPLE_BYTES = 2_500_000
"""Of the sample library with its vectors, as compressed in the wheel."""
SAMPLE = "paper_search/library/sample/"
NEEDED = (
    "paper_search/py.typed",
    "paper_search/web/static/page.js",
    "paper_search/web/templates/base.html",
    SAMPLE,
)


def problems(wheel: Path) -> list[str]:
    """Return what is wrong with a wheel, one sentence each."""
    with zipfile.ZipFile(wheel) as archive:
        members = archive.infolist()
    names = [member.filename for member in members]
    found = [
        f"holds {name}, which is not part of the package"
        for name in names
        if not name.startswith("paper_search/") and not name.split("/")[0].endswith(".dist-info")
    ]
    found += [
        f"lacks {needed}" for needed in NEEDED if not any(name.startswith(needed) for name in names)
    ]
    sample = sum(member.compress_size for member in members if member.filename.startswith(SAMPLE))
    for what, size, limit in (
        ("the wheel", wheel.stat().st_size, MAX_WHEEL_BYTES),
        ("the sample", sample, MAX_SAMPLE_BYTES),
    ):
        sys.stdout.write(f"{what}: {size:,} bytes of {limit:,}\n")
        if size > limit:
            found.append(f"{what} has {size:,} bytes, at most {limit:,} are allowed")
    return found


def main() -> int:
    """Check the wheel that is named by the argument of the process."""
    found = problems(Path(sys.argv[1]))
    for hit in found:
        sys.stdout.write(f"{hit}\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
