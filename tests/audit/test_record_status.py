"""Whatever people and sources do on a thread, every record has one status, and all sums agree."""

import asyncio
import contextlib
import csv
import io
from collections import Counter
from random import Random
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from tests.audit.doubles import disagreements
from tests.examples import examples

from paper_search.audit import audit_of
from paper_search.errors import StaleDecisionError
from paper_search.models import ParsedIntent, RawPaper, ScoredPaper, SearchStrategy, Sighting
from paper_search.persistence import Persistence
from paper_search.skills import Deduplicator, RelevanceScorer, ResultOrganizer
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, CheckpointKind, Decision, SearchWorkflow
from paper_search.workflow.checkpoints import ResultPayload
from paper_search.workflow.counts import RoundCounts
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.records import SearchRecords

TITLES = ["Bees that dance", "Wasps which sing", "Ants who march", "Moths that sleep"]


def record(number: int, source: str) -> RawPaper:
    """Return the record that a source has under a number: the same in every round."""
    title = (number * 3 + ord(source)) % len(TITLES)
    return RawPaper(
        id=f"{source}{number}",
        title=TITLES[title],
        authors=[],
        source=source,
        year=2020,
        doi=f"10.1000/{title}" if number % 2 else None,
        sightings=[Sighting(source=source, query="q", rank=number + 1)],
    )


class DrawnSkills(FakeSkills):
    """Finds and judges what was drawn, round by round."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance

    async def search(self, strategy: SearchStrategy) -> list[RawPaper]:
        del strategy
        chance = self.chance
        return [
            record(chance.randrange(5), chance.choice("abc")) for _ in range(chance.randint(1, 8))
        ]

    async def score(self, papers: list[RawPaper], intent: ParsedIntent) -> list[ScoredPaper]:
        del intent
        return [
            ScoredPaper(
                paper=paper,
                relevance_score=self.chance.choice([0.1, 0.5, 0.9]),
                relevance_reason="",
                is_judged=self.chance.random() < 0.7,
            )
            for paper in papers
        ]


async def thread(chance: Random) -> tuple[Persistence, RoundCounts | None]:
    """Drive a thread with random answers and marks, and leave it at a random place.

    Return the counts that it shows there, too.
    """
    persistence = await open_memory()
    drawn = DrawnSkills(chance)
    scorer = chance.choice([drawn, RelevanceScorer()])
    found = (drawn, drawn, drawn, Deduplicator(), scorer, ResultOrganizer())
    limit = chance.choice([None, 1, 2, 3])
    workflow = SearchWorkflow(*found, max_iterations=3, max_results=limit, persistence=persistence)
    asked = await workflow.start("insects", thread_id="t")
    for _ in range(chance.randrange(8)):
        if not isinstance(asked, Checkpoint):
            break
        await mark(chance, persistence, asked)
        asked = await workflow.answer("t", answer(chance, asked))
    if chance.random() < 0.3:
        with contextlib.suppress(StaleDecisionError):  # nothing was decided yet
            await workflow.fork("t", chance.choice(list(CheckpointKind)))
            return persistence, None
    is_shown = isinstance(asked, Checkpoint) and isinstance(asked.payload, ResultPayload)
    return persistence, asked.payload.counts if is_shown else None


async def mark(chance: Random, persistence: Persistence, asked: Checkpoint) -> None:
    known = await SearchRecords(persistence.store, "t").rows("judgements")
    chosen = chance.sample(sorted(known), min(len(known), chance.randrange(3)))
    said = chance.choice([None, True, False])
    await MarkStore(SearchRecords(persistence.store, "t")).say(
        chosen, asked.iteration, is_relevant=said
    )


def answer(chance: Random, asked: Checkpoint) -> Decision:
    is_result = asked.kind is CheckpointKind.RESULT_REVIEW
    action = chance.choice(["approve", "edit", "reject"] if is_result else ["approve"])
    given: dict[str, Any] = {"action": action, "checkpoint": asked.reference}
    if is_result:
        collection = asked.payload.collection
        papers = [paper.id for paper in collection.papers]
        said = chance.sample(papers, min(len(papers), chance.randrange(5)))
        cut = chance.randrange(len(said) + 1)
        relevant, irrelevant = said[:cut], said[cut:]
        given["revised_data"] = {"marked_relevant": relevant, "marked_irrelevant": irrelevant}
        members = [i for paper in collection.papers for i in paper.merged_from or [paper.id]]
        if len(members) > 1 and chance.random() < 0.5:
            one, other = chance.sample(members, 2)
            pair = {"one": one, "other": other, "is_same": chance.random() < 0.5}
            given["revised_data"]["merge_decisions"] = [pair]
    return Decision.model_validate(given)


@examples(40)
@example(seed=524)
@example(seed=627976)
@example(seed=1673)
@given(seed=st.integers(0, 2**32))
def test_every_record_has_one_status_and_all_sums_agree(seed):
    async def checked() -> None:
        persistence, shown = await thread(Random(seed))  # noqa: S311  # no secret is made of it
        stored = await SearchRecords(persistence.store, "t").rows("records")
        audit = await audit_of(persistence, "t", has_pictures=False)
        rows = list(csv.DictReader(io.StringIO(audit.files["records.csv"].decode())))
        assert {row["id"] for row in rows} == set(stored)
        flow, every = audit.flow, rows
        rows = [row for row in every if row["round"] or row["status"] in {"included", "excluded"}]
        count = Counter(row["status"] for row in rows)
        assert disagreements(flow) == []
        assert shown is None or flow.rounds[-1] == shown
        assert (flow.identified, flow.outside_rounds) == (len(rows), len(every) - len(rows))
        log = list(csv.DictReader(io.StringIO(audit.files["search_log.csv"].decode())))
        for column, counts in (
            ("received", [item.arrived for item in flow.rounds]),
            ("new_records", [item.first_found for item in flow.rounds]),
            ("new_works", [item.new_works for item in flow.rounds]),
        ):
            assert sum(int(row[column]) for row in log) == sum(counts)
        assert flow.duplicates == count["duplicate"]
        kept = {row["kept_as"] for row in rows}
        assert flow.works == len(kept) == sum(row["status"] != "duplicate" for row in rows)
        assert {row["id"] for row in rows if row["status"] != "duplicate"} == kept
        collection = audit.thread.collection
        decided = [*collection.papers, *collection.set_aside] if collection else []
        kept_as = {row["id"]: row["kept_as"] for row in rows}
        for status in ("included", "excluded"):
            ids = {paper.id for paper in decided if paper.decision == status}
            assert {kept_as[i] for i in ids} == ids
            assert count[status] >= len(ids)
        assert (await audit_of(persistence, "t", has_pictures=False)).files == audit.files

    asyncio.run(checked())
