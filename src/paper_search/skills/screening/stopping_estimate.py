"""The stopping estimate: how many relevant papers are left, from the order of the finds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

TARGET_RECALL = 0.95
CONFIDENCE = 0.95
_NOTHING = 1e-12
_FLAT = 1e-6
_STEEP = 500.0
"""Times the number of drawn papers: nothing is left to be cut off."""
_HALVINGS = 50


@dataclass(frozen=True)
class StoppingEstimate:
    """How many relevant papers are probably left."""

    screened: int
    found: int
    """Relevant ones among the screened, and those known before."""
    unseen: int
    expected: int
    """Relevant papers among the unseen, if finds become rarer as they have so far."""
    at_most: int
    """An upper bound on the same with 95 % confidence."""

    @property
    def recall(self) -> float:
        """Return the least share of the relevant papers that is found, 0 to 1."""
        return self.found / (self.found + self.at_most) if self.found else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether 95 % of the relevant are found, with 95 % confidence."""
        return self.unseen == 0 or (self.found > 0 and self.recall >= TARGET_RECALL)

    @property
    def advice(self) -> str:
        """Return the estimate and the advice, for people."""
        total = self.screened + self.unseen
        seen = f"{self.screened} of {total} screened, {self.found} relevant."
        if self.unseen == 0:
            return f"{seen} Nothing is left to screen."
        bound = f", at most {self.at_most}" if self.at_most > self.expected else ""
        left = f"{seen} About {self.expected} more expected{bound}."
        if self.expected == 0 and bound:
            left = f"{seen} Probably none is left, but up to {self.at_most} may be."
        if self.is_enough:
            return f"{left} You can stop: at least {self.recall:.0%} are found."
        return f"{left} Keep screening."


def stopping_estimate(
    screened: Sequence[bool], unseen: int, *, found_before: int = 0
) -> StoppingEstimate:
    """Estimate how many relevant papers are left.

    `at_most` is the stopping criterion of Callaghan and Müller-Hansen 2020
    (doi:10.1186/s13643-020-01521-4): every stretch from one find to now is treated as a random draw
    from what was unseen at its start, and a number of relevant papers left is ruled out when one
    of the draws would have found as few with a probability below 5 % (hypergeometric). A good
    order finds more than a random draw, so the truth is mostly lower.

    `expected` takes the finds for a Poisson process whose rate falls exponentially with the number
    of screened papers, fitted to where they were found (Sneyd and Stevenson 2019,
    doi:10.18653/v1/D19-1351), and is never above `at_most`. It is no bound.

    Args:
        screened: of each paper in the order of screening: was it relevant?
        unseen: how many papers there are besides.
        found_before: relevant papers that were known when the screening began.
    """
    at_most = _bound(_stretches(screened, unseen), unseen, 1.0 - CONFIDENCE)
    return StoppingEstimate(
        screened=len(screened),
        found=sum(screened) + found_before,
        unseen=unseen,
        expected=min(at_most, round(_thinning(screened, unseen))),
        at_most=at_most,
    )


def _thinning(screened: Sequence[bool], unseen: int) -> float:
    """Return the number of finds to come if the rate keeps falling as it has so far."""
    places = [place + 0.5 for place, is_find in enumerate(screened) if is_find]
    if not places:
        return float(unseen)
    drawn = len(screened)
    fall = _fall(sum(places) / len(places), drawn)
    if fall == 0.0:
        return len(places) * unseen / drawn
    lasting = math.exp(-fall * drawn) * -math.expm1(-fall * unseen)
    return len(places) * lasting / -math.expm1(-fall * drawn)


def _fall(mean: float, drawn: int) -> float:
    """Return the rate of decay under which finds among the drawn are, in the mean, at this place.

    That of the greatest likelihood (an exponential distribution cut off at `drawn`), or 0: they do
    not thin out.
    """
    if mean >= drawn / 2 * (1.0 - _FLAT):
        return 0.0
    low, high = 0.0, 1.0 / mean  # not cut off, the mean would be 1 / fall
    for _ in range(_HALVINGS):
        fall = (low + high) / 2
        beyond = drawn / math.expm1(fall * drawn) if fall * drawn < _STEEP else 0.0
        low, high = (fall, high) if 1.0 / fall - beyond > mean else (low, fall)
    return high


def _stretches(screened: Sequence[bool], unseen: int) -> list[tuple[int, int, int]]:
    """Return, from each find and from the start to now: the unseen then, drawn since, found since.

    Stretches that start elsewhere are never the more telling ones.
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
    """Return the largest number left that no stretch rules out at this level."""
    low, high = 0, unseen
    while low < high:
        middle = (low + high + 1) // 2
        if all(_chance(*stretch, left=middle) >= level for stretch in stretches):
            low = middle
        else:
            high = middle - 1
    return low


def _chance(urn: int, drawn: int, found: int, *, left: int) -> float:
    """Return the probability of at most `found` relevant among `drawn` of `urn` papers.

    The urn holds what was found and what is left. The shorter tail is summed, term by term.
    """
    relevant = found + left
    other = urn - relevant
    if drawn - found > other:
        return 0.0
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


def _log_choose(total: int, chosen: int) -> float:
    if not 0 <= chosen <= total:
        return -math.inf
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)
