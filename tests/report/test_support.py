"""What a model is asked of a sentence, and what its verdict does."""

import pytest
from tests.report.answers import good_answer

from paper_search.errors import LLMError, LLMRateLimitError
from paper_search.report.evidence import Evidence
from paper_search.report.models import (
    AnalysisResult,
    Critique,
    ResearchDraft,
    ResearchPlan,
    ReviewerInput,
)
from paper_search.report.reviewer import ItemAnswer, ReviewAnswer, Reviewer, conclude
from paper_search.report.writer import section, with_references
from paper_search.testing.llm import FakeLLM, LLMCall, data_block
from paper_search.testing.reports import report_sources

SOURCES = report_sources()
SHADE, NIGHT, REVIEW = "rowan_2019_shade", "alder_2022_night", "linden_2020_a"
COOL = f"Shade trees cool city streets by 2.5 degrees on summer days [@{SHADE}]."
DARK = f"At night, shade trees did not lower the temperature of city streets [@{NIGHT}]."
WORDS = "Shade trees lower the temperature of city streets by 2.5 degrees"


async def reviewed(answer, *texts: str, known: Critique | None = None) -> tuple[Critique, list]:
    """Return the critique of a draft with these sentences, and what the model was asked."""

    def answered(call: LLMCall):
        is_support = call.schema["title"] == "SupportAnswer"
        return answer(call) if is_support and callable(answer) else good_answer(call)

    draft = ResearchDraft(
        title="Shade",
        abstract=texts[0],
        sections=[section(1, "Results", " ".join(texts))],
        conclusion=texts[0],
        is_by_model=True,
    )
    given = ReviewerInput(
        draft=with_references(draft, Evidence(SOURCES)),
        analysis=AnalysisResult(),
        research_plan=ResearchPlan(original_query="Do shade trees cool streets?"),
        search_results=SOURCES,
        known_sentences=known.sentences if known else [],
    )
    llm = FakeLLM(answered)
    critique = (await Reviewer(llm).review(given)).critique
    return critique, [call for call in llm.calls if call.schema["title"] == "SupportAnswer"]


def test_an_item_that_says_nothing_is_none():
    draft = ResearchDraft(title="Shade", sections=[], is_by_model=True)
    plan = ResearchPlan(original_query="Do shade trees cool streets?")
    given = ReviewerInput(draft=draft, analysis=AnalysisResult(), research_plan=plan)
    items = [ItemAnswer(description=text, severity="critical") for text in (" ", "It is wrong.")]
    critique = conclude(given, [], ReviewAnswer(items=items), []).critique
    assert [item.description for item in critique.items] == ["It is wrong."]


def said(verdict: str, words: str = WORDS, reason: str = "why"):
    return lambda _call: {"verdict": verdict, "words": words, "reason": reason}


def of(critique: Critique, text: str) -> set[tuple[str, str]]:
    return {(e.status, e.checked_by) for e in critique.sentences if e.text == text}


async def test_each_claim_is_asked_about_once_with_its_words_and_nothing_else():
    critique, calls = await reviewed(None, COOL, DARK)
    assert len(calls) == 2  # the first stands three times
    first = next(call for call in calls if "2.5 degrees on summer" in call.user_message)
    sentence, words = data_block(first)
    assert sentence == {"sentence": COOL.replace(f" [@{SHADE}]", "")}
    assert words["title"] == "Shade trees and street temperature"
    assert WORDS in words["words"]
    for hidden in ("did not lower", "Do shade trees cool", "31 studies"):
        assert hidden not in first.user_message
    assert of(critique, COOL) == of(critique, DARK) == {("supported", "model")}


@pytest.mark.parametrize(
    ("verdict", "status", "severity"),
    [
        ("partly", "partly", "minor"),
        ("not", "unsupported", "major"),
        ("contradicted", "contradicted", "critical"),
    ],
)
async def test_what_the_source_does_not_bear_is_marked_and_is_an_item(verdict, status, severity):
    critique, _ = await reviewed(said(verdict), COOL)
    assert of(critique, COOL) == {(status, "model")}
    found = [item for item in critique.items if item.found_by == "model"]
    assert {(finding.severity, finding.category) for finding in found} == {(severity, "accuracy")}
    assert COOL[:40] in found[0].description
    assert "why" in found[0].description


@pytest.mark.parametrize("words", ["", "shade trees", "trees sing in the wind"])
@pytest.mark.parametrize("verdict", ["supported", "partly", "contradicted"])
async def test_a_model_that_names_no_words_of_the_source_has_checked_nothing(verdict, words):
    critique, _ = await reviewed(said(verdict, words), COOL)
    assert of(critique, COOL) == {("not_checked", "nobody")}


async def test_a_model_cannot_raise_what_code_found():
    wrong = f"Shade trees lower the temperature of city streets by 9.9 degrees [@{SHADE}]."
    quoted = f"Rowan writes: “{WORDS} on summer days.” [@{SHADE}]"
    critique, calls = await reviewed(said("supported"), wrong, quoted)
    assert calls == []
    assert of(critique, wrong) == {("unsupported", "code")}
    assert of(critique, quoted) == {("supported", "code")}


async def test_a_model_that_fails_leaves_the_sentence_unchecked_and_says_why():
    critique, _ = await reviewed(lambda _call: LLMError("the server is down"), COOL)
    assert of(critique, COOL) == {("not_checked", "nobody")}
    assert "the server is down" in next(e.reason for e in critique.sentences if e.text == COOL)
    with pytest.raises(LLMRateLimitError):
        await reviewed(lambda _call: LLMRateLimitError("slow down"), COOL)


async def test_what_was_judged_in_an_earlier_version_is_not_paid_for_again():
    first, _ = await reviewed(said("partly"), COOL)
    again, calls = await reviewed(said("supported"), COOL, DARK, known=first)
    assert [data_block(call)[0]["sentence"][:8] for call in calls] == [DARK[:8]]
    assert of(again, COOL) == {("partly", "model")}
