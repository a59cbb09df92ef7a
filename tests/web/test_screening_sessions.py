"""The papers of one search between two requests of a person who screens."""

import asyncio

from paper_search.models import RawPaper
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills
from paper_search.web.readings import Readings
from paper_search.web.screening_sessions import ScreeningSession
from paper_search.workflow import SearchWorkflow, ThreadCatalog

TITLES = ["fish one", "star one", "fish two", "star two", "fish three", "star three"]
PAPERS = [RawPaper(id=title, title=title, source="fake") for title in TITLES]


async def test_the_order_follows_the_marks_while_a_person_reads_the_next_paper(tmp_path):
    skills = FakeSkills(lambda _: PAPERS)
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
        workflow = SearchWorkflow(*[skills] * 6, persistence=persistence)
        await workflow.run("life", thread_id="t")
        session = ScreeningSession(persistence, "t")
        screening = await session.look(await Readings().of(ThreadCatalog(persistence), "t"))
        first, second, *others = screening.queue()
        await screening.say(first, is_relevant=False)
        await screening.say(second, is_relevant=True)
        assert screening.queue(learns=False) == others
        before = asyncio.all_tasks()
        session.learn()
        await asyncio.gather(*(asyncio.all_tasks() - before))
        ordered = [paper.title for paper in screening.queue(learns=False)]
    assert ordered == ["star two", "star three", "fish two", "fish three"]
