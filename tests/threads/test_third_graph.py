"""A graph of somebody else's: its table, its nodes, its question and its result are enough."""

from unittest.mock import AsyncMock, Mock

import pytest
from tests.answers import reply_to
from tests.threads.looks import LookCatalog, Looks, LookSession

from paper_search import errors
from paper_search.persistence import Persistence
from paper_search.threads.catalog import ThreadStatus
from paper_search.workflow.session import SearchSession


@pytest.fixture
def looks(persistence: Persistence) -> Looks:
    return Looks(LookSession, persistence=persistence)


async def test_it_asks_and_an_answer_takes_it_to_its_result(looks):
    question = await looks.start("a b c", thread_id="t")
    assert (question.kind, question.shows) == ("enough", {"found": ["a", "b"]})
    assert await reply_to(looks, "t", "approve") == "2 papers (high)"
    with pytest.raises(errors.ThreadFinishedError):
        await reply_to(looks, "t", "approve")


async def test_a_handler_answers_what_it_asks(persistence):
    approving = Mock(handle=AsyncMock(return_value="approve"))
    looks = Looks(LookSession, handler=approving, persistence=persistence)
    assert await looks.run("a b") == "2 papers (high)"


async def test_without_a_handler_its_question_stays_open(looks):
    with pytest.raises(errors.ThreadWaitingError, match="enough number 1"):
        await looks.run("a b", thread_id="t")
    assert (await looks.pending("t")).number == 1


@pytest.mark.parametrize("answer", ["edit: other", "perhaps", {"action": "approve", "more": 1}])
async def test_what_cannot_be_used_leaves_its_question_open(looks, answer):
    question = await looks.start("a b", thread_id="t")
    with pytest.raises(errors.InvalidDecisionError):
        await reply_to(looks, "t", answer)
    assert await looks.pending("t") == question


async def test_its_threads_are_listed_with_who_decided_what_and_deleted(looks, persistence):
    await looks.start("a b", thread_id="t")
    catalog = LookCatalog(persistence)
    (info,) = await catalog.threads()
    assert (info.graph, info.question, info.status) == ("asked_loop", "a b", ThreadStatus.WAITING)
    await reply_to(looks, "t", "approve", by="ada")
    (decision,) = await catalog.decisions("t")
    assert (decision.by, decision.detail["action"]) == ("ada", "approve")
    await catalog.delete("t")
    assert await catalog.threads() == []


async def test_no_other_graph_takes_its_threads(looks, persistence):
    await looks.start("a b", thread_id="t")
    with pytest.raises(errors.ThreadNotFoundError, match="not a search"):
        await SearchSession.on(persistence, "t").state()
