"""Auth for LangGraph's server: threads and assistants are their owner's, the rest is closed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from langgraph_sdk import Auth

from paper_search.config import AppConfig
from paper_search.server.access import Access, http_refusals
from paper_search.server.guard import owner_of


def create_auth(config: AppConfig, access: Access) -> Auth:
    """Return what `auth` in langgraph.json names.

    Without tokens everybody is the same person; with them, a thread or an assistant is there for
    its owner alone. What LangGraph's server can do besides is refused: crons, the store.
    """
    auth = Auth()
    server = config.server

    @auth.authenticate
    async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
        owner = owner_of(server, authorization)
        if owner is None:
            raise Auth.exceptions.HTTPException(401, "this server needs a token")
        return {"identity": owner, "is_authenticated": True}

    @auth.on
    async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
        del ctx, value
        return False

    async def threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        with http_refusals():
            await _check_thread(access, ctx.action, value, ctx.user.identity)
        return _own(ctx, value, {"create", "create_run", "update"})

    async def assistants(ctx: Auth.types.AuthContext, value: Any) -> Any:
        if ctx.action in {"read", "search"}:
            return {"$or": [{"created_by": "system"}, {"owner": ctx.user.identity}]}
        with http_refusals():
            access.check_assistant(value)
        return _own(ctx, value, {"create", "update"})

    auth.on.threads(threads)
    auth.on.assistants(assistants)
    return auth


async def _check_thread(access: Access, action: str, value: Any, person: str) -> None:
    """Refuse what is asked about threads of somebody else, and runs that may not begin."""
    if action == "create_run":
        await access.admit(value, person)
        return
    for thread_id in filter(None, (value.get("thread_id"), *value.get("thread_ids", ()))):
        if action == "delete":
            await access.delete(str(thread_id), person)
        elif action != "search":
            await access.require_visible(str(thread_id), person, is_begun=False)


def _own(ctx: Auth.types.AuthContext, value: Any, writes: Collection[str]) -> dict[str, str]:
    """Return the filter of what is somebody's, and write the name into what they make.

    Raises:
        HTTPException: they give another name.
    """
    owner = {"owner": ctx.user.identity}
    metadata = value.get("metadata")
    if ctx.action in writes and isinstance(metadata, dict):
        if metadata.get("owner", owner["owner"]) != owner["owner"]:
            raise Auth.exceptions.HTTPException(403, "metadata 'owner' is set by the server")
        metadata.update(owner)  # the server keeps the object, not what is put there
    return owner
