"""Settings: who wins, what is refused, and that no secret is shown."""

import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from paper_search.config import (
    WEB_SOURCES,
    AppConfig,
    EmbeddingsConfig,
    LLMConfig,
    SearchSourceConfig,
    ServerConfig,
    expand_sources,
    forget_setting,
    load_config,
    remember_setting,
    setting_origins,
    use_one_blas_thread,
)
from paper_search.errors import ConfigError, InputError, UnknownNameError
from paper_search.http.redaction import redact
from paper_search.models.settings import NetworkConfig, Setting, ZoteroConfig
from paper_search.sources.base import service_of

OURS = (
    "LLM_",
    "PAPER_SEARCH_",
    "DEDUP_",
    "RELEVANCE_",
    "DOMAIN",
    "DATABASE_URL",
    "EDITOR",
    "VISUAL",
    "SEARXNG_URL",
    "ZOTERO_LIBRARY",
)
SUFFIXES = ("_KEY", "_MAX_CALLS", "_RATE_LIMIT", "_MAX_RESULTS", "_CEILING", "_DEADLINE_S")


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch, tmp_path):
    for name in [*os.environ]:
        if name.startswith(OURS) or name.endswith(SUFFIXES):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def enabled(config: AppConfig) -> list[str]:
    return [name for name, item in config.sources.items() if item.enabled]


@pytest.fixture
def env_file(tmp_path):
    def write(**values: str):
        path = tmp_path / "settings.env"
        path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        return path

    return write


def test_without_any_setting_the_defaults_are_those_of_the_interface():
    config = load_config()
    assert config.llm == LLMConfig(
        provider="openai", model="", api_key="", base_url=None, temperature=0.0, max_tokens=4096
    )
    assert (config.default_max_results, config.domain) == (100, "general")
    assert config.relevance_max_concurrency == 5
    assert config.dedup_enable_llm_pass is True
    assert config.dedup_llm_max_candidates == 60
    assert not config.llm.is_wanted
    assert not LLMConfig(api_key="k").is_wanted
    assert LLMConfig(model="m").is_wanted
    assert "serpapi_scholar" not in config.sources
    source = SearchSourceConfig(name="x")
    assert (source.api_key, source.enabled, source.rate_limit, source.max_calls) == (
        "",
        True,
        1.0,
        None,
    )


VALUES = {
    "LLM_MODEL": ("m", "llm.model", "m"),
    "LLM_BASE_URL": ("http://x/v1", "llm.base_url", "http://x/v1"),
    "LLM_TEMPERATURE": ("0.5", "llm.temperature", 0.5),
    "LLM_MAX_TOKENS": ("10", "llm.max_tokens", 10),
    "OPENAI_API_KEY": ("sk-1", "llm.api_key", "sk-1"),
    "DEFAULT_MAX_RESULTS": ("7", "default_max_results", 7),
    "PAPER_SEARCH_PAGES": ("0", "report_pages", 0),
    "DOMAIN": ("materials_science", "domain", "materials_science"),
    "RELEVANCE_BATCH_SIZE": ("3", "relevance_batch_size", 3),
    "RELEVANCE_MAX_CONCURRENCY": ("2", "relevance_max_concurrency", 2),
    "DEDUP_ENABLE_LLM_PASS": ("false", "dedup_enable_llm_pass", False),
    "DEDUP_LLM_MAX_CANDIDATES": ("0", "dedup_llm_max_candidates", 0),
    "PAPER_SEARCH_HOME": ("here", "home", Path("here")),
    "PAPER_SEARCH_CONTACT": ("me@x.org", "contact", "me@x.org"),
    "PAPER_SEARCH_HTTP_CACHE": ("0", "http_cache", False),
    "SOURCE_DEADLINE_S": ("9", "source_deadline_s", 9.0),
    "SCOPE_DEADLINE_S": ("2", "scope_deadline_s", 2.0),
    "DATABASE_URL": ("memory:", "database_url", "memory:"),
}


def _at(config, path):
    for name in path.split("."):
        config = getattr(config, name)
    return config


@pytest.mark.parametrize("name", VALUES)
def test_a_variable_sets_its_field_in_the_environment_or_a_file_and_not_if_empty(
    monkeypatch, env_file, name
):
    text, path, value = VALUES[name]
    assert _at(load_config(env_file(**{name: text})), path) == value
    for written, is_set in ((text, True), ("", False)):
        monkeypatch.setenv(name, written)
        assert (_at(load_config(), path) == value) is is_set


def test_the_environment_wins_over_the_file_and_arguments_over_both(monkeypatch, env_file):
    Path(".env").write_text("DOMAIN=here\n")
    assert load_config().domain == "here"
    path = env_file(DOMAIN="file", LLM_MODEL="file", PAPER_SEARCH_HOME="file")
    monkeypatch.setenv("DOMAIN", "environment")
    monkeypatch.setenv("PAPER_SEARCH_HOME", "environment")
    config = load_config(path, home="argument")
    assert (config.domain, config.llm.model) == ("environment", "file")
    assert config.home == Path("argument")


KEY_IN_ADDRESS = (
    *("https://h/v1?key=CANARY-1", "https://me:CANARY-1@h/v1"),
    *("https://CANARY-1@h", "https://h#CANARY-1"),
)
NO_SERVICE = (
    *("a.example:8888", "ftp://a.example", "http://a:b@c.example", "http://a.example?key=x"),
)


def test_a_named_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="nowhere"):
        load_config(tmp_path / "nowhere.env")


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("LLM_TEMPERATURE", "warm", "llm.temperature"),
        ("LLM_MAX_TOKENS", "many", "llm.max_tokens"),
        ("DEFAULT_MAX_RESULTS", "0", "default_max_results"),
        ("RELEVANCE_BATCH_SIZE", "-1", "relevance_batch_size"),
        ("RELEVANCE_MAX_CONCURRENCY", "0", "relevance_max_concurrency"),
        ("DEDUP_ENABLE_LLM_PASS", "perhaps", "dedup_enable_llm_pass"),
        ("DEDUP_LLM_MAX_CANDIDATES", "-1", "dedup_llm_max_candidates"),
        *(("LLM_BASE_URL", address, "llm.base_url") for address in KEY_IN_ADDRESS),
        ("PAPER_SEARCH_EMBEDDINGS_BASE_URL", KEY_IN_ADDRESS[0], "embeddings.base_url"),
        *(("SEARXNG_URL", address, "web.searxng.url (SEARXNG_URL)") for address in NO_SERVICE),
        ("PUBMED_MAX_CALLS", "-1", "sources.pubmed.max_calls (PUBMED_MAX_CALLS)"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_by_its_field_and_not_shown(
    monkeypatch, name, text, path
):
    monkeypatch.setenv(name, text)
    with pytest.raises(ConfigError, match=re.escape(path)) as refusal:
        load_config()
    assert len(text) < 3 or text not in str(refusal.value)  # "0" may stand in a reason


def test_all_bad_values_are_named_at_once_and_none_is_shown(monkeypatch):
    monkeypatch.setenv("LLM_TEMPERATURE", "hunter2")
    monkeypatch.setenv("DEFAULT_MAX_RESULTS", "hunter2")
    with pytest.raises(ConfigError, match=r"default_max_results.*; llm\.temperature") as caught:
        load_config()
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_nothing_on_the_web_is_searched_unasked_but_a_source_with_a_key(monkeypatch):
    assert enabled(load_config()) == ["library"]
    values = {
        "SERPAPI_API_KEY": " key\n", "SERPAPI_MAX_CALLS": "0", "OPENALEX_API_KEY": "key",
        "S2_API_KEY": "other", "CROSSREF_MAX_CALLS": "7", "CROSSREF_RATE_LIMIT": "0.5",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    config = load_config()
    assert {*enabled(config)} == {"library", "serpapi_scholar", "openalex", "semantic_scholar"}
    scholar, crossref = config.sources["serpapi_scholar"], config.sources["crossref"]
    assert (scholar.api_key, scholar.max_calls) == ("key", 0)
    assert (crossref.max_calls, crossref.rate_limit) == (7, 0.5)


def test_the_sources_that_are_named_are_searched_in_their_order_and_no_others(monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "crossref, third_party,openalex")
    monkeypatch.setenv("OPENALEX_API_KEY", "key")
    monkeypatch.setenv("SERPAPI_API_KEY", "key")
    config = load_config()
    assert enabled(config) == ["crossref", "third_party", "openalex"]
    assert config.sources["openalex"].api_key == "key"


def test_the_key_of_an_unknown_provider_is_never_read(monkeypatch):
    """SEC: the name of a variable does not come from outside."""
    for provider in ("aws_secret", "database", "serpapi"):
        monkeypatch.setenv("LLM_PROVIDER", provider)
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "not yours")
        config = load_config()
        assert config.llm.api_key == ""
        assert config.llm.provider == provider


@pytest.mark.parametrize("text", ["openai", "OpenAI", " openai ", ""])
def test_the_provider_is_read_in_any_case_and_empty_means_the_default(monkeypatch, text):
    monkeypatch.setenv("LLM_PROVIDER", text)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1\n")
    assert (load_config().llm.provider, load_config().llm.api_key) == ("openai", "sk-1")


def test_no_secret_is_in_a_repr():
    config = AppConfig(
        llm=LLMConfig(api_key="hunter2"),
        sources={"s": SearchSourceConfig(name="s", api_key="hunter2")},
        database_url="postgresql://user:hunter2@host/db",
    )
    assert "hunter2" not in repr(config)
    assert "hunter2" not in str(config)
    assert "hunter2" not in repr(config.llm)
    assert "hunter2" not in repr(config.sources["s"])


def hidden_fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        if not field.repr:
            yield prefix + name
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from hidden_fields(kind, f"{prefix}{name}.")


def test_every_field_that_no_repr_shows_is_removed_from_logs():
    proxy = Setting(variable="HTTP_PROXY", value="http://me:CANARY-1@p")
    config = AppConfig(
        database_url="postgresql://me:CANARY-2@host/db",
        sources={"s": SearchSourceConfig(name="s", api_key="CANARY-3")},
        web={"w": SearchSourceConfig(name="w", api_key="CANARY-4")},
        llm=LLMConfig(api_key="CANARY-5", api_keys={"xai": "CANARY-6"}),
        embeddings=EmbeddingsConfig(api_key="CANARY-7"),
        server=ServerConfig(tokens={"ada": "CANARY-8-of-sixteen"}),
        zotero=ZoteroConfig(api_key="CANARY-9"),
        network=NetworkConfig(http=proxy, https=proxy),
    )
    without_password = {"network.exceptions.value", "network.certificates.value"}
    assert {*hidden_fields(AppConfig)} - without_password == {
        "database_url", "sources.api_key", "web.api_key", "llm.api_key", "llm.api_keys",
        "embeddings.api_key", "server.tokens", "zotero.api_key", "network.http.value",
        "network.https.value",
    }  # fmt: skip
    shown = redact(config.model_dump_json(), config.secrets)
    assert "CANARY-9" in config.model_dump_json()
    assert "CANARY" not in shown


def test_threads_live_in_the_home_unless_a_database_is_named(tmp_path):
    assert AppConfig(home=tmp_path).persistence_url == f"sqlite:///{tmp_path}/threads.db"
    assert AppConfig(home=tmp_path, database_url="memory:").persistence_url == "memory:"


def test_the_editor_does_not_come_from_a_file(monkeypatch, env_file):
    path = env_file(EDITOR="evil", VISUAL="evil")
    assert load_config(path).editor is None
    monkeypatch.setenv("EDITOR", "ed")
    assert load_config(path).editor == "ed"
    monkeypatch.setenv("VISUAL", "vi")
    assert load_config(path).editor == "vi"


URLS_AND_KEYS = {
    "LLM_BASE_URL": "OPENAI_API_KEY",
    "PAPER_SEARCH_EMBEDDINGS_BASE_URL": "PAPER_SEARCH_EMBEDDINGS_API_KEY",
    "SEARXNG_URL": "SEARXNG_API_KEY",
    "ZOTERO_URL": "ZOTERO_API_KEY",
}


@pytest.mark.parametrize("url", URLS_AND_KEYS)
def test_a_key_of_the_environment_is_not_sent_to_a_url_of_a_file(monkeypatch, env_file, url):
    """A `.env` may have come with a folder that somebody else made."""
    key = URLS_AND_KEYS[url]
    monkeypatch.setenv(key, "CANARY")
    path = env_file(**{url: "http://evil.example", key: "own"})
    with pytest.raises(ConfigError, match=f"{url} is set in .env, but {key} in the env") as caught:
        load_config(path)
    assert "CANARY" not in str(caught.value)
    monkeypatch.setenv(url, "http://mine.example")
    assert "evil" not in repr(load_config(path))
    monkeypatch.delenv(url)
    monkeypatch.delenv(key)
    assert "evil" in repr(load_config(path))


def test_the_provider_in_a_file_does_not_choose_another_key_for_its_url(monkeypatch, env_file):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "CANARY")
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY in the environment"):
        load_config(env_file(LLM_PROVIDER="anthropic", LLM_BASE_URL="http://evil.example"))


@pytest.mark.parametrize("variable", ["SEMANTIC_SCHOLAR_API_KEY", "S2_API_KEY"])
def test_web_stands_for_services_without_a_key_and_one_more_with_its_key(monkeypatch, variable):
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "arxiv, web,sample")
    others = [name for name in WEB_SOURCES if name != "arxiv"]
    assert enabled(load_config()) == ["arxiv", *others, "sample"]
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "web")
    monkeypatch.setenv(variable, "k")
    config = load_config()
    assert enabled(config)[-1] == "semantic_scholar"
    assert expand_sources(["web"], config.keyed_sources)[-1] == "semantic_scholar"
    assert expand_sources(["web"]) == list(WEB_SOURCES)


def test_a_contact_that_is_no_address_of_anybody_is_refused(monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_CONTACT", "me")
    with pytest.raises(ConfigError, match=r"PAPER_SEARCH_CONTACT.*not an e-mail address"):
        load_config()
    monkeypatch.setenv("PAPER_SEARCH_CONTACT", "a@uni.test")
    with pytest.raises(ConfigError, match=r"PAPER_SEARCH_CONTACT\): is .*a placeholder"):
        load_config()


OTHER_KEYS = {"pubmed": "NCBI_API_KEY", "serpapi_scholar": "SERPAPI_KEY"}
KEYED = ["serpapi_scholar", "openalex", "semantic_scholar", "pubmed", "core", "serper_scholar"]


@pytest.mark.parametrize("source", KEYED)
def test_a_key_is_read_from_the_variable_that_its_source_tells_before_those_of_others(
    monkeypatch, source
):
    for name in filter(None, (OTHER_KEYS.get(source), service_of(source).key_variable)):
        monkeypatch.setenv(name, f"from {name}")
        assert load_config().sources[source].api_key == f"from {name}"


def test_the_answers_of_services_are_kept_in_the_home(tmp_path):
    assert load_config(home=tmp_path).http_cache_path == tmp_path / "cache" / "http.db"
    assert AppConfig(http_cache=False).http_cache_path is None


def test_enrichment_is_off_unless_it_is_asked_for(monkeypatch):
    assert load_config().enrich is False
    monkeypatch.setenv("PAPER_SEARCH_ENRICH", "1")
    monkeypatch.setenv("PAPER_SEARCH_ENRICHERS", "crossref, unpaywall,")
    monkeypatch.setenv("PAPER_SEARCH_ENRICH_MAX_CALLS", "3")
    config = load_config()
    assert (config.enrich, config.enrichers) == (True, ["crossref", "unpaywall"])
    assert config.enrich_max_calls == 3


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, []),
        ({"TAVILY_API_KEY": "k"}, ["tavily"]),
        ({"NEWS_API_KEY": "k", "SERPER_API_KEY": "k"}, ["serper", "newsapi"]),
        ({"SEARXNG_URL": "http://localhost:8888"}, ["searxng"]),
        ({"SEARXNG_MAX_CALLS": "3"}, []),
        ({"TAVILY_API_KEY": "k", "NEWS_API_KEY": "k", "PAPER_SEARCH_WEB": "none"}, []),
        ({"TAVILY_API_KEY": "k", "PAPER_SEARCH_WEB": "newsapi, tavily"}, ["newsapi", "tavily"]),
        ({"PAPER_SEARCH_WEB": "serper"}, ["serper"]),
    ],
)
def test_searches_of_the_web_are_asked_that_have_a_key_or_are_named(monkeypatch, given, asked):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    config = load_config()
    assert [name for name, item in config.web.items() if item.enabled] == asked
    assert not {"tavily", "newsapi", "searxng", "serper"} & set(config.sources)
    assert set(config.secrets) >= {value for name, value in given.items() if "KEY" in name}


def remembered(home: Path, text: str) -> Path:
    (home / "config.toml").write_text(text)
    return home


def test_what_the_home_remembers_comes_before_the_defaults_and_after_all_else(
    tmp_path, monkeypatch, env_file
):
    remembered(tmp_path, 'domain = "file"\ncontact = "file@x.org"\nreport_pages = 3\n')
    path = env_file(CONTACT="", PAPER_SEARCH_CONTACT="env@x.org")
    config = load_config(path, home=tmp_path)
    assert (config.domain, config.contact, config.report_pages) == ("file", "env@x.org", 3)
    monkeypatch.setenv("DOMAIN", "environment")
    assert load_config(home=tmp_path).domain == "environment"
    monkeypatch.setenv("DOMAIN", " ")
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(tmp_path))
    assert load_config().domain == "file"


@pytest.mark.parametrize("text", ['sources = "web"\n', f"sources = {list(WEB_SOURCES)}\n"])
def test_remembered_sources_are_searched_instead_of_the_library(tmp_path, text):
    assert enabled(load_config(home=remembered(tmp_path, text))) == list(WEB_SOURCES)


def test_a_key_switches_its_source_on_beside_the_remembered_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("SERPAPI_API_KEY", "key")
    monkeypatch.setenv("OPENALEX_API_KEY", "other")
    monkeypatch.setenv("ARXIV_MAX_CALLS", "7")
    config = load_config(home=remembered(tmp_path, 'sources = "library, arxiv, openalex"\n'))
    assert enabled(config) == ["library", "arxiv", "openalex", "serpapi_scholar"]
    assert config.sources["openalex"].api_key == "other"
    assert config.remembered_sources == ["arxiv"]


def test_sources_that_the_environment_names_win_over_remembered_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "arxiv")
    config = load_config(home=remembered(tmp_path, 'sources = "web"\n'))
    assert (enabled(config), config.remembered_sources) == (["arxiv"], [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('colour = "red"\n', "'colour' is not a setting; accepted are sources, contact"),
        ('database_url = "memory:"\n', "'database_url' is not a setting"),
        ("domain\n", "cannot be read"),
        ('[domain]\nx = "y"\n', "'domain' is not a setting"),
        ('default_max_results = "many"\n', "default_max_results"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_error(tmp_path, text, words):
    with pytest.raises(ConfigError) as refusal:
        load_config(home=remembered(tmp_path, text))
    assert words in str(refusal.value)


def test_a_setting_is_remembered_and_forgotten_and_others_stay(tmp_path):
    home, contact = tmp_path / "new", 'me"\\@x.org'
    remember_setting("domain", "materials_science", home=home)
    path = remember_setting("contact", contact, home=home)
    config = load_config(home=home)
    assert (config.domain, config.contact) == ("materials_science", contact)
    assert forget_setting("domain", home=home) == path
    config = load_config(home=home)
    assert (config.domain, config.contact) == ("general", contact)
    assert [entry.name for entry in home.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("name", ["home", "llm.api_key", "server.tokens", "nonsense"])
def test_no_secret_and_no_place_is_remembered(tmp_path, name):
    with pytest.raises(UnknownNameError, match="known: budget, contact, "):
        remember_setting(name, "x", home=tmp_path)
    with pytest.raises(UnknownNameError):
        forget_setting(name, home=tmp_path)


@pytest.mark.parametrize(("name", "value"), [("report_pages", "many"), ("domain", "  ")])
def test_a_value_that_cannot_be_used_is_not_remembered(tmp_path, name, value):
    with pytest.raises(InputError, match=name):
        remember_setting(name, value, home=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_remembers_nothing_and_says_so(tmp_path):
    (tmp_path / "file").write_text("precious")
    with pytest.raises(ConfigError, match="--home"):
        remember_setting("domain", "x", home=tmp_path / "file")


def test_a_setting_that_a_full_disk_refuses_leaves_no_draft_behind(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))
    try:
        with pytest.raises(ConfigError, match="cannot be written"):
            remember_setting("domain", "x", home=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_it_is_known_where_each_setting_comes_from(tmp_path, monkeypatch, env_file):
    remembered(tmp_path, 'domain = "x"\ncontact = "x"\nreport_pages = 1\n')
    monkeypatch.setenv("PAPER_SEARCH_CONTACT", "me@x.org")
    origins = setting_origins(env_file(PAPER_SEARCH_PAGES="2"), home=tmp_path)
    assert origins["contact"] == "environment: PAPER_SEARCH_CONTACT"
    assert origins["report_pages"] == ".env: PAPER_SEARCH_PAGES"
    assert (origins["domain"], origins["sources"]) == ("config.toml", "default")
    assert origins["home"] == "--home"


def test_numpy_gets_one_thread_unless_the_environment_says_otherwise(monkeypatch):
    for before, after in ((None, "1"), ("4", "4")):
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before or "")
        if before is None:
            monkeypatch.delenv("OPENBLAS_NUM_THREADS")
        use_one_blas_thread()
        assert os.environ["OPENBLAS_NUM_THREADS"] == after


def test_the_key_of_zotero_is_a_secret_and_its_library_is_checked(monkeypatch):
    monkeypatch.setenv("ZOTERO_API_KEY", "CANARY-1")
    monkeypatch.setenv("ZOTERO_LIBRARY", "group:12")
    config = load_config()
    assert (config.zotero.library, config.zotero.api_key) == ("group:12", "CANARY-1")
    assert "CANARY-1" in config.secrets
    assert "CANARY-1" not in repr(config)
    monkeypatch.setenv("ZOTERO_LIBRARY", "mine")
    with pytest.raises(ConfigError, match=r"ZOTERO_LIBRARY.*user:ID or group:ID"):
        load_config()
