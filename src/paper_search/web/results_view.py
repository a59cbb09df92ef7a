"""The result of a thread: filter it, mark papers, and decide on it while it waits."""

import dataclasses
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from paper_search.errors import InputError, RequestRefusedError
from paper_search.models import MergeDecision, Paper, ScreeningDecision
from paper_search.web.readings import PARTS, Choice, Reading, sources_of
from paper_search.web.site import Visit
from paper_search.workflow.checkpoints import ResultPayload
from paper_search.workflow.counts import summaries
from paper_search.workflow.marks import ScreeningMark, labels_by_paper
from paper_search.workflow.results import decisions_on_papers, paper_by_record
from paper_search.workflow.state import WorkflowState

_COMPARED = ("title", "year", "venue", "doi", "volume", "pages", "publication_type", "source")


async def results(visit: Visit) -> Response:
    await visit.require_thread()
    query = visit.request.query_params
    if "fragment" in query:
        cached = visit.site.readings.at(visit.thread_id, query.get("version", ""))
        reading = cached or await visit.reading()
        return visit.page("papers.html", **await _papers(visit, reading, dict(query)))
    return await _page(visit, await visit.reading())


async def decide(visit: Visit) -> Response:
    """Approve, edit or reject the result, or wait for sources that ran out of time."""
    thread_id = await visit.require_thread()
    action = visit.field("action")
    words = visit.field("note").strip()
    decision: dict[str, Any] = {"action": action, **visit.question_reference()}
    merges = []
    for name, value in visit.form:
        if name.startswith("pair:") and value in {"same", "different"}:
            one, other = json.loads(name.removeprefix("pair:"))
            merges.append({"one": one, "other": other, "is_same": value == "same"})
    feedback: dict[str, Any] = {"free_text_feedback": words or None, "merge_decisions": merges}
    if action == "wait":
        action = decision["action"] = "edit"
        feedback["wait_for_sources"] = True
    if action == "edit" or merges:
        decision["revised_data"] = feedback
    elif words:
        decision["note"] = words
    try:
        await visit.site.runs.answer(visit.persistence, thread_id, decision, visit.person)
    except InputError as error:
        return await _page(visit, await visit.reading(), problem=str(error))
    return visit.redirect(f"/review/threads/{thread_id}")


async def merged_records(visit: Visit) -> Response:
    await visit.require_thread()
    return await _records_page(visit, await visit.reading())


async def split(visit: Visit) -> Response:
    """Save whether a record is the same work; it takes effect with the next decision."""
    await visit.require_thread()
    reading, record, words = await visit.reading(), visit.field("record"), visit.field("say")
    members = _paper_in_query(visit, reading).merged_from
    if record not in members or words not in {"same", "different"} or not reading.waits_with_result:
        raise InputError(
            "say is same or different, of a record of this paper, while the thread asks about its "
            "result; reload the page"
        )
    pairs = [
        MergeDecision(one=record, other=other, is_same=words == "same")
        for other in members
        if other != record
    ]
    await visit.search.mark_pairs(pairs)
    return await _records_page(visit, reading)


def _paper_in_query(visit: Visit, reading: Reading) -> Paper:
    name = visit.request.query_params.get("paper", "")
    paper = reading.result.paper(name) if reading.result else None
    if paper is None:
        raise RequestRefusedError(HTTPStatus.NOT_FOUND, f"no paper {name[:80]!r} in this result")
    return paper


async def _records_page(visit: Visit, reading: Reading) -> Response:
    paper = _paper_in_query(visit, reading)
    _, pairs = await visit.search.mark_store.of_round(reading.state.current_iteration)
    separate = [{pair.one, pair.other} for pair in pairs if not pair.is_same]
    members = set(paper.merged_from)
    filters = _filters_of(visit.request.query_params)
    return visit.page(
        "merged.html",
        chosen={"paper": paper.id, **filters},
        filters=filters,
        reading=reading,
        paper=paper,
        records=await visit.search.records.records(paper.merged_from),
        split={i for i in members if all({i, other} in separate for other in members - {i})},
        fields=_COMPARED,
        tab="results",
    )


def decisions_of(
    state: WorkflowState, marks: list[ScreeningMark], standing: Mapping[str, ScreeningDecision]
) -> dict[str, str]:
    """Return decisions by paper id: `included`, `excluded` or `maybe`."""
    decisions: dict[str, str] = {i: decision.outcome for i, decision in standing.items()}
    for mark in marks:
        is_latest = mark.iteration >= state.current_iteration
        if mark.is_skipped and (is_latest or mark.paper_id not in decisions):
            decisions[mark.paper_id] = "maybe"
    return decisions


async def _page(visit: Visit, reading: Reading, problem: str | None = None) -> Response:
    payload = reading.question.payload if reading.question else None
    result_payload = payload if isinstance(payload, ResultPayload) else None
    collection = reading.result.collection if reading.result else None
    reports = result_payload.reports if result_payload else reading.state.reports
    return visit.page(
        "results.html",
        payload=result_payload,
        collection=collection,
        known=result_payload.known_papers if result_payload else reading.state.known_papers,
        sources=summaries(reports),
        asked=reading.question_name if result_payload else "",
        pairs=_pairs(reading, result_payload) if result_payload else [],
        problem=problem,
        tab="results",
        **await _papers(visit, reading, dict(visit.request.query_params)),
    )


def _filters_of(query: Mapping[str, str]) -> dict[str, str]:
    names = {field.name for field in dataclasses.fields(Choice)}
    return {name: value for name, value in query.items() if name in names and value}


async def _papers(visit: Visit, reading: Reading, query: Mapping[str, str]) -> dict[str, Any]:
    marks, state = await visit.search.mark_store.of_works(), reading.state
    work_of = await visit.search.records.works_of([*state.marks, *state.accumulated_ids])
    work_of |= paper_by_record(reading.result.collection) if reading.result else {}
    standing = decisions_on_papers(state, marks, work_of)
    decisions, choice = decisions_of(state, marks, standing), Choice.parse(query)
    labels = labels_by_paper(marks)
    payload = reading.question.payload if reading.question else None
    result = reading.state.result
    changes = payload.changes if isinstance(payload, ResultPayload) else None
    changes = changes or (result.changes if result else None)
    new_ids = changes.new_ids if changes else []
    index = reading.result
    filters = _filters_of(query)

    def path(**changed: object) -> str:
        every = {**{name: value for name, value in filters.items() if name != "page"}, **changed}
        chosen_values = {name: value for name, value in every.items() if value not in {None, ""}}
        return "?" + urlencode(chosen_values)

    return {
        "reading": reading,
        "choice": choice,
        "selection": index.select(choice, decisions, new_ids, labels) if index else None,
        "counts": index.counts(new_ids) if index else {},
        "parts": PARTS,
        "rank": index.rank if index else {},
        "decisions": decisions,
        "reasons": {i: decision.reason for i, decision in standing.items()},
        "labels": labels,
        "marks": {mark.paper_id: mark for mark in marks},
        "new_ids": set(new_ids),
        "risen": changes.risen if changes else {},
        "kept_ids": {work_of.get(i, i) for i in state.accumulated_ids if reading.question},
        "sources_of": sources_of,
        "path": path,
    }


def _pairs(reading: Reading, payload: ResultPayload) -> list[dict[str, Any]]:
    pairs = []
    for question in payload.same_work:
        papers = [
            reading.result.paper(name) if reading.result else None for name in question.papers
        ]
        first, second = papers[0], papers[-1]
        if first is None or second is None:
            continue
        rows = [(name, _field_text(first, name), _field_text(second, name)) for name in _COMPARED]
        one, other = (", ".join(map(str, paper.authors)) for paper in (first, second))
        rows.insert(1, ("authors", one, other))
        pairs.append(
            {
                "name": "pair:" + json.dumps([question.one, question.other]),
                "question": question,
                "rows": [row for row in rows if row[1] or row[2]],
            }
        )
    return pairs


def _field_text(paper: Paper, name: str) -> str:
    value = getattr(paper, name)
    return "" if value is None else str(value)
