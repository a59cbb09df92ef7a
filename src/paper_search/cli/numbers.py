"""Numbers that a person gives: of papers, and of pairs that may be one work."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from paper_search.errors import InvalidDecisionError
from paper_search.models import MergeDecision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paper_search.workflow.checkpoints import ResultPayload

_SEPARATOR = re.compile(r"[\s,;]+")
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def paper_ids(words: str, listed: Sequence[str]) -> list[str]:
    """Return the ids that are meant, each once, in the order given.

    Args:
        words: ids, numbers from 1 and ranges of them, separated by blanks or commas.
        listed: the ids of the papers in the order in which they are numbered.

    Raises:
        InvalidDecisionError: naming the first word that is neither.
    """
    known = set(listed)
    meant: list[str] = []
    for word in filter(None, _SEPARATOR.split(words)):
        if word in known:
            meant.append(word)
            continue
        match = _RANGE.fullmatch(word)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= len(listed):
            raise InvalidDecisionError(
                f"no such paper: {word!r}; give numbers from 1 to {len(listed)} "
                "(such as 1 3 5-8) or ids"
            )
        meant.extend(listed[first - 1 : last])
    if not meant:
        raise InvalidDecisionError("no paper given; name them by number, such as 1 3 5-8")
    return list(dict.fromkeys(meant))


def answered(payload: ResultPayload, words: str, *, is_same: bool) -> list[MergeDecision]:
    """Return the answers to the "same work?" questions of these numbers: `1 3`.

    Raises:
        InvalidDecisionError: there is no such question.
    """
    if not payload.same_work:
        raise InvalidDecisionError("no papers of this result may be the same work")
    numbers = [str(number) for number in range(1, len(payload.same_work) + 1)]
    try:
        chosen = paper_ids(words, numbers)
    except InvalidDecisionError:
        raise InvalidDecisionError(
            f"no such pair: {words!r}; give numbers from 1 to {len(numbers)}"
        ) from None
    pairs = [payload.same_work[int(each) - 1] for each in chosen]
    return [MergeDecision(one=each.one, other=each.other, is_same=is_same) for each in pairs]


def split_up(payload: ResultPayload, words: str) -> list[MergeDecision]:
    """Return the word that the records of each of these papers are works of their own.

    Raises:
        InvalidDecisionError: there is no such paper, or it was not merged.
    """
    papers = {paper.id: paper for paper in payload.collection.papers}
    decisions = []
    for paper_id in paper_ids(words, list(papers)):
        members = papers[paper_id].merged_from
        if len(members) < 2:  # noqa: PLR2004  # one record cannot be taken apart
            raise InvalidDecisionError(
                f"paper {paper_id!r} was not merged; there is nothing to split"
            )
        decisions += [
            MergeDecision(one=one, other=other, is_same=False)
            for one, other in combinations(members, 2)
        ]
    return decisions
