"""Variants of a concept: synonyms, subject headings, spelling, hyphens, plural, acronym.

The headings are Medical Subject Headings (MeSH) of the National Library of Medicine, edition
2020/2021, changed; `scripts/vocabulary.py` makes both tables and says how.
"""

import gzip
import re
from collections.abc import Iterable
from functools import cache, lru_cache

from paper_search.bibliography.words import is_known
from paper_search.resources import PackageFiles
from paper_search.skills.words import is_unspaced, term_table, tokens

_HEADINGS, _PLURALS = "mesh.txt.gz", "plurals.txt.gz"
_SHORTEST = 3
"""Letters of a word that is put into the plural or taken out of it."""
_ENGLISH = re.compile(r"[A-Za-z][A-Za-z' -]*")


def variants(concept: str) -> list[str]:
    """Return what else the concept is called, most useful first, without the concept itself.

    A long concept is also looked at by its parts: in "graph neural networks for drugs" the known
    term is exchanged and the rest kept.
    """
    by_key = {concept.casefold(): concept}
    for variant in (*synonyms(concept), *spellings(concept)):
        by_key.setdefault(variant.casefold(), variant)
    return list(by_key.values())[1:]


def synonyms(concept: str) -> list[str]:
    """Return the other names of the concept in the built-in tables.

    English ones for every language; Chinese ones only for Chinese. A name that only adds words to
    the concept ("absence seizures" for "seizures") is none.
    """
    key = tuple(tokens(concept))
    is_english = not is_unspaced(concept)
    by_hand = [
        name
        for group in _groups().get(key, ())
        for name in group
        if not (is_english and is_unspaced(name))
    ]
    keys = {tuple(tokens(name)) for name in by_hand}
    by_heading = [
        name
        for name in entry_terms([concept, *_numbers(concept)])
        if tuple(tokens(name)) not in keys
    ]
    names = dict.fromkeys([*by_hand, *by_heading])
    return [name for name in names if not set(key).issubset(tokens(name))]


def spellings(concept: str) -> list[str]:
    """Return the concept in the other spelling, with and without hyphens, singular and plural.

    Only forms that somebody writes: their words are in the table of rarities or in a heading.
    """
    own = set(tokens(concept))
    forms = [
        form
        for form in (*_respelled(concept), *_hyphenated(concept))
        if all(token in own or is_known(token) or is_word(token) for token in tokens(form))
    ]
    if _ENGLISH.fullmatch(concept):
        forms += _numbers(concept)
    return forms


@cache
def _groups() -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the groups of the table by the stems of each name.

    Acronyms of two letters are not looked up: "MS" or "CV" mean too many things to guess.
    """
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group in term_table("synonyms"):
        for name in group:
            is_known = len(name) > 2 or name in {"RL", "AI", "QA", "TB", "3D"}  # noqa: PLR2004  # two letters
            key = tuple(tokens(name))
            if is_known and group not in groups.get(key, []):
                groups.setdefault(key, []).append(group)
    return groups


def _respelled(concept: str) -> list[str]:
    forms: list[str] = []
    lowered = concept.casefold()
    for american, british in term_table("spellings"):
        if british in lowered:
            forms.append(_swap(concept, british, american))
        elif american in lowered:
            forms.append(_swap(concept, american, british))
    return forms


def _hyphenated(concept: str) -> list[str]:
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
            if _begins_a_word(spelling, lowered):
                forms.append(_swap(concept, spelling, other))
    return forms


def _begins_a_word(part: str, text: str) -> bool:
    # The first look is enough for nearly all of the table.
    return part in text and re.search(rf"\b{re.escape(part)}", text) is not None


def _numbers(concept: str) -> list[str]:
    head, space, last = concept.rpartition(" ")
    noun = last.casefold()
    if len(last) < _SHORTEST or last.isupper():
        return []
    single = _singular(noun)
    if single != noun and has_plural(single):
        other = single
    elif has_plural(noun):
        other = plural(noun)
    else:
        return []
    return [f"{head}{space}{last[0]}{other[1:]}"]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "ics", "'s")):
        return word[:-1]
    return word


def plural(word: str) -> str:
    """Return the plural that English spelling makes of a word, whether or not anybody uses it."""
    if word.endswith("is"):
        return word[:-2] + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word + "s"


def _swap(text: str, old: str, new: str) -> str:
    return re.sub(re.escape(old), new, text, count=1, flags=re.IGNORECASE)


def is_known_term(name: str) -> bool:
    """Return whether the term is in the table, in any form; single words are not looked up."""
    stems = tuple(tokens(name))
    return len(stems) > 1 and stems in _groups() and not is_unspaced(name)


def is_heading(name: str) -> bool:
    """Return whether MeSH has the term, in the singular or the plural."""
    return bool(_line([name, *_numbers(name)]))


def heading(names: Iterable[str]) -> str | None:
    """Return the MeSH heading that the first of the names leads to, in small letters, or None."""
    line = _line(names)
    return line[0] if line else None


def entry_terms(names: Iterable[str]) -> list[str]:
    """Return what MeSH also calls the first of the names that it knows, the heading included."""
    return [_natural(name) for name in _line(names)]


def has_plural(noun: str) -> bool:
    return noun in _plurals()


def is_word(word: str) -> bool:
    table = _table()
    return any(f"{before}{word}{after}" in table for before in "| -" for after in "| -,")


def _natural(name: str) -> str:
    last, _, first = name.partition(", ")
    return f"{first} {last}" if first and ", " not in first else name.replace(",", "")


def _line(names: Iterable[str]) -> list[str]:
    for name in names:
        key = " ".join(name.casefold().split())
        if key and "|" not in key and (line := _line_with(key)):
            return line.split("|")
    return []


# A look through the text takes half a millisecond, an index a hundred times that; and the words of
# one question are looked for again and again.
@lru_cache(maxsize=1000)
def _line_with(key: str) -> str:
    table = _table()
    place = table.find(f"|{key}|")
    if place < 0:
        return ""
    start = table.rfind("\n", 0, place + 1) + 1
    return table[start : table.find("\n", place)].strip("|")


@cache
def _table() -> str:
    packed = PackageFiles("paper_search.skills").read(_HEADINGS)
    lines = gzip.decompress(packed).decode("ascii").splitlines(keepends=True)
    return "\n" + "".join(line for line in lines if not line.startswith("#"))


@cache
def _plurals() -> frozenset[str]:
    packed = PackageFiles("paper_search.skills").read(_PLURALS)
    return frozenset(gzip.decompress(packed).decode("ascii").split())
