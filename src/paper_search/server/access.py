"""Access to threads: who owns them, who may do what, and which runs may begin."""

import contextlib
import functools
import re
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from langgraph.types import Command

from paper_search.config import AppConfig, setting_origins
from paper_search.errors import (
    PaperSearchError,
    PersistenceError,
    RequestRefusedError,
    StaleDecisionError,
    ThreadError,
    ThreadExistsError,
    ThreadNotFoundError,
)
from paper_search.persistence import Persistence, open_persistence
from paper_search.report_workflow.engine import ReportSession
from paper_search.report_workflow.listing import REPORT, SEARCH, ThreadCatalogs
from paper_search.server.attachment import assistant_of, threads_here
from paper_search.server.guard import NO_CHECKPOINT, mask_errors
from paper_search.steps.parameters import OF_LANGGRAPH
from paper_search.threads.catalog import Catalog
from paper_search.threads.catalogs import Visibility
from paper_search.threads.engine import admit, check_begin
from paper_search.threads.session import ThreadSession
from paper_search.threads.sharing import RIGHTS, Ownership, Right, Role
from paper_search.workflow.session import SearchSession


class SharedPersistence:
    """A persistence that is open while the server runs; otherwise each use opens its own."""

    def __init__(self, url: str, *, has_visitors: bool = False) -> None:
        self._url = url
        self.mask_errors = functools.partial(mask_errors, has_visitors=has_visitors)
        self.name = uuid.uuid5(uuid.NAMESPACE_URL, url.rpartition("@")[2]).hex
        """Identifies the database, without user and password."""
        self._persistence: Persistence | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Persistence]:
        async with open_persistence(self._url) as persistence:
            self._persistence = persistence
            try:
                yield persistence
            finally:
                self._persistence = None

    @contextlib.asynccontextmanager
    async def use(self) -> AsyncIterator[Persistence]:
        """Yield the persistence, of which only leases and ledger belong to no event loop."""
        with self.mask_errors():
            if self._persistence is not None:
                yield self._persistence
                return
            async with open_persistence(self._url) as persistence:
                yield persistence


_INTERRUPT = re.compile(r"[0-9a-f]{32}")
_INTERNAL = ("__pregel", "checkpoint_map")
"""Prefixes of settings with which a run would answer questions without the ledger."""
DATABASE = "__database"
"""Setting of a run: the database of the server that admitted it; not saved in checkpoints."""

Session = ThreadSession[Any, Any, Any]
SESSIONS: dict[str, type[Session]] = {SEARCH: SearchSession, REPORT: ReportSession}


@dataclass(frozen=True)
class Run:
    content: Any
    """An input, a `Command`, or None to continue."""
    settings: Mapping[str, Any]
    checkpoint: str | None = None
    """Where it continues; None means at the latest checkpoint."""


class Access:
    """Decides which threads a person sees, and whether a run may begin."""

    def __init__(self, shared: SharedPersistence, config: AppConfig) -> None:
        self.shared = shared
        self._accounts = list(config.server.tokens)
        papers = [name for name, source in config.sources.items() if source.enabled]
        web = [name for name, search in config.web.items() if search.enabled]
        self.sources = {SEARCH: papers, REPORT: [*papers, *web]}
        """Sources that runs of a graph may name."""
        is_undecided = setting_origins(home=config.home)["sources"] == "default"
        self.page_sources = None if is_undecided else papers
        """Sources to choose from on the page; None means any, as no setting says which."""
        self._catalogs: tuple[Persistence, ThreadCatalogs] | None = None

    def catalogs(self, persistence: Persistence) -> ThreadCatalogs:
        """Return the catalogs, cached while the persistence is open, as they are slow to make."""
        if self._catalogs is None or self._catalogs[0] is not persistence:
            self._catalogs = persistence, ThreadCatalogs(persistence)
        return self._catalogs[1]

    # --- whose a thread is ------------------------------------------------------------------------

    async def require_visible(self, thread_id: str, person: str | None) -> None:
        """Raise as `session` unless the person may decide on the thread and it has run."""
        if not await self.may(Right.DECIDE, thread_id, person):
            raise _not_found(thread_id)

    async def may(self, right: Right, thread_id: str, person: str | None) -> bool:
        async with self.shared.use() as persistence:
            return await self.session(persistence, thread_id, person, right) is not None

    async def role(
        self, catalog: Catalog[Any, Any] | None, thread_id: str, person: str
    ) -> Role | None:
        ownership = await catalog.ownership(thread_id) if catalog else Ownership()
        return ownership.role_of(person, self._accounts)

    def visibility(self, person: str | None) -> Visibility | None:
        """Return the filter of threads that a person sees in lists, None for all threads."""
        if person is None or not self._accounts:
            return None
        return lambda whose: whose.role_of(person, self._accounts) is not None

    async def session(
        self,
        persistence: Persistence,
        thread_id: str,
        person: str | None,
        right: Right = Right.DECIDE,
        *,
        shows_decisions: bool = True,
    ) -> Session | None:
        """Return the session of a thread, None if it never ran.

        `shows_decisions`: whether what is read shows the decisions of others.

        Raises:
            RequestRefusedError: the thread belongs to another person, as if it were absent, or to
                another program; the person lacks the right, or is a reviewer and must not see
                decisions before all reviewers are done.
        """
        every = self.catalogs(persistence)
        # Check this first: a run that begins in between would look like another program's.
        exists = await every.searches.session(thread_id).exists()
        graph = await every.graph_of(thread_id)
        if graph is None:
            if exists:
                raise _not_found(thread_id)
            return None
        catalog = every.by_graph[graph]
        session: Any = catalog.session(thread_id)
        if person is not None:
            role = await self.role(catalog, thread_id, person)
            if role is None:
                raise _not_found(thread_id)
            if right not in RIGHTS[role]:
                raise RequestRefusedError(
                    HTTPStatus.FORBIDDEN,
                    f"this search is shared with you as a {role.value}, who may not {right.value}",
                )
            is_look = exists and right is Right.READ and shows_decisions
            if is_look and role is Role.REVIEWER and await session.is_blind():
                raise RequestRefusedError(
                    HTTPStatus.FORBIDDEN,
                    "you screen this search without seeing the decisions of others: its result is "
                    "shown when all reviewers are done",
                )
        return session if exists else None

    async def delete(self, thread_id: str, person: str) -> None:
        """Delete a person's thread, including what the server does not know of."""
        async with self.shared.use() as persistence:
            await self.session(persistence, thread_id, person)
            with contextlib.suppress(ThreadNotFoundError):  # it never ran
                await self.catalogs(persistence).delete(thread_id)

    # --- which runs may begin ---------------------------------------------------------------------

    def check_assistant(self, value: Mapping[str, Any]) -> None:
        """Refuse an assistant with settings that a run may not have; raises as `prepare`."""
        check_configurable(value)
        own = value.get("context") or configurable(value)
        if not own and value.get("context") is None and value.get("graph_id"):  # those of before
            own = _assistant(value["assistant_id"]).get("context")
        settings = _settings_of({"context": own})
        graph = (value.get("graph_id") or _graph_of(value["assistant_id"])) if settings else None
        if graph in SESSIONS:
            session_type: Any = SESSIONS[graph]
            admit(session_type.workflow.params, settings, session_type.noun, self.sources[graph])

    async def admit(self, value: MutableMapping[str, Any], person: str) -> None:
        """Admit a run, bind an answer to its question, and have each step saved.

        `value`: of the server's event `create_run`; changed in place. Raises as `prepare`.
        """
        kwargs, thread_id = value["kwargs"], str(value.get("thread_id") or "")
        kwargs["durability"] = "sync"
        check_configurable(kwargs)
        kwargs.setdefault("config", {}).setdefault("configurable", {})[DATABASE] = self.shared.name
        command, graph = kwargs.get("command") or {}, _graph_of(value["assistant_id"])
        content: Any = kwargs.get("input")
        goto, update, resume = (command.get(name) for name in ("goto", "update", "resume"))
        if goto or update or resume is not None:
            content = Command(resume=resume, goto=goto or (), update=update)
        async with self.shared.use() as persistence:
            session = await self.session(persistence, thread_id, person) if thread_id else None
            if session is not None and await session.is_running():
                raise RequestRefusedError(HTTPStatus.CONFLICT, f"thread {thread_id!r} is running")
            if session is None and (content is None or isinstance(content, Command)):
                raise _not_found(thread_id)
            session_type = SESSIONS.get(graph or "", type(session) if session else None)
            if session_type is not None:
                run = Run(content, _settings_of(kwargs), configurable(kwargs).get("checkpoint_id"))
                content = await self.prepare(persistence, session_type, session, run, person)
        if isinstance(content, Command):
            kwargs["command"] = {"resume": content.resume}
        # Checked last, with no await after it: of concurrent runs, only one is admitted.
        threads = threads_here() if thread_id else None
        if threads and threads.is_running(uuid.UUID(thread_id)):
            raise RequestRefusedError(HTTPStatus.CONFLICT, f"thread {thread_id!r} is running")

    async def prepare(
        self,
        persistence: Persistence,
        session_type: type[Session],
        session: Session | None,
        run: Run,
        person: str | None,
    ) -> Any:
        """Return the checked input of a run; an answer becomes a decision by interrupt id.

        `session`: None means that the thread never ran.

        Raises:
            ThreadError: the thread does not accept the run now.
            InvalidDecisionError: the answer cannot be used; the question stays open.
            QuestionError, ConfigError: the input cannot be used.
            RequestRefusedError: the run skips questions, or uses threads of another person.
        """
        content = run.content
        if isinstance(content, Command) and (content.goto or content.update or content.graph):
            raise RequestRefusedError(
                HTTPStatus.FORBIDDEN,
                "command: goto and update are not allowed on this server: steps follow each other "
                "as the graph says. Answer the open question with command.resume",
            )
        if session is None:
            if content is None or isinstance(content, Command):
                raise ThreadNotFoundError("there is no such thread; begin it with an input")
            await self.check_begin(persistence, session_type, run, person)
            return content
        if type(session) is not session_type:
            raise ThreadExistsError(
                f"thread {session.thread_id!r} goes on with the assistant "
                f"{session.workflow.name!r}, which began it"
            )
        if isinstance(content, Command):
            answers = await _answer(session, run, person)
            return Command(resume=answers) if answers else None
        if run.checkpoint is None or content is not None:  # otherwise its question is asked again
            await _check_going_on(session, has_input=content is not None)
        return content

    async def check_begin(
        self,
        persistence: Persistence,
        session_type: type[Session],
        run: Run,
        person: str | None,
        *,
        is_page: bool = False,
    ) -> None:
        """Check the input of a new thread, and that searches it uses are finished and visible."""
        from paper_search.report_workflow.assembly import finished_collection  # noqa: PLC0415  # slow import

        sources = self.page_sources if is_page else self.sources[session_type.workflow.name]
        check_begin(session_type, run.content, run.settings, sources)
        within = [run.content.get(name) for name in ("config", "workflow_params")]
        for part in (run.settings, *within):
            name = part.get("from_thread") if isinstance(part, Mapping) else None
            if name is None:
                continue
            if not await self.session(persistence, str(name), person):
                raise _not_found(str(name))
            await finished_collection(persistence, str(name))


async def _check_going_on(session: Session, *, has_input: bool) -> None:
    """Raise ThreadError unless the thread can continue; a second input is always refused.

    Even after its end: a thread has one question, and what was approved stays.
    """
    is_complete = (await session.state()).is_complete
    if has_input:
        where = "is done" if is_complete else "is in the middle"
        way = "" if is_complete else "answer its question, or run it without an input; "
        raise ThreadExistsError(
            f"the {session.noun} of this thread {where}: {way}"
            f"another {session.noun} needs another thread"
        )
    if is_complete:
        raise ThreadError("the thread is finished; there is nothing to resume")
    if await session.open_question() is not None:
        raise ThreadError("the thread waits for a decision: answer it with command.resume")


async def _answer(session: Session, run: Run, person: str | None) -> dict[str, Any]:
    """Return a client's decision by the interrupt that it answers.

    Returns an empty dict if a server stored the decision and died before the graph received it:
    the decision counts, although the state still shows its question as open.
    """
    answer: Any = run.content.resume
    if (entry := await session.unapplied_decision()) is not None:
        by_id = answer if isinstance(answer, Mapping) else {}
        await session.answers.is_same(entry, by_id.get(entry.interrupt_id, answer), person)
        return {}
    question = await session.require_question()
    if run.checkpoint not in {None, await session.checkpoint_id()}:
        raise StaleDecisionError(
            "an answer is for the open question, and this run names an earlier checkpoint: run it "
            "without an answer, which asks that question again"
        )
    if isinstance(answer, Mapping) and answer and all(map(_INTERRUPT.fullmatch, answer)):
        if set(answer) != {question.interrupt_id}:
            raise StaleDecisionError(
                "the answer is to a question that is not open; the thread waits with "
                f"{question.interrupt_id}"
            )
        answer = answer[question.interrupt_id]
    elif await session.answers.is_replay(answer, person):
        raise StaleDecisionError(
            "this decision was given before and counts; the thread waits with the next "
            f"question: {question.question.reference} (token {question.question.token})"
        )
    elif run.checkpoint is None:  # otherwise it names the latest, and thereby its question
        await session.answers.require_name(question, answer, person)
    return {question.interrupt_id: session.row_of(question, answer)}


def check_configurable(value: Mapping[str, Any]) -> None:
    if internal := sorted(name for name in configurable(value) if name.startswith(_INTERNAL)):
        raise RequestRefusedError(
            HTTPStatus.FORBIDDEN, f"config.configurable {internal[:5]} is internal; omit it"
        )
    if not isinstance(configurable(value).get("checkpoint_id"), str | None):
        raise RequestRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, NO_CHECKPOINT)


def _graph_of(assistant_id: Any) -> str | None:
    """Return the graph of an assistant, a default one or one that a person made here."""
    graphs = {assistant_of(graph): graph for graph in (SEARCH, REPORT)}
    return graphs.get(uuid.UUID(str(assistant_id))) or _assistant(assistant_id).get("graph_id")


def _assistant(assistant_id: Any) -> Mapping[str, Any]:
    threads = threads_here()
    return threads.assistant(uuid.UUID(str(assistant_id))) if threads else {}


def _settings_of(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run without those that LangGraph's clients add."""
    context = {**(kwargs.get("context") or {})}
    return {name: value for name, value in context.items() if not OF_LANGGRAPH.fullmatch(name)}


def configurable(value: Mapping[str, Any]) -> Mapping[str, Any]:
    config = value.get("config")
    settings = config.get("configurable") if isinstance(config, Mapping) else None
    return settings if isinstance(settings, Mapping) else {}


def _not_found(thread_id: str) -> RequestRefusedError:
    return RequestRefusedError(HTTPStatus.NOT_FOUND, f"no thread {thread_id!r}")


@contextlib.contextmanager
def http_refusals() -> Iterator[None]:
    """Convert our errors to those that LangGraph's server answers with."""
    from starlette.exceptions import HTTPException  # noqa: PLC0415  # of the extra `server`

    try:
        yield
    except RequestRefusedError as error:
        raise HTTPException(error.status, str(error)) from None
    except ThreadError as error:
        raise HTTPException(HTTPStatus.CONFLICT, str(error)) from None
    except PersistenceError as error:
        raise HTTPException(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from None
    except PaperSearchError as error:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
