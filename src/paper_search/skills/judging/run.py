"""Asks a model about many papers: in batches, within limits, until it has all or cannot go on."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from paper_search.errors import LLMError, LLMFailure
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask
from paper_search.models import NOT_NEEDED, Criterion, CriterionKind, MarkedPaper
from paper_search.prompts import load_prompt
from paper_search.skills.judging.answer import BatchAnswer, Judgement, read, score_of
from paper_search.skills.judging.question import Shown, aliases, message

_LASTING = 2
"""Equal failures in a row, of a kind that will not pass, after which nothing more is asked."""
_PASSING = 3
"""Failures in a row that have nothing to do with what is asked; each was tried several times."""
_ANY = 6
"""Failures in a row of any kind: as many as it takes to find one paper that a model refuses."""
_OF_THE_ANSWER = frozenset(
    {
        LLMFailure.REFUSAL,
        LLMFailure.CONTENT_FILTER,
        LLMFailure.ANSWER_TOO_LONG,
        LLMFailure.QUESTION_TOO_LONG,
        LLMFailure.UNREADABLE,
    }
)
PROMPT = "relevance_scorer"
_MOST_CHANGE = 1
"""By how many grades, all one way, second readings may differ: models waver by one."""
_GAINED = 0.34
"""The score from which on a paper of a batch that is not trusted may have led the judge."""
_FEW = 4
"""Papers of a batch of which two are read again."""
_DIVISIBLE = frozenset(
    {
        LLMFailure.ANSWER_TOO_LONG,
        LLMFailure.QUESTION_TOO_LONG,
        LLMFailure.REFUSAL,
        LLMFailure.CONTENT_FILTER,
        LLMFailure.TIMEOUT,
        LLMFailure.UNREADABLE,
    }
)
"""Failures that half of the papers may not have."""
_log = logging.getLogger(__name__)

Keep = Callable[[Mapping[int, Judgement]], Awaitable[None]]
"""Stores the judgements of a finished batch, by number of the paper."""


class Breaker:
    """Counts failures in a row.

    Attributes:
        why: the failure that ended the asking; None: it goes on.
        has_worked: whether the model ever answered.
    """

    def __init__(self) -> None:
        self.why: LLMFailure | None = None
        self.has_worked = False
        self._failures: list[tuple[LLMFailure, bool]] = []

    def worked(self) -> None:
        """Take note of an answer that could be used."""
        self.has_worked = True
        self._failures.clear()

    def failed(self, reason: LLMFailure, *, is_smallest: bool) -> None:
        """Take note of a failure.

        Args:
            reason: of the failure.
            is_smallest: nothing smaller can be asked: an answer that is cut off stays so.
        """
        is_cut = reason in {LLMFailure.ANSWER_TOO_LONG, LLMFailure.QUESTION_TOO_LONG}
        this = (reason, reason.is_lasting or (is_cut and is_smallest))
        self._failures.append(this)
        is_final = this[1] and self._failures[-_LASTING:] == [this] * _LASTING
        # Nobody may spend more: the second question would be refused just as well.
        is_final = is_final or reason is LLMFailure.BUDGET or len(self._failures) >= _ANY
        latest = [kind for kind, _ in self._failures[-_PASSING:]]
        is_down = len(latest) == _PASSING and not _OF_THE_ANSWER & set(latest)
        if self.why is None and (is_final or is_down):
            self.why = reason
            _log.warning("no more papers are judged: %s", reason.value)


@dataclass(frozen=True)
class Entry:
    """One paper to be judged."""

    number: int
    shown: Shown
    by_words: float
    """Its score by words."""
    is_alone: bool = False
    """Its text may be meant for the judge: no other paper is in one question with it."""


class Stage(Enum):
    """How often papers were asked about before."""

    FIRST = 1
    REPAIR = 2
    PART = 3


@dataclass(frozen=True)
class _Task:
    entries: Sequence[Entry]
    stage: Stage = Stage.FIRST
    problem: str = ""
    is_distrusted: bool = False
    """These papers were judged before, and their grades hung on their company."""


@dataclass
class Judging:
    """The questions of one call.

    Attributes:
        judged: by number, what the model said.
        failed: by number, why there is no judgement.
    """

    llm: LLMProvider
    question: str
    criteria: Sequence[Criterion]
    marked: Sequence[MarkedPaper]
    batch_size: int
    max_concurrency: int
    keep: Keep
    is_enough: Callable[[Sequence[float]], bool] = lambda scores: False  # noqa: ARG005  # a default
    judged: dict[int, Judgement] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    breaker: Breaker = field(default_factory=Breaker)
    _again: deque[_Task] = field(default_factory=deque)
    _waiting: deque[Entry] = field(default_factory=deque)
    _before: dict[int, float] = field(default_factory=dict)
    """By number, the score of papers whose batch is not trusted."""
    _chance: random.Random = field(default_factory=random.SystemRandom)

    async def judge(self, entries: Sequence[Entry]) -> None:
        """Judge the papers in their order, as far as the model and the limits allow."""
        self._waiting.extend(entries)
        running: set[asyncio.Task[None]] = set()
        try:
            while running or self._again or self._waiting:
                while len(running) < self._places and (task := self._next()):
                    running.add(asyncio.create_task(self._done(task)))
                if not running:
                    break
                finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for question in finished:
                    question.result()
        finally:
            for question in running:
                question.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    @property
    def _places(self) -> int:
        """How many questions may be open: one, until the model has shown that it can answer."""
        return self.max_concurrency if self.breaker.has_worked else 1

    def _next(self) -> _Task | None:
        """Return what to ask next; None: nothing is left, or nothing more is asked."""
        if self.breaker.why is not None:
            left = [entry for task in self._again for entry in task.entries] + list(self._waiting)
            self._give_up(left, self.breaker.why.value)
            self._again.clear()
            self._waiting.clear()
        if self._again:
            task = self._again.popleft()
            if rest := task.entries[self.batch_size :]:
                self._again.appendleft(replace(task, entries=rest))
            return replace(task, entries=task.entries[: self.batch_size])
        if self._waiting and self.is_enough(self._scores_before(self._waiting[0].number)):
            self._give_up(self._waiting, NOT_NEEDED)
            self._waiting.clear()
        if not self._waiting:
            return None
        if self._waiting[0].is_alone:
            return _Task([self._waiting.popleft()])
        batch = [entry for entry in self._waiting if not entry.is_alone][: self.batch_size]
        numbers = {entry.number for entry in batch}
        self._waiting = deque(entry for entry in self._waiting if entry.number not in numbers)
        return _Task(batch)

    def _scores_before(self, number: int) -> list[float]:
        """Return the scores of what is judged of the papers that come before one."""
        earlier = sorted(judged for judged in self.judged if judged < number)
        return [score_of(self.judged[judged].grades) for judged in earlier]

    async def _done(self, task: _Task) -> None:
        """Ask about the papers of a task; what cannot be used is asked again, or given up."""
        try:
            judged, wrong = await self._answer(task.entries, task.problem)
        except Exception as error:  # noqa: BLE001  # frozen: whatever a provider raises, papers stay, unjudged
            self._failed(task, error)
            return
        if judged:
            self.breaker.worked()
        elif task.stage is not Stage.PART or not self.breaker.has_worked:
            # The parts of a stubborn batch say nothing of the model: others may work.
            self.breaker.failed(LLMFailure.UNREADABLE, is_smallest=False)
        if wrong:
            self._ask_again(task, wrong)
        if len(task.entries) > 1 and judged and not await self._is_stable(task.entries, judged):
            _log.warning("grades hang on the other papers of a batch: each is judged alone")
            by_number = {entry.number: entry for entry in task.entries}
            self._before.update({n: score_of(said.grades) for n, said in judged.items()})
            self._again.extend(_Task([by_number[n]], is_distrusted=True) for n in judged)
            return
        await self._accept(task, judged)

    async def _accept(self, task: _Task, judged: Mapping[int, Judgement]) -> None:
        """Take judgements as they are; who gained where others lost may have led the judge."""
        for number, judgement in judged.items():
            if task.is_distrusted:
                least = max(score_of(judgement.grades), _GAINED)
                judgement.is_suspect = self._before[number] >= least
        self.judged.update(judged)
        await self.keep(judged)

    async def reading(self, entries: Sequence[Entry]) -> dict[int, Judgement]:
        """Return what the model says of these papers, changing nothing; less where it fails."""
        if self.breaker.why is not None:
            return {}
        try:
            judged, _ = await self._answer(entries)
        except Exception as error:  # noqa: BLE001  # a reading that failed says nothing of the first
            self.breaker.failed(reason_of(error), is_smallest=False)
            return {}
        if judged:
            self.breaker.worked()
        return judged

    async def _answer(
        self, entries: Sequence[Entry], problem: str = ""
    ) -> tuple[dict[int, Judgement], dict[int, str]]:
        """Return by number what the model said, and what is wrong with what it said."""
        names = aliases(len(entries), self._chance)
        shown = {name: entry.shown for name, entry in zip(names, entries, strict=True)}
        asked = message(self.question, self.criteria, self.marked, shown, problem)
        answer = await ask(self.llm, BatchAnswer, load_prompt(PROMPT), asked)
        judged, wrong = read(answer, shown, self.criteria)
        number_of = {name: entry.number for name, entry in zip(names, entries, strict=True)}
        return (
            {number_of[name]: judgement for name, judgement in judged.items()},
            {number_of[name]: why for name, why in wrong.items()},
        )

    def _ask_again(self, task: _Task, wrong: Mapping[int, str]) -> None:
        """Repair once, then halve, then give up: one paper is not asked about for ever."""
        left = [entry for entry in task.entries if entry.number in wrong]
        problem = "; ".join(dict.fromkeys(wrong.values()))
        _log.warning("%d of %d papers: %s", len(left), len(task.entries), problem)
        if task.stage is Stage.FIRST:
            self._again.append(replace(task, entries=left, stage=Stage.REPAIR, problem=problem))
        elif len(left) > 1:
            self._halve(task, left)
        else:
            self._give_up(left, wrong[left[0].number])

    def _failed(self, task: _Task, error: Exception) -> None:
        reason, entries = reason_of(error), task.entries
        self.breaker.failed(reason, is_smallest=len(entries) == 1)
        _log.warning("%d papers are not judged: %s", len(entries), error)
        if reason in _DIVISIBLE and len(entries) > 1:
            if reason in {LLMFailure.ANSWER_TOO_LONG, LLMFailure.QUESTION_TOO_LONG}:
                self.batch_size = max(1, min(self.batch_size, len(entries) // 2))
            self._halve(task, entries)
        elif task.stage is not Stage.PART and reason not in _DIVISIBLE:
            self._again.append(replace(task, stage=Stage(task.stage.value + 1)))
        else:
            self._give_up(entries, reason.value)

    def _halve(self, task: _Task, entries: Sequence[Entry]) -> None:
        half = len(entries) // 2
        for part in (entries[half:], entries[:half]):
            self._again.appendleft(replace(task, entries=part, stage=Stage.PART))

    def _give_up(self, entries: Sequence[Entry] | deque[Entry], why: str) -> None:
        self.failed.update({entry.number: why for entry in entries})

    async def _is_stable(self, entries: Sequence[Entry], judged: Mapping[int, Judgement]) -> bool:
        """Return whether a second reading without the others, in another order, says the same."""
        again = self._sample([entry for entry in entries if entry.number in judged], judged)
        second = await self.reading(again)
        before, after = (sum(_sum(part[n]) for n in second) for part in (judged, second))
        return abs(after - before) <= _MOST_CHANGE

    def _sample(self, entries: Sequence[Entry], judged: Mapping[int, Judgement]) -> list[Entry]:
        """Return whom to read again: the one or two that lost most against their words.

        Who gained is left out: a text that led the judge astray would do so again.
        """

        def gain(entry: Entry) -> float:
            return score_of(judged[entry.number].grades) - entry.by_words

        return sorted(entries, key=gain)[: 2 if len(entries) >= _FEW else 1][::-1]


def _sum(judgement: Judgement) -> int:
    """Return the grades for a paper, less those against it."""
    return sum(
        -given.grade if given.criterion.kind is CriterionKind.EXCLUSION else given.grade
        for given in judgement.grades
    )


def prompt_digest() -> str:
    """Return what names the wording of the prompt."""
    return hashlib.sha256(load_prompt(PROMPT).encode()).hexdigest()[:16]


def reason_of(error: BaseException) -> LLMFailure:
    """Return why a model failed; what is no error of ours is a failure of another kind."""
    return error.reason if isinstance(error, LLMError) else LLMFailure.OTHER
