"""Workflows compiled to LangGraph: the only module of `steps` that knows it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Annotated, Any, cast

from langgraph.channels.untracked_value import UntrackedValue
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from paper_search.errors import PersistenceError
from paper_search.steps.core import StepDef, Workflow
from paper_search.steps.types import Outcome, StepContext, Untracked

OUTCOME = "last_outcome"
"""Channel: what came of the step that ran last; conditional edges read it."""
PARAMS = "workflow_params"
"""Channel: the settings of the run, fixed by its first step, so that any process can go on."""

Node = Callable[[dict[str, Any], Runtime[Any]], Awaitable[dict[str, Any]]]


def compile_workflow(
    workflow: Workflow, *, services: Any = None, checkpointer: Any = None, store: Any = None
) -> Any:
    """Return the LangGraph graph of a workflow.

    Channels hold JSON only. The steps get the state as the workflow's model, and the settings of
    the run from `workflow_params` in the state or, at the first step, from the run's context.

    Args:
        workflow: what to compile.
        services: live objects, handed to every step.
        checkpointer: a saver, or None where the server brings one.
        store: a store, or None where the server brings one.
    """
    request = workflow.request
    builder = StateGraph(
        cast("Any", _channels(workflow)),
        context_schema=cast("Any", workflow.params),
        input_schema=cast("Any", request),
        output_schema=cast("Any", _output(workflow)),
    )
    for step in workflow.steps:
        node: Any = _node(workflow, step, services)
        builder.add_node(step.id, node, metadata={"title": step.title})
        targets = {outcome.value: END if to is None else to for outcome, to in step.next.items()}
        builder.add_conditional_edges(step.id, _router(step), cast("dict[Hashable, str]", targets))
    builder.add_edge(START, workflow.entry_point)
    graph = builder.compile(checkpointer=checkpointer, store=store, name=workflow.name)
    return graph.with_config(recursion_limit=1000)


def _channels(workflow: Workflow) -> Any:
    fields: dict[str, Any] = {OUTCOME: Any, PARAMS: Any}
    for name, info in (workflow.state.model_fields if workflow.state else {}).items():
        is_untracked = any(each is Untracked for each in info.metadata)
        fields[name] = Annotated[Any, UntrackedValue] if is_untracked else Any
    if workflow.state is None:
        fields["step_state"] = Any
    return TypedDict(f"{_title(workflow)}State", fields, total=False)  # type: ignore[operator]  # built from data


def _output(workflow: Workflow) -> Any:
    if workflow.result is None:
        return None
    fields = {name: info.annotation for name, info in workflow.result.model_fields.items()}
    return TypedDict(f"{_title(workflow)}Result", fields, total=False)  # type: ignore[operator]  # built from data


def _title(workflow: Workflow) -> str:
    return "".join(part.capitalize() for part in workflow.name.replace("-", "_").split("_"))


def _router(step: StepDef) -> Callable[[dict[str, Any]], str]:
    def route(state: dict[str, Any]) -> str:
        outcome = Outcome(state[OUTCOME])
        step.target(outcome)
        return (outcome if outcome in step.next else Outcome.DEFAULT).value

    return route


def _node(workflow: Workflow, step: StepDef, services: Any) -> Node:
    async def run(state: dict[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        if runtime.store is None:
            raise PersistenceError(
                f"the graph {workflow.name!r} runs without a store, where its records live: "
                "compile it with store=..., or open both with paper_search.persistence"
            )
        is_first = step.id == workflow.entry_point
        params = _params(workflow, state, runtime, is_first=is_first)
        context = StepContext(
            step_id=step.id,
            workflow_params=params,
            step_state=_state(workflow, state),
            services=services,
            thread_id=_thread_id(runtime),
            store=runtime.store,
            ask=_ask,
            progress=lambda event, details: runtime.stream_writer({"event": event, **details}),
        )
        context.progress("step", {"step": step.id})
        result = step.handler(context)
        outcome, update = await result if inspect.isawaitable(result) else result
        channels = _written(workflow, state, update)
        if is_first:
            channels[PARAMS] = to_jsonable_python(params)
        return {**channels, OUTCOME: outcome.value}

    run.__name__ = step.id
    return run


def _ask(question: BaseModel, answer: Any) -> Any:
    """Interrupt with the question as JSON; the answer is checked before LangGraph stores it."""
    return interrupt(question.model_dump(mode="json"), response_schema=answer)


def _thread_id(runtime: Runtime[Any]) -> str:
    info = runtime.execution_info
    return (info.thread_id if info else None) or ""


def _params(
    workflow: Workflow, state: Mapping[str, Any], runtime: Runtime[Any], *, is_first: bool
) -> Any:
    recorded = state.get(PARAMS)
    given = runtime.context
    chosen = (
        given if is_first and given is not None else recorded if recorded is not None else given
    )
    if workflow.params is None:
        return dict(chosen or {})
    return workflow.params.model_validate(to_jsonable_python(chosen) if chosen is not None else {})


def _state(workflow: Workflow, state: Mapping[str, Any]) -> Any:
    if workflow.state is None:
        return dict(state.get("step_state") or {})
    return workflow.state.model_validate(
        {name: state[name] for name in workflow.state.model_fields if name in state}
    )


def _written(
    workflow: Workflow, state: Mapping[str, Any], update: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the channels that a step's update writes: known fields only, as JSON."""
    plain = cast("dict[str, Any]", to_jsonable_python(dict(update)))
    if workflow.state is None:
        return {"step_state": {**(state.get("step_state") or {}), **plain}}
    if unknown := sorted(set(plain) - set(workflow.state.model_fields)):
        raise KeyError(f"{workflow.name!r} has no state fields {unknown}")
    return plain
