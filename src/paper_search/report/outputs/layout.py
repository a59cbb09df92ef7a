"""The parts of a finished report in their order, the same in every format: answer, evidence ..."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from paper_search.report.document import MARKS, Report
from paper_search.report.models import Study
from paper_search.report.outputs.blocks import (
    Block,
    Contents,
    Element,
    Heading,
    Notice,
    Span,
    Table,
    blocks,
    figures_of,
    heading,
    plain,
    spans,
)
from paper_search.report.passages import (
    NOT_STATED,
    decided_by,
    in_words,
    kind_of,
    without_year,
)

_ROWS = 40
"""Papers that the table shows, the most relevant first."""


_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in words up to twelve: "three sources".

    `plural`: by default the noun with an s; empty: the number alone.
    """
    word = _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
    if plural == "":
        return "none" if number == 0 else word
    return f"{word} {noun if number == 1 else plural or noun + 's'}"


def evidence(report: Report, drawn: Collection[str]) -> list[Element]:
    """Return the table of evidence: each paper, what it is, who decided, and its own words."""
    if not report.studies:
        return []
    is_read = any(study.says != NOT_STATED for study in report.studies)
    head = ["Study", "Year", "What it is", "Decided by", "In its words"]
    widths = [0.15, 0.07, 0.17, 0.14, 0.47]
    if is_read:
        head.insert(4, "Says, as the model reads it")
        widths = [0.15, 0.07, 0.16, 0.12, 0.12, 0.38]
    rows = tuple(_study_row(report, study, is_read=is_read) for study in report.studies[:_ROWS])
    caption = "What each paper says on the question, word for word"
    if (withdrawn := len(report.sources) - len(report.evidence.usable)) > 0:
        caption += f"; {counted(withdrawn, 'retracted paper')} left out"
    if (left := len(report.studies) - _ROWS) > 0:
        caption += f"; {left} more papers stand in the JSON"
    table = Table(caption, tuple(head), rows, tuple(widths))
    return [heading("Evidence"), table, *figures_of(drawn, "evidence")]


def _study_row(report: Report, study: Study, *, is_read: bool) -> tuple[tuple[Span, ...], ...]:
    source = report.evidence.by_id[study.result_id]
    key = report.evidence.key_of(study.result_id)
    return (
        (Span("study", without_year(source), (key,)),),
        plain(str(source.year or "n.d.")),
        plain(kind_of(source)),
        plain(decided_by(source)),
        *([plain(study.says)] if is_read else []),
        plain(in_words(study, source)),
    )


def answer_notice(report: Report) -> list[Element]:
    """Return what the report has found out: a sentence of its own that its source bears."""
    if (headline := report.headline) is None:
        return []
    return [Notice("answer", (Block("paragraph", spans(headline.text)),))]


REFERENCES = "References"
_SUPPORTED = "supported by words of the cited source"


def layout(report: Report, drawn: Collection[str] = ()) -> list[Element]:
    """Return everything between the title and the references, with the figures that were drawn."""
    elements: list[Element] = [_status(report)]
    if report.is_table:
        return _uniquely_named(
            [*elements, *(evidence(report, drawn) or _listed(report)), *_searches(report, drawn)]
        )
    elements += [*answer_notice(report), Contents(), *evidence(report, drawn)]
    if report.abstract:
        elements += [heading("Abstract"), *_text(report, "abstract", report.abstract)]
    for section in report.sections:
        content = _text(report, section.section_id, section.content)
        elements += [heading(section.title), *content]
    if report.conclusion:
        elements += [heading("Conclusion"), *_text(report, "conclusion", report.conclusion)]
    return _uniquely_named([*elements, *_searches(report, drawn)])


def _listed(report: Report) -> list[Element]:
    """Return the sections of a report that came to no table: what there was until then."""
    parts = [
        (heading(part.title), _text(report, part.section_id, part.content))
        for part in report.sections
    ]
    return [element for title, content in parts for element in (title, *content)]


def _uniquely_named(elements: list[Element]) -> list[Element]:
    """Return the elements; of headings with the same name, the later ones get a number."""
    seen: dict[str, int] = {}
    named: list[Element] = []
    for element in elements:
        if isinstance(element, Heading):
            number = seen[element.name] = seen.get(element.name, -1) + 1
            name = f"{element.name}-{number}" if number else element.name
            named.append(Heading(element.text, name))
        else:
            named.append(element)
    return named


def _text(report: Report, place: str, text: str) -> list[Element]:
    return list(blocks(report.marked(place, text)))


def _line(text: str) -> Block:
    return Block("paragraph", plain(text))


def _status(report: Report) -> Notice:
    facts = [f"Status: {report.status}", _written(report), _decided(report)]
    lines = [f"{'; '.join(filter(None, facts))}."]
    if report.reason:
        lines.append(f"Not a finished report: {report.reason}.")
    lines += [_checked(report)] if any(report.support.values()) else []
    lines += [f"{caveat.rstrip('.')}." for caveat in report.caveats]
    return Notice("status", tuple(map(_line, lines)))


def _checked(report: Report) -> str:
    """Return what was checked, with the result."""
    counts = {name: number for name, number in report.support.items() if number}
    told = [f"{number:,} {words}" for name, words in MARKS.items() if (number := counts.get(name))]
    if "supported" in counts:
        told.insert(0, f"{counts['supported']:,} {_SUPPORTED}")
    by = {sentence.checked_by for sentence in report.sentences if sentence.status in counts}
    checkers = " and ".join(name for name in ("code", "model") if name in by)
    said = f", checked by {checkers.replace('model', 'a model')}"
    total = counted(sum(counts.values()), "statement")
    whole = f"Of {total}{said if checkers else ''}: {', '.join(told)}."
    return " ".join([whole, *_authors(report)])


def _authors(report: Report) -> list[str]:
    """Return who wrote statements, and how many of these no source was found to bear."""
    by: dict[str, list[bool]] = {}
    for sentence in report.sentences:
        author = report.author_of(sentence)
        if author and sentence.status != "of_the_report":
            by.setdefault(author, []).append(sentence.status == "supported")
    return [
        f"{author[:1].upper()}{author[1:]} wrote {counted(len(borne), 'of them', 'of them')}, "
        f"{counted(sum(borne), 'one', plural='')} supported by a source."
        for author, borne in by.items()
    ]


def _written(report: Report) -> str:
    """Return when the report was completed and by what."""
    by = "with" if report.metadata.get("is_by_model") else "without"
    when = written_on(report)
    return f"written {by} a language model" + (f" on {when}" if when else "")


def _decided(report: Report) -> str:
    """Return who approved which version."""
    version = report.metadata.get("version")
    if (approval := report.approval) is not None:
        return f"version {version} approved by {approval.by} on {day(approval.at)}"
    ended = str(report.provenance.get("ended_by") or "").replace("_", " ")
    return f"version {version}, {ended}" if ended else ""


def written_on(report: Report) -> str:
    """Return the day on which the report was completed; "" where it is not known."""
    return day(report.metadata.get("completed_at"))


def day(at: Any) -> str:
    """Return a time as a date: 3 May 2026; anything else as nothing."""
    try:
        known = datetime.fromisoformat(str(at))
    except ValueError:
        return ""
    return f"{known.day} {known:%B %Y}"


def _searches(report: Report, drawn: Collection[str]) -> list[Element]:
    """Return where was searched, for what, when, and how much there was."""
    asked = report.provenance.get("search_queries") or []
    rows = [_row(run) for query in asked for run in query.get("runs") or []]
    elements: list[Element] = [heading("Searches")] if rows or drawn else []
    thread = report.provenance.get("from_thread")
    if rows:
        origin = f", taken over from the search {thread}" if thread else ""
        elements.append(
            _line(
                f"{counted(len(rows), 'search', 'searches').capitalize()}{origin} gave "
                f"{counted(len(report.sources), 'source')} after merging and judging, of which "
                f"{counted(len(report.cited), 'one', plural='')} "
                f"{'is' if len(report.cited) == 1 else 'are'} "
                f"{'in the table' if report.is_table else 'cited'}."
            )
        )
        unique = tuple(dict.fromkeys(rows))
        head = ("Where", "What", "When", "Hits", "Used")
        widths = (0.17, 0.45, 0.19, 0.11, 0.08)
        elements.append(Table("Every search that was run", head, unique, widths))
    return [*elements, *figures_of(drawn, "flow", "years")]


def _row(run: dict[str, Any]) -> tuple[tuple[Span, ...], ...]:
    status = str(run["status"])
    said = "" if status in {"ok", "empty"} else f" ({status.replace('_', ' ')})"
    hits = "not said" if run["hits"] is None else f"{run['hits']:,}"
    cells = (f"{run['source']}{said}", run["query"], day(run["at"]), hits, f"{run['kept']:,}")
    return tuple(plain(str(cell)) for cell in cells)
