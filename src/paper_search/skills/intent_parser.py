"""The skill that understands a research question."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from datetime import date

from paper_search.errors import LLMError, LLMFailure, QuestionError
from paper_search.llm.provider import LLMProvider, name_of
from paper_search.llm.structured import ask
from paper_search.models import ParsedIntent
from paper_search.prompts import load_prompt
from paper_search.query.lines import lines_of
from paper_search.query.parser import MAX_LENGTH
from paper_search.query.systems import count_tags
from paper_search.skills.intent.answer import IntentAnswer
from paper_search.skills.intent.boolean_question import intent_of_boolean, read_boolean
from paper_search.skills.intent.forms import CUT
from paper_search.skills.intent.names import Kind, Lookup, lookups_of, read_names
from paper_search.skills.intent.reader import read_limits, read_question
from paper_search.skills.judging.criteria import criteria_of
from paper_search.skills.phrases import INSIDE
from paper_search.skills.untrusted import visible

MAX_QUESTION_CHARS = 10_000
"""The longest question that is read, in characters."""

_LONGEST_SHOWN = 40
_AGAIN = "Your previous answer gave concepts in another language. Give all concepts in English."
_log = logging.getLogger(__name__)


class IntentParser:
    """Understands a question, by a model if there is one and it answers, else by its words.

    A question that is a boolean query already is taken as it is, with a model and without.

    Args:
        llm: None: by algorithm.
        domain: adds its instructions to the model's prompt; "general" adds none.
        today: the clock that "last five years" is counted from.
        default_max_results: how many results are wanted where the question does not say.
        lookup: whether the records at hand have a paper by an author or in a venue; None: there
            are no records.
    """

    def __init__(
        self,
        llm: LLMProvider | None = None,
        domain: str = "general",
        *,
        today: Callable[[], date] = date.today,
        default_max_results: int = 100,
        lookup: Callable[[Kind, str], Awaitable[bool | None]] | None = None,
    ) -> None:
        self._llm = llm
        self._domain = domain
        self._today = today
        self._default_max_results = default_max_results
        self._lookup = lookup

    @property
    def model(self) -> str | None:
        """Name of the model that is asked; None: none is."""
        return name_of(self._llm)

    async def parse(self, user_input: str) -> ParsedIntent:
        """Return the intent of the question.

        Raises:
            QuestionError: it holds no word, is longer than `MAX_QUESTION_CHARS`, or holds
                operators of a boolean query that cannot be read.
            LLMError: the budget does not cover the call.
        """
        question = _checked(user_input)
        if (wanted := read_boolean(question)) is not None:
            intent = intent_of_boolean(question, wanted, self._default_max_results)
            return intent if self._llm is None else intent.judged_by(criteria_of(intent))
        shown = " ".join(question.split())
        today = self._today()
        known = await self._known_names(shown)
        if self._llm is None:
            return read_question(shown, today, self._default_max_results, known)
        prompt = load_prompt("intent_parser", self._domain)
        message = json.dumps(question, ensure_ascii=False)
        try:
            answer = await self._in_english(self._llm, prompt, message)
        except Exception as error:  # whatever a provider raises, there is an intent
            if isinstance(error, LLMError) and error.reason is LLMFailure.BUDGET:
                raise  # more can be allowed
            _log.warning("the model did not read the question: %s", error)
            intent = read_question(shown, today, self._default_max_results, known)
            note = f"the model did not read the question ({error}): it is read without a model"
            intent = intent.model_copy(update={"notes": [*intent.notes, note]})
            return intent.judged_by(criteria_of(intent))
        return answer.intent(read_limits(shown, today, self._default_max_results, known), today)

    async def _known_names(self, question: str) -> Lookup:
        answers: dict[tuple[Kind, str], bool | None] = {}
        if self._lookup is not None:
            for kind, name in lookups_of(lambda lookup: read_names(question, lookup)):
                answers[kind, name] = await self._lookup(kind, name)
        return lambda kind, name: answers.get((kind, name))

    async def _in_english(self, llm: LLMProvider, prompt: str, message: str) -> IntentAnswer:
        """Return the model's answer; concepts in another language are asked for again once.

        Raises:
            LLMError: the model failed at first.
        """
        answer = await ask(llm, IntentAnswer, prompt, message)
        if answer.is_english:
            return answer
        _log.info("the concepts are not in English and asked for again: %s", answer.concepts)
        try:
            return await ask(llm, IntentAnswer, prompt, f"{message}\n\n{_AGAIN}")
        except LLMError as error:
            _log.warning("the concepts stay in another language: %s", error)
            return answer


def _is_strategy(text: str) -> bool:
    """Return whether a long text is a search strategy, which may be longer than a question."""
    return len(text) <= MAX_LENGTH and count_tags(text) > 0 and lines_of(text).is_strategy


def _checked(user_input: str) -> str:
    """Return the visible characters of the question; line breaks stay."""
    if not user_input.strip():
        raise QuestionError(
            f"the question is empty: {user_input[:20]!r}; say what you are looking for"
        )
    if len(user_input) > MAX_QUESTION_CHARS and not _is_strategy(user_input):
        raise QuestionError(
            f"the question has {len(user_input):,} characters, the limit is"
            f" {MAX_QUESTION_CHARS:,}; shorten it"
        )
    question = visible(user_input).replace(CUT, " ").replace(INSIDE, " ").strip()
    if not any(char.isalnum() for char in question):
        raise QuestionError(
            f"the question contains no words: {user_input[:_LONGEST_SHOWN]!r};"
            " say what you are looking for"
        )
    return question
