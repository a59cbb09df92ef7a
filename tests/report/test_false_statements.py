"""What is false in a draft never comes out as if it had been checked."""

import re

import pytest
from tests.report.false_statements import (
    CAUGHT_BY_MODEL,
    FORMS,
    FRAMES,
    ORAL,
    QUESTION,
    SOURCES,
    TRUE,
    Form,
)

from paper_search.report.checks import reviewed
from paper_search.report.evidence import Evidence
from paper_search.report.exchange import ReviewerInput
from paper_search.report.models import AnalysisResult, CheckedSentence, ResearchDraft, ResearchPlan
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report.sub_questions import section
from paper_search.report.writer import referenced
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.llm import FakeLLM, data_block
from paper_search.testing.reports import FakeSearch, good_answer, report_services

SOUND = f"Sumatriptan relieved headache in 61% of adults {ORAL}."
PLAN = ResearchPlan(
    original_query=QUESTION,
    decomposed_questions=[QUESTION],
    expected_sections=["Relief", "Methods and limitations"],
)
LIMITS = "This report has limits."
MARKED = {"unsupported", "contradicted"}


def sentences(text: str, place: str = "section") -> list[CheckedSentence]:
    """Return the sentences of a sound draft with a text put into it, without the sound ones."""
    draft = ResearchDraft(
        title=text if place == "title" else "Sumatriptan for migraine",
        abstract=text if place == "abstract" else SOUND,
        sections=[
            section(
                1, text if place == "heading" else "Relief", text if place == "section" else SOUND
            ),
            section(
                2, "Methods and limitations", text if place == "methods" else "This has limits."
            ),
        ],
        conclusion=text if place == "conclusion" else SOUND,
        is_by_model=True,
    )
    given = ReviewerInput(
        draft=referenced(draft, Evidence(SOURCES)),
        analysis=AnalysisResult(),
        research_plan=PLAN,
        search_results=SOURCES,
        target_length=60,
    )
    _, found = reviewed(given)
    return [statement for statement in found if statement.text in text]


def named(text: str) -> str:
    """Return a name for a test that mutmut, which asks for tests by name, can hand on."""
    return re.sub(r"\W+", "-", text, flags=re.ASCII)[:60]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: named(f"{form.kind} {form.text}"))
def test_a_false_statement_is_marked(form: Form):
    found = {sentence.status for sentence in sentences(form.text, form.place)}
    wanted = {"not_checked"} if form.kind in CAUGHT_BY_MODEL else MARKED
    assert found & wanted


@pytest.mark.parametrize("text", TRUE, ids=named)
def test_a_true_statement_is_not_called_false(text: str):
    assert [(e.status, e.reason) for e in sentences(text) if e.status in MARKED] == []


@pytest.mark.parametrize("text", FRAMES, ids=named)
def test_a_sentence_on_the_report_needs_no_source(text: str):
    assert {sentence.status for sentence in sentences(text)} == {"of_the_report"}


async def test_the_five_inventions_come_out_marked_though_the_model_approves_of_all():
    inventions = [form.text for form in FORMS[:5]]

    def approving(call):
        title = call.schema["title"]
        if title == "SupportAnswer":
            return {"verdict": "supported", "words": data_block(call)[1]["words"]}
        if title == "AnalysisAnswer":
            return {"findings": []}
        if title != "DraftAnswer":
            return good_answer(call)
        parts = [{"title": f"Part {n}", "content": text} for n, text in enumerate(inventions)]
        named = {"title": "Sumatriptan for migraine", "abstract": SOUND, "conclusion": SOUND}
        return {**named, "sections": parts}

    services = report_services(FakeLLM(approving), search=FakeSearch(SOURCES))
    report = await ReportWorkflow(services, target_length=100).run(QUESTION)
    assert report.status == "partial"
    by_text = {sentence.text: sentence for sentence in report.sentences}
    assert {by_text[text].status for text in inventions} == {"unsupported"}
    shown = render_markdown(report)
    for text in inventions:
        after = shown.partition(text.partition(" [@")[0].rstrip("."))[2].partition("\n")[0]
        assert "not supported" in after


def test_what_stands_beside_a_quotation_is_not_supported_by_it():
    quoted = f"Derry writes “Most adverse events were mild” {ORAL}."
    beside = f"Placebo relieved headache and “Most adverse events were mild” {ORAL}."
    assert [(sentence.status, sentence.checked_by) for sentence in sentences(quoted)] == [
        ("supported", "code")
    ]
    assert [(e.status, e.checked_by) for e in sentences(beside)] == [("not_checked", "nobody")]


def test_a_denial_of_what_the_source_says_is_contradicted_by_it():
    (found,) = sentences(f"Sumatriptan did not relieve headache in adults {ORAL}.")
    assert (found.status, found.reason) == ("contradicted", "The source says the opposite")
    assert "relieved headache" in found.snippet.text
