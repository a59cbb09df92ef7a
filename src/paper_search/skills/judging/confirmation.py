"""Reads those again that come first, without what says nothing of the subject.

A text can talk a model into a grade in words that no list of cues has. It cannot do so where these
words are not shown: a grade that hangs on them falls.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from paper_search.skills.judging.answer import Judgement, score_of
from paper_search.skills.judging.run import Entry, Judging
from paper_search.skills.judging.subject import Subject

CONFIRMED = 25
"""Papers that come first and are read again: those of the first page and a few more."""
WORTH_A_READING = 0.34
"""Score from which on they are."""
_LEAST_SHARE = 0.5
"""Share of a score that is left where a text is not flagged for having asked for more."""
_log = logging.getLogger(__name__)


class Confirmation:
    """The second readings of one call.

    Args:
        judging: with the judgements, which change.
        entries: the papers by number.
        subject: of the search.
        score: of a paper by its number, as the result has it.
    """

    def __init__(
        self,
        judging: Judging,
        entries: Mapping[int, Entry],
        subject: Subject,
        score: Callable[[int], float],
    ) -> None:
        self._judging = judging
        self._entries = entries
        self._subject = subject
        self._score = score
        self._tried: set[int] = set()

    async def confirm(self) -> None:
        """Read again until all that come first are read; of two readings the lower one counts.

        A paper whose reading fails keeps its grades, and is read again with the next call.
        """
        while (open_ := self._open()) and self._judging.breaker.why is None:
            self._tried.update(open_)
            whole = [n for n in open_ if self._subject.is_whole(self._entries[n].shown)]
            await self._keep({n: self._judging.judged[n] for n in whole})
            batches = self._batches([n for n in open_ if n not in set(whole)])
            for start in range(0, len(batches), self._judging.max_concurrency):
                together = batches[start : start + self._judging.max_concurrency]
                await asyncio.gather(*map(self._read_again, together))

    def _open(self) -> list[int]:
        """Return who comes first and is not confirmed."""
        judged = self._judging.judged
        mine = [n for n in judged if n in self._entries and self._score(n) >= WORTH_A_READING]
        first = sorted(mine, key=lambda n: (-self._score(n), n))[:CONFIRMED]
        return [n for n in first if not judged[n].is_confirmed and n not in self._tried]

    def _batches(self, numbers: Sequence[int]) -> list[list[int]]:
        alone = [n for n in numbers if self._entries[n].is_alone]
        others = [n for n in numbers if not self._entries[n].is_alone]
        size = self._judging.batch_size
        return [
            *([n] for n in alone),
            *(others[start : start + size] for start in range(0, len(others), size)),
        ]

    async def _read_again(self, numbers: Sequence[int]) -> None:
        found = await self._judging.reading([self._part(n) for n in numbers])
        if len(numbers) > 1:
            # Others may have led the judge in this reading, too: who lost is asked about alone.
            lost = [n for n, judgement in found.items() if self._falls(n, judgement)]
            for n in lost:
                found |= await self._judging.reading([self._part(n)])
        await self._keep({n: self._lower(n, judgement) for n, judgement in found.items()})

    def _part(self, number: int) -> Entry:
        entry = self._entries[number]
        return replace(entry, shown=self._subject.part_of(entry.shown))

    def _falls(self, number: int, again: Judgement) -> bool:
        return score_of(again.grades) < score_of(self._judging.judged[number].grades)

    def _lower(self, number: int, again: Judgement) -> Judgement:
        first = self._judging.judged[number]
        if not self._falls(number, again):
            return first
        is_far = score_of(again.grades) < _LEAST_SHARE * score_of(first.grades)
        if is_far:
            _log.warning("grades of a paper hang on words that say nothing of the subject")
        return again.model_copy(update={"is_suspect": first.is_suspect or is_far})

    async def _keep(self, judgements: Mapping[int, Judgement]) -> None:
        confirmed = {
            n: judgement.model_copy(update={"is_confirmed": True})
            for n, judgement in judgements.items()
        }
        self._judging.judged.update(confirmed)
        if confirmed:
            await self._judging.keep(confirmed)
