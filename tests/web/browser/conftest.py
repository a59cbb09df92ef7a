"""The page in front of a real browser, which all tests of this folder share with its server."""

import asyncio
import contextlib
import shutil
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from tests.end_to_end.served import ServedProcess, bare_environment, serving
from tests.web.conftest import Visitor

T = TypeVar("T")
QUESTION = "graph neural networks for protein structure"
_PATIENCE_MS = 120_000
expect.set_options(timeout=_PATIENCE_MS)  # of its own: five seconds, where nobody says
# The first has no window to draw, which takes half of the work.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@dataclass
class Reviewer:
    """A person at a browser, and the server that the page comes from."""

    page: Page
    server: ServedProcess
    environment: dict[str, str]
    folder: Path

    def open(self, path: str = "") -> None:
        self.page.goto(f"{self.server.url}/review{path}")

    def search_by_hand(self) -> str:
        """Ask a question and approve its strategy on the page; return the path of the thread."""
        self.open()
        self.page.fill("#question", QUESTION)
        self.page.click("button.primary")
        self.page.wait_for_url("**/strategy")
        self.page.click("button[value=approve]")
        self.page.wait_for_url("**/results")
        return self.path.removesuffix("/results")

    def begin(self, question: str = QUESTION) -> str:
        """Come to the strategy of a question asked without the browser; return the path."""
        with self._visitor() as visitor:
            thread = visitor.begin(question)
        self.open(f"{thread}/strategy")
        return thread

    def search(self, question: str = QUESTION) -> str:
        """Come to the result of a strategy that was approved likewise; return the thread's path."""
        with self._visitor() as visitor:
            thread = visitor.search(question)
        self.open(f"{thread}/results")
        return thread

    @contextlib.contextmanager
    def _visitor(self) -> Iterator[Visitor]:
        url, headers = self.server.url, {"origin": self.server.url}
        with httpx.Client(base_url=url, headers=headers, follow_redirects=True) as client:
            yield Visitor(client)

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(f"{self.server.url}/review")


def beside_the_browser(work: Coroutine[Any, Any, T]) -> T:
    """Run what needs a loop of its own: the browser's runs in this thread."""
    with ThreadPoolExecutor() as threads:
        return threads.submit(asyncio.run, work).result()


@pytest.fixture(scope="package")  # while it is open, its loop runs, and no other one can
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert program, "these tests need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServedProcess, Path]]:
    folder = tmp_path_factory.mktemp("page")
    with serving(bare_environment(folder), folder) as server:
        yield server, folder


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    # What moves is drawn again sixty times a second, as long as anybody waits.
    opened = browser.new_context(reduced_motion="reduce")
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
