"""Fake language and embedding models."""

import asyncio
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings
from typing_extensions import override

from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import json_object


@dataclass(frozen=True)
class LLMCall:
    system_prompt: str
    user_message: str
    schema: dict[str, Any] | None = None


Answer = dict[str, Any] | str | BaseException | Callable[[LLMCall], Any]
"""An object, text (parsed where JSON is requested), an error to raise, or a function of the call
that returns one of these."""


class FakeLLM(LLMProvider):
    """A scripted language model.

    Args:
        answers: returned in order; the last one is repeated.
        delay_s: duration of each answer, so that concurrent calls can be counted.
    """

    def __init__(
        self,
        answers: Answer | Iterable[Answer] = (),
        *,
        delay_s: float = 0.0,
    ) -> None:
        is_one = isinstance(answers, (dict, str, BaseException)) or callable(answers)
        self._answers: list[Answer] = [answers] if is_one else list(answers)  # type: ignore[list-item,arg-type]  # narrowed by is_one
        self._delay_s = delay_s
        self._answer_count = 0
        self.calls: list[LLMCall] = []
        self.running = 0
        self.most_running = 0
        """Maximum number of concurrent calls."""

    @property
    def call_count(self) -> int:
        return len(self.calls)

    @override
    async def complete(self, system_prompt: str, user_message: str) -> str:
        answer = await self._next(LLMCall(system_prompt, user_message))
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)

    @override
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        answer = await self._next(LLMCall(system_prompt, user_message, schema))
        return json_object(answer) if isinstance(answer, str) else answer

    async def _next(self, call: LLMCall) -> Any:
        self.calls.append(call)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(self._delay_s)
        finally:
            self.running -= 1
        if not self._answers:
            raise AssertionError(f"FakeLLM has no answer for {call.user_message[:200]!r}")
        answer: Any = self._answers[min(self._answer_count, len(self._answers) - 1)]
        self._answer_count += 1
        if callable(answer):
            answer = answer(call)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def data_block(call: LLMCall) -> list[dict[str, Any]]:
    every = blocks(call.user_message)
    if not every:
        raise AssertionError(f"no data block in {call.user_message[:200]!r}")
    return every[0]


def blocks(message: str) -> list[list[dict[str, Any]]]:
    texts = re.findall(r"^<data-(\w+)>\n(.*)\n</data-\1>$", message, re.DOTALL | re.MULTILINE)
    return [json.loads(text) for _, text in texts]


def criteria_in(user_message: str) -> list[dict[str, Any]]:
    """Return the criteria in a message to the judge: number, kind and text."""
    line = next(part for part in user_message.split("\n") if part.startswith("Criteria: "))
    criteria: list[dict[str, Any]] = json.loads(line.removeprefix("Criteria: "))
    return criteria


def grading_of(
    record: Mapping[str, Any], criteria: Sequence[Mapping[str, Any]], grade: int
) -> dict[str, Any]:
    """Return a judge's entry with one grade for all inclusion criteria, and 0 for exclusions.

    The snippet is the title.
    """
    grades = [
        {
            "criterion": criterion["number"],
            "grade": own_grade,
            "snippet": record["title"] if own_grade else "",
        }
        for criterion in criteria
        for own_grade in [grade if criterion["kind"] == "inclusion" else 0]
    ]
    return {"paper_id": record["paper_id"], "grades": grades, "tags": []}


def grades_of(grades: Mapping[str, int], default: int = 2) -> Callable[[LLMCall], Any]:
    """Return an answer that grades each paper of the call by its title."""

    def answer(call: LLMCall) -> dict[str, Any]:
        criteria = criteria_in(call.user_message)
        return {
            "results": [
                grading_of(record, criteria, grades.get(record["title"], default))
                for record in data_block(call)
            ]
        }

    return answer


class FakeEmbeddings(Embeddings):
    """An embedding model for which texts with common words are similar.

    `meanings`: synonyms, such as {"automobile": "car"}. `fails_after`: number of texts before
    `error` is raised. `answers`: vectors of texts that contain the key. `waits_for`: an event that
    every call waits for, to simulate a service that hangs.
    """

    def __init__(  # noqa: PLR0913  # a script of what may happen, by keyword
        self,
        dimension: int = 64,
        *,
        model: str = "fake",
        meanings: Mapping[str, str] | None = None,
        fails_after: int | None = None,
        error: Exception | None = None,
        answers: Mapping[str, list[float]] | None = None,
        waits_for: threading.Event | None = None,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self.fails_after = fails_after
        self.asked: list[str] = []
        """Every text, in order."""
        self._meanings = dict(meanings or {})
        self._error = error or ConnectionError("the service does not answer")
        self._answers = dict(answers or {})
        self._waits_for = waits_for

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self._waits_for is not None:
            self._waits_for.wait(60)
        if self.fails_after is not None and len(self.asked) + len(texts) > self.fails_after:
            raise self._error
        self.asked += texts
        return [self._vector(text) for text in texts]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _vector(self, text: str) -> list[float]:
        for part, vector in self._answers.items():
            if part in text:
                return vector
        made = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            meaning = self._meanings.get(word, word)
            digest = hashlib.blake2b(meaning.encode(), digest_size=8).digest()
            place = int.from_bytes(digest[:4], "big") % self.dimension
            made[place] += 1.0 if digest[4] % 2 else -1.0
        return made


def create_fake() -> FakeEmbeddings:
    """Return the model for the setting `paper_search.testing.llm:create_fake`."""
    return FakeEmbeddings()
