"""The searches of web and news in `paper-search sources` and `doctor`."""

from typing import Any

from paper_search.sources.web import tavily


def test_they_are_listed_with_what_they_need(cli, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "CANARY-web")
    ended = cli("sources", "--json")
    assert "CANARY" not in ended.stdout
    listed: dict[str, Any] = {block["name"]: block for block in ended.document}
    assert listed["tavily"]["enabled"] is True
    assert listed["tavily"]["kind"] == "pages"
    assert "NEWS_API_KEY" in listed["newsapi"]["needs"]
    assert "SEARXNG_URL" in listed["searxng"]["needs"]
    assert listed["openalex"]["kind"] == "papers"
    assert "by reports" in cli("sources").stdout


def test_doctor_asks_those_that_are_set_up(cli, monkeypatch, httpserver):
    found = {"results": [{"title": "Learning", "url": "https://a.example/", "content": "Learn"}]}
    httpserver.expect_request("/tavily").respond_with_json(found)
    monkeypatch.setattr(tavily.Tavily, "endpoint", httpserver.url_for("/tavily"))
    monkeypatch.setenv("TAVILY_API_KEY", "CANARY-web")
    checks = {block["what"]: block for block in cli("doctor", "--json").document}
    assert checks["source tavily"]["found"].startswith("ok: 1")
    monkeypatch.setattr(tavily.Tavily, "endpoint", httpserver.url_for("/nowhere"))
    ended = cli("doctor", "--json", "--source", "tavily", code=1)
    assert "CANARY" not in ended.stdout
