"""A cache of judgements under what they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import ValidationError

from paper_search.llm.provider import LLMProvider
from paper_search.models import Criterion
from paper_search.skills.judging.answer import Judgement
from paper_search.skills.judging.question import PromptPaper


class JudgementCache(Protocol):
    """Judgements of all threads."""

    async def get(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]: ...

    async def put(self, rows: Mapping[str, dict[str, Any]]) -> None:
        """Store them; a kill from now on does not lose them."""
        ...


def key_of(
    paper: PromptPaper, question: str, criteria: Sequence[Criterion], model: str, prompt: str
) -> str:
    """Return the key of a judgement: paper, question, criteria, model and prompt.

    The weights of the criteria are no part of it, because the score is computed from the grades;
    nor is the id of the paper, which differs by source.
    """
    conditions = [(criterion.kind.value, criterion.text) for criterion in criteria]
    content = vars(paper) | {"paper_id": ""}
    parts = json.dumps([content, question, conditions, model, prompt], ensure_ascii=True)
    return hashlib.sha256(parts.encode()).hexdigest()


def model_name(llm: LLMProvider) -> str:
    """Return what tells one model from another."""
    parts = (getattr(llm, name, None) for name in ("model", "base_url", "temperature"))
    return "|".join([type(llm).__qualname__, *map(str, parts)])


def to_row(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as it is stored, without the criteria, which may tell the question."""
    row = judgement.model_dump(mode="json", exclude={"grades"})
    return row | {"grades": [[grade.grade, grade.snippet] for grade in judgement.grades]}


def from_row(row: Mapping[str, Any] | None, criteria: Sequence[Criterion]) -> Judgement | None:
    """Return a stored judgement, or None if it cannot be read."""
    if row is None:
        return None
    try:
        graded = criteria if row.get("stated_score") is None else []
        grades = [
            {"criterion": criterion, "grade": grade, "snippet": snippet}
            for criterion, (grade, snippet) in zip(graded, row["grades"], strict=True)
        ]
        return Judgement.model_validate({**row, "grades": grades})
    except (ValidationError, KeyError, TypeError, ValueError):
        return None
