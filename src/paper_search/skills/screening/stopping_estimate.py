"""The stopping estimate: an upper bound on the relevant papers that are not screened yet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TARGET_RECALL = 0.95
_LEVEL = 0.02
"""Significance of each test; with many tests at 2 %, the bound holds in 95 of 100 random orders."""
_NOTHING = 1e-12


@dataclass(frozen=True)
class StoppingEstimate:
    """Counts of papers; at most `at_most` of the unseen are relevant, with 95 % confidence.

    Of the relevant ones, some may have been known before screening.
    """

    screened: int
    relevant: int
    unseen: int
    at_most: int

    @property
    def recall(self) -> float:
        return self.relevant / (self.relevant + self.at_most) if self.relevant else 0.0

    @property
    def is_enough(self) -> bool:
        return self.unseen == 0 or (self.relevant > 0 and self.recall >= TARGET_RECALL)

    @property
    def advice(self) -> str:
        total = self.screened + self.unseen
        counts = f"{self.screened:,} of {total:,} screened, {self.relevant:,} relevant."
        if self.unseen == 0:
            return f"{counts} Nothing is left to screen."
        if self.at_most == self.unseen:
            return counts
        bound = f"{counts} Between 0 and {self.at_most:,} more (95% confidence)."
        if self.is_enough:
            return f"{bound} You can stop: at least {self.recall:.0%} are found."
        return bound


def stopping_estimate(
    screened: Sequence[bool], unseen: int, *, known_relevant: int = 0
) -> StoppingEstimate:
    """Bound the number of relevant papers that are left.

    This is the stopping criterion of Callaghan and Müller-Hansen 2020
    (doi:10.1186/s13643-020-01521-4). Every stretch from a relevant paper to the present is treated
    as a random draw from the papers unseen at its start. A number of relevant papers left is ruled
    out if a draw would have found so few with a probability below 2 % (hypergeometric). A good
    order finds more than a random one, so the true number is usually lower. Nothing is fitted.

    `screened` tells, in the order of screening, whether each paper was relevant.
    """
    return StoppingEstimate(
        screened=len(screened),
        relevant=sum(screened) + known_relevant,
        unseen=unseen,
        at_most=_bound(_stretches(screened, unseen), unseen, _LEVEL),
    )


def _stretches(screened: Sequence[bool], unseen: int) -> list[tuple[int, int, int]]:
    """Return the papers unseen before, drawn since and found since each find and the start.

    Stretches that start elsewhere never give a tighter bound.
    """
    total, found_since = len(screened) + unseen, 0
    stretches = []
    for position in range(len(screened), -1, -1):
        if position == 0 or screened[position - 1]:
            stretches.append((total - position, len(screened) - position, found_since))
        if position and screened[position - 1]:
            found_since += 1
    return stretches


def _bound(stretches: Sequence[tuple[int, int, int]], unseen: int, level: float) -> int:
    low, high = 0, unseen
    while low < high:
        middle = (low + high + 1) // 2
        if all(_chance(*stretch, left=middle) >= level for stretch in stretches):
            low = middle
        else:
            high = middle - 1
    return low


def _chance(urn: int, drawn: int, found: int, *, left: int) -> float:
    """Return the probability of at most `found` relevant papers among `drawn` of `urn` papers.

    `urn` includes `found` and `left` relevant papers. The shorter tail is summed.
    """
    relevant = found + left
    other = urn - relevant
    is_upper = found >= (drawn + 1) * (relevant + 1) // (urn + 2)
    count = found + 1 if is_upper else found
    if count > min(drawn, relevant):
        return 1.0
    term = math.exp(
        _log_choose(relevant, count) + _log_choose(other, drawn - count) - _log_choose(urn, drawn)
    )
    tail = 0.0
    while term > _NOTHING * tail:
        tail += term
        if is_upper:
            factor = (relevant - count) * (drawn - count)
            term *= factor / ((count + 1) * (other - drawn + count + 1))
            count += 1
        else:
            factor = count * (other - drawn + count)
            term *= factor / ((relevant - count + 1) * (drawn - count + 1))
            count -= 1
    return min(1.0, max(0.0, 1.0 - tail if is_upper else tail))


def _log_choose(total: int, size: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(size + 1) - math.lgamma(total - size + 1)
