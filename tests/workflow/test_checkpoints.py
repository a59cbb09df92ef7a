"""The models of checkpoints and decisions, as the seeds fix them."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from paper_search import models, workflow
from paper_search.errors import PersistenceError
from paper_search.testing.skills import ScriptedHandler, fake_strategy
from paper_search.workflow.checkpoints import parse_checkpoint

INTENT = models.ParsedIntent(
    topic="t",
    concepts=["c"],
    intent_type=models.IntentType.METHOD,
    constraints=models.SearchConstraints(),
)
COLLECTION = models.PaperCollection(
    metadata=models.SearchMetadata(query="q", search_strategy=fake_strategy("x"), total_found=0),
    papers=[],
    facets=models.Facets(),
)
STRATEGY = workflow.StrategyPayload(intent=INTENT, strategy=fake_strategy("x"))
RESULT = workflow.ResultPayload(collection=COLLECTION)


def test_the_values_of_kinds_and_actions_are_those_of_the_seeds():
    assert [member.value for member in workflow.CheckpointKind] == [
        "strategy_confirmation",
        "result_review",
    ]
    assert [member.value for member in workflow.DecisionAction] == ["approve", "edit", "reject"]


def test_what_need_not_be_given_has_the_default_of_the_seeds():
    assert (STRATEGY.iteration, RESULT.iteration, RESULT.accumulated_papers) == (0, 0, [])
    decision = workflow.Decision(action="approve")
    assert decision.action is workflow.DecisionAction.APPROVE
    assert (decision.revised_data, decision.note, decision.checkpoint) == (None, None, None)


def test_checkpoint_auto_fields():
    one, other = (workflow.Checkpoint(kind="result_review", payload=RESULT) for _ in range(2))
    assert str(uuid.UUID(one.run_id)) == one.run_id
    assert one.run_id != other.run_id
    moment = datetime.fromisoformat(one.timestamp)
    assert moment.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)
    assert one.iteration == 0


def test_checkpoint_handler_protocol():
    class Handler:
        async def handle(self, checkpoint: workflow.Checkpoint) -> workflow.Decision:  # noqa: ARG002  # the protocol
            return workflow.Decision(action=workflow.DecisionAction.APPROVE)

    assert isinstance(Handler(), workflow.CheckpointHandler)
    assert isinstance(ScriptedHandler(), workflow.CheckpointHandler)
    assert not isinstance(object(), workflow.CheckpointHandler)


@pytest.mark.parametrize("payload", [STRATEGY, RESULT])
@pytest.mark.parametrize("kind", workflow.CheckpointKind)
def test_a_checkpoint_comes_back_from_json_with_the_payload_that_it_had(kind, payload):
    """Also with a payload that does not fit its kind: rendering it is what must fail."""
    checkpoint = workflow.Checkpoint(kind=kind, payload=payload)
    again = workflow.Checkpoint.model_validate_json(checkpoint.model_dump_json())
    assert again == checkpoint
    assert type(again.payload) is type(payload)


def test_a_question_that_another_program_asked_is_refused_by_the_names_of_its_fields():
    with pytest.raises(PersistenceError, match=r"\(fields: payload, iteration\)"):
        parse_checkpoint({"kind": "result_review", "run_id": "r", "iteration": "x"})
