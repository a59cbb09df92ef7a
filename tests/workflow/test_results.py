"""What a person decided on papers is in the result and its exports; the latest decision holds."""

import io
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from tests.answers import reply_to
from tests.examples import examples
from tests.workflow.doubles import at_result, edit, workflow

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
from paper_search.testing.skills import ScriptedHandler, fake_strategy
from paper_search.threads.engine import open_memory
from paper_search.workflow import Decision, DecisionAction, results
from paper_search.workflow.marks import MarkStore, ScreeningMark, labels_by_paper
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.session import SearchSession
from paper_search.workflow.state import WorkflowState


def reviewer(*answers: dict[str, Any], ends_with: dict[str, Any] | None = None) -> ScriptedHandler:
    """Approve strategies, and give results one answer after the other before they are approved."""
    last = Decision(action=DecisionAction.APPROVE, revised_data=ends_with)
    return ScriptedHandler(chain(*(("approve", edit(said)) for said in answers), ("approve", last)))


def relevant(*ids: str) -> dict[str, Any]:
    return UserFeedback(marked_relevant=list(ids)).model_dump()


def irrelevant(*ids: str, **reasons: str) -> dict[str, Any]:
    return UserFeedback(marked_irrelevant=list(ids), reasons=reasons).model_dump()


async def found_after(*answers: dict[str, Any], ends_with: Any = None) -> PaperCollection:
    return await workflow(handler=reviewer(*answers, ends_with=ends_with)).run("q")


def ids(papers: Sequence[Paper]) -> list[str]:
    return [paper.id for paper in papers]


async def test_a_paper_decided_irrelevant_leaves_the_result_and_stands_aside():
    found = await found_after(irrelevant("always", always="no trial"))

    assert ids(found.papers) == ["only-round_1"]
    (left,) = found.set_aside
    assert left.id == "always"
    assert left.decision == "excluded"
    assert left.screening.reason == "no trial"
    assert found.metadata.total_found == 2
    assert found.facets.by_year == {2021: 1}


async def test_a_mark_given_with_the_approval_counts_as_any_other():
    found = await found_after(ends_with=irrelevant("only-round_0"))
    assert ids(found.papers) == ["always"]
    assert ids(found.set_aside) == ["only-round_0"]


@pytest.mark.parametrize(
    ("first", "then"), [(relevant, irrelevant), (irrelevant, relevant)], ids=["out", "in"]
)
async def test_the_latest_decision_on_a_paper_of_an_earlier_round_holds(first, then):
    is_in = then is relevant
    found = await found_after(first("only-round_0", "always"), then("always"))
    assert ("always" in ids(found.papers)) is is_in

    # This one is found by the first round only, so it is there for its mark alone.
    found = await found_after(relevant("only-round_0"), then("only-round_0"))
    assert ("only-round_0" in ids(found.papers)) is is_in


async def test_a_mark_that_is_taken_back_later_says_nothing():
    taken_back = UserFeedback(unmarked=["always", "only-round_0"]).model_dump()
    marked = UserFeedback(marked_relevant=["only-round_0"], marked_irrelevant=["always"])
    found = await found_after(marked.model_dump(), taken_back)
    assert ids(found.papers) == ["always", "only-round_2"]
    assert {paper.decision for paper in found.papers} == {"undecided"}


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
    noted = results.with_decisions(result, {}, {one.id: "read twice"}, {one.id: ["for chapter 2"]})

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


async def test_labels_hold_in_all_rounds_and_come_with_the_result():
    flow = workflow(persistence=(persistence := await open_memory()))
    await at_result(flow)
    screening = await SearchSession.on(persistence, "t").screening()
    await screening.label(screening.papers[0], "for chapter 2")
    await reply_to(flow, "t", {"action": "reject", "note": "more"})
    await reply_to(flow, "t", "approve")
    result = await reply_to(flow, "t", "approve")
    assert {paper.id: paper.labels for paper in result.papers if paper.labels} == {
        screening.papers[0].id: ["for chapter 2"]
    }


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


@examples(100)
@given(
    found=papers_st,
    cut=st.integers(0, 12),
    out=st.sets(st.integers(0, 30)),
    decision=st.sampled_from([None, "all", "included", "excluded", "undecided"]),
    is_all=st.booleans(),
)
def test_the_facets_of_a_part_count_its_papers(found, cut, out, decision, *, is_all):
    decided = dict.fromkeys((f"p{n}" for n in out), ScreeningDecision(decision="exclude"))
    before = collection_of(found[:cut], found[cut:])
    whole = results.without_excluded(results.with_decisions(before, decided, {}))
    part = results.part_of(whole, decision=decision, is_all=is_all)
    assert part.facets == facets_of(part.papers)


@given(found=papers_st, extra=papers_st)
@examples(100)
def test_a_result_in_the_order_of_ranks_keeps_it_when_papers_are_added(found, extra):
    by_rank = sorted(found, key=by_score, reverse=True)
    after = results.merge_papers(collection_of(by_rank, []), extra)
    if [by_score(paper) for paper in by_rank] != sorted(map(by_score, by_rank)):
        assert ids(after.papers)[: len(found)] == ids(by_rank)


async def test_a_later_note_on_a_merged_paper_does_not_hide_the_verdict_on_it():
    persistence = await open_memory()
    records = SearchRecords(persistence.store, "t")
    await records.put("members", {"b": {"work": "a"}})
    marks = MarkStore(persistence.store, "t")
    await marks.say(["a"], 0, is_relevant=True)
    await marks.put(ScreeningMark(paper_id="b", number=2, iteration=0, note="odd"))

    [mark], _ = await marks.of_round(0)
    assert (mark.paper_id, mark.is_relevant) == ("a", True)


def test_a_mark_on_a_paper_that_was_merged_since_decides_on_the_one_that_it_is_now():
    made = [ScreeningMark(paper_id="b", number=1, iteration=0, is_relevant=False, reason="no data")]
    [(paper_id, said)] = results.decisions_on_papers(WorkflowState(), made, {"b": "a"}).items()
    assert (paper_id, said.decision, said.reason) == ("a", "exclude", "no data")


def test_taking_back_what_was_never_said_decides_nothing():
    made = [ScreeningMark(paper_id="a", number=1, iteration=0, is_taken_back=True)]
    assert results.decisions_on_papers(WorkflowState(), made, {}) == {}


async def test_what_was_said_of_a_pair_joins_the_answer_unless_that_says_otherwise():
    persistence = await open_memory()
    marks = MarkStore(persistence.store, "t")
    said = [MergeDecision(one="a", other="b", is_same=True)]
    await marks.say_same([*said, MergeDecision(one="c", other="d", is_same=True)], 0)
    answer = UserFeedback(merge_decisions=[MergeDecision(one="d", other="c", is_same=False)])

    feedback = await marks.with_saved_marks(answer, 0, frozenset())
    assert feedback.merge_decisions == [*answer.merge_decisions, *said]
    assert await marks.with_saved_marks(None, 1, frozenset()) is None
