"""One decoder for every client's way to answer a checkpoint."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from typing import Any

from paper_search.workflow.checkpoints import DecisionAction

_ACTIONS = {each.value for each in DecisionAction}
_ACCEPTED = (
    'an answer is "approve", "reject: why", or '
    '{"action": "approve" | "edit" | "reject", "revised_data": ..., "note": ...}'
)


def decode(answer: Any) -> Any:  # one return a shape
    """Return an answer in the shape of `Decision`, or as it is if that is its shape already.

    Understands, besides our own JSON object: a plain string ("approve", "reject: why") and a JSON
    string; agent-inbox's list of one `{"type", "args"}`; agent-chat-ui's `{"decisions": [...]}`;
    MCP's elicitation result `{"action": "accept", "content": ...}`.

    Raises:
        ValueError: naming what was given and what is accepted.
    """
    while isinstance(answer, Mapping) and answer.get("action") == "accept" and "content" in answer:
        answer = answer["content"]
    match answer:
        case str():
            return _from_text(answer)
        case [item]:
            return _from_inbox(item)
        case {"decisions": [item]}:
            return _from_chat(item)
        case {"action": _}:
            return answer
        case {"type": _}:
            return _from_inbox(answer)
        case _:
            raise ValueError(f"{_shown(answer)} is not a decision: {_ACCEPTED}")


def _from_text(text: str) -> Any:
    if text.lstrip().startswith(("{", "[")):
        try:
            return decode(json.loads(text))
        except (json.JSONDecodeError, RecursionError):
            raise ValueError(f"{_shown(text)} is not JSON: {_ACCEPTED}") from None
    word, _, note = text.strip().partition(":")
    action = word.strip().lower()
    if action not in _ACTIONS:
        raise ValueError(f"{_shown(text)} is not a decision: {_ACCEPTED}")
    return {"action": action, "note": note.strip() or None}


def _from_inbox(item: Any) -> Any:
    """Agent-inbox: https://github.com/langchain-ai/agent-inbox, its HumanResponse."""
    match item:
        case {"type": "accept" | "approve"}:
            return {"action": "approve"}
        case {"type": "edit", "args": Mapping() as args}:
            return {"action": "edit", "revised_data": args.get("args", dict(args))}
        case {"type": "response" | "reject", "args": str() as note}:
            return {"action": "reject", "note": note}
        case {"action": _}:
            return item
        case str():
            return _from_text(item)
        case _:
            raise ValueError(f"{_shown(item)} is not a decision: {_ACCEPTED}")


def _from_chat(item: Any) -> Any:
    """Agent-chat-ui and LangChain's human-in-the-loop middleware."""
    match item:
        case {"type": "approve"}:
            return {"action": "approve"}
        case {"type": "reject"}:
            return {"action": "reject", "note": item.get("message")}
        case {"type": "edit", "edited_action": {"args": args}}:
            return {"action": "edit", "revised_data": args}
        case _:
            raise ValueError(f"{_shown(item)} is not a decision: {_ACCEPTED}")


def _shown(answer: Any) -> str:
    return reprlib.repr(answer)
