"""A process that has imported the program and forks it for each command and job of tests.

Importing it and compiling its patterns takes longer than most commands; `test_start_up` tries the
way through it.
"""

import atexit
import contextlib
import functools
import gc
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
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NoReturn

import paper_search
from paper_search.cli import DEFERRED, defer_import
from paper_search.cli import main as run_command

ROOT = Path(__file__).parents[1]
RUNS = "runs"
"""What is said of a command that has not ended."""


class Preforked:
    """Begins commands or jobs, each in a process and a session of its own.

    `modules`: what is imported before.
    """

    def __init__(self, *modules: str) -> None:
        self._socket, other = socket.socketpair()
        self._turn = threading.Lock()
        with other:
            command = [sys.executable, "-m", "tests.preforked", str(other.fileno()), *modules]
            self._server = subprocess.Popen(command, cwd=ROOT, pass_fds=[other.fileno()])  # noqa: S603  # ours

    def run(
        self, *args: str, env: dict[str, str], cwd: str | Path
    ) -> subprocess.CompletedProcess[str]:
        """Run a command without a terminal, as `subprocess.run` would."""
        with _files() as (nothing, out, err):
            stdio = [file.fileno() for file in (nothing, out, err)]
            code = self.wait(self.begin(args, env, stdio, cwd))
            return subprocess.CompletedProcess(args, code, _text(out), _text(err))

    def begin(
        self, args: tuple[str, ...], env: dict[str, str], stdio: list[int], cwd: str | Path = ""
    ) -> int:
        """Begin a command; return the id of its process."""
        return int(self._ask({"args": args, "env": env, "cwd": str(cwd or Path.cwd())}, stdio))

    def work(self, module: str, *job: Any) -> int:
        """Do a job to its end, or to that of its process; return how that ended.

        Args:
            module: has `work`, which does a job, and may have `warm`, which is called before the
                first one and leaves no thread running.
            job: what `work` is given.
        """
        [code] = self._work(module, job)
        return code

    def work_at_once(self, module: str, *jobs: Sequence[Any]) -> None:
        """Do each job in a process of its own, all at the same moment, none with a complaint."""
        assert set(self._work(module, *jobs)) == {0}

    def begin_work(self, module: str, *job: Any) -> int:
        """Begin a job; return the id of its process."""
        return self._begin_work(module, [job], [])[0]

    def _work(self, module: str, *jobs: Sequence[Any]) -> list[int]:
        with _files() as (nothing, out, err):
            stdio = [file.fileno() for file in (nothing, out, err)]
            codes = [self.wait(process) for process in self._begin_work(module, jobs, stdio)]
            complaints = _text(err)
        assert complaints == ""
        return codes

    def _begin_work(
        self, module: str, jobs: Sequence[Sequence[Any]], stdio: list[int]
    ) -> list[int]:
        job = {"module": module, "jobs": jobs, "env": dict(os.environ), "cwd": str(ROOT)}
        return [int(process) for process in self._ask(job, stdio).split()]

    def wait(self, process: int) -> int:
        """Wait until a process has ended; return its exit code."""
        while (code := self._ask({"wait": process})) == RUNS:
            time.sleep(0.02)
        return int(code)

    def close(self) -> None:
        self._socket.close()
        self._server.wait()

    def _ask(self, job: dict[str, Any], fds: list[int] | None = None) -> str:
        with self._turn:
            socket.send_fds(self._socket, [json.dumps(job).encode() + b"\n"], fds or [])
            return self._socket.recv(1024).decode()


@contextlib.contextmanager
def _files() -> Iterator[tuple[IO[str], IO[str], IO[str]]]:
    """Open what a process without a terminal reads and writes."""
    with (
        Path(os.devnull).open() as nothing,
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as err,
    ):
        yield nothing, out, err


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


@functools.cache
def commands() -> Preforked:
    """Return what begins the commands of this run of tests."""
    return _started("tests.warm_up")


@functools.cache
def workers() -> Preforked:
    """Return what begins its jobs: what they leave in memory is none of a command's."""
    return _started()


def _started(*modules: str) -> Preforked:
    running = Preforked(*modules)
    atexit.register(running.close)
    return running


def _settle(job: dict[str, Any], stdio: list[int]) -> None:
    """Give a new process the session, folder, environment and files that its job names."""
    os.setsid()
    # A gate in the background hands down an ignored SIGINT; a terminal never does.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    for place, fd in enumerate(stdio):
        os.dup2(fd, place)
        os.close(fd)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)


def _command(job: dict[str, Any]) -> None:
    folders = [name for name in job["env"].get("PYTHONPATH", "").split(os.pathsep) if name]
    sys.path[:0] = folders
    for customization in (Path(name, "sitecustomize.py") for name in folders):
        if customization.is_file():  # a Python that starts would have run it
            runpy.run_path(str(customization))
    sys.argv = [str(Path(paper_search.__file__).with_name("__main__.py")), *job["args"]]
    run_command()


def _work(module: ModuleType, job: list[Any]) -> NoReturn:
    try:
        module.work(*job)
    except BaseException:  # noqa: BLE001  # a process ends here, with whatever it met
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


@functools.cache
def _warm(name: str) -> ModuleType:
    module = importlib.import_module(name)
    if hasattr(module, "warm"):
        module.warm()
    assert threading.active_count() == 1
    gc.freeze()
    return module


def _fork_all(job: dict[str, Any], stdio: list[int], asking: socket.socket) -> list[int]:
    """Begin jobs at the same moment: when all their processes are there."""
    module, (start, hold), processes = _warm(job["module"]), os.pipe(), []
    for words in job["jobs"]:
        process = os.fork()
        if process == 0:
            asking.close()
            os.close(hold)
            _settle(job, stdio)
            os.read(start, 1)
            _work(module, words)
        processes.append(process)
    os.close(start)
    os.close(hold)
    return processes


def main(fd: int, *modules: str) -> None:
    """Begin what is asked for, and wait for what is asked about, until nobody is there to ask."""
    for name in DEFERRED:
        defer_import(name)
    for name in modules:
        importlib.import_module(name)
    assert threading.active_count() == 1
    gc.freeze()  # no child looks through what all have
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
        elif "module" in job:
            answer = " ".join(map(str, _fork_all(job, stdio, asking)))
        elif (answer := os.fork()) == 0:
            asking.close()
            _settle(job, stdio)
            return _command(job)
        for own in stdio:
            os.close(own)
        asking.sendall(str(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
