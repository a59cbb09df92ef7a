"""Back to a decided question; and what is left of a thread that was pruned, copied or deleted."""

from typing import Any

import pytest
from langgraph.types import Command
from tests.answers import reply_to
from tests.conftest import run_sql
from tests.workflow.doubles import STEPS, at_result, mark_last, reject, workflow

from paper_search import errors
from paper_search.persistence import LedgerStatus, open_persistence
from paper_search.steps.types import OUTCOME
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import CheckpointKind, ThreadCatalog, ThreadStatus
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.results import final_collection
from paper_search.workflow.rounds import work_verdicts
from paper_search.workflow.session import SearchSession

STRATEGY, RESULT = CheckpointKind.STRATEGY_CONFIRMATION, CheckpointKind.RESULT_REVIEW
CONFIG: Any = {"configurable": {"thread_id": "t"}}


async def test_an_earlier_decision_is_changed_openly(durable_url):
    """HUM-18: the way back is in the audit, and the old decision does not count any more."""
    skills = FakeSkills()
    async with open_persistence(durable_url) as persistence:
        flow = workflow(skills, persistence=persistence)
        first = await flow.start("q", thread_id="t")
        await reply_to(flow, "t", "approve", by="ada")
        again = await flow.fork("t", STRATEGY, by="bob")
        assert (again.kind, again.payload) == (first.kind, first.payload)
        review = await reply_to(flow, "t", reject("no"), by="bob")
        assert (review.kind, review.iteration) == (STRATEGY, 1)
        assert skills.calls == [*STEPS, "build"]
        shown = await ThreadCatalog(persistence).show("t")
        assert [(d.event, d.by) for d in shown.decisions] == [
            ("decided", "ada"),
            ("forked", "bob"),
            ("decided", "bob"),
        ]
        old, new = await persistence.ledger.entries("t")
        assert (old.status, new.status) == (LedgerStatus.SUPERSEDED, LedgerStatus.APPLIED)


async def test_a_thread_that_is_done_can_go_back_to_any_round(durable_url):
    """HUM-18."""
    script = ["approve", mark_last, "approve", "approve"]
    async with open_persistence(durable_url) as persistence:
        flow = workflow(handler=ScriptedHandler(script), persistence=persistence)
        result = await flow.run("q", thread_id="t")
        latest = await flow.fork("t", RESULT)
        assert (latest.kind, latest.iteration) == (RESULT, 1)
        assert (await ThreadCatalog(persistence).info("t")).status is ThreadStatus.WAITING
        assert await reply_to(flow, "t", "approve") == result
        early = await flow.fork("t", RESULT, 0)
        assert early.iteration == 0
        with pytest.raises(errors.StaleDecisionError, match="its result of round 7 in its history"):
            await flow.fork("t", RESULT, 6)


async def test_a_question_that_a_fork_left_is_not_gone_back_to(persistence):
    """HUM-18: the decisions that led to it are superseded."""
    flow = workflow(persistence=persistence)
    await reply_to(flow, "t", mark_last(await at_result(flow)))
    await flow.fork("t", RESULT)
    again = await flow.fork("t", STRATEGY)
    assert (again.kind, again.iteration) == (STRATEGY, 0)
    with pytest.raises(errors.StaleDecisionError, match="of round 2 in its history"):
        await flow.fork("t", STRATEGY, 1)


class Moody(FakeSkills):
    """Judges all papers otherwise in every round."""

    async def score(self, papers, intent):
        scored = await super().score(papers, intent)
        said = f"said in judging {self.calls.count('score')}"
        return [paper.model_copy(update={"relevance_reason": said}) for paper in scored]


async def test_what_was_said_of_papers_in_a_later_round_is_undone_by_going_back(persistence):
    def reasons(collection):
        return {paper.id: paper.relevance_reason for paper in collection.every_paper}

    flow = workflow(Moody(), persistence=persistence)
    asked = await at_result(flow)
    first = reasons(asked.payload.collection)
    for _ in range(2):
        asked = await reply_to(flow, "t", mark_last(asked))
        asked = await reply_to(flow, "t", "approve")
    assert reasons(asked.payload.collection).items().isdisjoint(first.items())
    for going_back in range(2):
        again = await flow.fork("t", RESULT, 0)
        assert reasons(again.payload.collection) == first
        assert reasons((await ThreadCatalog(persistence).show("t")).collection) == first
        if not going_back:
            await reply_to(flow, "t", mark_last(again))
            redone = await reply_to(flow, "t", "approve")
            assert {*reasons(redone.payload.collection).values()} == {"said in judging 4"}


async def test_what_was_marked_in_a_later_round_holds_after_going_back(persistence):
    """As shown, as counted, and as the next answer has it."""
    flow = workflow(persistence=persistence)
    first = await at_result(flow)
    paper_id = first.payload.collection.papers[0].id
    for answer in (mark_last(first), "approve", "approve"):
        await reply_to(flow, "t", answer)
    session = ThreadCatalog(persistence).session("t")
    await session.mark([paper_id], is_relevant=False)
    await session.mark(["only-round_1"], is_relevant=True)
    again = await flow.fork("t", RESULT, 0)
    assert again.payload.marks == {paper_id: False}
    state, records = await session.state(), SearchRecords(persistence.store, "t")
    shown = await final_collection(state, records)
    assert [paper.id for paper in shown.set_aside if paper.decision == "excluded"] == [paper_id]
    both = {paper_id: False, "only-round_1": True}
    assert await work_verdicts(state, records) == both
    await reply_to(flow, "t", "approve")
    assert (await session.state()).marks == both


async def test_an_answer_sent_with_an_old_checkpoint_decides_nothing(durable_url):
    """HUM-18: LangGraph replays the old answer there; what is open now stays open."""
    skills = FakeSkills()
    async with open_persistence(durable_url) as persistence:
        flow = workflow(skills, persistence=persistence)
        asked = await flow.start("q", thread_id="t")
        graph = SearchSession.graph(persistence, skills.skills)
        old = (await graph.aget_state(CONFIG)).config
        await reply_to(flow, "t", "approve")
        with pytest.raises(errors.StaleDecisionError):
            await flow.answer("t", {"action": "reject", "checkpoint": asked.reference})
        await graph.ainvoke(Command(resume={"action": "reject", "note": "no"}), old)
        assert (await flow.pending("t")).kind is RESULT
        assert skills.requests[-1].user_feedback is None


async def test_a_client_that_jumps_over_the_question_searches_nothing(durable_url):
    """SEC-03: `goto`, and a state written in the name of the asking step."""
    skills = FakeSkills()
    async with open_persistence(durable_url) as persistence:
        await workflow(skills, persistence=persistence).start("q", thread_id="t")
        graph = SearchSession.graph(persistence, skills.skills)
        with pytest.raises(errors.UnapprovedStrategyError, match="no person approved"):
            await graph.ainvoke(Command(goto="search"), CONFIG)
        terms = {"workflow_params": {"enable_strategy_checkpoint": False}}
        with pytest.raises(errors.UnapprovedStrategyError):
            await graph.ainvoke(Command(goto="search", update=terms), CONFIG)
        await graph.aupdate_state(CONFIG, {OUTCOME: "approve"}, as_node="confirm_strategy")
        with pytest.raises(errors.UnapprovedStrategyError):
            await graph.ainvoke(None, CONFIG)
        assert "search" not in skills.calls


async def test_a_strategy_swapped_after_its_approval_is_not_searched(durable_url):
    """SEC-03: what was approved is what runs."""
    skills = FakeSkills()
    async with open_persistence(durable_url) as persistence:
        await workflow(skills, persistence=persistence).start("q", thread_id="t")
        graph = SearchSession.graph(persistence, skills.skills)
        strategy = (await graph.aget_state(CONFIG)).values["strategy"]
        strategy["queries"][0]["boolean_query"] = "something else"
        with pytest.raises(errors.UnapprovedStrategyError):
            await graph.ainvoke(Command(resume="approve", update={"strategy": strategy}), CONFIG)
        assert "search" not in skills.calls


async def test_pruning_keeps_the_open_question_and_the_end(durable_url):
    """PER-19."""
    script = ["approve", mark_last]
    async with open_persistence(durable_url) as persistence:
        flow = workflow(persistence=persistence)
        review = await at_result(flow)
        asked = await reply_to(flow, "t", mark_last(review))
        before = run_sql(durable_url, "SELECT COUNT(*) FROM checkpoints")[0][0]
        catalog = ThreadCatalog(persistence)
        await catalog.prune("t")
        await persistence.compact()
        assert before > 5
        assert run_sql(durable_url, "SELECT COUNT(*) FROM checkpoints")[0][0] == 1
        assert await flow.pending("t") == asked
        with pytest.raises(errors.StaleDecisionError, match="pruned"):
            await flow.fork("t", STRATEGY)
        result = await workflow(
            handler=ScriptedHandler(otherwise="approve"), persistence=persistence
        ).resume("t")
        whole = workflow(handler=ScriptedHandler([*script, "approve", "approve"]))
        assert result == await whole.run("q")
        with pytest.raises(errors.ThreadNotFoundError):
            await catalog.prune("nobody")


async def test_a_driven_thread_is_not_pruned(durable_url):
    """PER-13."""
    import asyncio
    import contextvars

    async with open_persistence(durable_url) as persistence:
        await workflow(persistence=persistence).start("q", thread_id="t")
        async with persistence.leases.hold("t"):
            pruning = ThreadCatalog(persistence).prune("t")
            with pytest.raises(errors.ThreadBusyError):
                await asyncio.create_task(pruning, context=contextvars.Context())


async def test_of_a_deleted_thread_no_row_is_left_anywhere(durable_url):
    """PER-20: in no table, under no column; `_` in its name stands for itself."""
    async with open_persistence(durable_url) as persistence:
        for name in ("go_ne", "go.ne"):
            handler = ScriptedHandler(["approve", mark_last, "approve", "approve"])
            flow = workflow(handler=handler, persistence=persistence)
            await flow.run("q", thread_id=name)
            named = {"run_id": name, "kind": "result_review", "iteration": 1}
            with pytest.raises(errors.StaleDecisionError):
                await reply_to(flow, name, {"action": "reject", "checkpoint": named})
        assert tables_with(durable_url, "go_ne") >= {
            "checkpoints",
            "store",
            "paper_search_decisions",
            "paper_search_audit",
        }
        await ThreadCatalog(persistence).delete("go_ne")
        assert tables_with(durable_url, "go_ne") == set()
        assert len(tables_with(durable_url, "go.ne")) >= 4
        await ThreadCatalog(persistence).delete("go.ne")
        assert tables_with(durable_url, "go.ne") == set()


def tables_with(url: str, thread_id: str) -> set[str]:
    """Return the tables in which any column of any row speaks of a thread."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if not url.startswith("sqlite"):
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    names = [str(name) for (name,) in run_sql(url, query)]
    return {
        name
        for name in names
        if any(thread_id in str(row) for row in run_sql(url, f"SELECT * FROM {name}"))  # noqa: S608  # its own names
    }
