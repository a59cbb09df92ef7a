"""Every sequence of decisions to depth 4, against the seeds' algorithm in plain Python."""

from functools import partial
from itertools import product

import pytest
from tests.workflow.doubles import unmarked
from tests.workflow.oracle import Oracle, decision_of

from paper_search.models import EndReason, PaperCollection
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, Decision, SearchWorkflow, ThreadCatalog

pytestmark = pytest.mark.slow

MAX_ITERATIONS = 2
ACTIONS = ("approve", "edit", "reject")


def sequences(length: int, rounds: int, *, is_strategy_asked: bool = True) -> list[tuple[str, ...]]:
    """Return the decisions that a run asks for, each way once: none after its end."""

    def asked(actions: tuple[str, ...]) -> int:
        at_strategy, left = is_strategy_asked, rounds
        for count, action in enumerate(actions, 1):
            if at_strategy and action != "reject":
                at_strategy = False
            elif action == "approve" or left == 1:
                return count
            else:
                at_strategy, left = is_strategy_asked, left - 1
        return length

    ways = (actions[: asked(actions)] for actions in product(ACTIONS, repeat=length))
    return list(dict.fromkeys(ways))


def reply(action: str, checkpoint: Checkpoint) -> Decision:
    return Decision.model_validate(decision_of(action, checkpoint))


@pytest.mark.parametrize("actions", sequences(4, MAX_ITERATIONS), ids="-".join)
async def test_the_graph_does_what_the_seeds_algorithm_does(actions):
    """REQ-9 REQ-10 REQ-12 REQ-14 REQ-15 REQ-16 REQ-20; PROP-5 PROP-7 PROP-8 PROP-9 PROP-10."""
    expected_skills, skills = FakeSkills(), FakeSkills()
    oracle = Oracle(expected_skills, MAX_ITERATIONS)
    expected = await oracle.run("q", list(actions))

    handler = ScriptedHandler([partial(reply, action) for action in actions])
    persistence = await open_memory()
    workflow = SearchWorkflow(
        *[skills] * 6, handler, max_iterations=MAX_ITERATIONS, persistence=persistence
    )
    result = await workflow.run("q", thread_id="t")

    assert [(request.kind.value, request.iteration) for request in handler.asked] == oracle.asked
    assert skills.calls == expected_skills.calls
    assert skills.searched == expected_skills.searched
    # The seeds know nothing of concepts, which follow a person's queries here.
    besides = {"marked_papers": True, "intent": {"concepts"}}
    assert [request.model_dump(exclude=besides) for request in skills.requests] == [
        request.model_dump(exclude=besides) for request in expected_skills.requests
    ]
    assert unmarked(result.papers) == expected.papers
    assert result.metadata.model_dump(exclude={"timestamp"}) == expected.metadata.model_dump(
        exclude={"timestamp"}
    )
    assert PaperCollection.model_validate(result.model_dump()) == result
    detail = await ThreadCatalog(persistence).show("t")
    assert [(entry.strategy, entry.result_count, entry.feedback) for entry in detail.history] == (
        oracle.history
    )
    assert [entry.iteration for entry in detail.history] == list(range(len(oracle.history)))
    assert detail.status.value == "done"
    reason = EndReason.APPROVED if oracle.is_approved else EndReason.LIMIT_REACHED
    assert result.ended_by is reason


@pytest.mark.parametrize("actions", sequences(3, 3, is_strategy_asked=False), ids="-".join)
async def test_without_the_strategy_checkpoint_too(actions):
    """REQ-11."""
    oracle = Oracle(FakeSkills(), 3, has_strategy_checkpoint=False)
    expected = await oracle.run("q", list(actions))
    handler = ScriptedHandler([partial(reply, action) for action in actions])
    workflow = SearchWorkflow(*[FakeSkills()] * 6, handler, 3, enable_strategy_checkpoint=False)
    result = await workflow.run("q")
    assert [(request.kind.value, request.iteration) for request in handler.asked] == oracle.asked
    assert unmarked(result.papers) == expected.papers
