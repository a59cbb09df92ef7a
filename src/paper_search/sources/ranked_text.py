"""Plain questions for services that rank whatever has any, or most, of the words.

What is sent are the words that say something about the subject: the rest of a question would
only be looked for. The condition of a ranked query is said in the service's own language where it
has one, else the answers are checked for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from paper_search.bibliography.rarities import OF_STOP_WORDS, rarity
from paper_search.bibliography.stemming import stem
from paper_search.errors import InputError
from paper_search.models import RankedQuery
from paper_search.query import And, Node, Or, Phrase, Term, normalise, parse

MOST_WORDS = 24
"""Words of a question that are sent; of more, the rarest. Services limit the length of a query."""
_MOST_TERMS = 5
"""Further terms that a service without weights is asked: those with the highest weights."""
_LONGEST_WORD = 60
_WORD = re.compile(r"[^\W_]+")


def content_words(text: str) -> list[str]:
    """Return the words of a text that say something about its subject, in order and lower case.

    Compounds fall apart at hyphens. A text of nothing but stop words keeps all its words.

    Raises:
        InputError: there are no words in it.
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    found = [word for word in _WORD.findall(folded) if len(word) <= _LONGEST_WORD]
    words = list(dict.fromkeys(found))
    if not words:
        raise InputError(f"the question {text[:100]!r} has no words that can be looked for")
    content = [word for word in words if _is_content(word)] or words
    return _rarest(content, MOST_WORDS)


def telling_words(words: Sequence[str], most: int) -> list[list[str]]:
    """Return the rarest words in their order, and then, to ask if nothing has them, one fewer.

    The rarest of all is what is left out: it may be misspelled, or a name that only the asker
    uses. A single word stays alone.
    """
    first = _rarest(words, most)
    fewer = [word for word in first if word not in _rarest(first, 1)]
    return [first, fewer] if fewer else [first]


def words_of(query: RankedQuery) -> list[str]:
    """Return the words to send to a service that looks for any of them.

    Raises:
        InputError: the question has no words.
    """
    further = (word for term in _terms(query) for word in content_words(term))
    return list(dict.fromkeys((*content_words(query.text), *further)))


def any_word(query: RankedQuery) -> Node:
    """Return the tree of what has any of the words or terms, and meets the condition.

    Raises:
        InputError: the question has no words, or the condition cannot be read.
    """
    further = (tuple(content_words(term)) for term in _terms(query))
    leaves = [
        *map(Term, content_words(query.text)),
        *(Phrase(words) if len(words) > 1 else Term(words[0]) for words in further),
    ]
    return with_condition(normalise(Or(tuple(leaves))), query)


def all_words(words: Iterable[str], query: RankedQuery) -> Node:
    """Return the tree of what has all of the words, and meets the condition of the query."""
    return with_condition(normalise(And(tuple(map(Term, words)))), query)


def with_condition(wanted: Node, query: RankedQuery) -> Node:
    """Return the tree of what is wanted and meets the condition of the query.

    Raises:
        InputError: the condition cannot be read.
    """
    condition = condition_of(query)
    return wanted if condition is None else normalise(And((wanted, condition)))


def condition_of(query: RankedQuery) -> Node | None:
    """Return the tree of the condition; None: there is none.

    Raises:
        InputError: it cannot be read.
    """
    return parse(query.condition) if query.condition.strip() else None


def _terms(query: RankedQuery) -> list[str]:
    """Return the further terms with the highest weights: what has a word is what is wanted."""
    wanted = [term for term, weight in query.terms.items() if weight > 0 and _WORD.search(term)]
    return sorted(wanted, key=lambda term: -query.terms[term])[:_MOST_TERMS]


def _is_content(word: str) -> bool:
    is_letter = len(word) == 1 and word.isascii()
    return not is_letter and min(rarity(word), rarity(stem(word))) > OF_STOP_WORDS


def _rarest(words: Sequence[str], most: int) -> list[str]:
    """Return at most so many words, the rarest, in their order; of equals the first."""
    chosen = sorted(words, key=lambda word: -rarity(stem(word)))[:most]
    return [word for word in words if word in chosen]
