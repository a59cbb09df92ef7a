"""A process that has imported the command line and forks it for each command.

Importing takes longer than most commands; `test_start_up` tries the way through it.
"""

import atexit
import functools
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import paper_search
from paper_search.cli import DEFERRED, defer_import
from paper_search.cli import main as run_command

ROOT = Path(__file__).parents[1]
WARM = (
    *("cli.app", "cli.runner", "cli.views", "cli.search_questions", "cli.report_questions"),
    *("workflow.engine", "report_workflow.engine", "persistence.sqlite_store", "library"),
)


RUNS = "runs"
"""What is said of a command that has not ended."""


class Preforked:
    """Begins commands, each in a process and a session of its own."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        self._turn = threading.Lock()
        with other:
            command = [sys.executable, "-m", "tests.preforked", str(other.fileno())]
            self._server = subprocess.Popen(command, cwd=ROOT, pass_fds=[other.fileno()])  # noqa: S603  # ours

    def run(
        self, *args: str, env: dict[str, str], cwd: str | Path
    ) -> subprocess.CompletedProcess[str]:
        """Run a command without a terminal, as `subprocess.run` would."""
        with (
            Path(os.devnull).open() as nothing,
            tempfile.TemporaryFile("w+", encoding="utf-8") as out,
            tempfile.TemporaryFile("w+", encoding="utf-8") as err,
        ):
            stdio = [file.fileno() for file in (nothing, out, err)]
            code = self.wait(self.begin(args, env, stdio, cwd))
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(args, code, out.read(), err.read())

    def begin(
        self, args: tuple[str, ...], env: dict[str, str], stdio: list[int], cwd: str | Path = ""
    ) -> int:
        """Begin a command; return the id of its process."""
        return int(self._ask({"args": args, "env": env, "cwd": str(cwd or Path.cwd())}, stdio))

    def wait(self, process: int) -> int:
        """Wait until a command has ended; return its exit code."""
        while (code := self._ask({"wait": process})) == RUNS:
            time.sleep(0.02)
        return int(code)

    def close(self) -> None:
        self._socket.close()
        self._server.wait()

    def _ask(self, job: dict[str, Any], fds: list[int] | None = None) -> str:
        with self._turn:
            socket.send_fds(self._socket, [json.dumps(job).encode() + b"\n"], fds or [])
            return self._socket.recv(64).decode()


@functools.cache
def commands() -> Preforked:
    """Return the one of this run of tests."""
    running = Preforked()
    atexit.register(running.close)
    return running


def _run(job: dict[str, Any], stdio: list[int]) -> None:
    os.setsid()
    # A gate in the background hands down an ignored SIGINT; a terminal never does.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    folders = [name for name in job["env"].get("PYTHONPATH", "").split(os.pathsep) if name]
    sys.path[:0] = folders
    for customization in (Path(name, "sitecustomize.py") for name in folders):
        if customization.is_file():  # a Python that starts would have run it
            runpy.run_path(str(customization))
    for place, fd in enumerate(stdio):
        os.dup2(fd, place)
        os.close(fd)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.argv = [str(Path(paper_search.__file__).with_name("__main__.py")), *job["args"]]
    run_command()


def main(fd: int) -> None:
    """Begin what is asked for, and wait for what is asked about, until nobody is there to ask."""
    for name in DEFERRED:
        defer_import(name)
    for name in WARM:
        importlib.import_module(f"paper_search.{name}")
    assert threading.active_count() == 1
    asking = socket.socket(fileno=fd)
    answer: object
    while True:
        line, stdio, *_ = socket.recv_fds(asking, 1 << 20, 3)
        if not line:
            return None
        job = json.loads(line)
        if (process := job.get("wait")) is not None:
            ended, status = os.waitpid(process, os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if ended else RUNS
        elif (answer := os.fork()) == 0:
            asking.close()
            return _run(job, stdio)
        for own in stdio:
            os.close(own)
        asking.sendall(str(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
