"""What a person decided on papers is in the result and its exports; the latest decision holds."""

import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from tests.answers import reply_to
from tests.examples import examples
from tests.workflow.doubles import at_result, workflow

from paper_search.exports import export, exporter_names
from paper_search.models import (
    MergeDecision,
    Paper,
    PaperCollection,
    ScreeningDecision,
    SearchMetadata,
    UserFeedback,
)
from paper_search.skills.result_organizer import by_score, facets_of
from paper_search.testing.skills import fake_strategy
from paper_search.threads.engine import open_memory
from paper_search.workflow import ThreadCatalog, results
from paper_search.workflow.marks import MarkStore, ScreeningMark, labels_by_paper
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.state import WorkflowState


def ids(papers: Sequence[Paper]) -> list[str]:
    return [paper.id for paper in papers]


async def test_every_export_says_what_was_decided_by_whom_when_why_and_the_note(url):
    flow = workflow(persistence=url)
    one, other = (await at_result(flow)).payload.collection.papers
    said = {
        "marked_relevant": [one.id],
        "marked_irrelevant": [other.id],
        "reasons": {other.id: "wrong population"},
    }
    answer = {"action": "approve", "revised_data": said}
    result = await reply_to(flow, "t", answer, by="ada")
    decisions = {paper.id: paper.screening for paper in result.every_paper}
    words = {one.id: "read twice"}, {one.id: ["for chapter 2"]}
    noted = results.with_decisions(result, decisions, *words)

    every = results.part_of(noted, decision="all", is_all=True)
    for name in exporter_names():
        assert written(every, name).count("for chapter 2") == 1, name
    for name in set(exporter_names()) - {"asreview", "rayyan"}:  # they have columns of their own
        for word in ("include", "exclude", "ada", result.papers[0].screening.decided_at[:10]):
            assert word in written(every, name), (name, word)
        assert "wrong population" in written(every, name), name
        assert "read twice" in written(every, name), name
        assert "wrong population" not in written(results.part_of(noted), name), name


def test_labels_of_papers_that_were_merged_are_on_the_one_that_is_left():
    marks = [
        ScreeningMark(paper_id="a", number=1, iteration=0, labels=["one", "two"]),
        ScreeningMark(paper_id="b", number=2, iteration=1, labels=["two", "three"]),
        ScreeningMark(paper_id="c", number=3, iteration=1),
    ]
    assert labels_by_paper(marks, {"b": "a"}) == {"a": ["one", "two", "three"]}


def written(collection: PaperCollection, name: str) -> str:
    """Return an export as text, a workbook by its cells."""
    content = export(collection, name)
    if isinstance(content, str):
        return content
    rows = load_workbook(io.BytesIO(content)).worksheets[0].iter_rows(values_only=True)
    return "\n".join("\t".join(str(cell) for cell in row) for row in rows)


papers_st = st.lists(
    st.builds(
        lambda n, score, year: Paper(
            id=f"p{n}", title=f"T{n}", authors=[], source="fake", relevance_score=score, year=year
        ),
        st.integers(0, 30),
        st.sampled_from([0.1, 0.5, 0.9]),
        st.sampled_from([2019, 2020]),
    ),
    max_size=12,
    unique_by=lambda paper: paper.id,
)


def collection_of(papers: list[Paper], set_aside: list[Paper]) -> PaperCollection:
    strategy = fake_strategy("x")
    total = len(papers) + len(set_aside)
    metadata = SearchMetadata(query="q", search_strategy=strategy, total_found=total)
    facets = facets_of(papers)
    return PaperCollection(metadata=metadata, papers=papers, facets=facets, set_aside=set_aside)


@examples(100)
@given(found=papers_st, extra=papers_st, cut=st.integers(0, 12), out=st.sets(st.integers(0, 30)))
def test_a_merged_result_agrees_with_itself(found, extra, cut, out):
    before = collection_of(sorted(found[:cut], key=by_score), found[cut:])
    kept = [paper for paper in extra if int(paper.id[1:]) not in out]
    decided = dict.fromkeys((f"p{n}" for n in out), ScreeningDecision(decision="exclude"))

    after = results.without_excluded(
        results.with_decisions(results.merge_papers(before, kept), decided, {})
    )

    assert after.facets == facets_of(after.papers)
    assert after.metadata.total_found == len(found)
    assert ids(after.papers) == ids(sorted(after.papers, key=by_score))
    every = ids([*after.papers, *after.set_aside])
    assert sorted(every) == sorted({*ids(found), *ids(kept)})
    assert {paper.decision for paper in after.papers} <= {"undecided"}
    assert {*ids(after.papers)} >= {*ids(kept)}


def test_a_mark_on_a_paper_that_was_merged_since_decides_on_the_one_that_it_is_now():
    made = [ScreeningMark(paper_id="b", number=1, iteration=0, is_relevant=False, reason="no data")]
    [(paper_id, said)] = results.decisions_on_papers(WorkflowState(), made, {"b": "a"}).items()
    assert (paper_id, said.decision, said.reason) == ("a", "exclude", "no data")


def test_taking_back_what_was_never_said_decides_nothing():
    made = [ScreeningMark(paper_id="a", number=1, iteration=0, is_taken_back=True)]
    assert results.decisions_on_papers(WorkflowState(), made, {}) == {}


async def test_what_was_said_of_a_pair_joins_the_answer_unless_that_says_otherwise():
    persistence = await open_memory()
    marks = MarkStore(SearchRecords(persistence.store, "t"))
    said = [MergeDecision(one="a", other="b", is_same=True)]
    await marks.say_same([*said, MergeDecision(one="c", other="d", is_same=True)], 0)
    answer = UserFeedback(merge_decisions=[MergeDecision(one="d", other="c", is_same=False)])

    feedback = await marks.with_saved_marks(answer, 0, frozenset())
    assert feedback.merge_decisions == [*answer.merge_decisions, *said]
    assert await marks.with_saved_marks(None, 1, frozenset()) is None


@pytest.mark.parametrize(("why", "expected"), [({"always": "too old"}, "too old"), ({}, "dull")])
async def test_the_reason_of_an_answer_counts_before_that_of_a_mark(persistence, why, expected):
    flow = workflow(persistence=persistence)
    await at_result(flow)
    session = ThreadCatalog(persistence).session("t")
    await session.mark(["always"], is_relevant=False, reason="dull")
    said = {"marked_irrelevant": ["always"], "reasons": why}
    result = await reply_to(flow, "t", {"action": "approve", "revised_data": said})
    assert [paper.screening.reason for paper in result.set_aside] == [expected]


async def test_what_is_taken_back_after_the_end_is_said_of_no_paper(persistence):
    flow = workflow(persistence=persistence)
    one, other = (await at_result(flow)).payload.collection.papers
    session = ThreadCatalog(persistence).session("t")
    await (await session.screening()).label(one, "for chapter 2")
    said = {"marked_relevant": [one.id], "marked_irrelevant": [other.id]}
    result = await reply_to(flow, "t", {"action": "approve", "revised_data": said})
    assert [paper.labels for paper in result.papers] == [["for chapter 2"]]
    await (await session.screening()).label(one, "for chapter 2")
    await session.mark([one.id, other.id], is_relevant=None)
    every = (await session.result()).every_paper
    assert [(paper.decision, paper.labels) for paper in every] == [("undecided", [])] * 2
