"""`paper-search config`, and the question of the first search at a terminal."""

import base64
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Cli

from paper_search.config import WEB_SOURCES, load_config

QUESTION = "graph neural networks for molecules"
ASKED = "Where do you want to search?"
MENU_1 = "[a]pprove  [e]dit"


def shown(cli: Cli) -> dict[str, dict[str, Any]]:
    return {block["name"]: block for block in cli("config", "--json").document}


def searched(home: Path) -> list[str]:
    return [name for name, item in load_config(home=home).sources.items() if item.enabled]


def test_no_secret_is_shown(cli, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "CANARY-1")
    monkeypatch.setenv("SERPAPI_API_KEY", "CANARY-2")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:CANARY-3@host/db")
    monkeypatch.setenv("PAPER_SEARCH_TOKENS", "me=CANARY-4-of-sixteen")
    monkeypatch.setenv("TAVILY_API_KEY", "CANARY-5")
    for ended in (cli("config"), cli("config", "--json")):
        assert ended.code == 0
        assert "CANARY" not in ended.stdout + ended.stderr
    settings = shown(cli)
    for name in ("llm.api_key", "serpapi_scholar.api_key", "tavily.api_key", "database_url"):
        assert settings[name]["value"] == "set"
    assert settings["serpapi_scholar.api_key"]["origin"] == "SERPAPI_API_KEY"


def test_what_is_set_for_a_service_is_shown(cli, monkeypatch):
    values = {
        "SNOWBALL_MAX_CALLS": "7",
        "SERPAPI_RATE_LIMIT": "0.5",
        "SEARXNG_URL": "http://localhost:8888",
        "CORE_API_KEY": "CANARY-core",
        "NCBI_API_KEY": "CANARY-ncbi",
        "PAPER_SEARCH_ENCRYPTION_KEY": base64.b64encode(bytes(range(32))).decode(),
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    rows = shown(cli)
    assert rows["snowball.max_calls"]["value"] == "7"
    assert rows["serpapi_scholar.rate_limit"]["value"] == "0.5"
    assert rows["searxng.url"]["value"] == "http://localhost:8888"
    assert rows["web"]["value"] == "searxng"
    assert rows["core.api_key"]["value"] == rows["encryption"]["value"] == "set"
    assert rows["core.api_key"]["origin"] == "CORE_API_KEY"
    assert rows["pubmed.api_key"]["origin"] == "NCBI_API_KEY"


def test_sources_are_set_and_set_back(cli, home):
    assert cli("config", "set", "sources", "web").code == 0
    assert searched(home) == list(WEB_SOURCES)
    assert shown(cli)["sources"]["origin"] == "config.toml"
    assert cli("config", "unset", "sources").code == 0
    assert searched(home) == ["library"]


def test_a_variable_that_counts_more_is_named(cli, monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "arxiv")
    ended = cli("config", "set", "sources", "library")
    assert "environment: PAPER_SEARCH_SOURCES takes precedence" in ended.stderr


def strategy_of(cli: Cli, thread: str) -> dict[str, Any]:
    detail = cli("show", thread, "--json").document
    strategy: dict[str, Any] = detail["open_checkpoint"]["payload"]["strategy"]
    return strategy


def test_the_first_search_at_a_terminal_asks_once_and_the_answer_is_remembered(cli, home):
    cli("find", QUESTION, typed=["", "l", "q"], code=3).shows(
        *(
            ASKED,
            "OpenAlex",
            "only this machine: the sample",
            "[w]eb  [l]ibrary",
            "is none of: w, l",
            " config set sources web",
        ),
        MENU_1,
    )
    assert (home / "config.toml").read_text() == 'sources = "library"\n'
    again = cli("find", QUESTION, typed=["q"], code=3)
    again.shows(MENU_1)
    assert ASKED not in again.stderr


def test_who_wants_the_services_gets_them_and_older_threads_keep_theirs(cli, home):
    assert cli("find", QUESTION).code == 3
    (old,) = cli("threads", "--json").document
    cli("find", QUESTION, typed=["web", "q"], code=3).shows(ASKED, MENU_1)
    assert searched(home) == list(WEB_SOURCES)
    new = cli("threads", "--json").document[0]["thread_id"]
    assert strategy_of(cli, new)["sources"] == list(WEB_SOURCES)
    rejected = cli("resume", old["thread_id"], "--reject", "newer ones", "--json")
    payload = rejected.document["checkpoint"]["payload"]
    assert payload["strategy"]["sources"] == payload["available_sources"] == ["library"]


def test_who_has_a_library_searches_it_with_the_services(cli, home, tmp_path):
    file = tmp_path / "own.bib"
    file.write_text("@article{a, title={Graphs}, author={A. Author}, year={2020}}")
    assert cli("library", "add", str(file)).code == 0
    asked = cli("find", QUESTION, typed=["w", "q"])
    asked.shows("your library and eight public services", "your own library only", MENU_1)
    assert searched(home) == ["library", *WEB_SOURCES]


@pytest.mark.parametrize("typed", [["q"], []])
def test_who_quits_there_searches_nothing_and_is_asked_again(cli, home, typed):
    cli("find", QUESTION, typed=typed, COLUMNS="80", code=1).shows(
        "OpenAlex, Crossref,\n     arXiv,",
        "[w]eb  [l]ibrary",
        "nothing was searched; you will be asked again",
    )
    assert cli("threads", "--json").document == []
    assert not (home / "config.toml").exists()


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("--source", "library"), {}),
        ((), {"PAPER_SEARCH_SOURCES": "library"}),
        ((), {"SERPAPI_API_KEY": "CANARY-key"}),
        (("--yes",), {}),
        (("--json",), {}),
    ],
)
def test_who_has_said_it_already_or_wants_no_questions_is_not_asked(cli, home, args, env):
    ended = cli("find", QUESTION, *args, typed=["q"], **env)
    assert ASKED not in ended.stderr
    assert not (home / "config.toml").exists()
