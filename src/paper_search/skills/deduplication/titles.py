"""How two titles differ, and what they say besides: parts, replies, errata, columns."""

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
"""Words that swap one subject for its counterpart; those spelt alike need no list."""
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
"""Letters that scanners take for one another."""
_ALIKE = 0.72
_SHORTEST = 4
_FAR_RARER = 1.5
"""In powers of ten."""
_SHORTEST_ROOT = 5
_LONGEST_RUN = 4
"""Words that may be written as one: "alpha v beta 3"."""
_SUBSTANCE = re.compile(r"[aeiouy](?=(?:te|ne|se)s?$)")
"""The letter that tells nitrate from nitrite, and ethane from ethene."""
_DOUBLED = re.compile(r"([a-z])\1")
_REMEMBERED = 8_192
"""Titles; a title is compared with several others in a row."""


def difference(one: Sequence[str], other: Sequence[str]) -> str:
    """Return how the words of two titles differ, in any order.

    - "spelling": every word has a counterpart that is the same word (`is_same_word`), or the same
      words joined or cut ("data base").
    - "added": only one title has words of its own, and none of them negates.
    - "opposed": words spelt alike that are not the same word ("hypotension", "hypertension";
      "prednisone", "prednisolone"), a negation that only one has, a pair of opposites, or a head
      that makes of one title the name of another thing ("an evaluation of ...").
    - "replaced": both titles have words of their own that have nothing in common.
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
    """Whether the longer title puts a noun and "of", "for" or the like before shared words.

    What is cut from a title, or added to it, is a segment; "process evaluation of" a trial is
    neither the trial nor a part of its name.
    """
    tail = Postfix.similarity(short, long)
    head = [w for w in long[len(short) - tail : len(long) - tail] if w not in _ARTICLES]
    is_one_piece = tail and short[: len(short) - tail] == long[: len(short) - tail]
    return bool(is_one_piece and len(head) > 1 and head[-1] in _LINKS)


def own_words(one: Sequence[str], other: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of each title that the other has in no spelling, little words left out."""
    first = [w for w in one if w not in other and w not in LITTLE_WORDS]
    second = [w for w in other if w not in one and w not in LITTLE_WORDS]
    whole, other_whole = "".join(one), "".join(other)  # hold each word that is cut or joined there
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


@lru_cache(maxsize=_REMEMBERED)
def _runs(words: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return {
        "".join(words[place : place + length]): words[place : place + length]
        for length in range(2, _LONGEST_RUN + 1)
        for place in range(len(words) - length + 1)
    }


@lru_cache(maxsize=_REMEMBERED)
def is_same_word(one: str, other: str) -> bool:
    """Whether two words are one, spelt or inflected in two ways, or misspelt once.

    A typing error makes a non-word of a word; a change from one word to another is no slip. Of two
    words that the table of words does not have, one may lack a letter or have two swapped; another
    letter in its place is another substance ("nitrate", "nitrite").
    """
    if min(len(one), len(other)) < _SHORTEST:
        return stem(one) == stem(other)
    if _spelt_plainly(one) == _spelt_plainly(other) or _are_forms_of_one(one, other):
        return True
    is_misread = _as_scanned(one) == _as_scanned(other)
    if not is_misread and OSA.distance(one, other, score_cutoff=1) > 1:
        return False  # most pairs of words, before they are looked up in the table
    is_one_known = is_known(stem(one)) != is_known(stem(other)) or _is_far_rarer(one, other)
    if is_known(stem(one)) and not is_one_known:
        return False
    is_same_number = [*filter(str.isdigit, one)] == [*filter(str.isdigit, other)]
    return is_misread or (is_same_number and _is_slip(one, other, is_one_known=is_one_known))


def _is_far_rarer(one: str, other: str) -> bool:
    """Whether one of two words is so much rarer that it is the other one, often misspelt."""
    return abs(rarity(stem(one)) - rarity(stem(other))) >= _FAR_RARER


def _is_slip(one: str, other: str, *, is_one_known: bool) -> bool:
    if len(one) != len(other):
        return one[0] == other[0]  # a letter in front makes the opposite: "typical", "atypical"
    if _SUBSTANCE.sub("", one) == _SUBSTANCE.sub("", other):
        return False
    return is_one_known or sorted(one) == sorted(other)


def _are_forms_of_one(one: str, other: str) -> bool:
    """Whether two words are of one root: English forms words of one meaning at their ends."""
    one, other = one.replace("z", "s"), other.replace("z", "s")
    root = Prefix.similarity(one, other)
    return root >= _SHORTEST_ROOT and any(
        one[end:] in _ENDINGS and other[end:] in _ENDINGS for end in range(_SHORTEST_ROOT, root + 1)
    )


@lru_cache(maxsize=_REMEMBERED)
def _spelt_plainly(word: str) -> str:
    """Return what British, American and undotted German spellings of a word share."""
    word = stem(word)
    for british, american in _BRITISH:
        word = word.replace(british, american)
    if word.endswith("tr"):  # "centre", "center"
        word = f"{word[:-1]}er"
    return _DOUBLED.sub(r"\1", word).rstrip("e")


def _as_scanned(word: str) -> str:
    word = word.translate(_MISREAD)
    for two, one in _MISREAD_PAIRS:
        word = word.replace(two, one)
    return word


@lru_cache(maxsize=_REMEMBERED)
def _are_opposed(one: str, other: str) -> bool:
    """Whether two words are opposites, or spelt alike without being the same."""
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


def are_told_apart(
    one: Collection[str], other: Collection[str], left: Collection[str], right: Collection[str]
) -> bool:
    """Whether two abstracts differ in the very words in which their titles do."""
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
"""Words that say that a work is about another one, or an earlier part of it.

They may as well be its subject ("the immune response"): only such a word that one of two titles
has, and the other has not, tells them apart.
"""
_ROLE = re.compile("|".join(rf"(?P<{name}>\b(?:{pattern})\b)" for name, pattern in _ROLES.items()))
_HINT = re.compile("|".join(_ROLES.values()).replace(r"\w*", "").replace("^", ""))
"""The same words at any place: nine of ten titles hold none, and need no look at every word."""
_BREAK = r"(?:[:.;?!()\[\]\"\u2013\u2014]|\s-+\s)"
_BEGINNING = re.compile(rf"(?:^|{_BREAK})\s*(?:an? |the |in )?(?:[\w'-]+[ -])?$")
_SHORT_SEGMENT = re.compile(rf"(?:^|{_BREAK})\s*(?:[\w',-]+ ){{0,3}}$")
_END = re.compile(rf"\s*(?:$|{_BREAK})")
_OF_NOTES = frozenset({"retraction", "comment"})
_NOTICE = "|".join(_ROLES[name] for name in _ROLES if name not in _OF_NOTES)
"""What a bracket may say of the work itself, and not of what a database knows of it."""
_CITATION = re.compile(
    r"\(?\bvol(?:ume)? \d+,? (?:pg?|pages?)\.? \w+,? \d{4}\)?"
    r"|[\[(][^\[\]()]*\((?:19|20)\d\d\)[^\[\]]*\d[^\[\]]*[\])]\W*$"
    r"|[\[(][^\[\]()]*\d[^\[\]()]*\((?:19|20)\d\d\)[\])]\W*$"
)
"""Where another work stands, at the end of a title: that of a correction, if of nothing else."""
_NOTE = (
    rf"(?!(?:{_NOTICE})[\])])"
    r"(?:retracted|erratum|errata|corrected|comment|see comment|published|republished|retraction"
    r"|summary for|abstract|poster|original|review|clinical trial|reprint|panel|tutorial|demo"
    r"|demonstration|invited|keynote|extended)\b"
)
_ANNOTATION = re.compile(
    r"^retracted(?: article)?\s*:"
    rf"|\[{_NOTE}[^\]]{{0,300}}(?:\]|$)"
    rf"|\({_NOTE}[^)]{{0,300}}(?:\)|$)"
)
"""Notes of PubMed, Embase and the Web of Science in a title, after folding."""
_NOTE_AT_THE_END = re.compile(
    rf"(?<=\S)\s*\[(?!part\b|[ivx]+\]|(?:{_NOTICE})\])"
    r"(?:[^\W\d][^\W\d]+(?:[ ,./'-]+[^\W\d]+)*|\d+ refs?|\d{1,2}|abstract no:? ?\w+)\.?\]?[\s.]*$"
)
"""Words in square brackets, a number of references, a footnote: of a cataloguer, not the title."""
_GENERIC_WORDS = word_table("generic titles")
_SERIAL_WORDS = word_set(
    "activities advances annual annually biennial highlights overview proceedings progress report"
    " reports round statistics status survey trends update updates yearbook yearly"
)
"""Words of titles under which a team publishes again and again."""
_GENERIC_KEYS = word_set("序言 前言 编者按 目录 引言")
_SHORTEST_KEY = 3


def without_annotations(folded_title: str) -> str:
    """Return a folded title without what a database added to it (`[Erratum appears in ...]`).

    What ends with the place of another work, and says no more of itself, is its correction.
    """
    text = _ANNOTATION.sub(" ", folded_title)
    before = ""
    while text != before:
        before, text = text, _NOTE_AT_THE_END.sub("", text.rstrip())
    text = _CITATION.sub("", text)
    if text != before and all(name == "plan" for _, name in roles(text)):
        text += ": correction"
    return text if text.strip(" .[]()") else folded_title


@lru_cache(maxsize=_REMEMBERED)
def letters(words: tuple[str, ...]) -> frozenset[str]:
    """Return the single letters among the words of a title, as in "hepatitis B"."""
    singles = {word for word in words[:-1] if len(word) == 1 and word not in LITTLE_WORDS}
    return frozenset(singles | {word for word in words[-1:] if len(word) == 1})


@lru_cache(maxsize=_REMEMBERED)
def numerals(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the numbers among the words of a title, Roman ones as digits.

    A single "i", "v" or "x" counts only as the last word, before the last third, or after "part"
    and the like.
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
    """Whether two titles begin alike, and then with two Roman numbers: "Waves I: ...", "Waves III".

    Alone, an "i" within a title is no number.
    """
    first = next(((word, v) for word, v in zip(one, other, strict=False) if word != v), ())
    return bool(first) and all(word in _ROMAN_VALUES for word in first)


def roles(title: str) -> tuple[tuple[str, str], ...]:
    """Return the words that may say what a work is to another one, each with what it says.

    They begin a segment of the title, or end a short one; in the middle stands its subject.
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
    """Whether such words as only one of two titles has say the same: "protocol", "rationale"."""
    if one == other:
        return True
    first, second = Counter(one), Counter(other)
    return {name for _, name in first - second} == {name for _, name in second - first}


@lru_cache(maxsize=_REMEMBERED)
def is_generic(words: tuple[str, ...]) -> bool:
    """Whether a title is one that many different works carry ("Editorial", "Book review")."""
    if sum(map(len, words)) <= _SHORTEST_KEY or "".join(words) in _GENERIC_KEYS:
        return True
    return all(word in _GENERIC_WORDS or word.isdigit() for word in words)


def is_serial(words: tuple[str, ...]) -> bool:
    return not _SERIAL_WORDS.isdisjoint(words)
