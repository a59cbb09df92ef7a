"""What a report opens with: the verdict, the counts behind it, the table, who agrees."""

import pytest
from tests.report.sources import report_on, source

from paper_search.report.evidence import result_of
from paper_search.report.models import SearchResult
from paper_search.report.outputs.layout import kind_of, population_of
from paper_search.report.outputs.markdown import render_markdown
from paper_search.testing.reports import report_papers

QUESTION = "Does zinc shorten colds?"
YES = "Zinc shortened colds by two days"
NO = "Zinc did not shorten colds"


async def opened(*sources: SearchResult):
    return (await report_on(QUESTION, *sources)).opening


def said(name: str, text: str, title: str = "Zinc and colds"):
    return source(name, f"{text} in this trial of lozenges.", title=title)


@pytest.mark.parametrize(
    ("sources", "verdict"),
    [
        ([said("Rowan", YES), said("Birch", YES)], "Yes: two sources say yes, none says no."),
        ([said("Rowan", NO), said("Birch", NO)], "No: two sources say no, none says yes."),
        (
            [said("Rowan", YES), said("Birch", NO)],
            "Cannot be decided: one source says yes and one source says no.",
        ),
        ([said("Rowan", YES)], "Cannot be decided: only one source says yes."),
        (
            [said("Rowan", "Zinc is a metal")],
            "Cannot be decided: no sentence that was found says yes or no.",
        ),
    ],
)
async def test_a_question_of_yes_or_no_gets_a_verdict_only_from_two_that_agree(sources, verdict):
    assert (await opened(*sources)).verdict == verdict


async def test_titles_alone_answer_nothing_and_the_report_says_so_and_is_short():
    report = await report_on(
        "How do zinc lozenges act?", source("Rowan", "", title="How zinc lozenges act")
    )
    assert report.opening.verdict == "Cannot be answered from the sources that were found."
    assert "none of them with a text to read" in report.opening.counts
    assert report.metadata["word_count"] < 500
    assert "## Evidence" not in render_markdown(report)


async def test_a_report_opens_with_the_answer_then_the_evidence_then_who_agrees():
    report = await report_on(QUESTION, said("Rowan", YES), said("Birch", NO))
    text = render_markdown(report)
    order = [
        "# Does zinc shorten colds",
        "> **Cannot be decided",
        "> Behind this: two sources, two of them with a text to read",
        "- [Evidence](#evidence)",
        "## Evidence",
        "| Study | Year | Kind | Studied | Says | In its words |",
        "## Agreement and disagreement",
        "- **Yes:** one source (Rowan, 2020).",
        "- **No:** one source (Birch, 2020).",
        "## Abstract",
        "## References",
    ]
    places = [text.find(words) for words in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


async def test_each_row_of_the_evidence_has_the_study_and_its_own_sentence():
    report = await report_on(
        QUESTION,
        source(
            "Rowan",
            f"In a randomised placebo-controlled trial, 120 children took zinc. {YES}.",
            title="Zinc and colds",
        ),
        said("Birch", YES),
    )
    text = render_markdown(report)
    assert f"| Rowan | 2020 | randomised trial | 120 children | yes | “{YES}” |" in text


async def test_adults_and_children_are_counted_apart():
    report = await report_on(
        QUESTION,
        said("Rowan", f"{YES} in children"),
        said("Birch", "Zinc did not shorten colds in adults"),
    )
    text = render_markdown(report)
    assert "- Of children: one source yes, no sources no." in text
    assert "- Of adults: no sources yes, one source no." in text


async def test_of_an_open_question_each_part_is_answered_in_front_or_said_to_be_open():
    report = await report_on(
        "How do trees cool streets?",
        source("Rowan", "Trees cool streets by the shade of their leaves.", title="Trees"),
    )
    text = render_markdown(report)
    front = text.partition("## Evidence")[0]
    assert "**The sources answer" in front
    assert "“Trees cool streets by the shade of their leaves” (Rowan, 2020)" in front
    assert "Not answered by the sources found." in front


def test_a_study_is_named_by_its_own_words():
    kinds = [kind_of(result_of(paper, "q1")) for paper in report_papers()]
    assert kinds[0] == "measurements"
    assert kinds[2] == "review"
    assert kinds[4] == "not stated"
    assert population_of(result_of(report_papers()[0], "q1")) == "40 city streets"
    assert population_of(source("Rowan", "Zinc was given to children.")) == "children"
    assert population_of(source("Rowan", "Zinc is a metal.")) == "not stated"
