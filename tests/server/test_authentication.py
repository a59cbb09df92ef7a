"""Tokens."""

import hmac

import pytest

from paper_search.config import load_config
from paper_search.errors import ConfigError
from paper_search.server.access import Access, SharedPersistence
from paper_search.server.guard import EVERYBODY, owner_of
from paper_search.threads.sharing import Ownership

ADA, BOB = "CANARY-token-of-ada-01", "CANARY-token-of-bob-02"


@pytest.fixture
def configured(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def read(text: str):
        monkeypatch.setenv("PAPER_SEARCH_TOKENS", text)
        return load_config()

    return read


def test_tokens_come_from_the_environment(configured):
    config = configured(f"ada={ADA}, bob={BOB}")
    assert owner_of(config.server, f"Bearer {BOB}") == "bob"
    assert owner_of(config.server, "Bearer other") is None


def test_without_tokens_everybody_is_one(configured):
    config = configured("")
    assert owner_of(config.server, None) == EVERYBODY
    access = Access(SharedPersistence("memory:"), config)
    assert access.visibility(EVERYBODY) is None, "no list asks whose each thread is"


@pytest.mark.parametrize(
    ("recorded", "owners", "owner"),
    [
        ("bob", ["ada", "bob"], "bob"),
        (None, ["ada", "bob"], "ada"),
        (EVERYBODY, ["ada", "bob"], "ada"),
        ("bob", ["ada"], "ada"),
        ("bob", [], None),
    ],
)
def test_switching_tokens_on_and_off_loses_no_thread(recorded, owners, owner):
    assert Ownership(begun_by=recorded).owner(owners) == owner


@pytest.mark.parametrize(
    "text", ["ada", "ada=", "=x", "ada=short", f"ada={ADA}, ada={BOB}", f"ada={ADA}, bob={ADA}"]
)
def test_tokens_that_protect_nothing_are_refused_without_showing_them(configured, text):
    with pytest.raises(ConfigError) as refusal:
        configured(text)
    assert "CANARY" not in str(refusal.value)


def test_a_token_is_shown_nowhere(configured):
    config = configured(f"ada={ADA}")
    assert ADA not in repr(config)
    assert ADA in config.secrets


def test_every_token_is_compared_in_constant_time__sec_01(configured, monkeypatch):
    config = configured(f"ada={ADA}, bob={BOB}")
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return hmac_compare(one, other)

    hmac_compare = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", compare)
    owner_of(config.server, f"Bearer {ADA}")
    owner_of(config.server, "Bearer x")
    assert compared == [(32, 32)] * 4
