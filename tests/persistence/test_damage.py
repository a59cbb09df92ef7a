"""A byte that flips in the file: other threads go on, the damaged one is listed and can go."""

import asyncio
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from tests.conftest import run_sql
from tests.persistence.test_listing import begin as begin_each_kind
from tests.workflow.doubles import workflow

from paper_search.audit.reading import load_review
from paper_search.errors import PaperSearchError
from paper_search.persistence import LedgerStatus, Persistence, open_persistence
from paper_search.persistence.encryption import DamagedError
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.testing.reports import report_services
from paper_search.testing.skills import ScriptedHandler
from paper_search.threads.catalog import ThreadStatus
from paper_search.workflow import CheckpointKind

OWNER_OF_A_RECORD = """CASE WHEN prefix LIKE '%.%.%'
    THEN substr(prefix, 14, instr(substr(prefix, 14), '.') - 1) ELSE key END"""
THREADS = ("strategy", "result", "done", "plan")
OURS = ("paper_search_leases", "paper_search_decisions", "paper_search_audit")
TABLES = ("checkpoints", "writes", "store", *OURS)
EMPTY = {*((name, "checkpoint_ns") for name in TABLES[:2]), ("paper_search_audit", "interrupt_id")}
COLUMNS = 31
"""Of texts and blobs, without those that are empty."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of threads that wait with each kind of question, and of a finished one."""
    path = tmp_path_factory.mktemp("whole") / "threads.db"
    asyncio.run(begin(f"sqlite:///{path}"))
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of it, to be damaged."""
    return Path(shutil.copy(whole, tmp_path / "threads.db"))


def approving(persistence: Persistence) -> tuple[Any, Any]:
    """Return what takes searches and reports to their end."""
    handler = ScriptedHandler(otherwise="approve")
    return (
        workflow(handler=handler, persistence=persistence),
        ReportWorkflow(
            report_services(),
            Mock(handle=AsyncMock(return_value="approve")),
            persistence=persistence,
            target_length=1000,
            hitl_after_planning=True,
        ),
    )


async def begin(url: str) -> None:
    async with open_persistence(url) as persistence:
        await begin_each_kind(persistence)
        for name in THREADS:
            await persistence.ledger.note(name, "", "refused", "me", {"reason": "busy"})
    for name in THREADS:
        run_sql(url, "INSERT INTO paper_search_leases VALUES (?, 'host:1:token', 0)", name)


def flip_a_bit(path: Path, seed: int) -> tuple[str, str]:
    """Flip a bit of a text or a blob in a row; return where, and whose the row is.

    So many seeds in a row as there are columns hit each of them once.
    """
    chance = random.Random(seed)  # noqa: S311  # drawn, not secret
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        columns = [
            (table, column, kind)
            for table in TABLES
            for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({table})")
            if kind in {"TEXT", "BLOB"} and (table, column) not in EMPTY
        ]
        assert len(columns) == COLUMNS
        table, column, kind = columns[seed % COLUMNS]
        owner = OWNER_OF_A_RECORD if table == "store" else "thread_id"
        cells = connection.execute(
            f"SELECT rowid, CAST({column} AS BLOB), {owner} FROM {table} WHERE {column} <> ''"  # noqa: S608  # own names
        ).fetchall()
        row, value, thread = chance.choice(cells)
        place = chance.randrange(len(value))
        changed = bytearray(value)
        changed[place] ^= 1 << chance.randrange(8)
        connection.execute(
            f"UPDATE {table} SET {column} = CAST(? AS {kind}) WHERE rowid = ?",  # noqa: S608  # as above
            (bytes(changed), row),
        )
    return f"{table}.{column} of {thread}: {value[:place]!r} {value[place:]!r}", thread


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=pytest.mark.slow) if seed % 6 else seed for seed in range(COLUMNS)],
)
async def test_a_flipped_bit_hides_no_thread_and_its_own_can_be_deleted(path, seed):
    """PER-09"""
    what, owner = flip_a_bit(path, seed)
    assert owner in THREADS, owner
    async with open_persistence(f"sqlite:///{path}") as persistence:
        every = ThreadCatalogs(persistence)
        assert {info.thread_id for info in await every.threads()} >= set(THREADS), what
        for name in THREADS:
            if name == owner:
                await read_and_finish_or_say_why(persistence, name)
            elif name != "done":
                assert await finish(persistence, name)
        await every.delete(owner)
        assert owner not in {info.thread_id for info in await every.threads()}, what


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("checkpoints", "checkpoint"),
        ("store", "value"),
        *(("paper_search_decisions", name) for name in ("decision", "decided_by", "decided_at")),
        *(("paper_search_audit", name) for name in ("event", "by", "at", "detail")),
    ],
)
async def test_a_letter_that_changes_is_not_taken_for_what_was_written(path, table, column):
    """PER-09"""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.create_function("changed", 1, with_another_letter)
        whose = "prefix LIKE '%.done.judgements'" if table == "store" else "thread_id = 'done'"
        connection.execute(f"UPDATE {table} SET {column} = changed({column}) WHERE {whose}")  # noqa: S608  # constants
    async with open_persistence(f"sqlite:///{path}") as persistence:
        with pytest.raises(DamagedError):
            await ThreadCatalogs(persistence).searches.show("done")


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("writes", "thread_id"),
        ("paper_search_decisions", "thread_id"),
        ("paper_search_audit", "thread_id"),
        ("store", "prefix"),
    ],
)
async def test_a_row_without_its_thread_is_listed_first_as_damaged_and_can_go(path, table, column):
    """PER-09"""
    before = run_sql(f"sqlite:///{path}", f"SELECT count(*) FROM {table}")  # noqa: S608  # as above
    place = b"paper_search.%b.approvals" if column == "prefix" else b"%b"
    names = place % b"d\xefne", place % b"done"  # no UTF-8, as one flipped bit may leave it
    change = f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE {column} = CAST(? AS TEXT)"  # noqa: S608  # as above
    run_sql(f"sqlite:///{path}", change, *names)
    async with open_persistence(f"sqlite:///{path}") as persistence:
        every = ThreadCatalogs(persistence)
        first, *others = await every.threads()
        assert (first.thread_id, first.status) == (r"d\xefne", ThreadStatus.DAMAGED)
        assert {info.thread_id for info in others} == set(THREADS)
        with pytest.raises(DamagedError, match=r"'d.*ne' is damaged: it has rows but no state"):
            await every.catalog_of(first.thread_id)
        await every.delete(first.thread_id)
        assert {info.thread_id for info in await every.threads()} == set(THREADS)
    assert run_sql(f"sqlite:///{path}", f"SELECT count(*) FROM {table}") < before  # noqa: S608  # as above


async def test_a_state_that_lost_its_step_is_named(path):
    """PER-09"""
    change = "UPDATE checkpoints SET metadata = replace(CAST(metadata AS TEXT), '\"step', '\"sdep')"
    run_sql(f"sqlite:///{path}", f"{change} WHERE thread_id = 'result'")
    async with open_persistence(f"sqlite:///{path}") as persistence:
        with pytest.raises(DamagedError, match="thread 'result' is damaged"):
            await finish(persistence, "result")


@pytest.mark.parametrize("name", [b"resulv", b"res\xf5lt"])
async def test_a_state_that_lost_its_thread_is_no_thread_of_its_own(path, name):
    """PER-09"""
    change = "UPDATE checkpoints SET thread_id = CAST(? AS TEXT) WHERE rowid = "
    last = "(SELECT MAX(rowid) FROM checkpoints WHERE thread_id = 'result')"
    run_sql(f"sqlite:///{path}", change + last, name)
    shown = name.decode(errors="backslashreplace")
    async with open_persistence(f"sqlite:///{path}") as persistence:
        every = ThreadCatalogs(persistence)
        statuses = {info.thread_id: info.status for info in await every.threads()}
        assert statuses[shown] is ThreadStatus.DAMAGED
        await every.delete(shown)
        assert {info.thread_id for info in await every.threads()} == set(THREADS)
        assert await finish(persistence, "result")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE store SET prefix = 'paper_search.done.approvalt' WHERE prefix LIKE '%.done.a%'",
        "UPDATE store SET prefix = 'raper_search.done.approvals' WHERE prefix LIKE '%.done.a%'",
        "UPDATE store SET key = 'zerms' WHERE prefix LIKE '%.done.a%' AND key = 'terms'",
    ],
)
async def test_a_record_that_lost_its_place_in_a_thread_is_named_and_can_go(path, change):
    """PER-09"""
    run_sql(f"sqlite:///{path}", change)
    async with open_persistence(f"sqlite:///{path}") as persistence:
        with pytest.raises(DamagedError, match=r"record .aper_search/done/approval"):
            await ThreadCatalogs(persistence).searches.show("done")
        await ThreadCatalogs(persistence).delete("done")
    rows = run_sql(f"sqlite:///{path}", "SELECT * FROM store WHERE prefix LIKE '%.done.%'")
    assert rows == []


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
async def test_a_thread_whose_last_state_is_damaged_goes_on_from_an_earlier_question(path, table):
    """PER-09"""
    last = "(SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = 'result')"
    run_sql(f"sqlite:///{path}", f"UPDATE {table} SET checksum = 1 WHERE checkpoint_id = {last}")  # noqa: S608  # constants
    async with open_persistence(f"sqlite:///{path}") as persistence:
        searching, _ = approving(persistence)
        with pytest.raises(DamagedError, match=r"^(?!.*backup.*backup).*`fork`"):
            await searching.resume("result")
        await searching.fork("result", CheckpointKind.STRATEGY_CONFIRMATION)
        assert await finish(persistence, "result")


async def test_an_earlier_question_is_gone_back_to_over_a_gap_of_damaged_states(path):
    """PER-09"""
    places = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = 'result' ORDER BY 1 DESC"
    ids = [row[0] for row in run_sql(f"sqlite:///{path}", places)]
    damage = "UPDATE checkpoints SET checksum = 1 WHERE checkpoint_id"
    run_sql(f"sqlite:///{path}", f"{damage} IN ('{ids[0]}', '{ids[3]}')")
    async with open_persistence(f"sqlite:///{path}") as persistence:
        searching, _ = approving(persistence)
        await searching.fork("result", CheckpointKind.STRATEGY_CONFIRMATION)
        assert await finish(persistence, "result")


async def test_no_state_is_deleted_where_none_can_be_read(path):
    """PER-09"""
    count = "SELECT count(*) FROM checkpoints WHERE thread_id = 'result'"
    before = run_sql(f"sqlite:///{path}", count)
    run_sql(f"sqlite:///{path}", "UPDATE checkpoints SET checksum = 1 WHERE thread_id = 'result'")
    async with open_persistence(f"sqlite:///{path}") as persistence:
        searching, _ = approving(persistence)
        with pytest.raises(DamagedError):
            await searching.fork("result", CheckpointKind.STRATEGY_CONFIRMATION)
    assert run_sql(f"sqlite:///{path}", count) == before


async def test_a_state_of_which_postgres_lost_a_row_is_named_and_its_thread_can_go(postgres_url):
    """PER-09"""
    await begin(postgres_url)
    run_sql(
        postgres_url,
        "UPDATE checkpoint_blobs SET channel = 'intens' "
        "WHERE thread_id = 'result' AND channel = 'intent'",
    )
    async with open_persistence(postgres_url) as persistence:
        every = ThreadCatalogs(persistence)
        with pytest.raises(DamagedError, match="thread 'result' is damaged: a row"):
            await every.searches.show("result")
        assert {info.thread_id for info in await every.threads()} >= set(THREADS)
        assert await finish(persistence, "strategy")
        await every.delete("result")
        assert "result" not in {info.thread_id for info in await every.threads()}


@pytest.mark.parametrize(
    ("table", "column", "new"),
    [
        ("checkpoint_writes", "thread_id", "dome"),
        ("paper_search_decisions", "thread_id", "dome"),
        ("paper_search_audit", "thread_id", "dome"),
        ("store", "prefix", "paper_search.dome.approvals"),
        ("store", "prefix", "paper_search.done.bpprovals"),
    ],
)
async def test_a_stray_row_in_postgres_is_named_and_can_go(postgres_url, table, column, new):
    """PER-09"""
    await begin(postgres_url)
    async with open_persistence(postgres_url) as persistence:
        assert await finish(persistence, "strategy")
    where = "prefix LIKE '%.done.approvals'" if table == "store" else "thread_id = 'done'"
    run_sql(postgres_url, f"UPDATE {table} SET {column} = '{new}' WHERE {where}")  # noqa: S608  # constants
    named = "dome" if "dome" in new else "done"
    async with open_persistence(postgres_url) as persistence:
        every = ThreadCatalogs(persistence)
        ids = {info.thread_id for info in await every.threads()}
        assert ids == {*THREADS, named}
        with pytest.raises(DamagedError, match=named):
            await (every.catalog_of(named) if named == "dome" else every.searches.show(named))
        await every.delete(named)
        assert {info.thread_id for info in await every.threads()} == {*THREADS, named} - {named}
    left = run_sql(postgres_url, f"SELECT * FROM {table} WHERE {column} = '{new}'")  # noqa: S608  # as above
    assert left == []


async def test_a_decision_whose_question_was_lost_is_applied_when_it_is_asked_again(path):
    """PER-04, PER-09"""
    async with open_persistence(f"sqlite:///{path}") as persistence:
        searches = ThreadCatalogs(persistence).searches
        session = searches.session("strategy")
        await session.decide(await session.require_question(), "approve", "me")
        run_sql(f"sqlite:///{path}", "DELETE FROM writes WHERE channel = '__interrupt__'")
        await finish(persistence, "strategy")
        assert (await searches.info("strategy")).status is ThreadStatus.DONE
        assert {entry.status for entry in await persistence.ledger.entries("strategy")} == {
            LedgerStatus.APPLIED
        }


async def test_a_round_whose_row_is_gone_is_named_where_its_records_are_asked_for(path):
    """PER-09"""
    run_sql(f"sqlite:///{path}", "DELETE FROM store WHERE prefix LIKE '%.result.rounds'")
    async with open_persistence(f"sqlite:///{path}") as persistence:
        with pytest.raises(DamagedError, match="'result' is damaged: its round '0' is missing"):
            await load_review(persistence, "result")
        session = ThreadCatalogs(persistence).searches.session("result")
        await session.decide(await session.require_question(), "reject: only cats", "me")
        with pytest.raises(PaperSearchError, match="its round '0' is missing"):
            await finish(persistence, "result")
        assert await finish(persistence, "strategy")


def with_another_letter(value: str | bytes) -> str | bytes:
    """Return a value that can still be read as before, where nothing else tells."""
    text = value if isinstance(value, str) else value.decode("latin-1")
    first_letter = r'(?<=":")\w|(?<=": ")\w|^\w|[a-z](?=[a-z]{4})'
    changed = re.sub(first_letter, lambda letter: chr(ord(letter[0]) ^ 1), text, count=1)
    assert changed != text
    return changed if isinstance(value, str) else changed.encode("latin-1")


async def finish(persistence: Persistence, name: str) -> Any:
    searching, reporting = approving(persistence)
    return await (reporting if name == "plan" else searching).resume(name)


async def read_and_finish_or_say_why(persistence: Persistence, name: str) -> None:
    every = ThreadCatalogs(persistence)
    try:
        await (every.reports if name == "plan" else every.searches).show(name)
        if name != "done":
            await finish(persistence, name)
    except PaperSearchError:
        return  # anything else is a defect
