"""Of a long text, what is shown of it: its beginning, and the sentences on what is looked for."""

from __future__ import annotations

from paper_search.report.sentences import LONGEST, sentences

_HEAD = 0.5
"""Share of what is shown that is the beginning: of a paper, its abstract."""
_LEFT_OUT = " … "


def excerpt(text: str, chars: int, wanted: frozenset[str]) -> str:
    """Return at most so many characters of a text, in its order, an ellipsis for what is left out.

    Args:
        text: whole.
        chars: how much may be shown.
        wanted: stems of what is looked for; none: the beginning alone.
    """
    if len(text) <= chars or not wanted:
        return text[:chars]
    head = text[: int(chars * _HEAD)]
    ranked = sorted(
        (each for each in sentences(text) if each.start >= len(head) and len(each.text) <= LONGEST),
        key=lambda each: (-len(each.stems & wanted), each.start),
    )
    room = chars - len(head)
    kept = []
    for each in ranked:
        if not each.stems & wanted:
            break
        if len(each.text) + len(_LEFT_OUT) <= room:
            kept.append(each)
            room -= len(each.text) + len(_LEFT_OUT)
    kept.sort(key=lambda each: each.start)
    return "".join([head, *(f"{_LEFT_OUT}{each.text}" for each in kept)])
