"""What a person says of two records on the page counts with the decision, whichever it is."""

import asyncio
import html
import re

import pytest
from tests.answers import reply_to
from tests.workflow.test_same_work import AGAIN, ALIKE, OTHER

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
