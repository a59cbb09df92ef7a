"""Whatever people, crashes and housekeeping do to a thread, it stays the seeds' algorithm."""

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from tests.threads.machine import ThreadMachine, run_machine
from tests.workflow.doubles import Crash, unmarked, workflow
from tests.workflow.oracle import Oracle, decision_of

from paper_search.errors import ThreadFinishedError
from paper_search.models import PaperCollection
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import Checkpoint, SearchWorkflow, ThreadCatalog

MAX_ITERATIONS = 3
ACTIONS = ("approve", "edit", "reject")
SKILLS = ("build", "search", "deduplicate", "score", "organize")


class CrashingSkills(FakeSkills):
    """Skills of which one is the last thing that a process does."""

    def __init__(self, fatal: str) -> None:
        super().__init__()

        async def crash(*_args: Any) -> Any:
            raise Crash

        setattr(self, fatal, crash)


class SearchMachine(ThreadMachine):
    """One search.

    Every effective decision is told to the oracle; what it says then has to be what the thread
    says, whatever else happened in between.
    """

    question, number, reason = "checkpoint", "iteration", "note"
    url_of_place: Any
    """Makes the URL of an empty persistence."""

    def __init__(self) -> None:
        super().__init__()
        self._url = type(self).url_of_place()
        self._actions: list[str] = []
        self._asked: Checkpoint | None = None

    @initialize()
    def start(self) -> None:
        self._asked = asyncio.run(self.flow().start("q", thread_id="t"))

    def flow(self, skills: FakeSkills | None = None) -> SearchWorkflow:
        return workflow(skills, max_iterations=MAX_ITERATIONS, persistence=self._url)

    @property
    def is_open(self) -> bool:
        return self._asked is not None

    def decision(self, action: str) -> dict[str, Any]:
        named = {"checkpoint": self._asked.reference.model_dump(mode="json")}
        return decision_of(action, self._asked) | named

    def _take(self, reached: Checkpoint | PaperCollection) -> None:
        self._asked = reached if isinstance(reached, Checkpoint) else None

    @precondition(lambda self: self.is_open)
    @rule(action=st.sampled_from(ACTIONS))
    def decide(self, action: str) -> None:
        decision = self.decision(action)
        self._take(asyncio.run(self.flow().answer("t", decision)))
        self._actions.append(action)
        self.sent.append(decision)

    @precondition(lambda self: self.is_open)
    @rule(action=st.sampled_from(ACTIONS), fatal=st.sampled_from(SKILLS))
    def decide_and_crash(self, action: str, fatal: str) -> None:
        """The decision was taken; the process died on its way to the next question, or not."""
        decision = self.decision(action)
        with contextlib.suppress(Crash):
            asyncio.run(self.flow(CrashingSkills(fatal)).answer("t", decision))
        self._actions.append(action)
        self.sent.append(decision)
        # Given again, it is not applied again: the thread only goes on from where it stopped.
        try:
            self._take(asyncio.run(self.flow().answer("t", decision)))
        except ThreadFinishedError:
            self._asked = None

    @rule()
    def prune(self) -> None:
        async def pruned() -> None:
            async with open_persistence(self._url) as persistence:
                await persistence.checkpointer.aprune(["t"], strategy="keep_latest")

        asyncio.run(pruned())

    @invariant()
    def stands_where_the_seeds_algorithm_stands(self) -> None:
        asyncio.run(self._compare())

    async def _compare(self) -> None:
        oracle = Oracle(FakeSkills(), MAX_ITERATIONS)
        try:
            expected: PaperCollection | None = await oracle.run("q", self._actions)
        except RuntimeError:  # it asks for the next action, and there is none
            expected = None
        async with open_persistence(self._url) as persistence:
            catalog = ThreadCatalog(persistence)
            flow = workflow(persistence=persistence)
            shown, pending = await catalog.show("t"), await flow.pending("t")
        history = [(entry.strategy, entry.result_count, entry.feedback) for entry in shown.history]
        assert history == oracle.history
        if expected is not None:
            assert pending is None
            assert unmarked(shown.collection.papers) == expected.papers
        else:
            assert (pending.kind.value, pending.iteration) == oracle.asked[-1]

    def teardown(self) -> None:
        if self._asked is not None:
            self._take(asyncio.run(self.flow().answer("t", self.decision("approve"))))


def machine_at(url_of_place: Any) -> type[SearchMachine]:
    return type("Machine", (SearchMachine,), {"url_of_place": staticmethod(url_of_place)})


@pytest.mark.slow
def test_a_thread_in_a_file_does_what_the_seeds_algorithm_does():
    """HUM-01 HUM-02 HUM-03 HUM-07 HUM-08 HUM-09 HUM-10 HUM-15 PER-04 PER-19; PROP-4 to PROP-11."""
    with tempfile.TemporaryDirectory() as directory:
        places = iter(range(10_000))

        def url() -> str:
            return f"sqlite:///{Path(directory) / str(next(places))}.db"

        run_machine(machine_at(url), examples=12, steps=14)


@pytest.mark.slow
def test_a_thread_in_postgresql_does_what_the_seeds_algorithm_does(postgres_server):
    """HUM-08 HUM-09 HUM-10 PER-04 PER-19."""
    from tests.conftest import run_sql

    made: list[str] = []

    def url() -> str:
        name = f"machine{len(made)}"
        made.append(name)
        run_sql(postgres_server, f"CREATE DATABASE {name}")
        return postgres_server.replace("/postgres?", f"/{name}?")

    try:
        run_machine(machine_at(url), examples=4, steps=10)
    finally:
        for name in made:
            run_sql(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")
