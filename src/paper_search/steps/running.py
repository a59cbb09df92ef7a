"""Runs workflows from Python: in memory, or on threads that another process can resume."""

import contextlib
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from paper_search.errors import (
    InputError,
    ThreadExistsError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadWaitingError,
)
from paper_search.steps.compiler import compile_in_memory, resume
from paper_search.steps.parameters import describe_errors, parse_settings, wrong_values
from paper_search.steps.types import MADE_BY, OUTCOME, PARAMS, RESERVED, Outcome, Run
from paper_search.steps.workflow import Workflow

_ASKED = "__interrupt__"
_NO_REPLY = object()


async def run_workflow(  # noqa: PLR0913  # only the caller has each of them
    workflow: Workflow,
    given: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    answers: Iterable[Any] = (),
    thread_id: str | None = None,
    persistence: Any = None,
    **options: Any,
) -> Run:
    """Run a workflow to its end, or to a question without an answer.

    Args:
        workflow: the workflow to run.
        given: the input; for a workflow without a state model, its initial state.
        params: the settings of the run.
        answers: one for each question, in order: JSON, a model, or a function of the question.
        thread_id: the id by which the thread can be resumed; None for a new UUID.
        persistence: where the thread is stored, from
            `paper_search.persistence.open_persistence`; None for memory, during this call.
        options: see `compile_workflow`.

    Raises:
        InputError: the input or an answer is invalid; the message names the field.
        ConfigError: a setting is unknown or invalid.
        StepResultError: a step returned an invalid result.
        WorkflowRunError: a run exceeds the bound of a step.
        ThreadExistsError: a thread with this id exists.
    """
    step_input = _input(workflow, given or {})
    context: Any = params
    if workflow.params:
        context = parse_settings(workflow.params, params or {}, f"the workflow {workflow.name!r}")
    thread = thread_id or str(uuid.uuid4())
    async with _open_graph(workflow, thread, persistence, options) as graph:
        if (await graph.aget_state(_config(thread))).metadata:
            raise ThreadExistsError(
                f"thread {thread!r} already exists; resume it or omit the thread id"
            )
        return await _drive(workflow, graph, thread, step_input, iter(answers), context)


async def resume_workflow(
    workflow: Workflow,
    thread_id: str,
    *,
    persistence: Any,
    answers: Iterable[Any] = (),
    **options: Any,
) -> Run:
    """Continue a thread in any process: answer its question, or go on where it stopped.

    Raises:
        ThreadNotFoundError: there is no such thread, or another workflow began it.
        ThreadFinishedError: the thread is finished.
        ThreadWaitingError: it is waiting for an answer, and none is given.
        ThreadBusyError: another process is running it.
        InputError: an answer is invalid; the question stays open.
        StepResultError: a step returned an invalid result.
    """
    replies = iter(answers)
    async with _open_graph(workflow, thread_id, persistence, options) as graph:
        snapshot = await graph.aget_state(_config(thread_id))
        begun_by = (snapshot.metadata or {}).get(MADE_BY)
        if begun_by != workflow.name:
            other = f"; the workflow {begun_by!r} began the one with this id" if begun_by else ""
            raise ThreadNotFoundError(f"{workflow.name!r} has no thread {thread_id!r}{other}")
        if not snapshot.next:
            raise ThreadFinishedError(f"thread {thread_id!r} is finished; nothing is left to run")
        if not snapshot.interrupts:
            return await _drive(workflow, graph, thread_id, None, replies)
        reply = next(replies, _NO_REPLY)
        if reply is _NO_REPLY:
            raise ThreadWaitingError(
                f"thread {thread_id!r} is waiting for an answer at step {snapshot.next[0]!r}"
            )
        command = _resume_with(snapshot.interrupts[0], reply)
        return await _drive(workflow, graph, thread_id, command, replies)


@contextlib.asynccontextmanager
async def _open_graph(
    workflow: Workflow, thread_id: str, place: Any, options: Mapping[str, Any]
) -> AsyncIterator[Any]:
    if place is None:
        yield compile_in_memory(workflow, **options)
        return
    stores = {"checkpointer": place.checkpointer, "store": place.store}
    async with place.leases.hold(thread_id):
        yield compile_in_memory(workflow, **{**stores, **options})


async def _drive(  # noqa: PLR0913, PLR0917  # the parts of a run
    workflow: Workflow,
    graph: Any,
    thread_id: str,
    step_input: Any,
    replies: Any,
    context: Any = None,
) -> Run:
    config = _config(thread_id)
    trace: list[tuple[str, Outcome]] = []
    questions: list[Any] = []
    result: dict[str, Any] = {}
    options = {"stream_mode": ["updates", "values"], "durability": "sync"}
    while True:
        try:
            async for mode, chunk in graph.astream(step_input, config, context=context, **options):
                if mode == "values":
                    result = chunk
                    continue
                ended = {name: update for name, update in chunk.items() if name != _ASKED}
                trace += [(name, Outcome(update[OUTCOME])) for name, update in ended.items()]
        except ValidationError as error:
            snapshot = await graph.aget_state(config)
            if not snapshot.interrupts:
                raise
            raise InputError(
                f"the answer to step {snapshot.next[0]!r} cannot be used: "
                f"{describe_errors(error)}; the question stays open"
            ) from None
        waiting = (await graph.aget_state(config)).interrupts
        questions += [question.value for question in waiting[:1]]
        reply = next(replies, _NO_REPLY) if waiting else _NO_REPLY
        if reply is _NO_REPLY:
            return Run(
                _result(workflow, result), tuple(trace), tuple(questions), is_waiting=bool(waiting)
            )
        step_input = _resume_with(waiting[0], reply)


def _config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


def _resume_with(question: Any, reply: Any) -> Any:
    return resume(question.id, reply(question.value) if callable(reply) else reply)


def _result(workflow: Workflow, values: Mapping[str, Any]) -> dict[str, Any]:
    if workflow.result is None and workflow.state is None:
        return dict(values.get("step_state") or {})
    return {name: value for name, value in values.items() if name not in {*RESERVED, _ASKED}}


def _input(workflow: Workflow, values: Mapping[str, Any]) -> dict[str, Any]:
    model = workflow.request or workflow.state
    if model is None:
        return {"step_state": to_jsonable_python(dict(values))}
    if unknown := sorted(set(values) - set(model.model_fields)):
        raise InputError(
            f"the input of {workflow.name!r} has no fields {unknown}; it has: "
            f"{', '.join(model.model_fields)}"
        )
    plain: dict[str, Any] = to_jsonable_python(dict(values))
    wrong = wrong_values(model, plain)
    if workflow.request is not None:
        try:
            return workflow.request.model_validate(values).model_dump(mode="json")
        except ValidationError as error:
            wrong = describe_errors(error)
    if wrong:
        raise InputError(f"the input of {workflow.name!r} cannot be used: {wrong}")
    return {**plain, PARAMS: None}  # an input must not be empty
