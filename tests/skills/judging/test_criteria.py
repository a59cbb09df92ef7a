"""The criteria of an intent: as a model gave them, else by the words of the question."""

from datetime import date
from typing import Any

import pytest

from paper_search.models import Criterion, CriterionKind, IntentType, ParsedIntent
from paper_search.skills import IntentParser
from paper_search.skills.intent.notes import parse_note
from paper_search.skills.judging.question import criteria_of, with_note
from paper_search.testing.llm import FakeLLM

TODAY = date(2026, 11, 21)
ANSWER = {"topic": "moss in cities", "concepts": ["moss", "cities"], "intent_type": "method"}
FOR = {"text": "Moss grows on buildings", "kind": "inclusion", "weight": 3}
AGAINST = {"text": "It is about lichen", "kind": "Exclusion", "weight": 2}


async def criteria(given: Any, question: str = "moss in cities") -> list[str]:
    llm = FakeLLM({**ANSWER, "criteria": given})
    intent = await IntentParser(llm, today=lambda: TODAY).parse(question)
    return [str(criterion) for criterion in intent.criteria]


BY_WORDS = ["It answers the question: moss in cities", "It is about moss", "It is about cities"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, []),
        ("moss", []),
        ([FOR], ["Moss grows on buildings (weight 3)"]),
        ([AGAINST, AGAINST], ["not: It is about lichen (weight 2)"]),
        ([{**FOR, "weight": 9}, {"text": " "}, {"kind": "x", "text": "y"}, 7], []),
    ],
)
async def test_what_is_no_criterion_is_left_out_and_too_few_are_filled_up(given, kept):
    assert await criteria(given) == [*kept, *BY_WORDS]


async def test_a_models_criteria_are_kept_as_it_wrote_them_without_what_nobody_sees():
    given = [FOR, AGAINST, {"text": " Moss\n\u200bin   shade "}]
    assert await criteria(given) == [
        "Moss grows on buildings (weight 3)",
        "not: It is about lichen (weight 2)",
        "Moss in shade",
    ]


async def test_there_are_at_most_six_and_one_of_them_is_for_inclusion():
    unwanted = [{"text": f"It is about {n}", "kind": "exclusion"} for n in range(8)]
    kept = await criteria([*unwanted, {"text": "It is about moss"}])
    assert kept == ["It is about moss", *(f"not: It is about {n}" for n in range(5))]


async def test_a_question_has_criteria_only_where_a_model_judges():
    query = "moss AND (city OR town) NOT lichen"
    for question in (query, "moss in cities"):
        assert (await IntentParser(None).parse(question)).criteria == []
    made = (await IntentParser(FakeLLM()).parse(query)).criteria
    assert 2 <= len(made) <= 6
    assert str(made[0]) == f"It answers the question: {query}"


def test_what_the_question_excludes_decides_against_a_paper():
    intent = ParsedIntent.model_validate(
        {
            "topic": "t",
            "concepts": [],
            "intent_type": IntentType.METHOD,
            "excluded": ["bees"],
            "constraints": {"excluded_types": ["review"]},
        }
    )
    made = criteria_of(intent)
    assert [str(instance) for instance in made] == [
        "It answers the question: t",
        "not: It is about bees (weight 3)",
        "not: It is of the kind: review (weight 3)",
    ]
    bare = intent.model_copy(update={"excluded": [], "constraints": intent.constraints})
    bare.constraints.excluded_types.clear()
    assert [criterion.text for criterion in criteria_of(bare)] == [
        "It answers the question: t",
        "It is about t",
    ]


def test_criteria_that_are_enough_are_not_added_to():
    given = [Criterion(text="a"), Criterion(text="b", kind=CriterionKind.EXCLUSION)]
    intent = ParsedIntent(
        topic="t", concepts=["c"], intent_type=IntentType.METHOD, criteria=[*given, given[0]]
    )
    assert criteria_of(intent) == given


@pytest.mark.parametrize(
    ("note", "added"),
    [
        ("only randomised trials", ["It is, or is about, randomised trials (weight 3)"]),
        ("not surveys", ["not: It is of the kind: review (weight 3)"]),
        ("no preprints", ["not: It is of the kind: preprint (weight 3)"]),
        ("It is, or is about, a", []),
        ("thanks, more please", []),
        ("", []),
    ],
)
def test_a_note_becomes_a_criterion_where_papers_can_be_judged_by_it(note, added):
    given = [Criterion(text="a"), Criterion(text="b")]
    made = with_note(given, parse_note(note, TODAY))
    assert [str(instance) for instance in made] == ["a", "b", *added]
    assert with_note(made, parse_note(note, TODAY)) == made
    full = [Criterion(text=letter) for letter in "abcdef"]
    assert with_note(full, parse_note(note, TODAY)) == [*full[: 6 - len(added)], *made[2:]]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Transformers are used", False),
        ("A transformer is used", False),
        ("A transformer or a graph neural network is used", True),
        ("A graph neural network is used", True),
        ("Items are recommended", True),
    ],
)
def test_an_inclusion_of_a_concept_goes_with_a_note_that_excludes_it(text, stays):
    given = [Criterion(text="It helps users"), Criterion(text=text)]
    concepts = ["transformers", "graph neural network", "users"]
    made = [str(each) for each in with_note(given, parse_note("no transformers", TODAY), concepts)]
    assert (text in made) == stays
    assert made[-1] == "not: It is, or is about, transformers (weight 3)"


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Published since 2015", False),
        ("Written in English", False),
        ("The study was published in 2015 or later", False),
        ("Published since 2012", True),
        ("The cells were bought since 2015", True),
        ("The survey was written in English and in Spanish", True),
    ],
)
async def test_a_criterion_that_only_repeats_a_limit_is_none(text, stays):
    given = [{"text": "It is about moss"}, {"text": "It is about roofs"}, {"text": text}]
    llm = FakeLLM({**ANSWER, "criteria": given})
    intent = await IntentParser(llm).parse("moss on roofs since 2015 in English")
    assert (text in [each.text for each in intent.criteria]) == stays
