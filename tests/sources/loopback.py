"""Services on the loopback interface that answer as the real ones do, from one shelf of papers."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from paper_search.sources.adapter import Adapter
from paper_search.sources.arxiv import Arxiv
from paper_search.sources.core_works import Core
from paper_search.sources.dblp import Dblp
from paper_search.sources.europe_pmc import EuropePmc
from paper_search.sources.pubmed import Pubmed
from paper_search.sources.serper import SerperScholar

KEY = "CANARY-key-of-a-source"
FIRST_YEAR = 2015
Asked = dict[str, Any]


@dataclass(frozen=True)
class Book:
    """One paper; an even number has all that a service can say, an odd one the least."""

    number: int
    title: str
    year: int


SHELF = [
    Book(
        number, f"Learning & sorting, part {number}" if number % 7 else "", FIRST_YEAR + number % 10
    )
    for number in range(1, 41)
]
"""40 papers, of which 5 have no title, from ten years."""
TITLED = [book for book in SHELF if book.title]


def found(query: str, years: re.Match[str] | None = None) -> list[Book]:
    """Return what a query finds: all that is of the years, if it asks for learning."""
    if "learning" not in query.lower():
        return []
    first, last = (int(years[1] or 0), int(years[2] or 9999)) if years else (0, 9999)
    return [book for book in SHELF if first <= book.year <= last]


@dataclass
class Loopback:
    """One service: its adapter, and what it was asked."""

    adapter: Adapter
    asked: list[Asked] = field(default_factory=list)


Answering = Callable[[Asked], Response]


def _serve(server: HTTPServer, path: str, answering: Answering, asked: list[Asked]) -> None:
    def handle(request: Request) -> Response:
        given: Asked = {**request.args, **request.form, **(request.get_json(silent=True) or {})}
        asked.append({**given, "headers": dict(request.headers)})
        return answering(given)

    server.expect_request(path).respond_with_handler(handle)


def _json(body: Any) -> Response:
    return Response(json.dumps(body), content_type="application/json")


def _xml(body: str) -> Response:
    return Response(f'<?xml version="1.0" encoding="UTF-8"?>{body}', content_type="text/xml")


def _part(given: Mapping[str, Any], books: list[Book], start: str, size: str) -> list[Book]:
    first = int(given.get(start, 0))
    return books[first : first + int(given[size])]


def arxiv(server: HTTPServer) -> Loopback:
    def entry(book: Book) -> str:
        more = (
            "<arxiv:doi>10.1000/X.1</arxiv:doi><arxiv:journal_ref>J. Tests 5 (2019)"
            '</arxiv:journal_ref><link title="pdf" href="https://arxiv.org/pdf/1"/>'
            "<author><name>Ada B. Author</name></author><summary>An $\\alpha$ abstract.</summary>"
        )
        return (
            f"<entry><id>http://arxiv.org/abs/2001.{book.number:05}v2</id>"
            f"<title>{escape(book.title)}</title><published>{book.year}-02-03T00:00:00Z</published>"
            f"{'' if book.number % 2 else more}</entry>"
        )

    def answer(given: Asked) -> Response:
        query = given["search_query"]
        books = found(query, re.search(r"submittedDate:\[(\d{4})\d* TO (\d{4})\d*\]", query))
        entries = "".join(map(entry, _part(given, books, "start", "max_results")))
        return _xml(
            '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
            ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
            f"<opensearch:totalResults>{len(books)}</opensearch:totalResults>{entries}</feed>"
        )

    service = Loopback(Arxiv(endpoint=server.url_for("/arxiv")))
    service.adapter.page_size = 15
    _serve(server, "/arxiv", answer, service.asked)
    return service


def pubmed(server: HTTPServer) -> Loopback:
    def search(given: Asked) -> Response:
        books = found(given["term"], re.search(r"(\d{4}):(\d{4})\[dp\]", given["term"]))
        ids = [str(book.number) for book in books][: int(given["retmax"])]
        return _json({"esearchresult": {"count": str(len(books)), "idlist": ids}})

    def record(book: Book) -> str:
        return (
            f"<PubmedArticle><MedlineCitation><PMID>{book.number}</PMID><Article><Journal>"
            f"<JournalIssue><PubDate><Year>{book.year}</Year></PubDate></JournalIssue></Journal>"
            f"<ArticleTitle>{escape(book.title)}.</ArticleTitle></Article></MedlineCitation>"
            "</PubmedArticle>"
        )

    def fetch(given: Asked) -> Response:
        wanted = set(given["id"].split(","))
        records = [record(book) for book in SHELF if str(book.number) in wanted]
        return _xml(f"<PubmedArticleSet>{''.join(reversed(records))}</PubmedArticleSet>")

    service = Loopback(Pubmed(KEY, contact="a@example.org", endpoint=server.url_for("/pubmed")))
    service.adapter.page_size = 15
    _serve(server, "/pubmed/esearch.fcgi", search, service.asked)
    _serve(server, "/pubmed/efetch.fcgi", fetch, service.asked)
    return service


def europe_pmc(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Response:
        query, mark = given["query"], given["cursorMark"]
        books = found(query, re.search(r"PUB_YEAR:\[(\d{4}) TO (\d{4})\]", query))
        start = 0 if mark == "*" else int(mark)
        shown = books[start : start + int(given["pageSize"])]
        results = [
            {"id": str(b.number), "source": "MED", "title": f"{b.title}.", "pubYear": str(b.year)}
            if b.title
            else {"id": str(b.number), "source": "MED", "title": None}
            for b in shown
        ]
        following = str(start + len(shown)) if shown else mark
        body = {"hitCount": len(books), "nextCursorMark": following}
        return _json({**body, "resultList": {"result": results}})

    service = Loopback(EuropePmc(endpoint=server.url_for("/epmc")))
    service.adapter.page_size = 15
    _serve(server, "/epmc/search", answer, service.asked)
    _serve(server, "/epmc/searchPOST", answer, service.asked)
    return service


def dblp(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Response:
        books = found(given["q"])
        start = int(given["f"])
        shown = books[start : start + min(int(given["h"]), 15)]
        hits: dict[str, Any] = {"@total": str(len(books)), "@first": str(start)}
        if shown:
            hits["hit"] = [
                {
                    "info": {
                        "authors": {"author": {"@pid": "1/2", "text": "Ada Author 0001"}},
                        "title": f"{book.title}." if book.title else None,
                        "year": str(book.year),
                        "key": f"conf/x/{book.number}",
                    }
                }
                for book in shown
            ]
        return _json({"result": {"status": {"@code": "200", "text": "OK"}, "hits": hits}})

    service = Loopback(Dblp(endpoint=server.url_for("/dblp")))
    _serve(server, "/dblp", answer, service.asked)
    return service


def core(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Response:
        span = re.search(r"yearPublished>=(\d{4}) AND yearPublished<=(\d{4})", given["q"])
        books = found(given["q"], span)
        results = [
            {"id": book.number, "title": book.title, "yearPublished": book.year}
            for book in _part(given, books, "offset", "limit")
        ]
        return _json({"totalHits": len(books), "results": results})

    service = Loopback(Core(KEY, endpoint=server.url_for("/core")))
    service.adapter.page_size = 15
    _serve(server, "/core", answer, service.asked)
    return service


def serper(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Response:
        span = re.match(r"(\d*)-(\d*)", f"{given.get('as_ylo', '')}-{given.get('as_yhi', '')}")
        books = found(given["q"], span)
        start = (int(given["page"]) - 1) * 15
        organic = [
            {"title": book.title, "year": book.year, "id": f"s{book.number}"}
            for book in books[start : start + 15]
        ]
        return _json({"searchParameters": {"q": given["q"]}, "organic": organic, "credits": 1})

    service = Loopback(SerperScholar(KEY, endpoint=server.url_for("/serper")))
    service.adapter.page_size = 15
    _serve(server, "/serper", answer, service.asked)
    return service


ADAPTERS: dict[str, Callable[[str], Adapter]] = {
    "arxiv": lambda url: Arxiv(endpoint=url),
    "pubmed": lambda url: Pubmed(KEY, endpoint=url),
    "europe_pmc": lambda url: EuropePmc(endpoint=url),
    "dblp": lambda url: Dblp(endpoint=url),
    "core": lambda url: Core(KEY, endpoint=url),
    "serper_scholar": lambda url: SerperScholar(KEY, endpoint=url),
}
FAILURES = {
    "a rate limit": Response("Rate exceeded.", 429),
    "a refused key": Response('{"message": "Unauthorized."}', 403, content_type="application/json"),
    "a web page": Response("<html><body>Are you a robot?</body></html>", content_type="text/html"),
    "an error": Response('{"error": "out of order"}', content_type="application/json"),
    "a cut answer": Response('{"result', content_type="application/json"),
}


def failing(server: HTTPServer, name: str) -> dict[str, Adapter]:
    """Return the adapter before services that fail, by what is wrong with them."""
    found = {}
    for number, (wrong, response) in enumerate(FAILURES.items()):
        path = re.compile(f"/down-{number}.*")
        server.expect_request(path).respond_with_response(response)
        found[wrong] = ADAPTERS[name](server.url_for(f"/down-{number}"))
    return found


SERVICES: dict[str, Callable[[HTTPServer], Loopback]] = {
    "arxiv": arxiv,
    "pubmed": pubmed,
    "europe_pmc": europe_pmc,
    "dblp": dblp,
    "core": core,
    "serper_scholar": serper,
}
