"""Differences between titles, and parts, replies, errata and columns in them."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product

from rapidfuzz.distance import OSA, Indel, Postfix, Prefix

from paper_search.bibliography.words import is_known, rarity, stem
from paper_search.skills.deduplication.text import word_set
from paper_search.skills.words import word_table

LITTLE_WORDS = word_set(
    "a an the of in on for and or to with by from at as is are its via using into über der die das"
    " le la les de des du et un une el los las y e i s"
)
_ARTICLES = word_set("a an the der die das le la les un une el los las")
_LINKS = LITTLE_WORDS - _ARTICLES - word_set("and or is are its y e i s") | word_set(
    "alongside regarding"
)
_NEGATIONS = word_set("no non not nor never without anti un")
_NEGATING = ("non", "anti", "un", "an", "a")
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in word_set(
        "above/below after/before acute/chronic adult/child adults/children anterior/posterior"
        " ascending/descending bottom/top boys/girls dorsal/ventral early/late east/west even/odd"
        " father/mother fathers/mothers female/male females/males first/second fast/slow"
        " high/low higher/lower inner/outer large/small left/right long/short lower/upper"
        " man/woman maximal/minimal maximum/minimum men/women negative/positive new/old north/south"
        " post/pre hyper/hypo inter/intra extra/intra rural/urban strong/weak vitro/vivo"
    )
)
"""Opposites that are not spelt alike."""
_ENDINGS = word_set(
    "e y s es ed er ers or ing ings al ally ly ity ities ies ic ical ically ion ions ional ation"
    " ations ational ive ively ment ments able ability"
    " t ce cy hood"
) | {""}
_BRITISH = (
    ("ae", "e"), ("oe", "e"), ("ue", "u"), ("our", "or"), ("ph", "f"), ("z", "s"),
    ("dgement", "dgment"),
)  # fmt: skip
_MISREAD = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s"})
_MISREAD_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
"""Letters that OCR confuses."""
_ALIKE = 0.72
_SHORTEST = 4
_FAR_RARER = 1.5
"""A factor, as a power of ten."""
_SHORTEST_ROOT = 5
_LONGEST_RUN = 4
"""Words that may be written as one, such as "alpha v beta 3"."""
_SUBSTANCE = re.compile(r"[aeiouy](?=(?:te|ne|se)s?$)")
"""The letter that distinguishes nitrate from nitrite, and ethane from ethene."""
_DOUBLED = re.compile(r"([a-z])\1")
_CACHE_SIZE = 8_192
"""Cached results; a title is compared with several others in succession."""


def difference(one: Sequence[str], other: Sequence[str]) -> str:
    """Return how the words of two titles differ, in any order.

    - "spelling": every word has a counterpart (`is_same_word`), which may be joined or split
      ("data base").
    - "added": only one title has words of its own, none of which negates.
    - "opposed": different words that are spelt alike ("hypotension", "hypertension";
      "prednisone", "prednisolone"), a negation in only one title, a pair of opposites, or a head
      that changes what the title refers to ("an evaluation of ...").
    - "replaced": both titles have words of their own, and these are dissimilar.
    """
    left, right = own_words(one, other)
    if not left and not right:
        return "spelling"
    if any(_are_opposed(w, v) for w, v in product(left, right)):
        return "opposed"
    if not _NEGATIONS.isdisjoint(left) or not _NEGATIONS.isdisjoint(right):
        return "opposed"
    if left and right:
        return "replaced"
    is_other = any(map(_is_negated, left or right)) or _has_head(*sorted((one, other), key=len))
    return "opposed" if is_other else "added"


def _has_head(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the longer title has a noun and "of", "for" or the like before common words.

    A title may be shortened by a segment, but the "process evaluation of" a trial is not the trial.
    """
    tail = Postfix.similarity(short, long)
    head = [w for w in long[len(short) - tail : len(long) - tail] if w not in _ARTICLES]
    is_one_piece = tail and short[: len(short) - tail] == long[: len(short) - tail]
    return bool(is_one_piece and len(head) > 1 and head[-1] in _LINKS)


def own_words(one: Sequence[str], other: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the content words of each title that the other lacks in any spelling."""
    first = [w for w in one if w not in other and w not in LITTLE_WORDS]
    second = [w for w in other if w not in one and w not in LITTLE_WORDS]
    whole, other_whole = "".join(one), "".join(other)
    if any(w in other_whole for w in first) or any(w in whole for w in second):
        runs, other_runs = _runs(tuple(one)), _runs(tuple(other))
        first = _without_joined(first, runs, {*other, *other_runs}, other_runs)
        second = _without_joined(second, other_runs, {*one, *runs}, runs)
    same = {word for pair in product(first, second) if is_same_word(*pair) for word in pair}
    return [w for w in first if w not in same], [w for w in second if w not in same]


def _without_joined(
    own: list[str],
    runs: Mapping[str, tuple[str, ...]],
    others: Collection[str],
    other_runs: Collection[str],
) -> list[str]:
    parts_of_runs = {word for run, parts in runs.items() if run in others for word in parts}
    return [word for word in own if word not in parts_of_runs and word not in other_runs]


@lru_cache(maxsize=_CACHE_SIZE)
def _runs(words: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return {
        "".join(words[place : place + length]): words[place : place + length]
        for length in range(2, _LONGEST_RUN + 1)
        for place in range(len(words) - length + 1)
    }


@lru_cache(maxsize=_CACHE_SIZE)
def is_same_word(one: str, other: str) -> bool:
    """Whether two words are one, apart from spelling, inflection or a typing error.

    A typing error results in an unknown word, not in another known word. Of two unknown words, one
    may lack a letter or have two swapped, but a replaced letter may make another substance
    ("nitrate", "nitrite").
    """
    if min(len(one), len(other)) < _SHORTEST:
        return stem(one) == stem(other)
    if _plain_spelling(one) == _plain_spelling(other) or _have_one_root(one, other):
        return True
    is_misread = _ocr_key(one) == _ocr_key(other)
    if not is_misread and OSA.distance(one, other, score_cutoff=1) > 1:
        return False  # most pairs, without the slower look-up of words
    is_one_known = is_known(stem(one)) != is_known(stem(other)) or _is_far_rarer(one, other)
    if is_known(stem(one)) and not is_one_known:
        return False
    is_same_number = [*filter(str.isdigit, one)] == [*filter(str.isdigit, other)]
    return is_misread or (is_same_number and _is_typo(one, other, is_one_known=is_one_known))


def _is_far_rarer(one: str, other: str) -> bool:
    """Whether one word is so much rarer that it is a common misspelling of the other."""
    return abs(rarity(stem(one)) - rarity(stem(other))) >= _FAR_RARER


def _is_typo(one: str, other: str, *, is_one_known: bool) -> bool:
    if len(one) != len(other):
        return one[0] == other[0]  # a letter before a word may negate it: "typical", "atypical"
    if _SUBSTANCE.sub("", one) == _SUBSTANCE.sub("", other):
        return False
    return is_one_known or sorted(one) == sorted(other)


def _have_one_root(one: str, other: str) -> bool:
    one, other = one.replace("z", "s"), other.replace("z", "s")
    root = Prefix.similarity(one, other)
    return root >= _SHORTEST_ROOT and any(
        one[end:] in _ENDINGS and other[end:] in _ENDINGS for end in range(_SHORTEST_ROOT, root + 1)
    )


@lru_cache(maxsize=_CACHE_SIZE)
def _plain_spelling(word: str) -> str:
    """Return a key for British, American and German spellings of a word."""
    word = stem(word)
    for british, american in _BRITISH:
        word = word.replace(british, american)
    if word.endswith("tr"):  # "centre", "center"
        word = f"{word[:-1]}er"
    return _DOUBLED.sub(r"\1", word).rstrip("e")


def _ocr_key(word: str) -> str:
    word = word.translate(_MISREAD)
    for two, one in _MISREAD_PAIRS:
        word = word.replace(two, one)
    return word


@lru_cache(maxsize=_CACHE_SIZE)
def _are_opposed(one: str, other: str) -> bool:
    """Whether two words are opposites or spelt alike."""
    return (
        frozenset((one, other)) in _OPPOSITES
        or Indel.normalized_similarity(one, other, score_cutoff=_ALIKE) > 0
    )


def _is_negated(word: str) -> bool:
    return any(
        word.startswith(prefix)
        and len(word) - len(prefix) > _SHORTEST_ROOT
        and is_known(stem(word[len(prefix) :]))
        for prefix in _NEGATING
    )


def differ_like_titles(
    one: Collection[str], other: Collection[str], left: Collection[str], right: Collection[str]
) -> bool:
    """Whether two abstracts differ in the same words as their titles."""
    return any(w in one and w not in other for w in left) and any(
        w in other and w not in one for w in right
    )


_ROMAN_VALUES = {
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8",
    "ix": "9", "x": "10", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15",
}  # fmt: skip
_ORDINALS = {"first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th"}
_PART_WORDS = word_set("part type phase vol volume chapter no number paper stage grade")
_ROLES = {
    "correction": r"errat(?:um|as?)|corrigend(?:um|a)|addend(?:um|a)|corrections?|republication",
    "concern": r"expressions? of concern",
    "retraction": r"retraction|withdrawal",
    "reply": r"repl(?:y|ies)|rebuttal|rejoinder|responses?|^re(?=:)",
    "comment": r"comments?|commentary|editorial|discussion|letters?",
    "plan": r"\w*proto[ck]oll?[eos]?|rationale|statistical analysis plan|analysis plan|plan|planned"
    r"|\w*designs?|methods|methodology|aims|baseline",
    "data": r"data ?sets?",
    "edition": r"editions?",
}
"""Words that may state the relation of a work to another one.

They may also be part of its topic ("the immune response"), so only differences between two titles
matter.
"""
_ROLE = re.compile("|".join(rf"(?P<{name}>\b(?:{pattern})\b)" for name, pattern in _ROLES.items()))
_HINT = re.compile("|".join(_ROLES.values()).replace(r"\w*", "").replace("^", ""))
"""A fast test for the same words, which nine of ten titles do not have."""
_BREAK = r"(?:[:.;?!()\[\]\"\u2013\u2014]|\s-+\s)"
_BEGINNING = re.compile(rf"(?:^|{_BREAK})\s*(?:an? |the |in )?(?:[\w'-]+[ -])?$")
_SHORT_SEGMENT = re.compile(rf"(?:^|{_BREAK})\s*(?:[\w',-]+ ){{0,3}}$")
_END = re.compile(rf"\s*(?:$|{_BREAK})")
_OF_NOTES = frozenset({"retraction", "comment"})
_NOTICE = "|".join(_ROLES[name] for name in _ROLES if name not in _OF_NOTES)
"""Words in brackets that belong to the work, not to a database's annotation."""
_CITATION = re.compile(
    r"\(?\bvol(?:ume)? \d+,? (?:pg?|pages?)\.? \w+,? \d{4}\)?"
    r"|[\[(][^\[\]()]*\((?:19|20)\d\d\)[^\[\]]*\d[^\[\]]*[\])]\W*$"
    r"|[\[(][^\[\]()]*\d[^\[\]()]*\((?:19|20)\d\d\)[\])]\W*$"
)
"""A citation of another work at the end of a title, usually of a correction."""
_NOTE = (
    rf"(?!(?:{_NOTICE})[\])])"
    r"(?:retracted|erratum|errata|corrected|comment|see comment|published|republished|retraction"
    r"|summary for|abstract|poster|original|review|clinical trial|reprint|panel|tutorial|demo"
    r"|demonstration|invited|keynote|extended|version \d+; ?(?:peer review|referees))\b"
)
_ANNOTATION = re.compile(
    r"^retracted(?: article)?\s*:"
    rf"|\[{_NOTE}[^\]]{{0,300}}(?:\]|$)"
    rf"|\({_NOTE}[^)]{{0,300}}(?:\)|$)"
)
"""Annotations by PubMed, Embase and the Web of Science in a folded title."""
_NOTE_AT_THE_END = re.compile(
    rf"(?<=\S)\s*\[(?!part\b|[ivx]+\]|(?:{_NOTICE})\])"
    r"(?:[^\W\d][^\W\d]+(?:[ ,./'-]+[^\W\d]+)*|\d+ refs?|\d{1,2}|abstract no:? ?\w+)\.?\]?[\s.]*$"
)
"""Cataloguers' additions: words in square brackets, a number of references, a footnote."""
VERSION_AT_THE_END = re.compile(r"(?<=\w)\W+v(?:ersion|er)?[. ]{0,2}\d+(?:\.\d+)*\W*$")
"""As in titles of data sets and software: "Rainfall (v1.2)"."""
_GENERIC_WORDS = word_table("generic titles")
_SERIAL_WORDS = word_set(
    "activities advances annual annually biennial highlights overview proceedings progress report"
    " reports round statistics status survey trends update updates yearbook yearly"
)
_GENERIC_KEYS = word_set("序言 前言 编者按 目录 引言")
_SHORTEST_KEY = 3


def without_annotations(folded_title: str) -> str:
    """Remove annotations by databases (`[Erratum appears in ...]`) from a folded title.

    A title that ends with a citation of another work, and states no role, is a correction of it.
    """
    text = _ANNOTATION.sub(" ", folded_title)
    before = ""
    while text != before:
        before, text = text, _NOTE_AT_THE_END.sub("", text.rstrip())
    text = _CITATION.sub("", text)
    if text != before and all(name == "plan" for _, name in roles(text)):
        text += ": correction"
    return text if text.strip(" .[]()") else folded_title


@lru_cache(maxsize=_CACHE_SIZE)
def letters(words: tuple[str, ...]) -> frozenset[str]:
    """Return the single letters in a title, as in "hepatitis B"."""
    singles = {word for word in words[:-1] if len(word) == 1 and word not in LITTLE_WORDS}
    return frozenset(singles | {word for word in words[-1:] if len(word) == 1})


@lru_cache(maxsize=_CACHE_SIZE)
def numerals(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the numbers in a title, Roman numerals as digits.

    A single "i", "v" or "x" counts only as the last word or after "part" and the like.
    """
    numbers: list[str] = []
    for place, word in enumerate(words):
        if word[0].isdigit() and not word[3:].isalpha():  # "2d", "3rd"; "0verview" is misread
            numbers.append(word.lstrip("0") or "0")
        elif word in _ROMAN_VALUES:
            before = words[place - 1] if place else ""
            if len(word) > 1 or place == len(words) - 1 or before in _PART_WORDS:
                numbers.append(_ROMAN_VALUES[word])
        elif word in _ORDINALS and words[place + 1 : place + 2] == ("edition",):
            numbers.append(_ORDINALS[word])
        elif len(word) == 1 and place and words[place - 1] == "part":
            numbers.append(word)
    return tuple(numbers)


def are_parts(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two titles first differ in Roman numerals: "Waves I: ...", "Waves III: ..."."""
    first = next(((word, v) for word, v in zip(one, other, strict=False) if word != v), ())
    return bool(first) and all(word in _ROMAN_VALUES for word in first)


def roles(title: str) -> tuple[tuple[str, str], ...]:
    """Return the words that may state the relation to another work, each with its role.

    They begin a segment of the title or end a short one; elsewhere they are part of the topic.
    """
    if not _HINT.search(title):
        return ()
    return tuple(
        (match.group(), match.lastgroup or "")
        for match in _ROLE.finditer(title)
        if _BEGINNING.search(before := title[: match.start()])
        or (_END.match(title, match.end()) and _SHORT_SEGMENT.search(before))
    )


def are_of_one_role(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> bool:
    """Whether words in only one of two titles have the same roles: "protocol", "rationale"."""
    if one == other:
        return True
    first, second = Counter(one), Counter(other)
    return {name for _, name in first - second} == {name for _, name in second - first}


@lru_cache(maxsize=_CACHE_SIZE)
def is_generic(words: tuple[str, ...]) -> bool:
    if sum(map(len, words)) <= _SHORTEST_KEY or "".join(words) in _GENERIC_KEYS:
        return True
    return all(word in _GENERIC_WORDS or word.isdigit() for word in words)


def is_serial(words: tuple[str, ...]) -> bool:
    return not _SERIAL_WORDS.isdisjoint(words)
