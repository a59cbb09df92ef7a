"""Threads at rest: nobody reads them without the key, and nobody forges them."""

import base64
import json
import os
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.answers import reply_to
from tests.conftest import run_sql
from tests.examples import examples
from tests.workflow.doubles import mark_last, reject, workflow

from paper_search.config import encryption_keys
from paper_search.errors import ConfigError, PersistenceError
from paper_search.persistence import open_persistence
from paper_search.persistence.encryption import DamagedError, Keyring, open_value
from paper_search.persistence.serialization import LARGE_STATE, serializer
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.reports import report_services
from paper_search.workflow import ThreadCatalog


def new_key() -> str:
    return base64.b64encode(os.urandom(32)).decode()


KEY, OTHER, THIRD = new_key(), new_key(), new_key()
SECRETS = ("round_0", "Found every time", "a private note", "why i ask")
BLOBS = {"sqlite": ("checkpoints", "checkpoint"), "postgres": ("checkpoint_blobs", "blob")}


def kind_of(url: str) -> str:
    return "sqlite" if url.startswith("sqlite") else "postgres"


async def two_rounds(url: str, *keys: str) -> Any:
    """Leave a thread at its second result, with a note and a mark in it."""
    async with open_persistence(url, keys=keys) as persistence:
        flow = workflow(persistence=persistence)
        await flow.start("why i ask", thread_id="t")
        await reply_to(flow, "t", reject("a private note"))
        review = await reply_to(flow, "t", "approve")
        return await reply_to(flow, "t", mark_last(review))


async def end(url: str, *keys: str) -> Any:
    async with open_persistence(url, keys=keys) as persistence:
        flow = workflow(persistence=persistence)
        await reply_to(flow, "t", "approve")
        return await reply_to(flow, "t", "approve")


@given(st.binary(max_size=30), st.integers(0, 2 * LARGE_STATE))
@examples(20)
def test_a_state_of_any_size_comes_back_as_it_was(piece, size):
    sealed = serializer(Keyring([KEY]))
    state = {"papers": [piece.hex()] * 3, "text": "a" * size, "bytes": os.urandom(size)}
    assert sealed.loads_typed(sealed.dumps_typed(state)) == state


def everything(url: str) -> str:
    """Return every row of every table as text."""
    if kind_of(url) == "sqlite":
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    else:
        names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    tables = [name for (name,) in run_sql(url, names)]
    return "\n".join(
        bytes(cell).decode("utf-8", "replace")
        if isinstance(cell, bytes | memoryview)
        else str(cell)
        for table in tables
        for row in run_sql(url, f"SELECT * FROM {table}")  # noqa: S608  # its own names
        for cell in row
    )


async def test_no_row_shows_what_was_asked_found_or_decided(durable_url):
    """PER-16: states, writes, records, decisions, audit; and the thread goes on."""
    await two_rounds(durable_url, KEY)
    written = everything(durable_url)
    for secret in SECRETS:
        assert secret not in written, secret
    result = await end(durable_url, KEY)
    assert len(result.papers) == 3
    async with open_persistence(durable_url, keys=[KEY]) as persistence:
        (info,) = await ThreadCatalog(persistence).threads()
        assert info.question == "why i ask"
        await persistence.ledger.note(info.thread_id, "", "refused", "me", {"reason": "a reason"})
        assert "a reason" not in everything(durable_url)


async def test_without_a_key_the_same_rows_show_all_of_it(durable_url):
    """PER-16: else the test above could not fail."""
    await two_rounds(durable_url)
    written = everything(durable_url)
    assert all(secret in written for secret in SECRETS)


@pytest.mark.parametrize(
    ("sealed_with", "opened_with", "why"),
    [
        ([KEY], [OTHER, THIRD], r"encrypted with key \w+,.* keys are \w+, \w+;.*OLD_KEYS"),
        ([KEY], [], "PAPER_SEARCH_ENCRYPTION_KEY"),
        ([], [KEY], "not encrypted although"),
    ],
)
async def test_rows_of_another_key_or_none_are_refused(durable_url, sealed_with, opened_with, why):
    """PER-16 PER-17: one that is not encrypted anybody could have written."""
    await two_rounds(durable_url, *sealed_with)
    with pytest.raises(PersistenceError, match=why) as caught:
        await end(durable_url, *opened_with)
    assert not any(key in str(caught.value) for key in (KEY, OTHER, THIRD))


async def test_an_old_key_still_opens_and_the_new_one_seals(durable_url):
    """PER-17: rotation."""
    await two_rounds(durable_url, KEY)
    result = await end(durable_url, OTHER, KEY)
    assert len(result.papers) == 3
    async with open_persistence(durable_url, keys=[OTHER, KEY]) as persistence:
        await workflow(persistence=persistence).start("why i ask", thread_id="later")
    async with open_persistence(durable_url, keys=[OTHER]) as persistence:
        assert (await ThreadCatalog(persistence).info("later")).question == "why i ask"


async def test_a_thread_of_another_key_hides_no_other_from_a_list(durable_url):
    """PER-17: it is listed as locked, and why."""
    await two_rounds(durable_url, KEY)
    async with open_persistence(durable_url, keys=[OTHER, KEY]) as persistence:
        await workflow(persistence=persistence).start("of another key", thread_id="other")
    async with open_persistence(durable_url, keys=[KEY]) as persistence:
        infos = {info.thread_id: info for info in await ThreadCatalog(persistence).threads()}
    statuses = {name: info.status.value for name, info in infos.items()}
    assert statuses == {"t": "waiting", "other": "locked"}
    assert "OLD_KEYS" in infos["other"].error


@pytest.mark.parametrize("keys", [[], [OTHER]])
async def test_no_thread_begins_where_the_latest_cannot_be_read(durable_url, keys):
    """PER-17: without the key, which may be in the `.env` of another directory, in clear."""
    await two_rounds(durable_url, KEY)
    async with open_persistence(durable_url, keys=keys) as persistence:
        with pytest.raises(PersistenceError, match="PAPER_SEARCH_ENCRYPTION_"):
            await workflow(persistence=persistence).start("in clear", thread_id="clear")
        report = ReportWorkflow(report_services(), persistence=persistence)
        with pytest.raises(PersistenceError, match="PAPER_SEARCH_ENCRYPTION_"):  # of another graph
            await report.start("a report in clear", thread_id="clear")
    assert "in clear" not in everything(durable_url)


async def test_a_state_that_was_changed_is_refused(durable_url):
    """PER-16: one bit."""
    await two_rounds(durable_url, KEY)
    table, column = BLOBS[kind_of(durable_url)]
    rows = run_sql(durable_url, f"SELECT {column} FROM {table}")  # noqa: S608  # constants
    for (blob,) in rows:
        changed = bytearray(blob)
        changed[-1] ^= 1
        run_sql(
            durable_url,
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608  # constants
            bytes(changed),
            blob,
        )
    if kind_of(durable_url) == "sqlite":  # as who changes it on purpose would
        run_sql(durable_url, "UPDATE checkpoints SET checksum = NULL")
    with pytest.raises(DamagedError, match="fails authentication"):
        await end(durable_url, KEY)


async def test_a_state_that_was_downgraded_is_refused(durable_url):
    """PER-16: LangGraph's own encryption reads a row that says it is not encrypted."""
    await two_rounds(durable_url, KEY)
    table, _ = BLOBS[kind_of(durable_url)]
    run_sql(durable_url, f"UPDATE {table} SET type = 'msgpack'")  # noqa: S608  # constants
    with pytest.raises(PersistenceError, match="not encrypted although"):
        await end(durable_url, KEY)


async def test_a_record_put_in_the_place_of_another_is_refused(durable_url):
    """PER-16: each is sealed with its own name."""
    await two_rounds(durable_url, KEY)
    rows = run_sql(durable_url, "SELECT key, value FROM store WHERE prefix LIKE '%.records'")
    (one, _), (_, value) = rows[:2]
    text = json.dumps(value) if isinstance(value, dict) else value
    cast = "" if kind_of(durable_url) == "sqlite" else "::jsonb"
    run_sql(
        durable_url,
        f"UPDATE store SET value = ?{cast} WHERE key = ? AND prefix = ?",  # noqa: S608  # constants
        text,
        one,
        "paper_search.t.records",
    )
    with pytest.raises(PersistenceError, match="fails authentication"):
        await end(durable_url, KEY)


async def test_the_key_of_the_environment_is_used(durable_url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAPER_SEARCH_ENCRYPTION_KEY", KEY)
    await workflow(persistence=durable_url).start("why i ask", thread_id="t")
    assert "why i ask" not in everything(durable_url)


def test_keys_are_read_with_the_present_one_first(monkeypatch, tmp_path):
    """PER-17."""
    monkeypatch.chdir(tmp_path)
    for name in ("PAPER_SEARCH_ENCRYPTION_KEY", "PAPER_SEARCH_ENCRYPTION_OLD_KEYS"):
        monkeypatch.delenv(name, raising=False)
    assert encryption_keys() == []
    monkeypatch.setenv("PAPER_SEARCH_ENCRYPTION_OLD_KEYS", f"{OTHER}, {KEY}")
    with pytest.raises(ConfigError, match="without PAPER_SEARCH_ENCRYPTION_KEY"):
        encryption_keys()
    present = new_key()
    monkeypatch.setenv("PAPER_SEARCH_ENCRYPTION_KEY", present)
    assert encryption_keys() == [present, OTHER, KEY]


@pytest.mark.parametrize(
    "key",
    [
        "",
        "short",
        "A" * 43,
        base64.b64encode(b"x" * 16).decode(),
        "a2tr!" + base64.b64encode(b"x" * 29).decode(),
    ],
)
def test_a_key_that_is_none_is_refused_without_being_shown(key):
    with pytest.raises(ConfigError, match="openssl rand -base64 32") as caught:
        Keyring([key])
    assert not key or key not in str(caught.value)
    assert KEY not in repr(Keyring([KEY]))
    with pytest.raises(ConfigError, match=r"^encryption needs a key$"):
        Keyring([])


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "Crypto.Cipher", None)
    with pytest.raises(ConfigError, match=r"install 'paper-search\[encryption\]'"):
        Keyring([KEY])


@pytest.mark.parametrize("text", ['{"is_relevant": true}', "cGxhaW4=", None])
def test_a_row_that_is_not_encrypted_is_named_with_what_can_be_done(text):
    with pytest.raises(PersistenceError, match=r"the mark of p1. is not encrypted although"):
        open_value(Keyring([KEY]), text, "the mark of p1")


@examples(50)
@given(st.binary(max_size=200), st.text(max_size=20), st.integers(min_value=0), st.integers(1, 255))
def test_every_change_of_a_sealed_text_is_noticed(data, about, position, change):
    keyring = Keyring([KEY])
    sealed = keyring.seal(data, "about" + ascii(about))
    assert keyring.open(sealed, "about" + ascii(about)) == data
    changed = bytearray(sealed)
    changed[position % len(sealed)] ^= change
    with pytest.raises(PersistenceError):
        keyring.open(bytes(changed), "about" + ascii(about))
    with pytest.raises(PersistenceError):
        keyring.open(sealed, "something else")
    assert keyring.seal(data, "x") != keyring.seal(data, "x")
