"""DBLP (https://dblp.org/faq/How+to+use+the+dblp+search+API.html); needs no key.

DBLP searches titles, names and venues for prefixes, all of which must occur, with alternatives as
`a|b`. It has no phrases, NOT, parentheses or years: a query becomes a conjunction of alternatives
that finds at least its records, and the rest is checked in the results.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, ClassVar, TypeAlias

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import WORD, plain
from paper_search.errors import InputError
from paper_search.models import Author, RawPaper, SearchConstraints, SourceStatus
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, YearRange, normalise
from paper_search.query.ast import conjuncts, parts, rebuild
from paper_search.sources.adapter import Adapter, Paging, Translated, translate_known_part
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import Entry, Table, first, values_at
from paper_search.sources.values import address, mapping, text, without_stop

_TOO_MANY = "429"
_BROAD_PAGE = 500
"""Records on a page if many will be removed."""
_Clause: TypeAlias = frozenset[str]
_MOST_CLAUSES = 24
"""Limit for distributing an OR of groups; a larger one is widened."""
_SEARCHED = ("title", "author", "venue")
NAME = "dblp"
_NAMESAKE = re.compile(r"(?<!\s)\s+\d{4}$")
"""The number that distinguishes people of one name: "Xiaopeng Zhang 0009"."""
_TYPES = {
    "journal articles": "article-journal", "conference and workshop papers": "paper-conference",
    "informal and other publications": "article", "informal publications": "article",
    "books and theses": "book", "parts in books or collections": "chapter", "editorship": "book",
    "reference works": "entry", "data and artifacts": "dataset",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Clauses:
    """Clauses of which one word each must occur, and whether they express the whole query."""

    clauses: tuple[_Clause, ...]
    is_exact: bool


_ANYTHING = _Clauses((), is_exact=False)


def _to_dblp(tree: Node, filters: SearchConstraints) -> Translated:
    if filters.year_from is not None or filters.year_to is not None:
        tree = And((tree, YearRange(filters.year_from, filters.year_to)))
    tree = normalise(tree)
    pairs = [(part, _clauses(part)) for part in conjuncts(tree)]
    clauses = _shortest(clause for _, clause_set in pairs for clause in clause_set.clauses)
    if not clauses:
        raise InputError("DBLP searches by words only: give at least one required word")
    text = " ".join("|".join(sorted(clause)) for clause in clauses)
    rest = tuple(
        _local_check(part, is_wanted=True) for part, clause_set in pairs if not clause_set.is_exact
    )
    return Translated(
        text, tuple(dict.fromkeys(_notes(tree))), normalise(And(rest)) if rest else None
    )


def _clauses(node: Node) -> _Clauses:  # noqa: PLR0911  # one case per kind of node
    match node:
        case Term(text, field) if field in {None, "title", "tiab"}:
            return _Clauses(_words(text), is_exact=len(_words(text)) == 1)
        case Term() | Phrase() if node.field == "abstract":
            return _ANYTHING
        case Term(text):
            return _Clauses(_words(text), is_exact=False)
        case Phrase(words):
            return _Clauses(_words(" ".join(words)), is_exact=False)
        case And(children):
            return _all([_clauses(child) for child in children])
        case Or(children):
            return _any([_clauses(child) for child in children])
        case Near(left, right):
            return replace(_all([_clauses(left), _clauses(right)]), is_exact=False)
        case _:
            return _ANYTHING


def _words(text: str) -> tuple[_Clause, ...]:
    return tuple(frozenset({word.lower()}) for word in WORD.findall(text))


def _all(parts: Sequence[_Clauses]) -> _Clauses:
    clauses = tuple(clause for part in parts for clause in part.clauses)
    return _Clauses(clauses, all(part.is_exact for part in parts))


def _any(parts: Sequence[_Clauses]) -> _Clauses:
    """Distribute: (a AND b) OR c is (a OR c) AND (b OR c)."""
    is_exact = all(part.is_exact for part in parts)
    sides = [part.clauses for part in parts]
    if prod(map(len, sides)) <= _MOST_CLAUSES:
        unions = (frozenset().union(*choice) for choice in product(*sides))
        return _Clauses(tuple(dict.fromkeys(unions)), is_exact)
    rarest = [max(side, key=lambda clause: max(map(len, clause))) for side in sides if side]
    return _Clauses((frozenset().union(*rarest),), is_exact=False)


def _shortest(clauses: Iterable[_Clause]) -> list[_Clause]:
    distinct = list(dict.fromkeys(clauses))
    return [one for one in distinct if not any(other < one for other in distinct)]


def _local_check(node: Node, *, is_wanted: bool) -> Node:
    """Return the node to check in a record of DBLP, which has no abstract.

    Included words are prefixes, as in DBLP itself; excluded words are not.
    """
    match node:
        case Term() | Phrase() if node.field == "tiab":
            return _local_check(replace(node, field="title"), is_wanted=is_wanted)
        case Term() | Phrase() if node.field is None:
            fields = (replace(node, field=field) for field in _SEARCHED)
            return Or(tuple(_local_check(name, is_wanted=is_wanted) for name in fields))
        case Term() if is_wanted:
            return replace(node, is_prefix=True)
        case Phrase(words) if is_wanted:
            return replace(node, words=(*words[:-1], f"{words[-1].rstrip('*')}*"))
        case Near():
            return Or(tuple(_in_field(node, field) for field in _SEARCHED))
        case _:
            is_turned = isinstance(node, Not)
            return rebuild(node, lambda part: _local_check(part, is_wanted=is_wanted != is_turned))


def _in_field(side: Node, field: str) -> Node:
    if isinstance(side, Term | Phrase):
        own = "title" if side.field == "tiab" else side.field
        return replace(side, field=own or field)
    return rebuild(side, lambda part: _in_field(part, field))


_NOTES = {
    Phrase: "phrases are checked in the results: DBLP has none",
    Not: "NOT is applied to the results: DBLP has none",
    Near: "NEAR is checked in the results: DBLP has none",
    YearRange: "years are checked in the results: DBLP has no filter for them",
}


def _notes(tree: Node) -> Iterator[str]:
    if type(tree) in _NOTES:
        yield _NOTES[type(tree)]
    if getattr(tree, "field", None) in {"abstract", "tiab"}:
        yield "abstract: is ignored: DBLP has no abstracts"
    for part in parts(tree):
        yield from _notes(part)


def _link(entry: Entry) -> list[str]:
    return [*filter(None, map(address, values_at(entry, "ee")))]


def _arxiv_id(entry: Entry) -> str | None:
    doi = parse_doi(first(entry, "doi"))
    if doi and doi.startswith("10.48550/"):
        return parse_arxiv_id(doi)
    if first(entry, "venue") == "CoRR":
        return parse_arxiv_id((first(entry, "volume") or "").removeprefix("abs/"))
    return next((parse_arxiv_id(link) for link in _link(entry) if "arxiv.org/" in link), None)


def _full_text(entry: Entry) -> str | None:
    """Return the link to the text; other links are landing pages."""
    if arxiv_id := _arxiv_id(entry):
        return f"https://arxiv.org/pdf/{arxiv_id}"
    return next((link for link in _link(entry) if link.lower().endswith(".pdf")), None)


def _type(entry: Entry) -> str | None:
    is_thesis = (first(entry, "key") or "").startswith(("phd/", "ms/"))
    return "thesis" if is_thesis else _TYPES.get((first(entry, "type") or "").lower())


def _person(person: Any) -> Author | None:
    entry = person if isinstance(person, dict) else {"text": person}
    name = _NAMESAKE.sub("", plain(text(entry.get("text"))))
    return author_named(name, text(entry.get("@pid")) or None) if name else None


_INFO = Table(
    prefix=NAME,
    key="key",
    fields={
        "title": ("title", lambda title: without_stop(plain(title))),
        "authors": lambda entry: [*filter(None, map(_person, values_at(entry, "authors.author")))],
        **{name: name for name in ("year", "venue", "volume", "pages", "publisher")},
        "doi": "doi|ee",
        "arxiv_id": _arxiv_id,
        "issue": "number",
        "publication_type": _type,
        "is_retracted": ("type", lambda kind: True if "withdrawn" in kind.lower() else None),
        "url": "ee|url",
        "full_text_url": _full_text,
    },
)


def record_of_hit(hit: Entry) -> RawPaper | None:
    return _INFO.read(mapping(hit).get("info"))


class Dblp(Adapter):
    """Computer science: titles, authors and venues; no abstracts or citations."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "DBLP"
    caveat: ClassVar[str] = "blocks most programs with a page for people"
    longest_line: ClassVar[int] = 8190

    ranks_text: ClassVar[bool] = True
    most_words: ClassVar[int | None] = 3
    """All of them must occur in a title or name."""
    page_size = 100
    most_results = 10_000
    endpoint = "https://dblp.org/search/publ/api"
    entries: ClassVar[str] = "result.hits.hit"
    answered: ClassVar[str] = "result.hits"
    hits: ClassVar[str] = "result.hits.@total"
    paging: ClassVar[Paging | None] = Paging("f")
    size_param = "h"
    usual_params: ClassVar[Mapping[str, str | int]] = {"format": "json", "f": 0, "c": 0}
    record = staticmethod(record_of_hit)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        translation = translate_known_part(
            tree, lambda part: _to_dblp(part, filters), service="DBLP", fields=("tiab",)
        )
        if not filters.language:
            return translation
        note = "DBLP has no language filter and does not state languages"
        return replace(translation, notes=(*translation.notes, note))

    def size(self, query: Translated, limit: int) -> int:
        return min(limit, self.page_size) if query.remainder is None else _BROAD_PAGE

    def entries_of(self, body: Any) -> list[Any]:
        """Return the entries of `hits`, which is missing if there are none."""
        code = first(body, "result.status.@code")
        if code and code != "200":
            kind = SourceStatus.RATE_LIMITED if code == _TOO_MANY else SourceStatus.BAD_RESPONSE
            message = (first(body, "result.status.text") or "")[:300]
            raise ServiceError(f"DBLP could not answer the query: {code} {message}", status=kind)
        return super().entries_of(body)
