"""Levels of agreement of two records by field, and the log-odds that they are one work."""

import re
from collections.abc import Collection
from math import exp
from typing import NamedTuple

from rapidfuzz.fuzz import ratio

from paper_search.skills.deduplication.profiles import Profile, venue_similarity
from paper_search.skills.deduplication.text import (
    begins_with,
    fold,
    in_runs,
    is_first_shared,
    share_of_names,
    thirds,
    word_set,
    words,
)
from paper_search.skills.deduplication.titles import (
    are_of_one_role,
    are_parts,
    differ_like_titles,
    difference,
    is_serial,
    letters,
    numerals,
    own_words,
)
from paper_search.skills.deduplication.titles import is_generic as is_generic_title

_YEAR_DIGITS = 4
_ABSTRACT_LENGTH = 3_000
_COMMON_WORDS = word_set(
    "a an and are as at be been both but by can for from has have in is it its may not of on or our"
    " that the their these this those to was we were which with show using between than also into"
    " paper study results"
)
_SHORTEST_ABSTRACT = 40
_FEWEST_WORDS = 10
"""Content words of an abstract that can support a merge; fewer can only contradict one."""
_UNLIKE_TEXT = 0.4
_FEWEST_OF_ONE_TEXT = 15
"""Content words of an abstract that can merge records with different titles."""
_LEAST_OF_ONE_TEXT = 0.8
_FEWEST_OF_LONG_TEXT = 30
ONE_TEXT = frozenset({"identical", "same", "near"})
"""Levels of `abstract` at which two records have the same abstract."""
AGREED_AUTHORS = frozenset({"all", "two names", "one name"})
"""Levels of `authors` at which two records have the same authors."""
_OTHER_WORDS = frozenset({"added", "replaced", "opposed"})
_LEAST_OF_A_PART = 0.5
"""Least share of words in common runs, for each third of a text."""
_LETTERS_OF_A_WORD = 12
_NEAR_YEARS = 4
OTHER_YEARS = frozenset({"next", "near", "far"})
_LONG_KEY = 15
_ARTICLE_NUMBER = re.compile(r"[a-z]?\d{4,}$")
Levels = tuple[tuple[float, str], ...]
"""Lower bound and name of each level, from the highest."""
_TITLE_LEVELS: Levels = (
    (0.95, "near"), (0.88, "close"), (0.78, "similar"), (0.65, "weak"), (0.0, "different"),
)  # fmt: skip
_LENGTHS: Levels = ((51, "long"), (26, "middle"), (15, "short"), (0, "tiny"))
"""In letters and digits, of the shorter title if it is tiny, otherwise of the longer one."""
_AUTHOR_LEVELS: Levels = ((0.9, "all"), (0.6, "most"), (0.3, "some"), (0.01, "few"), (0.0, "none"))
_ALL_OF_FEW = {1: "one name", 2: "two names"}
"""Sharing all names is weaker evidence if there are so few."""
_VENUE_LEVELS: Levels = ((0.75, "same"), (0.4, "partly"), (0.0, "different"))
_ABSTRACT_LEVELS: Levels = (
    (0.92, "same"), (0.7, "near"), (0.5, "similar"), (0.4, "related"), (0.0, "different"),
)  # fmt: skip


class Comparison(NamedTuple):
    """The level of agreement of each field.

    `title_similarity`, `author_overlap` and `abstract_overlap` are 0 to 1, or -1 if missing.
    """

    title: str
    difference: str
    title_length: str
    numerals: str
    role: str
    authors: str
    first_author: str
    year: str
    venue: str
    kind: str
    volume: str
    issue: str
    pages: str
    place: str
    doi: str
    ids: str
    abstract: str
    title_similarity: float
    author_overlap: float
    abstract_overlap: float


FIELDS = Comparison._fields[:-3]


def compare(one: Profile, other: Profile, recurring: Collection[str] = ()) -> Comparison:
    """Return the levels of all fields, independently of the order of the two records."""
    title, similarity = _title(one, other)
    authors, overlap = _authors(one, other)
    wording = "none" if title in {"identical", "missing"} else difference(one.words, other.words)
    abstract, abstract_overlap = _abstract(one, other, wording)
    venue = _venue(one.venue, other.venue)
    volume, issue = _equal(one.volume, other.volume), _equal(one.issue, other.issue)
    year = _year(one.year, other.year, is_same_volume=volume == "same" and venue == "same")
    pages = _pages(one, other)
    place = _place(venue, volume, issue, pages)
    is_generic = is_generic_title(one.words) or is_generic_title(other.words)
    if place == "same page":
        is_generic = is_generic and not venue == issue == "same"
    else:
        is_generic = is_generic or one.key in recurring or other.key in recurring
        is_serial_title = is_serial(one.words) and is_serial(other.words)
        is_generic = is_generic or (year in OTHER_YEARS and is_serial_title)
    return Comparison(
        title=title,
        difference=wording,
        title_length="generic" if is_generic else _length(one, other),
        numerals=_numerals(one, other),
        role=_role(one, other, title),
        authors=authors,
        first_author=_first_author(one, other),
        year=year,
        venue=venue,
        kind=_kind(one.kind, other.kind),
        volume=volume,
        issue=issue,
        pages=pages,
        place=place,
        doi=_doi(one, other),
        ids=_ids(one, other),
        abstract=abstract,
        title_similarity=similarity,
        author_overlap=overlap,
        abstract_overlap=abstract_overlap,
    )


def _level(value: float, levels: Levels) -> str:
    return next(name for least, name in levels if value >= least)


def _title(one: Profile, other: Profile) -> tuple[str, float]:
    if not one.key or not other.key:
        return "missing", -1.0
    if one.key == other.key or _are_same_but_for_a_mark(one.key, other.key):
        return "identical", 1.0
    similarity = max(ratio(one.title, other.title), ratio(one.key, other.key)) / 100
    return _level(similarity, _TITLE_LEVELS), similarity


def _are_same_but_for_a_mark(one: str, other: str) -> bool:
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return len(short) >= _LONG_KEY and long == f"{short}1"


def _length(one: Profile, other: Profile) -> str:
    if min(len(one.words), len(other.words)) <= 1:
        return "word"
    short, long = sorted((len(one.key), len(other.key)))
    return _level(short if short < _LENGTHS[-2][0] else long, _LENGTHS)


def _numerals(one: Profile, other: Profile) -> str:
    if one.key == other.key or _are_same_but_for_a_mark(one.key, other.key):
        return "same"
    if are_parts(one.words, other.words):
        return "different"
    first, second = numerals(one.words), numerals(other.words)
    if first == second:
        marks, other_marks = letters(one.words), letters(other.words)
        is_told_apart = marks and other_marks and marks.isdisjoint(other_marks)
        return "different" if is_told_apart else "same"
    if first and second:
        return "same" if set(first) == set(second) else "different"
    # A year in only one title is often the rest of a citation: "title. 1993".
    return "one" if any(len(page) != _YEAR_DIGITS for page in first or second) else "same"


def _role(one: Profile, other: Profile, title: str) -> str:
    if one.form and other.form and one.form != other.form:
        return "different"
    is_same = title == "identical" or are_of_one_role(one.roles, other.roles)
    return "same" if is_same else "different"


def _kind(one: str, other: str) -> str:
    if not one or not other:
        return "unknown"
    return one if one == other else "-".join(sorted((one, other)))


def _place(venue: str, volume: str, issue: str, pages: str) -> str:
    if volume == "same" and pages == "same":
        return "same page"
    if volume == "same" and pages == "first":
        return "unknown" if venue == "different" or issue == "different" else "same page"
    if pages == "different":
        return "other page" if volume == "same" else "other volume"
    if venue == volume == "same" and pages == "missing":
        return {"same": "same issue", "different": "other issue"}.get(issue, "same volume")
    return "unknown"


def _authors(one: Profile, other: Profile) -> tuple[str, float]:
    few = min(len(one.people.names), len(other.people.names))
    if not few:
        both = not one.people.names and not other.people.names
        return "both missing" if both else "missing", -1.0
    overlap = share_of_names(one.people, other.people)
    level = _level(overlap, _AUTHOR_LEVELS)
    return (_ALL_OF_FEW.get(few, level) if level == "all" else level), overlap


def _first_author(one: Profile, other: Profile) -> str:
    if not one.people.first or not other.people.first:
        return "missing"
    return "same" if is_first_shared(one.people, other.people) else "different"


def _year(one: int | None, other: int | None, *, is_same_volume: bool) -> str:
    if one is None or other is None:
        return "both missing" if one is other else "missing"
    apart = abs(one - other)
    if apart == 0:
        return "same"
    if is_same_volume:
        return "off in one volume"
    if apart == 1:
        return "next"
    return "near" if apart <= _NEAR_YEARS else "far"


def _venue(one: tuple[str, ...], other: tuple[str, ...]) -> str:
    if not one or not other:
        return "both missing" if one == other else "missing"
    return _level(venue_similarity(one, other), _VENUE_LEVELS)


def _equal(one: str, other: str) -> str:
    if not one or not other:
        return "missing"
    return "same" if one == other else "different"


def _pages(one: Profile, other: Profile) -> str:
    if not one.first_page or not other.first_page:
        return "missing"
    if one.first_page == other.first_page:
        is_whole = one.last_page == other.last_page and one.first_page != one.last_page
        return "same" if is_whole else "first"
    for number, count in ((one, other), (other, one)):
        if count.first_page == "1" != count.last_page and _ARTICLE_NUMBER.match(number.first_page):
            return "last"  # "1-14" may be only the length of an article with a number
    bare = one.first_page.lstrip("abcdefghijklmnopqrstuvwxyz")
    if bare == other.first_page.lstrip("abcdefghijklmnopqrstuvwxyz"):
        return "first"
    is_one_page = one.last_page in {one.first_page, other.first_page}
    return "last" if one.last_page == other.last_page and not is_one_page else "different"


def _doi(one: Profile, other: Profile) -> str:
    if not one.doi or not other.doi:
        return "missing"
    if one.doi == other.doi:
        return "same"
    return "different" if one.doi.split("/")[0] == other.doi.split("/")[0] else "elsewhere"


_OF_PLACES = frozenset({"url", "result_id"})
"""Kinds of ids of which one work may have several."""


def _ids(one: Profile, other: Profile) -> str:
    if one.arxiv and one.arxiv == other.arxiv:
        return "same"
    if not one.ids or not other.ids:
        return "missing"
    if set(one.ids) & set(other.ids):
        return "same"
    kinds = {kind for kind, _ in one.ids} & {kind for kind, _ in other.ids} - _OF_PLACES
    if "pmid" in kinds:
        return "other pmid"
    return "different" if kinds else "missing"


def _abstract(one: Profile, other: Profile, wording: str) -> tuple[str, float]:
    """Return the level and share of agreement of two abstracts.

    The longer one is cut to the length of the shorter, which a service may have truncated. If the
    titles have different words, whole abstracts are compared; see `_are_one_text`.
    """
    length = min(len(one.abstract), len(other.abstract), _ABSTRACT_LENGTH)
    if length < _SHORTEST_ABSTRACT:
        return "missing", -1.0
    overlap, few = _shared_words(one.abstract[:length], other.abstract[:length])
    if few < _FEWEST_WORDS and overlap >= _UNLIKE_TEXT:
        return "missing", -1.0
    level = _level(overlap, _ABSTRACT_LEVELS)
    if wording in _OTHER_WORDS and level in ONE_TEXT | {"similar"}:
        is_one_text = few >= _FEWEST_OF_ONE_TEXT and _are_one_text(one, other)
        if is_one_text != (level in ONE_TEXT):
            level = "near" if is_one_text else "similar"
    if level == "same" and overlap == 1.0 and few >= _FEWEST_OF_LONG_TEXT:
        first, second = one.abstract[:length], other.abstract[:length]
        is_whole = first == second or begins_with(second.lower().split(), first.lower().split())
        level = "identical" if is_whole else level
    return level, overlap


def _shared_words(one: str, other: str) -> tuple[float, int]:
    if one == other:
        return 1.0, len(one) // _LETTERS_OF_A_WORD
    first, second = _content_words(one), _content_words(other)
    few, many = sorted((len(first), len(second)))
    return len(first & second) / many if many else 0.0, few


def _are_one_text(one: Profile, other: Profile) -> bool:
    """Whether two abstracts are the same, except for revisions or truncation.

    The next paper of a team may share many words with an abstract, but not all sentences, and the
    abstracts then differ in the same words as the titles.
    """
    text, other_text = words(fold(one.abstract)), words(fold(other.abstract))
    vocabulary, other_vocabulary = set(text), set(other_text)
    if not begins_with(*sorted((text, other_text), key=len, reverse=True)):
        content, other_content = vocabulary - _COMMON_WORDS, other_vocabulary - _COMMON_WORDS
        both = 2 * len(content & other_content)
        if both < _LEAST_OF_ONE_TEXT * (len(content) + len(other_content)):
            return False
        parts = thirds(in_runs(text, other_text)) + thirds(in_runs(other_text, text))
        if any(sum(part) < _LEAST_OF_A_PART * len(part) for part in parts):
            return False
    return not differ_like_titles(vocabulary, other_vocabulary, *own_words(one.words, other.words))


def _content_words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split()) - _COMMON_WORDS


INTERCEPT = -5.05

WEIGHTS = {
    "title": {"identical": 1.16, "near": 0.94, "close": 0.32, "similar": -0.19, "missing": -0.29,
        "weak": -0.7, "different": -1.24},
    "difference": {"none": 0.88, "added": 0.79, "spelling": 0.79, "opposed": -1.22,
        "replaced": -1.22},
    "title_length": {"short": 1.48, "middle": 0.78, "long": 0.64, "tiny": 0.15, "word": -0.22,
        "generic": -2.82},
    "numerals": {"same": 0.51, "one": 0.15, "different": -0.67},
    "role": {"same": 0.31, "different": -0.31},
    "authors": {"one name": 1.33, "all": 0.87, "missing": 0.41, "most": 0.07, "some": 0.07,
        "two names": 0.07, "few": -0.36, "both missing": -0.84, "none": -1.61},
    "first_author": {"same": 0.51, "missing": -0.17, "different": -0.34},
    "year": {"same": 1.75, "missing": 1.05, "both missing": 0.52, "off in one volume": 0.4,
        "far": -1.24, "near": -1.24, "next": -1.24},
    "venue": {"same": 0.94, "missing": 0.21, "both missing": 0.21, "partly": -0.26,
        "different": -0.9},
    "kind": {"conference": 1.38, "journal-report": 0.09, "report": -0.12, "journal": -0.14,
        "unknown": -0.32, "conference-report": -0.33, "conference-journal": -0.56},
    "volume": {"missing": 0.86, "same": 0.75, "different": -1.61},
    "pages": {"same": 1.31, "first": -0.15, "last": -0.15, "missing": -0.23, "different": -0.79},
    "place": {"same issue": 0.74, "same page": 0.74, "unknown": 0.41, "same volume": 0.17,
        "other volume": -0.25, "other page": -0.54, "other issue": -1.26},
    "doi": {"same": 0.65, "missing": 0.53, "elsewhere": -0.43, "different": -0.75},
    "abstract": {"identical": 1.43, "same": 1.43, "missing": 0.62, "near": -0.35, "related": -0.35,
        "similar": -0.35, "different": -1.01},
}  # fmt: skip

_TABLES = tuple(WEIGHTS.get(field, {}) for field in FIELDS)


def log_odds(levels: Comparison) -> float:
    return sum(
        [table.get(level, 0.0) for table, level in zip(_TABLES, levels[:-3], strict=True)],
        INTERCEPT,
    )


def probability(odds: float) -> float:
    return 1 / (1 + exp(-odds))
