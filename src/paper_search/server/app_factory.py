"""The app, auth and graphs of LangGraph's server, which `langgraph.json` and `serve` load."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import uuid
from collections.abc import AsyncIterator, Collection, Sequence
from typing import TYPE_CHECKING, Any

from langgraph_sdk import Auth

from paper_search.config import AppConfig, load_config
from paper_search.errors import PaperSearchError, RequestRefusedError
from paper_search.http.redaction import redact
from paper_search.persistence import Persistence, open_persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.server.access import Access, SharedPersistence, http_refusals
from paper_search.server.attachment import READERS, ServerThreads, ThreadAttachment, threads_here
from paper_search.server.guard import EVERYBODY, Guard, owner_of
from paper_search.server.leased import leased
from paper_search.server.serving import require_mcp
from paper_search.threads.sharing import Right

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore
    from starlette.applications import Starlette
    from starlette.routing import BaseRoute


def create_auth(config: AppConfig, access: Access) -> Auth:
    """Return the object that `auth` in langgraph.json names.

    Without tokens, everybody is the same person. With tokens, only its owner sees an assistant, and
    only its owner and those it is shared with see a thread. Crons and the store are refused.
    """
    auth = Auth()
    server = config.server

    @auth.authenticate
    async def authenticate(authorization: str | None, path: str) -> Any:
        owner = owner_of(server, authorization)
        if owner is None:
            raise Auth.exceptions.HTTPException(401, "this server needs a token")
        # LangGraph asks about a copy as about a read, but it makes another thread of the owner.
        is_copying = path.endswith("/copy")
        return {"identity": owner, "is_authenticated": True, "is_copying": is_copying}

    @auth.on
    async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
        del ctx, value
        return False

    async def threads(ctx: Auth.types.AuthContext, value: Any) -> Any:
        return await filter_of_threads(access, threads_here(), ctx, value)

    async def assistants(ctx: Auth.types.AuthContext, value: Any) -> Any:
        if ctx.action in {"read", "search"}:
            return {"$or": [{"created_by": "system"}, {"owner": ctx.user.identity}]}
        with http_refusals():
            access.check_assistant(value)
        return _own(ctx, value, {"create", "update"})

    auth.on.threads(threads)
    auth.on.assistants(assistants)
    return auth


async def filter_of_threads(
    access: Access, server: ServerThreads | None, ctx: Auth.types.AuthContext, value: Any
) -> Any:
    """Return the filter of threads that a request may use; True means the thread it names."""
    person = ctx.user.identity
    is_look = ctx.action == "read" and not ctx.user["is_copying"]
    # The server polls running threads every half second, and loses the run's last message if it
    # arrives during the check: await nothing.
    if is_look and server and server.owns_running(uuid.UUID(str(value["thread_id"])), person):
        return _own(ctx, value, ())
    with http_refusals():
        if is_look and await access.may(Right.READ, str(value["thread_id"]), person):
            return True
        await _check_thread(access, ctx.action, value, person)
    own = _own(ctx, value, {"create", "create_run", "update"})
    return {"$or": [own, {READERS: {"$contains": person}}]} if ctx.action == "search" else own


async def _check_thread(access: Access, action: str, value: Any, person: str) -> None:
    """Refuse requests for threads of other people, and runs that may not begin."""
    if action == "create_run":
        await access.admit(value, person)
        return
    if (action == "delete" and "run_id" in value) or value.get("action") == "rollback":
        raise RequestRefusedError(
            403, "the steps of a run stay: cancel it with action=interrupt, or delete its thread"
        )
    for thread_id in filter(None, (value.get("thread_id"), *value.get("thread_ids", ()))):
        # Of several, the server deletes each with a call of its own, or none.
        if action == "delete" and not value.get("thread_ids"):
            await access.delete(str(thread_id), person)
        elif action != "search":
            async with access.shared.use() as persistence:
                session = await access.session(persistence, str(thread_id), person)
                if action == "read" and session and await session.is_running():
                    raise RequestRefusedError(409, "a thread that is running cannot be copied")
            metadata = value.get("metadata")
            graph = metadata.get("graph_id") if isinstance(metadata, dict) else None
            # Read with another graph, a thread that waits would look finished.
            if action == "update" and session and graph not in {None, session.workflow.name}:
                raise RequestRefusedError(403, "metadata 'graph_id' is set by the server")


def _own(ctx: Auth.types.AuthContext, value: Any, writes: Collection[str]) -> dict[str, str]:
    """Return the filter for a person's own objects, and write the owner into new ones."""
    owner = {"owner": ctx.user.identity}
    metadata = value.get("metadata")
    if ctx.action in writes and isinstance(metadata, dict):
        if metadata.get("owner", owner["owner"]) != owner["owner"] or READERS in metadata:
            reason = "metadata 'owner' and 'readers' are set by the server"
            raise Auth.exceptions.HTTPException(403, reason)
        metadata.update(owner)  # the server keeps this object, so it is changed in place
    return owner


@functools.cache
def shared_persistence() -> SharedPersistence:
    """Return the one persistence of the process; the server loads each name separately."""
    config = load_config()
    return SharedPersistence(config.persistence_url, has_visitors=bool(config.server.tokens))


@functools.cache
def shared_access() -> Access:
    return Access(shared_persistence(), load_config())


@functools.cache
def graph() -> Any:
    """Return the graph of searches, whose runs take leases; the server adds saver and store."""
    from paper_search.steps.compiler import compile_workflow  # noqa: PLC0415  # for this graph
    from paper_search.workflow.assembly import assemble_skills  # noqa: PLC0415  # for this graph
    from paper_search.workflow.graph import WORKFLOW  # noqa: PLC0415  # for this graph

    compiled = compile_workflow(WORKFLOW, services=assemble_skills(load_config()))
    return leased(compiled, shared_access())


@functools.cache
def report_graph() -> Any:
    from paper_search.report_workflow.assembly import assemble_report  # noqa: PLC0415  # for this graph
    from paper_search.report_workflow.engine import ReportSession  # noqa: PLC0415  # for this graph
    from paper_search.report_workflow.graph import ASKING  # noqa: PLC0415  # for this graph
    from paper_search.steps.compiler import compile_workflow  # noqa: PLC0415  # for this graph

    compiled = compile_workflow(ASKING, services=assemble_report(load_config()))
    return leased(compiled, shared_access(), ReportSession)


@contextlib.asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open the checkpointer; copying a thread copies its records as well."""
    async with open_persistence(load_config().persistence_url) as persistence:
        saver = persistence.checkpointer
        copy_checkpoints = saver.acopy_thread

        async def copy_thread(source_thread_id: str, target_thread_id: str) -> None:
            from langgraph_api.utils import get_auth_ctx  # noqa: PLC0415  # of the extra `server`

            visitor = get_auth_ctx()
            by = visitor.user.identity if visitor else EVERYBODY
            with http_refusals():
                async with persistence.leases.hold(source_thread_id):  # or it may be deleted
                    copies = ThreadCatalogs(persistence).copy_records
                    await copies(source_thread_id, target_thread_id, by)
                    await copy_checkpoints(source_thread_id, target_thread_id)

        saver.acopy_thread = copy_thread  # type: ignore[method-assign]  # the server calls it
        yield saver


@contextlib.asynccontextmanager
async def store() -> AsyncIterator[BaseStore]:
    async with open_persistence(load_config().persistence_url) as persistence:
        yield persistence.store


def __getattr__(name: str) -> Any:
    """Make `auth` on access, since importing does no work."""
    if name == "auth":
        return create_auth(load_config(), shared_access())
    raise AttributeError(name)


def create_app(config: AppConfig, access: Access, routes: Sequence[BaseRoute] = ()) -> Starlette:
    """Return the app that `http.app` in langgraph.json names.

    `routes`: served besides LangGraph's own, behind the same guard.
    """
    from starlette.applications import Starlette  # noqa: PLC0415  # of the extra `server`
    from starlette.middleware import Middleware  # noqa: PLC0415  # as above

    mcp_endpoint = None
    if config.server.is_mcp_open:
        require_mcp()
        from paper_search.server.mcp import HttpEndpoint, PaperSearchServer  # noqa: PLC0415  # of the extra `mcp`

        mcp_endpoint = HttpEndpoint(PaperSearchServer(config, access))
        routes = [*routes, mcp_endpoint.route]

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        for handler in logging.getLogger().handlers:  # keys stay out of tracebacks as well
            handler.setFormatter(_RedactingFormatter(handler.formatter, config.secrets))
        owners = list(config.server.tokens)
        async with access.shared.open() as persistence:
            await _finish_deletions(persistence)
            following = asyncio.create_task(_follow(persistence, owners))
            try:
                async with mcp_endpoint.run() if mcp_endpoint else contextlib.nullcontext():
                    yield
            finally:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)

    secrets = (*config.secrets, str(config.home.absolute()))
    guard = Middleware(Guard, config=config.server, secrets=secrets)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


async def _finish_deletions(persistence: Persistence) -> None:
    """Finish interrupted deletions; failures are retried at the next start."""
    try:
        for thread_id in await ThreadCatalogs(persistence).finish_deletions():
            logger.info("thread %r: the interrupted deletion is finished", thread_id)
    except PaperSearchError:
        logger.exception("interrupted deletions could not be finished")


async def _follow(persistence: Persistence, owners: list[str]) -> None:
    """Attach threads to a server that keeps its list in memory; others have it in a database."""
    if threads := threads_here():
        await ThreadAttachment(persistence, owners, threads).follow()


class _RedactingFormatter(logging.Formatter):
    def __init__(self, inner: logging.Formatter | None, secrets: tuple[str, ...]) -> None:
        super().__init__()
        self._inner = inner or logging.Formatter()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return redact(self._inner.format(record), self._secrets)
