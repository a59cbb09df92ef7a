"""A graph whose runs hold the lease on their thread and write decisions into the ledger."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any, cast

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateUpdate
from pydantic import BaseModel

from paper_search.errors import RequestRefusedError, ThreadNotFoundError
from paper_search.persistence import LedgerEntry, LedgerStatus
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.server.access import (
    DATABASE,
    Access,
    Run,
    Session,
    check_configurable,
    configurable,
    http_refusals,
)
from paper_search.server.guard import EVERYBODY, NO_SUPERSTEPS
from paper_search.steps import Outcome
from paper_search.steps.parameters import wrong_values
from paper_search.steps.types import OUTCOME
from paper_search.workflow.session import SearchSession

Parts = asyncio.Queue[Any]
_END = object()


class LeasedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph that any server may run without harm to its threads.

    A run takes the lease on its thread. An answer is checked, counts once, and is in the ledger
    before the graph receives it. An input does not skip an open question. A run from an earlier
    checkpoint and an edit of the state are recorded with the person, and undo later decisions.

    `parts`: the attributes of the graph that it is made from.
    """

    def __init__(self, *, access: Access, session_type: type[Session], **parts: Any) -> None:
        super().__init__(**parts)
        self.access = access
        self.session_type = session_type

    async def astream(
        self,
        input: Any,  # noqa: A002  # named by LangGraph
        config: Any = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """Run the graph under the lease, with LangGraph's signature; raises as `Access.prepare`."""
        if self.checkpointer is None:
            async for part in self._run_once(input, config, options):
                yield part
            return
        # In a separate task: a lease belongs to one task, and the server reads each part of a
        # stream in another.
        parts: Parts = asyncio.Queue()
        work = asyncio.create_task(self._work(parts, input, config, options))
        work.add_done_callback(lambda _work: parts.put_nowait(_END))
        try:
            while (part := await parts.get()) is not _END:
                yield part
            await work
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _run_once(self, content: Any, config: Any, options: Any) -> AsyncIterator[Any]:
        """Run without checkpoints, then delete all records."""
        settings = _settings(config)
        thread_id, person = str(settings.get("thread_id")), _person(settings)
        options["durability"] = "async"  # there is nothing to wait for
        async with self.access.shared.use() as persistence:
            run = Run(content, self._with_names(options.get("context")))
            run_input = await self.access.prepare(persistence, self.session_type, None, run, person)
            try:
                async for part in super().astream(run_input, config, **options):
                    yield part
            finally:
                with contextlib.suppress(ThreadNotFoundError):
                    await ThreadCatalogs(persistence).delete(thread_id)

    async def aupdate_state(
        self, config: Any, values: Any, as_node: str | None = None, task_id: str | None = None
    ) -> Any:
        """Edit the state of a thread except what a person decided; raises HTTPException."""
        settings = _settings(config)
        thread_id, person = str(settings.get("thread_id")), settings.get("user_id") or None
        with http_refusals():
            fields = self._check_edit(values, as_node)
            async with self.access.shared.use() as persistence:
                await self.access.require_visible(thread_id, person)
                async with persistence.leases.hold(thread_id):
                    session = self.session_type(self, persistence, thread_id)
                    after = as_node or self._step_before((await self.aget_state(config)).next)
                    await self._undo(session, settings, person)
                    # OK leads to the next question.
                    edit = {**values, OUTCOME: Outcome.OK.value}
                    update = [[StateUpdate(edit, after, task_id)]]
                    head = await super().abulk_update_state(config, update)
                    await session.propose()
                    detail = {"fields": fields, "as_node": after}
                    await persistence.ledger.note(
                        thread_id, "", "edited", person or EVERYBODY, detail
                    )
        return head

    async def aget_state_history(
        self, config: Any, *, before: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        """As LangGraph's; `before` may be a checkpoint alone, as clients of its API send it."""
        before = {"configurable": configurable({"config": before}) or before} if before else None
        with http_refusals():
            check_configurable({"config": before})
        async for past in super().aget_state_history(config, before=before, **options):
            yield past

    async def abulk_update_state(self, config: Any, supersteps: Any) -> Any:
        """Raise HTTPException: such edits could pretend to be any step."""
        del config, supersteps
        with http_refusals():
            raise RequestRefusedError(403, NO_SUPERSTEPS)

    def _step_before(self, steps: Sequence[str]) -> str:
        """Return the step that an edit follows if it names none."""
        if steps and (step := self.session_type.edited_after.get(steps[0])):
            return step
        names = ", ".join(self.session_type.edited_after.values())
        raise RequestRefusedError(409, f"as_node: name the step that you edit after, as {names}")

    def _check_edit(self, values: Any, as_node: str | None) -> list[str]:
        """Return the fields of an edit; RequestRefusedError if it is not allowed."""
        workflow = self.session_type.workflow
        steps = {step.id: step.next for step in workflow.steps}
        editable = [
            name for name, to in steps.items() if any(to.values()) and Outcome.APPROVE not in to
        ]
        if as_node is not None and as_node not in editable:
            raise RequestRefusedError(
                403,
                f"as_node: after {as_node!r} the thread does not continue by itself; edit it after "
                f"one of {', '.join(editable)}",
            )
        if not isinstance(values, Mapping):
            raise RequestRefusedError(422, "values: an edit is an object of fields of the state")
        if decided := sorted(self.session_type.decided_fields & set(values)):
            raise RequestRefusedError(
                403, f"values: {', '.join(decided)} say what a person decided; answer the question"
            )
        model: Any = workflow.state
        if unknown := sorted(map(str, set(values) - set(model.model_fields))):
            raise RequestRefusedError(
                422, f"values: {workflow.name!r} has no state fields {', '.join(unknown)[:200]}"
            )
        if wrong := wrong_values(model, values):
            raise RequestRefusedError(422, f"values: {wrong}")
        return sorted(values)

    async def _work(self, parts: Parts, content: Any, config: Any, options: dict[str, Any]) -> None:
        settings = _settings(config)
        thread_id = str(settings["thread_id"])
        shared = self.access.shared
        async with shared.use() as persistence, persistence.leases.hold(thread_id):
            person = _person(settings)
            session = self.session_type(self, persistence, thread_id)
            before = await self.access.session(persistence, thread_id, person)
            # `langgraph dev` restarts runs that were killed, even if its home has changed.
            if settings.get(DATABASE) not in {None, shared.name}:
                raise RequestRefusedError(409, "this run is from a server with another database")
            run = Run(
                content, self._with_names(options.get("context")), settings.get("checkpoint_id")
            )
            run_input = await self.access.prepare(
                persistence, self.session_type, before, run, person
            )
            if before is None:
                await session.check_key()
            if before is None and person and self.store is not None:  # the first person is owner
                records = session.records_type(self.store, thread_id)
                await records.index(str(run_input[session.begins_with]), person)
            entry: LedgerEntry | None = None
            if isinstance(run_input, Command):
                entry = await _decided(session, run_input, person)
            elif run_input is None and not await self._undo(session, settings, person):
                entry = await session.unapplied_decision()
            run_input = run_input if entry is None else session.resume_command(entry)
            running = cast("AsyncGenerator[Any]", super().astream(run_input, config, **options))
            async with contextlib.aclosing(running) as stream:
                async for part in stream:
                    parts.put_nowait(part)
            if entry is not None:
                await persistence.ledger.mark(entry, LedgerStatus.APPLIED)

    def _with_names(self, context: Any) -> dict[str, Any]:
        values = (
            context.model_dump(exclude_unset=True) if isinstance(context, BaseModel) else context
        )
        params = self.session_type.workflow.params
        names = params.model_fields if params else {}
        return {name: value for name, value in (values or {}).items() if name in names}

    async def _undo(
        self, session: Session, settings: Mapping[str, Any], person: str | None
    ) -> bool:
        """Undo decisions after the named checkpoint, unless it is the latest."""
        checkpoint_id = settings.get("checkpoint_id")
        if not checkpoint_id or not await session.exists():
            return False
        if checkpoint_id == await session.checkpoint_id():
            return False
        await session.answers.undo_from(checkpoint_id, person)
        return True


async def _decided(session: Session, answer: Command[Any], person: str | None) -> LedgerEntry:
    question, decisions = await session.require_question(), cast("dict[str, Any]", answer.resume)
    return await session.decide(question, decisions[question.interrupt_id], person)


def _person(settings: Mapping[str, Any]) -> str | None:
    """Return who sent a run, None if the server has no names."""
    return settings.get("langgraph_auth_user_id") or None


def leased(graph: Any, access: Access, session_type: type[Session] = SearchSession) -> LeasedGraph:
    return LeasedGraph(access=access, session_type=session_type, **vars(graph))


def _settings(config: Any) -> Mapping[str, Any]:
    return (config or {}).get("configurable") or {}
