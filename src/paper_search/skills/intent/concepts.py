"""The concepts of a question, and their alternatives."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from paper_search.bibliography.words import rarity
from paper_search.query.prose import SMALL_WORDS
from paper_search.skills.intent.forms import forms
from paper_search.skills.phrases import INSIDE, Phrase, is_adjective, phrases
from paper_search.skills.strategy.terms import stands_for
from paper_search.skills.variants import is_heading, is_known_term
from paper_search.skills.words import is_unspaced, tokens

MAX_CONCEPTS = 6
_LONGEST = 3
"""Words of a phrase; more without a function word are a list of words."""
_LETTER = re.compile(r" (?=[A-Z](?: |$))")
"""Before a letter that is part of a name: "vitamin C"."""
_NUMBER = re.compile(r"\d{1,4}(?:[+%]|[–-]\d{1,4})|0[.,]\d+")
"""Ages, spans and shares, which papers write otherwise."""
_COMMA = re.compile(r"\s*,\s*")
_BRACKET = re.compile(r"\s*\(\s*")
Group: TypeAlias = tuple[str, ...]
"""A concept, followed by its alternatives."""


@dataclass
class Concepts:
    """What a question is about.

    Attributes:
        names: the concepts in order; each is written in the question as it is here.
        alternatives: by concept, others that would do as well.
    """

    names: list[str] = field(default_factory=list)
    alternatives: dict[str, list[str]] = field(default_factory=dict)


def concepts_of(text: str, *, in_english: bool | None = None) -> Concepts:
    """Return at most `MAX_CONCEPTS` concepts, the rarest where there are more, and their "or"s."""
    noun_phrases = phrases(text, in_english=in_english)
    solid = [
        phrase for phrase in noun_phrases if not phrase.is_empty or _is_modifier(phrase, text)
    ] or noun_phrases
    is_list = SMALL_WORDS.isdisjoint(text.casefold().split())
    quoted = {phrase.text for phrase in solid if phrase.is_quoted}
    groups = [
        group
        for choice in _choices(solid, text)
        for group in ([tuple(choice)] if choice[0] in quoted else _groups(choice, is_list))
    ]
    return _selected(_distinct(groups))


def _choice(kind: str) -> re.Pattern[str]:
    return dict(forms("choice"))[kind]


def _is_modifier(phrase: Phrase, text: str) -> bool:
    return is_adjective(phrase.text) and _choice("or").match(text, phrase.end) is not None


def _choices(noun_phrases: Sequence[Phrase], text: str) -> list[list[str]]:
    choices: list[list[str]] = []
    is_listed = False
    before: Phrase | None = None
    for phrase in noun_phrases:
        joint = text[before.end : phrase.start] if before else ""
        if before and _is_or(joint, text, before.end, phrase.start):
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
    """Return whether the first phrase is what a choice is about: "city foxes, UK or Ireland"."""
    first, *others = (choice[0].split() for choice in choices)
    return len(others) == 1 and len(first) > len(others[0])


def _is_or(joint: str, text: str, start: int, end: int) -> bool:
    around = text[max(0, start - 20) : end + 20]
    return _choice("or").fullmatch(joint) is not None and not _choice("none").search(around)


def _with_shared_head(choice: list[str]) -> list[str]:
    """Return the choice with whole phrases: in "short or long delays" both are of delays."""
    *modifiers, last = choice
    head = last.partition(" ")[2]
    if modifiers and head and all(map(is_adjective, modifiers)):
        return [last, *(f"{word} {head}" for word in modifiers)]
    return choice


def _groups(choice: list[str], is_list: bool) -> Iterator[Group]:  # noqa: FBT001  # what the text is
    """Yield the groups of a choice; what is too long for a phrase is taken apart."""
    name = choice[0]
    if len(choice) > 1 or len(name.split()) <= _LONGEST or is_unspaced(name):
        yield tuple(dict.fromkeys(choice))
    else:
        for piece in pieces(name.split(), is_list=is_list):
            yield (piece,)


def pieces(words: Sequence[str], *, is_list: bool) -> list[str]:
    """Return the known terms among many words, and the words between them.

    Between the terms, a list is words; a noun phrase of a sentence is pairs of words, from its
    end, where its head is.
    """
    pieces: list[str] = []
    between: list[str] = []
    place = 0
    while place < len(words):
        lengths = range(min(_LONGEST + 1, len(words) - place), 1, -1)
        names = ((n, " ".join(words[place : place + n])) for n in lengths)
        size = next((n for n, name in names if is_known_term(name) or is_heading(name)), 0)
        if size:
            pieces += [*_between(between, is_list=is_list), " ".join(words[place : place + size])]
            between = []
        else:
            between.append(words[place])
        place += size or 1
    pieces += _between(between, is_list=is_list)
    return [piece for piece in pieces if not Phrase(piece, 0, 0).is_empty] or pieces


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


def _selected(groups: Sequence[Group]) -> Concepts:
    groups = [group for group in groups if not _NUMBER.fullmatch(group[0])] or groups
    ranked = sorted(groups, key=lambda group: -_weight(group[0]))[:MAX_CONCEPTS]
    selection = [group for group in groups if group in ranked]
    return Concepts(
        [name for name, *_ in selection], {name: others for name, *others in selection if others}
    )


def _weight(name: str) -> float:
    return sum(map(rarity, dict.fromkeys(tokens(name))))
