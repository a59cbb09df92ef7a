"""The report's graph from end to end, without a model and with one."""

from dataclasses import replace
from typing import Any

import pytest
from tests.report.answers import good_answer
from tests.report_workflow.doubles import Steps, inventing, report_workflow

from paper_search.errors import LLMError, LLMLengthError
from paper_search.models import SourceReport, SourceStatus
from paper_search.report import models
from paper_search.report.document import Report
from paper_search.report.evidence import Evidence
from paper_search.report.writer import section, with_references
from paper_search.report_workflow import WorkflowState
from paper_search.report_workflow.products import fallback_output, fallback_reason, final_output
from paper_search.report_workflow.state import ReportParams
from paper_search.testing import reports
from paper_search.testing.llm import FakeLLM


async def written(llm: FakeLLM | None = None, **settings: Any) -> tuple[Report, list[str]]:
    steps = Steps()
    return await report_workflow(llm, steps=steps, **settings).run(reports.QUESTION), steps


async def test_without_a_model_a_report_is_planned_searched_analysed_written_and_reviewed():
    report, steps = await written()
    assert steps == ["planner", "searcher", "analyst", "writer", "reviewer", "output"]
    assert report.status == "complete"
    assert report.metadata["model_calls"] == 0
    assert report.metadata["final_score"] is None
    assert "without a language model" in report.caveats[0]


def test_neither_a_critical_issue_nor_a_draft_without_a_score_is_given_with_high_confidence():
    item = models.CritiqueItem(
        category="accuracy", severity="critical", location="", description="x"
    )
    critiques = [models.Critique(overall_score=score, items=items)
                 for score, items in ((8.0, []), (9.0, [item]), (7.9, []), (None, []))]  # fmt: skip
    states = [
        WorkflowState(original_query=reports.QUESTION, critique=critique) for critique in critiques
    ]
    confidences = [final_output(state, ReportParams(), [])["confidence"] for state in states]
    assert confidences == ["high", "medium", "medium", "medium"]


def test_the_sources_used_are_those_that_the_text_cites_anywhere_and_that_exist():
    sources = reports.report_sources()
    first, second, third, *_ = Evidence(sources).by_key
    cited = section(1, "Shade", f"Shade cools [@{first}]. Trees sing [@nobody_1999_song].")
    draft = models.ResearchDraft(abstract=f"It is dry [@{second}; @{third}].", sections=[cited])
    state = WorkflowState(original_query=reports.QUESTION)
    state.draft = with_references(draft, Evidence(sources))
    assert final_output(state, ReportParams(), sources)["metadata"]["sources_used"] == 3


async def test_a_draft_that_does_not_pass_is_revised_until_the_limit_and_given_as_best_effort():
    report, steps = await written(FakeLLM(inventing), max_iterations=3)
    assert steps.count("writer") == steps.count("reviewer") == 3
    assert steps[-1] == "fallback"
    assert report.status == "partial"
    assert report.confidence == "low"
    assert report.reason.startswith("Not approved after 3 drafts: Invented citation “Merlin, 1985”")
    assert any("critical issue" in caveat for caveat in report.caveats)
    assert report.metadata["versions"] == [1, 2, 3]


@pytest.mark.parametrize("failing", ["PlanAnswer", "AnalysisAnswer", "DraftAnswer", "ReviewAnswer"])
async def test_a_role_whose_model_fails_is_done_by_algorithm_and_says_so(failing):
    def answer(call):
        if call.schema["title"] == failing:
            return LLMError("the server is down")
        return good_answer(call)

    report, steps = await written(FakeLLM(answer))
    # The sub-questions by rule are more than this model has answers to.
    assert steps[-1] == ("fallback" if failing == "PlanAnswer" else "output")
    assert any("continued without a language model" in e for e in report.provenance["errors"])
    assert any("Some steps failed: " in caveat for caveat in report.caveats)
    told = "Written without a language model" in str(report.caveats)  # a model did the other steps
    assert (told, "Made without" in str(report.caveats)) == (
        failing in {"AnalysisAnswer", "DraftAnswer"},
        False,
    )


async def test_a_question_too_long_for_the_model_is_asked_with_less():
    sources = reports.report_sources()
    for source in sources:
        source.full_content = f"{source.full_content} {'Trees stand in streets. ' * 60}"

    def answer(call):
        if call.schema["title"] == "AnalysisAnswer" and len(call.user_message) > 5000:
            return LLMLengthError("too long")
        return good_answer(call)

    llm = FakeLLM(answer)
    report, _ = await written(llm, search=reports.FakeSearch(sources))
    lengths = [len(c.user_message) for c in llm.calls if c.schema["title"] == "AnalysisAnswer"]
    assert lengths[-1] < lengths[0]
    assert any("Context overflow" in row for row in report.provenance["checkpoints"])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kept": 4}, "None of the 4 records found is relevant to the question"),
        ({"status": SourceStatus.TIMEOUT}, "No source answered: a"),
        ({}, "No search results collected"),
    ],
)
def test_a_report_without_sources_says_why_there_are_none(changes, reason):
    row = SourceReport(source="a", status=SourceStatus.EMPTY).model_copy(update=changes)
    query = models.SearchQuery(query_text="trees", runs=[row])
    plan = models.ResearchPlan(original_query=reports.QUESTION, search_queries=[query])
    assert fallback_reason(WorkflowState(research_plan=plan), []) == reason


def test_of_a_report_that_ended_early_the_analysis_or_else_the_sources_are_given():
    sources = reports.report_sources()
    early = WorkflowState(original_query=reports.QUESTION)
    analysed = early.model_copy(update={"analysis": models.AnalysisResult(key_findings=["a"])})
    [found, read] = [fallback_output(state, ReportParams(), sources) for state in (early, analysed)]
    listed = [source.model_dump(mode="json") for source in sources[:10]]
    assert found["content"] == {"search_results": listed, "type": "search_results_only"}
    assert (read["content"].pop("sources"), read["content"]) == (
        final_output(analysed, ReportParams(), sources)["content"]["sources"],
        {"key_findings": ["a"], "themes": [], "type": "analysis_only"},
    )
    caveats = [product["caveats"][0].partition(";")[2] for product in (found, read)]
    assert caveats == [" raw search results provided", " raw analysis provided"]


def test_what_is_given_early_has_ten_results_five_errors_the_score_and_the_queries_that_ran():
    queries = [
        models.SearchQuery(query_text="trees", status=status)
        for status in ("completed", "failed", "pending")
    ]
    state = WorkflowState(
        original_query=reports.QUESTION,
        research_plan=models.ResearchPlan(original_query="q", search_queries=queries),
        critique=models.Critique(overall_score=4.5),
        errors=[f"error {number}" for number in range(7)],
    )
    product = fallback_output(state, ReportParams(), reports.report_sources() * 11)
    assert len(product["content"]["search_results"]) == 10
    assert [error[-7:] for error in product["errors"]] == [f"error {n}" for n in range(2, 7)]
    assert product["final_score"] == 4.5
    assert product["provenance"]["search_queries_executed"] == 1


async def test_the_best_version_is_given_when_the_limit_is_reached():
    drafts = []

    def answer(call):
        given = good_answer(call)
        if call.schema["title"] == "DraftAnswer":
            drafts.append(call)
            magic = "Trees cool by magic (Merlin, 1985). "
            given["sections"][1]["content"] += f" {magic * (1 if len(drafts) == 2 else 3)}"
        return given

    report, _ = await written(FakeLLM(answer), max_iterations=3)
    assert report.metadata["version"] == report.critique.version == 2


async def test_what_a_search_says_of_itself_and_that_it_found_nothing_is_in_the_report():
    class Noting(reports.FakeSearch):
        async def find(self, queries, request, before):
            return replace(
                await super().find(queries, request, before), notes=["half of it was asked"]
            )

    report, _ = await written(search=Noting([]))
    assert any("half of it was asked" in row for row in report.provenance["checkpoints"])
    assert any("no search results collected" in row for row in report.provenance["errors"])


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        (["a"], "1 sub-question is not answered"),
        (["a", "b"], "2 sub-questions are not answered"),
    ],
)
def test_open_sub_questions_are_counted(gaps, words):
    state = WorkflowState(original_query=reports.QUESTION)
    state.analysis = models.AnalysisResult(gaps=gaps)
    assert words in final_output(state, ReportParams(), [])["caveats"]
