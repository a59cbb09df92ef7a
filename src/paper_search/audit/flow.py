"""The PRISMA 2020 flow of a search: counts that add up, because each record has one fate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pydantic import BaseModel, Field

from paper_search.audit.fates import Fate, RecordFate, works_of
from paper_search.audit.reading import ReviewThread
from paper_search.workflow.counts import RoundCounts, count_rounds, quantity
from paper_search.workflow.state import MOST_ITERATIONS


class PrismaFlow(BaseModel):
    """How many records there are at each place of the flow.

    `identified = removed_by_checks + duplicates + works`;
    `works = set_aside + not_carried_over + pending + for_screening`;
    `for_screening = undecided + not_judged + screened`; `screened = excluded + included`.
    """

    identified: int
    """Records of all sources and rounds, as often as they arrived."""
    by_source: dict[str, int] = Field(default_factory=dict)
    """The same, by the service or database that gave them."""
    rounds: list[RoundCounts] = Field(default_factory=list)
    outside_rounds: int = 0
    """Of the records identified, those of rounds that were reopened."""
    removed_by_checks: int = 0
    """Before anything was screened: no record that can be used, or not what was asked for."""
    removal_reasons: dict[str, int] = Field(default_factory=dict)
    duplicates: int
    """Records beyond the first of each work."""
    given_again: int = 0
    """Of the duplicates, the same record of the same source: by another query, or in a later
    round."""
    works: int
    set_aside: int
    not_carried_over: int
    pending: int
    for_screening: int
    undecided: int
    not_judged: int
    screened: int
    excluded: int
    exclusion_reasons: dict[str, int] = Field(default_factory=dict)
    """Works by the reason of their exclusion; "no reason given" where there is none."""
    included: int
    parts: list[PrismaFlow] = Field(default_factory=list)
    """Of a review that was updated: the same of the review before its first update, and of each
    update. Works that an earlier part had are duplicates in a later one."""
    ended_by: str | None = None
    """Why the search ended; None: it has not."""

    @property
    def summary(self) -> str:
        """Return one line: `60 records identified, 15 duplicates, 45 works`."""
        removed = self.removed_by_checks
        parts = [
            f"{quantity(self.identified, 'record')} identified",
            f"{removed:,} removed by a check" if removed else "",
            quantity(self.duplicates, "duplicate"),
            quantity(self.works, "work"),
        ]
        return ", ".join(filter(None, parts))

    def disagreements(self) -> list[str]:
        removed, rounds = self.removed_by_checks, self.rounds
        sums = {
            "identified": (self.identified, removed + self.duplicates + self.works),
            "by_source": (sum(self.by_source.values()), self.identified),
            "rounds": (sum(r.arrived for r in rounds) + self.outside_rounds, self.identified),
            "removal_reasons": (sum(self.removal_reasons.values()), removed),
            "works": (
                self.works,
                self.set_aside + self.not_carried_over + self.pending + self.for_screening,
            ),
            "for_screening": (
                self.for_screening,
                self.undecided + self.not_judged + self.screened,
            ),
            "screened": (self.screened, self.excluded + self.included),
            "exclusion_reasons": (sum(self.exclusion_reasons.values()), self.excluded),
        }
        for name in ("identified", "duplicates", "works", "included") if self.parts else ():
            counts = [getattr(part, name) for part in self.parts]
            sums[f"parts, {name}"] = (sum(counts), getattr(self, name))
        return [f"{name}: {a}, not {b}" for name, (a, b) in sums.items() if a != b]


def flow_of(thread: ReviewThread, records: Sequence[RecordFate]) -> PrismaFlow:
    work_of = {row.arrival.record: row.kept_as for row in records if row.arrival.record}
    counts = count_rounds(thread.rounds, work_of)
    whole = _flow(thread, records, counts)
    starts = [entry.iteration for entry in thread.state.updates]
    if not starts:
        return whole
    parts = []
    for start, end in pairwise([0, *starts, MOST_ITERATIONS + 1]):
        # What belongs to no round was there before any update.
        own = [row for row in records if start <= (row.round.iteration if row.round else 0) < end]
        parts.append(_flow(thread, own, [c for c in counts if start < c.round <= end]))
    return whole.model_copy(update={"parts": parts})


def _flow(
    thread: ReviewThread, records: Sequence[RecordFate], rounds: list[RoundCounts]
) -> PrismaFlow:
    count = Counter(record.fate for record in records)
    excluded = [record for record in records if record.fate is Fate.EXCLUDED]
    removed = [record for record in records if record.fate is Fate.REMOVED]
    screened = count[Fate.INCLUDED] + count[Fate.EXCLUDED]
    return PrismaFlow(
        identified=len(records),
        by_source=dict(sorted(Counter(record.arrival.source for record in records).items())),
        rounds=rounds,
        outside_rounds=sum(record.round is None for record in records),
        removed_by_checks=count[Fate.REMOVED],
        removal_reasons=_most_first(record.why for record in removed),
        duplicates=count[Fate.DUPLICATE],
        given_again=sum(record.is_again for record in records),
        works=len(works_of(records)),
        set_aside=count[Fate.SET_ASIDE],
        not_carried_over=count[Fate.NOT_CARRIED_OVER],
        pending=count[Fate.PENDING],
        for_screening=count[Fate.UNDECIDED] + count[Fate.NOT_JUDGED] + screened,
        undecided=count[Fate.UNDECIDED],
        not_judged=count[Fate.NOT_JUDGED],
        screened=screened,
        excluded=count[Fate.EXCLUDED],
        exclusion_reasons=_most_first(record.why or "no reason given" for record in excluded),
        included=count[Fate.INCLUDED],
        ended_by=thread.info.ended_by,
    )


def _most_first(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0])))
