"""Filtering and counting the papers of a result."""

import pytest

from paper_search.models import (
    Author,
    Paper,
    PaperCollection,
    PaperTag,
    SearchMetadata,
    UserFeedback,
)
from paper_search.models.query import SearchStrategy
from paper_search.web.readings import PAGE, Choice, ResultIndex
from paper_search.web.results_view import decisions_of
from paper_search.workflow.marks import ScreeningMark
from paper_search.workflow.results import decisions_on_papers
from paper_search.workflow.state import IterationRecord, WorkflowState


def paper(number: int, **fields: object) -> Paper:
    given = {"title": f"Paper {number}", "authors": [Author(name="Ada Li")], "source": "library"}
    return Paper.model_validate({"id": f"p{number}", **given, **fields})


def index(papers: list[Paper], set_aside: list[Paper] = ()) -> ResultIndex:
    strategy = SearchStrategy(queries=[], sources=[])
    metadata = SearchMetadata(query="q", search_strategy=strategy, total_found=len(papers))
    return ResultIndex(PaperCollection(metadata=metadata, papers=papers, set_aside=list(set_aside)))


PAPERS = [
    paper(1, year=2020, venue="Nature", abstract="Protein folding", tags=[PaperTag.METHOD]),
    paper(2, year=2021, venue="BMJ", abstract="A trial of folding chairs", citation_count=9),
    paper(3, year=2021, venue="Nature", is_judged=False),
    paper(4, venue="BMJ", citation_count=2),
]


@pytest.mark.parametrize(
    ("choice", "ids"),
    [
        ({}, "1 2 3 4"),
        ({"text": "FOLDING"}, "1 2"),
        ({"text": "folding protein"}, "1"),
        ({"text": "ada"}, "1 2 3 4"),
        ({"venue": "BMJ"}, "2 4"),
        ({"year_from": "2021"}, "2 3"),
        ({"year_to": "2020"}, "1"),
        ({"tag": "method"}, "1"),
        ({"decision": "included"}, "2"),
        ({"decision": "undecided"}, "1 3 4"),
        ({"part": "unjudged"}, "3"),
        ({"part": "new"}, "4"),
        ({"part": "aside"}, "5"),
        ({"sort": "citations"}, "2 4 1 3"),
        ({"sort": "newest"}, "2 3 1 4"),
        ({"venue": "BMJ", "year_from": "2021"}, "2"),
        ({"year_from": "about 2021", "page": "-3", "sort": "no such", "part": "none"}, "1 2 3 4"),
    ],
)
def test_a_choice_leaves_the_papers_that_meet_all_of_it(choice, ids):
    found = index(PAPERS, [paper(5)]).select(Choice.parse(choice), {"p2": "included"}, ["p4"])
    assert [work.id for work in found.papers] == [f"p{number}" for number in ids.split()]
    assert found.total == len(found.papers)


def test_spellings_of_a_venue_are_one_in_the_filter():
    papers = [paper(n, venue=name) for n, name in enumerate(("BMJ", "iccv", "ICCV", "iccv"))]
    found = index(papers).select(Choice.parse({"venue": "iccv"}), {})
    assert [work.id for work in found.papers] == ["p1", "p2", "p3"]
    assert found.facets["venue"] == [("iccv", 3), ("BMJ", 1)]


def test_labels_are_a_facet_of_what_was_given_last_or_came_with_the_paper():
    papers = [paper(1, labels=["old"]), paper(2, labels=["old"]), paper(3)]
    labels = {"p2": ["new"], "p3": ["new", "trial"]}
    found = index(papers).select(Choice.parse({"label": "new"}), {}, (), labels)
    assert [work.id for work in found.papers] == ["p2", "p3"]
    assert found.facets["label"] == [("new", 2), ("old", 1), ("trial", 1)]


def test_a_facet_counts_what_each_of_its_values_would_leave():
    found = index(PAPERS).select(Choice(venue="BMJ", year_from=2021), {"p2": "included"})
    assert found.facets["venue"] == [("BMJ", 1), ("Nature", 1)]
    assert found.facets["decision"] == [("included", 1)]
    assert found.years == {2021: 1}


def test_a_page_beyond_the_last_is_the_last():
    many = [paper(number) for number in range(PAGE + 3)]
    found = index(many).select(Choice(page=9), {})
    assert (found.first, found.pages, len(found.papers)) == (PAGE + 1, 2, 3)


@pytest.mark.parametrize(
    ("choice", "is_filtered"),
    [
        ({}, False),
        ({"part": "aside", "sort": "newest", "page": "2"}, False),
        ({"text": "bees"}, True),
        ({"year_to": "2020"}, True),
        ({"decision": "undecided"}, True),
    ],
)
def test_an_order_and_a_part_are_no_filter(choice, is_filtered):
    assert Choice.parse(choice).is_filtered is is_filtered


def test_the_list_says_of_papers_what_stands():
    round_ = IterationRecord(
        iteration=0,
        strategy=SearchStrategy(queries=[], sources=[]),
        result_count=4,
        feedback=UserFeedback(marked_relevant=["a", "b", "c", "e"]),
    )
    state = WorkflowState(history=[round_], current_iteration=1)
    marks = [
        ScreeningMark(paper_id="a", number=1, iteration=0, is_relevant=False),
        ScreeningMark(paper_id="b", number=2, iteration=1, is_taken_back=True),
        ScreeningMark(paper_id="c", number=3, iteration=1, is_skipped=True),
        ScreeningMark(paper_id="d", number=4, iteration=1, is_relevant=False),
        ScreeningMark(paper_id="e", number=5, iteration=0, is_skipped=True),
        ScreeningMark(paper_id="f", number=6, iteration=0, is_skipped=True),
    ]
    stands = {"a": "included", "c": "maybe", "d": "excluded", "e": "included", "f": "maybe"}
    assert decisions_of(state, marks, decisions_on_papers(state, marks, {})) == stands
