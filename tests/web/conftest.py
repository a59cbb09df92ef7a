"""The page in front of a real browser, and in one process without a script."""

import contextlib
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from tests.end_to_end.served import ServedProcess, bare_environment, serving

from paper_search.config import AppConfig, ServerConfig
from paper_search.models.settings import SearchSourceConfig
from paper_search.server.access import Access, SharedPersistence
from paper_search.server.guard import Guard
from paper_search.web.routes import page_routes
from paper_search.web.site import Site

QUESTION = "graph neural networks for protein structure"
HERE = "http://localhost:2024"
_PATIENCE_MS = 120_000
expect.set_options(timeout=_PATIENCE_MS)  # of its own: five seconds, where nobody says
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Reviewer:
    """A person at a browser, and the server that the page comes from."""

    page: Page
    server: ServedProcess
    environment: dict[str, str]
    folder: Path

    def open(self, path: str = "") -> None:
        self.page.goto(f"{self.server.url}/review{path}")

    def begin(self, question: str = QUESTION) -> str:
        """Ask a question and wait for the strategy; return the path of the thread."""
        self.open()
        self.page.fill("#question", question)
        self.page.click("button.primary")
        self.page.wait_for_url("**/strategy")
        return self.path.removesuffix("/strategy")

    def search(self, question: str = QUESTION) -> str:
        """Ask a question and approve the strategy; return the path of the thread."""
        thread = self.begin(question)
        self.page.click("button[value=approve]")
        self.page.wait_for_url("**/results")
        return thread

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(f"{self.server.url}/review")


@pytest.fixture(scope="module")  # while it is open, its loop runs, and no other one can
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert program, "these tests need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServedProcess, Path]]:
    folder = tmp_path_factory.mktemp("page")
    with serving(bare_environment(folder), folder) as server:
        yield server, folder


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context()
    opened.set_default_timeout(_PATIENCE_MS)
    yield opened
    opened.close()


@pytest.fixture
def reviewer(context: BrowserContext, served: tuple[ServedProcess, Path]) -> Iterator[Reviewer]:
    server, folder = served
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if "Policy" in said.text else None)
    yield Reviewer(page, server, bare_environment(folder), folder)
    assert problems == []


class Visitor:
    """A browser without a script: it follows links and sends the forms that it was given."""

    def __init__(self, app: Starlette) -> None:
        self.client = TestClient(
            app, base_url=HERE, client=("127.0.0.1", 4711), headers={"origin": HERE}
        )
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
        deadline = time.monotonic() + _PATIENCE_MS / 1000
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
            shared = SharedPersistence(config.persistence_url)

            @contextlib.asynccontextmanager
            async def lifespan(_app: Starlette) -> AsyncIterator[None]:
                async with shared.open():
                    yield

            app = Starlette(
                routes=page_routes(Site(config, Access(shared, config))),
                lifespan=lifespan,
                middleware=[Middleware(Guard, config=config.server)],
            )
            made = Visitor(app)
            stack.enter_context(made.client)
            return made

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
        place = page.begin()
        page.send(page.path, action="approve", asked=page.asked())
        page.arrive(place)
        assert page.path == f"{place}/results"
    return home, place


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
