"""What web and news searches share: how they are queried, how their results are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import clean
from paper_search.errors import InputError
from paper_search.models import RawPaper, SearchConstraints
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, YearRange, render
from paper_search.sources.adapter import Adapter, Translated, translated_as_far_as_known
from paper_search.sources.dialect import Dialect, Written, joined_span, quoted
from paper_search.sources.values import address, text, year

_LONGEST_SNIPPET = 2000


class WebAdapter(Adapter):
    """A service that finds pages; `kind` is that of the queries it is asked: web or news."""

    kind: ClassVar[str] = "web"


def page_record(  # noqa: PLR0913  # the parts of a result
    source: str,
    *,
    kind: str,
    url: Any,
    title: Any,
    snippet: Any,
    published: Any = None,
    authors: Sequence[str] = (),
    site: Any = None,
    raw: dict[str, Any] | None = None,
) -> RawPaper | None:
    """Return a page that was found as a record; None: it has no title or no web address.

    The date goes into `raw_data["published"]`, the site into `venue`.
    """
    link, name = address(url), clean(text(title))
    if link is None or not name:
        return None
    host = urlsplit(link).hostname or ""
    return RawPaper(
        id=f"{source}:{hashlib.sha256(link.encode('utf-8', 'replace')).hexdigest()[:16]}",
        title=name,
        authors=[author_named(author) for author in authors],
        year=year(published),
        venue=clean(text(site)) or host.removeprefix("www.") or None,
        doi=parse_doi(link) if "doi.org/" in link else None,
        arxiv_id=parse_arxiv_id(link) if "arxiv.org/" in link else None,
        snippet=clean(text(snippet))[:_LONGEST_SNIPPET] or None,
        url=link,
        source=source,
        publication_type="article-newspaper" if kind == "news" else "webpage",
        raw_data={**(raw or {}), "published": text(published)},
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

    def without(self, wanted: str, unwanted: str) -> str:
        """Return what matches the one and not the other."""
        return f"({wanted} NOT {unwanted})"


def _translated(tree: Node, filters: SearchConstraints, say: object) -> Translated:
    return translated_as_far_as_known(
        tree,
        lambda given: _said(given, filters, say),
        service="the search engine",
        shortest_stem=None,
    )


def _said(tree: Node, filters: SearchConstraints, say: object) -> Translated:
    parts = list(tree.children) if isinstance(tree, And) else [tree]
    first, last = joined_span([part for part in parts if isinstance(part, YearRange)], filters)
    rest = [part for part in parts if not isinstance(part, YearRange)]
    said = list(filter(None, (say(part) for part in rest)))  # type: ignore[operator]  # one of the two below
    if not any(not isinstance(part, Not) and say(part) for part in rest):  # type: ignore[operator]  # as above
        raise InputError(f"the query {render(tree)!r} only excludes: add what to search for")
    return Translated(
        " ".join(said), year_from=first, year_to=last, language=language_code(filters.language)
    )


def _engine_text(node: Node) -> str:
    match node:
        case Term() | Phrase():
            return _leaf(node)
        case And(children):
            return " ".join(filter(None, map(_engine_text, children)))
        case Or(children):
            said = [_engine_text(child) for child in children if not isinstance(child, Not)]
            return f"({' OR '.join(filter(None, said))})" if any(said) else ""
        case Near(left, right):
            return f"{_engine_text(left)} {_engine_text(right)}".strip()
        case Not(child):
            leaves = child.children if isinstance(child, Or) else (child,)
            kept = [f"-{_leaf(leaf)}" for leaf in leaves if isinstance(leaf, Term | Phrase)]
            return " ".join(kept)
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
