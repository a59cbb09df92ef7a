"""`paper-search review`: the page, opened in the browser."""

from __future__ import annotations

import socket
import webbrowser

import pytest
from pytest_httpserver import HTTPServer


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    urls: list[str] = []
    monkeypatch.setattr(webbrowser, "open", urls.append)
    return urls


def test_the_page_of_a_server_that_runs_is_opened(cli, opened, httpserver: HTTPServer):
    httpserver.expect_request("/review/static/icon.svg").respond_with_data("<svg/>")
    told = cli("review", "--port", str(httpserver.port))
    assert told.code == 0, told.stderr
    assert opened == [f"http://127.0.0.1:{httpserver.port}/review"]
    assert opened[0] in told.stdout + told.stderr
    assert cli("review", "--port", str(httpserver.port), "--no-browser").code == 0
    assert len(opened) == 1


def test_a_port_of_another_program_is_refused(cli, opened, httpserver: HTTPServer):
    told = cli("review", "--port", str(httpserver.port))
    assert told.code == 1
    assert f"another program has port {httpserver.port}" in told.stdout + told.stderr
    assert opened == []


def test_a_thread_that_is_not_there_is_said_before_anything_is_served(cli, opened):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = cli("review", "none", "--port", str(taken.getsockname()[1]))
    assert told.code == 4
    assert "there is no thread 'none'" in told.stdout + told.stderr
    assert opened == []
