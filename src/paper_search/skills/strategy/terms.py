"""Terms of titles and abstracts, and those that mark first results off."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from paper_search.bibliography.words import rarity
from paper_search.skills.untrusted import visible
from paper_search.skills.words import STOP_WORDS, is_unspaced, stem, tokens

Term: TypeAlias = tuple[str, ...]
"""One or two stems."""

_BREAKS = re.compile(r"\b(?:https?://|www\.)\S+|[^\w\s'’-]+|\s-+\s")
"""What ends a run of words; the parts of an address are none."""
_WORD = re.compile(r"([^\W_]+)(?:['’]\w*)?(-?)")
_INNER_CAPITAL = re.compile(r"\w[A-Z]")
_SHORTEST, _LONGEST = 3, 30
_LONGEST_UNSPACED = 6
"""Most characters of a run without spaces that counts as a word."""


class Word(NamedTuple):
    """A content word as it counts and as it was written."""

    stem: str
    written: str
    joint: str
    """What joins it to the next one: a hyphen or a space."""


def runs(text: str) -> list[list[Word]]:
    """Return the content words of a text, a list for what no stop word or sign interrupts."""
    result: list[list[Word]] = []
    for part in _BREAKS.split(visible(text)):
        result.append([])
        for word, hyphen in _WORD.findall(part):
            if _is_content(word):
                result[-1].append(Word(stem(word.casefold()), lowered(word), hyphen or " "))
            else:
                result.append([])
    return [run for run in result if run]


@dataclass
class TermCounts:
    """In how many texts terms stand, and how they are written there."""

    texts: int = 0
    counts: Counter[Term] = field(default_factory=Counter)
    _written: dict[Term, Counter[str]] = field(default_factory=dict)

    def spelling(self, term: Term) -> str:
        forms = self._written[term]
        return min(forms, key=lambda form: (-forms[form], form != form.casefold(), form))

    def add(self, text: str) -> None:
        self.texts += 1
        present: dict[Term, str] = {}
        for run in runs(text):
            for position, word in enumerate(run):
                present.setdefault((word.stem,), word.written)
                for after in run[position + 1 : position + 2]:
                    pair = f"{word.written}{word.joint}{after.written}"
                    present.setdefault((word.stem, after.stem), pair)
        self.counts.update(present.keys())
        for term, form in present.items():
            self._written.setdefault(term, Counter())[form] += 1


def lowered(text: str) -> str:
    """Return the words in small letters, but for those with a capital inside, such as DNA."""
    words = (word if _INNER_CAPITAL.search(word) else word.casefold() for word in text.split())
    return " ".join(words)


def _is_content(word: str) -> bool:
    if word.casefold() in STOP_WORDS or not any(char.isalpha() for char in word):
        return False
    if is_unspaced(word):
        return 1 < len(word) <= _LONGEST_UNSPACED
    return _SHORTEST <= len(word) <= _LONGEST


_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_SENTENCE = re.compile(r"[.;:!?](?=\s)|[()\[\]]")
_SHORT = re.compile(r"[^\W_][\w-]{1,9}")
_SIGNIFICANT = 10.83
"""A log-likelihood that chance exceeds once in a thousand (chi-squared, one degree)."""


def suggest_terms(
    texts: Iterable[str], texts_in_use: Sequence[str] = (), *, limit: int = 12
) -> list[tuple[str, int]]:
    """Return the terms that mark these texts off, with the number of texts that have them.

    Words, and pairs of words that stand together, by Dunning's log-likelihood beside how common
    they are in scholarly records; a pair is as common as its rarer word. A word that stands mostly
    in one of the pairs is not given again. First of all come the acronyms of what is asked for, and
    what asked acronyms stand for, where a text says so. Terms of nothing but words of
    `texts_in_use` are left out.
    """
    texts = list(texts)
    term_counts = TermCounts()
    for text in texts:
        term_counts.add(text)
    covered = {token for text in texts_in_use for token in tokens(text)}
    scored = {
        term: keyness
        for term, count in term_counts.counts.items()
        if count > 1
        and not covered.issuperset(term)
        and (keyness := _keyness(count, term_counts.texts, term)) > _SIGNIFICANT
    }
    ranked = sorted(scored, key=lambda term: (-scored[term], -len(term), term))
    terms = _without_parts(ranked, term_counts, limit)
    suggestions = dict(_other_forms(texts, covered))
    for term in terms:
        suggestions.setdefault(term_counts.spelling(term), term_counts.counts[term])
    return list(suggestions.items())[:limit]


def _other_forms(texts: Sequence[str], covered: set[str]) -> Iterator[tuple[str, int]]:
    """Yield acronyms and long forms of what is covered, with the number of texts that have them."""
    for short, long in long_forms(texts).items():
        has_short, has_long = (covered.issuperset(tokens(form)) for form in (short, long))
        if has_short != has_long:
            form = long if has_short else short
            phrase = f" {' '.join(tokens(form))} "
            yield form, sum(phrase in f" {' '.join(tokens(text))} " for text in texts)


def _keyness(count: int, texts: int, term: Term) -> float:
    """Return the log-likelihood of the count; below 0 where the term is rarer than elsewhere."""
    share = 10 ** -max(map(rarity, term))
    rest = texts - count
    likelihood = count * math.log(count / (texts * share))
    if rest:
        likelihood += rest * math.log(rest / (texts * (1 - share)))
    return math.copysign(2 * likelihood, count - texts * share)


def _without_parts(ranked: Sequence[Term], term_counts: TermCounts, limit: int) -> list[Term]:
    """Return the first terms; a pair replaces those of its words that it mostly explains."""
    counts = term_counts.counts
    pairs = [term for term in ranked if len(term) > 1]
    terms: list[Term] = []
    for term in ranked:
        is_explained = any(
            part in pair and counts[pair] * 2 >= counts[term] for part in term for pair in pairs
        )
        overlaps = any(set(term) & set(other) for other in terms)
        if not (is_explained if len(term) == 1 else overlaps):
            terms.append(term)
    return terms[:limit]


def long_forms(texts: Iterable[str]) -> dict[str, str]:
    """Return acronyms with what they stand for, those of most texts first.

    The algorithm of Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation
    definitions in biomedical text".

    Understood are "long form (LF)" and "LF (long form)". An acronym with several long forms has
    the one of most texts; the plural of an acronym counts as the acronym.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        pairs.update(set(_definitions(text)))
    by_acronym: dict[str, str] = {}
    for (short, long), _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        by_acronym.setdefault(short, long)
    return by_acronym


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    for bracket in _BRACKETS.finditer(text):
        inside = re.split(r"[;,]", bracket[1])[0].strip()
        before = _SENTENCE.split(text[: bracket.start()])[-1].split()
        if not before:
            continue
        if _is_acronym(inside):
            long = long_form(inside, " ".join(before))
            short = inside
        elif _is_acronym(before[-1]):
            long = long_form(before[-1], inside)
            short = before[-1]
        else:
            continue
        if long is not None:
            is_plural = short.endswith("s") and short[:-1].isupper()
            yield (short[:-1] if is_plural else short), lowered(long)


def stands_for(short: str, long: str) -> bool:
    """Return whether a text is an acronym of the words before it."""
    return _is_acronym(short) and long_form(short, long) is not None


def long_form(short: str, before: str) -> str | None:
    """Return the end of the text that an acronym stands for; None if it does not.

    Every letter of the acronym is found in order, from the right, its first one at the start of
    a word.
    """
    most = min(len(short) + 5, 2 * len(short))
    text = " ".join(before.split()[-most:])
    place = len(text)
    for position in range(len(short) - 1, -1, -1):
        letter = short[position].casefold()
        if not letter.isalnum():
            continue
        place -= 1
        while place >= 0 and not (
            text[place].casefold() == letter
            and (position > 0 or place == 0 or not text[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
    result = text[text.rfind(" ", 0, place) + 1 :].strip(" -\"'“”‘’,")
    is_longer = len(result) > len(short) and short.casefold() not in result.casefold().split()
    return result if is_longer else None


def _is_acronym(text: str) -> bool:
    """Whether the text is one short word with at least two capitals, or a capital and a digit."""
    signs = sum(char.isupper() or char.isdigit() for char in text)
    return signs > 1 and any(char.isupper() for char in text) and _SHORT.fullmatch(text) is not None
