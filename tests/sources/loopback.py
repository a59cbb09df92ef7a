"""Services on the loopback interface that answer as the real ones do, from one shelf of papers."""

import json
import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
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
PAGE = 15
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


def found(query: str, years: str = "(?!)", text: str = "") -> list[Book]:
    """Return what a query finds: all that is of the years, if it asks for learning.

    `years`: the pattern of the first and the last one in the text, by default the query.
    """
    if "learning" not in query.lower():
        return []
    span = re.search(years, text or query)
    first = int(span[1] or 0) if span else 0
    last = int(span[2] or (9999 if "-" in span[0] else first)) if span else 9999
    return [book for book in SHELF if first <= book.year <= last]


def page(
    given: Asked, books: list[Book], start: str, size: str = "", *, is_numbered: bool = False
) -> tuple[int, list[Book]]:
    """Return the books of the page that is asked for, and how many there are up to its end."""
    many = min(int(given.get(size, PAGE)), PAGE)
    here = int(str(given.get(start, 0)).replace("*", "0"))
    first = (here - 1) * many if is_numbered else here
    shown = books[first : first + many]
    return first + len(shown), shown


@dataclass
class Loopback:
    """One service: its adapter, what it was asked, and what it says where it refuses."""

    adapter: Adapter
    refusals: Mapping[str, Response]
    """Ways to say no, by the status that the report is to show, numbered."""
    asked: list[Asked] = field(default_factory=list)


def serve(
    server: HTTPServer,
    adapter: Adapter,
    answers: Mapping[Any, Callable[[Asked], Any]],
    refusals: Mapping[str, Response] = MappingProxyType({}),
) -> Loopback:
    """Answer at the paths: with XML where an answer is a text, else with JSON."""
    service = Loopback(adapter, refusals)

    def handle(request: Request, answering: Callable[[Asked], Any]) -> Response:
        given: Asked = {**request.args, **request.form, **(request.get_json(silent=True) or {})}
        more = {"path": request.path, "url": request.url, "headers": dict(request.headers)}
        service.asked.append({**given, **more})
        answer = answering({**given, "path": request.path})
        if isinstance(answer, str):
            return Response(f'<?xml version="1.0"?>{answer}', content_type="text/xml")
        return as_json(*answer) if isinstance(answer, tuple) else as_json(answer)

    for path, answering in answers.items():
        server.expect_request(path).respond_with_handler(partial(handle, answering=answering))
    return service


def as_json(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")


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

    def answer(given: Asked) -> Any:
        books = found(given["search_query"], r"submittedDate:\[(\d{4})\d* TO (\d{4})\d*\]")
        entries = "".join(map(entry, page(given, books, "start", "max_results")[1]))
        return (
            '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
            ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
            f"<opensearch:totalResults>{len(books)}</opensearch:totalResults>{entries}</feed>"
        )

    adapter = Arxiv(endpoint=server.url_for("/arxiv"))
    adapter.page_size = PAGE
    return serve(server, adapter, {"/arxiv": answer})


def pubmed(server: HTTPServer) -> Loopback:
    def search(given: Asked) -> Any:
        books = found(given["term"], r"(\d{4}):(\d{4})\[dp\]")
        ids = [str(book.number) for book in books][: int(given["retmax"])]
        return {"esearchresult": {"count": str(len(books)), "idlist": ids}}

    def record(book: Book) -> str:
        return (
            f"<PubmedArticle><MedlineCitation><PMID>{book.number}</PMID><Article><Journal>"
            f"<JournalIssue><PubDate><Year>{book.year}</Year></PubDate></JournalIssue></Journal>"
            f"<ArticleTitle>{escape(book.title)}.</ArticleTitle></Article></MedlineCitation>"
            "</PubmedArticle>"
        )

    def fetch(given: Asked) -> Any:
        wanted = set(given["id"].split(","))
        records = [record(book) for book in SHELF if str(book.number) in wanted]
        return f"<PubmedArticleSet>{''.join(reversed(records))}</PubmedArticleSet>"

    adapter = Pubmed(KEY, contact="a@example.org", endpoint=server.url_for("/pubmed"))
    adapter.page_size = PAGE
    return serve(server, adapter, {"/pubmed/esearch.fcgi": search, "/pubmed/efetch.fcgi": fetch})


def europe_pmc(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
        books = found(given["query"], r"PUB_YEAR:\[(\d{4}) TO (\d{4})\]")
        end, shown = page(given, books, "cursorMark", "pageSize")
        results = [
            {"id": str(b.number), "source": "MED", "title": f"{b.title}.", "pubYear": str(b.year)}
            if b.title
            else {"id": str(b.number), "source": "MED", "title": None}
            for b in shown
        ]
        following = str(end) if shown else given["cursorMark"]
        body = {"hitCount": len(books), "nextCursorMark": following}
        return {**body, "resultList": {"result": results}}

    adapter = EuropePmc(endpoint=server.url_for("/epmc"))
    adapter.page_size = PAGE
    return serve(server, adapter, {"/epmc/search": answer, "/epmc/searchPOST": answer})


def dblp(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
        books = found(given["q"])
        _, shown = page(given, books, "f", "h")
        hits: dict[str, Any] = {"@total": str(len(books)), "@first": given["f"]}
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
        return {"result": {"status": {"@code": "200", "text": "OK"}, "hits": hits}}

    return serve(server, Dblp(endpoint=server.url_for("/dblp")), {"/dblp": answer})


def core(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
        books = found(given["q"], r"yearPublished>=(\d{4}) AND yearPublished<=(\d{4})")
        results = [
            {"id": book.number, "title": book.title, "yearPublished": book.year}
            for book in page(given, books, "offset", "limit")[1]
        ]
        return {"totalHits": len(books), "results": results}

    adapter = Core(KEY, endpoint=server.url_for("/core"))
    adapter.page_size = PAGE
    return serve(server, adapter, {"/core": answer})


def serper(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
        years = f"{given.get('as_ylo', '')}-{given.get('as_yhi', '')}"
        books = found(given["q"], r"(\d*)-(\d*)", years)
        organic = [
            {"title": book.title, "year": book.year, "id": f"s{book.number}"}
            for book in page(given, books, "page", is_numbered=True)[1]
        ]
        return {"searchParameters": {"q": given["q"]}, "organic": organic, "credits": 1}

    adapter = SerperScholar(KEY, endpoint=server.url_for("/serper"))
    adapter.page_size = PAGE
    return serve(server, adapter, {"/serper": answer})


FAILURES = {
    "a rate limit": Response("Rate exceeded.", 429),
    "a refused key": Response('{"message": "Unauthorized."}', 403, content_type="application/json"),
    "a web page": Response("<html><body>Are you a robot?</body></html>", content_type="text/html"),
    "an error": Response('{"error": "out of order"}', content_type="application/json"),
    "a cut answer": Response('{"result', content_type="application/json"),
}


def failing(server: HTTPServer, adapter: Adapter) -> dict[str, Adapter]:
    """Return the adapter before services that fail, by what is wrong with them."""
    found = {}
    for number, (wrong, response) in enumerate(FAILURES.items()):
        server.expect_request(re.compile(f"/down-{number}.*")).respond_with_response(response)
        found[wrong] = copy(adapter)
        found[wrong].endpoint = server.url_for(f"/down-{number}")
    return found


SERVICES: dict[str, Callable[[HTTPServer], Loopback]] = {
    "arxiv": arxiv,
    "pubmed": pubmed,
    "europe_pmc": europe_pmc,
    "dblp": dblp,
    "core": core,
    "serper_scholar": serper,
}
