"""Which sentences answer a question, and how many independent studies say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from paper_search.report.evidence import Evidence, family_names, graded
from paper_search.report.models import Answer, Contradiction, Grade
from paper_search.report.passages import (
    WORD,
    Passage,
    by_source,
    content_stems,
    is_background,
)
from paper_search.report.polarity import clauses, denies, direction, groups
from paper_search.skills.words import tokens

_NEAREST = 3
_SAME = 0.3
"""Share of the shorter sentence's words from which two sentences that go one way say the same."""


def answering(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages that answer a question.

    Such a one names every concept that is asked for, at most half of them in its title alone; has
    the aspect that is asked for; and says what came out, not how or why it was studied, unless that
    is asked.
    """
    return [passage for passage in passages if passage.is_answer]


def answer_to(index: int | None, passages: Sequence[Passage], fresh: Sequence[Passage]) -> Answer:
    """Return whether the passages answer a question, and what is nearest if not.

    `index`: None: the question itself. `passages`: those that match it, best first; of them,
    `fresh` may be shown as the nearest.
    """
    found = answering(passages)
    nearest = [] if found else by_source(fresh)[:_NEAREST]
    return Answer(
        question=index,
        is_answered=bool(found),
        nearest=[passage.quote for passage in nearest],
        missing=list(nearest[0].missing) if nearest else [],
    )


def grade_of(passage: Passage, others: Iterable[Passage], evidence: Evidence) -> Grade:
    """Return the grade of a passage by the independent studies that say the same.

    A sentence on design and a title are weak, however many there are of them.
    """
    same = [other.result.result_id for other in others if says_the_same(passage, other)]
    studies = independent([passage.result.result_id, *same], evidence)
    is_weak = passage.part == "title" or passage.is_background
    return graded(len(studies), is_title=is_weak)


def says_the_same(one: Passage, other: Passage) -> bool:
    """Whether two passages say the same: of the same people, the same way, in like words."""
    first, second = one.sentence.text, other.sentence.text
    if other.is_background or denies(first) is not denies(second):
        return False
    if direction(first) * direction(second) < 0 or are_of_other_people(one, other):
        return False
    mine, theirs = set(content_stems(first)), set(content_stems(second))
    return len(mine & theirs) >= _SAME * max(1, min(len(mine), len(theirs)))


def are_of_other_people(one: Passage, other: Passage) -> bool:
    """Whether both passages, or their titles, say of whom they are, and they are different."""
    first = groups(one.sentence.text) or groups(one.result.title)
    second = groups(other.sentence.text) or groups(other.result.title)
    return bool(first and second) and not first & second


def independent(result_ids: Iterable[str], evidence: Evidence) -> list[str]:
    """Return the sources of which no two share an author, the first of each group."""
    kept: list[str] = []
    known: set[str] = set()
    for result_id in dict.fromkeys(result_ids):
        names = family_names(evidence.by_id[result_id])
        if not names & known:
            kept.append(result_id)
            known |= names
    return kept


MAX_CONTRADICTIONS = 5
_MIN_SHARED = 2
"""Content words that both sentences have beside their verdicts."""
_MIN_SHARE = 0.34
"""Of the shorter sentence's content words."""

_AFFIRMED = re.compile(
    r"\b(?:(?:is|are|was|were|be|been|proved) (?:\w+ )?(?:effective|superior|beneficial"
    r"|efficacious)"
    r"|outperform\w*|superior to|(?:more effective|better) than"
    r"|significant(?:ly)? (?:improve\w*|better|benefi\w*|effect))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:ineffective|inferior to|no better|neither|(?:not|n't) (?:\w+ )?(?:effective|superior"
    r"|better|beneficial|efficacious|outperform\w*)"
    r"|no (?:significant |clear |additional )?(?:effect|benefit|improvement|advantage)s?"
    r"|without (?:benefit|effect))\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:(?:did|does|do|was|were|is|are|has|have|could|can) not|didn['’]t|doesn['’]t|cannot|never"
    r"|failed to|fails to|fail to|unable to|no evidence (?:that|of|for)(?: an?)?|no)"
    r"(?: significantly)? (\w+)(?: (\w+))?(?: (\w+))?",
    re.IGNORECASE,
)
"""A denial with the words behind it: what is denied is among them."""
_VERBS = frozenset(
    tokens(
        "lower reduce decrease increase raise improve enhance outperform affect change differ "
        "predict prevent relieve correlate cause benefit associate shorten prolong protect treat"
    )
)
_VERDICT_STEMS = _VERBS | frozenset(
    content_stems(
        "increase improve enhance outperform higher better benefit effective gain decrease decline"
        " worse lower significant effect evidence difference result show found study not negative"
        " positive no did does do patients we our that this these"
    )
)


@dataclass(frozen=True)
class _Claim:
    """What a sentence says of its subject, in a form that has an opposite."""

    kind: Literal["verdict", "verb", "direction"]
    verb: str
    is_affirmed: bool

    def denies(self, other: _Claim) -> bool:
        """Whether both cannot be said of one thing."""
        is_same = (self.kind, self.verb) == (other.kind, other.verb)
        return is_same and self.is_affirmed is not other.is_affirmed


def contradictions(passages: Sequence[Passage], subject: Iterable[str] = ()) -> list[Contradiction]:
    """Return pairs of passages of two sources on the same subject with opposite verdicts.

    By cue words: what is found is a question for a person, never a conclusion. Opposite are a
    verdict and its denial, a verb and "did not" with it, and, if the sentences share more than the
    subject of the whole report, a rise and a fall. Why a study was made says nothing.
    """
    once = {(passage.result.result_id, passage.sentence.start): passage for passage in passages}
    judged = [
        (passage, said) for passage in once.values() if (said := _claims(passage.sentence.text))
    ]
    found: list[Contradiction] = []
    used: set[frozenset[str]] = set()
    quoted: set[str] = set()
    for (one, said), (other, answered) in combinations(judged, 2):
        pair = frozenset((one.result.result_id, other.result.result_id))
        if len(pair) == 1 or pair in used or {one.sentence.text, other.sentence.text} & quoted:
            continue
        opposed = next((a for a in said for b in answered if a.denies(b)), None)
        shared = _shared(one, other, frozenset(subject), opposed) if opposed else []
        if opposed is None or not shared or are_of_other_people(one, other):
            continue
        used.add(pair)
        quoted |= {one.sentence.text, other.sentence.text}
        up, down = (one, other) if opposed.is_affirmed else (other, one)
        found.append(
            Contradiction(
                topic=_topic(shared, up.sentence.text),
                one=up.quote,
                other=down.quote,
                note=_note(up, down),
            )
        )
        if len(found) == MAX_CONTRADICTIONS:
            break
    return found


def _claims(text: str) -> list[_Claim]:
    """Return what a sentence says, clause by clause, without what it says both ways itself."""
    if is_background(text):
        return []
    said = list(dict.fromkeys(claim for clause in clauses(text) for claim in _of_clause(clause)))
    return [claim for claim in said if not any(claim.denies(other) for other in said)]


def _of_clause(text: str) -> list[_Claim]:
    denied = {
        stem
        for match in _NOT_DONE.finditer(text)
        for word in filter(None, match.groups())
        for stem in tokens(word)
    }
    verbs = [stem for stem in tokens(text) if stem in _VERBS]
    claims = [_Claim("verb", stem, stem not in denied) for stem in verbs]
    if _DENIED.search(text):
        claims.append(_Claim("verdict", "", is_affirmed=False))
    elif _AFFIRMED.search(text):
        claims.append(_Claim("verdict", "", is_affirmed=True))
    way = direction(text)
    if way and not denied:
        claims.append(_Claim("direction", "", is_affirmed=way > 0))
    return claims


def _shared(one: Passage, other: Passage, subject: frozenset[str], claim: _Claim) -> list[str]:
    """Return the content words that both sentences have, if they are enough for one subject."""
    first = [s for s in content_stems(one.sentence.text) if s not in _VERDICT_STEMS]
    second = {s for s in content_stems(other.sentence.text) if s not in _VERDICT_STEMS}
    both = [stem for stem in first if stem in second and not stem.isdigit()]
    least = min(len(first), len(second))
    telling = [s for s in both if s not in subject] if claim.kind == "direction" else both
    if len(telling) < _MIN_SHARED or not least or len(both) / least < _MIN_SHARE:
        return []
    return both


def _topic(stems: Sequence[str], text: str) -> str:
    """Return up to four shared words, as a sentence spells them."""
    words = WORD.findall(text)
    spelled = {stem: word for word in reversed(words) for stem in tokens(word)}
    return ", ".join(dict.fromkeys(spelled.get(named, named) for named in stems[:4]))


def _note(up: Passage, down: Passage) -> str:
    years = (up.result.year, down.result.year)
    if years[0] is not None and years[1] is not None and years[0] != years[1]:
        newer = "first" if years[0] > years[1] else "second"
        return f"the {newer} is newer"
    return ""
