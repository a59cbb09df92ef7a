"""ReportWorkflow: the research-report graph, driven from Python."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from paper_search.errors import ConfigError, QuestionError, ThreadWaitingError
from paper_search.persistence import Persistence, open_persistence
from paper_search.report.document import Report
from paper_search.report.exchange import MAX_QUESTION_CHARS, MIN_QUESTION_CHARS
from paper_search.report.models import now
from paper_search.report_workflow.breakpoints import (
    BreakpointName,
    Review,
    ReviewDecision,
    ReviewHandler,
)
from paper_search.report_workflow.services import ReportServices
from paper_search.report_workflow.session import OpenReview, ReportSession, report_graph
from paper_search.report_workflow.state import ReportParams
from paper_search.workflow.decisions import listed
from paper_search.workflow.engine import open_memory
from paper_search.workflow.phases import PhaseTeller, ProgressReporter
from paper_search.workflow.requests import checked_thread
from paper_search.workflow.settling import settle

if TYPE_CHECKING:
    from paper_search.config import AppConfig

_SURROGATE = re.compile(r"[\ud800-\udfff]")


class ReportWorkflow:
    """Writes research reports with a person in the loop, on threads that can be resumed.

    Args:
        services: what searches, reads and thinks.
        review_handler: answers the questions; None: nobody is asked by `run`.
        progress_reporter: takes the name of a step and its details; what it raises is logged only.
        persistence: where threads live: a URL, or an open `Persistence`; None: in memory, for as
            long as this object lives.
        settings: of a run, by the names of `ReportParams`.

    Raises:
        ConfigError: a setting is unknown or out of its range.
    """

    def __init__(
        self,
        services: ReportServices,
        review_handler: ReviewHandler | None = None,
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        **settings: Any,
    ) -> None:
        self._services = services
        self._handler = review_handler
        self._teller = PhaseTeller(progress_reporter, _phases)
        self._persistence = persistence
        self._memory: Persistence | None = None
        self._settings = settings
        self._params(is_asking=True)

    @classmethod
    def from_config(
        cls,
        config: AppConfig,
        review_handler: ReviewHandler | None = None,
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        sources: list[str] | None = None,
        **settings: Any,
    ) -> ReportWorkflow:
        """Return the workflow that the settings describe.

        Args:
            config: which model, which sources, which limits.
            review_handler: see the class.
            progress_reporter: see the class.
            persistence: see the class.
            sources: search only these, also where the settings have them switched off.
            settings: see the class.

        Raises:
            ConfigError: a model or a source lacks a setting that it needs.
            UnknownNameError: a source of that name is not installed.
        """
        from paper_search.report_workflow.assembly import assemble_report  # noqa: PLC0415  # slow import

        settings.setdefault("max_pages", config.report_pages)
        wanted = config.model_copy(update={"report_pages": settings["max_pages"]})
        services = assemble_report(wanted, sources)
        return cls(
            services,
            review_handler,
            progress_reporter,
            persistence=persistence,
            sources=sources,
            **settings,
        )

    async def run(self, question: str, *, thread_id: str | None = None) -> Report:
        """Write a report to the end, asking the handler; without one, ask nobody.

        Args:
            question: the research question, of 10 to 2,000 characters.
            thread_id: names the thread, so that it can be resumed; None: a new UUID.

        Raises:
            QuestionError: the question is too short or too long.
            ThreadExistsError: the thread is in use.
        """
        text, thread = _question(question), checked_thread(thread_id)
        async with self._session(thread) as session, session.lease():
            await session.begin(text, self._params(is_asking=self._handler is not None))
            return await self._to_the_end(session)

    async def start(self, question: str, *, thread_id: str | None = None) -> Review | Report:
        """Work up to the first question, which is left open for whoever answers it.

        Raises:
            QuestionError: the question is too short or too long.
            ThreadExistsError: the thread is in use.
        """
        text, thread = _question(question), checked_thread(thread_id)
        async with self._session(thread) as session, session.lease():
            await session.begin(text, self._params(is_asking=True))
            return await self._standing(session)

    async def answer(
        self, thread_id: str, decision: ReviewDecision | Any, *, by: str | None = None
    ) -> Review | Report:
        """Answer the open question of a report and go on to the next one or the end.

        A decision counts once: given again for the question that it names, it changes nothing and
        returns how the report stands.

        Args:
            thread_id: which report.
            decision: a `ReviewDecision`, or what any client sends.
            by: who decides; None: who runs the program.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadFinishedError: it is done.
            ThreadNotWaitingError: it stopped between two questions; resume it first.
            ThreadBusyError: another process drives it.
            InvalidDecisionError: the decision cannot be used; the question stays open.
            StaleDecisionError: it answers another question.
            AlreadyDecidedError: that question was decided before, and differently.
        """
        async with self._session(checked_thread(thread_id)) as session:
            await settle(session, decision, by)
            return await self._standing(session)

    async def proceed(self, thread_id: str) -> Review | Report:
        """Go on with a report that stopped, up to the next question or the end.

        A question whose time is over is approved here, if the run is set to that, and only then. A
        decision that was stored by a process that died is applied.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadFinishedError: it is done.
            ThreadBusyError: another process drives it.
            ThreadWaitingError: it waits for a decision.
        """
        async with self._session(checked_thread(thread_id)) as session, session.lease():
            question = await session.open_question()
            if question is None or not await session.approve_by_timeout(question):
                await session.proceed()
            return await self._standing(session)

    async def resume(
        self,
        thread_id: str,
        decision: ReviewDecision | Any | None = None,
        *,
        by: str | None = None,
    ) -> Report:
        """Take a report to its end: answer what it waits for, ask the handler what comes after.

        Args:
            thread_id: which report.
            decision: the answer to the open question; None: the handler is asked.
            by: who decides; None: who runs the program.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadFinishedError: it is done.
            ThreadBusyError: another process drives it.
            ThreadWaitingError: it waits for a decision and nobody is there to give one.
            InvalidDecisionError: the decision cannot be used; the question stays open.
            StaleDecisionError: it answers another question.
            AlreadyDecidedError: that question was decided before, and differently.
        """
        async with self._session(checked_thread(thread_id)) as session:
            if decision is not None:
                await settle(session, decision, by)
                if (await session.state()).is_complete:
                    return await self._finished(session)
            async with session.lease():
                if await session.open_question() is None:
                    await session.proceed()
                return await self._to_the_end(session)

    async def pending(self, thread_id: str) -> Review | None:
        """Return the question that a report waits with; None: it does not wait.

        Raises:
            ThreadNotFoundError: there is no such report.
        """
        async with self._session(checked_thread(thread_id)) as session:
            question = await session.open_question()
            return question.review if question else None

    async def fork(
        self,
        thread_id: str,
        *kinds: BreakpointName,
        number: int | None = None,
        by: str | None = None,
    ) -> Review | Report:
        """Go back to a question that was decided, and ask it again.

        Args:
            thread_id: which report.
            kinds: which questions; none: any.
            number: which question of the report, from 1; None: the latest one that was decided.
            by: who does it; None: who runs the program.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadBusyError: another process drives it.
            StaleDecisionError: it was never decided, or the history was pruned.
        """
        async with self._session(checked_thread(thread_id)) as session, session.lease():
            await session.fork(kinds, number, by)
            return await self._standing(session)

    async def report(self, thread_id: str) -> Report:
        """Return the report of a finished thread.

        Raises:
            ThreadNotFoundError: there is no such report.
            ThreadWaitingError: it has not ended.
        """
        async with self._session(checked_thread(thread_id)) as session:
            if not (await session.state()).is_complete:
                raise ThreadWaitingError(f"report {thread_id!r} has not ended; resume it first")
            return await self._finished(session)

    def _params(self, *, is_asking: bool) -> ReportParams:
        unknown = sorted(set(self._settings) - set(ReportParams.model_fields))
        if unknown:
            known = ", ".join(ReportParams.model_fields)
            raise ConfigError(f"a report has no settings {unknown}; known: {known}")
        nobody = {} if is_asking else dict.fromkeys(_ASKS, False)
        try:
            return ReportParams.model_validate({**self._settings, **nobody})
        except ValidationError as error:
            raise ConfigError(f"the report cannot be set up: {listed(error)}") from None

    @contextlib.asynccontextmanager
    async def _session(self, thread_id: str) -> AsyncIterator[ReportSession]:
        async with contextlib.AsyncExitStack() as stack:
            persistence = self._persistence
            if persistence is None or persistence == "memory:":
                persistence = self._memory = self._memory or await open_memory()
            elif isinstance(persistence, str):
                persistence = await stack.enter_async_context(open_persistence(persistence))
            services = self._services
            if isinstance(self._persistence, Persistence):
                services = replace(services, collection=_reader(persistence))
            graph = report_graph(persistence, services)
            yield ReportSession(graph, persistence, thread_id, self._teller.events)

    async def _to_the_end(self, session: ReportSession) -> Report:
        while (question := await session.open_question()) is not None:
            decision = await self._decision(question)
            if decision is not None:
                await session.answer(question, decision)
            elif not await session.approve_by_timeout(question):
                raise ThreadWaitingError(
                    f"nobody answered the {question.review.name} of report "
                    f"{question.review.run_id!r} in time; it stays open"
                )
        return await self._finished(session)

    async def _standing(self, session: ReportSession) -> Review | Report:
        question = await session.open_question()
        if question is not None:
            self._teller.tell("waiting", {"kind": question.review.kind})
            return question.review
        return await self._finished(session)

    async def _finished(self, session: ReportSession) -> Report:
        self._teller.tell("completed", {"ended_by": (await session.state()).ended_by})
        return await session.report()

    async def _decision(self, question: OpenReview) -> Any | None:
        """Return the handler's decision; None: it did not answer in time."""
        review = question.review
        if self._handler is None:
            if question.is_overdue() and review.auto_approve_on_timeout:
                return None
            raise ThreadWaitingError(
                f"report {review.run_id!r} waits for a decision at {review.kind} and this "
                "workflow has no review handler; give one, or answer with a decision"
            )
        self._teller.tell("waiting", {"kind": review.kind})
        left = (review.expires_at - now()).total_seconds()
        try:
            async with asyncio.timeout(max(left, 0.0)):
                return await self._handler.handle(review)
        except TimeoutError:
            return None


_ASKS = ("hitl_after_planning", "hitl_before_output", "hitl_on_critical_issues")


def _phases(event: str, details: Mapping[str, Any]) -> list[str]:
    """Return what an event is called: a step by its name."""
    return [str(details.get("step", event))] if event == "step" else [event]


def _reader(persistence: Persistence) -> Any:
    from paper_search.report_workflow.assembly import finished_collection  # noqa: PLC0415  # slow import

    return lambda thread_id: finished_collection(persistence, thread_id)


def _question(text: str) -> str:
    words = " ".join(text.split())
    if not any(character.isalnum() for character in words) or _SURROGATE.search(words):
        raise QuestionError(f"the question {text[:80]!r} holds no words that can be read")
    if not MIN_QUESTION_CHARS <= len(words) <= MAX_QUESTION_CHARS:
        raise QuestionError(
            f"the question has {len(words):,} characters; a report takes {MIN_QUESTION_CHARS} to "
            f"{MAX_QUESTION_CHARS:,}"
        )
    return words
