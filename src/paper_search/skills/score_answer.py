"""Scores as returned by a model, and their validation."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

from paper_search.models import PaperTag

_LONGEST_REASON = 500
_log = logging.getLogger(__name__)


class ScoreEntry(BaseModel):
    """One paper's score; a value that cannot be read is None, not a reason to drop the batch."""

    model_config = ConfigDict(populate_by_name=True)

    paper_id: str = Field(validation_alias=AliasChoices("paper_id", "id"))
    relevance_score: float | None = Field(
        default=None, validation_alias=AliasChoices("relevance_score", "score")
    )
    relevance_reason: str = Field(
        default="", validation_alias=AliasChoices("relevance_reason", "reason")
    )
    tags: list[PaperTag] = Field(default_factory=list)

    @field_validator("paper_id", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) else value

    @field_validator("relevance_score", mode="before")
    @classmethod
    def _in_range(cls, value: Any) -> float | None:
        """Clamp numbers; NaN, infinity, booleans and words are no scores."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        try:
            number = float(value)
        except (ValueError, OverflowError):
            return None
        return min(1.0, max(0.0, number)) if math.isfinite(number) else None

    @field_validator("relevance_reason", mode="before")
    @classmethod
    def _short(cls, value: Any) -> str:
        return " ".join(value.split())[:_LONGEST_REASON] if isinstance(value, str) else ""

    @field_validator("tags", mode="before")
    @classmethod
    def _known(cls, value: Any) -> list[PaperTag]:
        given = value if isinstance(value, list) else [value]
        known = {tag.value: tag for tag in PaperTag}
        names = (tag.strip().lower() for tag in given if isinstance(tag, str))
        return list(dict.fromkeys(known[name] for name in names if name in known))


class ScoresAnswer(BaseModel):
    """The scores of one batch."""

    model_config = ConfigDict(populate_by_name=True)

    results: list[ScoreEntry] = Field(
        validation_alias=AliasChoices("results", "scores", "papers", "scored_papers", "evaluations")
    )

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"results": value} if isinstance(value, list) else value

    @field_validator("results", mode="before")
    @classmethod
    def _readable(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        named = [
            item
            for item in value
            if isinstance(item, dict) and ("paper_id" in item or "id" in item)
        ]
        if len(named) < len(value):
            _log.warning("%d scores without a paper id were ignored", len(value) - len(named))
        return named

    def repeated(self, asked: Sequence[str]) -> set[str]:
        """Return the ids among `asked` that have more than one score."""
        counts = Counter(entry.paper_id for entry in self.results)
        return {name for name in asked if counts[name] > 1}

    def by_id(self, asked: Sequence[str]) -> dict[str, ScoreEntry]:
        """Return the usable scores of the asked ids; invented and repeated ids are left out."""
        repeated = self.repeated(asked)
        wanted = set(asked) - repeated
        found = {entry.paper_id: entry for entry in self.results if entry.paper_id in wanted}
        invented = {entry.paper_id for entry in self.results} - set(asked)
        if invented:
            _log.warning("%d scores for papers that were not in the batch", len(invented))
        return {each: entry for each, entry in found.items() if entry.relevance_score is not None}
