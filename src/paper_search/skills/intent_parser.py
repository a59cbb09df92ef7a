"""The skill that understands a research question."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any

from pydantic import BaseModel, Field, field_validator

from paper_search.errors import QuestionError
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.models import IntentType, ParsedIntent, SearchConstraints
from paper_search.prompts import load_prompt
from paper_search.skills.intent_cues import read_cues
from paper_search.skills.key_phrases import MAX_CONCEPTS, key_phrases, without_request
from paper_search.skills.untrusted import visible

MAX_QUESTION_CHARS = 10_000
"""The longest question that is read, in characters."""

_LONGEST_TOPIC = 300
_TAIL = re.compile(
    r"(?<![\s,;:.?!，。？！、])(?:[\s,;:.?!，。？！、]|\b(?:papers?|articles?|publications?|studies|please|published|in|on|of"
    r"|for|from|and|with|the|only)\b|论文|文献|文章|研究|的)+$",
    re.IGNORECASE,
)
_GAPS = re.compile(r"(?:(?<!\s)\s+)?,[\s,]*")


class IntentParser:
    """Understands a question, by a model if there is one, else by its cue words.

    Args:
        llm: None: by algorithm.
        domain: adds its instructions to the model's prompt; "general" adds none.
        today: the clock that "last five years" is counted from.
        default_max_results: how many results are wanted where the question does not say.
    """

    def __init__(
        self,
        llm: LLMProvider | None = None,
        domain: str = "general",
        *,
        today: Callable[[], date] = date.today,
        default_max_results: int = 100,
    ) -> None:
        self._llm = llm
        self._domain = domain
        self._today = today
        self._default_max_results = default_max_results

    async def parse(self, user_input: str) -> ParsedIntent:
        """Return the intent of the question.

        Raises:
            QuestionError: it is empty, blank, or longer than `MAX_QUESTION_CHARS`.
            LLMError: the model failed; nothing can go on without an intent.
        """
        question = _checked(user_input)
        if self._llm is None:
            return _by_cues(question, self._today(), self._default_max_results)
        prompt = load_prompt("intent_parser", self._domain)
        message = json.dumps(question, ensure_ascii=False)
        answer = await ask(self._llm, IntentAnswer, prompt, message)
        return answer.intent(question, self._default_max_results)


class ConstraintsAnswer(BaseModel):
    """The limits as a model gives them."""

    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    max_results: int | None = None


class IntentAnswer(BaseModel):
    """The intent as a model gives it."""

    topic: str = Field(min_length=1)
    concepts: list[str] = Field(default_factory=list)
    intent_type: IntentType
    constraints: ConstraintsAnswer = Field(default_factory=ConstraintsAnswer)

    @field_validator("intent_type", mode="before")
    @classmethod
    def _in_lower_case(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("constraints", mode="before")
    @classmethod
    def _none_is_no_limit(cls, value: Any) -> Any:
        return {} if value is None else value

    def intent(self, question: str, default_max_results: int) -> ParsedIntent:
        """Return the intent, cleaned: no blank concept, years in order, a positive count."""
        topic = self.topic.strip() or question
        concepts = [concept.strip() for concept in self.concepts if concept.strip()]
        limits = self.constraints
        years = [limits.year_from, limits.year_to]
        if limits.year_from and limits.year_to and limits.year_from > limits.year_to:
            years.reverse()
        return ParsedIntent(
            topic=topic,
            concepts=concepts[:MAX_CONCEPTS] or [topic],
            intent_type=self.intent_type,
            constraints=_constraints(
                years[0], years[1], limits.language, limits.max_results or default_max_results
            ),
        )


def _checked(user_input: str) -> str:
    question = user_input.strip()
    if not question:
        raise QuestionError(f"the question is empty: {user_input[:20]!r}; say what you look for")
    if len(user_input) > MAX_QUESTION_CHARS:
        raise QuestionError(
            f"the question has {len(user_input):,} characters, the limit is"
            f" {MAX_QUESTION_CHARS:,}; say it in fewer words"
        )
    return question


def _by_cues(question: str, today: date, default_max_results: int) -> ParsedIntent:
    shown = " ".join(visible(question).split()) or question
    cues = read_cues(shown, today)
    rest = _GAPS.sub(", ", cues.rest).strip(" ,")
    topic = _TAIL.sub("", without_request(rest)).strip(" ,") or rest or shown
    topic = topic[:_LONGEST_TOPIC].strip()
    concepts = key_phrases(rest) or [topic]
    return ParsedIntent(
        topic=topic,
        concepts=concepts,
        intent_type=cues.intent_type,
        constraints=_constraints(
            cues.year_from, cues.year_to, cues.language, cues.max_results or default_max_results
        ),
    )


def _constraints(
    year_from: int | None, year_to: int | None, language: str | None, max_results: int
) -> SearchConstraints:
    return SearchConstraints(
        year_from=year_from,
        year_to=year_to,
        language=(language or "").strip().lower() or None,
        max_results=max(1, max_results),
    )
