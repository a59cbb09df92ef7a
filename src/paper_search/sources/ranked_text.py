"""Plain-text questions for services that match any or most of the words.

Only content words are sent, because services would match the other words, too. Conditions of the
limits are sent in the service's dialect if it has one; otherwise the results are checked.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from paper_search.bibliography.text import WORD
from paper_search.bibliography.words import OF_STOP_WORDS, rarity, stem
from paper_search.errors import InputError
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import And, Node, Not, Or, Phrase, Term, conditions_in, normalise
from paper_search.query.ast import all_leaves, leaf_of

MOST_WORDS = 24
"""Rarest words of a question that are sent. Services limit the length of a query."""
_MOST_TERMS = 5
"""Further terms that are sent: those with the highest weights."""
_LONGEST_WORD = 60
_COMPOUND = re.compile(rf"{WORD.pattern}(?:-{WORD.pattern})*")


def content_words(text: str) -> list[str]:
    """Return the content words of a text in lower case; all words if there are only stop words.

    Compounds stay whole: "few-shot" is not "shot".
    """
    folded = unicodedata.normalize("NFKC", text).lower().replace("\u2010", "-")
    words = list(
        dict.fromkeys(word for word in _COMPOUND.findall(folded) if len(word) <= _LONGEST_WORD)
    )
    return _rarest([word for word in words if _is_content(word)] or words, MOST_WORDS)


def rarest_words(words: Sequence[str], most: int) -> list[list[str]]:
    """Return the rarest words in order, then a fallback without the rarest one.

    The rarest word may be misspelled or a private name. A single word is no fallback.
    """
    first = _rarest(words, most)
    fewer = [word for word in first if word not in _rarest(first, 1)]
    return [first, fewer] if len(fewer) > 1 else [first]


def words_of(query: RankedQuery) -> list[str]:
    further = (word for term in _terms(query) for word in term)
    return list(dict.fromkeys((*content_words(query.text), *further)))


def any_word(query: RankedQuery, filters: SearchConstraints) -> Node:
    leaves = [*map(Term, content_words(query.text)), *map(leaf_of, map(tuple, _terms(query)))]
    return _tree_of([Or(tuple(leaves))] if leaves else [], query, filters)


def all_words(words: Iterable[str], query: RankedQuery, filters: SearchConstraints) -> Node:
    return _tree_of([Term(word) for word in words], query, filters)


def _tree_of(parts: list[Node], query: RankedQuery, filters: SearchConstraints) -> Node:
    parts += conditions_in(filters.every_condition)
    if not parts:
        raise InputError(f"the question {query.text[:100]!r} contains no searchable words")
    return normalise(And(tuple(parts)))


def author_names(filters: SearchConstraints) -> list[str]:
    conditions = conditions_in(filters.every_condition)
    groups = [list(all_leaves(part)) for part in conditions if not isinstance(part, Not)]
    of_authors = [group for group in groups if {leaf.field for leaf in group} == {"author"}]
    authors = [leaf for group in of_authors for leaf in group]
    names = (leaf.words if isinstance(leaf, Phrase) else (leaf.text,) for leaf in authors)
    return list(dict.fromkeys(word for name in names for word in name))


def _terms(query: RankedQuery) -> list[list[str]]:
    """Return the words of the further terms with the highest positive weights.

    Negative terms are not excluded, because relevant records may have such words.
    """
    by_weight = sorted(query.terms, key=lambda term: -query.terms[term])
    terms = [content_words(term) for term in by_weight if query.terms[term] > 0]
    return [words for words in terms if any(map(_is_content, words))][:_MOST_TERMS]


def _is_content(word: str) -> bool:
    parts = [part for part in WORD.findall(word) if len(part) > 1 or not part.isascii()]
    return any(min(rarity(part), rarity(stem(part))) > OF_STOP_WORDS for part in parts)


def _rarest(words: Sequence[str], most: int) -> list[str]:
    """Return the `most` rarest words in order; of equally rare ones the first."""
    rarest = sorted(
        words, key=lambda word: -max(rarity(stem(part)) for part in WORD.findall(word))
    )[:most]
    return [word for word in words if word in rarest]
