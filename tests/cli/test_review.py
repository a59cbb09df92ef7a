"""`paper-search review`: the page, opened in the browser."""

import socket
import ssl
import subprocess
import sys
import threading
import webbrowser

import httpx
import pytest
from tests.end_to_end.served import bare_environment
from tests.ports import free_port

from paper_search.cli import serve
from paper_search.server.serving import ServerOptions


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    urls: list[str] = []
    monkeypatch.setattr(webbrowser, "open", urls.append)
    return urls


def test_the_page_of_a_server_that_runs_is_opened(cli, opened, httpserver):
    httpserver.expect_request("/review/static/icon.svg").respond_with_data("<svg/>")
    told = cli("review", "--port", str(httpserver.port))
    assert told.code == 0, told.stderr
    assert opened == [f"http://127.0.0.1:{httpserver.port}/review"]
    assert opened[0] in told.stdout + told.stderr
    assert cli("review", "--port", str(httpserver.port), "--no-browser").code == 0
    assert len(opened) == 1


def test_the_page_is_asked_for_without_certificates(cli, opened, httpserver, monkeypatch):
    """While LangGraph's server starts, it replaces `ssl`; who creates a context then recurses."""
    httpserver.expect_request("/review/static/icon.svg").respond_with_data("<svg/>")
    monkeypatch.setattr(ssl.SSLContext, "verify_mode", property(), raising=False)
    assert cli("review", "--port", str(httpserver.port)).code == 0
    assert len(opened) == 1


def test_a_server_of_another_home_is_not_opened_for_a_thread_of_this_one(
    cli, opened, httpserver, waiting
):
    httpserver.expect_request("/review/static/icon.svg").respond_with_data("<svg/>")
    progress = f"/review/threads/{waiting}/progress"
    httpserver.expect_oneshot_request(progress).respond_with_data(status=404)
    port = str(httpserver.port)
    told = cli("review", waiting, "--port", port, code=1)
    assert f"port {port} serves another home" in told.stdout + told.stderr
    assert opened == []
    httpserver.expect_request(progress).respond_with_json({"is_running": False})
    assert cli("review", waiting, "--port", port).code == 0
    assert opened == [f"http://127.0.0.1:{port}/review/threads/{waiting}"]


def test_a_page_that_is_slow_to_say_whether_it_has_a_thread_is_opened(cli, opened, waiting):
    """The icon is answered; the connection for the thread is closed without an answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        threading.Thread(target=_answer_once, args=(server,), daemon=True).start()
        assert cli("review", waiting, "--port", str(port)).code == 0
    assert opened == [f"http://127.0.0.1:{port}/review/threads/{waiting}"]


def _answer_once(server: socket.socket) -> None:
    for answer in (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", b""):
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(answer)


def test_a_port_of_another_program_is_refused(cli, opened, httpserver):
    told = cli("review", "--port", str(httpserver.port), code=1)
    assert f"another program uses port {httpserver.port}" in told.stdout + told.stderr
    assert opened == []


def test_a_thread_that_is_not_there_is_said_before_anything_is_served(cli, opened):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = cli("review", "none", "--port", str(taken.getsockname()[1]), code=4)
    assert "there is no thread 'none'" in told.stdout + told.stderr
    assert opened == []


@pytest.mark.parametrize("command", ["serve", "review"])
def test_a_home_that_keeps_no_threads_is_told_in_one_line_before_anything_is_served(
    cli, opened, tmp_path, command
):
    home = tmp_path / "file"
    home.touch()
    told = cli(command, "--port", str(free_port()), "--home", str(home), code=1)
    assert told.stdout == ""
    assert "threads cannot be stored in" in told.stderr
    assert told.stderr.count("\n") == 1
    assert opened == []


def test_the_page_is_served_to_this_machine_only(cli, monkeypatch):
    served: list[ServerOptions] = []
    monkeypatch.setattr(serve, "_announce", lambda *_: None)
    monkeypatch.setattr(serve, "_serve", lambda options, _: served.append(options))
    port = free_port()
    assert cli("review", "--no-browser", "--port", str(port)).code == 0
    [options] = served
    assert (options.host, options.port) == ("127.0.0.1", port)


@pytest.mark.slow
def test_the_address_that_is_printed_answers_and_a_server_that_is_stopped_leaves_nothing(tmp_path):
    command = [sys.executable, "-m", "paper_search", "review", "--no-browser", "--port"]
    left = tmp_path / "left"
    left.mkdir()
    with subprocess.Popen(  # noqa: S603  # our own command
        [*command, str(free_port())],
        env=bare_environment(tmp_path) | {"TMPDIR": str(left)},
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            address = server.stderr.readline().strip().removeprefix("Review: ")
            assert httpx.get(address, trust_env=False).status_code == httpx.codes.OK
            assert [*left.glob("paper-search-server-*")] != []
            server.terminate()
            server.wait(timeout=60)
        finally:
            server.kill()
    assert [*left.iterdir()] == []
