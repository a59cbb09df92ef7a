"""What a report opens with: the counts behind it, the table, what is opposed."""

import re

from tests.report.sources import report_on, source

from paper_search.report.evidence import result_of
from paper_search.report.outputs.layout import kind_of, population_of
from paper_search.report.outputs.markdown import render_markdown
from paper_search.testing.reports import report_papers

QUESTION = "Does zinc shorten colds?"
YES = "Zinc shortened colds by two days"
NO = "Zinc did not shorten colds"


def said(name: str, text: str, title: str = "Zinc and colds"):
    return source(name, f"{text} in this trial of lozenges.", title=title)


async def test_titles_alone_answer_nothing_and_the_report_says_so_and_is_short():
    report = await report_on(
        "How do zinc lozenges act?", source("Rowan", "", title="How zinc lozenges act")
    )
    assert report.is_without_answer
    assert "none of them with a text to read" in report.opening.counts
    assert report.metadata["word_count"] < 500
    assert "## Evidence" not in render_markdown(report)


async def test_a_report_opens_with_the_answer_then_the_evidence_then_who_agrees():
    report = await report_on(QUESTION, said("Rowan", YES), said("Birch", NO))
    text = render_markdown(report)
    order = [
        "# Does zinc shorten colds",
        "> Behind this: two sources, two of them with a text to read",
        "- [Evidence](#evidence)",
        "## Evidence",
        "| Study | Year | Kind | Studied | Answers | In its words |",
        "## Agreement and disagreement",
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
    assert f"| Rowan | 2020 | randomised trial | 120 children | question 1 | “{YES}” |" in text


async def test_of_an_open_question_each_part_is_answered_in_front_or_said_to_be_open():
    report = await report_on(
        "How do trees cool streets?",
        source("Rowan", "Trees cool streets by the shade of their leaves.", title="Trees"),
    )
    text = render_markdown(report)
    front = text.partition("## Evidence")[0]
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


async def test_no_report_says_yes_or_no_by_the_words_of_its_sources():
    report = await report_on(
        "Is zolapine safe in pregnancy?",
        source("Rowan", "Zolapine in pregnancy is dangerous for the fetus.", title="Zolapine"),
        source("Birch", "Zolapine was found unsafe in pregnancy.", title="Zolapine"),
        source("Hazel", "Birth defects followed zolapine in pregnancy.", title="Zolapine"),
    )
    said = render_markdown(report).replace("safe in pregnancy", "")
    assert not re.search(
        r"\b(?:yes|no|says|say)\b[:,]| say(?:s)? (?:yes|no)\b", said, re.IGNORECASE
    )
    assert report.metadata["final_score"] is None
