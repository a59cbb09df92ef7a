"""Variants of a concept: synonyms, subject headings, spelling, hyphens, plural, acronym.

The headings are Medical Subject Headings (MeSH) of the National Library of Medicine, edition
2020/2021, changed; the terms are those of OpenAlex's topics (CC0). `scripts/vocabulary.py` makes
all tables and says how.
"""

import gzip
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from paper_search.bibliography.words import is_known, rarity
from paper_search.resources import PackageFiles
from paper_search.skills.words import BREAKS, is_unspaced, term_table, tokens

_HEADINGS, _PLURALS, _TOPICS = "mesh.txt.gz", "plurals.txt.gz", "topics.txt.gz"
_CACHE_SIZE = 1000
"""Cached answers, since the words of one question are looked up repeatedly."""
APART = "written apart or together"
_KIND = "<"
"""Marks names of our list that do not lead to the others of their group."""
_SHORTEST = 3
"""Letters of a word that has a singular and a plural."""
_LONGEST_ACRONYM = 4
"""Letters of a word in capitals that has a plural in -s; longer ones are shouted."""
_RARER = 2.0
"""A name whose rarest word is 100 times rarer than the concept's adds almost no papers."""
TELLING = 2.0
"""Total rarity of a term's words below which they are too common: "learning", "patients"."""
_ENGLISH = re.compile(r"[A-Za-z0-9Α-ω][A-Za-z0-9Α-ω+./' -]*")
_LETTERS = re.compile(r"[^\W\d_]+")


def variants(concept: str) -> list[str]:
    """Return other names of a concept, the most useful first."""
    by_key = {concept.casefold(): concept}
    for variant in (*synonyms(concept), *spellings(concept)):
        by_key.setdefault(variant.casefold(), variant)
    return list(by_key.values())[1:]


def synonyms(concept: str) -> list[str]:
    return [*synonym_reasons(concept)]


@lru_cache(maxsize=_CACHE_SIZE)
def synonym_reasons(concept: str) -> Mapping[str, str]:
    """Return the other names of a concept in the built-in tables, each with its origin.

    Chinese names are only given for Chinese concepts. Narrower and broader names are left out:
    those that add words to the concept ("absence seizures" for "seizures") or to another name,
    those that drop words ("lung cancer" for "non-small cell lung cancer"), and MeSH's entry terms
    of common words or for other things ("capybara" beside "beaver" under "rodentia").
    """
    key = tuple(tokens(concept))
    by_hand = {name: _reason(name, concept) for name in _listed(concept)}
    keys = {tuple(tokens(name)) for name in by_hand}
    own = [concept, *spellings(concept)]
    subject, entries = _entry(equivalents(concept))
    by_heading = {
        name: "MeSH heading" if name == _natural(subject) else f"MeSH: {subject}"
        for name in (map(_natural, entries) if sum(map(rarity, key)) > TELLING else ())
        if tuple(tokens(name)) not in keys
    }
    least = _rarest(concept) + _RARER
    names = {
        name: why
        for name, why in (by_hand | by_heading).items()
        if (_rarest(name) <= least or not why.startswith("MeSH: "))
        and not any(_holds(form, name) or _holds(name, form) for form in own)
    }
    stems = {name: len(tokens(name)) for name in names}
    return {
        name: why
        for name, why in names.items()
        if not any(_holds(name, other) and stems[other] < stems[name] for other in names)
    }


def equivalents(concept: str) -> list[str]:
    """Return the concept and the names of our list that mean the same, with their spellings."""
    same = [name for name, is_same in _listed(concept).items() if is_same]
    return [form for name in (concept, *same) for form in (name, *spellings(name))]


def _listed(concept: str) -> dict[str, bool]:
    """Return the names of our list for a concept, and whether each means the same."""
    is_english = not is_unspaced(concept)
    return {
        name.removeprefix(_KIND): not name.startswith(_KIND)
        for group in _groups().get(tuple(tokens(concept)), ())
        for name in group
        if not (is_english and is_unspaced(name))
    }


def _rarest(name: str) -> float:
    return max(map(rarity, tokens(name)), default=0.0)


def _holds(name: str, part: str) -> bool:
    """Whether a name contains another one, so that a search for that finds both."""
    stems, inner = tokens(name), tokens(part)
    size = len(inner)
    return any(stems[n : n + size] == inner for n in range(len(stems) - size + 1))


def spellings(concept: str) -> list[str]:
    """Return a concept's other number, spellings and hyphenation."""
    return [*spelling_reasons(concept)]


@lru_cache(maxsize=_CACHE_SIZE)
def spelling_reasons(concept: str) -> Mapping[str, str]:
    """Return a concept's other forms that are in use, each with the difference."""
    forms = _numbers(concept)
    for kind, form in _regional_spellings(concept).items():
        forms |= dict.fromkeys([form, *_numbers(form)], f"{kind} spelling")
    for form in _hyphenations(concept):
        if _is_in_use(form, tokens(concept)):
            forms.setdefault(form, APART)
    forms.pop(concept, None)
    return forms


def _reason(name: str, concept: str) -> str:
    short, long = sorted((name, concept), key=len)
    initials = "".join(word[:1] for word in re.split(r"[ -]+", long)).casefold()
    if initials not in {short.casefold(), short.casefold().removesuffix("s")}:
        return "our list of related names"
    return "abbreviation" if short == name else "long form"


@cache
def _groups() -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the groups of synonyms by the stems of each name.

    Ambiguous names are left out: two-letter acronyms ("MS", "CV"), and names in several groups
    without another common name.
    """
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group in term_table("synonyms"):
        for name in (name for name in group if not name.startswith(_KIND)):
            is_known = len(name) > 2 or name in {"RL", "AI", "QA", "TB", "3D"}  # noqa: PLR2004  # two letters
            key = tuple(tokens(name))
            if is_known and group not in groups.get(key, []):
                groups.setdefault(key, []).append(group)
    return {key: own for key, own in groups.items() if not _is_ambiguous(own)}


def _is_ambiguous(groups: Iterable[Sequence[str]]) -> bool:
    english = [set(group) for group in groups if not any(map(is_unspaced, group))]
    return len(english) > 1 and len(set.intersection(*english)) == 1


def _regional_spellings(concept: str) -> dict[str, str]:
    """Return the concept in American or British spelling where that differs."""
    forms = {kind: _in_spelling(concept, kind) for kind in ("American", "British")}
    return {kind: form for kind, form in forms.items() if form != concept}


def _is_in_use(form: str, own: Sequence[str]) -> bool:
    """Whether all words of a form are known, or have a stem of the concept."""
    return all(token in own or is_known(token) or is_word(token) for token in tokens(form))


def _in_spelling(concept: str, kind: str) -> str:
    parts, by_part = _parts_of_words(kind)

    def respell(match: re.Match[str]) -> str:
        other = parts.sub(lambda part: by_part[part[0].casefold()], match[0])
        return other if _is_in_use(other, tokens(match[0])) else match[0]

    return _LETTERS.sub(respell, concept)


@cache
def _parts_of_words(kind: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern for parts of words, and their spelling in British or American English."""
    pairs = [pair if kind == "British" else pair[::-1] for pair in term_table("spellings")]
    by_part = {old.strip("^"): new.strip("^") for old, new in pairs}
    old = sorted((old for old, _ in pairs), key=len, reverse=True)
    pattern = "|".join(re.sub(r"^\\\^", r"(?<!\\w)", re.escape(part)) for part in old)
    return re.compile(pattern, re.IGNORECASE), by_part


def _hyphenations(concept: str) -> list[str]:
    forms: list[str] = []
    if "-" in concept:
        forms.append(concept.replace("-", " "))
        forms += [
            concept.replace(part, part.replace("-", ""))
            for part in re.findall(r"\b[A-Za-z]{2,5}-[a-z]{3,}\b", concept)
        ]
    lowered = concept.casefold()
    for apart, compound in term_table("compounds"):
        hyphened = apart.replace(" ", "-")
        swaps = (apart, compound), (compound, apart), (hyphened, compound), (compound, hyphened)
        for spelling, other in swaps:
            # The first test rules out nearly all of the table.
            if spelling in lowered and re.search(rf"\b{re.escape(spelling)}", lowered):
                forms.append(re.sub(f"(?i){re.escape(spelling)}", other, concept, count=1))
    return forms


def _numbers(concept: str) -> dict[str, str]:
    """Return a concept's other number, if any, with "singular" or "plural".

    Phrases with function words are left out, since the head of "quality of life" is not its last
    word.
    """
    head, space, last = concept.rpartition(" ")
    noun = last.casefold()
    is_plain = _ENGLISH.fullmatch(concept) and BREAKS.isdisjoint(head.casefold().split())
    if not is_plain or len(last) < _SHORTEST:
        return {}
    if last.isupper():
        is_acronym = len(last) <= _LONGEST_ACRONYM and has_plural(noun)
        return {f"{concept}s": "plural"} if is_acronym else {}
    single = _singular(noun)
    if single != noun and has_plural(single):
        return {f"{head}{space}{_as_in(last, single)}": "singular"}
    return {f"{head}{space}{_as_in(last, plural(noun))}": "plural"} if has_plural(noun) else {}


def _as_in(word: str, form: str) -> str:
    is_start = word.casefold().startswith(form)
    return word[: len(form)] if is_start else word[0] + form[1:]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("yses", "oses", "eses")) and has_plural(word[:-2] + "is"):
        return word[:-2] + "is"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "ics", "'s")):
        return word[:-1]
    return word


def plural(word: str) -> str:
    """Return the regular English plural, whether or not it is in use."""
    if word.endswith("is"):
        return word[:-2] + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word + "s"


def is_known_term(name: str) -> bool:
    """Whether a term of several words is in our tables, in any form."""
    stems, fixed = tuple(tokens(name)), term_table("fixed terms")
    is_listed = stems in _groups() or (name.casefold(),) in fixed
    return len(stems) > 1 and is_listed and not is_unspaced(name)


def is_telling_name(word: str, *, is_listed: bool) -> bool:
    """Whether a word is a name, or one of our own list, and not too common to stand alone."""
    key = tuple(tokens(word))
    is_name = key in _groups() or (not is_listed and is_heading(word))
    return is_name and sum(map(rarity, key)) > TELLING


def is_heading(name: str) -> bool:
    """Whether MeSH has the term, in any number and spelling."""
    return bool(_entry([name, *spellings(name)])[1])


def is_topic(name: str) -> bool:
    """Whether the words are a term of an OpenAlex topic, in any number and spelling."""
    return f"\n{' '.join(tokens(name))}\n" in _topics()


def heading(names: Iterable[str]) -> str | None:
    """Return the MeSH heading, in lower case, that means the first name that MeSH has, if any."""
    subject, entries = _entry(names)
    return subject if subject in entries else None


def entry_terms(names: Iterable[str]) -> list[str]:
    """Return all MeSH names that mean the first name that MeSH has, such as the heading."""
    return [_natural(name) for name in _entry(names)[1]]


def has_plural(noun: str) -> bool:
    return noun in _plurals()


@lru_cache(maxsize=_CACHE_SIZE)
def is_word(word: str) -> bool:
    table = _table()
    return any(f"{before}{word}{after}" in table for before in "| -" for after in "| -,")


def _natural(name: str) -> str:
    last, _, first = name.partition(", ")
    return f"{first} {last}" if first and ", " not in first else name.replace(",", "")


def _entry(names: Iterable[str]) -> tuple[str, list[str]]:
    """Return the heading of the first name that MeSH has, and its names that mean the same."""
    for name in names:
        key = " ".join(name.casefold().split())
        if key and "|" not in key and (line := _line_with(key)):
            groups = [group.split("|") for group in line.split("||")]
            return groups[0][0], next(group for group in groups if key in group)
    return "", []


# Scanning the text takes half a millisecond, building an index a hundred times as long.
@lru_cache(maxsize=_CACHE_SIZE)
def _line_with(key: str) -> str:
    table = _table()
    place = table.find(f"|{key}|")
    if place < 0:
        return ""
    start = table.rfind("\n", 0, place + 1) + 1
    return table[start : table.find("\n", place)].strip("|")


@cache
def _table() -> str:
    lines = _unpack(_HEADINGS).splitlines(keepends=True)
    return "\n" + "".join(line for line in lines if not line.startswith("#"))


@cache
def _topics() -> str:
    return _unpack(_TOPICS)


@cache
def _plurals() -> frozenset[str]:
    return frozenset(_unpack(_PLURALS).split())


def _unpack(name: str) -> str:
    return gzip.decompress(PackageFiles("paper_search.skills").read(name)).decode("ascii")
