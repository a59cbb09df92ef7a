"""The parts of a finished report in their order, the same in every format: answer, evidence ..."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from paper_search.report.claims.citations import cite
from paper_search.report.document import MARKS, Report
from paper_search.report.evidence import author_year
from paper_search.report.models import Quote, SearchResult
from paper_search.report.opening import Opening, Statement
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
from paper_search.report.phrasing import counted, joined, quoted, without_year
from paper_search.report.polarity import groups

_ROWS = 40
"""Sentences that the table shows, those of the first sub-questions first."""


def answer_notice(opening: Opening) -> Notice:
    """Return what stands behind the report, and the best sentence on each sub-question."""
    lines = [Block("paragraph", plain(opening.counts))]
    for index, best in opening.best() if opening.answered else []:
        asked = opening.sub_questions[index]
        if index not in opening.answered:
            lines.append(Block("paragraph", plain(f"{asked} Not answered by the sources found.")))
        elif best is not None:
            lines.append(Block("paragraph", spans(f"{asked} {_said(opening, best.quote)}")))
    return Notice("answer", tuple(lines))


def evidence(opening: Opening, drawn: Collection[str]) -> list[Element]:
    """Return the table of what was found, and what agrees in it."""
    if not opening.statements:
        return []
    rows = tuple(_evidence_row(opening, statement) for statement in opening.statements[:_ROWS])
    head = ("Study", "Year", "Kind", "Studied", "Answers", "In its words")
    widths = (0.15, 0.07, 0.17, 0.15, 0.1, 0.36)
    caption = "What was found, by study"
    if (left := len(opening.statements) - _ROWS) > 0:
        caption += f"; {left} more sentences are quoted in the sections or stand in the JSON"
    return [
        heading("Evidence"),
        Table(caption, head, rows, widths),
        *figures_of(drawn, "evidence"),
        heading("Agreement and disagreement"),
        *_agreement(opening),
    ]


def _evidence_row(opening: Opening, statement: Statement) -> tuple[tuple[Span, ...], ...]:
    quote = statement.quote
    source = opening.evidence.by_id[quote.result_id]
    key = opening.evidence.key_of(quote.result_id)
    return (
        (Span("study", without_year(author_year(source)), (key,)),),
        plain(str(source.year or "n.d.")),
        plain(kind_of(source)),
        plain(population_of(source)),
        plain(f"question {statement.question + 1}"),
        plain(quoted(quote.text)),
    )


def _agreement(opening: Opening) -> list[Element]:
    lines: list[str] = []
    for finding in opening.analysis.findings:
        if len(finding.sources) > 1 and all(quote.part == "text" for quote in finding.quotes):
            keys = _cite(opening, finding.quotes)
            number = counted(len(finding.sources), "source").capitalize()
            lines.append(f"{number} say much the same as {quoted(finding.text)} {keys}.")
    for dispute in opening.analysis.contradiction_details:
        one, other = _said(opening, dispute.one), _said(opening, dispute.other).rstrip(".")
        note = f"; {dispute.note}" if dispute.note else ""
        lines.append(f"Opposed, on {dispute.topic}: {one} Against it: {other}{note}.")
    if not lines:
        lines = ["No two sources were found that say the same, or the opposite, of one thing."]
    else:
        lines.append("Whether these differ in what they studied is for the reader to judge.")
    return [block for line in dict.fromkeys(lines) for block in blocks(f"- {line}")]


def _said(opening: Opening, quote: Quote) -> str:
    return f"{quoted(quote.text)} {_cite(opening, [quote])}."


def _cite(opening: Opening, quotes: Iterable[Quote] | Sequence[Quote]) -> str:
    return cite(opening.evidence.key_of(quote.result_id) for quote in quotes)


NOT_STATED = "not stated"
_PAGES = {"web": "web page", "news": "news"}
_READ = 3000
"""Characters of a text in which a study is described: those of its abstract."""
_LONGEST = 60

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{cues})\b", re.IGNORECASE))
    for name, cues in (
        ("meta-analysis", r"meta-?analys[ei]s"),
        ("systematic review", r"systematic(?:ally)? review(?:ed)?|scoping review"),
        ("protocol", r"(?:study|trial|review) protocol|protocol for"),
        (
            "randomised trial",
            r"randomi[sz]ed (?:\w+[- ]){0,4}(?:trial|study)|randomly (?:assigned|allocated)",
        ),
        ("crossover trial", r"cross-?over (?:trial|study)"),
        ("clinical trial", r"clinical trial|open[- ]label|phase (?:i+|[1-4]) trial"),
        ("cohort study", r"cohort|longitudinal study|follow-up study"),
        ("case-control study", r"case[- ]control"),
        ("cross-sectional study", r"cross-sectional"),
        ("case report", r"case (?:report|series)"),
        ("survey", r"questionnaires?|survey of (?:\w+ ){0,3}(?:people|patients|users|students)"),
        ("qualitative study", r"interviews|focus groups|qualitative study"),
        ("review", r"we review|this review|literature review|(?:a|the) (?:review|survey) of"),
        ("laboratory study", r"in vitro|cell lines?|(?:mice|rats|zebrafish) (?:were|was)"),
        ("simulation", r"simulations?|we simulated?"),
        ("computational study", r"benchmarks?|data ?sets?|neural networks?|algorithms?"),
        ("measurements", r"we measured|sensors|field (?:study|experiment|measurements)"),
    )
)
_COUNTED = re.compile(
    r"\b(?:\d{1,3}(?:,\d{3})+|\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
    r" (?:[a-z][a-z-]* ){0,4}?"
    r"(?:patients|participants|subjects|volunteers|people|persons|individuals|adults|children"
    r"|adolescents|teenagers|infants|neonates|women|men|girls|boys|students|pupils|workers"
    r"|veterans|mothers|users|respondents|mice|rats|studies|trials|cities|streets|schools"
    r"|hospitals|households|countries|data ?sets|molecules|images|records)\b",
    re.IGNORECASE,
)


def kind_of(result: SearchResult) -> str:
    """Return what kind of study a source is, by its own words, else by how it was published."""
    described = f"{result.title}. {result.text[:_READ]}"
    for name, cue in _KINDS:
        if cue.search(described):
            return name
    page = _PAGES.get(str(result.metadata.get("source_type")))
    published = str(result.metadata.get("publication_type") or page or NOT_STATED)
    return published.replace("-", " ").replace("_", " ")[:_LONGEST]


def population_of(result: SearchResult) -> str:
    """Return whom or what was studied, in the source's words, else the groups that it names."""
    described = f"{result.title}. {result.text[:_READ]}"
    if match := _COUNTED.search(described):
        return match.group()[:_LONGEST]
    return ", ".join(sorted(groups(described))) or NOT_STATED


REFERENCES = "References"
_SUPPORTED = "supported by words of the cited source"


def layout(report: Report, drawn: Collection[str] = ()) -> list[Element]:
    """Return everything between the title and the references, with the figures that were drawn."""
    elements: list[Element] = [_status(report)]
    if (opening := report.opening) is not None:
        elements += [answer_notice(opening), Contents(), *evidence(opening, drawn)]
    else:
        elements.append(Contents())
    if report.abstract:
        elements += [heading("Abstract"), *_text(report, "abstract", report.abstract)]
    for section in report.sections:
        content = _text(report, section.section_id, section.content)
        elements += [heading(section.title), *content]
    if report.conclusion:
        elements += [heading("Conclusion"), *_text(report, "conclusion", report.conclusion)]
    return _uniquely_named([*elements, *_searches(report, drawn)])


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
    checkers = joined(name for name in ("code", "model") if name in by)
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
                f"{'is' if len(report.cited) == 1 else 'are'} cited."
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
