"""What a person said of sources holds for the strategies that are proposed after it."""

import pytest

from paper_search.models import SearchConstraints, SearchQuery, SearchStrategy, UserFeedback
from paper_search.workflow.proposals import within_limits
from paper_search.workflow.state import EditRecord, IterationRecord, SearchParams, WorkflowState


def strategy(*sources: str) -> SearchStrategy:
    query = SearchQuery(keywords=["moss"], boolean_query="moss")
    return SearchStrategy(queries=[query], sources=list(sources), filters=SearchConstraints())


def a_round(*sources: str, proposed: str = "", note: str | None = None) -> IterationRecord:
    """Return a round with these sources, for which a person was proposed others."""
    edit = EditRecord(proposed=strategy(*proposed.split())) if proposed else None
    feedback = UserFeedback(free_text_feedback=note)
    return IterationRecord(
        iteration=0, strategy=strategy(*sources), edit=edit, result_count=1, feedback=feedback
    )


TAKEN_OUT = {"proposed": "arxiv crossref europe_pmc"}


@pytest.mark.parametrize(
    ("history", "sources"),
    [
        ([a_round("arxiv", **TAKEN_OUT)], ["arxiv"]),
        ([a_round("arxiv", **TAKEN_OUT), a_round("arxiv", note="more")], ["arxiv"]),
        ([a_round("arxiv", **TAKEN_OUT, note="no Crossref please")], ["arxiv"]),
        (
            [a_round("arxiv", **TAKEN_OUT), a_round("arxiv", "crossref", proposed="arxiv")],
            ["arxiv", "crossref"],
        ),
        ([a_round("arxiv", note="more")], ["arxiv", "crossref", "europe_pmc"]),
    ],
)
def test_a_source_that_a_person_took_out_comes_back_only_by_an_edit(history, sources):
    state = WorkflowState(history=history)
    proposal = within_limits(strategy("arxiv", "crossref", "europe_pmc"), SearchParams(), state)
    assert proposal.sources == sources
    assert bool(proposal.notes) == (len(sources) < 3)


def test_where_no_source_is_left_those_of_the_round_before_stay():
    state = WorkflowState(history=[a_round("arxiv", proposed="arxiv crossref")])
    proposal = within_limits(strategy("crossref"), SearchParams(), state)
    assert proposal.sources == ["arxiv"]
    assert proposal.notes == [
        "left out: crossref, which you removed; edit the sources to restore it"
    ]
