"""What code finds in a draft, check by check."""

from typing import Any

import pytest

from paper_search.report import models
from paper_search.report.criteria import check_draft
from paper_search.report.evidence import Evidence
from paper_search.report.writer import section, with_references
from paper_search.testing.reports import report_sources

SOURCES = report_sources()
SHADE, DRY, NIGHT, CURE = (
    "rowan_2019_shade",
    "birch_2021_street",
    "alder_2022_night",
    "yew_2023_shade",
)
GOOD = f"Shade trees lower the temperature of city streets by 2.5 degrees [@{SHADE}]."
PLAN = models.ResearchPlan(
    original_query="Do shade trees cool streets?",
    decomposed_questions=["Do shade trees lower the temperature of city streets?"],
    expected_sections=["Introduction", "Results"],
)
FRAME = f"The search of the study has limits [@{SHADE}]."


def found(content: str = GOOD, **changes: object) -> list[tuple[str, str, str]]:
    return [(said[0], said[1], said[3]) for said in items(content, **changes)]


def test_a_sound_draft_has_nothing_wrong():
    assert found() == []


@pytest.mark.parametrize(
    ("bare", "severity"), [(0, None), (1, "minor"), (3, "minor"), (4, "critical")]
)
def test_a_draft_is_worse_the_more_of_its_sentences_cite_nothing(bare, severity):
    """Three sentences stand beside them."""
    sections = [section(1, "Results", " ".join([GOOD, *bare * ["Trees have limits."]]))]
    told = [item for item in items(sections=sections, abstract=GOOD) if item[1] == "citation"]
    reason = f"{bare} of {bare + 3} sentences cite no source, first “Trees have limits.”"
    expected = [(severity, "citation", "general", reason)] * (severity is not None)
    assert [item[:4] for item in told] == expected


INVENTED = ("critical", "citation", "Cite a source that exists.")
SUNG, USED = "shade trees sing in the evening wind", "We used sensors in 12 streets for one year"
COOLER = "Shade trees lower the temperature by"


@pytest.mark.parametrize(
    ("text", "description", "rest"),
    [
        (
            "Trees cool by magic [@merlin_1985_magic].",
            "Invented citation [@merlin_1985_magic]: no source of that key was collected.",
            INVENTED,
        ),
        *(
            (
                f"Trees cool by magic{words} [@{SHADE}].",
                f"Invented citation “{words.strip(' ()')}”: no collected source matches it.",
                INVENTED,
            )
            for words in (" (Merlin, 1985)", " (https://evil.example/x)", " [3]")
        ),
        (
            f"They write “{SUNG}” [@{SHADE}].",
            f"A quotation is in no source: “{SUNG}”",
            ("critical", "accuracy", "Quote the source's own words."),
        ),
        (
            f"They write “{USED}” [@{SHADE}].",
            f"A quotation is from another source than the cited one ([@{NIGHT}]): “{USED}”",
            ("major", "accuracy", "Cite that source."),
        ),
        (
            f"{COOLER} 99.9 degrees [@{SHADE}].",
            f"No source states 99.9 degrees: “{COOLER} 99.9 degrees [@{SHADE}].”",
            ("critical", "accuracy", "Give the number of the source."),
        ),
        (
            f"{COOLER} 1.2 degrees [@{SHADE}].",
            f"The cited source does not state 1.2 degrees: “{COOLER} 1.2 degrees [@{SHADE}].”",
            ("major", "accuracy", "Cite the source that states it."),
        ),
        (
            f"{COOLER} 25 degrees [@{CURE}].",
            f"[@{CURE}] is retracted.",
            ("critical", "accuracy", "Remove claims that rest on it, or say that it is retracted."),
        ),
    ],
)
def test_a_fault_is_told_with_its_place_and_what_to_do(text, description, rest):
    severity, category, advice = rest
    assert items(text) == [(severity, category, "Results", description, advice)]


def test_a_banned_word_is_looked_for_beside_citations_and_not_in_them():
    told = [text for _, _, text in found("This report is crucial[@robust].")]
    assert [text for text in told if "Banned" in text] == ["Banned word: “crucial”"]


def test_a_banned_word_in_a_quotation_is_not_the_writers():
    sources = report_sources()
    text = "Shade is crucial for the streets of cities."
    sources[0].full_content = f"{text} {sources[0].full_content}"
    draft = draft_of(f"{GOOD} They write “{text[:-1]}” [@{SHADE}].")
    assert check_draft(to_review(draft, search_results=sources, target_length=60))[0] == []


def draft_of(content: str = GOOD, **changes: object) -> models.ResearchDraft:
    return models.ResearchDraft(
        title="Shade",
        abstract=GOOD,
        sections=[section(1, "Introduction", FRAME), section(2, "Results", content)],
        conclusion=GOOD,
    ).model_copy(update=changes)


def to_review(draft: models.ResearchDraft, **changes: Any) -> models.ReviewerInput:
    fields = {"analysis": models.AnalysisResult(), "research_plan": PLAN, "search_results": SOURCES}
    return models.ReviewerInput(draft=draft, **(fields | changes))


def given(
    content: str, *, target: int = 60, questions: list[str] | None = None, **changes: object
) -> models.ReviewerInput:
    draft = draft_of(content, **{"is_by_model": True, **changes})
    asked = PLAN.decomposed_questions if questions is None else questions
    plan = PLAN.model_copy(update={"decomposed_questions": asked})
    draft = with_references(draft, Evidence(SOURCES))
    return to_review(draft, research_plan=plan, target_length=target)


def items(content: str = GOOD, **options: object) -> list[tuple[str, ...]]:
    """Return all that the items say: severity, category, place, what is wrong, what to do."""
    return [
        (said.severity, said.category, said.location, said.description, said.suggested_fix)
        for said in check_draft(given(content, **options))[0]
    ]


def test_after_a_quotation_of_the_question_the_others_are_looked_for():
    asked, sung = PLAN.original_query, "shade trees sing in the evening wind"
    text = f"They ask “{asked}” and write “{sung}” and “The effect is small at night” [@{SHADE}]."
    told = [description for _, _, description in found(text)]
    assert told == [f"A quotation is in no source: “{sung}”"]


def told(
    plan: dict[str, object] | None = None, *, gaps: list[int] | None = None, **changes: object
) -> list[tuple[str, str, str]]:
    """Return what is said of the whole of a draft: severity, place and description."""
    draft = draft_of(**changes)
    given = to_review(
        draft,
        analysis=models.AnalysisResult(gap_questions=gaps or []),
        research_plan=PLAN.model_copy(update=plan or {}),
        target_length=draft.word_count,
    )
    return [
        (finding.severity, finding.location, finding.description)
        for finding in check_draft(given)[0]
    ]


@pytest.mark.parametrize(
    ("words", "target", "severities"),
    [(140, 100, []), (141, 100, ["major"]), (50, 100, []), (49, 100, ["minor"])],
)
def test_a_draft_is_too_long_from_140_percent_and_too_short_under_half(words, target, severities):
    sections = [section(1, "Results", "word " * words)]
    given = to_review(
        models.ResearchDraft(sections=sections),
        research_plan=models.ResearchPlan(original_query="Shade?"),
        search_results=SOURCES[:0] if target == 100 else SOURCES,
        target_length=target,
    )
    found = [
        finding
        for finding in check_draft(given)[0]
        if " words, asked for were " in finding.description
    ]
    assert [finding.severity for finding in found] == severities


@pytest.mark.parametrize(
    ("expected", "is_there"),
    [
        ("Results", True),
        ("1. Results.", True),
        ("RESULTS:", True),
        ("Result", True),
        ("Cooling effects of shade trees by day", True),
        ("Shade trees by day and cooling", True),
        ("Shade trees cooling wind", True),  # three of five words
        ("Shade trees and the wind", False),
        ("Costs", False),
        ("Conclusion", True),
        ("Abstract", True),
    ],
)
def test_an_expected_section_is_known_by_its_words(expected, is_there):
    sections = [
        section(1, "Results", FRAME),
        section(2, "Cooling effects of shade trees by day", GOOD),
    ]
    found = told({"expected_sections": [expected]}, sections=sections)
    missing = ("major", "general", f"The section “{expected}” is missing.")
    assert (missing not in found) is is_there


@pytest.mark.parametrize("name", ["abstract", "conclusion"])
def test_an_expected_abstract_or_conclusion_that_is_empty_is_missing(name):
    found = told({"expected_sections": [name.title()]}, **{name: ""})
    assert ("major", "general", f"The section “{name.title()}” is missing.") in found


@pytest.mark.parametrize(
    "word",
    ["leverage", "leveraged", "leveraging", "harnesses", "tapestries", "leverager", "seamlessly",
     "empowerment", "synergy", "Delve"],
)  # fmt: skip
def test_a_banned_word_is_known_in_all_its_forms_and_named_once(word):
    found = told(abstract=f"{GOOD} This report can {word} and {word}.")
    assert [text for _, _, text in found if "Banned" in text] == [f"Banned word: “{word.lower()}”"]


@pytest.mark.parametrize(
    "text",
    [
        "Rowan's study measured shade trees in 40 city streets",
        "The STST study measured shade trees in 40 city streets",
        "Ada Rowan wrote in the Journal of Shade that shade trees lower the temperature",
    ],
)
def test_a_source_is_named_by_author_venue_and_the_initials_of_its_words(text):
    assert items(f"{GOOD} {text} [@{SHADE}].") == []
