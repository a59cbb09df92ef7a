"""ThreadEngine: threads of any graph, driven from Python."""

import contextlib
import logging
import re
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from paper_search.errors import (
    ConfigError,
    InputError,
    InvalidDecisionError,
    QuestionError,
    ThreadWaitingError,
)
from paper_search.persistence import Persistence, open_persistence
from paper_search.steps.parameters import describe_errors, parse_settings
from paper_search.threads.questions import OpenQuestion, QuestionT
from paper_search.threads.session import ResultT, ThreadSession

logger = logging.getLogger(__name__)

ProgressReporter = Callable[[str, dict[str, Any]], None]
"""Takes a phase and its details, with the `title` of the step that begins.

Phases of a search: intent_parsing, query_building, waiting_checkpoint, searching, deduplicating,
scoring, organizing, iterating, completed. Of a report: the names of its steps, waiting, completed.
"""

_THREAD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")

SessionT = TypeVar("SessionT", bound=ThreadSession[Any, Any, Any])


class ThreadEngine(Generic[SessionT, QuestionT, ResultT]):
    """Runs threads of one graph from question to question; they can be resumed at any point.

    `handler`: answers questions by its `handle(question)`; None if nobody does. `persistence`:
    where threads are stored: a URL, or an open `Persistence`; None: in memory, until this object
    is gone.
    """

    waiting_phase: ClassVar[str] = "waiting"

    def __init__(
        self,
        session_type: type[SessionT],
        *,
        services: Any = None,
        handler: Any = None,
        progress: ProgressReporter | None = None,
        persistence: str | Persistence | None = None,
    ) -> None:
        self.session_type = session_type
        self._services = services
        self._handler = handler
        self._reporter = progress
        self._persistence = persistence
        self._memory: Persistence | None = None
        self._compiled: tuple[Persistence, Any] | None = None
        self._latest_tokens: dict[str, str] = {}
        """The token of the question that this object returned last, by thread."""

    async def run(self, user_input: str, *, thread_id: str | None = None) -> ResultT:
        """Run a new thread to its end; the handler answers, else nobody is asked. See `start`."""
        text, thread = self._validate_input(user_input), thread_name(thread_id)
        async with self._session(thread) as session, session.lease():
            await self._begin(session, text, is_asking=self._handler is not None)
            return await self._to_the_end(session)

    async def start(self, user_input: str, *, thread_id: str | None = None) -> QuestionT | ResultT:
        """Run a new thread up to its first question, which stays open.

        Args:
            user_input: what the person asks for, in their words.
            thread_id: None for a new UUID, which is the `run_id` of the question.

        Raises:
            QuestionError: the input is blank, too short or too long.
            ThreadExistsError: a thread has this id.
        """
        text, thread = self._validate_input(user_input), thread_name(thread_id)
        async with self._session(thread) as session, session.lease():
            await self._begin(session, text, is_asking=True)
            return await self._question_or_result(session)

    async def answer(
        self, thread_id: str, decision: Any, *, by: str | None = None, token: str | None = None
    ) -> QuestionT | ResultT:
        """Answer the open question of a thread, and run up to the next one or the end.

        A decision counts once: sent again for the question that it names, it changes nothing and
        returns the question that is open now, or the result. A decision that names no question
        answers the one that this object returned last, from `start`, `answer` or `pending`; if it
        returned none, it is refused after the thread's first question (`Answers.require_name`).

        Args:
            thread_id: which thread.
            decision: a decision, or what any client sends (see `decisions.decode`).
            by: who decides; None for the current user.
            token: of the question; None if the decision names it itself, or names none.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: the thread is finished.
            ThreadNotWaitingError: it stopped between two questions; resume it first.
            ThreadBusyError: another process is running it.
            InvalidDecisionError: the decision is invalid; the question stays open.
            StaleDecisionError: the decision answers another question.
            AlreadyDecidedError: the question already has a different decision.
        """
        async with self._session(thread_name(thread_id)) as session:
            await self._take(session, decision, by, token)
            return await self._question_or_result(session)

    async def proceed(self, thread_id: str) -> QuestionT | ResultT:
        """Continue a thread that stopped in the middle, up to the next question or the end.

        A decision that was stored by a process that died is applied. Raises the errors of
        `answer`, and ThreadWaitingError if the thread is waiting for a decision.
        """
        async with self._session(thread_name(thread_id)) as session, session.lease():
            await self._proceed(session)
            return await self._question_or_result(session)

    async def resume(
        self,
        thread_id: str,
        decision: Any | None = None,
        *,
        by: str | None = None,
        token: str | None = None,
    ) -> ResultT:
        """Run a thread to its end: the decision answers the open question, the handler the others.

        Without a decision, the handler answers all. Arguments and errors as for `answer`.

        Raises:
            ThreadWaitingError: it is waiting for a decision, and there is no handler.
        """
        async with self._session(thread_name(thread_id)) as session:
            if decision is not None:
                await self._take(session, decision, by, token)
                if (await session.state()).is_complete:
                    return await self._finish_run(session)
            async with session.lease():
                if await session.open_question() is None:
                    await session.proceed()
                return await self._to_the_end(session)

    async def pending(self, thread_id: str) -> QuestionT | None:
        """Return the open question of a thread, if there is one."""
        async with self._session(thread_name(thread_id)) as session:
            waiting = await session.open_question()
            return self._announce_open(waiting) if waiting else None

    async def go_back(
        self, thread_id: str, is_wanted: Callable[[Any], bool], words: str, *, by: str | None = None
    ) -> QuestionT | ResultT:
        """Go back to an answered question, and ask it again.

        `is_wanted`: selects the question by its reference; the latest match is asked. `words`: its
        name in an error. `by`: who goes back; None for the current user. Raises the errors of
        `answer`, and StaleDecisionError if it was never decided or the history was pruned.
        """
        async with self._session(thread_name(thread_id)) as session, session.lease():
            await session.answers.reopen(is_wanted, words, by)
            return await self._question_or_result(session)

    # --- what a subclass may override -------------------------------------------------------------

    def _validate_input(self, text: str) -> str:
        self.session_type.check_input(text)
        return text

    def _settings(self, *, is_asking: bool) -> BaseModel | None:
        """Return the settings of a new run; None for the defaults of the graph."""
        del is_asking
        return None

    def _services_on(self, persistence: Persistence) -> Any:
        del persistence
        return self._services

    async def _begin(self, session: SessionT, text: str, *, is_asking: bool) -> None:
        await session.begin(text, self._settings(is_asking=is_asking))

    async def _proceed(self, session: SessionT) -> None:
        await session.proceed()

    async def _ask(self, session: SessionT, waiting: OpenQuestion[QuestionT]) -> None:
        handler = self._require_handler(waiting)
        self._announce(waiting)
        await session.answer(waiting, await handler.handle(waiting.question))

    async def _result(self, session: SessionT) -> tuple[ResultT, dict[str, Any]]:
        return await session.result(), {}

    def _phase_of(self, event: str, details: Mapping[str, Any]) -> str | None:
        return str(details.get("step", event)) if event == "step" else event

    # --- within -----------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _session(self, thread_id: str) -> AsyncIterator[SessionT]:
        async with contextlib.AsyncExitStack() as stack:
            persistence = self._persistence
            if persistence is None or persistence == "memory:":
                persistence = self._memory = self._memory or await open_memory()
            elif isinstance(persistence, str):
                persistence = await stack.enter_async_context(open_persistence(persistence))
            graph = self._graph(persistence)
            yield self.session_type(graph, persistence, thread_id, self._on_event)

    def _graph(self, persistence: Persistence) -> Any:
        """Return the graph, which is compiled once for each persistence."""
        if self._compiled is None or self._compiled[0] is not persistence:
            graph = self.session_type.graph(persistence, self._services_on(persistence))
            self._compiled = (persistence, graph)
        return self._compiled[1]

    async def _to_the_end(self, session: SessionT) -> ResultT:
        while (waiting := await session.open_question()) is not None:
            await self._ask(session, waiting)
        return await self._finish_run(session)

    async def _question_or_result(self, session: SessionT) -> QuestionT | ResultT:
        waiting: OpenQuestion[QuestionT] | None = await session.open_question()
        if waiting is None:
            return await self._finish_run(session)
        self._announce(waiting)
        return self._announce_open(waiting)

    async def _take(
        self, session: SessionT, decision: Any, by: str | None, token: str | None
    ) -> None:
        """Answer a question; the one that was returned last takes one answer that names none."""
        latest_token = self._latest_tokens.pop(session.thread_id, "")
        try:
            await session.answers.take(decision, by, token, latest_token or None)
        except InvalidDecisionError:
            self._latest_tokens[session.thread_id] = latest_token
            raise

    def _announce_open(self, waiting: OpenQuestion[QuestionT]) -> QuestionT:
        self._latest_tokens[waiting.question.reference.run_id] = waiting.question.token
        return waiting.question

    async def _finish_run(self, session: SessionT) -> ResultT:
        result, details = await self._result(session)
        self._report("completed", details)
        return result

    def _announce(self, waiting: OpenQuestion[QuestionT]) -> None:
        reference = waiting.question.reference
        details = reference.model_dump(mode="json", include={"kind", "iteration"})
        self._report(self.waiting_phase, details)

    def _on_event(self, event: str, details: Mapping[str, Any]) -> None:
        if (phase := self._phase_of(event, details)) is not None:
            step = details.get("step")
            title = {"title": self.session_type.workflow[step].title} if step else {}
            self._report(phase, {**details, **title})

    def _report(self, phase: str, details: dict[str, Any]) -> None:
        """Report progress, if there is a reporter; its exceptions are only logged."""
        if self._reporter is None:
            return
        try:
            self._reporter(phase, details)
        except Exception:
            logger.exception("the progress reporter failed at %s", phase)

    def _require_handler(self, waiting: OpenQuestion[QuestionT]) -> Any:
        if self._handler is None:
            raise ThreadWaitingError(
                f"{waiting.question.reference} is waiting for a decision, and there is no handler "
                "to give one: pass a handler to the workflow, or answer with a decision"
            )
        return self._handler


async def open_memory() -> Persistence:
    async with open_persistence("memory:") as persistence:
        return persistence


def thread_name(thread_id: str | None) -> str:
    """Return the id; for None, a new UUID."""
    if thread_id is None:
        return str(uuid.uuid4())
    if not _THREAD_ID.fullmatch(thread_id):
        raise InputError(
            f"{thread_id!r} is not a valid thread id; use 1 to 128 letters, digits, '_', '.', ':' "
            "or '-', beginning with a letter or a digit"
        )
    return thread_id


ParamsT = TypeVar("ParamsT", bound=BaseModel)


def admit(
    model: type[ParamsT], values: Any, noun: str, sources: Collection[str] | None = None
) -> ParamsT:
    """Return the validated settings of a run. `sources`: those that it may name; None for any.

    Raises:
        ConfigError: a setting is unknown or out of range, or a source is not enabled.
        InputError: the list of sources is empty.
    """
    params = parse_settings(model, values, f"a {noun}")
    names = getattr(params, "sources", None)
    if names == []:
        raise InputError("sources: none is named; name at least one, or omit the field")
    names = names or []
    if sources is not None and (missing := [name for name in names if name not in sources]):
        raise ConfigError(
            f"sources: {', '.join(missing)[:200]}: not enabled here (enabled: "
            f"{', '.join(sources) or 'none'}); PAPER_SEARCH_SOURCES enables others"
        )
    return params


def check_begin(
    session_type: type[ThreadSession[Any, Any, Any]],
    request: Any,
    settings: Any = None,
    sources: Collection[str] | None = None,
) -> None:
    """Check the input of a new run, the settings in it, and `settings`.

    Every interface calls this: the command line and Python through `ThreadEngine`; the page,
    LangGraph's API and MCP through `Access`. `sources`: as for `admit`.

    Raises:
        QuestionError: the input lacks the field that threads of the graph begin with, has unknown
            fields, or is unusable.
        ConfigError: see `admit`.
    """
    workflow: Any = session_type.workflow
    begins_with, fields = session_type.begins_with, workflow.request.model_fields
    try:
        model = workflow.request.model_validate(request)
        session_type.check_input(getattr(model, begins_with))
    except ValidationError as error:
        raise QuestionError(f"the input: {describe_errors(error)}") from None
    if isinstance(request, Mapping) and (unknown := sorted(map(str, set(request) - set(fields)))):
        raise QuestionError(
            f"the input has no fields {', '.join(unknown)[:200]}; known: {', '.join(fields)}"
        )
    within = [getattr(model, name, None) for name in ("config", "workflow_params")]
    for values in (*within, settings):
        if values is not None and workflow.params is not None:
            admit(workflow.params, values, session_type.noun, sources)
