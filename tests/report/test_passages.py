"""Which sentences of the sources answer a question."""

from tests.report.sources import evidence, report_on, source

from paper_search.report.evidence import sentences
from paper_search.report.passages import PassageFinder

BACKGROUND = "Despite the interest in zinc, few trials of zinc in colds exist."
AIM = "The aim of this trial was to test zinc in colds."
OUTCOME = "Zinc shortened colds by two days."


def ranked(text: str, question: str) -> list[str]:
    found = PassageFinder(evidence(source("Rowan", text))).passages(question)
    return [statement.sentence.text for statement in found]


def test_what_came_out_comes_before_why_and_how_it_was_studied():
    asked = "What do the sources report on zinc and colds?"
    assert ranked(f"{BACKGROUND} {AIM} {OUTCOME}", asked)[0] == OUTCOME


def test_how_it_was_studied_comes_first_where_that_is_asked():
    asked = "Which methods and data are used to study zinc and colds?"
    assert ranked(f"{OUTCOME} {AIM}", asked)[0] == AIM


def test_the_words_in_which_it_is_asked_are_not_what_is_looked_for():
    asked = "Which methods and data are used to study zinc and colds?"
    assert ranked("Recent data of another study are used in methods of many kinds.", asked) == []


def test_a_source_that_is_far_less_relevant_is_not_quoted():
    near, far = source("Rowan", OUTCOME), source("Birch", OUTCOME, relevance=0.3)
    unjudged = source("Hazel", OUTCOME, relevance=0.0)
    unjudged.metadata["is_judged"] = False
    found = PassageFinder(evidence(near, far, unjudged)).passages("What is known on zinc?")
    assert {hit.result.result_id for hit in found} == {near.result_id, unjudged.result_id}


def test_parts_that_are_joined_by_semicolons_are_sentences():
    text = "Zinc was given daily.; Colds were shorter."
    assert [sentence.text for sentence in sentences(text)] == [
        "Zinc was given daily.",
        "Colds were shorter.",
    ]
    assert [text[sentence.start : sentence.end] for sentence in sentences(text)] == [
        sentence.text for sentence in sentences(text)
    ]


async def test_two_sentences_that_are_all_but_the_same_are_quoted_once():
    said = "Zinc shortened the colds of grown people by two days"
    report = await report_on(
        "Is zinc effective in colds?",
        source("Rowan", f"{said}."),
        source("Birch", f"{said} here."),
        source("Hazel", "Zinc lozenges upset the stomachs of people with colds."),
    )
    text = "\n".join(section.content for section in report.sections)
    assert text.count(said) == 1
    assert "upset the stomachs" in text
