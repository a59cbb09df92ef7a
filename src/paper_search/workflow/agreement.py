"""How far reviewers agree who decided on the same papers independently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean

from pydantic import BaseModel, Field

Verdicts = Mapping[str, bool]
"""By the id of a paper: is it relevant?"""


class ReviewerProgress(BaseModel):
    """How far one reviewer has come; not what they decided."""

    name: str
    decided: int
    of: int
    """Papers that there are to decide on."""
    is_done: bool
    """They decided on all papers, or said that they are done."""


class Conflict(BaseModel):
    """A paper on which reviewers disagree."""

    paper_id: str
    title: str = ""
    included_by: list[str]
    excluded_by: list[str]
    notes: dict[str, str] = Field(default_factory=dict)
    """What reviewers noted on it, by reviewer."""
    settled: str | None = None
    """`include` or `exclude`; None: it is not settled yet."""
    settled_by: str | None = None


class Agreement(BaseModel):
    """What reviewers decided, once all of them are done; before that, how far they have come."""

    reviewers: list[ReviewerProgress] = Field(default_factory=list)
    is_blind: bool = True
    """Not all are done, or there are fewer than two: nobody is shown what the others decided."""
    decided_by_all: int = 0
    included: int = 0
    """By all of them."""
    excluded: int = 0
    conflicts: list[Conflict] = Field(default_factory=list)
    observed: float | None = None
    """Share of the papers decided by all on which all agree; None: there are none."""
    kappa: float | None = None
    """Cohen's kappa; of more than two reviewers, the mean over their pairs (Light's). None: it is
    not defined, because nobody decided on the same papers or all said the same of all."""


def cohens_kappa(one: Verdicts, other: Verdicts) -> float | None:
    """Return how far two reviewers agree beyond chance; None: it is not defined."""
    both = sorted(one.keys() & other.keys())
    if not both:
        return None
    observed = fmean(one[i] == other[i] for i in both)
    yes, others_yes = fmean(one[i] for i in both), fmean(other[i] for i in both)
    by_chance = yes * others_yes + (1 - yes) * (1 - others_yes)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def agreement_of(
    paper_ids: Sequence[str], verdicts: Mapping[str, Verdicts], done: frozenset[str]
) -> Agreement:
    """Return how far reviewers have come and, if all are done, how far they agree.

    Args:
        paper_ids: what there is to decide on.
        verdicts: of each reviewer by name, on any papers.
        done: reviewers who said that they are done.
    """
    own = {
        name: {i: said[i] for i in paper_ids if i in said}
        for name, said in sorted(verdicts.items())
    }
    progress = [
        ReviewerProgress(
            name=name,
            decided=len(said),
            of=len(paper_ids),
            is_done=name in done or len(said) == len(paper_ids),
        )
        for name, said in own.items()
    ]
    if len(own) < 2 or not all(reviewer.is_done for reviewer in progress):  # noqa: PLR2004  # nobody to agree with
        return Agreement(reviewers=progress)
    shared = [i for i in paper_ids if all(i in said for said in own.values())]
    yes = {i: [name for name, said in own.items() if said[i]] for i in shared}
    said_of_all = [{i: said[i] for i in shared} for said in own.values()]
    kappas = [cohens_kappa(one, other) for one, other in combinations(said_of_all, 2)]
    known = [kappa for kappa in kappas if kappa is not None]
    conflicts = [
        Conflict(
            paper_id=i,
            included_by=yes[i],
            excluded_by=[name for name in own if name not in yes[i]],
        )
        for i in shared
        if 0 < len(yes[i]) < len(own)
    ]
    return Agreement(
        reviewers=progress,
        is_blind=False,
        decided_by_all=len(shared),
        included=sum(len(yes[i]) == len(own) for i in shared),
        excluded=sum(not yes[i] for i in shared),
        conflicts=conflicts,
        observed=1 - len(conflicts) / len(shared) if shared else None,
        kappa=fmean(known) if known else None,
    )
