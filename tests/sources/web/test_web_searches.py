"""Serper, Tavily, SearXNG and NewsAPI, asked over loopback: what they find, and how they fail."""

import json
import re
from copy import copy
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.loopback import Loopback, as_json
from tests.sources.web.services import KEY, PAGES, SERVICES, TITLED, searxng

from paper_search.models import SearchConstraints, SearchStrategy, SourceReport
from paper_search.query import parse
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.sources.web.newsapi import NewsApi
from paper_search.sources.web.searxng import Searxng
from paper_search.sources.web.tavily import Tavily
from paper_search.testing.skills import fake_strategy
from paper_search.testing.sources import SourceContract, check_source

NO_WAITING = SourceSettings(interval_s=0, max_retries=0)


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, httpserver: HTTPServer) -> Loopback:
    return SERVICES[request.param](httpserver)


def strategy(query: str = "learning", **filters: Any) -> SearchStrategy:
    return fake_strategy(query, sources=(), **filters)


async def line(source: HttpSource, query: str = "learning", **filters: Any) -> SourceReport:
    report = await source.report(strategy(query, **filters))
    assert KEY not in report.model_dump_json()
    [said] = report.sources
    return said


async def test_it_keeps_the_contract_of_sources(service):
    contract = SourceContract(
        query="learning", nothing="zzznothing", secrets=[KEY], many=len(TITLED)
    )
    await check_source(HttpSource(service.adapter, NO_WAITING), contract)


async def test_api_05_each_way_to_say_no_is_reported_as_what_it_is(service, httpserver):
    adapter = copy(service.adapter)
    for number, (name, response) in enumerate(service.refusals.items()):
        httpserver.expect_request(f"/no{number}").respond_with_response(response)
        adapter.endpoint = httpserver.url_for(f"/no{number}")
        said = await line(HttpSource(adapter, NO_WAITING))
        assert said.status.value == name.partition(" ")[0], said
        assert said.attempts == 1
    if service.adapter.key_variable:
        unauthorised = await line(HttpSource(service.adapter, NO_WAITING))
        assert unauthorised.error is None


async def test_pages_without_a_title_are_counted_and_the_others_are_whole(service):
    answer = await HttpSource(service.adapter, NO_WAITING).report(strategy(max_results=50))
    [said] = answer.sources
    assert (said.kept, said.dropped) == (len(TITLED), len(PAGES) - len(TITLED))
    first = answer.papers[0]
    assert (first.title, first.url) == ("Learning and shade, part 1", PAGES[0]["url"])
    assert first.snippet == "All on learning & shade, 1."
    assert first.publication_type in {"webpage", "article-newspaper"}
    if service.adapter.name == "newsapi":
        assert [author.name for author in first.authors] == ["Ada Rowan", "Ben Birch"]
        assert (first.venue, first.year) == ("The Shade Times", 2011)
    else:
        assert first.venue == "site1.example.org"


async def test_the_key_goes_into_a_header_and_nowhere_else(service, tmp_path):
    kept = SourceSettings(interval_s=0, max_retries=0, cache_path=tmp_path / "http.db")
    await line(HttpSource(service.adapter, kept))
    for asked in service.asked:
        assert KEY not in asked.pop("url")
        headers = asked.pop("headers")
        assert KEY not in json.dumps(asked)
        assert any(KEY in header for header in headers.values()) is bool(service.adapter.key)
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.iterdir())


async def test_years_are_asked_for_in_the_way_of_the_service(service):
    said = await line(
        HttpSource(service.adapter, NO_WAITING), "learning", year_from=2012, year_to=2014
    )
    asked = json.dumps(service.asked[0])
    if service.adapter.name == "searxng":
        assert said.kept == 3
        assert said.excluded
    else:
        assert "2012" in asked
        assert "2014" in asked
    exactly = {
        "serper": '"tbs": "cdr:1,cd_min:1/1/2012,cd_max:12/31/2014"',
        "tavily": '"start_date": "2012-01-01", "end_date": "2014-12-31"',
        "newsapi": '"from": "2012-01-01", "to": "2014-12-31"',
    }
    assert exactly.get(service.adapter.name, "") in asked


ODD: list[Any] = [
    None,
    [],
    {},
    "text",
    7,
    {"organic": None, "results": None, "articles": None},
    {"organic": 3, "results": "x", "articles": {"a": 1}},
    {"organic": [None, 1, [], {}, {"title": 3, "link": None}], "results": [{"url": 1}]},
    {"results": [{"title": "T", "url": "javascript:alert(1)"}], "unresponsive_engines": 5},
    {"articles": [{"title": "T", "url": "https://a.example/", "source": 1, "author": ["a"]}]},
    {"articles": [{"title": "[Removed]", "url": "https://removed.com"}], "totalResults": -3},
    {"organic": [{"title": "a\ud800\x00\u202e", "link": "https://a.example/\x00"}]},
    {"status": "error"},
    {"message": {"a": 1}, "detail": [1], "error": {"error": None}},
]


@pytest.mark.parametrize("body", ODD, ids=str)
@pytest.mark.parametrize("name", SERVICES)
async def test_api_13_answers_of_an_odd_shape_lose_only_what_is_odd(name, body, httpserver):
    adapter = SERVICES[name](httpserver).adapter
    adapter.endpoint = httpserver.url_for("/odd")
    httpserver.expect_request("/odd").respond_with_response(as_json(body))
    report = await line(HttpSource(adapter, NO_WAITING))
    assert report.status.value in {"ok", "empty", "partial", "bad_response"}
    assert "bug" not in str(report.error)


async def test_the_empty_page_behind_the_last_one_is_asked_for_once(httpserver):
    service = searxng(httpserver)
    await line(HttpSource(service.adapter, NO_WAITING), max_results=50)
    assert [int(asked["pageno"]) for asked in service.asked] == [1, 2, 3, 4]


async def test_a_server_that_gives_no_json_is_told_how_to(httpserver):
    httpserver.expect_request("/search").respond_with_data("no", 403)
    said = await line(HttpSource(Searxng(endpoint=httpserver.url_for("/search")), NO_WAITING))
    assert "search.formats" in str(said.error)


@pytest.mark.parametrize(
    ("query", "engine", "plain"),
    [
        ("shade trees", "shade trees", "shade trees"),
        ('"shade trees" AND street', '"shade trees" street', "shade trees street"),
        ("(a OR b) AND NOT c", "(a OR b) -c", "a b"),
        ("title:trees NEAR/3 heat", "(trees heat)", "trees heat"),
        ("tree* AND NOT (x OR y)", "tree -x -y", "tree"),
    ],
)
def test_queries_are_said_as_each_kind_of_service_reads_them(query, engine, plain):
    filters = SearchConstraints()
    assert Searxng().translate(parse(query), filters).text == engine
    assert Tavily(KEY).translate(parse(query), filters).text == plain


def test_news_are_asked_with_operators():
    tree = parse('"shade trees" AND (heat OR drought) NOT x')
    text = NewsApi(KEY).translate(tree, SearchConstraints()).text
    assert text == '(("shade trees" AND (heat OR drought)) NOT x)'


async def test_a_query_that_is_too_long_is_asked_in_parts_and_never_cut(service):
    words = [f"word{number:03}" for number in range(90)]
    report = await HttpSource(service.adapter, NO_WAITING).report(strategy(" OR ".join(words)))
    limit = service.adapter.longest_text
    texts = [str(asked.get("q") or asked.get("query") or "") for asked in service.asked]
    assert [part.error for part in report.sources if part.error] == []
    assert {word for text in texts for word in re.findall(r"word\d{3}", text)} == set(words)
    assert limit is None or max(map(len, texts)) <= limit
