"""What a person said of single papers, kept beside the checkpoints as soon as it is said."""

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
"""The part of the record store with what was said of pairs of records."""


class ScreeningMark(BaseModel):
    """What a person said of one paper."""

    paper_id: str
    number: int
    """Place in the order in which it was said, from 1."""
    iteration: int
    """Of the search, in which it was said."""
    is_relevant: bool | None = None
    """None: neither; the paper was skipped, has a note only, or its mark was taken back."""
    is_skipped: bool = False
    is_screened: bool = False
    """Whether it was made while screening, where the program and not the person picks the paper."""
    is_taken_back: bool = False
    """What an earlier round said of it does not hold any more."""
    reason: str | None = None
    """Why it is relevant or not."""
    note: str | None = None
    labels: list[str] = Field(default_factory=list)
    """Words of the person's own."""
    said_at: str = ""
    """UTC, ISO 8601."""
    said_by: str = ""

    def says(self, *, is_relevant: bool | None) -> bool:
        """Whether that is what it says; None means that an earlier mark is taken back."""
        is_same = self.is_relevant is is_relevant
        return is_same and (is_relevant is not None or self.is_taken_back)


class MarkStore:
    """Keeps the marks of a thread beside its records; the graph's checkpoints are not touched."""

    part = "marks"
    """Where in the store they are."""
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
        """Save marks in the place of earlier ones on the papers; they are on disk on return."""
        rows = {self._key(m.paper_id): storable(m.model_dump(mode="json")) for m in marks}
        await self._records.put(self.part, rows)

    async def remove(self, paper_id: str) -> None:
        await self._records.put(self.part, {self._key(paper_id): None})

    async def say(
        self,
        paper_ids: Sequence[str],
        iteration: int,
        *,
        is_relevant: bool | None,
        reason: str | None = None,
        by: str | None = None,
    ) -> None:
        """Save what the person at hand says of papers; a note and labels that are there stay.

        `is_relevant`: None: what was said of them before is taken back. `by`: who says it; None:
        who runs the program.
        """
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
        """Save what the person at hand says of pairs of records, in the place of earlier words."""
        rows = {
            " ".join(sorted((decision.one, decision.other))): {
                "iteration": iteration,
                "decision": storable(decision.model_dump(mode="json")),
            }
            for decision in decisions
        }
        await self._records.put(_PAIRS, rows)

    async def save(self, feedback: UserFeedback, iteration: int, *, by: str | None = None) -> None:
        """Save what an answer says that does not end its round; it joins the next answer.

        What was saved before stays as it is, with who said it and why.
        """
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
        """Have what was said in a round and all later ones join the answers of another round."""
        rows, pairs = await self._records.rows_of_parts(self.part, _PAIRS)
        for part, said in ((self.part, rows), (_PAIRS, pairs)):
            own = {key: row for key, row in said.items() if row["iteration"] >= first}
            carried = {key: {**row, "iteration": iteration} for key, row in own.items()}
            await self._records.put(part, carried, own)

    async def of_works(self) -> list[ScreeningMark]:
        """Return the marks that stand, each on the paper that its own was merged into since.

        Of what was said on both, the latest verdict counts.
        """
        return await self._of_works(await self.marks())

    async def _of_works(self, marks: list[ScreeningMark]) -> list[ScreeningMark]:
        works = await self._records.works_of([mark.paper_id for mark in marks])
        marks.sort(key=lambda mark: mark.is_relevant is not None or mark.is_taken_back)
        latest = {works.get(mark.paper_id, mark.paper_id): mark for mark in marks}
        copies = [mark.model_copy(update={"paper_id": i}) for i, mark in latest.items()]
        return sorted(copies, key=lambda mark: mark.number)

    async def of_round(self, iteration: int) -> tuple[list[ScreeningMark], list[MergeDecision]]:
        """Return the marks of one round, as `of_works`, and what was said of pairs of records.

        Those of later rounds are among them, which somebody went back from with an older program.
        """
        rows, pairs = await self._records.rows_of_parts(self.part, _PAIRS)
        marks = [mark for mark in self._marks(rows) if mark.iteration >= iteration]
        said = [row["decision"] for row in pairs.values() if row["iteration"] >= iteration]
        decisions = [MergeDecision.model_validate(decision) for decision in said]
        return await self._of_works(marks), decisions

    async def with_saved_marks(
        self, feedback: UserFeedback | None, iteration: int, known_ids: frozenset[str]
    ) -> UserFeedback | None:
        """Return the feedback of an answer with what was saved in its round; see `join_marks`.

        `known_ids`: papers of the result. What was judged in a round that a fork left counts, too.
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
    """Return the labels in what a person typed, with commas or semicolons between them."""
    parts = [" ".join(part.split()) for part in re.split("[,;]", text)]
    labels = list(dict.fromkeys(filter(None, parts)))
    if not labels or any(len(label) > LONGEST_LABEL for label in labels):
        raise InputError(
            f"a label has 1 to {LONGEST_LABEL} characters; commas stand between several"
        )
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
    """Return who says something, by default who runs the program, and when, as a mark has it."""
    return {"said_at": datetime.now(UTC).isoformat(), "said_by": by or current_person()}


def verdicts(marks: Sequence[ScreeningMark], iteration: int) -> dict[str, bool]:
    """Return what the marks of a round, and of later ones as in `of_round`, say of papers."""
    return {
        mark.paper_id: mark.is_relevant
        for mark in marks
        if mark.iteration >= iteration and mark.is_relevant is not None
    }


def join_marks(
    feedback: UserFeedback | None, screened: Sequence[ScreeningMark], known_ids: frozenset[str]
) -> UserFeedback | None:
    """Return the feedback of an answer with the marks of the round before it.

    Where both speak of a paper, the answer counts. None: neither says anything.
    """
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
