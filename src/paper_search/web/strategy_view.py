"""The strategy of a thread: to decide on while it waits, to read afterwards."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from paper_search.errors import (
    InputError,
    PaperSearchError,
    ThreadError,
    ThreadNotWaitingError,
)
from paper_search.models import PUBLICATION_TYPES, SearchStrategy
from paper_search.models.scope import Translation
from paper_search.models.source_report import counting_summary
from paper_search.models.usage import total
from paper_search.query.dialects import DIALECTS
from paper_search.skills.strategy.booleans import database_text
from paper_search.web.readings import Reading
from paper_search.web.site import Visit
from paper_search.web.strategy_form import edited_strategy, narrowed, term_groups
from paper_search.workflow.assembly import translations
from paper_search.workflow.checkpoints import Checkpoint, StrategyPayload


async def strategy(visit: Visit) -> Response:
    """Show the strategy that waits, or the latest one."""
    await visit.require_thread()
    return await _page(visit, await visit.reading())


async def decide(visit: Visit) -> Response:
    """Approve, edit or reject the strategy; `step` and `narrow` change the form only."""
    thread_id = await visit.require_thread()
    reading = await visit.reading()
    question = reading.question
    action, _, number = visit.field("action").partition(":")
    try:
        if question is None or not isinstance(question.payload, StrategyPayload):
            if action in {"step", "narrow"}:
                raise ThreadNotWaitingError("this strategy is decided; it cannot be changed")
            decision = _plain_decision(visit, action)
        elif action in {"step", "narrow"}:
            return await _page(
                visit, reading, changed=_moved(visit, question.payload, action, number)
            )
        else:
            decision = _decision(visit, question.payload, action)
        await visit.site.runs.answer(visit.persistence, thread_id, decision, visit.person)
    except ThreadError:
        raise  # the question is not open any more: its form is of no use
    except PaperSearchError as error:
        changed = _edited(visit, question)
        return await _page(visit, reading, problem=str(error), changed=changed)
    return visit.to(f"/review/threads/{thread_id}")


def _decision(visit: Visit, payload: StrategyPayload, action: str) -> dict[str, Any]:
    """Return the decision in a form: approving a strategy that was changed is an edit."""
    decision = _plain_decision(visit, action)
    if action != "approve":
        return decision
    edited = edited_strategy(payload.strategy, visit.form, payload.intent.criteria)
    same = edited_strategy(payload.strategy, [], payload.intent.criteria)
    if edited == same:
        return {**decision, "action": "approve"}
    return {**decision, "action": "edit", "revised_data": edited}


def _plain_decision(visit: Visit, action: str) -> dict[str, Any]:
    note = visit.field("note").strip() or None
    return {"action": action, "note": note, **visit.asked()}


def _edited(visit: Visit, question: Checkpoint | None) -> SearchStrategy | None:
    if question is None or not isinstance(question.payload, StrategyPayload):
        return None
    return _loose(edited_strategy(question.payload.strategy, visit.form))


def _loose(edited: dict[str, Any]) -> SearchStrategy:
    filters = edited["filters"]
    numbers = {name: value for name, value in filters.items() if isinstance(value, int | None)}
    return SearchStrategy.model_validate(
        {**edited, "filters": {**numbers, "max_results": numbers.get("max_results") or 100}}
    )


def _moved(visit: Visit, payload: StrategyPayload, action: str, number: str) -> SearchStrategy:
    changed = _loose(edited_strategy(payload.strategy, visit.form))
    place = int(number) if number.isdigit() else 0
    scope, queries = payload.scope, list(changed.queries)
    if scope is None or not queries:
        return changed
    if action == "step":
        return scope.steps[place].taken_in(changed) if place < len(scope.steps) else changed
    place = place if place < len(queries) else 0
    text = queries[place].boolean_query
    fresh = (s.term for s in scope.suggested if s.term.casefold() not in text.casefold())
    if term := next(fresh, None):
        queries[place] = queries[place].model_copy(update={"boolean_query": narrowed(text, term)})
    return changed.model_copy(update={"queries": queries})


def _cost(asked: StrategyPayload) -> dict[str, Any] | None:
    """Return what models cost; None: none is asked."""
    if asked.estimate is None and not asked.usage:
        return None
    spent = total(asked.usage) if asked.usage else None
    return {
        **{name: getattr(asked, name) for name in ("estimate", "usage", "budget")},
        "spent": spent,
    }


async def _sent(visit: Visit, shown: SearchStrategy) -> list[Translation]:
    """Return what each source will be sent; long strategies take a while to translate."""
    return await asyncio.to_thread(translations, visit.site.config, shown)


async def _page(
    visit: Visit,
    reading: Reading,
    *,
    problem: str | None = None,
    changed: SearchStrategy | None = None,
) -> Response:
    payload = reading.question.payload if reading.question else None
    is_open = isinstance(payload, StrategyPayload)
    asked = payload if isinstance(payload, StrategyPayload) else None
    shown = changed or (asked.strategy if asked else reading.state.strategy)
    history = reading.state.history
    sent = await _sent(visit, shown) if is_open and shown else []
    scope = asked.scope if asked else reading.state.scope
    return visit.page(
        "strategy.html",
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        info=reading.info,
        reading=reading,
        is_open=is_open,
        intent=reading.state.intent,
        strategy=shown,
        original=asked.strategy if asked else shown,
        scope=scope,
        blocks={block.text: block for block in scope.blocks} if scope else {},
        counted=counting_summary(asked.counts) if asked else None,
        remarks=asked.remarks if asked else [],
        available=(asked.available_sources or asked.strategy.sources) if asked else [],
        ranking=asked.ranking_sources if asked else [],
        asked=reading.asked if is_open else "",
        before=history[-1] if history else None,
        cost=_cost(asked) if asked else None,
        types=PUBLICATION_TYPES,
        groups_of=term_groups,
        translations=sent,
        problem=problem,
        tab="strategy",
    )


async def databases(visit: Visit) -> Response:
    """Show the strategy in the language of a database, to copy."""
    thread_id = await visit.require_thread()
    reading = await visit.reading()
    database = visit.request.query_params.get("database", "ovid")
    payload = reading.question.payload if reading.question else None
    is_open = isinstance(payload, StrategyPayload)
    shown = payload.strategy if isinstance(payload, StrategyPayload) else reading.state.strategy
    if shown is None:
        raise ThreadError(f"thread {thread_id!r} has no strategy yet")
    written, problem = None, None
    try:
        written = await asyncio.to_thread(database_text, shown, database)
    except InputError as error:
        problem = str(error)
    return visit.page(
        "databases.html",
        HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        info=reading.info,
        reading=reading,
        database=database,
        databases={name: dialect.name for name, dialect in DIALECTS.items()},
        written=written,
        problem=problem,
        is_approved=not is_open,
        tab="strategy",
    )
