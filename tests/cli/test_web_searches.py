"""The searches of web and news in `paper-search sources` and `doctor`."""

from paper_search.sources.web import tavily


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
