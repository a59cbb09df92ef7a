"""A report as Markdown; what sources wrote can neither format it nor load anything."""

from __future__ import annotations

import re

from paper_search.exports.text import single_line, web_address
from paper_search.report.document import Report
from paper_search.report.evidence import author_year, paper_of
from paper_search.report.outputs.blocks import Block, blocks, rendered
from paper_search.report.outputs.references import DEFAULT_STYLE, references

_ESCAPED = re.compile(r"([\\`*_\[\]<>|#~$])")
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s`]+|\bwww\.[^\s`]+", re.IGNORECASE)


def render_markdown(report: Report, *, style: str = DEFAULT_STYLE) -> str:
    """Return the report as Markdown (CommonMark).

    Args:
        report: what.
        style: of the references, see `references`.

    Raises:
        ConfigError: the style cannot be used.
    """
    lines = [f"# {escaped(report.title)}", ""]
    lines += [f"> {escaped(note)}" for note in notes(report)]
    if report.abstract:
        lines += ["", "## Abstract", "", _text(report, report.abstract)]
    for section in report.sections:
        lines += ["", f"## {escaped(section.title)}", "", _text(report, section.content)]
    if report.conclusion:
        lines += ["", "## Conclusion", "", _text(report, report.conclusion)]
    named = references(report, style)
    if named:
        lines += ["", "## References", ""]
        lines += [f"- {_reference(report, key, line)}" for key, line in named.items()]
    return "\n".join(lines).rstrip() + "\n"


def notes(report: Report) -> list[str]:
    """Return what a reader has to know before reading: status, score, caveats."""
    score = report.metadata.get("final_score")
    facts = [f"Status: {report.status}", f"confidence: {report.confidence}"]
    if score is not None:
        facts.append(f"score of the review: {score:g} of 10")
    facts.append(f"sources: {report.metadata.get('sources_used', 0)} cited")
    ended = report.provenance.get("ended_by")
    if ended:
        facts.append(f"ended: {str(ended).replace('_', ' ')}")
    lines = ["; ".join(facts) + "."]
    if report.reason:
        lines.append(f"Not a finished report: {report.reason}.")
    return lines + [
        f"{caveat}." if not caveat.endswith(".") else caveat for caveat in report.caveats
    ]


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is; addresses become code, which nothing links."""
    parts: list[str] = []
    position = 0
    line = single_line(text)
    for match in _ADDRESS.finditer(line):
        parts += [_ESCAPED.sub(r"\\\1", line[position : match.start()]), f"`{match.group()}`"]
        position = match.end()
    parts.append(_ESCAPED.sub(r"\\\1", line[position:]))
    return re.sub(r"^(\s*)([-+]|\d+[.)])(\s)", r"\1\\\2\3", "".join(parts))


def _text(report: Report, text: str) -> str:
    lines: list[str] = []
    before: Block | None = None
    number = 0
    for block in blocks(text):
        line = rendered(
            block.spans,
            text=_inline,
            bold=lambda words: f"**{escaped(words)}**",
            citation=lambda keys: _citation(report, keys),
        )
        number = number + 1 if block.kind == "number" else 0
        is_list = before is not None and before.kind == block.kind != "paragraph"
        if before is not None and not (is_list and block.kind != "heading"):
            lines.append("")
        marks = {"bullet": "- ", "number": f"{number}. ", "heading": "### ", "paragraph": ""}
        lines.append(marks[block.kind] + line)
        before = block
    return "\n".join(lines)


def _inline(text: str) -> str:
    """Return escaped text that keeps the blanks at its ends: it stands beside other spans."""
    head = text[: len(text) - len(text.lstrip())]
    tail = text[len(text.rstrip()) :] if text.strip() else ""
    return f"{' ' if head else ''}{escaped(text)}{' ' if tail else ''}"


def _citation(report: Report, keys: tuple[str, ...]) -> str:
    named = [
        author_year(report.evidence.by_key[key]) if key in report.evidence.by_key else f"?{key}"
        for key in keys
    ]
    return f"({escaped('; '.join(named))})"


def _reference(report: Report, key: str, line: str) -> str:
    result = report.evidence.by_key[key]
    address = web_address(paper_of(result))
    text = escaped(line)
    return f"{text} <{address}>" if address and address not in line else text
