"""The strategy of a thread: decide on it while it waits, read it afterwards."""

import asyncio
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from paper_search.errors import (
    InputError,
    PaperSearchError,
    PersistenceError,
    QuerySyntaxError,
    ThreadError,
    ThreadNotWaitingError,
)
from paper_search.models import PUBLICATION_TYPES, Criterion, ScopeReport, SearchStrategy
from paper_search.models.query import kinds_in_words
from paper_search.models.scope import Translation
from paper_search.models.source_report import early_requests
from paper_search.models.usage import total
from paper_search.query import And, Node, Or, alternatives, parse, render
from paper_search.query.dialects import DIALECTS
from paper_search.skills.strategy.booleans import database_text
from paper_search.web.readings import Reading, number_of
from paper_search.web.site import Visit
from paper_search.web.templates import with_title
from paper_search.workflow.assembly import translations
from paper_search.workflow.checkpoints import StrategyPayload
from paper_search.workflow.strategy_facts import reasons_of

_DRAFTS = {"preview", "step", "narrow"}


async def strategy(visit: Visit) -> Response:
    await visit.require_thread(shows_decisions=False)
    return await _page(visit, await visit.reading())


async def decide(visit: Visit) -> Response:
    """Approve, edit or reject the strategy; actions in `_DRAFTS` only change the form."""
    thread_id = await visit.require_thread()
    reading = await visit.reading()
    payload = _proposal(reading)
    action, _, number = visit.field("action").partition(":")
    try:
        if action in _DRAFTS and payload is None:
            raise ThreadNotWaitingError("this strategy is decided; it cannot be changed")
        if action in _DRAFTS and payload is not None:
            return await _page(visit, reading, changed=_apply_step(visit, payload, action, number))
        decision = _decision(visit, payload, action)
        await visit.site.runs.answer(visit.persistence, thread_id, decision, visit.person)
    except (ThreadError, PersistenceError):
        raise  # the question is closed or cannot be answered: its form would be of no use
    except PaperSearchError as error:
        typed = _valid_part(strategy_from_form(payload.strategy, visit.form)) if payload else None
        return await _page(visit, reading, problem=_in_words(str(error)), changed=typed)
    return visit.redirect(f"/review/threads/{thread_id}")


def _proposal(reading: Reading) -> StrategyPayload | None:
    """Return the strategy that the thread asks about, if it does."""
    payload = reading.question.payload if reading.question else None
    return payload if isinstance(payload, StrategyPayload) else None


def _decision(visit: Visit, payload: StrategyPayload | None, action: str) -> dict[str, Any]:
    """Return the decision in a form; approving a changed strategy is an edit."""
    note = visit.field("note").strip() or None
    decision = {"action": action, "note": note, **visit.question_reference()}
    if action != "approve" or payload is None:
        return decision
    revision = strategy_from_form(payload.strategy, visit.form, payload.intent.criteria)
    if revision == strategy_from_form(payload.strategy, [], payload.intent.criteria):
        return decision
    return {**decision, "action": "edit", "revised_data": revision}


def _in_words(problem: str) -> str:
    """Replace the names of fields in an error message by the labels of the form."""
    problem = re.sub(
        r"revised_data\.queries\.(\d+): (?:boolean_query: )?",
        lambda match: f"query {int(match[1]) + 1}: ",
        problem,
    )
    field = re.compile(r"revised_data\.filters(?:\.(\w+))?")
    return field.sub(lambda match: _LABELS.get(match[1], "Sources and limits"), problem)


def _valid_part(revision: dict[str, Any]) -> SearchStrategy:
    """Return the edited strategy without invalid years and numbers."""
    filters = {
        name: value
        for name, value in revision["filters"].items()
        if name not in NUMBERS or isinstance(value, int | None)
    }
    filters["max_results"] = filters.get("max_results") or 100
    return SearchStrategy.model_validate({**revision, "filters": filters})


def _apply_step(visit: Visit, payload: StrategyPayload, action: str, number: str) -> SearchStrategy:
    changed = _valid_part(strategy_from_form(payload.strategy, visit.form))
    place = number_of(number) or 0
    scope, queries = payload.scope, list(changed.queries)
    if action == "preview" or scope is None or not queries:
        return changed
    if action == "step":
        broader = scope.steps[place].replace_in(changed) if place < len(scope.steps) else changed
        if broader == changed:
            raise InputError(
                "not used: this query is broader than the one before your change; undo the "
                "change first, or write the query as text"
            )
        return broader
    place = place if place < len(queries) else 0
    text = queries[place].boolean_query
    fresh = (s.term for s in scope.suggested if s.term.casefold() not in text.casefold())
    if term := next(fresh, None):
        queries[place] = queries[place].model_copy(update={"boolean_query": narrow(text, term)})
    return changed.model_copy(update={"queries": queries})


def _cost(payload: StrategyPayload) -> dict[str, Any] | None:
    """Return the estimated and actual cost of models, None without any."""
    if payload.estimate is None and not payload.usage:
        return None
    spent = total(payload.usage) if payload.usage else None
    estimate = payload.estimate.in_words(payload.iteration) if payload.estimate else None
    return {"estimate": estimate, "usage": payload.usage, "budget": payload.budget, "spent": spent}


async def _page(
    visit: Visit,
    reading: Reading,
    *,
    problem: str | None = None,
    changed: SearchStrategy | None = None,
) -> Response:
    proposal, intent = _proposal(reading), reading.state.intent
    strategy = changed or (proposal.strategy if proposal else reading.state.strategy)
    history = reading.state.history
    native: list[Translation] = []
    if proposal and strategy:  # a long one takes a while
        native = await asyncio.to_thread(translations, visit.site.config, strategy)
    original, edit = proposal.strategy if proposal else strategy, reading.state.edit
    proposed = edit.proposed if edit and not proposal else original
    scope = proposal.scope if proposal else reading.state.scope
    if scope and strategy and proposed and _hit_limits(strategy) != _hit_limits(proposed):
        # Hits within other limits do not apply; the notes on the proposal still do.
        scope = ScopeReport(relaxed=scope.relaxed, notes=scope.notes)
    return visit.page(
        "strategy.html",
        reading=reading,
        is_open=proposal is not None,
        intent=intent,
        criteria=_criteria(intent.criteria if intent else [], _by_name(visit.form)),
        typed=dict(visit.form),
        strategy=strategy,
        is_changed=changed is not None,
        original=original,
        scope=scope,
        reasons=reasons_of(strategy) if strategy else {},
        blocks={block.text: block for block in scope.blocks} if scope else {},
        counted=early_requests(map(with_title, proposal.counts)) if proposal else None,
        remarks=proposal.remarks if proposal else [],
        available=(proposal.available_sources or proposal.strategy.sources) if proposal else [],
        ranking=proposal.ranking_sources if proposal else [],
        asked=reading.question_name if proposal else "",
        before=history[-1] if history else None,
        changes=proposal.changes if proposal else "",
        cost=_cost(proposal) if proposal else None,
        types=PUBLICATION_TYPES,
        groups_of=term_groups,
        translations=native,
        problem=problem,
        tab="strategy",
    )


def _hit_limits(strategy: SearchStrategy) -> dict[str, Any]:
    return strategy.filters.model_dump(exclude={"max_results", "max_papers"})


async def databases(visit: Visit) -> Response:
    thread_id = await visit.require_thread()
    reading = await visit.reading()
    database = visit.request.query_params.get("database", "ovid")
    proposal = _proposal(reading)
    strategy = proposal.strategy if proposal else reading.state.strategy
    if strategy is None:
        raise ThreadError(f"thread {thread_id!r} has no strategy yet")
    output, problem = None, None
    try:
        output = await asyncio.to_thread(database_text, strategy, database)
    except InputError as error:
        problem = str(error)
    return visit.page(
        "databases.html",
        reading=reading,
        database=database,
        databases={name: dialect.name for name, dialect in DIALECTS.items()},
        written=output,
        problem=problem,
        is_approved=proposal is None,
        tab="strategy",
    )


NUMBERS = ("year_from", "year_to", "max_results", "max_papers")
_LABELS = {
    "year_from": "From year",
    "year_to": "To year",
    "language": "Language",
    "max_results": "Maximum records per query",
    "max_papers": "Maximum papers shown",
    "conditions": "Every record must meet",
    "excluded_types": "Excluded kinds",
}
_SYNTAX = re.compile(r'["()\[\]:*?$]|(?<!\S)((?i:AND|OR|NOT)|(NEAR|PRE)(/\S*)?)(?!\S)')


def term_groups(boolean_query: str) -> list[list[list[str]]]:
    """Split a query into alternatives, each of groups of terms: an OR of ANDs of ORs.

    Returns an empty list for a query that is more deeply nested or cannot be parsed.
    """
    try:
        tree = parse(boolean_query)
    except QuerySyntaxError:
        return []
    is_one_group = not isinstance(tree, Or) or all(map(_is_line, tree.children))
    rows = [_groups(row) for row in ((tree,) if is_one_group else alternatives(tree))]
    return [row for row in rows if row is not None] if None not in rows else []


def join_groups(rows: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return the query of these alternatives; the inverse of `term_groups`."""
    queries = [" AND ".join(filter(None, map(_group, row))) for row in rows]
    filled = [row for row in queries if row]
    return filled[0] if len(filled) == 1 else " OR ".join(f"({row})" for row in filled)


def narrow(boolean_query: str, term: str) -> str:
    """Require a term in every alternative of a query."""
    rows = term_groups(boolean_query)
    if not rows:
        return f"({boolean_query}) AND {_quoted(term)}"
    return join_groups([[*row, [term]] for row in rows])


def strategy_from_form(
    strategy: SearchStrategy, form: Sequence[tuple[str, str]], criteria: Sequence[Criterion] = ()
) -> dict[str, Any]:
    """Return the strategy as edited in a form, as plain data and unchecked.

    Fields that the form lacks are kept, except queries and checkboxes in a part that was shown. A
    query that was edited as text is that text; one whose groups were edited is joined from them.
    """
    fields = _by_name(form)
    plain = strategy.model_dump(mode="json")
    by_text = {query["boolean_query"]: query for query in plain["queries"]}
    queries = [
        {**by_text.get(text, query), "boolean_query": text}
        for number, query in enumerate(plain["queries"])
        if ("queries-shown" not in fields or f"query-{number}" in fields)
        and (text := _query(query["boolean_query"], number, fields))
    ]
    additions = [text.strip() for text in fields.get("query-new", []) if text.strip()]
    queries += [{"keywords": [], "boolean_query": text} for text in additions]
    ranked_by_text = {query["text"]: query for query in plain.get("ranked", [])}
    ranked = [
        {**ranked_by_text.get(text, query), "text": text}
        for number, query in enumerate(plain.get("ranked", []))
        if (text := _last(fields, f"ranked-{number}", query["text"]).strip())
    ]
    revision = {
        **plain,
        "queries": queries,
        "sources": fields.get("source", []) if "sources-shown" in fields else plain["sources"],
        "filters": _filters(plain["filters"], fields),
    }
    if "ranked" in plain:
        revision["ranked"] = ranked
    if criteria:
        revision["criteria"] = _criteria(criteria, fields)
    return revision


def _by_name(form: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, value in form:
        fields.setdefault(name, []).append(value)
    return fields


def _query(text: str, number: int, fields: Mapping[str, list[str]]) -> str:
    text = _last(fields, f"shown-{number}", text)  # the query that the boxes showed
    typed_query = _last(fields, f"query-{number}", text).strip()
    if typed_query != text.strip():
        return typed_query
    before = term_groups(text)
    if not before:
        return text
    rows = [
        [
            _terms(_last(fields, f"group-{number}-{row}-{place}", "\n".join(group)))
            for place, group in enumerate(groups)
        ]
        for row, groups in enumerate(before)
    ]
    additions = [
        [_terms(extra) for extra in fields.get(f"group-{number}-{row}-new", [])]
        for row in range(len(rows))
    ]
    filled = [
        [group for group in [*groups, *more] if group]
        for groups, more in zip(rows, additions, strict=True)
    ]
    return text if filled == before else join_groups(filled)


def _terms(lines: str) -> list[str]:
    return [line.strip() for line in lines.split("\n") if line.strip()]


def _group(terms: Sequence[str]) -> str:
    joined = " OR ".join(_quoted(term) for term in terms if term.strip())
    return f"({joined})" if " OR " in joined else joined


def _filters(filters: Mapping[str, Any], fields: Mapping[str, list[str]]) -> dict[str, Any]:
    revision = dict(filters)
    for name in NUMBERS:
        if name in fields:
            number = _number(text) if (text := _last(fields, name, "").strip()) else None
            if number != filters.get(name):
                revision[name] = number
    if revision.get("max_results") is None:
        revision["max_results"] = filters["max_results"]
    for name in ("conditions", "excluded_types"):
        entries, before = _terms(_last(fields, name, "")), filters.get(name, [])
        if name in fields and entries not in (before, kinds_in_words(before)):
            revision[name] = entries
    if "language" in fields:
        revision["language"] = _last(fields, "language", "").strip() or None
    types = fields.get("publication_type", [])
    if "types-shown" in fields and types != filters.get("publication_types", []):
        revision["publication_types"] = types
    return revision


def _number(text: str) -> int | str:
    """Return an integer of at most 64 bits, else the text, which validation refuses."""
    return int(text) if text.isdecimal() and len(text) < 19 else text  # noqa: PLR2004  # 64 bits


def _criteria(
    criteria: Sequence[Criterion], fields: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """Return the criteria in a form, in any number; without that part, those given."""
    if "criteria-shown" not in fields:
        return [criterion.model_dump(mode="json") for criterion in criteria]
    numbers = itertools.takewhile(lambda n: f"criterion-{n}" in fields, itertools.count())
    return [
        {
            "text": text,
            "kind": _last(fields, f"criterion-{number}-kind", "inclusion"),
            "weight": _number(_last(fields, f"criterion-{number}-weight", "1")),
        }
        for number in numbers
        if (text := _last(fields, f"criterion-{number}", "").strip())
    ]


def _groups(node: Node) -> list[list[str]] | None:
    """Return the groups of one alternative, None if it is more deeply nested."""
    parts = node.children if isinstance(node, And) else (node,)
    terms = [alternatives(part) for part in parts]
    if not all(map(_is_line, (term for group in terms for term in group))):
        return None
    return [[render(term) for term in group] for group in terms]


def _is_line(node: Node) -> bool:
    parts = node.children if isinstance(node, And | Or) else ()
    return not isinstance(node, Or) and not any(isinstance(part, And | Or) for part in parts)


def _quoted(term: str) -> str:
    """Quote a term of several plain words as a phrase."""
    words = term.split()
    is_phrase = len(words) > 1 and not _SYNTAX.search(term)
    return f'"{" ".join(words)}"' if is_phrase else " ".join(words)


def _last(fields: Mapping[str, list[str]], name: str, default: str) -> str:
    return fields[name][-1] if fields.get(name) else default
