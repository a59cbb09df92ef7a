"""The page on 5,000 papers, and on papers whose every field is an attack."""

import random
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.web.browser.conftest import beside_the_browser

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


async def reviewing(folder: Path, question: str, records) -> str:
    """Make a thread that waits with its result; return its path."""
    async with open_persistence(f"sqlite:///{folder / 'home' / 'threads.db'}") as persistence:
        workflow = SearchWorkflow(*[FakeSkills(records)] * 6, persistence=persistence)
        checkpoint = await workflow.start(question)
        await workflow.answer(checkpoint.run_id, {"action": "approve"})
        return f"/threads/{checkpoint.run_id}"


def test_attacks_in_every_field_are_shown_as_text(reviewer):
    page = reviewer.page
    question = " ".join(ATTACKS[:6])
    thread = beside_the_browser(reviewing(reviewer.folder, question, hostile))
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


def test_5000_papers_are_shown_filtered_and_screened_a_page_at_a_time(reviewer):
    """What makes it fast: a part of the papers, of 250 kB at most, and one request for each step.

    How long it takes is measured by benchmarks/page.py.
    """
    page = reviewer.page
    question = "graph neural networks"
    thread = beside_the_browser(reviewing(reviewer.folder, question, thousands))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    reviewer.open(f"{thread}/results")
    expect(page.locator(".found")).to_have_text("5,000 papers, 1 to 50 shown")
    expect(page.locator(".paper")).to_have_count(50)
    for text, shown in (("4999", 1), ("protein", 50)):
        with page.expect_response("**fragment=1**") as answered:
            page.fill("input[name=text]", text)
        expect(page.locator(".paper")).to_have_count(shown)
        assert len(answered.value.body()) < 250_000
    assert sum("fragment=1" in url for url in asked) == 2
    reviewer.open(f"{thread}/screen")
    for key in "irimi":
        paper = page.locator("[data-paper]").get_attribute("data-paper")
        with page.expect_response("**/marks") as answered:
            page.keyboard.press(key)
        expect(page.locator(f'[data-paper="{paper}"]')).to_have_count(0)
        assert len(answered.value.body()) < 10_000
    assert sum(url.endswith("/marks") for url in asked) == 5
    label = page.locator(".progress svg").get_attribute("aria-label")
    assert label == "1 relevant, 3 irrelevant, 4996 left of 5000"


def test_a_title_from_right_to_left_is_read_in_its_order(reviewer):
    title = "أثر CBT على"
    papers = [RawPaper(id="p", title=title, source="library", sightings=[Sighting(source="s")])]
    thread = beside_the_browser(reviewing(reviewer.folder, "CBT", lambda _strategy: papers))
    for path in ("results", "screen"):
        reviewer.open(f"{thread}/{path}")
        left = """(heading, word) => {
            const walk = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
                const from = walk.currentNode.data.indexOf(word);
                if (from < 0) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, from);
                range.setEnd(walk.currentNode, from + word.length);
                return range.getBoundingClientRect().left;
            }
        }"""
        heading = reviewer.page.locator("h3", has_text="CBT").first
        first, middle, last = (heading.evaluate(left, word) for word in title.split())
        assert first > middle > last
