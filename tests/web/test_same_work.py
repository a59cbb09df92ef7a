"""What a person says of two records on the page counts with the decision, whichever it is."""

import asyncio
import html
import re

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import workflow
from tests.workflow.test_same_work import AGAIN, ALIKE, OTHER, same

from paper_search.persistence import open_persistence
from paper_search.skills import Deduplicator
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow, ThreadCatalog


async def at_the_result(url: str) -> None:
    fake = FakeSkills(lambda _strategy: (ALIKE, AGAIN, OTHER))
    async with open_persistence(url) as persistence:
        search = SearchWorkflow(
            fake, fake, fake, Deduplicator(), fake, fake, persistence=persistence
        )
        await search.start("deep learning for molecules", thread_id="t")
        await reply_to(search, "t", "approve")


async def merge_decisions(url: str) -> list[tuple[set[str], bool]]:
    async with open_persistence(url) as persistence:
        ended = (await ThreadCatalog(persistence).show("t")).history[-1]
    assert ended.feedback is not None
    assert ended.feedback.free_text_feedback == "more of it"
    return [({pair.one, pair.other}, pair.is_same) for pair in ended.feedback.merge_decisions]


@pytest.mark.parametrize("action", ["approve", "edit", "reject"])
def test_a_pair_that_was_decided_counts_with_every_decision(visitors, tmp_path, action):
    url = f"sqlite:///{tmp_path / 'threads.db'}"
    asyncio.run(at_the_result(url))
    page = visitors()
    page.open("/threads/t/results")
    [name] = {html.unescape(name) for name in re.findall(r'name="(pair:[^"]+)"', page.text)}
    page.send(page.path, action=action, asked=page.asked(), note="more of it", **{name: "same"})
    page.arrive("/threads/t")
    assert asyncio.run(merge_decisions(url)) == [({"alike", "again"}, True)]


@pytest.mark.parametrize("marked", ["alike", "again"])
def test_what_was_said_of_a_paper_holds_for_what_it_was_merged_into(visitors, tmp_path, marked):
    """On the page, and in the order of screening, as in all files."""
    url = f"sqlite:///{tmp_path / 'threads.db'}"

    async def merge() -> tuple[str, list[str]]:
        async with open_persistence(url) as persistence:
            search = workflow(
                FakeSkills(lambda _strategy: (ALIKE, AGAIN, OTHER)),
                deduplicator=Deduplicator(),
                persistence=persistence,
            )
            marks = {"marked_relevant": [marked], "reasons": {marked: "on molecules"}}
            said = {**marks, **same("alike", "again")}
            await reply_to(search, "t", {"action": "edit", "revised_data": said})
            await reply_to(search, "t", "approve")
            session = ThreadCatalog(persistence).session("t")
            left_open = [paper.id for paper in (await session.screening()).queue()]
            [work] = [p.id for p in (await session.result()).papers if p.decision == "included"]
            return work, left_open

    asyncio.run(at_the_result(url))
    work, left_open = asyncio.run(merge())
    assert left_open == ["other"]
    page = visitors()
    page.open("/threads/t/results")
    [paper] = re.findall(
        f'<li class="paper included" data-paper="{work}">.*?</li>', page.text, re.DOTALL
    )
    assert "kept from an earlier round" in paper
    assert "Included: on molecules" in page.text
