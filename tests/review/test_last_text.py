"""Whatever is attached, decided, merged and gone back from, the last word on a text stands."""

import asyncio
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import Phase, example, given
from hypothesis import strategies as st
from tests.answers import reply_to
from tests.audit.doubles import disagreements
from tests.examples import examples
from tests.pages.site import pdf
from tests.workflow.doubles import workflow

from paper_search.audit import audit_of
from paper_search.errors import InputError
from paper_search.models import RawPaper, SearchStrategy
from paper_search.persistence import Persistence
from paper_search.report_workflow.assembly import finished_collection
from paper_search.review import update_review
from paper_search.review.full_texts import FullTexts
from paper_search.skills import Deduplicator
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, CheckpointKind, SearchWorkflow
from paper_search.workflow.full_texts import TextStatus
from paper_search.workflow.session import SearchSession

SUBJECTS = ("Wasps in gardens", "Bees on meadows", "Ants under stones", "Flies over water")
FILES = [pdf([f"Text {number}"]) for number in range(3)]


def records(_strategy: SearchStrategy) -> list[RawPaper]:
    return [
        RawPaper(id=f"r{number}", title=title, year=2000 + number, source="fake")
        for number, title in enumerate(SUBJECTS)
    ]


class Person:
    """Works on the full texts of a search, and remembers the last word on that of each record."""

    def __init__(self, chance: Random, persistence: Persistence, home: Path) -> None:
        self.chance, self.persistence = chance, persistence
        self.texts = FullTexts(SearchSession.on(persistence, "t"), home, "ada")
        self.words: dict[str, tuple[TextStatus, str]] = {}
        """By the id of the work of then: status and file."""

    @property
    def flow(self) -> SearchWorkflow:
        skills = FakeSkills(records)
        return workflow(
            skills, deduplicator=Deduplicator(), persistence=self.persistence, max_iterations=9
        )

    async def act(self) -> None:
        works = [work for work, _ in await self.texts.works()]
        asked = await self.flow.pending("t")
        if asked is not None:
            await self.answer(asked)
            return
        action = self.chance.choice(["again", "update", *["text"] * 4])
        if action == "again":
            await self.flow.fork("t", CheckpointKind.RESULT_REVIEW)
        elif action == "update":
            await update_review(self.flow, "t")
        elif works:
            chosen = self.chance.choice(works)
            await self.work_on(chosen.id, [i for i in chosen.merged_from if i != chosen.id])

    async def answer(self, asked: Checkpoint) -> None:
        marks: dict[str, Any] = {}
        if asked.kind is CheckpointKind.RESULT_REVIEW:
            ids = [paper.id for paper in asked.payload.collection.papers]
            marks["marked_relevant"] = self.chance.sample(ids, len(ids) // 2)
            if len(ids) > 1 and self.chance.random() < 0.6:
                one, other = self.chance.sample(ids, 2)
                marks["merge_decisions"] = [{"one": one, "other": other, "is_same": True}]
        decision = {"action": "approve", **({"revised_data": marks} if marks else {})}
        await reply_to(self.flow, "t", decision)

    async def work_on(self, work: str, merged: list[str]) -> None:
        try:
            match self.chance.choice(["attach", "decide", "decide", "give up"]):
                case "attach":
                    text = await self.texts.attach(work, "a.pdf", self.chance.choice(FILES))
                case "decide":
                    is_included = self.chance.random() < 0.5
                    text = await self.texts.decide(work, is_included=is_included, reason="old")
                case _:
                    await self.texts.give_up(work, "lost")
                    [text] = [t for paper, t in await self.texts.works() if paper.id == work]
        except InputError:  # there is no text to decide on, or one that is not given up
            return
        said = {i: word for i, word in self.words.items() if i not in merged}
        self.words = {**said, work: (text.status, text.digest)}

    async def check(self) -> None:
        works = await self.texts.works()
        for work, text in works:
            words = {self.words[i] for i in (work.id, *work.merged_from) if i in self.words}
            assert not words or (text.status, text.digest) in words
            assert text.digest or not any(digest for _, digest in words)
            assert text.decision or not any(status in DECIDED for status, _ in words)
        if await self.flow.pending("t") is not None:
            return
        flow = (await audit_of(self.persistence, "t", has_pictures=False)).flow
        assert disagreements(flow) == []
        count = [text.status for _, text in works].count
        if flow.full_texts is not None:
            assert flow.full_texts.sought == len(works)
            assert flow.full_texts.excluded == count(TextStatus.EXCLUDED)
            assert flow.full_texts.not_retrieved == count(TextStatus.NOT_RETRIEVED)
        excluded = {work.id for work, text in works if text.status is TextStatus.EXCLUDED}
        taken = {paper.id for paper in (await finished_collection(self.persistence, "t")).papers}
        assert not taken & excluded


DECIDED = {TextStatus.INCLUDED, TextStatus.EXCLUDED}


@examples(8, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(seed=st.integers(0, 2**32))
@example(seed=3)  # a merge in an approval, after a decision on one of the two
def test_the_last_word_on_a_full_text_stands(seed):
    async def walked(home: Path) -> None:
        persistence = await open_memory()
        person = Person(Random(seed), persistence, home)  # noqa: S311  # no secret is made of it
        await person.flow.start("insects in gardens", thread_id="t")
        await reply_to(person.flow, "t", "approve")
        for _ in range(12):
            await person.act()
            await person.check()

    with tempfile.TemporaryDirectory() as home:
        asyncio.run(walked(Path(home)))
