"""A thread outlives whatever drives it, and whatever happens to that."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from tests.answers import reply_to
from tests.conftest import run_sql
from tests.steps.test_compiler import assert_json
from tests.workflow.crashing import SCRIPT
from tests.workflow.doubles import STEPS, Crash, workflow

from paper_search.errors import ThreadWaitingError
from paper_search.persistence import open_persistence
from paper_search.skills import RelevanceScorer, ResultOrganizer
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import CheckpointKind, SearchWorkflow, ThreadCatalog, ThreadStatus
from paper_search.workflow.session import SearchSession

ROUNDS = [*STEPS, *STEPS[1:]]


async def undisturbed() -> Any:
    return await workflow(handler=ScriptedHandler(SCRIPT)).run("q")


def test_a_thread_goes_on_in_another_event_loop(url):
    """HUM-13."""
    skills = FakeSkills()
    first = asyncio.run(workflow(skills, persistence=url).start("q", thread_id="t"))
    assert asyncio.run(workflow(skills, persistence=url).pending("t")) == first
    second = asyncio.run(reply_to(workflow(skills, persistence=url), "t", "approve"))
    assert second.kind is CheckpointKind.RESULT_REVIEW
    result = asyncio.run(reply_to(workflow(skills, persistence=url), "t", "approve"))
    assert result == asyncio.run(workflow().run("q"))
    assert skills.calls == STEPS


class Rising(FakeSkills):
    """Its later papers are the better ones; it dies before it has organised them."""

    async def score(self, papers: Any, intent: Any) -> Any:
        scored = await super().score(papers, intent)
        return [
            one.model_copy(update={"relevance_score": 0.6 + place / 10})
            for place, one in enumerate(scored)
        ]

    async def organize(self, *_: Any) -> Any:
        raise RuntimeError


async def test_papers_stay_in_the_order_of_who_scored_them_whoever_goes_on(url):
    first = workflow(Rising(), persistence=url)
    await first.start("q", thread_id="t")
    with pytest.raises(RuntimeError):
        await reply_to(first, "t", "approve")
    again = workflow(
        persistence=url, relevance_scorer=RelevanceScorer(), result_organizer=ResultOrganizer()
    )
    with pytest.raises(ThreadWaitingError):
        await again.resume("t")
    question = await again.pending("t")
    assert [paper.relevance_score for paper in question.payload.collection.papers] == [0.7, 0.6]


STATES = ("checkpointer", ["aput", "aput_writes"], Crash, 20)
PAPERS = ("store", ["abatch"], RuntimeError, 10)  # its background tasks live on


@pytest.mark.slow
@pytest.mark.parametrize(
    ("writes", "is_before", "step"),
    [(STATES, True, 1), (STATES, False, 3), (PAPERS, True, 3), (PAPERS, False, 3)],
)
async def test_a_crash_at_any_write_changes_nothing_in_the_end(writes, is_before, step, url):
    """PER-02 PER-03: before the k-th write of a checkpoint, for every k; after some of them.

    The papers are kept apart from the checkpoints; neither is ahead for good.
    """
    (part, calls, error, most), k = writes, 0
    expected, crashes = await undisturbed(), True
    async with open_persistence(url) as persistence:
        catalog, failing = ThreadCatalog(persistence), getattr(persistence, part)
        while crashes:
            skills, answers, name = FakeSkills(), list(SCRIPT), f"t{k}"
            flow = workflow(skills, Consuming(answers), persistence=persistence)
            with (
                crashing(failing, k, *calls, is_before=is_before, error=error) as crashes,
                contextlib.suppress(error),
            ):
                await flow.run("q", thread_id=name)
            saved = await persistence.checkpointer.aget_tuple({"configurable": {"thread_id": name}})
            if saved is None:  # there is no thread yet: the search is begun again
                assert part == "store" or await catalog.threads() == []
                await flow.run("q", thread_id=name)
            assert await taken_to_the_end(catalog, flow, name, answers) == expected
            assert len(skills.calls) <= len(ROUNDS) + 1, (k, skills.calls)
            k += step
    assert k > most
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]


@contextlib.contextmanager
def crashing(
    persistence: Any, k: int, *calls: str, is_before: bool, error: type[BaseException]
) -> Iterator[list[int]]:
    """Let the k-th of these calls crash, before it is done or after; gives the crashes."""
    crashes: list[int] = []
    count = 0

    def doctored(inner: Any) -> Any:
        async def write(*args: Any) -> Any:
            nonlocal count
            count += 1
            if is_before and count > k:
                crashes.append(count)
                raise error
            result = await inner(*args)
            if count > k:
                crashes.append(count)
                raise error
            return result

        return write

    for name in calls:
        setattr(persistence, name, doctored(getattr(persistence, name)))
    try:
        yield crashes
    finally:
        for name in calls:
            delattr(persistence, name)


class Consuming:
    """Answers from a list, from which it takes what it gives."""

    def __init__(self, answers: list[Any]) -> None:
        self._answers = answers

    async def handle(self, checkpoint: Any) -> Any:
        answer = self._answers.pop(0)
        return answer(checkpoint) if callable(answer) else answer


async def taken_to_the_end(
    catalog: ThreadCatalog, flow: SearchWorkflow, thread: str, answers: list[Any]
) -> Any:
    info = await catalog.info(thread)
    if info.status is ThreadStatus.DONE:
        return (await catalog.show(thread)).collection
    if info.checkpoint is not None:
        # A decision that was given but not stored before the crash is asked for again.
        is_result = info.checkpoint is CheckpointKind.RESULT_REVIEW
        answers[:] = SCRIPT[2 * info.iteration + is_result :]
    return await flow.resume(thread)


async def test_a_cancelled_run_leaves_a_thread_that_resumes(url):
    """PER-06: Ctrl-C cancels the main task."""
    skills, is_there = FakeSkills(), asyncio.Event()
    inner = skills.score

    async def stuck(*_args: Any) -> Any:
        is_there.set()
        await asyncio.Event().wait()

    skills.score = stuck
    flow = workflow(skills, ScriptedHandler(SCRIPT[:1]), persistence=url)
    driving = asyncio.create_task(flow.run("q", thread_id="t"))
    await is_there.wait()
    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving
    skills.score = inner
    again = workflow(skills, ScriptedHandler(SCRIPT[1:]), persistence=url)
    assert await again.resume("t") == await undisturbed()
    assert skills.calls == ROUNDS
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
async def test_what_a_handler_raises_comes_out_and_leaves_the_question_open(error, url):
    """PER-06 REQ-10: Ctrl-C at the question, or its terminal is gone."""

    def broken(_checkpoint: Any) -> Any:
        raise error

    flow = workflow(handler=ScriptedHandler([broken]), persistence=url)
    with pytest.raises(error):
        await flow.run("q", thread_id="t")
    assert (await flow.pending("t")).kind is CheckpointKind.STRATEGY_CONFIRMATION
    assert (await reply_to(flow, "t", "approve")).kind is CheckpointKind.RESULT_REVIEW


# --- what is in a checkpoint ----------------------------------------------------------------------


async def test_checkpoints_hold_json_and_no_paper(url):
    """Design section 4: no class name, no record; the final collection is output only."""
    flow = workflow(handler=ScriptedHandler(SCRIPT), persistence=url)
    result = await flow.run("q", thread_id="t")
    assert len(result.papers) == 3
    blobs = run_sql(url, "SELECT type, checkpoint FROM checkpoints")
    writes = run_sql(url, "SELECT channel, type, value FROM writes")
    strict = JsonPlusSerializer(allowed_msgpack_modules=None)
    for kind, blob in blobs:
        assert_json(strict.loads_typed((kind, blob))["channel_values"])
        assert b"Found by" not in blob
        assert b"paper_search." not in blob
    for channel, kind, value in writes:
        if not channel.startswith("__"):
            assert_json(strict.loads_typed((kind, value)))
        if channel != "__interrupt__":
            assert b"Found by" not in (value or b""), channel
    assert not [channel for channel, *_ in writes if channel in {"collection", "papers"}]


@pytest.mark.parametrize("kind", ["constructor", "pickle", "json"])
async def test_a_crafted_row_executes_nothing(tmp_path, kind, url):
    """PER-16."""
    trap = tmp_path / "trap"
    await workflow(persistence=url).start("q", thread_id="t")
    crafted = _crafted(kind, str(trap))
    assert run_sql(url, "UPDATE writes SET type = ?, value = ? RETURNING 1", *crafted)
    async with open_persistence(url) as persistence:
        graph = SearchSession.graph(persistence, FakeSkills().skills)
        try:
            await graph.aget_state({"configurable": {"thread_id": "t"}})
        except Exception as error:  # noqa: BLE001  # any refusal will do
            assert str(error)  # noqa: PT017  # any refusal will do
    assert not trap.exists()


def _crafted(kind: str, trap: str) -> tuple[str, bytes]:
    if kind == "constructor":
        call = ormsgpack.packb(("os", "mkdir", trap))
        return "msgpack", ormsgpack.packb(ormsgpack.Ext(0, call))
    if kind == "pickle":
        return "pickle", b"cos\nmkdir\n(S'" + trap.encode() + b"'\ntR."
    text = '{"lc": 2, "type": "constructor", "id": ["os", "mkdir"], "args": ["%s"]}'
    return "json", (text % trap).encode()


@pytest.mark.filterwarnings("ignore::Warning")
def test_the_crafted_row_is_a_real_trap_where_deserialization_is_not_strict(tmp_path):
    """PER-16: else the test above could not fail."""
    trap = tmp_path / "trap"
    permissive = JsonPlusSerializer(allowed_msgpack_modules=True)
    permissive.loads_typed(_crafted("constructor", str(trap)))
    assert trap.is_dir()


def test_environment_is_not_needed_for_strictness(monkeypatch):
    """PER-16."""
    from paper_search.persistence.serialization import serializer

    monkeypatch.delenv("LANGGRAPH_STRICT_MSGPACK", raising=False)
    value = serializer().loads_typed(
        ("msgpack", ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(("os", "fsencode", "x")))))
    )
    assert value != b"x"


async def test_a_thread_in_memory_is_gone_with_its_workflow():
    """PER-22."""
    from paper_search.errors import ThreadNotFoundError

    await workflow().start("q", thread_id="t")
    with pytest.raises(ThreadNotFoundError):
        await workflow().pending("t")
