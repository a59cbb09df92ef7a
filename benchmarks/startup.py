"""What a command costs from start to end: `--help`, and a whole search over the sample.

Run: python benchmarks/startup.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 5
QUESTION = "graph neural networks for molecular property prediction since 2018"
COMMANDS = {
    "paper-search --help": ["--help"],
    "paper-search find --yes, the sample imported before": ["find", QUESTION, "--yes"],
}


def cost(arguments: list[str], home: str) -> tuple[float, float]:
    """Return wall and CPU seconds of one process."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "paper_search", *arguments]
    environment = {"PAPER_SEARCH_HOME": home, "PATH": ""}
    subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603  # ours
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent


def main() -> None:
    """Print the table."""
    print("| command | wall s | CPU s |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as home:
        first = cost(COMMANDS["paper-search find --yes, the sample imported before"], home)
        print(f"| paper-search find --yes, the first time | {first[0]:.2f} | {first[1]:.2f} |")
        for label, arguments in COMMANDS.items():
            runs = [cost(arguments, home) for _ in range(RUNS)]
            wall, spent = (statistics.median(each) for each in zip(*runs, strict=True))
            print(f"| {label} | {wall:.2f} | {spent:.2f} |")


if __name__ == "__main__":
    main()
