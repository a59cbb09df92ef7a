"""Both clients of LangChain recognise our questions, and their text boxes are read as they come."""

import json
from typing import Any

import pytest
from tests.workflow.doubles import workflow

from paper_search.errors import InvalidDecisionError
from paper_search.models import PaperCollection, SourceReport, SourceStatus
from paper_search.models.usage import StepSpending
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.engine import ReportSession
from paper_search.testing.reports import QUESTION, report_services
from paper_search.threads.decisions import changed_args
from paper_search.workflow.checkpoints import ResultPayload
from paper_search.workflow.questions import PAGE, describe_result
from paper_search.workflow.results import empty_collection
from paper_search.workflow.session import SearchSession


def is_shown_by_chat_ui(value: Any) -> bool:
    """Its rule for an interrupt of a person in the loop."""
    value = value[0] if isinstance(value, list) else value
    requests, configs = value.get("action_requests"), value.get("review_configs")
    return (
        bool(isinstance(requests, list) and isinstance(configs, list) and requests and configs)
        and all(type(item["name"]) is str and type(item["args"]) is dict for item in requests)
        and all(
            type(item["action_name"]) is str
            and item["allowed_decisions"]
            and set(item["allowed_decisions"]) <= {"approve", "edit", "reject"}
            for item in configs
        )
    )


def is_shown_by_inbox(value: Any) -> bool:
    """Its rule: it reads the arguments by another name."""
    requests, configs = value.get("action_requests"), value.get("review_configs")
    return all(isinstance(item["arguments"], dict) for item in requests or [{}]) and bool(configs)


def inbox_edit(value: Any, **changes: Any) -> Any:
    """Return what Agent Inbox sends of its edit form: every argument as a text."""
    args = value["action_requests"][0]["arguments"] | changes
    texts = {name: one if isinstance(one, str) else json.dumps(one) for name, one in args.items()}
    return [{"type": "edit", "args": {"action": value["kind"], "args": texts}}]


def chat_edit(value: Any, **changes: Any) -> Any:
    """Return what Agent Chat UI sends of its edit form."""
    request = value["action_requests"][0]
    edited = {"name": request["name"], "args": request["args"] | changes}
    return {"decisions": [{"type": "edit", "edited_action": edited}]}


def file_edit(value: Any, **changes: Any) -> Any:
    """Return what `--edit FILE` gives, or any door: the arguments as the question has them."""
    return {"action": "edit", "revised_data": value["action_requests"][0]["args"] | changes}


EDITS = pytest.mark.parametrize("edited", [inbox_edit, chat_edit, file_edit])


async def questions() -> list[Any]:
    """Return all kinds of questions, as JSON."""
    search, report = workflow(), ReportWorkflow(report_services(), target_length=1000)
    asked = [await search.start("q", thread_id="t"), await search.answer("t", "approve")]
    asked += [await report.start(QUESTION, thread_id="r"), await report.answer("r", "approve")]
    return [question.model_dump(mode="json") for question in asked]


async def test_both_clients_show_every_question_with_a_text_to_decide_on():
    for value in await questions():
        assert is_shown_by_chat_ui(value)
        assert is_shown_by_inbox(value)
        assert "?" in value["action_requests"][0]["description"].splitlines()[0]


@EDITS
async def test_what_is_changed_in_a_text_box_changes_and_the_rest_stays(edited, persistence):
    flow = workflow(persistence=persistence)
    asked = await flow.start("q", thread_id="t")
    before = asked.payload.strategy
    answer = edited(asked.model_dump(mode="json"), year_from=2019, max_results="7")
    await flow.answer("t", answer)
    after = (await SearchSession.on(persistence, "t").state()).strategy
    assert (after.filters.year_from, after.filters.max_results) == (2019, 7)
    assert (after.queries, after.sources) == (before.queries, before.sources)


@EDITS
async def test_papers_are_marked_in_a_text_box(edited, persistence):
    flow = workflow(persistence=persistence)
    await flow.start("q", thread_id="t")
    asked = await flow.answer("t", "approve")
    ids = [paper.id for paper in asked.payload.collection.papers]
    answer = edited(
        asked.model_dump(mode="json"), marked_relevant=ids[0], free_text_feedback="more of these"
    )
    await flow.answer("t", answer)
    feedback = (await SearchSession.on(persistence, "t").state()).history[-1].feedback
    assert (feedback.marked_relevant, feedback.free_text_feedback) == (ids[:1], "more of these")


@EDITS
async def test_every_question_is_answered_by_a_box_of_an_edit_which_names_it(edited, persistence):
    flow = workflow(persistence=persistence)
    asked = await flow.start("q", thread_id="t")
    both = edited(asked.model_dump(mode="json"), decision="approve", year_from=2019)
    with pytest.raises(InvalidDecisionError, match="revised_data: to change year_from, edit it"):
        await flow.answer("t", both)
    asked = await flow.answer("t", edited(asked.model_dump(mode="json"), decision="approve"))
    old = edited(asked.model_dump(mode="json"), decision=" Reject: only trials")
    asked = await flow.answer("t", old)
    state = await SearchSession.on(persistence, "t").state()
    assert (state.history[-1].is_rejected, state.history[-1].feedback.free_text_feedback) == (
        True, "only trials",
    )  # fmt: skip
    with pytest.raises(InvalidDecisionError, match="is not a decision"):
        await flow.answer("t", edited(asked.model_dump(mode="json"), decision="yes"))
    assert await flow.pending("t") == asked
    report = ReportWorkflow(report_services(), target_length=1000, persistence=persistence)
    plan = await report.start(QUESTION, thread_id="r")
    await report.answer("r", edited(plan.model_dump(mode="json"), decision="approve"))
    assert (await ReportSession.on(persistence, "r").open_question()).question.number == 2


@EDITS
async def test_a_plan_changes_in_a_text_box_and_other_queries_keep_their_kind(edited, persistence):
    flow = ReportWorkflow(report_services(), target_length=1000, persistence=persistence)
    asked = await flow.start(QUESTION, thread_id="t")
    before = asked.shows["research_plan"]["search_queries"]
    texts = [query["query_text"] for query in before]
    await flow.answer("t", edited(asked.model_dump(mode="json"), search_queries=[*texts, "shade"]))
    plan = (await ReportSession.on(persistence, "t").state()).research_plan
    kinds = [(query.query_text, query.search_type) for query in plan.search_queries]
    assert kinds == [
        *((query["query_text"], query["search_type"]) for query in before),
        ("shade", "academic"),
    ]


async def test_a_question_that_is_ignored_stays_open_and_says_how_to_reject_it():
    flow = workflow()
    asked = await flow.start("q", thread_id="t")
    with pytest.raises(InvalidDecisionError, match="reject with a response"):
        await flow.answer("t", [{"type": "ignore", "args": None}])
    assert await flow.pending("t") == asked


def test_an_edit_that_is_no_form_is_taken_as_it_is():
    whole = {"queries": [], "filters": {"year_from": 1}}
    assert changed_args(whole, {"queries": [], "sources": ["a"]}) == whole


def test_a_blank_number_is_none_and_a_broken_list_is_refused():
    assert changed_args({"year": " "}, {"year": 2000}) == {"year": None}
    with pytest.raises(ValueError, match="one entry a line"):
        changed_args({"ids": "[1,"}, {"ids": []})


async def test_text_of_papers_cannot_pass_for_a_part_of_the_question():
    flow = workflow()
    await flow.start("q", thread_id="t")
    asked = await flow.answer("t", "approve")
    collection: PaperCollection = asked.payload.collection
    hostile = collection.papers[0].model_copy(
        update={"title": "# Approve\n![x](http://e.org/x.png) <img src=y>", "abstract": "`a`\n- b"}
    )
    long = hostile.model_copy(update={"title": "x" * 400})
    papers = [long, *[hostile] * PAGE]
    shown = collection.model_copy(update={"papers": papers})
    usage = [StepSpending(step="score", calls=2)]
    payload = ResultPayload(collection=shown, usage=usage)
    text = describe_result(payload)
    assert "\n- Spent: 2 calls, 0 tokens, " in text
    assert f"\n{PAGE}. " in text
    assert f"\n{PAGE + 1}. " not in text, "a page of papers"
    assert "x" * 299 + "…" in text
    assert "x" * 300 not in text
    assert "![x]" not in text
    assert "<img" not in text
    assert not any(line.startswith(("# Approve", "- b")) for line in text.splitlines())


@pytest.mark.parametrize("is_asked_again", [False, True])
def test_who_decides_by_a_form_is_told_what_failed_and_was_not_had_since(is_asked_again):
    row = SourceReport(source="s", query="q", status=SourceStatus.TIMEOUT, error="too slow")
    reports = [row.model_copy(update={"is_asked_again": is_asked_again})]
    text = describe_result(ResultPayload(collection=empty_collection("q"), reports=reports))
    assert ("\n- Failed, papers may be missing: s\n" in text) is not is_asked_again
    assert ("Failed" in text) is not is_asked_again
