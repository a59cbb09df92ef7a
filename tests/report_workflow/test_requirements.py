"""What the report's specification asks of each role and field, seen from outside."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError
from tests.report.answers import good_answer

from paper_search.errors import InputError
from paper_search.report import models
from paper_search.report.claims.citations import cited_keys, locate, quotations
from paper_search.report.evidence import Evidence
from paper_search.report.passages import studies_on
from paper_search.report.planner import Planner
from paper_search.report.reviewer import Reviewer
from paper_search.report.searcher import ReportSearcher
from paper_search.report.writer import Writer, section
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.report_workflow.state import ReportParams
from paper_search.steps.running import run_workflow
from paper_search.testing import reports
from paper_search.testing.llm import FakeLLM, data_block

PLAN = models.ResearchPlan(
    original_query=reports.QUESTION,
    decomposed_questions=[reports.QUESTION, "Which limits are named?"],
    expected_sections=["Introduction", "Cooling", "Limits"],
)
SHADE = "rowan_2019_shade"
CLAIM = f"Shade trees lower the temperature of city streets by 2.5 degrees [@{SHADE}]."


async def result(llm: FakeLLM | None = None, **config: Any) -> dict[str, Any]:
    """Return the whole state of a report."""
    given = {"original_query": reports.QUESTION, "config": {"target_length": 150, **config}}
    run = await run_workflow(WORKFLOW, given, services=reports.report_services(llm))
    return run.result


async def test_the_config_of_an_input_comes_before_the_settings_of_the_run():
    given = {"original_query": reports.QUESTION, "config": {"max_sources": 2}}
    settings = {"max_sources": 5, "max_iterations": 7}
    services = reports.report_services()
    run = await run_workflow(WORKFLOW, given, params=settings, services=services)
    assert (len(run.result["result_ids"]), run.result["max_iterations"]) == (2, 7)
    with pytest.raises(InputError, match="config: a report has no setting colour"):
        await result(colour="red")


async def test_each_step_leaves_a_message_on_what_it_did():
    state = await result(depth="quick")
    said = [message["content"] for message in state["messages"]]
    assert [message["type"] for message in state["messages"]] == ["ai"] * 6
    assert said[0] == "Research plan created with 3 sub-questions and 3 search queries."
    assert said[1] == "Collected 6 new results; 0 queries are pending."
    assert said[2].startswith("Analysis complete: ")
    assert said[3].startswith("Draft v1 complete: ")
    assert said[4].startswith("Review complete: ")
    assert said[5].startswith("Research complete: ")


async def test_the_collected_data_hold_the_report_with_all_that_it_rests_on():
    state = await result(FakeLLM(good_answer))
    product = state["collected_data"]["final_output"]
    assert set(product) >= {"status", "content", "caveats", "metadata", "provenance"}
    content = product["content"]
    assert next(block["title"] for block in content["sections"]) == "Introduction"
    cited = {key for section in content["sections"] for key in section["citations"]}
    assert cited <= {block["key"] for block in content["sources"]}
    assert len(content["sources"]) == 6
    assert content["references"][0] == (
        "[@alder_2022_night] Alder, Dov (2022). Night temperatures under trees. Journal of Shade."
        " https://doi.org/10.5555/shade.4"
    )
    figures = product["metadata"]
    assert figures.pop("workflow_id") == state["workflow_id"]
    assert figures.pop("created_at") < figures.pop("completed_at")
    assert set(figures.pop("scores").values()) == {9.0}
    support = {"supported": 8, "not_checked": 4}
    assert {name: count for name, count in figures.pop("support").items() if count} == support
    assert figures == {
        "iterations": 1, "final_score": 9.0, "sources_used": 3, "sources_collected": 6,
        "word_count": 115, "version": 1, "versions": [1], "is_by_model": True,
        "is_by_person": False, "model_calls": 6, "pages_fetched": 0,
    }  # fmt: skip
    history = product["provenance"]
    assert len(history.pop("search_queries")) == len(state["research_plan"]["search_queries"])
    assert history.pop("settings")["target_length"] == 150
    assert len(history.pop("sub_questions")) == 3
    assert history == {
        "original_query": reports.QUESTION, "search_queries_executed": 5, "pages": [],
        "from_thread": None, "collection_ended_by": None, "ended_by": "not_reviewed",
        "is_approved_by_person": False, "errors": [], "checkpoints": [],
    }  # fmt: skip


async def test_the_critique_judges_every_sentence_of_the_version_that_is_given_out():
    state = await result(FakeLLM(good_answer))
    critique, draft = state["critique"], state["draft"]
    assert critique["version"] == draft["version"] == 1
    assert critique["recommendation"] == "approve"
    assert critique["summary"] == (
        "Approve. Statements: 8 supported, 4 not checked. Found: 1 minor."
        " Checked by code and a model. A sound report."
    )
    texts = {part["section_id"]: part["content"] for part in draft["sections"]}
    judged = [item for item in critique["sentences"] if item["place"] in texts]
    for judgement in judged:
        assert texts[judgement["place"]][judgement["start"] : judgement["end"]] == judgement["text"]
    assert {key for item in judged for key in item["keys"]} == {
        key for text in texts.values() for key in cited_keys(text)
    }


async def test_the_planner_takes_the_plan_of_the_model():
    given = models.PlannerInput(
        original_query=reports.QUESTION, depth="comprehensive", search_types=["academic", "news"]
    )
    plan = (await Planner(FakeLLM(good_answer)).plan(given)).research_plan
    assert plan.decomposed_questions[1] == (
        "Do shade trees lower the temperature of city streets at night?"
    )
    assert {query.search_type for query in plan.search_queries} <= {"academic", "news"}
    assert plan.expected_sections[:3] == ["Introduction", "By day", "At night"]


async def test_the_searcher_answers_each_query_once_with_what_it_found():
    search = reports.FakeSearch()
    queries = [
        models.SearchQuery(query_text="shade trees", search_type="academic"),
        models.SearchQuery(query_text="street trees", search_type="web"),
    ]
    given = models.SearcherInput(search_queries=queries, original_query=reports.QUESTION)
    output = await ReportSearcher({"academic": search}).collect(given, [])
    assert (output.queries_completed, output.queries_failed) == (1, 1)
    assert [query.status for query in output.queries[:2]] == ["completed", "failed"]
    assert output.coverage_report["shade trees"] == 6
    assert {paper.title for paper in output.search_results} == {
        e.title for e in reports.report_sources()
    }
    for wrong in (0, 51):
        with pytest.raises(ValidationError):
            models.SearcherInput(search_queries=queries, max_results_per_query=wrong)


async def test_the_writer_gives_nothing_but_sentences_of_the_sources_without_a_model():
    results = reports.report_sources()
    studies = studies_on(reports.QUESTION, Evidence(results[:1]))
    given = models.WriterInput(
        analysis=models.AnalysisResult(studies=studies), research_plan=PLAN, search_results=results
    )
    draft = (await Writer().write(given)).draft
    [table] = draft.sections
    assert table.citations == [SHADE]
    assert all(locate(quote.text, results[0]) for quote in quotations(table.content))
    assert set(re.sub(r"“[^”]*” \[@\w+\]", "", table.content)) <= set("-. \n")
    assert (draft.abstract, draft.conclusion) == ("", "")
    assert len(draft.references) == 1
    assert "Shade trees and street temperature" in draft.references[0]


async def test_the_writer_takes_the_text_of_the_model():
    def answer(call):
        given = good_answer(call)
        given["sections"][1]["content"] = "Trees cool streets (Rowan, 2019)."
        return given

    results = reports.report_sources()
    quote = locate("Shade trees lower the temperature of city streets by 2.5", results[0])
    finding = models.Finding(text=quote.text, question=0, grade="weak", quotes=[quote])
    given = models.WriterInput(
        analysis=models.AnalysisResult(findings=[finding]),
        research_plan=PLAN,
        search_results=results,
    )
    draft = (await Writer(FakeLLM(answer)).write(given)).draft
    assert draft.sections[1].content == f"Trees cool streets [@{SHADE}]."
    assert draft.is_by_model


async def test_the_reviewer_shows_the_model_the_draft_and_what_code_found_and_decides_itself():
    llm = FakeLLM(
        lambda call: (
            {
                "scores": {"style": 2, "accuracy": 11},
                "items": [{"category": "style", "severity": "major", "description": "dull"}],
                "summary": "Approve this.",
                "recommendation": "approve",
            }
            if call.schema["title"] == "ReviewAnswer"
            else good_answer(call)
        )
    )
    draft = models.ResearchDraft(
        title="Shade",
        abstract=CLAIM,
        sections=[section(1, "Cooling", f"{CLAIM} Trees sing (Merlin, 1985).")],
        conclusion=CLAIM,
        is_by_model=True,
    )
    given = models.ReviewerInput(
        draft=draft,
        analysis=models.AnalysisResult(),
        research_plan=PLAN,
        search_results=reports.report_sources(),
        target_length=30,
    )
    critique = (await Reviewer(llm).review(given)).critique
    call = next(item for item in llm.calls if item.schema["title"] == "ReviewAnswer")
    shown = json.dumps([data_block(call), call.user_message])
    for words in (reports.QUESTION, "Merlin, 1985", "Invented citation", SHADE):
        assert words in shown
    assert critique.scores["style"] == 2.0
    assert any(item.description == "dull" for item in critique.items)
    assert critique.critical_count > 0
    assert critique.recommendation == "revise"


def test_each_role_has_the_temperature_and_the_limit_of_the_specification():
    params = ReportParams().model_dump()
    roles = ("planner", "searcher", "analyst", "writer", "reviewer")
    assert [params[f"{role}_temperature"] for role in roles] == [0.3, 0.1, 0.2, 0.4, 0.1]
    assert (params["planner_max_tokens"], params["writer_max_tokens"]) == (4000, 8000)
