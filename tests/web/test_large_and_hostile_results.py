"""The page on 5,000 papers, and on papers whose every field is an attack."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Response, expect
from tests.web.conftest import Reviewer

from paper_search.models import Author, RawPaper, Sighting
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

pytestmark = pytest.mark.slow

ATTACKS = (
    "<script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    "'\"><svg/onload=window.broken=1>",
    "</textarea></title></style><iframe srcdoc='<script>parent.broken=1</script>'>",
    "javascript:window.broken=1",
    "{{ 7 * 7 }}{% raw %}",
    "\u202e\x00\ud7ff &lt;b&gt; &amp;",
    '<a href="javascript:window.broken=1" autofocus onfocus=window.broken=1>x</a>',
)
WORDS = (
    *("graph", "neural", "network", "protein", "structure", "drug"),
    *("target", "model", "molecule", "trial", "cohort"),
)


def hostile(_strategy) -> list[RawPaper]:
    return [
        RawPaper(
            id=f"{attack} {number}",
            title=attack,
            abstract=attack,
            venue=attack,
            doi=attack,
            url=attack,
            full_text_url="javascript:window.broken=1",
            source=attack,
            keywords=[attack],
            authors=[Author(name=attack)],
            sightings=[Sighting(source=attack)],
        )
        for number, attack in enumerate(ATTACKS)
    ]


def thousands(_strategy) -> list[RawPaper]:
    chance = random.Random(1)  # noqa: S311  # not for secrets

    def text(count: int) -> str:
        return " ".join(chance.choices(WORDS, k=count))

    return [
        RawPaper(
            id=f"p{number}",
            title=f"{text(9)} {number}",
            abstract=text(180),
            year=chance.randint(1995, 2026),
            venue=chance.choice(["Nature", "BMJ", "PLoS ONE"]),
            source="library",
        )
        for number in range(5_000)
    ]


def made(folder: Path, question: str, records) -> str:
    """Make a thread that waits with its result; return its path."""

    async def make() -> str:
        skills = FakeSkills(records)
        async with open_persistence(f"sqlite:///{folder / 'home' / 'threads.db'}") as persistence:
            workflow = SearchWorkflow(*[skills] * 6, persistence=persistence)
            checkpoint = await workflow.start(question)
            await workflow.answer(checkpoint.run_id, {"action": "approve"})
            return f"/threads/{checkpoint.run_id}"

    with ThreadPoolExecutor() as threads:  # the browser's loop runs in this one
        return threads.submit(asyncio.run, make()).result()


class Work:
    """What the server does for a page, and what it sends: the same on a busy machine."""

    def __init__(self, reviewer: Reviewer) -> None:
        self._server = psutil.Process(reviewer.server.pid)
        self._counted_s = self._cpu_s()
        self._sizes: list[int] = []
        reviewer.page.on("response", self._measure)

    def since_last(self) -> tuple[float, int]:
        """Return the seconds of its processor, and the most bytes of an answer, since then."""
        sizes, self._sizes = self._sizes, []
        before, self._counted_s = self._counted_s, self._cpu_s()
        return self._counted_s - before, max(sizes)

    def _measure(self, answer: Response) -> None:
        self._sizes.append(int(answer.headers["content-length"]))

    def _cpu_s(self) -> float:
        times = self._server.cpu_times()
        return float(times.user + times.system)


def test_attacks_in_every_field_are_shown_as_text(reviewer: Reviewer) -> None:
    page = reviewer.page
    thread = made(reviewer.folder, " ".join(ATTACKS[:6]), hostile)
    for path in (
        "",
        f"{thread}/strategy",
        f"{thread}/results",
        f"{thread}/screen",
        f"{thread}/log",
    ):
        reviewer.open(path)
        if path.endswith("results"):
            page.fill("input[name=text]", "window")
            page.wait_for_url("**text=window**")
        if path.endswith("screen"):
            page.fill("#note", ATTACKS[0])
            page.keyboard.press("Enter")
            expect(page.locator("#note")).not_to_be_focused()
        assert page.evaluate("window.broken") is None
        assert page.locator("iframe, svg[onload], [onerror], [onfocus], a[href^=java]").count() == 0
        assert page.locator("script").count() == 1
        assert ATTACKS[0] in page.locator("main").text_content()
    reviewer.open(f"{thread}/reviewers")
    for place, (name, key) in enumerate((("ada", "r"), ("bo", "i"))):
        page.fill("input[name=reviewer]", name)
        page.click("button[value=join]")
        page.wait_for_url("**/screen?reviewer=*")
        page.fill("#label", ATTACKS[0])
        page.keyboard.press("Enter")
        expect(page.locator(".labels button").first).to_have_text(ATTACKS[0])
        page.keyboard.press(key)
        expect(page.locator(".progress b").nth(place)).to_have_text("1")
        page.click("button[value=done]")
        page.wait_for_url("**/reviewers")
    expect(page.locator(".conflict h3")).to_have_count(1)
    assert page.evaluate("window.broken") is None
    assert page.locator("script").count() == 1


def test_5000_papers_are_shown_filtered_and_screened_a_page_at_a_time(reviewer: Reviewer) -> None:
    """For 1.5 s, 100 ms and 100 ms to pass at most, the server computes and sends this little."""
    page, work = reviewer.page, Work(reviewer)
    thread = made(reviewer.folder, "graph neural networks", thousands)
    reviewer.open(f"{thread}/results")
    opening_s, most_bytes = work.since_last()
    assert (opening_s < 4.5, most_bytes < 400_000) == (True, True), (opening_s, most_bytes)
    assert page.locator(".paper").count() == 50
    assert page.locator("*").count() < 8_000
    filtering = []
    for text in WORDS[:5]:
        with page.expect_response(f"**text={text}&**"):
            page.fill("input[name=text]", text)
        page.wait_for_url(f"**text={text}**")
        filtering.append(work.since_last())
    reviewer.open(f"{thread}/screen")
    assert page.locator("*").count() < 1_000
    work.since_last()
    screening = []
    for key in "irimiriri":
        paper = page.locator("#screen [data-paper]")
        shown = str(paper.get_attribute("data-paper"))
        page.keyboard.press(key)
        expect(paper).not_to_have_attribute("data-paper", shown)
        screening.append(work.since_last())
    progress = page.locator(".progress svg").get_attribute("aria-label")
    assert progress.startswith("3 relevant, 5 irr")
    for done, limit in ((filtering, 400_000), (screening, 20_000)):
        assert sorted(seconds for seconds, _ in done)[len(done) // 2] < 0.3, done
        assert max(size for _, size in done) < limit, done
