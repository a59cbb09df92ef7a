"""The page in one process, in front of a browser without a script."""

import contextlib
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from paper_search.config import AppConfig, ServerConfig
from paper_search.models.settings import SearchSourceConfig
from paper_search.server.access import Access, SharedPersistence
from paper_search.server.guard import Guard
from paper_search.web.routes import page_routes
from paper_search.web.site import Site

HERE = "http://localhost:2024"
_PATIENCE_S = 120


class Visitor:
    """A browser without a script: it follows links and sends the forms that it was given."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.text = ""
        self.answer: dict[str, str] = {}
        self.path = ""

    def open(self, path: str) -> int:
        return self._seen(self.client.get(f"/review{path}"))

    def send(self, path: str, **fields: object) -> int:
        token = re.search(r'data-csrf="(\w+)"', self.text)
        form = {"csrf": token[1] if token else "", **fields}
        return self._seen(self.client.post(f"/review{path}", data=form))

    def begin(self, question: str = "graph neural networks", **fields: object) -> str:
        """Ask a question and wait for its own; return the path of the thread."""
        self.open("")
        self.send("/threads", question=question, **fields)
        self.arrive(self.path)
        return self.path.removesuffix("/strategy")

    def search(self, question: str = "graph neural networks", **fields: object) -> str:
        """Ask a question and approve the strategy; return the path of the thread."""
        thread = self.begin(question, **fields)
        self.send(self.path, action="approve", asked=self.asked())
        self.arrive(thread)
        assert self.path == f"{thread}/results"
        return thread

    def give(self, path: str, content: bytes, **headers: str) -> int:
        """Send a file as our script does."""
        token = re.search(r'data-csrf="(\w+)"', self.text)
        kind = {"content-type": "application/octet-stream", "accept": "application/json"}
        said = {**kind, "x-csrf-token": token[1] if token else "", **headers}
        answer = self.client.post(f"/review{path}", content=content, headers=said)
        self.answer = answer.json()
        return answer.status_code

    def _seen(self, answer) -> int:
        self.text, self.path = answer.text, answer.url.path.removeprefix("/review")
        return answer.status_code

    def asked(self) -> str:
        named = re.search(r'name="asked" value="([^"]+)"', self.text)
        return named[1].replace("&#34;", '"') if named else ""

    def arrive(self, path: str) -> None:
        """Look at a thread until it does not run any more."""
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            self.open(path)
            if 'id="running"' not in self.text:
                return
            time.sleep(0.05)
        raise AssertionError(self.text)


@contextlib.contextmanager
def visiting(home: Path) -> Iterator[Callable[..., Visitor]]:
    with contextlib.ExitStack() as stack:

        def visitor(source: str = "library", **tokens: str) -> Visitor:
            config = AppConfig(
                home=home,
                sources={source: SearchSourceConfig(name=source)} if source else {},
                server=ServerConfig(tokens=tokens),
            )
            shared = SharedPersistence(config.persistence_url, has_visitors=bool(tokens))

            @contextlib.asynccontextmanager
            async def lifespan(_app: Starlette) -> AsyncIterator[None]:
                async with shared.open():
                    yield

            app = Starlette(
                routes=page_routes(Site(config, Access(shared, config))),
                lifespan=lifespan,
                middleware=[Middleware(Guard, config=config.server)],
            )
            client = TestClient(
                app, base_url=HERE, client=("127.0.0.1", 4711), headers={"origin": HERE}
            )
            return Visitor(stack.enter_context(client))

        yield visitor


@pytest.fixture
def visitors(tmp_path: Path, unpacked_sample: Path) -> Iterator[Callable[..., Visitor]]:
    (tmp_path / unpacked_sample.name).symlink_to(unpacked_sample)
    with visiting(tmp_path) as visitor:
        yield visitor


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory, unpacked_sample: Path) -> tuple[Path, str]:
    """A home with a search that waits with its result, made once to be copied; its path."""
    home = tmp_path_factory.mktemp("searched")
    (home / unpacked_sample.name).symlink_to(unpacked_sample)
    with visiting(home) as visitor:
        page = visitor()
        return home, page.search()


@pytest.fixture
def thread(searched: tuple[Path, str], tmp_path: Path) -> Iterator[tuple[Visitor, str]]:
    """A visitor at the result of a search of theirs, and the path of the search."""
    home, place = searched
    shutil.copytree(home, tmp_path, symlinks=True, dirs_exist_ok=True)
    with visiting(tmp_path) as visitor:
        page = visitor()
        page.open(f"{place}/results")
        yield page, place


@pytest.fixture
def page(thread: tuple[Visitor, str]) -> Visitor:
    return thread[0]


@pytest.fixture
def place(thread: tuple[Visitor, str]) -> str:
    return thread[1]
