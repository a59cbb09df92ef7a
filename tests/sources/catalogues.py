"""OpenAlex, Crossref, Semantic Scholar, DOAJ and DataCite on the loopback interface."""

import re
from collections.abc import Callable
from typing import Any

from pytest_httpserver import HTTPServer
from tests.sources.loopback import KEY, PAGE, Asked, Book, Loopback, found, page, serve

from paper_search.sources.crossref import Crossref
from paper_search.sources.datacite import Datacite
from paper_search.sources.doaj import Doaj
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.semantic_scholar import SemanticScholar

YEARS = r"(\d{4})?-?(\d{4})?"


def openalex(server: HTTPServer) -> Loopback:
    def work(book: Book) -> dict[str, Any]:
        more = {
            "doi": f"https://doi.org/10.1000/{book.number}",
            "authorships": [{"author": {"display_name": "Ada Author", "id": None}}],
            "abstract_inverted_index": {"An": [0], "abstract": [1]},
            "is_authors_truncated": book.number == 2,
        }
        return {
            "id": f"https://openalex.org/W{book.number}",
            "title": book.title or None,
            "publication_year": book.year,
            **({} if book.number % 2 else more),
        }

    def answer(given: Asked) -> Any:
        if unknown := set(given) - {*KNOWN, "path"}:
            return {"error": "Invalid query parameters error.", "message": str(unknown)}, 400
        limits = given.get("filter", "-")
        books = found(given["search.title_and_abstract"], rf"_year:{YEARS}", limits)
        end, shown = page(given, books, "cursor", "per_page")
        after = str(end) if shown else None  # as older answers: an empty page ends
        meta = {"count": len(books), "next_cursor": after}
        return {"meta": meta, "results": [work(book) for book in shown], "group_by": []}

    KNOWN = {"search.title_and_abstract", "filter", "cursor", "per_page", "select"}  # noqa: N806  # a constant of the fake
    return serve(server, OpenAlex(KEY, endpoint=server.url_for("/openalex")), {"/openalex": answer})


def crossref(server: HTTPServer) -> Loopback:
    def item(book: Book) -> dict[str, Any]:
        return {
            "DOI": f"10.1000/{book.number}",
            "title": [book.title] if book.title else [],
            "issued": {"date-parts": [[book.year, 1]] if book.number % 3 else [[book.year]]},
            "type": "journal-article",
            **({"abstract": "<jats:p>About &amp;amp; around.</jats:p>"} if book.number % 2 else {}),
        }

    def answer(given: Asked) -> Any:
        span = r"from-pub-date:(\d{4})-01-01,until-pub-date:(\d{4})-12-31"
        books = found(given["query"], span, given["filter"])
        end, shown = page(given, books, "cursor", "rows")
        message = {
            "total-results": len(books),
            "next-cursor": str(end),  # never ends
            "items": [item(book) for book in shown],
        }
        return {"status": "ok", "message-type": "work-list", "message": message}

    return serve(server, Crossref(endpoint=server.url_for("/crossref")), {"/crossref": answer})


def _paper(book: Book) -> dict[str, Any]:
    return {
        "paperId": f"{book.number:040x}",
        "title": book.title or None,
        "year": book.year,
        "externalIds": {"DOI": f"10.1000/{book.number}"} if book.number % 2 else None,
        "openAccessPdf": {"url": "", "status": "CLOSED"},
        "authors": [],
    }


def semantic_scholar(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
        books = found(given["query"], YEARS, given.get("year", "-"))
        end, shown = page(given, books, "token")
        token = str(end) if end < len(books) else None
        return {"total": len(books), "token": token, "data": list(map(_paper, shown))}

    def by_relevance(given: Asked) -> Any:
        books = found(given["query"], YEARS, given.get("year", "-"))
        end, shown = page(given, books, "offset", "limit")
        last = {"next": end} if end < len(books) else {}
        return {"total": len(books), **last, "data": list(map(_paper, shown))}

    adapter = SemanticScholar(KEY, endpoint=server.url_for("/s2"))
    paths = {"/s2/paper/search": by_relevance, "/s2/paper/search/bulk": answer}
    return serve(server, adapter, paths)


def doaj(server: HTTPServer) -> Loopback:
    def article(book: Book) -> dict[str, Any]:
        bib = {"title": book.title, "year": str(book.year), "journal": {"language": ["EN"]}}
        doi = {"identifier": [{"type": "DOI", "id": f"10.1000/{book.number}"}]}
        return {"id": f"{book.number:032x}", "bibjson": bib | (doi if book.number % 2 else {})}

    def answer(given: Asked) -> Any:
        query = given["path"].rpartition("/")[2]
        if "*" in query:
            return {"status": "bad_request", "error": "disallowed Lucene features"}, 400
        books = found(query, r"bibjson\.year:\[(\d{4}) TO (\d{4})\]")
        _, shown = page(given, books, "page", "pageSize", is_numbered=True)
        return {"total": len(books), "page": given["page"], "results": list(map(article, shown))}

    adapter = Doaj(endpoint=server.url_for("/doaj"))
    adapter.page_size = PAGE
    return serve(server, adapter, {re.compile("^/doaj/.*"): answer})


def datacite(server: HTTPServer) -> Loopback:
    def doi(book: Book) -> dict[str, Any]:
        titles = [{"title": book.title}] if book.title else []
        given = {"doi": f"10.5072/{book.number}", "titles": titles, "publicationYear": book.year}
        return {"id": f"10.5072/{book.number}", "type": "dois", "attributes": given}

    def answer(given: Asked) -> Any:
        books = found(given["query"], r"publicationYear:\[(\d{4}) TO (\d{4})\]")
        assert given["sort"] == "relevance"
        end, shown = page(given, books, "page[number]", "page[size]", is_numbered=True)
        # An address somewhere else: it only says that there is more.
        links = {"next": "https://elsewhere.invalid/dois"} if end < len(books) else {}
        return {"data": list(map(doi, shown)), "meta": {"total": len(books)}, "links": links}

    adapter = Datacite(endpoint=server.url_for("/datacite"))
    adapter.page_size = PAGE
    return serve(server, adapter, {"/datacite": answer})


SERVICES: dict[str, Callable[[HTTPServer], Loopback]] = {
    "openalex": openalex,
    "crossref": crossref,
    "semantic_scholar": semantic_scholar,
    "doaj": doaj,
    "datacite": datacite,
}
