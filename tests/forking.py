"""A process that forks a child for each job, and dies where the job says so.

It reads a job a line from its standard input and writes how the child ended, a line each. Importing
the program costs more than a job; so it is done once, and every child begins with it done.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


class Processes:
    """Runs each job in a process of its own.

    Args:
        module: has `warm`, which leaves no thread running, and `work`, which does a job.
    """

    def __init__(self, module: str) -> None:
        self._server = subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-m", "tests.forking", module],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *job: Any) -> int:
        """Do a job to its end, or to that of its process; return how that ended."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def close(self) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()


def run_at_once(module: str, *jobs: list[Any]) -> None:
    """Do each job in a process of its own, all at the same moment, and none with a complaint."""
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", "tests.forking", module, "at once"],
        cwd=ROOT,
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert (done.returncode, done.stderr) == (0, "")


def _child(module: Any, job: list[Any]) -> None:
    try:
        module.work(*job)
    except BaseException:  # noqa: BLE001  # a child ends here, with whatever it met
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _all_at_once(module: Any, jobs: list[list[Any]]) -> int:
    assert threading.active_count() == 1
    start, hold = os.pipe()
    for job in jobs:
        if os.fork() == 0:
            os.close(hold)
            os.read(start, 1)  # until the last one is there
            _child(module, job)
    os.close(hold)
    return max(os.waitstatus_to_exitcode(os.wait()[1]) for _ in jobs)


def main(name: str, *mode: str) -> None:
    module: Any = importlib.import_module(name)
    if mode:
        sys.exit(_all_at_once(module, json.load(sys.stdin)))
    module.warm()
    assert threading.active_count() == 1
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _child(module, json.loads(line))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
