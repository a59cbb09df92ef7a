"""Decisions that come again: which checkpoint they name, and whether they say the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from paper_search.workflow.checkpoints import CheckpointRef, Decision
from paper_search.workflow.decisions import loose_decision
from paper_search.workflow.decoding import decode
from paper_search.workflow.shelf import storable

MAX_EXCERPT_CHARS = 2_000
"""Of a refused decision that is kept for the audit."""


def named_checkpoint(answer: Any) -> CheckpointRef | None:
    """Return the checkpoint that an answer of any shape names; None: it names none."""
    if isinstance(answer, Decision):
        return answer.checkpoint
    try:
        decoded = decode(answer)
        named = decoded.get("checkpoint") if isinstance(decoded, Mapping) else None
        return None if named is None else CheckpointRef.model_validate(named)
    except (ValueError, ValidationError, RecursionError):
        return None


def is_same_decision(stored: Mapping[str, Any], answer: Any, named: CheckpointRef) -> bool:
    """Whether an answer says what was stored for the checkpoint."""
    decision = loose_decision(named.kind, answer)
    if decision is None:
        return False
    whole = decision.model_copy(update={"checkpoint": named})
    return to_storable(whole.model_dump(mode="json")) == dict(stored)


def to_storable(value: dict[str, Any]) -> dict[str, Any]:
    """Return JSON as it comes back from any place for threads."""
    plain: dict[str, Any] = json.loads(json.dumps(value))
    return plain


def excerpt(answer: Any) -> str:
    """Return the beginning of an answer as text, for the audit."""
    try:
        text = json.dumps(to_jsonable_python(answer), ensure_ascii=False)
    except (PydanticSerializationError, ValueError, RecursionError):
        text = type(answer).__name__
    return str(storable(text[:MAX_EXCERPT_CHARS]))
