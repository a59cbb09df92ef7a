"""A person's marks on single papers, saved at once and outside of checkpoints."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from paper_search.config import current_person
from paper_search.errors import InputError
from paper_search.models import MergeDecision, UserFeedback
from paper_search.threads.records import storable
from paper_search.workflow.records import SearchRecords

LONGEST_LABEL = 100
"""Characters."""
_PAIRS = "pairs"


class ScreeningMark(BaseModel):
    paper_id: str
    number: int
    """Place in the order of all marks, from 1."""
    iteration: int
    is_relevant: bool | None = None
    """None: the paper was skipped, has only a note or labels, or its mark was taken back."""
    is_skipped: bool = False
    is_screened: bool = False
    """Whether it was made while screening, where the program picks the paper."""
    is_taken_back: bool = False
    """Whether the mark of an earlier round no longer holds."""
    reason: str | None = None
    note: str | None = None
    labels: list[str] = Field(default_factory=list)
    said_at: str = ""
    """UTC, ISO 8601."""
    said_by: str = ""

    def says(self, *, is_relevant: bool | None) -> bool:
        """Whether this is the verdict; None: that it takes an earlier mark back."""
        is_same = self.is_relevant is is_relevant
        return is_same and (is_relevant is not None or self.is_taken_back)

    def without_verdict(self) -> "ScreeningMark | None":
        """Return what stays if its verdict is undone: note and labels; None without any."""
        verdict = {"is_relevant": None, "is_skipped": False, "is_taken_back": False}
        return self.model_copy(update=verdict) if self.note or self.labels else None


class MarkStore:
    """Stores the marks of a thread beside its records, without touching the graph's checkpoints."""

    part = "marks"
    joins_answers: ClassVar[bool] = True
    """Whether the answer of a round repeats its marks, so that later rounds do not need them."""

    def __init__(self, records: SearchRecords) -> None:
        self._records = records

    async def marks(self) -> list[ScreeningMark]:
        """Return all marks in the order in which they were made."""
        return self._marks(await self._records.rows(self.part))

    def _marks(self, rows: Mapping[str, Any]) -> list[ScreeningMark]:
        marks = [ScreeningMark.model_validate(row) for row in rows.values()]
        return sorted(marks, key=lambda mark: mark.number)

    async def put(self, *marks: ScreeningMark) -> None:
        """Save marks, replacing earlier ones on the papers; they are on disk on return."""
        rows = {self._key(m.paper_id): storable(m.model_dump(mode="json")) for m in marks}
        await self._records.put(self.part, rows)

    async def undo(self, work_id: str, iteration: int) -> None:
        """Remove the verdicts of a round on the records of a work; notes and labels stay."""
        marks = [mark for mark in await self.marks() if mark.iteration == iteration]
        works = await self._records.works_of([mark.paper_id for mark in marks])
        own = [mark for mark in marks if works.get(mark.paper_id, mark.paper_id) == work_id]
        rows = {self._key(mark.paper_id): mark.without_verdict() for mark in own}
        kept = {key: rest.model_dump(mode="json") if rest else None for key, rest in rows.items()}
        await self._records.put(self.part, kept)

    async def say(
        self,
        paper_ids: Sequence[str],
        iteration: int,
        *,
        is_relevant: bool | None,
        reason: str | None = None,
        by: str | None = None,
    ) -> None:
        """Save a verdict on papers, or None to take it back; their notes and labels stay."""
        marks = await self.marks()
        before = {mark.paper_id: mark for mark in marks}
        number = max((mark.number for mark in marks), default=0)
        words = {
            "iteration": iteration,
            "is_relevant": is_relevant,
            "is_skipped": False,
            "is_taken_back": is_relevant is None,
            "reason": reason,
            **author_and_time(by),
        }
        await self.put(
            *(
                before.get(i, ScreeningMark(paper_id=i, number=0, iteration=iteration)).model_copy(
                    update={**words, "number": number + place}
                )
                for place, i in enumerate(paper_ids, start=1)
            )
        )

    def _key(self, paper_id: str) -> str:
        return paper_id

    async def say_same(self, decisions: Sequence[MergeDecision], iteration: int) -> None:
        """Save decisions on pairs of records, replacing earlier ones."""
        rows = {
            " ".join(sorted((decision.one, decision.other))): {
                "iteration": iteration,
                "decision": storable(decision.model_dump(mode="json")),
            }
            for decision in decisions
        }
        await self._records.put(_PAIRS, rows)

    async def save(self, feedback: UserFeedback, iteration: int, *, by: str | None = None) -> None:
        """Save the feedback of an answer that does not end its round; equal saved verdicts stay."""
        marks = {mark.paper_id: mark for mark in await self.marks() if mark.iteration == iteration}
        ids_by_verdict = {
            True: feedback.marked_relevant,
            False: feedback.marked_irrelevant,
            None: feedback.unmarked,
        }
        for is_relevant, ids in ids_by_verdict.items():
            for paper_id in ids:
                reason, mark = feedback.reasons.get(paper_id), marks.get(paper_id)
                is_said = mark is not None and mark.says(is_relevant=is_relevant)
                if mark is None or not is_said or reason not in {None, mark.reason}:
                    await self.say(
                        [paper_id], iteration, is_relevant=is_relevant, reason=reason, by=by
                    )
        await self.say_same(feedback.merge_decisions, iteration)

    async def carry(self, first: int, iteration: int) -> None:
        """Move the marks and decisions of a round, and of all later ones, to another round."""
        rows, pairs = await self._records.rows_of_parts(self.part, _PAIRS)
        for part, said in ((self.part, rows), (_PAIRS, pairs)):
            own = {key: row for key, row in said.items() if row["iteration"] >= first}
            carried = {key: {**row, "iteration": iteration} for key, row in own.items()}
            await self._records.put(part, carried, own)

    async def of_works(self) -> list[ScreeningMark]:
        """Return the marks that hold, each on the work that its paper now belongs to.

        Of several marks on one work, the latest verdict counts.
        """
        return await self._of_works(await self.marks())

    async def _of_works(self, marks: list[ScreeningMark]) -> list[ScreeningMark]:
        works = await self._records.works_of([mark.paper_id for mark in marks])
        marks.sort(key=lambda mark: mark.is_relevant is not None or mark.is_taken_back)
        latest = {works.get(mark.paper_id, mark.paper_id): mark for mark in marks}
        copies = [mark.model_copy(update={"paper_id": i}) for i, mark in latest.items()]
        return sorted(copies, key=lambda mark: mark.number)

    async def of_round(self, iteration: int) -> tuple[list[ScreeningMark], list[MergeDecision]]:
        """Return the marks of one round, as `of_works` does, and decisions on pairs of records.

        Those of later rounds are included: a fork by an older version of the program left them.
        """
        rows, pairs = await self._records.rows_of_parts(self.part, _PAIRS)
        marks = [mark for mark in self._marks(rows) if mark.iteration >= iteration]
        said = [row["decision"] for row in pairs.values() if row["iteration"] >= iteration]
        decisions = [MergeDecision.model_validate(decision) for decision in said]
        return await self._of_works(marks), decisions

    async def with_saved_marks(
        self, feedback: UserFeedback | None, iteration: int, known_ids: frozenset[str]
    ) -> UserFeedback | None:
        """Return the feedback of an answer with the marks saved in its round; see `join_marks`.

        `known_ids`: papers of the result. Papers judged in a round that a fork left count as well.
        """
        marks, saved = await self.of_round(iteration)
        judged_ids = await self._records.judged_ids([mark.paper_id for mark in marks])
        whole = join_marks(feedback, marks, known_ids.union(judged_ids))
        decisions = whole.merge_decisions if whole else []
        pairs = [{decision.one, decision.other} for decision in decisions]
        more = [decision for decision in saved if {decision.one, decision.other} not in pairs]
        if not more:
            return whole
        merges = {"merge_decisions": [*decisions, *more]}
        return (whole or UserFeedback()).model_copy(update=merges)


def labels_in(text: str) -> list[str]:
    """Return the labels in a text, separated by commas or semicolons."""
    parts = [" ".join(part.split()) for part in re.split("[,;]", text)]
    labels = list(dict.fromkeys(filter(None, parts)))
    if not labels or any(len(label) > LONGEST_LABEL for label in labels):
        raise InputError(f"a label has 1 to {LONGEST_LABEL} characters; separate several by commas")
    return labels


def labels_by_paper(
    marks: Sequence[ScreeningMark], work_of: Mapping[str, str] | None = None
) -> dict[str, list[str]]:
    labels: dict[str, list[str]] = {}
    for mark in marks:
        if mark.labels:
            own = (work_of or {}).get(mark.paper_id, mark.paper_id)
            labels[own] = list(dict.fromkeys([*labels.get(own, []), *mark.labels]))
    return labels


def author_and_time(by: str | None) -> dict[str, str]:
    """Return the fields of a mark for its author (by default the current user) and the time."""
    return {"said_at": datetime.now(UTC).isoformat(), "said_by": by or current_person()}


def verdicts(marks: Sequence[ScreeningMark], iteration: int) -> dict[str, bool]:
    """Return the verdicts of a round by paper, and those of later ones as in `of_round`."""
    return {
        mark.paper_id: mark.is_relevant
        for mark in marks
        if mark.iteration >= iteration and mark.is_relevant is not None
    }


def join_marks(
    feedback: UserFeedback | None, screened: Sequence[ScreeningMark], known_ids: frozenset[str]
) -> UserFeedback | None:
    """Add marks that were saved before an answer to its feedback, except on papers it names."""
    answer = feedback or UserFeedback()
    ids = {*answer.marked_relevant, *answer.marked_irrelevant, *answer.unmarked}
    more = [
        mark
        for mark in screened
        if mark.paper_id in known_ids
        and mark.paper_id not in ids
        and (mark.is_taken_back or mark.is_relevant is not None)
    ]
    if not more:
        return feedback
    relevant = [mark.paper_id for mark in more if mark.is_relevant]
    irrelevant = [mark.paper_id for mark in more if mark.is_relevant is False]
    back = [mark.paper_id for mark in more if mark.is_taken_back]
    reasons = {mark.paper_id: mark.reason for mark in more if mark.reason}
    return answer.model_copy(
        update={
            "marked_relevant": [*answer.marked_relevant, *relevant],
            "marked_irrelevant": [*answer.marked_irrelevant, *irrelevant],
            "unmarked": [*answer.unmarked, *back],
            "reasons": {**answer.reasons, **reasons},
        }
    )
