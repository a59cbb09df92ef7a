"""Whatever people, silence and crashes do to a report, it stands where its decisions put it."""

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from tests.answers import reply_to
from tests.report_workflow.doubles import dying, later, report_workflow
from tests.threads.machine import ThreadMachine, run_machine
from tests.workflow.doubles import Crash

from paper_search import errors
from paper_search.report.document import Report
from paper_search.report_workflow import ReportWorkflow, Review
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.testing.reports import QUESTION

ANSWERS = {
    "approve": {"action": "approve"},
    "skip": {"action": "skip"},
    "reject": {"action": "reject", "feedback": "no"},
    "modify": {"action": "modify", "feedback": "more on dry cities"},
}
PLAN, OUTPUT = "plan_review", "pre_output_review"
LEADS_TO: dict[tuple[str, str], str] = {
    (PLAN, "approve"): OUTPUT,
    (PLAN, "skip"): OUTPUT,
    (PLAN, "modify"): PLAN,
    (PLAN, "reject"): "rejected_by_person",
    (PLAN, "silence"): OUTPUT,
    (OUTPUT, "approve"): "approved",
    (OUTPUT, "skip"): "not_reviewed",
    (OUTPUT, "modify"): OUTPUT,
    (OUTPUT, "reject"): "rejected_by_person",
}
"""Question and answer, to the next question or to how the report ends: the whole of the rules."""
STEPS = tuple(step.id for step in WORKFLOW.steps)
MOST_REVIEWS = 4


class ReportMachine(ThreadMachine):
    """One report."""

    question, number, reason = "review", "number", "feedback"
    folder: Path
    count = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).count += 1
        self._url = f"sqlite:///{self.folder / str(self.count)}.db"
        self._expected = PLAN
        self._number = 1
        self._decided: list[str] = []

    @initialize()
    def start(self) -> None:
        asyncio.run(self.flow().start(QUESTION, thread_id="t"))

    def flow(self, url: str | None = None) -> ReportWorkflow:
        limits = {"max_human_reviews": MOST_REVIEWS, "auto_approve_on_timeout": [PLAN]}
        return report_workflow(persistence=url or self._url, **limits)

    @property
    def is_open(self) -> bool:
        return self._expected in {PLAN, OUTPUT}

    def _taken(self, name: str) -> bool:
        return name != "modify" or self._number < MOST_REVIEWS

    def decision(self, name: str) -> dict[str, Any]:
        asked = {"run_id": "t", "kind": self._expected, "number": self._number}
        return {**ANSWERS[name], "review": asked}

    def _count(self, name: str, decision: dict[str, Any] | None = None) -> None:
        self._decided.append(name)
        if decision is not None:
            self.sent.append(decision)
        self._expected = LEADS_TO[self._expected, name]
        self._number += self.is_open

    @precondition(lambda self: self.is_open)
    @rule(name=st.sampled_from(sorted(ANSWERS)))
    def decide(self, name: str) -> None:
        decision = self.decision(name)
        if self._taken(name):
            asyncio.run(self.flow().answer("t", decision))
            self._count(name, decision)
        else:
            with pytest.raises(errors.InvalidDecisionError):
                asyncio.run(self.flow().answer("t", decision))

    @precondition(lambda self: self.is_open)
    @rule(name=st.sampled_from(["approve", "reject", "skip"]), fatal=st.sampled_from(STEPS))
    def decide_and_crash(self, name: str, fatal: str) -> None:
        """The decision was taken; the process died on its way to the next question, or not."""
        decision = self.decision(name)
        with contextlib.suppress(Crash), dying(fatal):
            asyncio.run(self.flow().answer("t", decision))
        self._go_on_with(decision)
        self._count(name, decision)

    def _go_on_with(self, decision: dict[str, Any]) -> None:
        """Give the decision once more, which is not applied twice, and go on if it was taken."""
        try:
            asyncio.run(self.flow().answer("t", decision))
        except errors.ThreadNotWaitingError:
            asyncio.run(self.flow().proceed("t"))
        except (errors.StaleDecisionError, errors.ThreadFinishedError):
            return

    @precondition(lambda self: self.is_open)
    @rule(is_late=st.booleans())
    def stay_silent(self, is_late: bool) -> None:  # noqa: FBT001  # drawn by hypothesis
        """Silence approves the plan when its time is over, and nothing else."""
        if self._expected == PLAN and is_late:
            with later(hours=3):
                asyncio.run(self.flow().proceed("t"))
            self._count("silence")
            return
        with later(hours=3 if is_late else 0), pytest.raises(errors.ThreadWaitingError):
            asyncio.run(self.flow().proceed("t"))

    @invariant()
    def stands_where_its_decisions_put_it(self) -> None:
        asyncio.run(self._compare())

    async def _compare(self) -> None:
        flow = self.flow()
        review = await flow.pending("t")
        if self.is_open:
            assert (review.kind, review.number) == (self._expected, self._number)
            return
        assert review is None
        report = await flow.report("t")
        assert report.provenance["ended_by"] == self._expected
        assert report.provenance["is_approved_by_person"] is (self._expected == "approved")
        told = [row for row in report.provenance["checkpoints"] if " Review: " in row]
        assert len(told) == len(self._decided)

    def teardown(self) -> None:
        if self._decided and not self.is_open:
            asyncio.run(self._compare_with_undisturbed())

    async def _compare_with_undisturbed(self) -> None:
        """The report is the one that the same decisions make where nothing goes wrong."""
        flow = self.flow("memory:")
        reached: Review | Report = await flow.start(QUESTION, thread_id="t")
        for name in self._decided:
            if name == "silence":
                with later(hours=3):
                    reached = await flow.proceed("t")
            else:
                reached = await reply_to(flow, "t", ANSWERS[name])
        assert isinstance(reached, Report)
        assert text_of(await self.flow().report("t")) == text_of(reached)


def text_of(report: Report) -> dict[str, Any]:
    """Return what is in a report, without when it was found."""
    included = {"title", "abstract", "sections", "conclusion", "references", "sources", "status"}
    shown = report.model_dump(mode="json", include=included)
    for source in shown["sources"]:
        del source["retrieved_at"]
    return shown


@pytest.mark.slow
def test_a_report_stands_where_its_decisions_put_it(tmp_path):
    """HUM-01 HUM-02 HUM-03 HUM-07 HUM-08 HUM-09 HUM-10 HUM-14 PER-04."""
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        machine = type("Machine", (ReportMachine,), {"folder": Path(folder)})
        # Shrinking takes longer than a test may.
        run_machine(machine, examples=10, steps=10, phases=[Phase.generate])


def test_the_machine_knows_every_answer_to_every_question():
    known = {(question, answer) for question in (PLAN, OUTPUT) for answer in ANSWERS}
    assert set(LEADS_TO) == known | {(PLAN, "silence")}
