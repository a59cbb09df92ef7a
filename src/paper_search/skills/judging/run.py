"""Judges many papers with a model, within limits, and estimates the cost."""

import asyncio
import itertools
import logging
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from paper_search.errors import LLMError, LLMFailure
from paper_search.llm.chat import form_tokens, instruction_tokens
from paper_search.llm.metering import expected_tokens
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.models import Criterion, MarkedPaper
from paper_search.models.usage import Tokens
from paper_search.prompts import load_prompt, prompt_digests
from paper_search.skills.judging.judgement import (
    BatchAnswer,
    Judgement,
    JudgementCache,
    from_row,
    judgements_in,
    key_of,
    model_name,
    to_row,
)
from paper_search.skills.judging.question import PromptPaper, message

MOST_JUDGED = 100
"""Papers judged per search: the first ones, which a result shows. The number is fixed so that the
number of calls is known in advance."""
PROMPT = "relevance_scorer"
_PAPER_CHARS = 1_280
"""Estimated JSON of one paper, before any paper is known."""
_CRITERION_TOKENS = 25
"""Estimate for a criterion in the prompt, and for its grade and snippet in the answer."""
_NAMING_TOKENS = 10
"""Estimate for the rest of the answer on one paper."""


def cost_of_judging(
    papers: int, batch_size: int, criteria: int, *, question: str = "", paper_chars: int = 0
) -> Tokens:
    """Estimate the cost; `question` has no papers, each of which has `paper_chars` characters."""
    calls = math.ceil(papers / batch_size)
    around = expected_tokens(len(question)) or criteria * _CRITERION_TOKENS
    answers = papers * (_NAMING_TOKENS + criteria * _CRITERION_TOKENS)
    texts = expected_tokens(papers * (paper_chars or _PAPER_CHARS))
    forms = calls * form_tokens(BatchAnswer)
    return Tokens(calls, calls * (_instruction_tokens() + around) + texts, answers, forms)


@cache
def _instruction_tokens() -> int:
    return instruction_tokens(load_prompt(PROMPT), BatchAnswer)


_MOST_FAILURES = 6
"""Consecutive failures, each after several attempts, after which judging stops."""
_OF_ONE_PAPER = frozenset({LLMFailure.REFUSAL, LLMFailure.CONTENT_FILTER})
"""Failures that concern one paper only."""
_log = logging.getLogger(__name__)

_OTHER_SCALE = 2, 0.05
"""Number and share of papers with grades beyond the scale that invalidate all grades of a run."""

Entry: TypeAlias = tuple[int, PromptPaper]
"""The number of a paper, and its text for the prompt."""


@dataclass
class Judging:
    """One run over the papers of a search; its dictionaries are keyed by number of the paper."""

    llm: LLMProvider
    question: str
    criteria: Sequence[Criterion]
    marked: Sequence[MarkedPaper]
    batch_size: int
    max_concurrency: int
    cache: JudgementCache | None = None
    judgements: dict[int, Judgement] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    _failures: int = 0
    _has_worked: bool = False
    _obstacle: str | None = None
    _beyond: dict[int, float] = field(default_factory=dict)
    _new: set[int] = field(default_factory=set)
    _keys: dict[int, str] = field(default_factory=dict)

    async def judge(self, papers: Mapping[int, PromptPaper]) -> None:
        await self._recall(papers)
        entries = [entry for entry in papers.items() if entry[0] not in self.judgements]
        size = self.batch_size
        waiting = deque(entries[start : start + size] for start in range(0, len(entries), size))
        running: set[asyncio.Task[None]] = set()
        try:
            while running or waiting:
                if self._obstacle is not None:
                    self._give_up(itertools.chain(*waiting), self._obstacle)
                    waiting.clear()
                while waiting and len(running) < self._places:
                    running.add(asyncio.create_task(self._ask_about(waiting.popleft())))
                if running:
                    done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    for question in done:
                        question.result()
        finally:
            for question in running:
                question.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        await self._void_other_scale()

    @property
    def _places(self) -> int:
        """The number of concurrent requests: one, until the first has succeeded."""
        return self.max_concurrency if self._has_worked else 1

    async def _recall(self, papers: Mapping[int, PromptPaper]) -> None:
        if self.cache is None:
            return
        about = (self.question, self.criteria, model_name(self.llm), prompt_digest())
        self._keys = {number: key_of(paper, *about) for number, paper in papers.items()}
        rows = await self.cache.get(list(self._keys.values()))
        for number, key in self._keys.items():
            if (judgement := from_row(rows.get(key), self.criteria)) is not None:
                self.judgements[number] = judgement

    async def _store(self, judgements: Mapping[int, Judgement | None]) -> None:
        """Store judgements by number of the paper; None invalidates a stored one."""
        if self.cache is not None and judgements:
            rows = {self._keys[n]: to_row(j) if j else {} for n, j in judgements.items()}
            await self.cache.put(rows)

    async def _void_other_scale(self) -> None:
        """Drop all judgements of a run if the model used another scale, such as 1 to 5."""
        fewest, share = _OTHER_SCALE
        answers = len(self._new | self._beyond.keys())
        if len(self._beyond) < max(fewest, share * answers):
            return
        highest = max(self._beyond.values())
        reason = f"the model graded on another scale: up to {highest:g} where 0 to 3 was asked for"
        _log.warning("no judgement of this run counts: %s", reason)
        self.reasons.update(dict.fromkeys(self._new | self._beyond.keys(), reason))
        for number in self._new:
            del self.judgements[number]
        await self._store(dict.fromkeys(self._new))

    async def _ask_about(self, entries: Sequence[Entry]) -> None:
        papers = [paper for _, paper in entries]
        text = message(self.question, self.criteria, self.marked, papers)
        try:
            answer = await ask(self.llm, BatchAnswer, load_prompt(PROMPT), text, repairs=0)
        except Exception as error:  # noqa: BLE001  # frozen: if a provider raises anything, papers stay unjudged
            reason = error.reason if isinstance(error, LLMError) else LLMFailure.OTHER
            _log.warning("%d papers are not judged: %s", len(entries), error)
            why = str(error) if reason is LLMFailure.BUDGET else reason.value
            self._note_failure(reason, why)
            self._give_up(entries, self._obstacle or why if reason.is_lasting else why)
            return
        by_id = {paper.paper_id: number for number, paper in entries}
        for graded in answer.results:
            if graded.beyond_scale and graded.paper_id in by_id:
                self._beyond[by_id[graded.paper_id]] = graded.beyond_scale
        results = judgements_in(answer, papers, self.criteria)
        usable: dict[int, Judgement] = {}
        for entry, result in zip(entries, results, strict=True):
            if isinstance(result, Judgement):
                usable[entry[0]] = result
            else:
                _log.warning("a paper is not judged: %s", result)
                self._give_up([entry], result)
        if usable:
            self._failures, self._has_worked = 0, True
        else:
            self._note_failure(LLMFailure.UNREADABLE, str(results[-1]))
        self.judgements.update(usable)
        self._new.update(usable)
        await self._store(usable)

    def _note_failure(self, reason: LLMFailure, words: str) -> None:
        self._failures = 0 if reason in _OF_ONE_PAPER else self._failures + 1
        if reason.is_lasting or self._failures >= _MOST_FAILURES:
            last = f"not asked after {self._failures} failures in a row: {words}"
            self._obstacle = self._obstacle or (words if reason.is_lasting else last)
            _log.warning("no more papers are judged: %s", self._obstacle)

    def _give_up(self, entries: Iterable[Entry], reason: str) -> None:
        self.reasons.update({number: reason for number, _ in entries})


def prompt_digest() -> str:
    return prompt_digests([PROMPT])[PROMPT][:16]
