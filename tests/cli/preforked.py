"""A process that has imported the command line and forks it for each command at a terminal.

Importing takes longer than most commands; `test_start_up` tries the way through it.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import paper_search
from paper_search.cli import DEFERRED, defer_import
from paper_search.cli import main as run_command

ROOT = Path(__file__).parents[2]
WARM = (
    *("cli.app", "cli.runner", "cli.views", "cli.search_questions", "cli.report_questions"),
    *("workflow.engine", "report_workflow.engine", "persistence.sqlite_store", "library"),
)


class Preforked:
    """Begins commands, each in a process and a session of its own."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        with other:
            command = [sys.executable, "-m", "tests.cli.preforked", str(other.fileno())]
            self._server = subprocess.Popen(command, cwd=ROOT, pass_fds=[other.fileno()])  # noqa: S603  # ours

    def begin(self, args: tuple[str, ...], env: dict[str, str], stdio: list[int]) -> int:
        """Begin a command; return the id of its process."""
        job = {"args": args, "env": env, "cwd": str(Path.cwd())}
        return self._told(job, stdio)

    def wait(self, process: int) -> int:
        """Wait until a command has ended; return its exit code."""
        return self._told({"wait": process})

    def close(self) -> None:
        self._socket.close()
        self._server.wait()

    def _told(self, job: dict[str, Any], fds: list[int] | None = None) -> int:
        socket.send_fds(self._socket, [json.dumps(job).encode() + b"\n"], fds or [])
        return int(self._socket.recv(64))


def _run(job: dict[str, Any], stdio: list[int]) -> None:
    os.setsid()
    # A gate in the background hands down an ignored SIGINT; a terminal never does.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    sys.path[:0] = filter(None, job["env"].get("PYTHONPATH", "").split(os.pathsep))
    for place, fd in enumerate(stdio):
        os.dup2(fd, place)
        os.close(fd)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.argv = [str(Path(paper_search.__file__).with_name("__main__.py")), *job["args"]]
    code: Any = 0
    try:
        run_command()
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001  # a command ends here, with whatever it met
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0)


def main(fd: int) -> None:
    """Begin what is asked for, and wait for what is asked about, until nobody is there to ask."""
    for name in DEFERRED:
        defer_import(name)
    for name in WARM:
        importlib.import_module(f"paper_search.{name}")
    assert threading.active_count() == 1
    asking = socket.socket(fileno=fd)
    while True:
        line, stdio, *_ = socket.recv_fds(asking, 1 << 20, 3)
        if not line:
            return
        job = json.loads(line)
        if (process := job.get("wait")) is not None:
            answer = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        elif (answer := os.fork()) == 0:
            asking.close()
            _run(job, stdio)
        for own in stdio:
            os.close(own)
        asking.sendall(str(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
