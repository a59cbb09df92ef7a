"""What a person reads about the sources: one line each, and one line where there is no network."""

import socket

import pytest

QUESTION = "hepatotoxicity of molecules"


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> str:
    """Every service is behind a proxy where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv(name, proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    return proxy


def test_without_a_network_the_question_about_the_result_says_so_once(cli, offline):
    assert offline
    ended = cli("find", QUESTION, "--source", "web", "--no-strategy-review", code=3)
    assert ended.stderr.count("No network: none of the eight services could be reached.") == 1
    assert "FAILED" not in ended.stderr


def test_the_details_of_the_sources_are_a_key_away(cli, reviewing):
    ended = cli("resume", reviewing, typed=["s", "q"], code=3)
    menu = "[a]pprove  [r]elevant"
    ended.shows(menu, "Query", menu)
    assert "Query" not in ended.stderr.partition(menu)[0]


def test_a_mistake_in_a_proxy_is_one_sentence_that_names_the_variable(cli, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example.org")
    ended = cli("find", QUESTION, "--source", "web", "--yes")
    assert ended.stderr.count("HTTPS_PROXY is no address of a proxy") == 1
    assert "bug" not in ended.stderr
