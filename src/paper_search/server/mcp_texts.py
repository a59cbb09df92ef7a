"""Texts that the MCP tools and resources return: Markdown, in parts that clients accept."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paper_search.config import default_home
from paper_search.errors import InputError
from paper_search.exports.markdown import inert
from paper_search.models import Paper, PaperCollection
from paper_search.models.source_report import quantity
from paper_search.workflow.counts import aside
from paper_search.workflow.questions import PAGE, paper_rows

MOST_BYTES = 40_000
"""Longest answer. Except in unusual texts, a token has at least two bytes of UTF-8, so these are
at most 20,000 tokens; clients truncate or refuse more than some 25,000."""


def truncate(text: str) -> str:
    if len(text.encode()) <= MOST_BYTES:
        return text
    return f"{_beginning(text, MOST_BYTES - 200)}\n\n(cut: the whole has {len(text):,} characters)"


def part_of(text: str, number: int, way: str) -> str:
    """Return one part of a text, from 1, split between lines; `way`: how to get a part."""
    parts = _parts(text)
    if not 1 <= number <= len(parts):
        raise InputError(f"there is no part {number}; the parts are 1 to {len(parts)}")
    return f"part {number} of {len(parts)}, each by {way}\n\n{parts[number - 1]}"


def how_to_decide(thread_id: str, request: Any, home: Path, *, has_page: bool) -> str:
    """Return how a person decides without a form; `request`: of a call over HTTP."""
    is_elsewhere = request is None and home != default_home()  # not revealed to visitors
    at_home = f" --home {shlex.quote(str(home))}" if is_elsewhere else ""
    command = f"`paper-search resume {thread_id}{at_home}`"
    if not has_page:
        return f"A person decides with {command}, or by a form of a client that shows forms."
    page = f"`paper-search review {thread_id}{at_home}`, which opens a page"
    if request is not None:
        page = str(request.url.replace(path=f"/review/threads/{thread_id}", query=""))
    return (
        f"A person decides with {command}, or at {page}; or by a form of a client that shows forms."
    )


def result_page(uri: str, collection: PaperCollection, page: int, *, below: bool) -> str:
    """Return 20 papers of a result; pages count from 1.

    `uri`: of the resource with the pages. `below`: show the papers that were set aside.
    """
    papers = collection.set_aside if below else collection.papers
    pages = max(1, -(-len(papers) // PAGE))
    if not 1 <= page <= pages:
        raise InputError(f"there is no page {page}; the pages are 1 to {pages}")
    start = (page - 1) * PAGE
    page_papers = papers[start : start + PAGE]
    kind, way = "papers", f"the tool `show`, or {uri}?page=N"
    if below:
        kind, way = "papers set aside", "the tool `show`, with `set_aside`"
    ending = collection.ended_by.value if collection.ended_by else "not ended"
    rest = f"{len(collection.set_aside):,} {aside(collection.excluded)}"
    facts = [
        f"# {inert(collection.metadata.query) or 'Papers'}",
        "",
        f"ended by: {ending}; {quantity(len(collection.papers), 'paper')}, {rest}",
        f"page {page} of {pages} of the {kind}, each by {way}",
        "",
    ]
    return truncate("\n".join([*facts, *paper_rows(page_papers, start + 1)]))


def paper_text(paper: Paper) -> str:
    return truncate(paper.model_dump_json(indent=1, exclude_defaults=True))


def hits_text(papers: Sequence[Any], total: int, note: str | None) -> str:
    rows = [
        f"{number}. **{inert(paper.title)}** ({', '.join(_facts(paper))}), id: `{inert(paper.id)}`"
        for number, paper in enumerate(papers, start=1)
    ]
    head = [f"{len(papers)} of {quantity(total, 'paper')}", *([inert(note)] if note else []), ""]
    return truncate("\n".join([*head, *rows]))


def _facts(paper: Any) -> list[str]:
    author = paper.authors[0].name if paper.authors else ""
    facts = (author, str(paper.year or ""), paper.venue or "", paper.doi or "")
    return [inert(fact) for fact in facts if fact]


def _parts(text: str) -> list[str]:
    """Split a text into parts of whole lines; a line that is longer than a part is split."""
    parts, rest = list[str](), text
    while rest or not parts:
        part = _beginning(rest, MOST_BYTES - 200)
        if len(part) < len(rest):
            part = part[: part.rfind("\n") + 1] or part
        parts.append(part)
        rest = rest[len(part) :]
    return parts


def _beginning(text: str, most: int) -> str:
    return text[:most].encode()[:most].decode(errors="ignore")
