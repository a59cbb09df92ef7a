"""Terms of titles and abstracts, and those that are typical of the first results."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from paper_search.bibliography.words import rarity, stem
from paper_search.skills.untrusted import visible
from paper_search.skills.words import STOP_WORDS, is_unspaced, tokens

Term: TypeAlias = tuple[str, ...]
"""One or two stems."""

_BREAKS = re.compile(r"\b(?:https?://|www\.)\S+|[^\w\s'’-]+|\s-+\s")
"""Breaks between runs of words; a URL is a break as a whole."""
_WORD = re.compile(r"([^\W_]+)(?:['’]\w*)?(-?)")
_INNER_CAPITAL = re.compile(r"\w[A-Z]")
_SHORTEST, _LONGEST = 3, 30
_LONGEST_UNSPACED = 6
"""Longest word of a script without spaces."""


class Word(NamedTuple):
    """A content word; `joint` is the hyphen or space before the next word."""

    stem: str
    written: str
    joint: str


def runs(text: str) -> list[list[Word]]:
    """Return the content words of a text, in runs between stop words and punctuation."""
    result: list[list[Word]] = []
    for part in _BREAKS.split(visible(text)):
        result.append([])
        for word, hyphen in _WORD.findall(part):
            if _is_content(word):
                result[-1].append(Word(stem(word.casefold()), lower_words(word), hyphen or " "))
            else:
                result.append([])
    return [run for run in result if run]


@dataclass
class TermCounts:
    """Document frequencies of terms, and their spellings."""

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


def lower_words(text: str) -> str:
    """Return the words in lower case, except those with an inner capital, such as DNA."""
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
"""Log-likelihood for p = 0.001 (chi-squared, one degree of freedom)."""


def suggest_terms(
    texts: Iterable[str], texts_in_use: Sequence[str] = (), *, limit: int = 12
) -> list[tuple[str, int]]:
    """Return the terms that are typical of these texts, with the number of texts that have them.

    Words and pairs of adjacent words are ranked by Dunning's log-likelihood against their frequency
    in scholarly records; a pair counts as its rarer word. A word that occurs mostly in such a pair
    is omitted, as are terms with words of `texts_in_use` only. Acronyms of terms in use, and the
    long forms of acronyms in use, come first.
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
    """Yield acronyms and long forms of covered terms, with the number of texts that have them."""
    for short, long in long_forms(texts).items():
        has_short, has_long = (covered.issuperset(tokens(form)) for form in (short, long))
        if has_short != has_long:
            form = long if has_short else short
            phrase = f" {' '.join(tokens(form))} "
            yield form, sum(phrase in f" {' '.join(tokens(text))} " for text in texts)


def _keyness(count: int, texts: int, term: Term) -> float:
    """Return the log-likelihood of a count; negative if the term is rarer than elsewhere."""
    share = 10 ** -max(map(rarity, term))
    rest = texts - count
    likelihood = count * math.log(count / (texts * share))
    if rest:
        likelihood += rest * math.log(rest / (texts * (1 - share)))
    return math.copysign(2 * likelihood, count - texts * share)


def _without_parts(ranked: Sequence[Term], term_counts: TermCounts, limit: int) -> list[Term]:
    """Return the first terms; a pair replaces words that occur mostly in it."""
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
    """Return acronyms with their long forms, the most frequent first.

    The algorithm is that of Schwartz and Hearst (2003), "A simple algorithm for identifying
    abbreviation definitions in biomedical text", for "long form (LF)" and "LF (long form)". An
    acronym gets its most frequent long form; its plural counts as the acronym.
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
            yield (short[:-1] if is_plural else short), lower_words(long)


def stands_for(short: str, long: str) -> bool:
    return _is_acronym(short) and long_form(short, long) is not None


def long_form(short: str, before: str) -> str | None:
    """Return the end of the text that is the long form of an acronym, if any.

    The letters of the acronym are matched in order from the right, the first one at the start of a
    word.
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
    """Whether the text is a short word with at least two capitals, or a capital and a digit."""
    signs = sum(char.isupper() or char.isdigit() for char in text)
    return signs > 1 and any(char.isupper() for char in text) and _SHORT.fullmatch(text) is not None
