"""Workflows of others on threads: asked, stopped, resumed elsewhere, and refused by name."""

from typing import Any

import pytest
from pydantic import BaseModel

from paper_search import errors
from paper_search.persistence import open_persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.steps import (
    Outcome,
    StepContext,
    StepDef,
    Workflow,
    resume_workflow,
    run_workflow,
)
from paper_search.threads.catalog import ThreadStatus


class Order(BaseModel):
    copies: int = 1
    words: list[str] = []


class HowMany(BaseModel):
    text: str = "how many?"


class Copies(BaseModel):
    copies: int


def asking(ctx: StepContext[Order, None, None]) -> Any:
    return Outcome.OK, {"copies": ctx.ask(HowMany(), Copies).copies}


def ordering(handler: Any = asking, *, name: str = "ordering", **options: Any) -> Workflow:
    step = StepDef("ask", handler=handler, next={Outcome.OK: None, Outcome.ITERATE: "ask"}, bound=5)
    return Workflow(name, step, **{"state": Order, **options})


async def on_a_thread(url: str, work: Any, workflow: Workflow | None = None, **options: Any) -> Any:
    """Run or resume on a file that is opened for this call, as by a process of its own."""
    chosen = workflow or ordering()
    async with open_persistence(url) as persistence:
        if work is run_workflow:
            return await run_workflow(chosen, thread_id="t", persistence=persistence, **options)
        return await resume_workflow(chosen, "t", persistence=persistence, **options)


async def test_a_thread_asks_stops_and_is_resumed_from_the_file(url):
    run = await on_a_thread(url, run_workflow, given={"copies": 2})
    assert (run.is_waiting, run.questions) == (True, ({"text": "how many?"},))
    run = await on_a_thread(url, resume_workflow, answers=[{"copies": 7}])
    assert (run.is_waiting, run.result["copies"]) == (False, 7)
    with pytest.raises(errors.ThreadFinishedError):
        await on_a_thread(url, resume_workflow, answers=[{"copies": 8}])


async def test_a_thread_that_stopped_without_a_question_goes_on_where_it_stopped(url):
    begun: list[str] = []

    def counting(_ctx: StepContext[Order, None, None]) -> Any:
        begun.append("count")
        return Outcome.OK, {"copies": 3}

    def breaking_once(ctx: StepContext[Order, None, None]) -> Any:
        begun.append("break")
        if begun.count("break") == 1:
            raise OSError("the disk is full")
        return Outcome.OK, {"copies": ctx.step_state.copies + 1}

    steps = [
        StepDef("count", handler=counting, next={Outcome.OK: "break"}),
        StepDef("break", handler=breaking_once, next={Outcome.OK: None}),
    ]
    workflow = Workflow("w", *steps, state=Order)
    with pytest.raises(OSError, match="disk"):
        await on_a_thread(url, run_workflow, workflow)
    run = await on_a_thread(url, resume_workflow, workflow)
    assert (run.result["copies"], begun) == (4, ["count", "break", "break"])


async def test_what_a_thread_cannot_take_is_said(url):
    with pytest.raises(errors.ThreadNotFoundError, match="'t'"):
        await on_a_thread(url, resume_workflow)
    await on_a_thread(url, run_workflow)
    with pytest.raises(errors.ThreadExistsError):
        await on_a_thread(url, run_workflow)
    with pytest.raises(errors.ThreadWaitingError, match="'ask'"):
        await on_a_thread(url, resume_workflow)
    with pytest.raises(errors.ThreadNotFoundError, match="'ordering' began"):
        await on_a_thread(url, resume_workflow, ordering(name="other"), answers=[{"copies": 1}])


async def test_its_threads_are_listed_shown_pruned_and_deleted(url):
    await on_a_thread(url, run_workflow, given={"copies": 2})
    async with open_persistence(url) as persistence:
        every = ThreadCatalogs(persistence)
        (info,) = await every.threads()
        assert (info.thread_id, info.graph, info.status) == ("t", "ordering", ThreadStatus.WAITING)
        assert info.updated_at
        detail = await every.others.show("t")
        assert (detail.open_question, detail.state) == ({"text": "how many?"}, {"copies": 2})
        await (await every.catalog_of("t")).prune("t")
    await on_a_thread(url, resume_workflow, answers=[{"copies": 7}])
    async with open_persistence(url) as persistence:
        every = ThreadCatalogs(persistence)
        assert (await every.others.info("t")).status is ThreadStatus.DONE
        await every.delete("t")
        assert await every.threads() == []


@pytest.mark.parametrize(
    ("given", "words"),
    [({"copeis": 2}, "copeis.*it has: copies, words"), ({"copies": "many"}, "copies: .*integer")],
)
async def test_a_misspelt_or_unfit_input_names_the_field(given, words):
    with pytest.raises(errors.InputError, match=words):
        await run_workflow(ordering(), given)
    with pytest.raises(errors.InputError, match=words):
        await run_workflow(ordering(request=Order), given)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "returned None"),
        ("ok", "returned 'ok'"),
        (("ok", {}), "returned"),
        ((Outcome.OK, [1]), "returned"),
        ((Outcome.OK, {"copeis": 1}), "copeis.*it has: copies, words"),
        ((Outcome.OK, {"copies": "many"}), "copies: .*integer"),
        ((Outcome.OK, {"words": ["a", {}]}), r"words\.1: "),
        ((Outcome.OK, {"copies": object()}), "not JSON"),
        ((Outcome.FAIL, {}), "returned 'fail'; it has: ok, iterate"),
    ],
)
async def test_a_result_that_does_not_fit_names_step_and_field(result, words):
    with pytest.raises(errors.StepResultError, match=rf"'ask'.*{words}"):
        await run_workflow(ordering(lambda _ctx: result))
