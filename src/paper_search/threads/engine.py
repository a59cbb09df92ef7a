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
"""Takes a phase and its details.

Phases of a search: intent_parsing, query_building, waiting_checkpoint, searching, deduplicating,
scoring, organizing, iterating, completed. Of a report: the names of its steps, waiting, completed.
"""

_THREAD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")

SessionT = TypeVar("SessionT", bound=ThreadSession[Any, Any, Any])


class ThreadEngine(Generic[SessionT, QuestionT, ResultT]):
    """Takes threads of one graph from question to question, on threads that can be resumed.

    The handler answers the questions by its `handle(question)`; None if nobody does. `persistence`:
    where threads live: a URL, or an open `Persistence`; None: in memory, for as long as this object
    lives.
    """

    waiting_phase: ClassVar[str] = "waiting"
    """What a reporter is told when a question waits."""

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
        self._shown: dict[str, str] = {}
        """By thread: the token of the question that this object gave last."""

    async def run(self, user_input: str, *, thread_id: str | None = None) -> ResultT:
        """Work to the end, asking the handler at each question; without one, ask nobody.

        Arguments and errors as for `start`.
        """
        text, thread = self._validate_input(user_input), thread_name(thread_id)
        async with self._session(thread) as session, session.lease():
            await self._begin(session, text, is_asking=self._handler is not None)
            return await self._to_the_end(session)

    async def start(self, user_input: str, *, thread_id: str | None = None) -> QuestionT | ResultT:
        """Work up to the first question, which is left open for whoever answers it.

        Args:
            user_input: what the thread begins with, in the person's words.
            thread_id: names the thread; None means a new UUID, which is the question's `run_id`.

        Raises:
            QuestionError: the input is blank, too short or too long.
            ThreadExistsError: the thread is in use.
        """
        text, thread = self._validate_input(user_input), thread_name(thread_id)
        async with self._session(thread) as session, session.lease():
            await self._begin(session, text, is_asking=True)
            return await self._question_or_result(session)

    async def answer(
        self, thread_id: str, decision: Any, *, by: str | None = None, token: str | None = None
    ) -> QuestionT | ResultT:
        """Answer the open question of a thread and go on to the next one or the end.

        A decision counts once: given again for the question that it names, it changes nothing and
        returns the question that is open now, or the result. One that names no question is for the
        one that this object returned last, from `start`, `answer` or `pending`; where it returned
        none, it is refused after the thread's first question (`Answers.require_meant`).

        Args:
            thread_id: which thread.
            decision: a decision, or what any client sends (see `decisions.decode`).
            by: who decides; None means who runs the program.
            token: of the question that is meant; None if the decision names it, or does not.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadNotWaitingError: it stopped between two questions; resume it first.
            ThreadBusyError: another process drives it.
            InvalidDecisionError: the decision cannot be used; the question stays open.
            StaleDecisionError: it answers another question.
            AlreadyDecidedError: that question was decided before, and differently.
        """
        async with self._session(thread_name(thread_id)) as session:
            await self._take(session, decision, by, token)
            return await self._question_or_result(session)

    async def proceed(self, thread_id: str) -> QuestionT | ResultT:
        """Go on with a thread that stopped in the middle, up to the next question or the end.

        A decision that was stored by a process that died is applied. Raises as `answer`; or
        ThreadWaitingError: it waits for a decision.
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
        """Take a thread to its end: answer what it waits for, ask the handler what comes after.

        Without a decision, the handler is asked. Arguments and errors as for `answer`.

        Raises:
            ThreadWaitingError: it waits for a decision and nobody is there to give one.
        """
        async with self._session(thread_name(thread_id)) as session:
            if decision is not None:
                await self._take(session, decision, by, token)
                if (await session.state()).is_complete:
                    return await self._finished(session)
            async with session.lease():
                if await session.open_question() is None:
                    await session.proceed()
                return await self._to_the_end(session)

    async def pending(self, thread_id: str) -> QuestionT | None:
        """Return the question that a thread waits with; None if it does not wait."""
        async with self._session(thread_name(thread_id)) as session:
            waiting = await session.open_question()
            return self._announce_open(waiting) if waiting else None

    async def go_back(
        self, thread_id: str, is_wanted: Callable[[Any], bool], words: str, *, by: str | None = None
    ) -> QuestionT | ResultT:
        """Go back to a question that was decided, and ask it again.

        `is_wanted`: whether a question is the one, by its reference; the latest such is asked.
        `words`: what it is called in an error. `by`: who does it; None means who runs the program.
        Raises as `answer`; StaleDecisionError: it was never decided, or the history was pruned.
        """
        async with self._session(thread_name(thread_id)) as session, session.lease():
            await session.answers.reopen(is_wanted, words, by)
            return await self._question_or_result(session)

    # --- what a graph may have otherwise ----------------------------------------------------------

    def _validate_input(self, text: str) -> str:
        self.session_type.check_input(text)
        return text

    def _settings(self, *, is_asking: bool) -> BaseModel | None:
        """Return the settings of a run that begins; None for the defaults of the graph."""
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
        """Return the phase that an event of a step begins, if it does."""
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
            yield self.session_type(graph, persistence, thread_id, self._hear)

    def _graph(self, persistence: Persistence) -> Any:
        """Return the graph; it is compiled once for as long as the persistence is open."""
        if self._compiled is None or self._compiled[0] is not persistence:
            graph = self.session_type.graph(persistence, self._services_on(persistence))
            self._compiled = (persistence, graph)
        return self._compiled[1]

    async def _to_the_end(self, session: SessionT) -> ResultT:
        while (waiting := await session.open_question()) is not None:
            await self._ask(session, waiting)
        return await self._finished(session)

    async def _question_or_result(self, session: SessionT) -> QuestionT | ResultT:
        waiting: OpenQuestion[QuestionT] | None = await session.open_question()
        if waiting is None:
            return await self._finished(session)
        self._announce(waiting)
        return self._announce_open(waiting)

    async def _take(
        self, session: SessionT, decision: Any, by: str | None, token: str | None
    ) -> None:
        """Answer the question that is meant; one that was shown takes one bare answer."""
        latest_token = self._shown.pop(session.thread_id, "")
        try:
            await session.answers.take(decision, by, token, latest_token or None)
        except InvalidDecisionError:
            self._shown[session.thread_id] = latest_token
            raise

    def _announce_open(self, waiting: OpenQuestion[QuestionT]) -> QuestionT:
        self._shown[waiting.question.reference.run_id] = waiting.question.token
        return waiting.question

    async def _finished(self, session: SessionT) -> ResultT:
        result, details = await self._result(session)
        self._tell("completed", details)
        return result

    def _announce(self, waiting: OpenQuestion[QuestionT]) -> None:
        reference = waiting.question.reference
        details = reference.model_dump(mode="json", include={"kind", "iteration"})
        self._tell(self.waiting_phase, details)

    def _hear(self, event: str, details: Mapping[str, Any]) -> None:
        if (phase := self._phase_of(event, details)) is not None:
            self._tell(phase, dict(details))

    def _tell(self, phase: str, details: dict[str, Any]) -> None:
        """Tell the reporter, if there is one, what goes on; what it raises is logged only."""
        if self._reporter is None:
            return
        try:
            self._reporter(phase, details)
        except Exception:
            logger.exception("the progress reporter failed at %s", phase)

    def _require_handler(self, waiting: OpenQuestion[QuestionT]) -> Any:
        if self._handler is None:
            raise ThreadWaitingError(
                f"{waiting.question.reference} waits for a decision and nobody is there to give "
                "one; give the workflow a handler, or answer with a decision"
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
            f"{thread_id!r} cannot name a thread; use 1 to 128 letters, digits, '_', '.', ':' or "
            "'-', the first a letter or a digit"
        )
    return thread_id


ParamsT = TypeVar("ParamsT", bound=BaseModel)


def admit(
    model: type[ParamsT], values: Any, noun: str, sources: Collection[str] | None = None
) -> ParamsT:
    """Return the settings of a run, chosen by name; `sources`: that may be named; None for any.

    Raises:
        ConfigError: one is unknown, out of its range, or a source that is not enabled.
        InputError: no source is named.
    """
    params = parse_settings(model, values, f"a {noun}")
    names = getattr(params, "sources", None)
    if names == []:
        raise InputError("sources: none is named; name one, or leave the field out")
    names = names or []
    if sources is not None and (missing := [name for name in names if name not in sources]):
        raise ConfigError(
            f"sources: {', '.join(missing)[:200]}: not enabled here, where there is "
            f"{', '.join(sources) or 'none'}; PAPER_SEARCH_SOURCES enables others"
        )
    return params


def check_begin(
    session_type: type[ThreadSession[Any, Any, Any]],
    request: Any,
    settings: Any = None,
    sources: Collection[str] | None = None,
) -> None:
    """Let a run begin that can be run: by its input, the settings in that and those beside it.

    Every door asks this: the command line and Python with an input and settings of their own making
    (`ThreadEngine`), the page, LangGraph's API and MCP with what somebody sent (`Access`).

    `sources`: that may be named; None for any.

    Raises:
        QuestionError: the input lacks what a thread of the graph begins with, has other fields, or
            is no use.
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
