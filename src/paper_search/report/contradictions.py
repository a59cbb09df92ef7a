"""Pairs of sentences that are about the same and seem to say the opposite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from paper_search.report.models import Contradiction
from paper_search.report.passages import Passage, content_stems

MAX_CONTRADICTIONS = 5
_MIN_SHARED = 2
"""Content words that both sentences have beside their verdicts."""
_MIN_SHARE = 0.34
"""Of the shorter sentence's content words."""

_UP = re.compile(
    r"\b(?:increas|improv|enhanc|outperform|higher|better|benefi|effective\b|effectively|gain|rais"
    r"|superior|positive(?:ly)?|favou?rabl|accelerat|reduces? (?:risk|mortality)|significantly "
    r"(?:improv|increas|better))\w*",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:decreas|declin|worse|worsen|lower\b|inferior|ineffective|harm|negative(?:ly)?|impair"
    r"|deteriorat|fail(?:s|ed)? to|unable|did not|does not|do not|no (?:significant|effect|evidence"
    r"|benefit|difference|improvement|association)|not (?:significant|associated|effective|improve"
    r"|increase|better)|without (?:benefit|effect))\w*",
    re.IGNORECASE,
)
_VERDICT_STEMS = frozenset(
    content_stems(
        "increase improve enhance outperform higher better benefit effective gain decrease decline"
        " worse lower significant effect evidence difference result show found study not negative"
        " positive no did does do patients we our that this these"
    )
)


def contradictions(passages: Sequence[Passage]) -> list[Contradiction]:
    """Return pairs of passages of two sources on the same subject with opposite verdicts.

    By cue words: what is found is a question for a person, never a conclusion.

    Args:
        passages: that matched the questions, best first.
    """
    judged = [(each, side) for each in passages if (side := _side(each.sentence.text))]
    found: list[Contradiction] = []
    used: set[frozenset[str]] = set()
    for (one, one_side), (other, other_side) in combinations(judged, 2):
        pair = frozenset((one.result.result_id, other.result.result_id))
        if one_side == other_side or len(pair) == 1 or pair in used:
            continue
        shared = _shared(one, other)
        if not shared:
            continue
        used.add(pair)
        up, down = (one, other) if one_side == "up" else (other, one)
        found.append(
            Contradiction(
                topic=", ".join(shared[:4]),
                one=up.quote,
                other=down.quote,
                note=_note(up, down),
            )
        )
        if len(found) == MAX_CONTRADICTIONS:
            break
    return found


def _side(text: str) -> str:
    has_down = _DOWN.search(text) is not None
    has_up = _UP.search(text) is not None
    if has_down:
        return "down"
    return "up" if has_up else ""


def _shared(one: Passage, other: Passage) -> list[str]:
    """Return the content words that both sentences have, if they are enough for one subject."""
    first = [s for s in content_stems(one.sentence.text) if s not in _VERDICT_STEMS]
    second = {s for s in content_stems(other.sentence.text) if s not in _VERDICT_STEMS}
    both = [each for each in first if each in second and not each.isdigit()]
    least = min(len(first), len(second))
    if len(both) < _MIN_SHARED or not least or len(both) / least < _MIN_SHARE:
        return []
    return both


def _note(up: Passage, down: Passage) -> str:
    years = (up.result.year, down.result.year)
    if years[0] is not None and years[1] is not None and years[0] != years[1]:
        newer = "first" if years[0] > years[1] else "second"
        return f"the {newer} is newer"
    return ""
