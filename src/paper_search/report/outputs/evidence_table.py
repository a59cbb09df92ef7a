"""How a report opens: the answer, the table of the evidence, who agrees and who does not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from paper_search.report.answering import Verdict
from paper_search.report.citations import cite
from paper_search.report.evidence import author_year
from paper_search.report.models import Quote
from paper_search.report.opening import Opening, Statement
from paper_search.report.outputs.blocks import Block, Span, blocks, spans
from paper_search.report.outputs.parts import Element, Notice, Table, figures_of, heading, plain
from paper_search.report.phrasing import counted, quoted, without_year
from paper_search.report.polarity import groups
from paper_search.report.studies import kind_of, population_of

_ROWS = 40
"""Sentences that the table shows, those of the first sub-questions first."""


def answer_notice(opening: Opening) -> Notice:
    """Return the verdict, the counts behind it, and the best sentence on each sub-question."""
    lines = [Block("paragraph", (Span("bold", opening.verdict),))]
    lines.append(Block("paragraph", plain(opening.counts)))
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
    rows = tuple(_row(opening, statement) for statement in opening.statements[:_ROWS])
    last = "Says" if opening.is_decidable else "Answers"
    head = ("Study", "Year", "Kind", "Studied", last, "In its words")
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


def _row(opening: Opening, statement: Statement) -> tuple[tuple[Span, ...], ...]:
    quote = statement.quote
    source = opening.evidence.by_id[quote.result_id]
    key = opening.evidence.key_of(quote.result_id)
    said = statement.says or "neither"
    return (
        (Span("study", without_year(author_year(source)), (key,)),),
        plain(str(source.year or "n.d.")),
        plain(kind_of(source)),
        plain(population_of(source)),
        plain(said if opening.is_decidable else f"question {statement.question + 1}"),
        plain(quoted(quote.text)),
    )


def _agreement(opening: Opening) -> list[Element]:
    lines: list[str] = []
    if opening.is_decidable:
        lines += [_side(opening, says) for says in ("yes", "no")]
        lines += _by_group(opening)
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


def _side(opening: Opening, says: Verdict) -> str:
    sources = _saying(opening, says)
    if not sources:
        return f"**{says.capitalize()}:** no source."
    keys = cite(map(opening.evidence.key_of, sources))
    return f"**{says.capitalize()}:** {counted(len(sources), 'source')} {keys}."


def _saying(opening: Opening, says: Verdict) -> list[str]:
    answer = opening.analysis.answer
    return answer.yes if says == "yes" else answer.no


def _by_group(opening: Opening) -> list[str]:
    """Return what is said of each group, where there are several: they are no one finding."""
    counts: dict[str, dict[Verdict, int]] = {}
    for says in ("yes", "no"):
        for source in _saying(opening, says):
            result = opening.evidence.by_id[source]
            for name in groups(f"{result.title}. {result.text}"):
                counts.setdefault(name, {"yes": 0, "no": 0})[says] += 1
    if len(counts) < 2:  # noqa: PLR2004  # one group is nothing to keep apart
        return []
    return [
        f"Of {name}: {counted(of['yes'], 'source')} yes, {counted(of['no'], 'source')} no."
        for name, of in counts.items()
    ]


def _said(opening: Opening, quote: Quote) -> str:
    return f"{quoted(quote.text)} {_cite(opening, [quote])}."


def _cite(opening: Opening, quotes: Iterable[Quote] | Sequence[Quote]) -> str:
    return cite(opening.evidence.key_of(quote.result_id) for quote in quotes)
