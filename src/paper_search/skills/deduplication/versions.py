"""Versions of one work: finds them and picks the best."""

from __future__ import annotations

import re

from paper_search.skills.deduplication.comparison import Comparison
from paper_search.skills.deduplication.profiles import Profile

_PREPRINT_DOI = re.compile(
    r"10\.(?:48550|1101|21203|26434|31219|31234|31235|2139|20944|22541|36227|5194/egusphere)[/.]"
)
"""arXiv, bioRxiv and medRxiv, Research Square, ChemRxiv, OSF, PsyArXiv, SocArXiv, SSRN, Preprints,
ESSOAr, TechRxiv, EGUsphere."""
_JOURNAL_AND_CONFERENCE = "conference-journal"
_SAME_AUTHORS = frozenset({"all", "two names", "one name"})
_RANKS = {"journal": 0, "conference": 2, "report": 3}


def is_preprint(record: Profile) -> bool:
    """Whether a record is of a preprint: by its DOI, its venue, or an arXiv id and nothing else."""
    if record.doi:
        return _PREPRINT_DOI.match(record.doi) is not None
    return record.kind == "report" or bool(record.arxiv and not record.venue and not record.volume)


def rank(record: Profile) -> int:
    """Return how late the version is: 0 an article in a journal, 3 a preprint."""
    if is_preprint(record):
        return _RANKS["report"]
    if record.kind == "conference":
        return _RANKS["conference"]
    return _RANKS["journal"] if record.kind == "journal" or record.volume else 1


def are_versions(one: Profile, other: Profile, levels: Comparison) -> bool:
    """Whether two records of different publications are versions of one work.

    Titles must be the same but for spelling and of some length, authors the same, the years at
    most three apart, and one a preprint and the other not, or one in a conference's proceedings
    and the other in a journal. A meeting's abstract (one page, or a page with a letter) is no
    version of the article that it announces.
    """
    if (
        levels.title not in {"identical", "near"}
        or levels.difference not in {"none", "spelling"}
        or levels.title_length not in {"middle", "long"}
        or levels.authors not in _SAME_AUTHORS
        or levels.year == "far"
        or levels.numerals != "same"
        or levels.reactions != "same"
        or levels.abstract == "different"
    ):
        return False
    if is_preprint(one) != is_preprint(other):
        return True
    return levels.kind == _JOURNAL_AND_CONFERENCE and not (_is_brief(one) or _is_brief(other))


def _is_brief(record: Profile) -> bool:
    """Whether a record takes one page, or one of those that carry letters: a meeting's abstract."""
    first = record.first_page
    return bool(first) and (first == record.last_page or first[0].isalpha())
