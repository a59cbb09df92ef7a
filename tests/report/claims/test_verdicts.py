"""No false statement comes out as checked, and no true one as wrong."""

import re
from collections.abc import Sequence

import pytest
from tests.report.answers import good_answer
from tests.report.claims.false_statements import (
    FRAMES,
    GONE,
    ORAL,
    QUESTION,
    SOURCES,
    SPRAY,
    UNVERIFIABLE,
    WRONG,
    Form,
)

from paper_search.report import models
from paper_search.report.criteria import check_draft
from paper_search.report.evidence import Evidence
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report.writer import section, with_references
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.llm import FakeLLM, data_block
from paper_search.testing.reports import FakeSearch, report_services

SOUND = f"Sumatriptan relieved headache in 61% of adults {ORAL}."
PLAN = models.ResearchPlan(
    original_query=QUESTION,
    decomposed_questions=[QUESTION],
    expected_sections=["Relief", "Methods and limitations"],
)


def sentences(
    text: str, place: str = "section", sources: list[models.SearchResult] = SOURCES
) -> list[models.CheckedSentence]:
    """Return the sentences of a text that stands in a draft."""
    draft = models.ResearchDraft(
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
    name = {"section": "s1", "heading": "s1.title", "methods": "s2"}.get(place, place)
    return [sentence for sentence in checked(draft, sources) if sentence.place == name]


def sentences_of_sections(
    texts: Sequence[str], sources: list[models.SearchResult]
) -> list[models.CheckedSentence]:
    """Return the sentences of a draft each of whose sections is a text; sound ones stand around."""
    draft = models.ResearchDraft(
        title="Sumatriptan for migraine",
        abstract=SOUND,
        sections=[section(number, "Relief", text) for number, text in enumerate(texts, 1)],
        conclusion=SOUND,
        is_by_model=True,
    )
    return checked(draft, sources)


def checked(
    draft: models.ResearchDraft, sources: list[models.SearchResult]
) -> list[models.CheckedSentence]:
    given = models.ReviewerInput(
        draft=with_references(draft, Evidence(sources)),
        analysis=models.AnalysisResult(),
        research_plan=PLAN,
        search_results=sources,
        target_length=60,
    )
    return check_draft(given)[1]


def named(text: str) -> str:
    """Return a name for a test that mutmut, which asks for tests by name, can hand on."""
    return re.sub(r"\W+", "-", text, flags=re.ASCII)[:60]


def name_of(form: Form) -> str:
    return named(f"{form.kind} {form.text}")


@pytest.mark.parametrize("form", WRONG, ids=name_of)
def test_what_is_not_in_the_cited_source_is_wrong(form):
    statuses = {sentence.status for sentence in sentences(form.text, form.place)}
    assert "unsupported" in statuses
    assert "supported" not in statuses


@pytest.mark.parametrize("form", UNVERIFIABLE, ids=name_of)
def test_what_code_cannot_tell_is_not_checked(form):
    statuses = {
        (sentence.status, sentence.checked_by) for sentence in sentences(form.text, form.place)
    }
    assert statuses == {("not_checked", "nobody")}


def test_there_are_as_many_statements_as_the_gates_count():
    assert len(WRONG) + len(UNVERIFIABLE) >= 80


@pytest.mark.parametrize("text", FRAMES, ids=named)
def test_a_sentence_on_the_report_is_not_called_wrong(text):
    assert {sentence.status for sentence in sentences(text)} == {"not_checked"}


def test_the_question_and_the_headings_of_the_plan_are_of_the_report():
    titles = sentences("Relief", "heading")
    assert [sentence.status for sentence in titles] == ["of_the_report"]
    assert [sentence.status for sentence in sentences(QUESTION)] == ["of_the_report"]
    assert [sentence.status for sentence in sentences("Relief.")] == ["not_checked"]


@pytest.mark.parametrize(
    "text",
    [
        f"Derry writes: “Most adverse events were mild” {ORAL}.",
        f"Derry et al. (2012) write that “most adverse events were mild.” {ORAL}",
        f"According to Derry, ‘Most adverse events were mild.’ {ORAL}",
        f"Most adverse events were mild {ORAL}.",
        f"> Sumatriptan did not prevent recurrence of headache within 24 hours. {ORAL}",
    ],
    ids=named,
)
def test_a_whole_sentence_of_the_source_and_nothing_else_is_checked(text):
    [sentence] = sentences(text)
    assert (sentence.status, sentence.checked_by) == ("supported", "code")
    assert sentence.snippet.text.casefold() in text.casefold()


@pytest.mark.parametrize(
    "text",
    [
        f"Fraud calls it “A withdrawn trial of sumatriptan” {GONE}.",
        f"A withdrawn trial of sumatriptan {GONE}.",
    ],
    ids=named,
)
def test_what_a_retracted_source_says_of_its_retraction_is_neither_wrong_nor_checked(text):
    assert [sentence.status for sentence in sentences(text)] == ["not_checked"]


def test_a_person_may_be_compared_with_the_author_of_the_cited_source():
    compared = f"Derry et al. confirm what Winner et al. found {ORAL}."
    assert [sentence.status for sentence in sentences(compared)] == ["not_checked"]
    ascribed = f"This was found by Winner et al. {ORAL}."
    assert {sentence.status for sentence in sentences(ascribed)} >= {"unsupported"}


def test_a_number_of_a_source_whose_title_alone_is_known_is_not_wrong():
    bare = [SOURCES[0].model_copy(update={"snippet": "", "full_content": None})]
    text = f"Sumatriptan relieved headache in 71% of adults {ORAL}."
    assert {sentence.status for sentence in sentences(text, sources=bare)} == {"not_checked"}


async def test_what_is_wrong_stays_wrong_though_the_model_approves_of_all():
    inventions = [form.text for form in WRONG[:5]]

    def approving(call):
        title = call.schema["title"]
        if title == "SupportAnswer":
            return {"verdict": "supported", "words": data_block(call)[1]["words"]}
        if title == "AnalysisAnswer":
            first = data_block(call)[0]
            quote = {"source": first["key"], "text": first["text"].split(". ")[0]}
            return {"findings": [{"text": "It helps.", "question": 1, "quotes": [quote]}]}
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
    shown = render_markdown(report).partition("## Abstract")[2]
    for text in inventions:
        after = shown.partition(text.partition(" [@")[0].rstrip("."))[2].partition("\n")[0]
        assert "not supported" in after


@pytest.mark.parametrize("quotation", ["“{}”", '"{}"', "‘{}’"])
def test_a_quotation_behind_a_sentence_lends_it_none_of_its_sources(quotation):
    words = quotation.format("Sumatriptan spray relieved headache in 63% of adults")
    of_another = f"Sumatriptan relieved headache in 63% of adults {ORAL}."
    first, second = sentences(f"{of_another} {words} {SPRAY}.")
    assert (first.text, first.status) == (of_another, "unsupported")
    assert second.text.endswith(f"{SPRAY}.")
