"""`paper-search report` over loopback: papers, web, news, a page and an open PDF, quoted."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.pages.site import fetcher_for, page, pdf
from typer.testing import CliRunner

from paper_search.cli.app import app
from paper_search.report.claims.citations import locate
from paper_search.report.models import SearchResult
from paper_search.report.page_reader import PageReader
from paper_search.report_workflow import assembly
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.web import newsapi

QUESTION = "Do shade trees lower the temperature of city streets?"
IN_PDF = (
    "Shade trees lower the temperature of city streets by 2.5 degrees in July.",
    "The temperature of city streets under shade trees fell most in the afternoon.",
    "We measured shade trees in 40 city streets with sensors at two heights.",
)
IN_PAGE = (
    "The city council planted 900 shade trees to lower the temperature of city streets.",
    "Its engineers say that city streets with shade trees are 1.8 degrees cooler at noon.",
    "Residents of the city streets asked for more shade trees and for more benches.",
)
IN_NEWS = (
    "Shade trees kept city streets cooler in the hottest week, a newspaper found.",
    "The temperature of city streets without shade trees rose to 41 degrees on Tuesday.",
    "Planting shade trees in city streets costs 700 dollars each, the mayor said.",
)
ABSTRACT = "We study shade trees in city streets. The full text has the temperature."
KEYS = ("LLM_", "PAPER_SEARCH_", "DATABASE_URL")


@pytest.fixture
def world(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> HTTPServer:
    """Services and sites on this machine, in the place of those of the world."""
    for name in list(os.environ):
        if name.startswith(KEYS) or name.endswith(("_API_KEY", "_MAX_CALLS", "_URL")):
            monkeypatch.delenv(name)
    httpserver.no_handler_status_code = 404
    site = f":{httpserver.port}"
    work = {
        "id": "https://openalex.org/W1",
        "title": "Shade trees and the temperature of city streets",
        "publication_year": 2020,
        "authorships": [{"author": {"display_name": "Ada Rowan"}}],
        "abstract_inverted_index": {w: [n] for n, w in enumerate(ABSTRACT.split())},
        "best_oa_location": {"is_oa": True, "pdf_url": f"http://papers.example.org{site}/1.pdf"},
        "open_access": {"is_oa": True},
    }
    httpserver.expect_request("/openalex").respond_with_json(
        {"meta": {"count": 1, "next_cursor": None}, "results": [work]}
    )
    httpserver.expect_request("/searxng/search").respond_with_json(
        {
            "results": [
                {
                    "title": "Shade trees in our city streets",
                    "url": f"http://www.city.example.org{site}/trees",
                    "content": "Shade trees and the temperature of city streets.",
                },
                {
                    "title": "Shade trees of city streets, inside",
                    "url": "http://169.254.169.254/latest/shade-trees",
                    "content": "Shade trees and the temperature of city streets, inside.",
                },
            ]
        }
    )
    article = {
        "source": {"name": "The Shade Times"},
        "author": "Ben Birch",
        "title": "City streets with shade trees kept a lower temperature",
        "description": "Shade trees and the temperature of city streets.",
        "url": f"http://news.example.org{site}/story",
        "publishedAt": "2026-11-02T10:00:00Z",
    }
    httpserver.expect_request("/news").respond_with_json(
        {"status": "ok", "totalResults": 1, "articles": [article]}
    )
    httpserver.expect_request("/1.pdf").respond_with_data(
        pdf([work["title"], *IN_PDF]), content_type="application/pdf"
    )
    for path, texts, title in (
        ("/trees", IN_PAGE, "Shade trees in our city streets"),
        ("/story", IN_NEWS, str(article["title"])),
    ):
        httpserver.expect_request(path).respond_with_data(
            page(*texts, title=title), content_type="text/html; charset=utf-8"
        )
    monkeypatch.setenv(
        "SEARXNG_URL", httpserver.url_for("/searxng").replace("localhost", "127.0.0.1")
    )
    monkeypatch.setenv("NEWS_API_KEY", "CANARY-news")
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "openalex")
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(newsapi.NewsApi, "endpoint", httpserver.url_for("/news"))
    catalogue = OpenAlex(endpoint=httpserver.url_for("/openalex"))
    monkeypatch.setattr(
        OpenAlex, "source", lambda *_: HttpSource(catalogue, SourceSettings(interval_s=0))
    )
    monkeypatch.setattr(
        assembly, "page_reader", lambda _: PageReader(lambda: fetcher_for(httpserver.port))
    )
    return httpserver


def written(*options: str) -> dict[str, Any]:
    words = ["report", QUESTION, "--yes", "--depth", "comprehensive", "--format", "json", *options]
    ended = CliRunner().invoke(app, words, prog_name="paper-search")
    assert ended.exit_code == 0, ended.stderr
    assert "CANARY" not in ended.stdout + ended.stderr
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def asked(server: HTTPServer, *paths: str) -> list[str]:
    return [request.path for request, _ in server.log if request.path in paths]


def test_a_report_quotes_what_stands_in_pages_and_open_papers(world):
    """INJ-04, SEC-13: and asks nothing of the machine's own network."""
    report = written()
    results = [SearchResult.model_validate(row) for row in report["sources"]]
    kinds = {item.metadata["source_type"]: item for item in results if item.full_content}
    assert set(kinds) == {"academic", "web", "news"}
    whole = json.dumps(report["content"]["sections"], ensure_ascii=False)
    for kind, texts in (("academic", IN_PDF), ("web", IN_PAGE), ("news", IN_NEWS)):
        result = kinds[kind]
        said = [text for text in texts if text.rstrip(".") in whole]
        assert said, f"nothing of the {kind} source is quoted"
        assert all(locate(text, result) is not None for text in said)
    assert sorted(asked(world, "/1.pdf", "/trees", "/story")) == ["/1.pdf", "/story", "/trees"]
    assert "not a public address" in json.dumps(report)


def test_without_pages_none_is_fetched(world):
    report = written("--pages", "0")
    assert asked(world, "/1.pdf", "/trees", "/story", "/robots.txt") == []
    assert report["status"] in {"complete", "partial"}


def test_only_the_sources_that_are_named_are_asked(world):
    written("--source", "openalex")
    assert asked(world, "/searxng/search", "/news") == []
    assert asked(world, "/1.pdf") == ["/1.pdf"]
