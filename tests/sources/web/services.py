"""Serper, Tavily, SearXNG and NewsAPI on the loopback interface, from one shelf of pages."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from paper_search.sources.serper import SerperWeb
from paper_search.sources.web import WebAdapter
from paper_search.sources.web.newsapi import NewsApi
from paper_search.sources.web.searxng import Searxng
from paper_search.sources.web.tavily import Tavily

KEY = "CANARY-key-of-a-search"
PAGES = [
    {
        "title": f"Learning and shade, part {number}" if number % 6 else "",
        "url": f"https://site{number}.example.org/learning?part={number}",
        "text": f"All on learning &amp; <b>shade</b>, {number}.",
        "year": 2010 + number,
    }
    for number in range(1, 18)
]
"""17 pages, of which two have no title."""
TITLED = [page for page in PAGES if page["title"]]
Asked = dict[str, Any]


@dataclass
class Service:
    """One service: its adapter, what it was asked, and how it can be made to fail."""

    adapter: WebAdapter
    path: str
    errors: dict[str, Response]
    """Ways to say no, by the status that the report is to show, numbered."""
    remake: Callable[[str], WebAdapter]
    """The adapter for another address."""
    asked: list[Asked] = field(default_factory=list)


def _json(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")


def _found(query: str) -> list[dict[str, Any]]:
    return PAGES if "learning" in query.lower() else []


def _serve(server: HTTPServer, service: Service, answer: Callable[[Asked], Response]) -> Service:
    def handle(request: Request) -> Response:
        given: Asked = {**request.args, **(request.get_json(silent=True) or {})}
        service.asked.append({**given, "headers": dict(request.headers), "url": request.url})
        return answer(given)

    server.expect_request(service.path).respond_with_handler(handle)
    return service


def serper(server: HTTPServer) -> Service:
    def answer(given: Asked) -> Response:
        start = (given["page"] - 1) * 10
        shown = _found(given["q"])[start : start + 10]
        organic = [
            {
                "title": e["title"],
                "link": e["url"],
                "snippet": e["text"],
                "date": f"Mar 3, {e['year']}",
            }
            for e in shown
        ]
        return _json({"searchParameters": {"q": given["q"]}, "organic": organic, "credits": 1})

    errors = {
        "unauthorised": _json({"message": "Unauthorized.", "statusCode": 403}, 403),
        "exhausted": _json({"message": "Not enough credits", "statusCode": 400}, 400),
        "bad_response": _json({"message": f"No, {KEY}", "statusCode": 400}),
    }
    remake = lambda url: SerperWeb(KEY, endpoint=url)  # noqa: E731  # one of a table
    path = "/serper"
    service = Service(remake(server.url_for(path)), path, errors, remake)
    return _serve(server, service, answer)


def tavily(server: HTTPServer) -> Service:
    def answer(given: Asked) -> Response:
        results = [
            {"title": e["title"], "url": e["url"], "content": e["text"], "score": 0.5}
            for e in _found(given["query"])
        ]
        return _json({"query": given["query"], "answer": None, "results": results})

    errors = {
        "unauthorised": _json({"detail": {"error": "Unauthorized: invalid API key."}}, 401),
        "exhausted": _json({"detail": {"error": "This request exceeds your plan's limit."}}, 432),
        "exhausted 2": _json({"detail": {"error": "Pay-as-you-go limit."}}, 433),
        "bad_response": _json({"error": {"code": "odd", "message": f"No, {KEY}"}}),
    }
    remake = lambda url: Tavily(KEY, endpoint=url)  # noqa: E731  # one of a table
    path = "/tavily"
    service = Service(remake(server.url_for(path)), path, errors, remake)
    return _serve(server, service, answer)


def searxng(server: HTTPServer) -> Service:
    def answer(given: Asked) -> Response:
        assert given["format"] == "json"
        start = (int(given["pageno"]) - 1) * 8
        results = [
            {
                "title": e["title"],
                "url": e["url"],
                "content": e["text"],
                "engine": "one",
                "publishedDate": f"{e['year']}-03-03T00:00:00",
            }
            for e in _found(given["q"])[start : start + 8]
        ]
        body = {"query": given["q"], "number_of_results": 0, "results": results}
        return _json({**body, "unresponsive_engines": [["two", "timeout"]] if results else []})

    errors = {
        "bad_response": Response("<h1>Forbidden</h1>", 403, content_type="text/html"),
        "unreachable": _json(
            {"query": "x", "results": [], "unresponsive_engines": [["one", "CAPTCHA"], ["two"]]}
        ),
    }
    remake = lambda url: Searxng(endpoint=f"{url}/search")  # noqa: E731  # one of a table
    path = "/searxng/search"
    service = Service(remake(server.url_for("/searxng")), path, errors, remake)
    return _serve(server, service, answer)


def newsapi(server: HTTPServer) -> Service:
    def answer(given: Asked) -> Response:
        size, number = int(given["pageSize"]), int(given["page"])
        found = _found(given["q"])
        articles = [
            {
                "source": {"id": None, "name": "The Shade Times"},
                "author": "Ada Rowan, Ben Birch",
                "title": e["title"] or "[Removed]",
                "description": e["text"],
                "url": e["url"],
                "publishedAt": f"{e['year']}-03-03T10:00:00Z",
                "content": "Cut off … [+1234 chars]",
            }
            for e in found[(number - 1) * size : number * size]
        ]
        return _json({"status": "ok", "totalResults": len(found), "articles": articles})

    def error(code: str, status: int) -> Response:
        said = {"status": "error", "code": code, "message": f"Something is wrong: {code}"}
        return _json(said, status)

    errors = {
        "unauthorised": error("apiKeyInvalid", 401),
        "unauthorised 2": error("apiKeyDisabled", 401),
        "exhausted": error("apiKeyExhausted", 429),
        "exhausted 2": error("maximumResultsReached", 426),
        "rate_limited": error("rateLimited", 429),
        "bad_response": error("unexpectedError", 200),
    }
    remake = lambda url: NewsApi(KEY, endpoint=url)  # noqa: E731  # one of a table
    path = "/v2/everything"
    service = Service(remake(server.url_for(path)), path, errors, remake)
    service.adapter.page_size = 7
    return _serve(server, service, answer)


SERVICES = {"serper": serper, "tavily": tavily, "searxng": searxng, "newsapi": newsapi}
