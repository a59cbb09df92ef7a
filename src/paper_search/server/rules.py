"""What a request may say: which paths take writes, and what a run may be told."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from paper_search.errors import RequestRefusedError

READS = frozenset({"GET", "HEAD", "OPTIONS"})
_THREAD = r"/threads/(?P<thread>[^/]+)"
RUN = re.compile(rf"{_THREAD}/runs(?:/stream|/wait)?")
DELETION = re.compile(_THREAD)
PAGE = re.compile(r"/review(?:/.*)?")
"""The page, which checks itself what it is sent."""
UPLOAD = "/review/import"
_OF_THREAD = re.compile(rf"{_THREAD}(?=/|$)")
_WRITES = {
    "POST": (
        r"/threads",
        r"/threads/search",
        r"/threads/count",
        rf"{_THREAD}/history",
        rf"{_THREAD}/state/checkpoint",
        RUN.pattern,
        rf"{_THREAD}/runs/[^/]+/cancel",
        r"/assistants/search",
        r"/assistants/count",
        r"/assistants/[^/]+/versions",
        r"/mcp/?",
    ),
    "PATCH": (_THREAD,),
    "DELETE": (_THREAD, rf"{_THREAD}/runs/[^/]+", r"/mcp/?"),
}
_ALLOWED = {
    method: tuple(re.compile(pattern) for pattern in patterns)
    for method, patterns in _WRITES.items()
}
_INSTEAD = (
    (r"/threads/[^/]+/state", "answer the question that the thread waits with"),
    (r"/threads/[^/]+/copy", "`paper-search fork` takes another decision on a copy"),
    (r"/threads/prune", "`paper-search prune` does it"),
    (r"/runs.*", "a run asks a person, so it needs a thread: POST /threads, then its runs"),
)
_ANSWER_FIELDS = frozenset({"assistant_id", "input", "command", "context", "config", "metadata"})
_PLACE_FIELDS = frozenset({"checkpoint", "checkpoint_id", "if_not_exists"})
_STREAM_FIELDS = frozenset(
    {"stream_mode", "stream_subgraphs", "stream_resumable", "on_disconnect", "on_completion"}
)
_FORCED = {"multitask_strategy": "reject", "durability": "sync"}
_UNWANTED = frozenset({"interrupt_before", "interrupt_after", "webhook", "after_seconds"})
_DROPPED = frozenset({"langsmith_tracer", "feedback_keys", "checkpoint_during"})
_KEPT = _ANSWER_FIELDS | _PLACE_FIELDS | _STREAM_FIELDS
_RESERVED = frozenset({"owner"})
"""Metadata that the server sets."""
_RESERVED_SETTINGS = ("__", "langgraph_", "checkpoint_map", "checkpoint_ns", "thread_id")


def canonical(path: str) -> str:
    """Return the path with the id of its thread as it is stored: a UUID in small letters."""
    named = _OF_THREAD.match(path)
    if named is None:
        return path
    try:
        thread_id = str(uuid.UUID(named["thread"]))
    except ValueError:
        return path  # `search`, `count`, or no thread's
    return f"/threads/{thread_id}{path[named.end() :]}"


def check_path(method: str, path: str) -> None:
    """Let reads and the known writes pass.

    Raises:
        RequestRefusedError: this server does not do that.
    """
    if method in READS or any(pattern.fullmatch(path) for pattern in _ALLOWED.get(method, ())):
        return
    advice = next((text for pattern, text in _INSTEAD if re.fullmatch(pattern, path)), None)
    because = f"; {advice}" if advice else ""
    raise RequestRefusedError(
        HTTPStatus.FORBIDDEN, f"{method} {path[:200]!r} is not allowed on this server{because}"
    )


def checked_run(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run is asked for, as this server runs it: alone on its thread, each step saved.

    Raises:
        RequestRefusedError: it asks for more than an input or an answer.
    """
    if unknown := sorted(set(payload) - _KEPT - _DROPPED - _UNWANTED - set(_FORCED)):
        raise RequestRefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"a run has no fields {unknown[:5]}"
        )
    for name in sorted(_UNWANTED):
        if payload.get(name):
            raise RequestRefusedError(
                HTTPStatus.FORBIDDEN, f"{name} is not allowed on this server; leave it out"
            )
    _check_command(payload.get("command"))
    _check_settings(payload.get("config"))
    check_metadata(payload)
    return {**{name: value for name, value in payload.items() if name in _KEPT}, **_FORCED}


def check_metadata(payload: Mapping[str, Any]) -> None:
    """Refuse metadata that says whose a thread is.

    Raises:
        RequestRefusedError: it does.
    """
    metadata = payload.get("metadata")
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        raise RequestRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, "metadata is not an object")
    if taken := sorted(_RESERVED & set(metadata)):
        raise RequestRefusedError(
            HTTPStatus.FORBIDDEN, f"metadata {taken} is set by the server; leave it out"
        )


def named_checkpoints(payload: Mapping[str, Any]) -> set[str]:
    """Return the ids of the checkpoints that a run names, wherever it names them."""
    settings = _object(_object(payload.get("config")).get("configurable"))
    parts = [payload, _object(payload.get("checkpoint")), settings]
    return {str(part["checkpoint_id"]) for part in parts if part.get("checkpoint_id")}


def named_threads(payload: Mapping[str, Any]) -> set[str]:
    """Return the ids of the threads whose papers a run is to use, wherever it names them."""
    parts = _settings(payload)
    return {str(part["from_thread"]) for part in parts if part.get("from_thread") is not None}


def named_sources(payload: Mapping[str, Any]) -> list[str]:
    """Return the sources that a run is limited to, wherever it names them."""
    given = [part.get("sources") for part in _settings(payload)]
    names = [name for entry in given if isinstance(entry, list) for name in entry]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def without_checkpoints(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the run without the checkpoint that it names: it goes on from the latest."""
    kept = {k: v for k, v in payload.items() if k not in {"checkpoint", "checkpoint_id"}}
    config = _object(kept.get("config"))
    if "configurable" in config:
        settings = _object(config["configurable"])
        settings = {k: v for k, v in settings.items() if k != "checkpoint_id"}
        kept["config"] = {**config, "configurable": settings}
    return kept


def _check_command(command: Any) -> None:
    if command is None:
        return
    if not isinstance(command, Mapping):
        raise RequestRefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, "command is not an object")
    if steering := sorted(n for n, value in command.items() if n != "resume" and value):
        raise RequestRefusedError(
            HTTPStatus.FORBIDDEN,
            f"command.{steering[0]} is not allowed on this server: steps follow each other as the "
            "graph says. Answer the open question with command.resume",
        )


def _check_settings(config: Any) -> None:
    settings = _object(_object(config).get("configurable"))
    internal = sorted(name for name in settings if name.startswith(_RESERVED_SETTINGS))
    if internal:
        raise RequestRefusedError(
            HTTPStatus.FORBIDDEN, f"config.configurable {internal[:5]} is internal; leave it out"
        )


def _settings(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects in which a run may have its settings."""
    given = _object(payload.get("input"))
    return [
        _object(given.get("config")),
        _object(given.get("workflow_params")),
        _object(payload.get("context")),
        _object(_object(payload.get("config")).get("configurable")),
    ]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
