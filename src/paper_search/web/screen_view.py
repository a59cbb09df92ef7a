"""Screening on the page, paper by paper; and several reviewers of one result."""

from collections import Counter
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from paper_search.errors import InputError, RequestRefusedError
from paper_search.models import Paper
from paper_search.review.sharing import share_thread
from paper_search.threads.sharing import Right
from paper_search.web.readings import Reading
from paper_search.web.screening_sessions import ScreeningSession
from paper_search.web.site import Visit
from paper_search.web.templates import render_template
from paper_search.workflow.reviewers import Reviewers, status_of
from paper_search.workflow.screening import Screening

AT_ONCE = 1_000
"""Up to this many papers are reordered before the next one is shown; more, afterwards."""
REASONS = 9
"""Reasons that have a key of their own: 1 to 9."""
LABELS = 30
"""Labels that have a button, the most frequent ones."""
VERDICTS = {"relevant": True, "irrelevant": False}


async def screen(visit: Visit) -> Response:
    name = visit.reviewer
    thread_id = await visit.require_thread(
        right=Right.SCREEN if name else Right.READ, shows_decisions=False
    )
    if not name and visit.is_reviewer:
        return visit.redirect(f"/review/threads/{thread_id}/screen?reviewer={quote(visit.owner)}")
    reading = await visit.reading()
    session = await _session(visit)
    screening = await session.look(reading)
    tab = "reviewers" if visit.reviewer else "screen"
    values = {**_values(screening), **_addresses(visit)}
    return visit.page("screen.html", reading=reading, tab=tab, **values)


async def mark(visit: Visit) -> Response:
    """Save a mark on one paper, then show the next paper or return to the list."""
    right = Right.SCREEN if visit.reviewer else Right.DECIDE
    thread_id = await visit.require_thread(right=right)
    reading = await visit.reading()
    session = await _session(visit)
    async with session.turn(reading) as screening:
        message = await _say(visit, reading, screening)
        values = _values(screening, learns=len(screening.papers) <= AT_ONCE)
    if len(screening.papers) > AT_ONCE:
        session.learn()
    if visit.field("place") == "list":
        if visit.wants_json:
            return visit.json({"decision": visit.field("say")})
        back = visit.field("back")
        query = back if back.startswith("?") else ""
        return visit.redirect(f"/review/threads/{thread_id}/results{query}")
    if not visit.wants_json:
        return visit.redirect(_addresses(visit)["screen_path"])
    values |= _addresses(visit)
    html = render_template(
        "paper.html", csrf=visit.csrf, reading=reading, info=reading.info, **values
    )
    return visit.json({"html": html, "told": message})


async def _session(visit: Visit) -> ScreeningSession:
    """Return the session of the thread, or of a reviewer who has joined."""
    name = visit.reviewer
    if name and await status_of(visit.search.records, name) is None:
        raise InputError(f"nobody screens as {name!r}; the tab Reviewers lists all reviewers")
    return visit.screening(visit.thread_id, name)


async def _say(visit: Visit, reading: Reading, screening: Screening) -> str:
    """Save what the form says; return a message for the person, empty for none."""
    action = visit.field("say")
    if action == "undo":
        undone = await screening.undo()
        return f"Undone: {undone.title}" if undone else "There is nothing to undo in this round."
    paper = _paper(visit, reading, screening)
    if paper is None:
        raise RequestRefusedError(
            HTTPStatus.CONFLICT,
            "the result has changed and no longer has this paper; reload the page",
        )
    by, is_decided = visit.reviewer or visit.person, paper.id in screening.verdicts
    word, _, label = action.partition(":")
    if word not in {"note", "label"} and visit.field("place") != "list" and is_decided:
        return f"Already decided in another window: {paper.title}. Your key was not used."
    if action in VERDICTS:
        reason = " ".join(visit.field("reason").split()) or None
        why = reason if action == "irrelevant" else None
        await screening.say(paper, is_relevant=VERDICTS[action], reason=why, by=by)
    elif action == "maybe":
        await screening.skip(paper, by=by)
    elif action == "note":
        await screening.note(paper, visit.field("note").strip(), by=by)
    elif word == "label":
        await screening.label(paper, label or visit.field("label"), by=by)
    else:
        raise RequestRefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "say is relevant, irrelevant, maybe, note, label or undo",
        )
    return ""


def _paper(visit: Visit, reading: Reading, screening: Screening) -> Paper | None:
    """Return the paper in the form; for a reviewer, only one that all reviewers decide on."""
    paper_id, result = visit.field("paper"), reading.result
    if visit.reviewer:
        return next((paper for paper in screening.papers if paper.id == paper_id), None)
    return result.paper(paper_id) if result else None


def _addresses(visit: Visit) -> dict[str, str]:
    place = f"/review/threads/{visit.thread_id}"
    query = "?" + urlencode({"reviewer": visit.reviewer}) if visit.reviewer else ""
    return {
        "reviewer": visit.reviewer,
        "screen_path": f"{place}/screen{query}",
        "marks_path": f"{place}/marks{query}",
    }


def _values(screening: Screening, *, learns: bool = True) -> dict[str, Any]:
    queue = screening.queue(learns=learns)
    paper = queue[0] if queue else None
    # Counted by paper: a mark stays with its record, which may since have been merged.
    verdicts = screening.verdicts
    counts = Counter(verdicts.get(paper.id) for paper in screening.papers)
    return {
        "paper": paper,
        "mark": screening.mark_of(paper) if paper else None,
        "left": len(queue),
        "total": len(screening.papers),
        "included": counts[True],
        "excluded": counts[False],
        "reasons": screening.reasons[:REASONS],
        "labels": screening.labels[:LABELS],
        "estimate": screening.stopping_estimate,
    }


_RESOLUTIONS = {"include": True, "exclude": False}


async def reviewers(visit: Visit) -> Response:
    """Show each reviewer's progress and, once all are done, their agreement and conflicts."""
    await visit.require_thread(shows_decisions=False)
    return await _page(visit)


async def act(visit: Visit) -> Response:
    action = visit.field("say")
    is_own = action in {"join", "done"}
    thread_id = await visit.require_thread(right=Right.SCREEN if is_own else Right.DECIDE)
    name = visit.field("reviewer").strip()
    name = visit.reviewer_named(name) if is_own else name
    place = f"/review/threads/{thread_id}"
    try:
        if action == "share":
            role = visit.field("role")
            await share_thread(
                visit.persistence, thread_id, name, role, accounts=visit.accounts, by=visit.person
            )
            return visit.redirect(f"{place}/reviewers")
        group = await visit.search.reviewers()
        if action == "join":
            await group.join(name)
            return visit.redirect(f"{place}/screen?reviewer={quote(name)}")
        if action == "done":
            await _finish(visit, group, name)
        elif action in _RESOLUTIONS:
            reason = " ".join(visit.field("reason").split()) or None
            papers, by = [visit.field("paper")], visit.person
            await group.settle(papers, is_relevant=_RESOLUTIONS[action], by=by, reason=reason)
        elif action == "enter":
            await group.enter_agreed()
        else:
            raise RequestRefusedError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "say is join, done, include, exclude, enter or share",
            )
    except InputError as error:
        return await _page(visit, problem=str(error))
    await visit.screening(thread_id).forget()
    number = visit.field("number")
    return visit.redirect(f"{place}/reviewers{f'#conflict-{number}' if number.isdigit() else ''}")


async def _finish(visit: Visit, group: Reviewers, name: str) -> None:
    await visit.screening(visit.thread_id, name).forget()
    if (await group.agreement()).is_blind:
        await group.join(name)
        await group.finish(name)
    await group.enter_agreed()


async def _page(visit: Visit, problem: str | None = None) -> Response:
    group = await visit.search.reviewers()
    agreement = await group.agreement()
    return visit.page(
        "reviewers.html",
        reading=await visit.reading(),
        agreement=agreement,
        not_entered=0 if agreement.is_blind else len(await group.shared_verdicts()),
        papers={paper.id: paper for paper in group.papers},
        reasons=group.reasons,
        problem=problem,
        tab="reviewers",
        accounts=visit.accounts,
        me=visit.owner,
        role=await visit.role(visit.thread_id),
        shared=(await visit.catalogs.searches.ownership(visit.thread_id)).shared_with,
    )
