"""One run in memory, from input to result: for the command line, examples and tests."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from paper_search.steps.compiler import compile_in_memory, resume
from paper_search.steps.types import OUTCOME, PARAMS, RESERVED, Outcome, Run
from paper_search.steps.workflow import Workflow


async def run_workflow(
    workflow: Workflow,
    given: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    answers: Iterable[Any] = (),
    **options: Any,
) -> Run:
    """Run a workflow in memory, to its end or to a question that nobody answers.

    Args:
        workflow: what to run.
        given: the input; for a workflow without a state model: the state that it begins with.
        params: the settings of the run.
        answers: one for each question, in order: JSON, a model, or a function of the question.
        options: see `compile_workflow`.

    Raises:
        pydantic.ValidationError: input, settings or an answer cannot be used.
    """
    graph = compile_in_memory(workflow, **options)
    config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
    step_input: Any = _input(workflow, given or {})
    context = workflow.params.model_validate(params or {}) if workflow.params else params
    trace: list[tuple[str, Outcome]] = []
    questions: list[Any] = []
    result: dict[str, Any] = {}
    replies = iter(answers)
    while True:
        stream = graph.astream(
            step_input, config, context=context, stream_mode=["updates", "values"]
        )
        async for mode, chunk in stream:
            if mode == "values":
                result = chunk
                continue
            for name, written in chunk.items():
                if name != "__interrupt__":
                    trace.append((name, Outcome(written[OUTCOME])))
        waiting = (await graph.aget_state(config)).interrupts
        if waiting:
            questions.append(waiting[0].value)
        reply = next(replies, _NO_REPLY) if waiting else _NO_REPLY
        if reply is _NO_REPLY:
            return Run(
                _result(workflow, result), tuple(trace), tuple(questions), is_waiting=bool(waiting)
            )
        answer = reply(waiting[0].value) if callable(reply) else reply
        step_input = resume(waiting[0].id, answer)


_NO_REPLY = object()


def _result(workflow: Workflow, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output without what the graph keeps for itself."""
    if workflow.result is None and workflow.state is None:
        return dict(values.get("step_state") or {})
    own = RESERVED | {"__interrupt__"}
    return {name: value for name, value in values.items() if name not in own}


def _input(workflow: Workflow, given: Mapping[str, Any]) -> dict[str, Any]:
    if workflow.request is not None:
        return workflow.request.model_validate(given).model_dump(mode="json")
    if workflow.state is not None:
        return {**to_jsonable_python(dict(given)), PARAMS: None}  # an input must not be empty
    return {"step_state": to_jsonable_python(dict(given))}
