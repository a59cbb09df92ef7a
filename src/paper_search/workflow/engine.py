"""SearchWorkflow: the paper-search graph, driven from Python."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from paper_search.errors import (
    ConfigError,
    ThreadWaitingError,
)
from paper_search.models import PaperCollection
from paper_search.persistence import Persistence, open_persistence
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointHandler,
    CheckpointKind,
    Decision,
)
from paper_search.workflow.coercion import accumulate_relevant as _accumulate_relevant
from paper_search.workflow.coercion import coerce_feedback as _coerce_feedback
from paper_search.workflow.coercion import coerced
from paper_search.workflow.decisions import listed
from paper_search.workflow.phases import PhaseTeller, ProgressReporter
from paper_search.workflow.requests import checked_question, checked_thread
from paper_search.workflow.results import empty_collection
from paper_search.workflow.results import merge_papers as _merge_accumulated
from paper_search.workflow.session import OpenQuestion, ThreadSession, search_graph
from paper_search.workflow.settling import settle
from paper_search.workflow.skills import (
    BuildsQueries,
    Deduplicates,
    FillsGaps,
    Organizes,
    ParsesIntent,
    Scopes,
    Scores,
    Searches,
    Skills,
)
from paper_search.workflow.state import DEFAULT_MAX_ITERATIONS, SearchParams

if TYPE_CHECKING:
    from paper_search.config import AppConfig


class SearchWorkflow:
    """Finds literature with a person in the loop, on threads that can be resumed.

    Args:
        intent_parser: question to intent.
        query_builder: intent to strategy.
        searcher: strategy to records.
        deduplicator: records to works.
        relevance_scorer: works to verdicts.
        result_organizer: verdicts to a collection.
        checkpoint_handler: answers the checkpoints; None: nobody is asked by `run`.
        max_iterations: how many answers end the search without an approval.
        enable_strategy_checkpoint: ask before searching.
        progress_reporter: takes a phase and its details; what it raises is logged only.
        persistence: where threads live: a URL, or an open `Persistence`; None: in memory, for as
            long as this object lives.
        sources: search only these; None: the strategy's choice.
        max_results: give at most this many papers; None: no limit.
        must_find: papers that a good search finds, by DOI, arXiv id, PMID or title.
        gap_filler: looks up what works lack, in runs that want that.
        enrich: whether those that begin here want it.
        scoper: looks at hit counts before a strategy is asked; None: nobody does.

    Raises:
        ConfigError: a limit is out of its range.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # the frozen interface
        self,
        intent_parser: ParsesIntent,
        query_builder: BuildsQueries,
        searcher: Searches,
        deduplicator: Deduplicates,
        relevance_scorer: Scores,
        result_organizer: Organizes,
        checkpoint_handler: CheckpointHandler | None = None,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        enable_strategy_checkpoint: bool = True,  # noqa: FBT001, FBT002  # the frozen interface
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        sources: list[str] | None = None,
        max_results: int | None = None,
        must_find: Sequence[str] = (),
        gap_filler: FillsGaps | None = None,
        enrich: bool = False,
        scoper: Scopes | None = None,
    ) -> None:
        self._intent_parser = intent_parser
        self._query_builder = query_builder
        self._searcher = searcher
        self._deduplicator = deduplicator
        self._relevance_scorer = relevance_scorer
        self._result_organizer = result_organizer
        self._checkpoint_handler = checkpoint_handler
        self._max_iterations = max_iterations
        self._enable_strategy_checkpoint = enable_strategy_checkpoint
        self._teller = PhaseTeller(progress_reporter)
        self._persistence = persistence
        self._sources = sources
        self._max_results = max_results
        self._must_find = list(must_find)
        self._gap_filler, self._enrich = gap_filler, enrich
        self._scoper = scoper
        self._memory: Persistence | None = None
        self._compiled: tuple[Persistence, Any] | None = None
        self._params(is_asking=True)

    @classmethod
    def from_config(  # noqa: PLR0913  # the frozen interface
        cls,
        config: AppConfig,
        checkpoint_handler: CheckpointHandler | None = None,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        enable_strategy_checkpoint: bool = True,  # noqa: FBT001, FBT002  # the frozen interface
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        sources: list[str] | None = None,
        max_results: int | None = None,
        must_find: Sequence[str] = (),
        enrich: bool | None = None,
    ) -> SearchWorkflow:
        """Return the workflow that the settings describe.

        Args:
            config: which model, which sources, which limits.
            checkpoint_handler: see the class.
            max_iterations: see the class.
            enable_strategy_checkpoint: see the class.
            progress_reporter: see the class.
            persistence: see the class.
            sources: search only these, also where the settings have them switched off.
            max_results: see the class.
            must_find: see the class.
            enrich: see the class; None: as the settings say.

        Raises:
            ConfigError: a model or a source lacks a setting that it needs.
            UnknownNameError: a source of that name is not installed.
        """
        from paper_search.workflow.assembly import assemble_skills  # noqa: PLC0415  # slow import

        skills = assemble_skills(config, sources)
        return cls(
            skills.intent_parser,
            skills.query_builder,
            skills.searcher,
            skills.deduplicator,
            skills.relevance_scorer,
            skills.result_organizer,
            checkpoint_handler,
            max_iterations,
            enable_strategy_checkpoint,
            progress_reporter,
            persistence=persistence,
            sources=sources,
            max_results=max_results,
            must_find=must_find,
            gap_filler=skills.gap_filler,
            enrich=config.enrich if enrich is None else enrich,
            scoper=skills.scoper,
        )

    async def run(self, user_input: str, *, thread_id: str | None = None) -> PaperCollection:
        """Search to the end, asking the handler at the checkpoints; without one, ask nobody.

        Args:
            user_input: the research question.
            thread_id: names the thread, so that it can be resumed; None: a new UUID.

        Raises:
            QuestionError: the question is blank or too long.
            ThreadExistsError: the thread carries a search already.
        """
        question, thread = checked_question(user_input), checked_thread(thread_id)
        async with self._session(thread) as session, session.lease():
            await session.begin(question, self._params(is_asking=self._has_handler))
            return await self._to_the_end(session)

    async def start(
        self, user_input: str, *, thread_id: str | None = None
    ) -> Checkpoint | PaperCollection:
        """Search up to the first question, which is left open for whoever answers it.

        Args:
            user_input: the research question.
            thread_id: names the thread; None: a new UUID, which is the checkpoint's `run_id`.

        Raises:
            QuestionError: the question is blank or too long.
            ThreadExistsError: the thread carries a search already.
        """
        question, thread = checked_question(user_input), checked_thread(thread_id)
        async with self._session(thread) as session, session.lease():
            await session.begin(question, self._params(is_asking=True))
            return await self._standing(session)

    async def answer(
        self, thread_id: str, decision: Decision | Any, *, by: str | None = None
    ) -> Checkpoint | PaperCollection:
        """Answer the open question of a thread and go on to the next one or the end.

        A decision counts once: given again for the checkpoint that it names, it changes nothing
        and returns how the thread stands.

        Args:
            thread_id: which thread.
            decision: a `Decision`, or what any client sends (see `decoding.decode`).
            by: who decides; None: who runs the program.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadNotWaitingError: it stopped between two questions; resume it first.
            ThreadBusyError: another process drives it.
            InvalidDecisionError: the decision cannot be used; the question stays open.
            StaleDecisionError: it answers another checkpoint.
            AlreadyDecidedError: that checkpoint was decided before, and differently.
        """
        async with self._session(checked_thread(thread_id)) as session:
            await settle(session, decision, by)
            return await self._standing(session)

    async def proceed(self, thread_id: str) -> Checkpoint | PaperCollection:
        """Go on with a thread that stopped in the middle, up to the next question or the end.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadBusyError: another process drives it.
            ThreadWaitingError: it waits for a decision.
        """
        async with self._session(checked_thread(thread_id)) as session, session.lease():
            await session.proceed()
            return await self._standing(session)

    async def resume(
        self, thread_id: str, decision: Decision | Any | None = None, *, by: str | None = None
    ) -> PaperCollection:
        """Take a thread to its end: answer what it waits for, ask the handler what comes after.

        Args:
            thread_id: which thread.
            decision: the answer to the open question; None: the handler is asked.
            by: who decides; None: who runs the program.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadBusyError: another process drives it.
            ThreadWaitingError: it waits for a decision and nobody is there to give one.
            InvalidDecisionError: the decision cannot be used; the question stays open.
            StaleDecisionError: it answers another checkpoint.
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

    async def pending(self, thread_id: str) -> Checkpoint | None:
        """Return the question that a thread waits with; None: it does not wait.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        async with self._session(checked_thread(thread_id)) as session:
            question = await session.open_question()
            return question.checkpoint if question else None

    async def fork(
        self,
        thread_id: str,
        kind: CheckpointKind,
        iteration: int | None = None,
        *,
        by: str | None = None,
    ) -> Checkpoint | PaperCollection:
        """Go back to a question that was decided, and ask it again.

        Args:
            thread_id: which thread.
            kind: which of the two questions.
            iteration: of which round, counted from 0; None: the latest one that was decided.
            by: who does it; None: who runs the program.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadBusyError: another process drives it.
            StaleDecisionError: it was never decided, or the history was pruned.
        """
        async with self._session(checked_thread(thread_id)) as session, session.lease():
            await session.fork(kind, iteration, by)
            return await self._standing(session)

    @property
    def _has_handler(self) -> bool:
        return self._checkpoint_handler is not None

    def _params(self, *, is_asking: bool) -> SearchParams:
        try:
            return SearchParams(
                max_iterations=self._max_iterations,
                enable_strategy_checkpoint=is_asking and self._enable_strategy_checkpoint,
                enable_result_checkpoint=is_asking,
                sources=self._sources,
                max_results=self._max_results,
                must_find=self._must_find,
                enrich=self._enrich,
            )
        except ValidationError as error:
            raise ConfigError(f"the search cannot be set up: {listed(error)}") from None

    @contextlib.asynccontextmanager
    async def _session(self, thread_id: str) -> AsyncIterator[ThreadSession]:
        async with contextlib.AsyncExitStack() as stack:
            persistence = self._persistence
            if persistence is None or persistence == "memory:":
                persistence = self._memory = self._memory or await open_memory()
            elif isinstance(persistence, str):
                persistence = await stack.enter_async_context(open_persistence(persistence))
            graph = self._graph(persistence)
            yield ThreadSession(graph, persistence, thread_id, self._teller.events)

    def _graph(self, persistence: Persistence) -> Any:
        """Return the graph on this place; it is compiled once for as long as the place is open."""
        if self._compiled is None or self._compiled[0] is not persistence:
            self._compiled = (persistence, search_graph(persistence, self._skills))
        return self._compiled[1]

    @property
    def _skills(self) -> Skills:
        return Skills(
            self._intent_parser,
            self._query_builder,
            self._searcher,
            self._deduplicator,
            self._relevance_scorer,
            self._result_organizer,
            self._gap_filler,
            self._scoper,
        )

    async def _to_the_end(self, session: ThreadSession) -> PaperCollection:
        while (question := await session.open_question()) is not None:
            await session.answer(question, await self._decision(question))
        return await self._finished(session)

    async def _standing(self, session: ThreadSession) -> Checkpoint | PaperCollection:
        question = await session.open_question()
        if question is not None:
            self._announce(question)
            return question.checkpoint
        return await self._finished(session)

    async def _finished(self, session: ThreadSession) -> PaperCollection:
        state = await session.state()
        collection = await session.result() or empty_collection(state.question)
        self._teller.tell("completed", {"papers": len(collection.papers)})
        return collection

    async def _decision(self, question: OpenQuestion) -> Any:
        checkpoint = question.checkpoint
        if self._checkpoint_handler is None:
            raise ThreadWaitingError(
                f"thread {checkpoint.run_id!r} waits for a decision at {checkpoint.kind.value} and "
                "this workflow has no checkpoint handler; give one, or answer with a decision"
            )
        self._announce(question)
        decision = await self._checkpoint_handler.handle(checkpoint)
        return coerced(decision, checkpoint, question.markable_ids)

    def _announce(self, question: OpenQuestion) -> None:
        self._teller.tell("waiting_checkpoint", {"kind": question.checkpoint.kind.value})


async def open_memory() -> Persistence:
    """Return a place for threads that lives as long as the object does."""
    async with open_persistence("memory:") as persistence:
        return persistence


__all__ = ["SearchWorkflow", "_accumulate_relevant", "_coerce_feedback", "_merge_accumulated"]
