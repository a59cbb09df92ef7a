"""What a person reads about the sources: one line each, and one line where there is no network."""

import socket

import pytest

from paper_search.cli.source_lines import no_network
from paper_search.models import Purpose, SourceReport, SourceStatus
from paper_search.models.source_report import OF_ENRICHER, losses

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
    assert ended.stderr.count("HTTPS_PROXY is not a proxy address") == 1
    assert "bug" not in ended.stderr


def test_a_service_that_also_fills_gaps_counts_once():
    def failure(name: str, purpose: Purpose) -> SourceReport:
        return SourceReport(source=name, purpose=purpose, status=SourceStatus.UNREACHABLE)

    rows = [failure(name, Purpose.SEARCH) for name in ("openalex", "crossref")]
    rows += [failure(f"{name}{OF_ENRICHER}", Purpose.FILL) for name in ("openalex", "crossref")]
    assert "none of the two services could be reached" in str(no_network(rows))
    assert losses([rows[0], rows[2]]) == (
        "papers may be missing: openalex; "
        "abstracts, DOIs or open texts may be missing: openalex (enrichment)"
    )
