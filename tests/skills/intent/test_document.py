import asyncio
from datetime import date

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.models import ParsedIntent
from paper_search.skills import IntentParser
from paper_search.skills.intent.document import parse_document

FRAME = """P: adults with asthma
I: yoga (hatha)
C: waiting list
O: quality of life
Language: English
Timeframe: 2015-present"""
CRITERIA = """What is the effect of tutoring on reading scores in primary school?

Inclusion criteria
- children aged 6-11
- published 2010-2022
- Language: English

Exclusion criteria
- secondary school
- before 2012
- letters
- editorials
- dyslexia; camps"""


async def read(text: str) -> ParsedIntent:
    return await IntentParser(today=lambda: date(2026, 11, 21)).parse(text)


def years(intent: ParsedIntent) -> tuple[int | None, int | None]:
    return intent.constraints.year_from, intent.constraints.year_to


@pytest.mark.parametrize(
    "text",
    [
        FRAME,
        FRAME.replace(": ", " -- "),
        FRAME.replace(": ", " → "),
        FRAME.replace(": ", "\t"),
        "| Element | Description |\n|---|---|\n"
        + "\n".join(f"| **{line.replace(': ', '** | ')} |" for line in FRAME.splitlines())
        + "\n| Setting | - |",
        "PICO\n" + "\n".join(f"- {line}" for line in FRAME.splitlines()),
    ],
)
async def test_a_frame_requires_population_and_intervention_and_ranks_by_outcomes(text):
    intent = await read(text)
    assert intent.concepts[:2] == ["adults", "asthma"]
    assert "yoga" in intent.concepts
    assert {"waiting", "quality of life"}.isdisjoint(intent.concepts)
    assert intent.question.endswith("quality of life")
    assert "waiting list" not in intent.question
    assert (*years(intent), intent.constraints.language) == (2015, None, "en")
    assert any("not searched" in note and "waiting list" in note for note in intent.notes)


async def test_criteria_limit_the_search_only_where_all_of_one_is_a_limit():
    intent = await read(CRITERIA)
    assert intent.concepts == ["tutoring", "reading scores", "primary school"]
    assert years(intent) == (2010, 2022)
    assert intent.constraints.language == "en"
    assert intent.constraints.excluded_types == ["editorial"]
    assert intent.excluded == []
    reason = "are for screening, not search words:"
    assert intent.notes == [
        f"inclusion criteria {reason} 'children aged 6-11'",
        f"exclusion criteria {reason} 'secondary school'; 'before 2012'; 'dyslexia'; 'camps'",
    ]


async def test_years_that_are_excluded_limit_to_the_years_behind_them():
    text = "Topic: home visits\nOUT\nfoster care\nbefore 1990"
    assert years(await read(text)) == (1990, None)
    assert years(await read(f"{text}\nIN\n- until 1985")) == (None, 1985)


async def test_a_criterion_that_says_more_than_a_limit_limits_nothing():
    intent = await read("Topic: home visits\nInclude:\n- visits by nurses since 1990\nNot: n/a")
    assert years(intent) == (None, None)
    assert "'visits by nurses since 1990'" in intent.notes[0]


async def test_without_a_topic_what_is_included_is_the_topic():
    intent = await read("✅ federated learning\n✅ medical imaging\n❌ surveys\nlast 4 yrs")
    assert intent.concepts == ["federated learning", "medical imaging"]
    assert (*years(intent), intent.constraints.excluded_types) == (2022, None, ["review"])


async def test_an_empty_part_is_no_text_to_search():
    intent = await read("Population: adults\nIntervention: n/a\nOutcome: pain\nContext: none")
    assert intent.question == "adults. pain"


async def test_columns_of_criteria_are_told_apart():
    text = (
        "\tInclude\tExclude\nSetting\tschools\tuniversities\nYears\t2008-present\tbefore 2008\n"
        "Outcome\tgrades\t"
    )
    intent = await read(f"Research question: gamification in mathematics\n\n{text}")
    assert intent.concepts == ["gamification", "mathematics"]
    assert years(intent) == (2008, None)
    included, excluded = intent.notes
    assert "grades" in included
    assert "universities" in excluded
    assert "grades" not in excluded


@pytest.mark.parametrize(
    "text",
    [
        "Doe, J., & Roe, B. (2017). Nesting of swifts in old walls. Birds, 12(10), 185-190.\n{}",
        'J. Doe and B. Roe, "Nesting of swifts in old walls," Birds, pp. 1987-1993, 2017.\n{}',
        "1. Doe JA, Roe B. Nesting of swifts in old walls. Birds. 2017;288(16):1987-93.\n{}",
        "@article{{doe2017,\n  title={{Nesting of swifts in old walls}},\n  year={{2017}},\n}}\n{}",
        "TY  - JOUR\nAU  - Doe, Jane\nTI  - Nesting of swifts in old walls\nPY  - 2017\nER  - \n{}",
        "Doe, J. A.; Roe, B. Nesting of swifts in old walls. J. Birds 2017, 131, 6050–6051.\n{}",
        "%0 Journal Article\n%A Doe, Jane\n%T Nesting of swifts in old walls\n%D 2017\n{}",
    ],
)
async def test_a_reference_is_read_by_its_title_and_limits_nothing(text):
    intent = await read(text.format("what about house martins in cities?"))
    assert "Nesting of swifts in old walls" in intent.question
    assert {"house martins", "cities"} <= {*intent.concepts}
    assert "Doe" not in intent.question
    assert years(intent) == (None, None)
    assert (intent.authors, intent.venues) == ([], [])
    assert any("2017" in note for note in intent.notes)


async def test_a_sentence_with_pages_and_years_is_no_reference():
    text = "Topic: soil warming\n\nThe authors claim on p. 12, l. 23, that soils of 2009 agree."
    assert "soils" in (await read(text)).question


async def test_a_doi_in_a_reference_names_a_paper():
    reference = (
        "Doe, J. (2017). Nesting of swifts. Birds, 12(10), 185. https://doi.org/10.5555/abc.1"
    )
    assert (await read(reference)).identifiers == ["doi:10.5555/abc.1"]


async def test_years_and_names_in_the_sentences_of_a_long_text_limit_nothing():
    long = "We look at many things in this project and at how they hang together. " * 5
    text = (
        f"{long}The first library like it was opened in Oslo in 2011. I know Berg and Dahl (2014)."
    )
    intent = await read(text)
    assert (*years(intent), intent.authors) == (None, None, [])
    assert any("'2011', '2014'" in note for note in intent.notes)
    assert years(await read(f"{text} I need papers since 2015.")) == (2015, None)


@pytest.mark.parametrize(
    "text",
    [
        "graph neural networks\nsince 2018",
        "factor I: a gene for renal failure",
        "Part I: aims. Part P: plans",
        "title:(knowledge graph) author:Suchanek",
        "graph | neural | networks",
        "control\ngrip force\nmethods\nreferences\ninclusion\noutcome\ntime",
        "E coli\nS aureus\nP aeruginosa\nC difficile",
        "Time – space compression\nglobal cities",
        "best practices in handover\nHi-C data\nthanks to nurses",
    ],
)
def test_a_text_without_labels_is_a_question(text):
    assert parse_document(text) is None


LINES = st.sampled_from(
    (
        "P: {}", "I: {}", "O -- {}", "C: {}", "Comparison: {}", "Methods: {}", "From: {}", "{}",
        "- {}", "2. {}", "Outcome - {}", "Keywords: {}", "Exclusion criteria\n{}", "OUT\n- {}", "",
        "Inclusion criteria: {}", "Sources:\n- {}", "✗ {}", "[x] {}", "{}\t{}", "Language: {}",
        "Aims\n1) {}", "Timeframe: {}", "Date: {}", "setting\n{}",
    )
)  # fmt: skip


@examples(200)
@given(st.lists(LINES, min_size=1, max_size=7))
def test_no_word_of_a_line_is_lost_without_a_note(lines):
    words = [f"quokka{chr(97 + number)}" for number in range(len(lines))]
    text = "\n".join(line.replace("{}", word) for line, word in zip(lines, words, strict=True))
    assume("quokka" in text)
    intent = asyncio.run(read(text))
    everywhere = " ".join([intent.question, *intent.excluded, *intent.notes])
    assert [word for word in words if word in text and word not in everywhere] == []


async def test_a_printed_strategy_is_not_taken_apart():
    intent = await read(
        "Database: Ovid MEDLINE\n1  exp Asthma/ (118)\n2  yoga.ti,ab. (21)\n3  1 and 2"
    )
    assert intent.boolean_query is not None
