"""Progress in the words that reporters know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

logger = logging.getLogger(__name__)

ProgressReporter = Callable[[str, dict[str, Any]], None]
"""Takes a phase and its details.

Phases of a search: intent_parsing, query_building, waiting_checkpoint, searching, deduplicating,
scoring, organizing, iterating, completed. Of a report: the names of its steps, waiting, completed.
"""

NamesPhases = Callable[[str, Mapping[str, Any]], list[str]]
"""Gives the phases that an event of a step begins."""


def step_phases(event: str, details: Mapping[str, Any]) -> list[str]:
    """Return the phase that an event of a step begins: the step, by its name."""
    return [str(details.get("step", event))] if event == "step" else [event]


class Progress:
    """Tells a reporter what goes on; what it raises is logged only.

    Args:
        reporter: None: nobody is told.
        naming: what the events of the steps are called.
    """

    def __init__(self, reporter: ProgressReporter | None, naming: NamesPhases) -> None:
        self._reporter = reporter
        self._naming = naming

    def events(self, event: str, details: Mapping[str, Any]) -> None:
        for phase in self._naming(event, details):
            self.tell(phase, dict(details))

    def tell(self, phase: str, details: dict[str, Any]) -> None:
        if self._reporter is None:
            return
        try:
            self._reporter(phase, details)
        except Exception:
            logger.exception("the progress reporter failed at %s", phase)
