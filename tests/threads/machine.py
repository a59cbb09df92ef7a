"""What people may send to a thread of either graph, as rules; what follows is the graph's own."""

import asyncio
import contextlib
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from tests.answers import reply_to

from paper_search import errors

MALFORMED = (
    *(None, "", "yes", {}, [], 7, "goto: output"),
    *({"action": "buy"}, {"action": "modify"}, {"action": "edit", "revised_data": 3}),
)


class ThreadMachine(RuleBasedStateMachine):
    """One thread, which every rule opens anew, as another process would.

    Subclasses say how (`flow`), whether a question is open (`is_open`), how an answer names it
    (`decision`), and what of an answer has that name, with its number, and a reason.
    """

    question: str
    number: str
    reason: str

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[dict[str, Any]] = []
        """Decisions that had an effect."""

    @precondition(lambda self: self.is_open)
    @rule(answer=st.sampled_from(MALFORMED))
    def send_nonsense(self, answer: Any) -> None:
        with pytest.raises(errors.InvalidDecisionError):
            asyncio.run(reply_to(self.flow(), "t", answer))

    @precondition(lambda self: bool(self.sent))
    @rule(which=st.integers(min_value=0))
    def send_again(self, which: int) -> None:
        """The same decision on the same question: it changes nothing."""
        with contextlib.suppress(errors.ThreadError):
            asyncio.run(self.flow().answer("t", self.sent[which % len(self.sent)]))

    @precondition(lambda self: bool(self.sent))
    @rule(which=st.integers(min_value=0))
    def change_ones_mind(self, which: int) -> None:
        """Another decision on a question that was decided: it is refused."""
        sent = self.sent[which % len(self.sent)]
        other = "reject" if sent["action"] == "approve" else "approve"
        late = {"action": other, self.reason: "no", self.question: sent[self.question]}
        with pytest.raises(
            (errors.AlreadyDecidedError, errors.StaleDecisionError, errors.ThreadFinishedError)
        ):
            asyncio.run(self.flow().answer("t", late))

    @precondition(lambda self: self.is_open)
    @rule()
    def answer_another_question(self) -> None:
        other = self.decision("approve")
        other[self.question][self.number] += 7
        with pytest.raises(errors.StaleDecisionError):
            asyncio.run(self.flow().answer("t", other))


def run_machine(machine: type[ThreadMachine], examples: int, steps: int, **limits: Any) -> None:
    limits |= {"deadline": None, "suppress_health_check": list(HealthCheck)}
    rules = settings(max_examples=examples, stateful_step_count=steps, **limits)
    run_state_machine_as_test(machine, settings=rules)
