"""Papers named by number or id, as a person writes them: `1 3 5-8`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paper_search.errors import InvalidDecisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
