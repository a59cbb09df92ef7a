"""Random kills: threads whose processes are killed anywhere end as if they had not been.

Run `python -m benchmarks.kills [SCHEDULES] [--seed N]` (200 by default; about half an hour).
A schedule takes a thread from its beginning to its end by one door (Python, the command line, the
server), one process a move, and kills some of these processes with SIGKILL: at a call to the
database that is drawn, before or after it, so also between ledger and checkpoint; at a question of
the judge; or, at the server, at a moment that is drawn. Every fourth schedule kills `delete`,
`prune` or `backup`. What comes out must be what comes out undisturbed, and a kill may cost one
question to the model: the one in flight.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.kills_served import served_search

from paper_search.cli.app import app
from paper_search.config import load_config
from paper_search.persistence import open_persistence, tables
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.testing.model_server import ModelServer, run_model_server
from paper_search.workflow import SearchWorkflow

QUESTION = "How do graph neural networks predict molecular properties?"
DOORS = ("python", "command line")
KINDS = ("search", "search", "report", "upkeep")
KILL = 0.6
"""How likely a move is killed, as long as there are kills left."""
MOST_KILLS = 5
MOST_MOVES = 40
CALLS = 60
"""Of the database, among which the one to die at is drawn; many moves make fewer, and live."""
SERVER_EVERY = 20
"""Schedules of searches from one over the server, which takes seconds to start, to the next."""
DONE, MOVED = 10, 0
_PRELOADED = ["tests.warm_up", "langchain_openai", "openai.resources.chat", "benchmarks.kills"]
_VOLATILE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?"
)


_QUERY = {"keywords": ["graph"], "boolean_query": "graph OR molecule"}
ANSWERS = {
    "IntentAnswer": {"topic": "graphs", "concepts": ["graph"], "intent_type": "survey"},
    "StrategyAnswer": {"queries": [_QUERY], "sources": [], "filters": {"max_results": 25}},
}
"""What the model says, always the same."""


@dataclass(frozen=True)
class Move:
    """One move of one process."""

    kind: str
    door: str
    home: str
    model: str
    """The base URL of the model; empty: none."""
    dies_at: int = -1
    """At which call to the database; -1: at none."""
    is_before: bool = True
    task: str = ""
    """Of upkeep: delete, prune or backup."""


def work(move: Move) -> None:
    """Do a move, in a process of its own; exit with MOVED or DONE."""
    os.chdir(move.home)
    variables = {"PAPER_SEARCH_HOME": move.home, "RELEVANCE_MAX_CONCURRENCY": "1"}
    if move.model:
        variables |= {"LLM_MODEL": "fake", "LLM_BASE_URL": move.model, "OPENAI_API_KEY": "k"}
    os.environ |= variables  # noqa: TID251  # of this process alone
    with Path(move.home, "log").open("a") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    if move.dies_at >= 0:
        _die(move.dies_at, is_before=move.is_before)
    step = _upkeep if move.kind == "upkeep" else _commanded if "line" in move.door else _called
    os._exit(step(move))


def _die(at: int, *, is_before: bool) -> None:
    """Kill this process at one of its calls to the database: by saver, store, lease or ledger."""
    seen = 0

    def passed() -> None:
        nonlocal seen
        seen += 1
        if seen > at:
            os.kill(os.getpid(), signal.SIGKILL)

    call = tables.SqliteDatabase.__call__  # to die in

    async def dying(self: Any, *given: Any) -> Any:
        if is_before:
            passed()
        result = await call(self, *given)
        if not is_before:
            passed()
        return result

    tables.SqliteDatabase.__call__ = dying  # type: ignore[assignment]  # of this process alone


def _url(home: str) -> str:
    return f"sqlite:///{home}/threads.db"


async def _standing(home: str) -> tuple[Any, str]:
    """Return how the one thread stands, and the token of its question; None: there is none yet."""
    async with open_persistence(_url(home)) as place:
        every = ThreadCatalogs(place)
        found = await every.threads(limit=1)
        if not found:
            return None, ""
        session = every.by_graph[found[0].graph].session(found[0].thread_id)
        question = await session.open_question()
        return found[0], question.question.token if question else ""


def _answer(info: Any) -> str:
    """Return the answer to the open question: one more round of a search, then approval."""
    is_first_result = str(getattr(info, "checkpoint", None)).endswith("RESULT_REVIEW") and (
        info.iteration == 0
    )
    return "reject" if is_first_result else "approve"


def _called(move: Move) -> int:
    """Move the thread from Python."""
    return asyncio.run(_moved(move))


async def _moved(move: Move) -> int:
    (info, token), url = await _standing(move.home), _url(move.home)
    if info is not None and info.status.value == "done":
        return DONE
    make: Any = SearchWorkflow if move.kind == "search" else ReportWorkflow
    flow = make.from_config(load_config(), persistence=url, sources=["sample"])
    if info is None:
        await flow.start(QUESTION, thread_id="t")
    elif info.status.value == "waiting":
        await flow.answer("t", _answer(info), token=token)
    else:
        await flow.proceed("t")
    return MOVED


def _commanded(move: Move) -> int:
    """Move the thread at the command line, without a terminal."""
    info, token = asyncio.run(_standing(move.home))
    if info is not None and info.status.value == "done":
        return DONE
    begin = {"search": "find", "report": "report"}[move.kind]
    if info is None:
        words = [begin, QUESTION, "--source", "sample", "--json"]
    else:
        given = {"approve": ["--approve"], "reject": ["--reject", "more"]}
        told = [*given[_answer(info)], "--token", token]
        answer = told if info.status.value == "waiting" else []
        words = ["resume", info.thread_id, *answer, "--json"]
    app(words, standalone_mode=False)
    return MOVED


def _upkeep(move: Move) -> int:
    """Delete, prune or back up, and finish what an earlier process did not."""
    words = {
        "delete": ["delete", "gone", "--yes"],
        "prune": ["prune", "t"],
        "backup": ["backup", f"{move.home}/copy.db", "--force"],
    }
    app(words[move.task], standalone_mode=False)
    return DONE


class Kills:
    """Runs schedules and compares.

    Args:
        folder: for homes.
        server: answers the model's questions, and counts those of whatever process asks.
    """

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self._folder = folder
        self._calls = server.calls
        self._model = server.url
        self._fork = multiprocessing.get_context("forkserver")
        self._fork.set_forkserver_preload(_PRELOADED)
        self._expected: dict[str, tuple[str, int]] = {}
        self.kills = 0

    def run(self, number: int, seed: int) -> str | None:
        """Run one schedule; return what is wrong with what came out of it, None: nothing."""
        chance = random.Random(f"{seed}-{number}")  # noqa: S311  # no secret
        kind, home = KINDS[number % len(KINDS)], self._folder / f"n{number}"
        if kind == "upkeep":
            return self._upkeep(chance, home)
        if kind == "search" and number % SERVER_EVERY == 0 and number:
            return self._served(chance, home)
        expected, asked = self._undisturbed(kind)
        before, killed = self._calls["BatchAnswer"], self.kills
        self._driven(kind, DOORS[number // 2 % 2], home, chance)
        found = _result(home)
        extra = self._calls["BatchAnswer"] - before - asked
        shutil.rmtree(home)
        if found != expected:
            return f"{kind}: another result"
        if extra > self.kills - killed:
            return f"{kind}: {extra} questions of the judge for {self.kills - killed} kills"
        return None

    def _undisturbed(self, kind: str) -> tuple[str, int]:
        """Return the result without a kill, and how often the judge was asked."""
        if kind not in self._expected:
            before, home = self._calls["BatchAnswer"], self._folder / f"whole-{kind}"
            self._driven(kind, "python", home, None)
            self._expected[kind] = _result(home), self._calls["BatchAnswer"] - before
        return self._expected[kind]

    def _driven(self, kind: str, door: str, home: Path, chance: random.Random | None) -> None:
        home.mkdir()
        kills = 0
        model = self._model if kind == "search" else ""
        for _ in range(MOST_MOVES):
            at, is_before = -1, True
            if chance and kills < MOST_KILLS and chance.random() < KILL:
                at, is_before = chance.randrange(CALLS), chance.random() < 0.5  # a coin
            code = self._process(Move(kind, door, str(home), model, at, is_before))
            kills += code == -signal.SIGKILL
            self.kills += code == -signal.SIGKILL
            if code == DONE:
                return
            if code not in {MOVED, -signal.SIGKILL}:
                raise RuntimeError(f"exit code {code}: {(home / 'log').read_text()[-2000:]}")
        raise RuntimeError(f"{home} does not come to its end")

    def _process(self, move: Move) -> int:
        process = self._fork.Process(target=work, args=(move,))
        process.start()
        process.join()
        return int(process.exitcode or 0)

    def _upkeep(self, chance: random.Random, home: Path) -> str | None:
        """Kill upkeep of a home with two threads, repeat it, and look at what is left."""
        expected, _ = self._undisturbed("search")
        shutil.copytree(self._folder / "whole-search", home)
        database = home / "threads.db"
        _twice(database)
        task = chance.choice(["delete", "prune", "backup"])
        for at in (*sorted(chance.randrange(25) for _ in range(3)), -1):
            move = Move("upkeep", "", str(home), "", at, chance.random() < 0.5, task)  # a coin
            code = self._process(move)
            self.kills += code == -signal.SIGKILL
            if code == DONE:
                break
        whole = home / "copy.db" if task == "backup" else database
        shutil.copy(whole, home / "looked.db") if task == "backup" else None
        left = _rows(whole, "gone")
        found = _result(home, "t")
        shutil.rmtree(home)
        if found != expected:
            return f"{task}: another result"
        return f"{task}: {left} rows are left" if task == "delete" and left else None

    def _served(self, chance: random.Random, home: Path) -> str | None:
        """Kill a server while it runs a search, start it again, and let it finish."""
        expected, _ = self._undisturbed("search")
        home.mkdir()
        self.kills += served_search(home, self._model, QUESTION, chance)
        found = _result(home)
        shutil.rmtree(home)
        return None if found == expected else "server: another result"


def _twice(path: Path) -> None:
    """Copy the one thread of a database, `t`, to `gone`, of which nobody reads the decisions."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table in ("checkpoints", "writes", "paper_search_decisions", "paper_search_audit"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            rest = ", ".join(name for name in columns if name not in {"thread_id", "id"})
            connection.execute(
                f"INSERT INTO {table} (thread_id, {rest}) SELECT 'gone', {rest} FROM {table}"  # noqa: S608  # constants
            )
        ours = "prefix LIKE 'paper_search.t.%' OR key = 't'"
        rows = connection.execute(f"SELECT prefix, key, value FROM store WHERE {ours}").fetchall()  # noqa: S608  # as above
        for prefix, key, value in rows:
            connection.execute(
                "INSERT INTO store (prefix, key, value) VALUES (?, ?, ?)",
                (re.sub(r"\.t\.", ".gone.", prefix), "gone" if key == "t" else key, value),
            )
        connection.commit()


def _rows(path: Path, thread_id: str) -> int:
    """Return how many rows a database has of a thread."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = ("checkpoints", "writes", "paper_search_decisions")
        counts = [
            connection.execute(f"SELECT COUNT(*) FROM {table} WHERE thread_id = ?", [thread_id])  # noqa: S608  # constants
            for table in tables
        ]
        found = connection.execute(
            "SELECT COUNT(*) FROM store WHERE prefix LIKE ? OR key = ?",
            [f"paper_search.{thread_id}.%", thread_id],
        )
        return sum(count.fetchone()[0] for count in (*counts, found))


def _result(home: Path, thread_id: str | None = None) -> str:
    """Return what a thread came to, without ids that are drawn and times."""

    async def read() -> Any:
        async with open_persistence(_url(str(home))) as place:
            every = ThreadCatalogs(place)
            name = thread_id or (await every.names(limit=1))[0]
            catalog: Any = await every.catalog_of(name)
            detail = (await catalog.show(name)).model_dump(mode="json")
            if "collection" in detail:
                papers = detail["collection"]["papers"]
                keys = ("title", "relevance_score", "relevance_reason", "merged_from")
                return [detail["ended_by"], [{key: paper[key] for key in keys} for paper in papers]]
            return detail["report"]["sections"]

    return _VOLATILE.sub("*", json.dumps(asyncio.run(read())))


def schedules(count: int, seed: int) -> tuple[int, list[str]]:
    """Run schedules; return how many processes were killed, and what was wrong."""
    with tempfile.TemporaryDirectory() as name, run_model_server(ANSWERS) as server:
        kills = Kills(Path(name), server)
        found = [(number, kills.run(number, seed)) for number in range(count)]
        wrong = [f"schedule {n} of seed {seed}: {told}" for n, told in found if told is not None]
        return kills.kills, wrong


def main() -> None:
    """Run the schedules that the command line says, and print what came of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    begun = time.perf_counter()
    kills, wrong = schedules(given.count, given.seed)
    took = time.perf_counter() - begun
    print(f"{given.count} schedules, {kills} kills, {took:.0f} s, {len(wrong)} wrong")
    print("\n".join(wrong))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
