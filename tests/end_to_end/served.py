"""`paper-search serve` as a process of its own, which can be killed without warning."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from tests.ports import free_port

OF_THE_SYSTEM = ("PATH", "LANG")


class ServedProcess:
    """A server on a free port of the loopback address, or on the one that is given."""

    def __init__(
        self, environment: dict[str, str], folder: Path, *options: str, port: int = 0
    ) -> None:
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / f"served-{port}.log"
        words = ["-m", "paper_search", "serve", "--port", str(port), *options]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603  # our own command
                [sys.executable, *words],
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/ok").status_code == httpx.codes.OK:
                    return
            time.sleep(0.2)
        self.kill()
        raise AssertionError(self.log.read_text())

    @property
    def pid(self) -> int:
        """The process that serves."""
        return self._process.pid

    def kill(self) -> None:
        """End it as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextlib.contextmanager
def serving(
    environment: dict[str, str], folder: Path, *options: str, port: int = 0
) -> Iterator[ServedProcess]:
    """Serve for the length of a `with` block."""
    server = ServedProcess(environment, folder, *options, port=port)
    try:
        yield server
    finally:
        server.kill()


def bare_environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return an environment that knows nothing of who runs the tests."""
    system = {name: os.environ[name] for name in OF_THE_SYSTEM if name in os.environ}
    return {**system, "HOME": str(folder), "PAPER_SEARCH_HOME": str(folder / "home"), **variables}


def command_line(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    return subprocess.run(  # noqa: S603  # our own command
        [sys.executable, "-m", "paper_search", *words],
        env=environment,
        cwd=environment["HOME"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
