"""The PRISMA 2020 flow of a search: counts that add up, because each record has one fate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, Field

from paper_search.audit.fates import Fate, RecordFate
from paper_search.audit.reading import ReviewThread


class RoundCounts(BaseModel):
    """What one round found."""

    round: int
    """From 1."""
    searched_at: str
    """UTC, ISO 8601."""
    found: int
    """Records that its search gave, each once."""
    first_found: int
    """Of these, records that no round before it gave."""


class PrismaFlow(BaseModel):
    """How many records there are at each place of the flow.

    `identified = duplicates + works`;
    `works = set_aside + not_carried_over + pending + for_screening`;
    `for_screening = undecided + not_judged + screened`; `screened = excluded + included`.
    """

    identified: int
    """Distinct records, of all sources and rounds."""
    by_source: dict[str, int] = Field(default_factory=dict)
    """The same, by the source that gave them."""
    rounds: list[RoundCounts] = Field(default_factory=list)
    duplicates: int
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
    ended_by: str | None = None
    """Why the search ended; None: it has not."""

    def disagreements(self) -> list[str]:
        """Return the sums that do not agree; empty: all do."""
        sums = {
            "identified": (self.identified, self.duplicates + self.works),
            "by_source": (sum(self.by_source.values()), self.identified),
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
        return [f"{name}: {a}, not {b}" for name, (a, b) in sums.items() if a != b]


def flow_of(thread: ReviewThread, records: Sequence[RecordFate]) -> PrismaFlow:
    """Return the flow of a search.

    Args:
        thread: what the search has kept.
        records: the fate of each of its records.
    """
    count = Counter(record.fate for record in records)
    excluded = [record for record in records if record.fate is Fate.EXCLUDED]
    reasons = Counter(record.why or "no reason given" for record in excluded)
    screened = count[Fate.INCLUDED] + count[Fate.EXCLUDED]
    return PrismaFlow(
        identified=len(records),
        by_source=dict(sorted(Counter(record.record.source for record in records).items())),
        rounds=_rounds(thread),
        duplicates=count[Fate.DUPLICATE],
        works=len({record.kept_as for record in records}),
        set_aside=count[Fate.SET_ASIDE],
        not_carried_over=count[Fate.NOT_CARRIED_OVER],
        pending=count[Fate.PENDING],
        for_screening=count[Fate.UNDECIDED] + count[Fate.NOT_JUDGED] + screened,
        undecided=count[Fate.UNDECIDED],
        not_judged=count[Fate.NOT_JUDGED],
        screened=screened,
        excluded=count[Fate.EXCLUDED],
        exclusion_reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        included=count[Fate.INCLUDED],
        ended_by=thread.info.ended_by,
    )


def _rounds(thread: ReviewThread) -> list[RoundCounts]:
    seen: set[str] = set()
    rounds = []
    for round_ in thread.rounds:
        found = set(round_.found)
        rounds.append(
            RoundCounts(
                round=round_.iteration + 1,
                searched_at=round_.searched_at,
                found=len(found),
                first_found=len(found - seen),
            )
        )
        seen |= found
    return rounds
