"""An answer counts for the question that its author saw, through every door."""

import dataclasses
import itertools
from datetime import UTC, datetime, timedelta

import pytest
from langgraph.types import Command
from tests.workflow.doubles import workflow

from paper_search.config import AppConfig
from paper_search.errors import AlreadyDecidedError, InvalidDecisionError, StaleDecisionError
from paper_search.persistence import DecisionLedger, Persistence, open_persistence
from paper_search.server.access import Access, SharedPersistence
from paper_search.server.leased import leased
from paper_search.steps.compiler import compile_workflow
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, CheckpointKind, SearchWorkflow
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.session import SearchSession

RESULT = CheckpointKind.RESULT_REVIEW


class Clock:
    """The time of the ledger, which a test sets forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()
        self._ticks = itertools.count()

    def __call__(self) -> str:
        return (
            datetime.now(UTC) + self.ahead + timedelta(microseconds=next(self._ticks))
        ).isoformat()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def persistence(clock: Clock) -> Persistence:
    opened = await open_memory()
    return dataclasses.replace(opened, ledger=DecisionLedger(clock=clock))


@pytest.fixture
async def flow(persistence: Persistence) -> SearchWorkflow:
    """A search that waits with its strategy."""
    search = workflow(persistence=persistence)
    await search.start("q", thread_id="t")
    return search


@pytest.fixture
def other(persistence: Persistence) -> SearchWorkflow:
    """The same search in another program, which was shown nothing."""
    return workflow(persistence=persistence)


async def test_a_bare_approval_given_twice_approves_one_question_however_late(flow, other, clock):
    result = await flow.answer("t", "approve", by="ada")
    clock.ahead = timedelta(days=1)
    with pytest.raises(StaleDecisionError) as told:
        await other.answer("t", "approve", by="ada")
    assert "ada decided (approve); after that" in str(told.value)
    assert f"`paper-search resume t --approve --token {result.token}`" in str(told.value)
    assert (await flow.pending("t")).kind is RESULT


async def test_a_bare_answer_to_a_question_that_was_decided_since_answers_no_later_one(flow, other):
    await other.pending("t")
    await flow.answer("t", "reject: newer ones", by="ada")
    with pytest.raises(AlreadyDecidedError, match=r"\(reject\) by ada"):
        await other.answer("t", {"action": "approve"}, by="bob")
    assert (await flow.pending("t")).kind is CheckpointKind.STRATEGY_CONFIRMATION


async def test_an_answer_with_its_token_counts_once_and_at_once(flow):
    strategy = await flow.pending("t")
    click = {"action": "approve", "token": strategy.token}
    result = await flow.answer("t", click, by="ada")
    assert result.token != strategy.token
    assert await flow.answer("t", click, by="bob") == result, "the same again changes nothing"
    with pytest.raises(AlreadyDecidedError, match="by ada"):
        await flow.answer("t", "reject: no", token=strategy.token, by="bob")
    with pytest.raises(StaleDecisionError, match=f"open question is .* {result.token}"):
        await flow.answer("t", "approve", token="00000000")
    assert not isinstance(await flow.answer("t", "approve", token=result.token), Checkpoint)


async def test_what_is_no_decision_is_refused_as_such_first(flow):
    await flow.answer("t", "approve")
    with pytest.raises(InvalidDecisionError, match="approve please"):
        await flow.answer("t", "approve please")


async def test_who_goes_back_to_a_question_asks_it_under_another_token(flow, other):
    strategy = await flow.pending("t")
    await flow.answer("t", "approve", by="ada")
    again = await flow.fork("t", CheckpointKind.STRATEGY_CONFIRMATION, by="eve")
    assert again.token != strategy.token
    with pytest.raises(StaleDecisionError, match="eve went back"):
        await other.answer("t", "approve", by="ada")
    with pytest.raises(StaleDecisionError):
        await flow.answer("t", "approve", token=strategy.token, by="ada")
    assert await flow.answer("t", "approve", token=again.token, by="ada")


@pytest.mark.parametrize(
    "said",
    [
        lambda token: {"type": "accept", "token": token},
        lambda token: [{"type": "accept", "token": token}],
        lambda token: {"decisions": [{"type": "approve"}], "token": token},
        lambda token: {"action": "accept", "content": {"action": "approve", "token": token}},
        lambda token: f'{{"action": "approve", "token": "{token}"}}',
    ],
)
async def test_every_clients_shape_can_carry_the_token(flow, said):
    result = await flow.answer("t", "approve")
    with pytest.raises(StaleDecisionError):
        await flow.answer("t", said("00000000"))
    assert not isinstance(await flow.answer("t", said(result.token)), Checkpoint)


async def test_the_question_of_the_graph_carries_its_token_and_its_form_is_filled_in():
    graph = SearchSession.graph(await open_memory(), FakeSkills().skills)
    config = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke({"question": "q"}, config)
    (interrupt,) = (await graph.aget_state(config)).interrupts
    token = interrupt.value["token"]
    assert interrupt.id.startswith(token)
    assert len(token) == 8
    form = interrupt.response_schema["properties"]
    assert form["token"]["default"] == token
    assert form["action"]["enum"] == ["approve", "edit", "reject"]
    assert "$ref" not in repr(form)
    assert not {"decided_by", "decided_at"} & set(form)


async def test_a_bare_langgraph_server_refuses_it_too(url):
    async with open_persistence(url) as persistence:
        compiled = compile_workflow(WORKFLOW, services=FakeSkills().skills)
        served = leased(compiled, Access(SharedPersistence(url), AppConfig())).copy(
            {"checkpointer": persistence.checkpointer, "store": persistence.store}
        )
        config = {"configurable": {"thread_id": "t"}}
        await served.ainvoke({"question": "q"}, config)
        await served.ainvoke(Command(resume="approve"), config)
        with pytest.raises(StaleDecisionError):
            await served.ainvoke(Command(resume="approve"), config)
        (interrupt,) = (await served.aget_state(config)).interrupts
        assert interrupt.value["kind"] == "result_review"
        named = {"action": "approve", "token": interrupt.value["token"]}
        ended = await served.ainvoke(Command(resume=named), config)
        assert ended["is_complete"]
