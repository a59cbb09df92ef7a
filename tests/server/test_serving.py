"""How the server is started: what is open, and what is not."""

import json
import socket
from pathlib import Path

import pytest

from paper_search.config import STUDIO, AppConfig, ServerConfig, load_config
from paper_search.errors import ConfigError
from paper_search.server import serving

DOCUMENT = json.loads((Path(__file__).parents[2] / "langgraph.json").read_text(encoding="utf-8"))
OPEN = AppConfig()
KEPT = AppConfig(server=ServerConfig(tokens={"ada": "CANARY-token-of-ada-01"}))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "papers.lan"])  # noqa: S104  # refused
def test_an_address_that_others_reach_needs_tokens__sec_07(host):
    with pytest.raises(ConfigError, match="PAPER_SEARCH_TOKENS"):
        serving.check_options(serving.ServerOptions(host=host), OPEN)
    serving.check_options(serving.ServerOptions(host=host), KEPT)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_another_program_has_is_told(host):
    with socket.create_server((host, 0)) as other:
        options = serving.ServerOptions(host=host, port=other.getsockname()[1])
        with pytest.raises(ConfigError, match="choose another one with --port"):
            serving.check_port(options)
    serving.check_port(options)


def test_it_listens_to_this_machine_only__sec_07():
    assert serving.server_settings(serving.ServerOptions(), OPEN)["host"] == "127.0.0.1"


def test_only_named_pages_may_use_it__sec_06():
    assert serving.http_settings(OPEN)["cors"]["allow_origins"] == [STUDIO]
    named = AppConfig(server=ServerConfig(origins=["https://papers.example/"]))
    assert serving.http_settings(named)["cors"]["allow_origins"] == ["https://papers.example"]
    assert "*" not in json.dumps(serving.http_settings(OPEN)["cors"])


@pytest.mark.parametrize("origins", ["*", "https://*.example", "papers.example"])
def test_no_page_is_named_by_a_star__sec_06(origins, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAPER_SEARCH_ORIGINS", origins)
    with pytest.raises(ConfigError, match="origins"):
        load_config()


def test_the_tools_are_served_on_purpose_only_and_never_langgraphs_own():
    assert serving.http_settings(OPEN)["disable_mcp"]
    assert "PAPER_SEARCH_MCP" not in serving.server_settings(serving.ServerOptions(), OPEN)["env"]
    opened = serving.server_settings(serving.ServerOptions(is_mcp_open=True), OPEN)
    assert (opened["env"]["PAPER_SEARCH_MCP"], opened["http"]["disable_mcp"]) == ("true", True)


def test_nothing_is_told_to_others_unasked__sec_20():
    settings = serving.server_settings(serving.ServerOptions(), OPEN)
    assert settings["env"]["LANGSMITH_TRACING"] == "false"
    assert settings["env"]["LANGGRAPH_CLI_NO_ANALYTICS"] == "1"
    assert settings["env"]["LANGGRAPH_NO_VERSION_CHECK"] == "true"
    assert not settings["open_browser"]
    assert serving.environment(is_tracing=True)["LANGSMITH_TRACING"] == "true"


@pytest.mark.parametrize(("shows_logs", "level"), [(False, "ERROR"), (True, "INFO")])
def test_the_server_logs_on_request_only_and_without_colours_in_a_file(shows_logs, level):
    env = serving.server_settings(serving.ServerOptions(shows_logs=shows_logs), OPEN)["env"]
    assert (env["LOG_LEVEL"], env["LOG_COLOR"]) == (level, "false")


def test_the_server_pickles_nothing__per_16():
    settings = serving.server_settings(serving.ServerOptions(), OPEN)
    assert settings["checkpointer"]["serde"] == {"pickle_fallback": False}
    assert settings["disable_persistence"]
    assert settings["env"]["LANGGRAPH_STRICT_MSGPACK"] == "true"


def test_no_header_reaches_a_checkpoint_or_a_log__per_18():
    http = serving.http_settings(OPEN)
    assert http["configurable_headers"] == {"includes": [], "excludes": ["*"]}
    assert http["logging_headers"] == {"includes": [], "excludes": ["*"]}


def test_studio_gets_no_way_round_the_tokens__sec_01():
    assert serving.server_settings(serving.ServerOptions(), KEPT)["auth"]["disable_studio_auth"]


def test_langgraph_json_says_the_same():
    """So `langgraph dev` and what `langgraph build` makes are as closed as `paper-search serve`."""
    ours = serving.server_settings(serving.ServerOptions(), OPEN)
    described = {name: graph["description"] for name, graph in ours["graphs"].items()}
    assert described == {name: graph["description"] for name, graph in DOCUMENT["graphs"].items()}
    without_app = {name: value for name, value in DOCUMENT["http"].items() if name != "app"}
    assert without_app == {n: value for n, value in ours["http"].items() if n != "app"}
    assert DOCUMENT["auth"]["disable_studio_auth"]
    assert DOCUMENT["checkpointer"]["serde"] == ours["checkpointer"]["serde"]
    ours_only = {"LANGGRAPH_CLI_NO_ANALYTICS"}
    assert DOCUMENT["env"] == {n: v for n, v in serving.environment().items() if n not in ours_only}


def test_its_settings_are_those_of_the_directory_it_was_called_in(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    (tmp_path / ".env").write_text("LLM_MODEL=from-file\n")
    config = load_config(home="here")
    env = serving.server_settings(serving.ServerOptions(), config)["env"]
    assert env["PAPER_SEARCH_HOME"] == str(tmp_path / "here")
    assert env["DATABASE_URL"] == f"sqlite:///{tmp_path / 'here' / 'threads.db'}"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert load_config().llm.model == "from-file"


@pytest.mark.parametrize("name", ["BROWSER", "LD_PRELOAD", "HTTPS_PROXY", "LANGSMITH_ENDPOINT"])
def test_no_line_of_a_settings_file_becomes_a_variable_of_another_program(
    name, monkeypatch, tmp_path
):
    """`review` opens the browser that BROWSER names, and a proxy would see what is sent."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"{name}=CANARY\n")
    env = serving.server_settings(serving.ServerOptions(), load_config())["env"]
    assert name not in env
    assert "CANARY" not in env.values()


def test_studio_is_told_where_the_server_is():
    url = serving.studio_url(serving.ServerOptions(port=2025))
    assert url == f"{STUDIO}/studio/?baseUrl=http://127.0.0.1:2025"
