"""Serper, Tavily, SearXNG and NewsAPI on the loopback interface, from one shelf of pages."""

from typing import Any

from pytest_httpserver import HTTPServer
from tests.sources.loopback import Asked, Loopback, as_json, serve
from werkzeug import Response

from paper_search.sources.serper import SerperWeb
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


def _found(query: str) -> list[dict[str, Any]]:
    return PAGES if "learning" in query.lower() else []


def serper(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
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
        return {"searchParameters": {"q": given["q"]}, "organic": organic, "credits": 1}

    refusals = {
        "unauthorised": as_json({"message": "Unauthorized.", "statusCode": 403}, 403),
        "exhausted": as_json({"message": "Not enough credits", "statusCode": 400}, 400),
        "bad_response": as_json({"message": f"No, {KEY}", "statusCode": 400}),
    }
    adapter = SerperWeb(KEY, endpoint=server.url_for("/serper"))
    return serve(server, adapter, {"/serper": answer}, refusals)


def tavily(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
        results = [
            {"title": e["title"], "url": e["url"], "content": e["text"], "score": 0.5}
            for e in _found(given["query"])
        ]
        return {"query": given["query"], "answer": None, "results": results}

    refusals = {
        "unauthorised": as_json({"detail": {"error": "Unauthorized: invalid API key."}}, 401),
        "exhausted": as_json({"detail": {"error": "This request exceeds your plan's limit."}}, 432),
        "exhausted 2": as_json({"detail": {"error": "Pay-as-you-go limit."}}, 433),
        "bad_response": as_json({"error": {"code": "odd", "message": f"No, {KEY}"}}),
    }
    adapter = Tavily(KEY, endpoint=server.url_for("/tavily"))
    return serve(server, adapter, {"/tavily": answer}, refusals)


def searxng(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
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
        return {**body, "unresponsive_engines": [["two", "timeout"]] if start or results else []}

    refusals = {
        "bad_response": Response("<h1>Forbidden</h1>", 403, content_type="text/html"),
        "unreachable": as_json(
            {"query": "x", "results": [], "unresponsive_engines": [["one", "CAPTCHA"], ["two"]]}
        ),
    }
    adapter = Searxng(endpoint=server.url_for("/searxng"))
    return serve(server, adapter, {"/searxng": answer}, refusals)


def newsapi(server: HTTPServer) -> Loopback:
    def answer(given: Asked) -> Any:
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
        return {"status": "ok", "totalResults": len(found), "articles": articles}

    def error(code: str, status: int) -> Response:
        said = {"status": "error", "code": code, "message": f"Something is wrong: {code}"}
        return as_json(said, status)

    refusals = {
        "unauthorised": error("apiKeyInvalid", 401),
        "unauthorised 2": error("apiKeyDisabled", 401),
        "exhausted": error("apiKeyExhausted", 429),
        "exhausted 2": error("maximumResultsReached", 426),
        "rate_limited": error("rateLimited", 429),
        "bad_response": error("unexpectedError", 200),
    }
    adapter = NewsApi(KEY, endpoint=server.url_for("/newsapi"))
    adapter.page_size = 7
    return serve(server, adapter, {"/newsapi": answer}, refusals)


SERVICES = {"serper": serper, "tavily": tavily, "searxng": searxng, "newsapi": newsapi}
