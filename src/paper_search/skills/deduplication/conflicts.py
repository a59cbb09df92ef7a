"""Rules that override a pair's score: shared identifiers, and conflicts."""

from paper_search.skills.deduplication.clustering import SURE
from paper_search.skills.deduplication.comparison import AGREED_AUTHORS, ONE_TEXT, Comparison

CERTAIN = 12.0
"""Least log-odds of a pair with a shared identifier."""
DOUBTFUL = 0.0
"""Highest log-odds of a pair that a person must decide."""
IMPOSSIBLE = -2.0
"""Highest log-odds of a pair that is not shown to a person."""

_UNLIKE = frozenset({"different", "weak"})
_STRANGERS = frozenset({"none", "few"})
_SHORTEST = frozenset({"tiny", "word"})
_OTHER_WORDS = frozenset({"replaced", "opposed"})


def adjust(levels: Comparison, odds: float, *, is_doi_shared: bool) -> float:
    """Apply the rules on identifiers and conflicts to the log-odds of a pair.

    With `is_doi_shared`, the common DOI is that of a supplement with several works of the batch,
    and is not evidence.
    """
    is_named = levels.ids == "same" or (levels.doi == "same" and not is_doi_shared)
    if is_named:
        return min(odds, DOUBTFUL) if _are_contradicting(levels) else max(odds, CERTAIN)
    if levels.title == "missing" and not (
        levels.abstract in ONE_TEXT and levels.place == "same page"
    ):
        return min(odds, DOUBTFUL)
    if _is_forbidden(levels):
        return min(odds, IMPOSSIBLE)
    if _is_held_back(levels):
        return min(odds, DOUBTFUL)
    if _is_one_text_of_one_team(levels):
        return max(odds, IDENTICAL if levels.abstract == "identical" else AGREED)
    return max(odds, AGREED) if _is_all_that_is_known_agreed(levels) else odds


AGREED = 2.5
"""Least log-odds of a pair with few fields, all of which agree."""
IDENTICAL = SURE
"""Least log-odds of a pair with the same long abstract, higher than for similar records."""


def _are_contradicting(levels: Comparison) -> bool:
    """Whether two records with a common identifier contradict each other, so one must be wrong."""
    is_part = levels.numerals == "different" and levels.title_length not in _SHORTEST
    is_neighbour = levels.pages == "different" and levels.difference in _OTHER_WORDS
    return (
        ((is_part or is_neighbour) and levels.abstract not in ONE_TEXT)
        or levels.abstract == "different"
        or (levels.title in _UNLIKE and levels.authors in _STRANGERS)
    )


def _is_forbidden(levels: Comparison) -> bool:
    if levels.abstract in ONE_TEXT and levels.title == "identical":
        return levels.pages == levels.venue == "different"
    return (
        _is_elsewhere(levels)
        or _is_another_part(levels)
        or (levels.title_length == "generic" and not _is_at_one_place(levels))
        or (levels.authors == "none" and not _is_confirmed(levels))
    )


def _is_held_back(levels: Comparison) -> bool:
    """Whether a person must decide, because a field of similar records conflicts or is missing."""
    is_other_text = levels.abstract in {"similar", "related", "different"}
    if levels.place != "same page" and (
        levels.role == "different"
        or (is_other_text and levels.difference not in {"none", "spelling"})
    ):
        return True
    if levels.doi == "elsewhere" and levels.kind == "conference-journal":
        return True  # two versions with different DOIs
    if _is_confirmed(levels):
        return False
    return (
        levels.doi == "different"
        or levels.ids == "other pmid"
        or levels.difference in _OTHER_WORDS
        or (levels.difference == "spelling" and levels.abstract == "different")
        or (levels.difference == "added" and levels.venue == "different")
        or (levels.difference == "added" and levels.year == levels.venue == "both missing")
        or levels.year in {"near", "far"}
        or _is_too_sparse(levels)
    )


def _is_elsewhere(levels: Comparison) -> bool:
    """Whether the pages of two records cannot be those of one publication.

    An abstract is often presented at two meetings, and an erratum has the title of the corrected
    paper, in a later issue of the volume. A different page of the same issue is a different work if
    the titles differ by more than spelling.
    """
    if levels.pages != "different":
        return False
    if levels.venue == levels.volume == "same":
        is_other_title = levels.difference not in {"none", "spelling"}
        return levels.issue == "different" or (levels.issue == "same" and is_other_title)
    return levels.venue == "different"


def _is_another_part(levels: Comparison) -> bool:
    """Whether one title has a part number or year that the other lacks or that differs."""
    return levels.numerals == "different" or (
        levels.numerals == "one"
        and levels.difference in {"added", "replaced", "opposed"}
        and not (levels.abstract in ONE_TEXT and levels.difference == "replaced")
        and levels.place != "same page"
    )


def _is_confirmed(levels: Comparison) -> bool:
    """Whether place or abstract outweigh different DOIs of one registrant, PMIDs or titles.

    A revised abstract with another DOI may be that of the next paper in another journal, and one by
    other authors that of another discussion of the paper.

    Works of one team are often adjacent. So, with the same first page or issue, replaced words are
    confirmed only if the titles are similar, and opposed words only if all pages agree.
    """
    is_other_work = levels.doi in {"elsewhere", "different"} and (
        levels.abstract == "near" or levels.authors in _STRANGERS | {"some"}
    )
    is_one_text = levels.abstract in ONE_TEXT and not is_other_work
    if is_one_text or (levels.place == "same page" and levels.pages == "same"):
        return True
    if levels.difference == "opposed" or (
        levels.difference == "replaced" and levels.title in _UNLIKE
    ):
        return False
    return levels.place in {"same page", "same issue"}


def _is_too_sparse(levels: Comparison) -> bool:
    """Whether a title of one or two words lacks year or authors, and nothing compensates for it."""
    if levels.title_length not in _SHORTEST or levels.place != "unknown":
        return False
    gaps = {"missing"} if levels.title_length == "tiny" else {"missing", "both missing"}
    return bool(gaps & {levels.year, levels.authors}) and levels.abstract == "missing"


def _is_at_one_place(levels: Comparison) -> bool:
    """Whether two records with a title like "Editorial" are on one page or in one issue."""
    if levels.abstract in ONE_TEXT or (
        levels.place == "same page" and levels.venue == levels.issue == "same"
    ):
        return True
    return (
        levels.authors in AGREED_AUTHORS
        and levels.year in {"same", "off in one volume"}
        and levels.venue == "same"
        and (levels.place == "same issue" or levels.volume == levels.pages == "missing")
    )


def _is_all_that_is_known_agreed(levels: Comparison) -> bool:
    """Whether the titles are identical and no field that both records have differs."""
    return (
        levels.title == "identical"
        and levels.title_length not in {"generic", "word"}
        and levels.authors in AGREED_AUTHORS | {"missing", "both missing"}
        and levels.year in {"same", "missing", "both missing"}
        and levels.venue in {"same", "partly", "missing", "both missing"}
        and levels.volume in {"same", "missing"}
        and levels.issue in {"same", "missing"}
        and levels.pages in {"same", "first", "last", "missing"}
        and levels.doi in {"same", "missing"}
        and levels.ids in {"same", "missing"}
        and levels.abstract != "different"
    )


def _is_one_text_of_one_team(levels: Comparison) -> bool:
    """Whether the same authors wrote the same abstract under another title: a renamed preprint."""
    is_long = levels.abstract == "identical" and levels.first_author == "same"
    return (
        levels.abstract in ONE_TEXT
        and (levels.authors in AGREED_AUTHORS or (is_long and levels.authors in {"most", "some"}))
        and levels.numerals in {"same", "one"}
        and levels.role == "same"
        and (
            levels.year in {"same", "missing", "both missing"}
            or (is_long and levels.year == "next")
        )
        and levels.pages != "different"
        and (levels.doi in {"same", "missing"} or (is_long and levels.doi == "elsewhere"))
        and (levels.venue != "different" or "report" in levels.kind or is_long)
    )


def may_be_one(levels: Comparison) -> bool:
    """Whether a model's claim that two records are one work is plausible.

    Two DOIs of one registrant, two parts, and works of different roles are never joined, nor are
    records of different authors with dissimilar titles.
    """
    if levels.doi == "different" or levels.numerals == "different":
        return False
    if levels.authors in _STRANGERS:
        return levels.title not in _UNLIKE and levels.role == "same"
    return levels.role == "same"
