"""Markdown tables for GitHub, Obsidian and pandoc."""

import re

from paper_search.exports.text import identifier, safe_address, single_line, web_address
from paper_search.models import Author, Paper, PaperCollection

_HEADER = "| # | Title | Authors | Year | Venue | Score |"
_RULE = "|---|---|---|---|---|---|"
_SEARCH_HEADER = "| Round | For | When | Source | Answer | Kept | Of | Query | Note |"
_SEARCH_RULE = "|---|---|---|---|---|---|---|---|---|"
_MISSING = "-"
_MAX_AUTHORS = 3
_SYNTAX = str.maketrans(
    {letter: f"\\{letter}" for letter in r"\|`*_[]~$"} | {"<": "&lt;", ">": "&gt;"}
)
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")


def export_markdown(collection: PaperCollection) -> str:
    """Return a table with one row per paper, and nothing else.

    More than three authors become "First et al.", scores have two decimals, missing values are
    "-". Markup and HTML in texts of papers are shown, not interpreted.
    """
    rows = []
    for number, paper in enumerate(collection.papers, start=1):
        names, score = _authors(paper.authors), f"{paper.relevance_score:.2f}"
        rows.append(_row(number, paper.title, names, paper.year, paper.venue, score))
    return "\n".join([_HEADER, _RULE, *rows]) + "\n"


def export_report(collection: PaperCollection) -> str:
    """Return the question, the table, and the papers' URLs by the numbers of their rows."""
    metadata, papers = collection.metadata, collection.papers
    addresses = ((number, _address(paper)) for number, paper in enumerate(papers, start=1))
    links = [f"- {number}: <{address}>" for number, address in addresses if address]
    decisions = [
        f"- {n}: {line}" for n, paper in enumerate(papers, 1) if (line := _screening(paper))
    ]
    return "\n".join(
        [
            f"# {inert(metadata.query) or 'Papers'}\n",
            f"{len(papers)} of {metadata.total_found} papers found, {inert(metadata.timestamp)}\n",
            export_markdown(collection),
            *(["## Where to find them\n", *links, ""] if links else []),
            *(["## Your decisions and notes\n", *decisions, ""] if decisions else []),
            *_search_report(collection),
        ]
    )


def _search_report(collection: PaperCollection) -> list[str]:
    """Return the queries of all sources with their results, and whether known papers were found."""
    if not collection.reports:
        return []
    rows = [
        _row(
            report.iteration + 1,
            report.purpose.value,
            report.day,
            report.source,
            report.status.value.replace("_", " "),
            report.kept,
            report.hits,
            report.query,
            "; ".join(filter(None, [report.error, report.note, report.removals])),
        )
        for report in collection.reports
    ]
    lines = ["## What was searched\n", _SEARCH_HEADER, _SEARCH_RULE, *rows, ""]
    if collection.silent_sources:
        names = ", ".join(map(inert, collection.silent_sources))
        lines.append(f"**No results from: {names}.**\n")
    if collection.known_papers is not None:
        lines.append(f"{inert(collection.known_papers.summary)}.\n")
    return lines


def _screening(paper: Paper) -> str:
    """Return "exclude (ada, 2026-11-22): not a trial; my note", as far as known."""
    columns = {name: inert(value) for name, value in paper.screening_columns.items()}
    who = ", ".join(filter(None, (columns["decided_by"], columns["decided_at"])))
    head = f"{columns['decision']} ({who})" if columns["decision"] and who else columns["decision"]
    labels = ", ".join(map(inert, paper.labels))
    rest = (columns["reason"], columns["note"], labels and f"labels: {labels}")
    return ": ".join(filter(None, (head, "; ".join(filter(None, rest)))))


def _row(*cells: str | int | None) -> str:
    texts = (inert("" if cell is None else str(cell)) for cell in cells)
    return f"| {' | '.join(text or _MISSING for text in texts)} |"


def _authors(authors: list[Author]) -> str:
    names = list(filter(None, (single_line(str(author)) for author in authors)))
    return f"{names[0]} et al." if len(names) > _MAX_AUTHORS else ", ".join(names)


def _address(paper: Paper) -> str:
    doi = identifier(paper.doi)
    if not doi:
        return web_address(paper)
    resolver = "" if doi.lower().startswith(("http://", "https://")) else "https://doi.org/"
    return safe_address(resolver + doi)


def inert(text: str | None) -> str:
    """Return the text on one line, with markup and HTML escaped."""
    return _ENTITY.sub("&amp;", single_line(text)).translate(_SYNTAX)
