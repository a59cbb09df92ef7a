"""Which records are one work: asked at the result, remembered, and carried out."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from tests.answers import reply_to
from tests.workflow import doubles
from tests.workflow.doubles import at_result

from paper_search import models
from paper_search.skills import Deduplicator, RelevanceScorer, ResultOrganizer
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import open_memory
from paper_search.workflow import CheckpointKind, SearchWorkflow
from paper_search.workflow.session import SearchSession
from paper_search.workflow.skills import Skills

ALIKE = models.RawPaper(
    id="alike",
    title="Deep learning for molecular property prediction",
    authors=[models.Author(name="Ann Smith")],
    year=2019,
    venue="NeurIPS",
    source="one",
)
AGAIN = models.RawPaper(
    id="again",
    title="Deep learning for molecular properties prediction",
    authors=[models.Author(name="Smith, A.")],
    year=2017,
    venue="J. Chem.",
    source="two",
)
OTHER = models.RawPaper(id="other", title="Bacteria in the deep sea", year=2001, source="one")
MERGED = [
    models.RawPaper(
        id=f"copy{n}",
        title="One and the same paper on graphs",
        authors=[models.Author(name="Bo Li")],
        year=2020,
        doi="10.1000/same",
        source=f"s{n}",
    )
    for n in (1, 2)
]


def merging(skills: FakeSkills, **options: Any) -> SearchWorkflow:
    return doubles.workflow(skills, deduplicator=Deduplicator(), **options)


def same(one: str, other: str, *, is_same: bool = True) -> dict[str, object]:
    return {"merge_decisions": [{"one": one, "other": other, "is_same": is_same}]}


SPLIT = same("copy1", "copy2", is_same=False)


class Graded(FakeSkills):
    """Grades the first paper, and fails at the others."""

    async def score(
        self, papers: list[models.RawPaper], intent: models.ParsedIntent
    ) -> list[models.ScoredPaper]:
        first, *others = await super().score(papers, intent)
        grade = models.Grade(
            criterion=models.Criterion(text="on molecules"), grade=2, snippet="Deep learning"
        )
        failed = {"is_judged": False, "unjudged_because": "the model was busy"}
        unjudged = [verdict.model_copy(update=failed) for verdict in others]
        return [first.model_copy(update={"grades": [grade]}), *unjudged]


@pytest.mark.parametrize(
    ("records", "decision", "works", "grades"),
    [
        ((ALIKE, AGAIN, OTHER), same("alike", "again"), ["again alike", "other"], [1, 0]),
        ((*MERGED, OTHER), SPLIT, ["copy1", "copy2", "other"], [0, 0, 0]),
        ((OTHER, *MERGED), SPLIT, ["other", "copy1", "copy2"], [1, 0, 0]),
    ],
    ids=["merged", "split", "unjudged split"],
)
async def test_place_and_verdict_stay_with_papers_merged_or_split(records, decision, works, grades):
    search = merging(Graded(lambda _strategy: records))
    await at_result(search)
    result = await reply_to(search, "t", {"action": "approve", "revised_data": decision})
    assert [" ".join(sorted(paper.merged_from or [paper.id])) for paper in result.papers] == works
    assert {paper.relevance_score for paper in result.papers} == {0.8}
    assert [len(paper.grades) for paper in result.papers] == grades
    assert all(paper.is_judged or paper.unjudged_because for paper in result.papers)
    assert [paper.is_judged for paper in result.papers] == [bool(count) for count in grades]


async def test_the_last_step_can_be_repeated_after_a_split():
    """PER-01: a crash repeats the step in flight and changes nothing in the end."""
    fake = FakeSkills(lambda _strategy: [*MERGED, OTHER])
    persistence = await open_memory()
    search = merging(fake, persistence=persistence)
    await at_result(search)
    result = await reply_to(search, "t", {"action": "approve", "revised_data": SPLIT})
    skills = Skills(fake, fake, fake, Deduplicator(), fake, fake)
    graph = SearchSession.graph(persistence, skills)
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    history = [entry async for entry in graph.aget_state_history(thread)]
    before = next(entry for entry in history if entry.next == ("finish",))
    again = await graph.ainvoke(None, before.config)
    repeated = models.PaperCollection.model_validate(again["collection"])
    assert repeated == result
    assert len(repeated.papers) == repeated.metadata.total_found == 3


async def test_what_a_fork_takes_back_merges_no_records():
    """The marks that were given before stay with their papers."""
    search = merging(FakeSkills(lambda _strategy: (ALIKE, OTHER)))
    await at_result(search)
    marks = {"marked_relevant": ["alike"], "marked_irrelevant": ["other"]}
    for answer in (marks, "approve", same("alike", "other"), "approve"):
        is_edit = isinstance(answer, dict)
        decision = {"action": "edit", "revised_data": answer} if is_edit else answer
        await reply_to(search, "t", decision)
    again = await search.fork("t", CheckpointKind.RESULT_REVIEW, 1)
    assert again.payload.earlier_marks == {"alike": True, "other": False}
    result = await reply_to(search, "t", "approve")
    decisions = {paper.id: paper.decision for paper in result.every_paper}
    assert decisions == {"alike": "included", "other": "excluded"}


@pytest.mark.parametrize("marked", ["alike", "again"])
async def test_a_question_counts_what_was_said_of_a_paper_that_was_merged(marked):
    skills = FakeSkills(lambda _strategy: (ALIKE, AGAIN, OTHER))
    own = {"relevance_scorer": RelevanceScorer(), "result_organizer": ResultOrganizer()}
    search = merging(skills, **own)
    await at_result(search)
    said = {"marked_irrelevant": [marked], **same("alike", "again")}
    await reply_to(search, "t", {"action": "edit", "revised_data": said})
    payload = (await reply_to(search, "t", "approve")).payload
    [work] = [p.id for p in payload.collection.every_paper if p.id != "other"]
    assert payload.earlier_marks == {work: False}
    assert payload.excluded == [p.id for p in payload.collection.set_aside].count(work)
    assert work not in [paper.id for paper in payload.collection.papers]


@pytest.mark.parametrize("marked", [["alike"], ["again"], ["alike", "again"]])
async def test_a_paper_that_was_kept_and_merged_since_is_shown_once_as_what_it_is_now(marked):
    search = merging(FakeSkills(lambda _strategy: (ALIKE, AGAIN, OTHER)))
    await at_result(search)
    said = {"marked_relevant": marked, **same("alike", "again")}
    await reply_to(search, "t", {"action": "edit", "revised_data": said})
    payload = (await reply_to(search, "t", "approve")).payload
    [work] = [p.id for p in payload.collection.every_paper if p.id != "other"]
    assert [paper.id for paper in payload.accumulated_papers] == [work]


@pytest.mark.parametrize("marked", ["alike", "again"])
async def test_a_decision_goes_back_to_its_own_record_when_its_paper_is_split(marked):
    search = merging(FakeSkills(lambda _strategy: (ALIKE, AGAIN, OTHER)))
    await at_result(search)
    said = {"marked_relevant": [marked], **same("alike", "again")}
    await reply_to(search, "t", {"action": "edit", "revised_data": said})
    await reply_to(search, "t", "approve")
    split = {"one": "alike", "other": "again", "is_same": False}
    approval = {"action": "approve", "revised_data": {"merge_decisions": [split]}}
    result = await reply_to(search, "t", approval)
    assert [p.id for p in result.every_paper if p.decision == "included"] == [marked]


async def test_an_excluded_work_that_no_later_round_found_has_all_its_records():
    found = [[*MERGED, OTHER], [OTHER]]
    organizer = ResultOrganizer()
    search = merging(FakeSkills(lambda _strategy: found.pop(0)), result_organizer=organizer)
    first = (await at_result(search)).payload.collection.papers
    [work] = [paper for paper in first if paper.merged_from]
    excluded = {"action": "edit", "revised_data": {"marked_irrelevant": [work.id]}}
    await reply_to(search, "t", excluded)
    collection = (await reply_to(search, "t", "approve")).payload.collection
    assert [paper.merged_from for paper in collection.set_aside] == [work.merged_from]
