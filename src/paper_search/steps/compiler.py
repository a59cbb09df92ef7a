"""Compiles workflows to LangGraph; no other module of `steps` depends on it."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, cast

from langgraph.channels.ephemeral_value import EphemeralValue
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.config import get_config
from langgraph.errors import GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Interrupt, interrupt
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypedDict

from paper_search.errors import InputError, PersistenceError, StepResultError, WorkflowRunError
from paper_search.steps.parameters import (
    OF_LANGGRAPH,
    describe_errors,
    parse_settings,
    wrong_values,
)
from paper_search.steps.step import (
    BindableHandler,
    BoundHandler,
    Environment,
    StepDef,
    check_result,
    note_failures,
)
from paper_search.steps.types import (
    AGAIN,
    MADE_BY,
    OUTCOME,
    PARAMS,
    VISITS,
    AgentRole,
    Outcome,
    StepContext,
    Untracked,
    token_of,
)
from paper_search.steps.workflow import Workflow, title_of

RECURSION_LIMIT = 1000

Node = Callable[[dict[str, Any], Runtime[Any]], Awaitable[dict[str, Any]]]


def compile_workflow(
    workflow: Workflow,
    *,
    services: Any = None,
    checkpointer: Any = None,
    store: Any = None,
    agents: Mapping[AgentRole, Any] | None = None,
) -> Any:
    """Return the LangGraph graph of a workflow.

    Channels hold JSON only. The steps get the state as the workflow's model, and the settings of
    the run from `workflow_params` in the state or, at the first step, from the run's context.

    Args:
        workflow: the workflow to compile; its sub-workflows become subgraphs.
        services: live objects, passed to every step.
        checkpointer: a saver, or None if the server provides one.
        store: a store, or None if the server provides one.
        agents: live objects for the sub-workflows of each role; other roles get `services`.

    Raises:
        DispatchError: a module that a step hands over to has no workflow.
        WorkflowDefinitionError: a step has no transition for an outcome of its sub-workflow.
    """
    environment = Environment(services, agents or {})
    return compile_subgraph(workflow, environment, checkpointer=checkpointer, store=store)


def graph_to_read(workflow: Workflow, *, checkpointer: Any, store: Any) -> Any:
    """Return the graph for reading threads, compiled once per process: it can run no step."""
    return _without_services(workflow).copy({"checkpointer": checkpointer, "store": store})


@functools.lru_cache(maxsize=8)
def _without_services(workflow: Workflow) -> Any:
    return compile_workflow(workflow)


def compile_subgraph(workflow: Workflow, environment: Environment, **persistence: Any) -> Any:
    """Return the graph of a workflow; a sub-workflow shares thread, saver and store."""
    is_outermost = not environment.path
    environment = replace(environment, path=(*environment.path, workflow.name))
    builder = StateGraph(
        cast("Any", _channels(workflow)),
        context_schema=_context_schema(workflow) if is_outermost else None,
        input_schema=cast("Any", workflow.request if is_outermost else None),
        output_schema=cast("Any", _output(workflow) if is_outermost else None),
    )
    for step in workflow.steps:
        handler = _bound(workflow, step, environment)
        runner = _StepRunner(workflow, step, environment, handler)
        node: Any = _node(runner, handler.subgraph)
        builder.add_node(step.id, node, metadata={"title": step.title})
        targets: dict[Hashable, str] = {o.value: to or END for o, to in step.next.items()}
        if len(targets) == 1:  # an edge is much faster than a branch
            builder.add_edge(step.id, next(iter(targets.values())))
        else:
            builder.add_conditional_edges(step.id, _router(step), targets)
    builder.add_edge(START, workflow.entry_point)
    graph = builder.compile(name=workflow.name, **persistence)
    # Checkpoints name their workflow, so that a thread is found without its table.
    metadata = {**workflow.metadata, MADE_BY: workflow.name}
    return graph.with_config(recursion_limit=RECURSION_LIMIT, metadata=metadata)


def _context_schema(workflow: Workflow) -> Any:
    """Return a model of the settings that allows unknown ones, which LangGraph would drop."""
    base = workflow.params
    if base is None:
        return None
    config = {"model_config": ConfigDict(extra="allow"), "__doc__": base.__doc__}
    return type(base.__name__, (base,), {**config, "__module__": base.__module__})


def _channels(workflow: Workflow) -> Any:
    fields: dict[str, Any] = {OUTCOME: Any, PARAMS: Any}
    if any(step.bound is not None for step in workflow.steps):
        fields[VISITS] = Any
    if any(workflow.entry_point in step.next.values() for step in workflow.steps):
        fields[AGAIN] = Annotated[Any, EphemeralValue]
    for name, info in (workflow.state.model_fields if workflow.state else {}).items():
        is_untracked = any(note is Untracked for note in info.metadata)
        fields[name] = Annotated[Any, UntrackedValue] if is_untracked else Any
    if workflow.state is None:
        fields["step_state"] = Any
    return TypedDict(f"{title_of(workflow.name)}State", fields, total=False)  # type: ignore[operator]  # built from data


def _output(workflow: Workflow) -> Any:
    if workflow.result is None:
        return None
    fields = {name: info.annotation for name, info in workflow.result.model_fields.items()}
    return TypedDict(f"{title_of(workflow.name)}Result", fields, total=False)  # type: ignore[operator]  # built from data


class _Ending(TypedDict):  # all that LangGraph needs for routing; by default it copies the state
    last_outcome: str


def _router(step: StepDef) -> Callable[[_Ending], Awaitable[str]]:
    outcomes = {outcome.value for outcome in step.next}

    async def route(state: _Ending) -> str:  # LangGraph would run a plain function in a thread
        outcome = state["last_outcome"]
        return outcome if outcome in outcomes else Outcome.DEFAULT.value

    return route


def _node(runner: "_StepRunner", subgraph: Any) -> Node:
    """Return the function of a step: short, because LangGraph disassembles it to find subgraphs."""

    async def run(state: dict[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        _ = subgraph  # LangGraph looks for it among the captured variables of a node
        return await runner.run(state, runtime)

    return run


class _StepRunner:
    """Runs one step: calls its handler and validates the result."""

    def __init__(
        self, workflow: Workflow, step: StepDef, environment: Environment, handler: BoundHandler
    ) -> None:
        self._workflow = workflow
        self._step = step
        self._services = environment.services
        self._depth = len(environment.path)
        self._invoke = handler.invoke
        self._read = _state_reader(workflow)
        self._counts = any(other.bound is not None for other in workflow.steps)

    async def run(self, state: dict[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        """Return the channels that the step writes."""
        if runtime.store is None:
            raise PersistenceError(
                f"the graph {self._workflow.name!r} runs without a store for its records: compile "
                "it with store=..., or open both with paper_search.persistence"
            )
        is_first = self._step.id == self._workflow.entry_point and AGAIN not in state
        settings = state.get(PARAMS)
        if is_first and self._depth == 1:
            settings = self._first_settings(settings, runtime.context)
        model = self._workflow.params
        plain = to_jsonable_python(settings) if isinstance(settings, BaseModel) else settings or {}
        params = MappingProxyType(dict(plain)) if model is None else model.model_validate(plain)
        channels = _count_visit(self._step, params, {} if is_first else state.get(VISITS) or {})
        if is_first:
            channels[PARAMS] = plain if model is None else to_jsonable_python(params)
            if self._counts:
                channels.setdefault(VISITS, {})
        ctx = self._context(state, runtime, params)
        ctx.progress("step", {"step": self._step.id})
        with note_failures(self._step.id, self._workflow.name):
            result = self._invoke(ctx)
            result = await result if inspect.isawaitable(result) else result
        outcome, update = check_result(self._step.id, result)
        if self._step.target(outcome) == self._workflow.entry_point:
            channels[AGAIN] = True
        channels.update(self._channels_of(state, update))
        channels[OUTCOME] = outcome.value
        return channels

    def _first_settings(self, within: Any, context: Any) -> Any:
        """Return the settings of a new run, from its context, its config or its input."""
        model = self._workflow.params
        if context is None:
            chosen = {**(within or {}), **get_config().get("configurable", {})}
        else:
            chosen = to_jsonable_python(context)
        if model is None:
            return within if context is None else chosen
        own = {name: value for name, value in chosen.items() if not OF_LANGGRAPH.fullmatch(name)}
        return parse_settings(model, own, f"the workflow {self._workflow.name!r}")

    def _context(
        self, state: Mapping[str, Any], runtime: Runtime[Any], params: Any
    ) -> StepContext[Any, Any, Any]:
        send, info = runtime.stream_writer, runtime.execution_info
        return StepContext(
            step_id=self._step.id,
            workflow_params=params,
            step_state=self._state(state),
            services=self._services,
            thread_id=(info.thread_id if info else None) or "",
            run=self._run_within(info.checkpoint_ns) if info else "",
            store=runtime.store,
            token=token_of(Interrupt.from_ns(None, info.checkpoint_ns).id) if info else "",
            ask=_ask,
            progress=lambda event, details: send({"event": event, **details}),
        )

    def _run_within(self, namespace: str) -> str:
        """Return a name of the outermost run in its thread; empty if no other graph runs it."""
        outer = "|".join(namespace.split("|")[: -self._depth])
        return token_of(Interrupt.from_ns(None, outer).id) if outer else ""

    def _state(self, state: Mapping[str, Any]) -> Any:
        try:
            return self._read(state)
        except ValidationError as error:
            raise InputError(
                f"step {self._step.id!r} cannot read the state of {self._workflow.name!r}: "
                f"{describe_errors(error)}"
            ) from None

    def _channels_of(self, state: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
        """Return the channels that an update writes: known fields only, as JSON."""
        try:
            plain: dict[str, Any] = to_jsonable_python(dict(update))
        except PydanticSerializationError as error:
            raise StepResultError(
                f"step {self._step.id!r} wrote a value that is not JSON: {error}"
            ) from None
        model = self._workflow.state
        if model is None:
            return {"step_state": {**(state.get("step_state") or {}), **plain}}
        if unknown := sorted(set(plain) - set(model.model_fields)):
            raise StepResultError(
                f"step {self._step.id!r} wrote {unknown}: {self._workflow.name!r} has no such "
                f"state fields; it has: {', '.join(model.model_fields)}"
            )
        if wrong := wrong_values(model, plain):
            raise StepResultError(f"step {self._step.id!r} wrote an invalid value: {wrong}")
        return plain


def _bound(workflow: Workflow, step: StepDef, environment: Environment) -> BoundHandler:
    handler = step.handler
    if isinstance(handler, BindableHandler):
        return handler.bind(step, environment)
    names = tuple(workflow.arguments[step.id])
    function: Any = handler

    def invoke(ctx: StepContext[Any, Any, Any]) -> Any:
        params = ctx.workflow_params
        return function(ctx, **{name: getattr(params, name) for name in names})

    return BoundHandler(invoke)


def _state_reader(workflow: Workflow) -> Callable[[Mapping[str, Any]], Any]:
    if workflow.state is None:
        return lambda state: dict(state.get("step_state") or {})
    model, names = workflow.state, tuple(workflow.state.model_fields)
    return lambda state: model.model_validate({n: state[n] for n in names if n in state})


def _count_visit(step: StepDef, params: Any, visits: Mapping[str, int]) -> dict[str, Any]:
    """Return the count of visits with this one, if the step has a bound."""
    bound = step.bound
    if bound is None:
        return {}
    limit = bound if isinstance(bound, int) else getattr(params, bound)
    if (count := visits.get(step.id, 0) + 1) > limit:
        setting = "" if isinstance(bound, int) else f" ({bound})"
        raise WorkflowRunError(
            f"step {step.id!r} would run for the {count}th time, but its bound is {limit}{setting}:"
            " an outcome must lead out of its loop before"
        )
    return {VISITS: {**visits, step.id: count}}


def _ask(question: BaseModel, answer: Any) -> Any:
    """Interrupt with the question as JSON; the answer is checked before LangGraph stores it.

    If the type of the answer has a `client_form`, that replaces its JSON schema.
    """
    try:
        return interrupt(None, response_schema=answer)
    except GraphInterrupt as pause:
        for asked in pause.args[0]:
            asked.value = question.model_dump(mode="json")
            asked.response_schema = getattr(answer, "client_form", asked.response_schema)
        raise


def resume(question: str, answer: Any) -> Any:
    """Return the command that continues a graph with the answer to one open question."""
    return Command(resume={question: to_jsonable_python(answer)})


def compile_in_memory(workflow: Workflow, **options: Any) -> Any:
    """Return the graph with saver and store in memory; options as for `compile_workflow`."""
    from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415  # not for the server
    from langgraph.store.memory import InMemoryStore  # noqa: PLC0415  # as above

    in_memory = {"checkpointer": InMemorySaver(), "store": InMemoryStore()}
    return compile_workflow(workflow, **{**in_memory, **options})
