"""The three places where a person is asked: what each answer does, and what silence does."""

import asyncio
import re
from datetime import timedelta
from typing import Any

import pytest
from tests.report.answers import good_answer
from tests.report_workflow.doubles import inventing, report_workflow

from paper_search.errors import (
    ConfigError,
    InvalidDecisionError,
    LLMError,
    LLMRefusalError,
    ThreadWaitingError,
)
from paper_search.llm.metering import count_call
from paper_search.report.outputs.markdown import day, render_markdown
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.llm import FakeLLM, LLMCall
from paper_search.testing.reports import QUESTION, report_services

PLAN = {
    "decomposed_questions": ["How warm are streets?", "What do shade trees do?"],
    "search_queries": [{"query_text": "shade trees", "search_type": "academic"}],
    "expected_sections": ["Introduction", "Warmth", "Trees"],
}


def workflow(llm=None, handler=None, **settings: object):
    asks = {"hitl_after_planning": True, "hitl_before_output": True}
    return report_workflow(llm, handler, **{**asks, **settings})


async def at_output(**settings: object):
    flow = workflow(hitl_after_planning=False, **settings)
    return flow, await flow.start(QUESTION, thread_id="t")


async def at_critical(**settings: object):
    flow = workflow(FakeLLM(inventing), hitl_after_planning=False, max_iterations=1, **settings)
    review = await flow.start(QUESTION, thread_id="t")
    assert review.kind == "critical_issue_review"
    assert "Merlin" in str(review.shows["critique"]["items"])
    return flow, review


async def test_a_person_is_asked_about_plan_and_draft_unless_the_settings_say_otherwise():
    flow = ReportWorkflow(report_services(), target_length=1000)
    review = await flow.start(QUESTION, thread_id="t")
    assert review.kind == "plan_review"
    assert review.shows["research_plan"]["decomposed_questions"]
    assert (await flow.answer("t", "skip")).kind == "pre_output_review"


@pytest.mark.parametrize("edit", [PLAN, {"research_plan": PLAN}])
async def test_a_plan_that_a_person_writes_is_what_runs(edit):
    flow = workflow(hitl_before_output=False)
    await flow.start(QUESTION, thread_id="t")
    report = await flow.answer("t", {"action": "modify", "modifications": edit})
    assert report.provenance["sub_questions"] == PLAN["decomposed_questions"]
    assert [q["query_text"] for q in report.provenance["search_queries"]] == ["shade trees"]


async def test_a_draft_of_which_the_model_failed_says_so_where_it_is_asked_about():
    def answer(call):
        is_analysis = call.schema["title"] == "AnalysisAnswer"
        return LLMError("the server is down") if is_analysis else good_answer(call)

    flow = workflow(FakeLLM(answer), hitl_after_planning=False)
    review = await flow.start(QUESTION, thread_id="t")
    assert "- Warning: analyst: " in (description := review.action_requests[0].description)
    assert "the server is down" in description


class CountedLLM(FakeLLM):
    async def complete_json(self, system_prompt, user_message, schema=None):
        async with count_call("openai:gpt-4o-mini", 10, 20) as call:
            call.failure = None
            return await super().complete_json(system_prompt, user_message, schema)


async def test_words_on_a_plan_make_another_plan():
    llm = CountedLLM(good_answer)
    flow = workflow(llm)
    await flow.start(QUESTION, thread_id="t")
    review = await flow.answer("t", "modify: look at winter as well")
    assert review.kind == "plan_review"
    assert review.number == 2
    assert "look at winter as well" in llm.calls[1].user_message
    draft = await flow.answer("t", "skip")
    assert draft.shows["usage"][0]["calls"] == 2
    assert re.search(r"- Spent: \d+ calls, ", draft.action_requests[0].description)
    assert "previous_plan" in llm.calls[1].user_message


@pytest.mark.parametrize(
    ("answer", "status", "ended_by"),
    [
        ("approve", "complete", "approved"),
        ("skip", "complete", "not_reviewed"),
        ("reject: too thin", "partial", "rejected_by_person"),
    ],
)
async def test_a_report_is_given_out_as_what_a_person_said_of_it(answer, status, ended_by):
    flow, _ = await at_output()
    report = await flow.answer("t", answer)
    assert (report.status, report.provenance["ended_by"]) == (status, ended_by)
    assert report.provenance["is_approved_by_person"] is (answer == "approve")


async def test_a_report_whose_plan_is_rejected_does_not_say_that_it_was_written():
    flow = report_workflow()
    await flow.start(QUESTION, thread_id="t")
    report = await flow.answer("t", "reject: too broad")
    assert report.metadata["version"] is None
    assert re.findall(r"> (.+)", render_markdown(report)) == [
        f"Status: partial on {day(report.metadata['completed_at'])}; rejected by person.",
        "Not a finished report: Rejected by a person.",
        "No source was collected.",
    ]


@pytest.mark.parametrize("is_bare", [True, False])
async def test_a_persons_own_text_is_taken_and_checked_like_any_other(is_bare):
    flow, review = await at_output()
    sections = [dict(show) for show in review.shows["draft"]["sections"]]
    sections[0]["content"] = "Trees sing at noon (Orpheus, 1607)."
    changes = {"title": "My title", "sections": sections}
    edit = changes if is_bare else {"draft": changes}
    answer = {"action": "modify", "modifications": edit}
    following = await flow.answer("t", answer)
    assert following.kind == "critical_issue_review"
    assert following.shows["draft"]["title"] == "My title"
    assert "Orpheus" in str(following.shows["critique"]["items"])


async def test_a_report_with_critical_issues_may_be_approved_and_then_names_them():
    flow, _ = await at_critical()
    report = await flow.answer("t", "approve")
    assert report.status == "complete"
    assert report.confidence == "medium"
    assert any("1 critical issue identified: Invented" in caveat for caveat in report.caveats)


async def test_skipping_critical_issues_ends_with_the_best_draft():
    flow, _ = await at_critical()
    report = await flow.answer("t", "skip")
    assert report.status == "partial"
    assert report.sections


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("perhaps", "not a decision"),
        ({"action": "modify"}, "feedback"),
        ({"action": "approve", "modifications": {"research_plan": PLAN}}, "modifications need"),
        ({"action": "modify", "modifications": {"draft": {"title": "x"}}}, "research_plan"),
        (
            {"action": "modify", "modifications": {"research_plan": {"search_queries": []}}},
            "modifications.research_plan.search_queries",
        ),
        (
            {"action": "modify", "modifications": {"research_plan": {"status": "completed"}}},
            "modifications.research_plan.status",
        ),
        ({"action": "approve", "goto": "output"}, "goto"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_refused_and_the_question_stays_open(answer, told):
    flow = workflow()
    await flow.start(QUESTION, thread_id="t")
    with pytest.raises(InvalidDecisionError, match=told):
        await flow.answer("t", answer)
    assert (await flow.pending("t")).kind == "plan_review"


async def test_the_last_question_takes_no_more_changes():
    flow, review = await at_output(max_human_reviews=1)
    assert [action.value for action in review.actions] == ["approve", "reject", "skip"]
    with pytest.raises(InvalidDecisionError, match="no longer accepted here"):
        await flow.answer("t", "modify: once more")


async def test_silence_decides_nothing_by_default():
    flow = workflow(plan_review_timeout=1)
    review = await flow.start(QUESTION, thread_id="t")
    assert review.expires_at - review.asked_at == timedelta(seconds=1)
    with pytest.raises(ThreadWaitingError):
        await flow.proceed("t")


async def test_critical_issues_are_never_approved_by_silence():
    with pytest.raises(ConfigError):
        workflow(auto_approve_on_timeout=["critical_issue_review"])


async def test_nobody_can_pass_for_a_timeout():
    flow, _ = await at_output()
    report = await flow.answer("t", {"action": "approve", "decided_by": "timeout"})
    assert report.provenance["is_approved_by_person"] is True


async def test_a_handler_that_takes_too_long_leaves_the_question_open():
    class Slow:
        async def handle(self, _review):
            await asyncio.sleep(60)

    flow = workflow(handler=Slow(), plan_review_timeout=1)
    with pytest.raises(ThreadWaitingError, match="in time"):
        await flow.run(QUESTION, thread_id="t")
    assert (await flow.pending("t")).kind == "plan_review"


def refusing_to_revise(call: LLMCall) -> Any:
    """Answer as a model that invents a work and writes no second version."""
    if call.schema["title"] == "DraftAnswer" and '"revision"' in call.user_message:
        return LLMRefusalError("the model declined to answer: no")
    return inventing(call)


async def test_a_draft_that_the_model_does_not_revise_stays_and_is_not_reviewed_again():
    llm = FakeLLM(refusing_to_revise)
    review = await workflow(llm, hitl_after_planning=False).start(QUESTION, thread_id="t")
    assert review.kind == "critical_issue_review"
    assert review.shows["draft"]["version"] == 1
    assert "Merlin" in str(review.shows["draft"]["sections"])
    assert "not done" in review.shows["revision_notes"][0]
    assert sum(call.schema["title"] == "ReviewAnswer" for call in llm.calls) == 1


async def test_a_person_sees_a_draft_that_is_not_revised_though_nothing_in_it_is_critical():
    def grumpy(call: LLMCall) -> Any:
        answer = good_answer(call)
        if call.schema["title"] == "ReviewAnswer":
            return answer | {"scores": dict.fromkeys(answer["scores"], 5.5)}
        return LLMRefusalError("no") if '"revision"' in call.user_message else answer

    review = await workflow(FakeLLM(grumpy), hitl_after_planning=False).start(QUESTION)
    assert (review.kind, review.shows["draft"]["version"]) == ("critical_issue_review", 1)
    assert review.shows["critique"]["overall_score"] == 5.5


async def test_without_a_person_the_draft_that_was_not_revised_is_the_best_there_is():
    report = await workflow(FakeLLM(refusing_to_revise)).run(QUESTION)
    assert (report.status, report.confidence) == ("partial", "low")
    assert "Merlin" in str(report.sections)
    assert "Not approved after 1 draft: Invented citation" in report.reason


async def test_what_several_issues_say_alike_is_told_once_with_how_often():
    def inventing_everywhere(call: LLMCall) -> Any:
        answer = good_answer(call)
        if call.schema["title"] == "DraftAnswer":
            for section in answer["sections"]:
                section["content"] += " Trees cool by magic (Merlin, 1985)."
        return answer

    settings = {"max_iterations": 1, "hitl_on_critical_issues": False}
    report = await report_workflow(FakeLLM(inventing_everywhere), **settings).run(QUESTION)
    [caveat] = [caveat for caveat in report.caveats if "critical" in caveat]
    count = report.critique.critical_count
    assert caveat.startswith(f"{count} critical issues identified: Invented citation")
    for words in (caveat, report.reason):
        assert words.count("Merlin") == 1
        assert "(4 times)" in words


@pytest.mark.parametrize("llm", [FakeLLM(refusing_to_revise), None])
async def test_a_persons_own_text_stays_where_no_model_does_what_they_ask_for(llm):
    flow = workflow(llm, hitl_after_planning=False)
    review = await flow.start(QUESTION, thread_id="t")
    sections = [dict(show) for show in review.shows["draft"]["sections"]]
    sections[-1]["content"] = "I write this myself."
    edit = {"action": "modify", "modifications": {"draft": {"sections": sections}}}
    review = await flow.answer("t", edit, token=review.token)
    review = await flow.answer("t", "modify: shorten it", token=review.token)
    assert "I write this myself." in str(review.shows["draft"]["sections"])
    assert "(shorten it)" in review.shows["revision_notes"][0]
    report = await flow.answer("t", "approve", token=review.token)
    assert "I write this myself." in str(report.sections)


async def test_words_beside_an_edit_of_the_text_are_named_as_not_done():
    flow, _ = await at_output()
    edit = {"modifications": {"draft": {"title": "My title"}}, "feedback": "shorten it"}
    review = await flow.answer("t", {"action": "modify", **edit})
    edited, words = review.shows["revision_notes"]
    assert edited == "edited by a person"
    assert words.startswith("not done, because your text is used unchanged")
    assert "'shorten it'" in words


async def test_a_plan_takes_changes_or_words_and_not_both():
    flow = workflow()
    await flow.start(QUESTION, thread_id="t")
    both = {"modifications": {"research_plan": PLAN}, "feedback": "more on winter"}
    with pytest.raises(InvalidDecisionError, match="but not both"):
        await flow.answer("t", {"action": "modify", **both})
    assert (await flow.answer("t", "approve")).kind == "pre_output_review"
