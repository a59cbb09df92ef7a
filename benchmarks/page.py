"""How long a person waits for the page, with 5,000 papers in a thread.

Starts a server and Chromium, opens threads that the server has not read before, reads them again,
filters, and screens by keys. Wall times are those of the browser, from the click or key to the
first frame that shows the answer. The CPU time of the server and of all processes of the browser
bounds what the same takes on a quiet machine.

Run: python -m benchmarks.page
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright
from tests.end_to_end.served import ServedProcess, bare_environment, serving
from tests.web.browser.conftest import CHROMIUM
from tests.web.browser.test_large_and_hostile_results import WORDS, made, thousands

COLD = 5
"""Threads, each of which is read for the first time once."""
KEYS = "irimiriririririririr"
PAUSE_MS = 700
"""Between two keys: a person reads longer."""
FIRST_PAINT = """() => new Promise((done) => new PerformanceObserver((list) => {
    for (const each of list.getEntriesByName("first-contentful-paint")) done(each.startTime);
}).observe({ type: "paint", buffered: true }))"""
FRAME_AFTER = """async ([action, watched]) => {
    const begun = performance.now();
    const changed = new Promise((done) => new MutationObserver(() =>
        requestAnimationFrame(() => done(performance.now() - begun))
    ).observe(document.querySelector(watched), { childList: true }));
    new Function(action)();
    return await changed;
}"""
FILTER = """const f = document.querySelector("input[name=text]"); f.value = "{}";
    f.dispatchEvent(new Event("input", {{ bubbles: true }}))"""
KEY = 'document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key: "{}", bubbles: true }}))'


@dataclass
class Row:
    """One line of the table."""

    name: str
    aim: str
    wall: list[float] = field(default_factory=list)
    """Milliseconds in the browser."""
    server: list[float] = field(default_factory=list)
    """Milliseconds of CPU of the server."""
    browser: list[float] = field(default_factory=list)
    """Milliseconds of CPU of the browser."""

    def __str__(self) -> str:
        wall = f"{statistics.median(self.wall):.0f} ({min(self.wall):.0f})"
        cpu = [f"{statistics.median(item):.0f}" for item in (self.server, self.browser)]
        return f"| {self.name} | {wall} | {cpu[0]} | {cpu[1]} | {self.aim} |"


class Bench:
    """A browser in front of a server.

    Args:
        server: whose CPU time is counted.
        page: a tab.
    """

    def __init__(self, server: ServedProcess, page: Page) -> None:
        self._process = psutil.Process(server.pid)
        self._server, self._page = server, page

    def first_paint(self, row: Row, path: str) -> None:
        """Open a page."""
        with self._counted(row):
            self._page.goto(f"{self._server.url}/review{path}")
            row.wall.append(self._page.evaluate(FIRST_PAINT))

    def act(self, row: Row, action: str, watched: str) -> None:
        """Run an action of a person and wait for the part of the page that it changes."""
        with self._counted(row):
            row.wall.append(self._page.evaluate(FRAME_AFTER, [action, watched]))

    @contextmanager
    def _counted(self, row: Row) -> Iterator[None]:
        server, browser = _cpu([self._process]), self._browsers()
        yield
        row.server.append(sum(_cpu([self._process]).values()) - sum(server.values()))
        now = self._browsers()
        row.browser.append(sum(spent - browser.get(pid, 0) for pid, spent in now.items()))

    def _browsers(self) -> dict[int, float]:
        own = psutil.Process().children(recursive=True)
        return _cpu([entry for entry in own if "chrom" in entry.name()])


def _cpu(processes: list[psutil.Process]) -> dict[int, float]:
    """Return the milliseconds that processes have spent so far, by their id."""
    spent = {}
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # the browser ends some of its own
            spent[process.pid] = 1000 * sum(process.cpu_times()[:2])
    return spent


def measure(bench: Bench, page: Page, make: Callable[[], str]) -> list[Row]:
    """Return the table."""
    cold = Row("first paint, the thread read for the first time", "≤ 1,500")
    warm = Row("first paint, the thread in memory", "≤ 1,500")
    filtering = Row("filter by a word", "≤ 100")
    key = Row("key to the next paper", "≤ 100")
    for path in [make() for _ in range(COLD)]:
        bench.first_paint(cold, f"{path}/results")
        bench.first_paint(warm, f"{path}/results")
    for word in WORDS:
        bench.act(filtering, FILTER.format(word), "#papers")
    bench.first_paint(Row("", ""), f"{path}/screen")
    for letter in KEYS:
        bench.act(key, KEY.format(letter), "#screen")
        page.wait_for_timeout(PAUSE_MS)
    return [cold, warm, filtering, key]


def main() -> None:
    """Print the table."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        sys.exit("Chromium is needed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with serving(bare_environment(folder), folder) as server:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            page = browser.new_page()
            page.set_default_timeout(120_000)

            def make() -> str:
                return made(folder, "graph neural networks", thousands)

            rows = measure(Bench(server, page), page, make)
            browser.close()
    print("| 5,000 papers | ms, median (least) | CPU ms: server | browser | aim, ms |")
    print("|---|--:|--:|--:|--:|")
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
