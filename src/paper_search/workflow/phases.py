"""Progress in the words that reporters know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

ProgressReporter = Callable[[str, dict[str, Any]], None]
"""Takes a phase and its details.

Phases: intent_parsing, query_building, waiting_checkpoint, searching, deduplicating, scoring,
organizing, iterating, completed.
"""

_OF_STEP = {
    "parse_intent": "intent_parsing",
    "build_strategy": "query_building",
    "search": "searching",
    "deduplicate": "deduplicating",
    "score": "scoring",
    "organize": "organizing",
}


def phases(event: str, details: Mapping[str, Any]) -> list[str]:
    """Return the phases that an event of a step begins: one or none."""
    if event == "step":
        phase = _OF_STEP.get(str(details.get("step")))
        return [phase] if phase else []
    return [event] if event == "iterating" else []
