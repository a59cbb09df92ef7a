"""What a command costs from start to end, and how soon a missing network is noticed.

Run: python benchmarks/startup.py
"""

from __future__ import annotations

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack

RUNS = 5
QUESTION = "graph neural networks for molecular property prediction since 2018"
FIND = ["find", QUESTION, "--yes"]
COMMANDS = {
    "paper-search --help": ["--help"],
    "paper-search find --yes, the sample imported before": FIND,
}


def run(
    arguments: list[str], home: str, proxy: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run one process with nothing in its environment but a home and, if given, a proxy."""
    command = [sys.executable, "-m", "paper_search", *arguments]
    environment = {"PAPER_SEARCH_HOME": home, "PATH": os.defpath}
    environment |= {"ALL_PROXY": proxy} if proxy else {}
    return subprocess.run(  # noqa: S603  # ours
        command, check=False, capture_output=True, env=environment, text=True, cwd=home
    )


def cost(arguments: list[str], home: str) -> tuple[float, float]:
    """Return wall and CPU seconds of one process."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(arguments, home).check_returncode()
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent


def noticed(home: str, proxy: str) -> tuple[float, int]:
    """Return seconds until the last service was given up, and the lines that say so."""
    ended = run(["find", QUESTION, "--source", "web", "--yes", "--json"], home, proxy)
    spent: dict[str, int] = {}
    for report in json.loads(ended.stdout)["reports"]:
        spent[report["source"]] = spent.get(report["source"], 0) + report["milliseconds"]
    lines = [line for line in ended.stderr.splitlines() if "reached" in line or "FAILED" in line]
    return max(spent.values()) / 1000, len(lines)


def offline(stack: ExitStack) -> dict[str, str]:
    """Return addresses that refuse every connection, and that never answer one."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        refusing = listener.getsockname()[1]
    deaf = stack.enter_context(socket.socket())
    deaf.bind(("127.0.0.1", 0))
    deaf.listen(0)
    for _ in range(3):  # fills the queue
        waiting = stack.enter_context(socket.socket())
        waiting.settimeout(0)
        waiting.connect_ex(deaf.getsockname())
    return {
        "refused": f"http://127.0.0.1:{refusing}",
        "no answer": f"http://127.0.0.1:{deaf.getsockname()[1]}",
    }


def main() -> None:
    """Print both tables."""
    print("| command | wall s | CPU s |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        first = cost(FIND, home)
        print(f"| paper-search find --yes, the first time | {first[0]:.2f} | {first[1]:.2f} |")
        for label, arguments in COMMANDS.items():
            runs = [cost(arguments, home) for _ in range(RUNS)]
            wall, spent = (statistics.median(row) for row in zip(*runs, strict=True))
            print(f"| {label} | {wall:.2f} | {spent:.2f} |")
        print("\n| connections to nine services | given up after s | lines |\n|---|--:|--:|")
        for label, proxy in offline(stack).items():
            seconds, lines = noticed(home, proxy)
            print(f"| {label} | {seconds:.2f} | {lines} |")


if __name__ == "__main__":
    main()
