"""The simulated services of `../shared/world`, and our program as a person runs it against them."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from tests.end_to_end.served import ADA, BOB, Served, bare_environment, serving
from tests.ports import free_port
from tests.preforked import commands

from paper_search.testing.model_server import run_model_server

WORLD = Path(__file__).parents[2] / "../shared/world"
SMALL = "2000"


class Services:
    """The simulated services, started once."""

    def __init__(self, url: str) -> None:
        self.url = url

    def control(self, **state: Any) -> None:
        usual = {"limits": True, "crowd": 0.66, "down": [], "slow": {}, "budget": None, "until": ""}
        self._asked("control", {**usual, "clear": True, **state})

    def log(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self._asked("log")["log"]
        return entries

    def statuses(self) -> Counter[tuple[str, int]]:
        return Counter((entry["service"], entry["status"]) for entry in self.log())

    def find(self, question: str, home: Path, *options: str, **env: str) -> dict[str, Any]:
        """Run `find --source web --yes` as a person does; return its document."""
        chosen = options or ("--source", "web")
        return self.run(0, home, "find", question, "--yes", "--json", *chosen, **env)

    def run(self, code: int, home: Path, *command: str, **env: str) -> dict[str, Any]:
        """Run a command that ends with that code; return its document."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(WORLD / "redirect"),
            "WORLD_URL": self.url,
            "PAPER_SEARCH_HOME": str(home),
            **env,
        }
        ended = commands().run(*command, env=environment, cwd=Path.cwd())
        assert ended.returncode == code, ended.stderr
        document: dict[str, Any] = json.loads(ended.stdout)
        return document

    def works(self) -> list[dict[str, Any]]:
        works: list[dict[str, Any]] = self._asked("works")["works"]
        return works

    def _asked(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        with urlopen(Request(f"{self.url}/_world/{path}", data)) as answer:  # noqa: S310  # loopback
            return json.load(answer)


@pytest.fixture(scope="session")
def running() -> Iterator[Services]:
    port = free_port()
    command = [sys.executable, str(WORLD / "serve.py"), "--size", SMALL, "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as server:  # noqa: S603  # the simulator
        services = Services(f"http://127.0.0.1:{port}")
        deadline = time.monotonic() + 60
        while True:
            try:
                services.control()
                break
            except OSError:
                assert time.monotonic() < deadline
                assert server.poll() is None
                time.sleep(0.2)
        yield services
        server.terminate()


@pytest.fixture
def services(running: Services) -> Services:
    running.control()
    return running


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests but those that kill theirs: it takes seconds to start."""
    folder = tmp_path_factory.mktemp("served")
    with run_model_server() as model:
        environment = bare_environment(
            folder,
            LLM_MODEL="fake",
            LLM_BASE_URL=model.url,
            OPENAI_API_KEY="CANARY-key-of-the-model",
            SERPAPI_API_KEY="CANARY-key-of-serpapi",
            SERPAPI_MAX_CALLS="0",
            LANGSMITH_API_KEY="CANARY-key-of-langsmith",
            PAPER_SEARCH_TOKENS=f"ada={ADA}, bob={BOB}",
        )
        with serving(environment, folder) as process:
            yield Served(process, environment, folder)
