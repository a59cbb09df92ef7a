"""`paper-search serve` as a process of its own, which can be killed without warning."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from tests.ports import free_port
from tests.preforked import commands

ROOT = Path(__file__).parents[2]
OF_THE_SYSTEM = ("PATH", "LANG")
ADA, BOB = "CANARY-token-of-ada-01", "CANARY-token-of-bob-02"
GRAPH = "paper_search"
QUESTION = "graph neural networks for molecules"


class ServedProcess:
    """A server on a free port of the loopback address, or on the one that is given.

    `alive`: where it answers as soon as it serves.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        environment: dict[str, str],
        folder: Path,
        port: int = 0,
        alive: str = "/ok",
    ) -> None:
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / f"served-{port}.log"
        self._alive = alive
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603  # our own command
                [*command, "--port", str(port)],
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + 120
        with httpx.Client(verify=False) as client:  # noqa: S501  # no TLS: certificates take long
            while time.monotonic() < deadline and self._process.poll() is None:
                with contextlib.suppress(httpx.TransportError):
                    if client.get(f"{self.url}{self._alive}").status_code == httpx.codes.OK:
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
    command = (sys.executable, "-m", "paper_search", "serve", *options)
    with _running(ServedProcess(command, environment, folder, port)) as server:
        yield server


@contextlib.contextmanager
def serving_bare(
    environment: dict[str, str], folder: Path, *, without: tuple[str, ...] = ()
) -> Iterator[ServedProcess]:
    """Serve by `langgraph dev` for a `with` block, without some parts of `langgraph.json`."""
    shutil.copytree(ROOT / "graphs", folder / "graphs", dirs_exist_ok=True)
    document = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    rest = {name: value for name, value in document.items() if name not in without}
    (folder / "langgraph.json").write_text(json.dumps(rest))
    with serving_langgraph(environment, folder) as server:
        yield server


@contextlib.contextmanager
def serving_langgraph(environment: dict[str, str], folder: Path) -> Iterator[ServedProcess]:
    """Serve what `langgraph.json` of the folder names by `langgraph dev` for a `with` block."""
    options = ("--no-browser", "--no-reload", "--host", "127.0.0.1")
    command = (sys.executable, "-m", "langgraph_cli", "dev", *options)
    with _running(ServedProcess(command, environment, folder)) as server:
        yield server


@contextlib.contextmanager
def _running(server: ServedProcess) -> Iterator[ServedProcess]:
    try:
        yield server
    finally:
        server.kill()


def bare_environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return an environment that knows nothing of who runs the tests."""
    system = {name: os.environ[name] for name in OF_THE_SYSTEM if name in os.environ}
    return {**system, "HOME": str(folder), "PAPER_SEARCH_HOME": str(folder / "home"), **variables}


def command_line(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return commands().run(*words, env=environment, cwd=environment["HOME"])


@dataclass
class Served:
    """A server with two owners, and what is needed to work beside it."""

    process: ServedProcess
    environment: dict[str, str]
    folder: Path

    @property
    def database(self) -> str:
        return f"sqlite:///{self.folder / 'home' / 'threads.db'}"

    def client(self, token: str | None = ADA, **headers: str) -> httpx.AsyncClient:
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        return httpx.AsyncClient(base_url=self.process.url, headers=headers, timeout=240)


async def begun(client: httpx.AsyncClient, **run: Any) -> str:
    """Begin a search and return its thread, which waits with its first question."""
    thread: str = (await client.post("/threads", json={})).json()["thread_id"]
    asked = {"assistant_id": GRAPH, "input": {"question": QUESTION}, **run}
    answer = await client.post(f"/threads/{thread}/runs/wait", json=asked)
    assert answer.status_code == 200, answer.text
    # The state, not the answer: LangGraph's server loses the last event of a run that ends between
    # its half-second time limit and its look at the run's status.
    assert await question(client, thread), answer.text
    return thread


async def answered(client: httpx.AsyncClient, thread: str, resume: Any) -> httpx.Response:
    run = {"assistant_id": GRAPH, "command": {"resume": resume}}
    return await client.post(f"/threads/{thread}/runs/wait", json=run)


async def open_interrupt(client: httpx.AsyncClient, thread: str) -> dict[str, Any] | None:
    interrupts = (await client.get(f"/threads/{thread}/state")).json()["interrupts"]
    return interrupts[0] if interrupts else None


async def question(client: httpx.AsyncClient, thread: str) -> str | None:
    """Return which question a thread waits with."""
    interrupt = await open_interrupt(client, thread)
    return interrupt["value"]["kind"] if interrupt else None
