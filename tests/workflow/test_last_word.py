"""Whatever is answered, marked, updated and gone back from, the last word on a paper stands."""

import asyncio
import contextlib
from random import Random
from typing import Any

from hypothesis import Phase, example, given
from hypothesis import strategies as st
from tests.answers import reply_to
from tests.audit.doubles import disagreements
from tests.examples import examples
from tests.workflow.doubles import workflow

from paper_search.audit import audit_of
from paper_search.errors import StaleDecisionError
from paper_search.models import RawPaper, SearchStrategy
from paper_search.persistence import Persistence
from paper_search.review import update_review
from paper_search.skills import RelevanceScorer, ResultOrganizer
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, CheckpointKind, SearchWorkflow, ThreadCatalog

STATUS = {True: "included", False: "excluded"}


def records(strategy: SearchStrategy) -> list[RawPaper]:
    """Return two papers of every round, and one of each round's own."""
    names = ["wasps", "bees", strategy.queries[0].boolean_query]
    return [RawPaper(id=name, title=f"On {name}", source="fake") for name in names]


class Person:
    """Says something of papers, and remembers it: `position` is None where no answer said it."""

    def __init__(self, chance: Random, flow: SearchWorkflow, persistence: Persistence) -> None:
        self.chance, self.flow, self.persistence = chance, flow, persistence
        self.words: list[tuple[tuple[int, bool, int] | None, dict[str, bool | None]]] = []

    @property
    def last_words(self) -> dict[str, bool | None]:
        return {i: verdict for _, said in self.words for i, verdict in said.items()}

    def words_on(self, papers: list[Any]) -> dict[str, bool | None]:
        ids = self.chance.sample([paper.id for paper in papers], min(len(papers), 2))
        return {i: self.chance.choice([True, False, None]) for i in ids}

    async def act(self) -> None:
        asked = await self.flow.pending("t")
        action = self.chance.choice(["approve", "approve", "edit", "reject", "mark", "fork"])
        if action == "fork":
            await self.go_back()
        elif asked is None:
            await update_review(self.flow, "t")
        elif asked.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            await reply_to(
                self.flow, "t", {"action": "reject" if action == "reject" else "approve"}
            )
        else:
            said = self.words_on(asked.payload.collection.every_paper)
            is_saved = action == "mark"
            await (self.save(said) if is_saved else self.answer(action, said))
            self.words.append((None if is_saved else asked.reference.position, said))

    async def save(self, said: dict[str, bool | None]) -> None:
        session = ThreadCatalog(self.persistence).session("t")
        for paper_id, verdict in said.items():
            await session.mark([paper_id], is_relevant=verdict)

    async def answer(self, action: str, said: dict[str, bool | None]) -> None:
        names = {True: "marked_relevant", False: "marked_irrelevant", None: "unmarked"}
        marks = {name: [i for i in said if said[i] is word] for word, name in names.items()}
        await reply_to(self.flow, "t", {"action": action, "revised_data": marks})

    async def go_back(self) -> None:
        """Take the answers from a question on back; what was saved stays."""
        with contextlib.suppress(StaleDecisionError):  # it was never decided
            kind, round_ = self.chance.choice(list(CheckpointKind)), self.chance.choice([None, 0])
            again = await self.flow.fork("t", kind, round_)
            assert isinstance(again, Checkpoint)
            first = again.reference.position
            self.words = [(at, said) for at, said in self.words if at is None or at < first]


# What fails is short as it is drawn; to look for something shorter takes minutes.
@examples(15, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(seed=st.integers(0, 2**32))
@example(seed=99)  # marks of a round that a fork left, then an answer
def test_the_last_word_on_a_paper_stands(seed):
    async def walked() -> None:
        persistence, fake, chance = await open_memory(), FakeSkills(records), Random(seed)  # noqa: S311  # no secret is made of it
        scorer = chance.choice([fake, RelevanceScorer()])
        found = {"relevance_scorer": scorer, "result_organizer": ResultOrganizer()}
        flow = workflow(fake, max_iterations=9, persistence=persistence, **found)
        await flow.start("bees and wasps", thread_id="t")
        person = Person(chance, flow, persistence)
        for _ in range(10):
            await person.act()
            audit = await audit_of(persistence, "t", has_pictures=False)
            assert disagreements(audit.flow) == []
            status = {row.kept_as: row.status.value for row in audit.records if not row.is_again}
            decided = {i: said for i, said in status.items() if said in STATUS.values()}
            said = person.last_words
            assert decided == {i: STATUS[word] for i, word in said.items() if word is not None}
            collection = await ThreadCatalog(persistence).session("t").result()
            shown = {paper.id: paper.decision for paper in collection.papers} if collection else {}
            assert {i for i, word in said.items() if word} <= {*shown} or collection is None
            assert "excluded" not in shown.values()

    asyncio.run(walked())
