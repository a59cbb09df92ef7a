"""The concepts of a question, and their alternatives."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from paper_search.bibliography.words import rarity
from paper_search.query.prose import SMALL_WORDS
from paper_search.skills.intent.forms import form
from paper_search.skills.phrases import INSIDE, Phrase, is_adjective, phrases
from paper_search.skills.strategy.terms import stands_for
from paper_search.skills.variants import is_heading, is_known_term, is_topic
from paper_search.skills.words import is_unspaced, tokens

MAX_CONCEPTS = 6
_LONGEST = 3
"""In words; a longer phrase without function words is a list of words."""
_LETTER = re.compile(r" (?=[A-Z](?: |$))")
"""The space in a name such as "vitamin C"."""
_NUMBER = re.compile(r"\d{1,4}(?:[+%]|[–-]\d{1,4})|0[.,]\d+")
"""Ages, spans and shares, which papers write in other ways."""
_COMMA = re.compile(r"\s*,\s*")
_BRACKET = re.compile(r"\s*\(\s*")
Group: TypeAlias = tuple[str, ...]
"""A concept, followed by its alternatives."""


def concepts_of(text: str, *, in_english: bool | None = None) -> dict[str, list[str]]:
    """Return the `MAX_CONCEPTS` rarest concepts, with alternatives by "or" or in brackets."""
    noun_phrases = phrases(text, in_english=in_english)
    solid = [
        phrase
        for phrase in noun_phrases
        if not phrase.is_empty
        or (is_adjective(phrase.text) and form("choice", "or").match(text, phrase.end))
    ] or noun_phrases
    is_list = SMALL_WORDS.isdisjoint(text.casefold().split())
    quoted = {phrase.text for phrase in solid if phrase.is_quoted}
    groups: list[Group] = []
    for name, *others in _choices(solid, text):
        is_phrase = len(name.split()) <= _LONGEST or name in quoted or is_unspaced(name)
        if others or is_phrase:
            groups.append((name, *others))
        else:
            groups += [(piece,) for piece in pieces(name.split(), is_list=is_list)]
    return _rarest(_distinct(groups))


def _choices(noun_phrases: Sequence[Phrase], text: str) -> list[list[str]]:
    choices: list[list[str]] = []
    is_listed = False
    before: Phrase | None = None
    for phrase in noun_phrases:
        joint = text[before.end : phrase.start] if before else ""
        if before and _is_or(text, before.end, phrase.start):
            if is_listed and len(choices) > 1 and not _is_topic(choices):
                last = choices.pop()
                choices[-1] += last
            choices[-1].append(phrase.text)
            is_listed = False
        elif before and _BRACKET.fullmatch(joint) and stands_for(phrase.text, before.text):
            choices[-1].append(phrase.text)
        else:
            is_listed = _COMMA.fullmatch(joint) is not None
            choices.append([phrase.text])
        before = phrase
    return [_with_shared_head(choice) for choice in choices]


def _is_topic(choices: Sequence[list[str]]) -> bool:
    """Whether the first phrase is the topic rather than a choice: "city foxes, UK or Ireland"."""
    first, *others = (choice[0].split() for choice in choices)
    return len(others) == 1 and len(first) > len(others[0])


def _is_or(text: str, start: int, end: int) -> bool:
    is_none = form("choice", "none").search(text[max(0, start - 20) : end + 20])
    return form("choice", "or").fullmatch(text, start, end) is not None and not is_none


def _with_shared_head(choice: list[str]) -> list[str]:
    """Complete the phrases of a choice: "short or long delays" are short delays or long delays."""
    *modifiers, last = choice
    head = last.partition(" ")[2]
    if modifiers and head and all(map(is_adjective, modifiers)):
        return [last, *(f"{word} {head}" for word in modifiers)]
    return choice


def pieces(words: Sequence[str], *, is_list: bool) -> list[str]:
    """Split many words into names and the words between them.

    Names come from our lists and MeSH, then from OpenAlex's topics. Between them, a list is split
    into words, and a noun phrase into pairs of words from its end, where its head is.
    """
    pieces = [
        piece
        for run, is_name in _cut(words, _LONGEST + 1, lambda n: is_known_term(n) or is_heading(n))
        for part, is_term in ([(run, True)] if is_name else _cut(run, _LONGEST, is_topic))
        for piece in ([" ".join(part)] if is_term else _between(part, is_list=is_list))
    ]
    return [piece for piece in pieces if not Phrase(piece, 0, 0).is_empty] or pieces


def _cut(
    words: Sequence[str], longest: int, is_name: Callable[[str], bool]
) -> Iterator[tuple[Sequence[str], bool]]:
    start = place = 0
    while place < len(words):
        sizes = range(min(longest, len(words) - place), 1, -1)
        size = next((n for n in sizes if is_name(" ".join(words[place : place + n]))), 0)
        if size:
            yield words[start:place], False
            yield words[place : place + size], True
            start = place + size
        place += size or 1
    yield words[start:], False


def _between(words: Sequence[str], *, is_list: bool) -> list[str]:
    if is_list:
        text = _LETTER.sub(INSIDE, " ".join(words))
        return [word.replace(INSIDE, " ") for word in text.split()]
    start = len(words) % 2
    pairs = [" ".join(words[place : place + 2]) for place in range(start, len(words), 2)]
    return [*words[:start], *pairs]


def _distinct(groups: Sequence[Group]) -> list[Group]:
    stems = [frozenset(tokens(group[0])) for group in groups]
    by_stems: dict[frozenset[str], Group] = {}
    for group, own in zip(groups, stems, strict=True):
        is_part = len(group) == 1 and any(own < other for other in stems)
        if not is_part or not own:
            by_stems[own] = tuple(dict.fromkeys((*by_stems.get(own, ()), *group)))
    return list(by_stems.values())


def _rarest(groups: Sequence[Group]) -> dict[str, list[str]]:
    groups = [group for group in groups if not _NUMBER.fullmatch(group[0])] or groups
    weights = {group: sum(map(rarity, dict.fromkeys(tokens(group[0])))) for group in groups}
    ranked = sorted(groups, key=lambda group: -weights[group])[:MAX_CONCEPTS]
    return {name: others for name, *others in groups if (name, *others) in ranked}
