"""A graph of somebody else's, for tests: it asks once whether what it found is enough."""

from collections.abc import Awaitable, Callable
from typing import Literal

from scripts.docs import EXAMPLES

from paper_search.steps import (
    Outcome,
    StepContext,
    StepDef,
    StepUpdate,
    Workflow,
    discover_workflows,
)
from paper_search.threads.catalog import BriefInfo, Catalog
from paper_search.threads.engine import ThreadEngine
from paper_search.threads.questions import ThreadDecision, ThreadQuestion, answer_model
from paper_search.threads.records import ROOT, RecordStore
from paper_search.threads.session import ThreadSession

LOOP = discover_workflows(EXAMPLES)["confidence_loop"]
OK, APPROVE, REJECT, ITERATE = Outcome.OK, Outcome.APPROVE, Outcome.REJECT, Outcome.ITERATE
Approve, Reject = Literal[Outcome.APPROVE], Literal[Outcome.REJECT]


class State(LOOP.state):
    """The state of the example, with what its threads begin with and how often it asked."""

    wanted_papers: str = ""
    asked: int = 0
    is_complete: bool = False


class LookRecords(RecordStore):
    """The index of these threads; their records are all in the state."""

    listed_in = (ROOT, "looks")


Context = StepContext[State, None, Callable[[], Awaitable[None]] | None]


async def take(ctx: Context) -> tuple[Literal[Outcome.OK], StepUpdate]:
    """Take the shelf from the words that the thread begins with."""
    words = ctx.step_state.wanted_papers
    await LookRecords(ctx.store, ctx.thread_id).index(words)
    return OK, {"shelf": words.split()}


async def confirm(ctx: Context) -> tuple[Approve | Reject, StepUpdate]:
    """Ask whether that is enough."""
    state = ctx.step_state
    question = ThreadQuestion(
        kind="enough",
        run_id=ctx.thread_id,
        number=state.asked + 1,
        shows={"found": state.found},
        actions=["approve", "reject"],
        token=ctx.token,
    )
    decision: ThreadDecision = ctx.ask(question, answer_model(question))
    return (APPROVE if decision.action == "approve" else REJECT), {"asked": question.number}


async def end(ctx: Context) -> tuple[Literal[Outcome.OK], StepUpdate]:
    """End, after what the test wants to happen before that."""
    if ctx.services is not None:
        await ctx.services()
    return OK, {"is_complete": True}


WORKFLOW = Workflow(
    "asked_loop",
    StepDef("take", "Take the shelf", handler=take, next={OK: "investigate"}),
    StepDef(
        "investigate",
        "Look at one more paper",
        handler=LOOP["investigate"].handler,
        next={OK: "confirm", ITERATE: "investigate"},
        bound="max_iterations",
    ),
    StepDef(
        "confirm",
        "Ask: is that enough?",
        handler=confirm,
        next={APPROVE: "formulate", REJECT: "investigate"},
    ),
    StepDef("formulate", "Say it", handler=LOOP["formulate"].handler, next={OK: "end"}),
    StepDef("end", "End", handler=end, next={OK: None}),
    state=State,
)


class LookSession(ThreadSession[State, ThreadQuestion, str]):
    """Reads and drives one look."""

    workflow = WORKFLOW
    begins_with = "wanted_papers"
    noun = "look"
    records_type = LookRecords

    async def result(self) -> str:
        """Return what was found, in words."""
        return str((await self.state()).answer)


class LookCatalog(Catalog[LookSession, BriefInfo]):
    listed_in = LookRecords.listed_in
    begins_with = LookSession.begins_with
    session_type = LookSession


Looks = ThreadEngine[LookSession, ThreadQuestion, str]
