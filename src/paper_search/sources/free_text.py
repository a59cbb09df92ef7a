"""Boolean queries for services that rank by plain words and have no operators.

The words are sent, and the results are checked against the query: leniently for included words,
because such services match stems, strictly for excluded ones.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import reduce

from paper_search.bibliography.languages import language_code
from paper_search.errors import InputError
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import (
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    conditions_in,
    normalise,
    render,
)
from paper_search.query.ast import conjuncts, leaf_of, positive_leaves, rebuild
from paper_search.sources.adapter import Translated, translate_known_part
from paper_search.sources.dialect import without_years

_SHORT = 3
"""Letters of a word that is compared unstemmed, with and without an s."""


def to_free_text(tree: Node, filters: SearchConstraints, *, service: str) -> Translated:
    """Return the words to send, with the query as the check of the results.

    Years of query and filters are combined; the language is checked locally.
    """
    return translate_known_part(
        tree, lambda part: _to_free_text(part, filters, service), service=service
    )


def _to_free_text(tree: Node, filters: SearchConstraints, service: str) -> Translated:
    rest, first, last = without_years(conjuncts(tree), filters)
    leaves = list(positive_leaves(And(tuple(rest)))) if rest else []
    words = dict.fromkeys(word for leaf in leaves for word in _words(leaf))
    if not words:
        raise InputError("the query only excludes: add what to search for")
    note = f"{service} ranks plain words; the results are checked against the query"
    is_single = all(isinstance(part, Term) and not part.is_prefix for part in rest) and (
        len(rest) == 1 and not getattr(rest[0], "field", None)
    )
    return Translated(
        " ".join(words),
        () if is_single else (note,),
        None if is_single else normalise(lenient(And(tuple(rest)), _inflections)),
        first,
        last,
        language_code(filters.language),
    )


def to_ranked_text(
    words: Iterable[str], query: RankedQuery, filters: SearchConstraints
) -> Translated:
    """Return the words to send, with the conditions as the check of the results.

    Years of conditions and filters are combined; the language is checked locally.
    """
    text = " ".join(words)
    if not text:
        raise InputError(f"the question {query.text[:100]!r} contains no searchable words")
    rest, first, last = without_years(conditions_in(filters.every_condition), filters)
    check = normalise(And(tuple(rest))) if rest else None
    return Translated(
        text,
        (f"{render(check)} is checked in the results",) if check else (),
        normalise(lenient(check)) if check else None,
        first,
        last,
        language_code(filters.language),
    )


def lenient(
    node: Node, forms: Callable[[Term], Node] | None = None, *, is_wanted: bool = True
) -> Node:
    """Return the tree with other forms of included words, by default all with the same stem.

    `forms` returns fewer forms: a condition must not lose relevant records, but a query for rats
    must not find "rates".
    """
    match node:
        case Term():
            return (forms or _stem)(node) if is_wanted else node
        case Phrase(words, field) if is_wanted:
            sides = (lenient(leaf_of((word,), field), forms) for word in words)
            return reduce(lambda left, right: Near(left, right, 0, is_ordered=True), sides)
        case Near() if not is_wanted:
            return node
        case _:
            is_turned = isinstance(node, Not)
            return rebuild(
                node, lambda part: lenient(part, forms, is_wanted=is_wanted != is_turned)
            )


def _stem(term: Term) -> Node:
    if term.is_prefix:
        return term
    stem = _stem_of(term.text)
    if stem is not None:
        return replace(term, text=stem.rstrip("*"), is_prefix=True)
    if len(term.text) == _SHORT and term.text.isalpha():
        return Or((term, replace(term, text=f"{term.text}s")))
    return term


_ENDINGS = {
    "": ("", "s", "es", "ed", "ing"),
    "s": ("", "s", "ses", "es", "ed", "ing"),
    "es": ("", "e", "es", "ed", "ing", "is"),
    "e": ("e", "es", "ed", "ing"),
    "y": ("y", "ys", "ies", "ied", "yed", "ying"),
    "ies": ("y", "ie", "ies", "ied", "ying"),
}
"""Endings of the forms of a word, by its own ending."""


def _inflections(term: Term) -> Node:
    """Return the inflections of a word (number and tense), but no derived words."""
    word, cut = term.text.lower(), _stem_of(term.text)
    if term.is_prefix or cut is None:
        return _stem(term)
    stem = cut.removesuffix("*")
    doubled = f"{stem}{stem[-1]}"
    forms = [stem + ending for ending in _ENDINGS[word.removeprefix(stem)]]
    every = dict.fromkeys([*forms, f"{doubled}ed", f"{doubled}ing"])
    return Or(tuple(replace(term, text=form) for form in every))


def _stem_of(word: str) -> str | None:
    """Return the word without its ending and with '*'; None if it is too short, or no English."""
    bare = word.lower()
    if word.endswith("*") or len(bare) <= _SHORT or not (bare.isascii() and bare.isalpha()):
        return None
    for ending, shortest in (("ies", 6), ("es", 6), ("y", 5), ("e", 5)):
        if bare.endswith(ending) and len(bare) >= shortest:
            return f"{bare[: -len(ending)]}*"
    if bare.endswith("s") and not bare.endswith(("ss", "is", "us")):
        bare = bare[:-1]
    return f"{bare}*"


def _words(leaf: Term | Phrase) -> Iterator[str]:
    texts = (leaf.text,) if isinstance(leaf, Term) else leaf.words
    for text in texts:
        yield from "".join(c if c.isalnum() else " " for c in text).split()
