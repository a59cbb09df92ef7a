"""OpenAlex (https://docs.openalex.org): 300 million works; a key is optional.

Words are searched by stem in title and abstract, or in the title if the whole query is limited to
it; author names are a separate filter. See
https://docs.openalex.org/how-to-use-the-api/get-lists-of-entities/search-entities.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from http import HTTPStatus
from typing import ClassVar

from paper_search.bibliography.identifiers import doi_of_arxiv
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import WORD
from paper_search.http.body import HttpAnswer
from paper_search.models import SearchConstraints, SourceStatus
from paper_search.models.source_report import quantity
from paper_search.query import And, Node, Not, Phrase, Term, normalise
from paper_search.query.ast import all_leaves, conjuncts
from paper_search.sources.adapter import (
    Adapter,
    Page,
    Paging,
    RefusalSign,
    Request,
    Translated,
    translate_known_part,
)
from paper_search.sources.dialect import ANYTHING, Expression, TextDialect, without_years
from paper_search.sources.openalex_record import FIELDS, own_types, read_work
from paper_search.sources.record import first, values_at
from paper_search.sources.values import flag

SEPARATORS = frozenset(",|")
"""Separators of filters and alternatives; DOIs with them cannot be looked up."""
_MARKS = re.compile(r"[\"“”*?~|!\\()\[\]:/,]+")
_SHORTEST_STEM = 3
_LONG_PHRASE = 80
_MOST_LONG_PHRASES = 3
"""Maximum number of phrases over `_LONG_PHRASE` characters that OpenAlex accepts."""


class OpenAlex(Adapter):
    """About 100 pages a day per IP address are free without a key, 1000 with a free key."""

    name: ClassVar[str] = "openalex"
    title: ClassVar[str] = "OpenAlex"
    longest_line: ClassVar[int] = 8190
    """From the start command of its server; its guide says 4094."""
    key_variable: ClassVar[str | None] = "OPENALEX_API_KEY"
    key_page: ClassVar[str | None] = "https://openalex.org/settings/api"

    ranks_text: ClassVar[bool] = True
    hits: ClassVar[str] = "meta.count"
    paging: ClassVar[Paging | None] = Paging("cursor", cursor="meta.next_cursor")
    record = staticmethod(read_work)
    fields_apart: ClassVar[frozenset[str]] = frozenset({"author"})
    longest_text: ClassVar[int | None] = 1500
    page_size = 100
    most_results = 10_000

    key_header = ("Authorization", "Bearer {}")
    interval_with_key: ClassVar[float | None] = 0.2
    """With more than five operators: one request a second without a key, five with one."""
    endpoint = "https://api.openalex.org/works"
    says_open: ClassVar[bool] = True
    count_rank: ClassVar[int] = 3
    first_look: ClassVar[int] = 4
    refusals = (
        RefusalSign(SourceStatus.RATE_LIMITED, "broad_boolean_query", HTTPStatus.TOO_MANY_REQUESTS),
        RefusalSign(SourceStatus.EXHAUSTED, "budget", HTTPStatus.TOO_MANY_REQUESTS),
        RefusalSign(SourceStatus.EXHAUSTED, "credits", HTTPStatus.TOO_MANY_REQUESTS),
        RefusalSign(SourceStatus.BAD_RESPONSE, "plan upgrade", HTTPStatus.TOO_MANY_REQUESTS),
        RefusalSign(SourceStatus.TIMEOUT, "query_timeout"),
        RefusalSign(
            SourceStatus.RATE_LIMITED, "temporarily unavailable", HTTPStatus.SERVICE_UNAVAILABLE
        ),
    )

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        return translate_known_part(
            tree,
            lambda part: _to_openalex(part, filters),
            service=self.title,
            fields=("tiab",),
            shortest_stem=_SHORTEST_STEM,
        )

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the filter for a DOI or PMID; for an arXiv id, that of its DOI."""
        if kind == "arxiv":
            kind, value = "doi", doi_of_arxiv(value)
        if kind not in ("doi", "pmid") or SEPARATORS & set(value):
            return None
        work = f"{kind}:{value}"
        return Translated(work, params={"filter": work})

    def translate_native(self, text: str) -> Translated:
        return Translated(text, params={"filter": text})

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        params: dict[str, str | int] = dict(query.params)
        limits = limits_of(query.year_from, query.year_to, filters.language)
        if types := own_types(filters.publication_types):
            limits.append(f"type:{'|'.join(types)}")
        limits += [query.params["filter"]] if "filter" in query.params else []
        if limits:
            params["filter"] = ",".join(limits)
        params |= {"per_page": self.size(query, limit), "cursor": "*", "select": ",".join(FIELDS)}
        return Request(self.endpoint, params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        page = super().read(answer, request)
        body, notes = answer.json(), page.notes
        if short_lists := values_at(body, "results.is_authors_truncated").count(True):
            many = f"{quantity(short_lists, 'work has', 'works have')} more than 100 authors"
            notes += (f"{many}: OpenAlex lists the first 100",)
        is_partial = bool(first(body, "meta.timed_out", flag))
        if is_partial:
            notes += ("OpenAlex ran out of time and may have more records",)
        return replace(page, notes=notes, is_partial=is_partial)


def limits_of(first: int | None, last: int | None, language: str | None) -> list[str]:
    years = f"{first}-{last}" if first != last else str(first)
    if first is None or last is None:
        years = f">{first - 1}" if first is not None else f"<{last + 1}" if last is not None else ""
    code = language_code(language)
    limits = [f"publication_year:{years}"] if years else []
    return [*limits, f"language:{code}"] if code else limits


def _to_openalex(tree: Node, filters: SearchConstraints) -> Translated:
    rest, names = _without_authors(tree)
    others, first, last = without_years(rest, filters)
    author_part = _Authors().translate(And(tuple(names)), None) if names else Translated("")
    filter_ = f"raw_author_name.search:{_uncut(author_part.text)}"
    by_author = {"filter": filter_} if names else {}
    if names and not others:
        return replace(author_part, text=filter_, year_from=first, year_to=last, params=by_author)
    dialect = _OpenAlex(normalise(And(tuple(rest))))
    translation = dialect.translate(normalise(And(tuple(rest))), filters)
    text = _uncut(translation.text)
    words = text if text.endswith((")", '"')) else f"({text})"
    checks = [part for part in (translation.remainder, author_part.remainder) if part is not None]
    return replace(
        translation,
        text=f"{words} {filter_}" if names else words,
        notes=(*translation.notes, *author_part.notes),
        remainder=normalise(And(tuple(checks))) if checks else None,
        params={dialect.scope: words, **by_author},
    )


def _uncut(text: str) -> str:
    """Quote a query that ends with letters that OpenAlex would cut off."""
    return f'"{text}"' if text.lower().endswith(("and", "not")) else text


def _without_authors(tree: Node) -> tuple[list[Node], list[Node]]:
    parts = conjuncts(tree)
    names: list[Node] = [
        child
        for child in parts
        if not isinstance(child, Not) and {leaf.field for leaf in all_leaves(child)} == {"author"}
    ]
    return [child for child in parts if child not in names], names


class _Words(TextDialect):
    service: ClassVar[str] = "OpenAlex"
    known_fields: ClassVar[Collection[str]] = ("tiab",)

    def quoted_words(self, texts: tuple[str, ...]) -> str | None:
        cleaned = " ".join(" ".join(_MARKS.sub(" ", text) for text in texts).split())
        if not WORD.search(cleaned):
            return None
        is_bare = WORD.fullmatch(cleaned) and cleaned not in {"AND", "OR", "NOT"}
        return cleaned if is_bare else f'"{cleaned.lower() if cleaned.isupper() else cleaned}"'


class _OpenAlex(_Words):
    """Titles and abstracts; a query with `*` matches all words exactly, not by stem."""

    loose_in: ClassVar[Collection[str | None]] = (None, "tiab")

    def __init__(self, tree: Node) -> None:
        super().__init__()
        words = list(all_leaves(tree))
        self._long_phrases = 0
        self._is_of_titles = bool(words) and all(leaf.field == "title" for leaf in words)
        self._is_exact = any(_is_cut(leaf) for leaf in words)
        self.compares_stems = not self._is_exact
        if self._is_exact:
            self.note("words are matched exactly, not by stem: OpenAlex requires this for '*'")

    @property
    def scope(self) -> str:
        scope = "search.title" if self._is_of_titles else "search.title_and_abstract"
        return f"{scope}.exact" if self._is_exact else scope

    def is_searched(self, field: str | None) -> bool:
        return self._is_of_titles or super().is_searched(field)

    def leaf(self, leaf: Term | Phrase) -> Expression:
        expression = super().leaf(leaf)
        text = expression.text or ""
        if isinstance(leaf, Term) or len(text) <= _LONG_PHRASE or not text.startswith('"'):
            return expression
        self._long_phrases += 1
        if self._long_phrases <= _MOST_LONG_PHRASES:
            return expression
        self.note("long phrases after the third are sent as words; their order is checked")
        return self.apart(leaf.words)

    def word(self, word: str) -> Expression:
        if word.endswith("*") and len(word) <= _SHORTEST_STEM and word[:-1].isalnum():
            return self.short_stem(word[:-1], str)
        return super().word(word)


class _Authors(_Words):
    def leaf(self, leaf: Term | Phrase) -> Expression:
        texts = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        text = self.quoted_words(texts)
        if text and not _is_cut(leaf):
            return Expression(text)
        self.note("initials of authors are checked in the results")
        return ANYTHING


def _is_cut(leaf: Term | Phrase) -> bool:
    return leaf.is_prefix if isinstance(leaf, Term) else any(w.endswith("*") for w in leaf.words)
