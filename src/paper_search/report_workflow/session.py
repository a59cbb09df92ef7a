"""One report's thread, driven: every door of the program goes through here."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from paper_search.errors import (
    PersistenceError,
    ThreadExistsError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadNotWaitingError,
    ThreadWaitingError,
)
from paper_search.persistence import Persistence
from paper_search.report.models import SearchResult, now
from paper_search.report_workflow.breakpoints import HITLAction, Review, ReviewDecision
from paper_search.report_workflow.decisions import check_decision
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.report_workflow.services import ReportServices
from paper_search.report_workflow.shelf import ReportShelf
from paper_search.report_workflow.state import SCHEMA_VERSION, ReportParams, WorkflowState
from paper_search.steps.compiler import PARAMS, compile_workflow

Events = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True)
class OpenReview:
    """A question that waits on a thread, and the interrupt that an answer must name."""

    interrupt_id: str
    review: Review

    def is_overdue(self, at: datetime | None = None) -> bool:
        """Whether the time to answer is over."""
        return (at or now()) >= self.review.expires_at


def report_graph(persistence: Persistence, services: ReportServices | None = None) -> Any:
    """Return the research-report graph on a place for threads; without services, to read only."""
    return compile_workflow(
        WORKFLOW,
        services=services,
        checkpointer=persistence.checkpointer,
        store=persistence.store,
    )


class ReportSession:
    """Reads and drives one report.

    Args:
        graph: made by `report_graph` on the same place.
        persistence: where the thread lives.
        thread_id: which one.
        events: takes what the steps report.
    """

    def __init__(
        self,
        graph: Any,
        persistence: Persistence,
        thread_id: str,
        events: Events = lambda _event, _details: None,
    ) -> None:
        self._graph = graph
        self._persistence = persistence
        self._thread_id = thread_id
        self._events = events
        # Strict: an answer to a question that is not open is an error, and changes nothing.
        self._config: RunnableConfig = {
            "configurable": {"thread_id": thread_id, "__pregel_strict_resume": True},
        }

    @property
    def shelf(self) -> ReportShelf:
        """Return where the records of the report are."""
        return ReportShelf(self._persistence.store, self._thread_id)

    @contextlib.asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        """Hold the thread against other processes.

        Raises:
            ThreadBusyError: another one drives it.
        """
        async with self._persistence.leases.hold(self._thread_id):
            yield

    async def begin(self, question: str, params: ReportParams) -> None:
        """Run a new report up to its first question or its end.

        Raises:
            ThreadExistsError: the thread carries something already.
        """
        config: RunnableConfig = {"configurable": {"thread_id": self._thread_id}}
        if await self._persistence.checkpointer.aget_tuple(config) is not None:
            raise ThreadExistsError(
                f"thread {self._thread_id!r} is in use already; "
                "resume it, or start another one without naming a thread"
            )
        await self._run({"original_query": question, PARAMS: params.model_dump(mode="json")})

    async def proceed(self) -> None:
        """Go on with a report that stopped in the middle of its steps.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadFinishedError: it is done.
            ThreadWaitingError: it waits for a decision.
        """
        await self._require_unfinished()
        if await self.open_review() is not None:
            raise ThreadWaitingError(f"report {self._thread_id!r} waits for a decision")
        await self._run(None)

    async def answer(self, question: OpenReview, decision: Any) -> None:
        """Give a person's decision on a question and run up to the next one or the end.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another question.
        """
        valid = check_decision(question.review, decision)
        await self._resume(question, valid.model_copy(update={"decided_by": "person"}))

    async def approve_by_timeout(self, question: OpenReview) -> bool:
        """Approve what nobody answered in time, if the run is set to; return whether it was."""
        if not (question.review.auto_approve_on_timeout and question.is_overdue()):
            return False
        silence = ReviewDecision(action=HITLAction.APPROVE, decided_by="timeout")
        await self._resume(question, silence)
        return True

    async def state(self) -> WorkflowState:
        """Return the state of the report.

        Raises:
            ThreadNotFoundError: there is no such report.
            PersistenceError: another version of the program wrote it.
        """
        return self._read(await self.snapshot())

    async def results(self) -> list[SearchResult]:
        """Return everything that was collected, in order."""
        return await self.shelf.results((await self.state()).result_ids)

    async def snapshot(self) -> Any:
        """Return LangGraph's snapshot of the thread.

        Raises:
            ThreadNotFoundError: there is no such report.
        """
        snapshot = await self._graph.aget_state(self._config)
        # A thread that died before its first step has no values yet.
        is_other = bool(snapshot.values) and "original_query" not in snapshot.values
        if not snapshot.metadata or is_other:
            raise ThreadNotFoundError(
                f"no report {self._thread_id!r}; `paper-search threads` lists those there are"
            )
        return snapshot

    async def open_review(self) -> OpenReview | None:
        """Return the question that waits for a person; None: none does."""
        snapshot = await self.snapshot()
        if not snapshot.interrupts:
            return None
        interrupt = snapshot.interrupts[0]
        return OpenReview(interrupt.id, Review.model_validate(interrupt.value))

    async def require_review(self) -> OpenReview:
        """Return the question that waits for a person.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadFinishedError: it is done.
            ThreadNotWaitingError: it stopped between two questions.
        """
        await self._require_unfinished()
        question = await self.open_review()
        if question is None:
            raise ThreadNotWaitingError(
                f"report {self._thread_id!r} does not wait for a decision: it stopped between "
                "two questions. Resume it without a decision first; none was used"
            )
        return question

    async def is_driven(self) -> bool:
        """Whether a living process drives the report at this moment."""
        return await self._persistence.leases.is_held(self._thread_id)

    async def _require_unfinished(self) -> None:
        if (await self.state()).is_complete:
            raise ThreadFinishedError(
                f"report {self._thread_id!r} is done; there is nothing to resume. "
                "Write it out with `paper-search report --show`, or start a new one"
            )

    def _read(self, snapshot: Any) -> WorkflowState:
        values = snapshot.values
        version = values.get("schema_version", SCHEMA_VERSION)
        if version != SCHEMA_VERSION:
            raise PersistenceError(
                f"report {self._thread_id!r} was written with schema version {version}; "
                f"this program reads {SCHEMA_VERSION}"
            )
        known = {name: values[name] for name in WorkflowState.model_fields if name in values}
        return WorkflowState.model_validate(known)

    async def _resume(self, question: OpenReview, decision: ReviewDecision) -> None:
        named = decision.model_copy(update={"review": question.review.reference})
        answer = named.model_dump(mode="json")
        await self._run(Command(resume={question.interrupt_id: answer}))

    async def _run(self, graph_input: Any) -> None:
        stream = self._graph.astream(
            graph_input, self._config, stream_mode=["custom"], durability="sync"
        )
        async for _mode, event in stream:
            details = {name: value for name, value in event.items() if name != "event"}
            self._events(event["event"], details)
