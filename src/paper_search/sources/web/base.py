"""What web and news searches share: how they are queried, how their results are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import clean
from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, YearRange, render
from paper_search.sources.adapter import Adapter, Translated, translated_as_far_as_known
from paper_search.sources.dialect import Dialect, Written, common_span
from paper_search.sources.record import Entry, Field, Reader, Table, cleaned, first, value_of
from paper_search.sources.values import address, quoted, year

_LONGEST_SNIPPET = 2000


class WebAdapter(Adapter):
    """A service that finds pages; `kind` is that of the queries it is asked: web or news."""

    kind: ClassVar[str] = "web"
    truncates: ClassVar[bool] = False


def page_table(  # noqa: PLR0913  # the parts of a result
    prefix: str,
    *,
    url: str = "url",
    snippet: str = "content",
    published: Field = "",
    authors: Reader | None = None,
    site: str = "",
    kind: str = "webpage",
    details: Mapping[str, Field] | None = None,
) -> Table:
    """Return the table of the pages that a service finds.

    The date goes into `raw_data["published"]`, the site into `venue`.
    """

    def link(entry: Entry) -> Any:
        return first(entry, url, address) or None

    def venue(entry: Entry) -> str | None:
        host = urlsplit(link(entry) or "").hostname or ""
        name = first(entry, site, cleaned) if site else None
        return name or host.removeprefix("www.") or None

    def key(entry: Entry) -> str:
        return hashlib.sha256((link(entry) or "").encode("utf-8", "replace")).hexdigest()[:16]

    def own(entry: Entry) -> dict[str, Any]:
        more = {name: value_of(entry, field) for name, field in (details or {}).items()}
        return {**more, "published": (value_of(entry, published) if published else "") or ""}

    return Table(
        prefix=prefix,
        key=key,
        fields={
            "title": lambda entry: first(entry, "title", cleaned) if link(entry) else None,
            "authors": authors or (lambda _: []),
            "year": lambda entry: year(value_of(entry, published)) if published else None,
            "venue": venue,
            "doi": (url, lambda at: parse_doi(at) if "doi.org/" in at else None),
            "arxiv_id": (url, lambda at: parse_arxiv_id(at) if "arxiv.org/" in at else None),
            "snippet": (snippet, lambda said: clean(said)[:_LONGEST_SNIPPET]),
            "url": url,
            "publication_type": lambda _: kind,
        },
        details=own,
    )


def engine_query(tree: Node, filters: SearchConstraints) -> Translated:
    """Return a query as engines of the web take it: words, "phrases", (one OR other), -unwanted.

    Fields, stars and distances are left out, which widens: an engine ranks, it does not select.
    Years are beside the text.

    Raises:
        InputError: the query only excludes.
    """
    return _translated(tree, filters, _engine_text)


def plain_query(tree: Node, filters: SearchConstraints) -> Translated:
    """Return the wanted words of a query in their order, for services that read plain language.

    Raises:
        InputError: the query only excludes.
    """
    return _translated(tree, filters, _plain_text)


class NewsDialect(Dialect):
    """NewsAPI's queries: AND, OR, NOT, parentheses and phrases; whole words only."""

    service: ClassVar[str] = "NewsAPI"
    has_year_parameters: ClassVar[bool] = True

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or a phrase; these services have no fields."""
        words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        text = " ".join(word.rstrip("*") for word in words)
        if isinstance(leaf, Term) and text.isalnum() and text not in {"AND", "OR", "NOT"}:
            return Written(text)
        return Written(quoted(text))

    def years(self, years: YearRange) -> Written:
        """Return nothing: a span of years inside a group cannot be said."""
        del years
        return Written(None, is_exact=False)

    def without(self, text: str, unwanted: str) -> str:
        """Return what matches the one and not the other."""
        return f"({text} NOT {unwanted})"


def _translated(tree: Node, filters: SearchConstraints, say: object) -> Translated:
    return translated_as_far_as_known(
        tree,
        lambda part: _said(part, filters, say),
        service="the search engine",
        shortest_stem=None,
    )


def _said(tree: Node, filters: SearchConstraints, say: object) -> Translated:
    parts = list(tree.children) if isinstance(tree, And) else [tree]
    first, last = common_span([part for part in parts if isinstance(part, YearRange)], filters)
    rest = [part for part in parts if not isinstance(part, YearRange)]
    texts = list(filter(None, (say(part) for part in rest)))  # type: ignore[operator]  # one of the two below
    if not any(not isinstance(part, Not) and say(part) for part in rest):  # type: ignore[operator]  # as above
        raise InputError(f"the query {render(tree)!r} only excludes: add what to search for")
    return Translated(
        " ".join(texts), year_from=first, year_to=last, language=language_code(filters.language)
    )


def _engine_text(node: Node) -> str:
    match node:
        case Term() | Phrase():
            return _leaf(node)
        case And(children):
            return " ".join(filter(None, map(_engine_text, children)))
        case Or(children):
            texts = [_engine_text(child) for child in children if not isinstance(child, Not)]
            return f"({' OR '.join(filter(None, texts))})" if any(texts) else ""
        case Near(left, right):
            return f"{_engine_text(left)} {_engine_text(right)}".strip()
        case Not(child):
            leaves = child.children if isinstance(child, Or) else (child,)
            exclusions = [f"-{_leaf(leaf)}" for leaf in leaves if isinstance(leaf, Term | Phrase)]
            return " ".join(exclusions)
        case _:
            return ""


def _plain_text(node: Node) -> str:
    return " ".join(dict.fromkeys(_words(node)))


def _words(node: Node) -> Iterator[str]:
    match node:
        case Term():
            yield node.text.rstrip("*")
        case Phrase(words):
            yield from (word.rstrip("*") for word in words)
        case And(children):
            for child in children:
                yield from _words(child)
        case Or(children):
            yield from _words(children[0])
        case Near(left, right):
            yield from _words(left)
            yield from _words(right)
        case _:
            return


def _leaf(leaf: Term | Phrase) -> str:
    if isinstance(leaf, Term) and leaf.text.replace("-", "").isalnum() and leaf.text != "OR":
        return leaf.text.lstrip("-")
    words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
    return quoted(" ".join(word.rstrip("*") for word in words))
