"""Authentication for LangGraph's server: threads and runs are their owner's, the rest is closed."""

from __future__ import annotations

from typing import Any

from langgraph_sdk import Auth

from paper_search.config import AppConfig
from paper_search.server.tokens import owner_of


def create_auth(config: AppConfig) -> Auth:
    """Return what `auth` in langgraph.json names.

    Without tokens everybody is the same person; with them, a thread is there for its owner alone.
    """
    auth = Auth()
    server = config.server

    @auth.authenticate
    async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
        owner = owner_of(server, authorization)
        if owner is None:
            raise Auth.exceptions.HTTPException(401, "a token of this server is needed")
        return {"identity": owner, "is_authenticated": True}

    @auth.on
    async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
        del ctx, value
        return False

    async def own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
        owner = {"owner": ctx.user.identity}
        if isinstance(value, dict) and ctx.action in {"create", "create_run"}:
            value["metadata"].update(owner)  # the server keeps the object, not what is put there
        return owner

    async def read_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
        del value
        return ctx.action in {"read", "search"}

    auth.on.threads(own)
    auth.on.assistants(read_assistants)
    return auth
