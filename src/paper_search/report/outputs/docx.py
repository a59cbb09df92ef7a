"""A report as a Word document, made by pandoc where it is installed."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from paper_search.errors import ExportError
from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.outputs.blocks import Block, Span, rendered
from paper_search.report.outputs.layout import REFERENCES, layout
from paper_search.report.outputs.markdown import escaped
from paper_search.report.outputs.parts import (
    Contents,
    Element,
    Figure,
    Heading,
    Notice,
    Table,
    headings,
)
from paper_search.report.outputs.references import csl_items
from paper_search.report.outputs.word_styles import styled

TIMEOUT_S = 120.0
_HOW = "install pandoc, or pip install 'paper-search[docx]'"


async def render_docx(
    report: Report, *, csl: Path | None = None, figures: Mapping[str, bytes] | None = None
) -> bytes:
    """Return the report as DOCX, with its citations and references set by pandoc's citeproc.

    Args:
        report: what.
        figures: PNG of each figure by its name.
        csl: a style file, by its absolute path; None: pandoc's own, Chicago author-date.

    Raises:
        ExportError: pandoc is not installed, or fails.
    """
    program = pandoc()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        items = json.dumps(csl_items(report), ensure_ascii=False)
        (place / "references.json").write_text(items, encoding="utf-8")
        # In the sandbox pandoc reads no file that is not named on its command line.
        images = {
            name: f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"
            for name, content in (figures or {}).items()
        }
        (place / "report.md").write_text(pandoc_markdown(report, images), encoding="utf-8")
        words = [
            program,
            "--sandbox",
            "--from=markdown-raw_html-raw_tex-raw_attribute-tex_math_dollars-yaml_metadata_block",
            "--to=docx",
            "--citeproc",
            "--bibliography=references.json",
            *([f"--csl={csl}"] if csl else []),
            "--metadata=nocite:@*",  # the table of the evidence names studies without citing them
            f"--metadata=title:{single_line(report.title)}",
            "--output=report.docx",
            "report.md",
        ]
        await _run(words, place)
        return styled((place / "report.docx").read_bytes())


def pandoc() -> str:
    """Return the pandoc program: the one on the path, else the one of pypandoc_binary.

    Raises:
        ExportError: there is none.
    """
    if found := shutil.which("pandoc"):
        return found
    try:
        import pypandoc  # noqa: PLC0415  # an extra
    except ImportError:
        raise ExportError(f"a Word document needs pandoc: {_HOW}") from None
    try:
        return str(pypandoc.get_pandoc_path())
    except OSError:
        raise ExportError(f"a Word document needs pandoc: {_HOW}") from None


def pandoc_markdown(report: Report, figures: Mapping[str, str]) -> str:
    """Return the report in pandoc's Markdown, with citations that it can resolve."""
    elements = layout(report, figures)
    writer = _Writer(set(report.cited), headings(elements), figures)
    lines = [line for element in elements for line in (*writer.written(element), "")]
    lines += [f"## {REFERENCES} {{#references}}", "", "::: {#refs}", ":::", ""]
    return "\n".join(lines)


@dataclass(frozen=True)
class _Writer:
    """Writes the elements of one report."""

    cited: set[str]
    headings: list[Heading]
    figures: Mapping[str, str]

    def written(self, element: Element) -> list[str]:
        match element:
            case Heading():
                return [f"## {_safe(element.text)} {{#{element.name}}}"]
            case Notice():
                style = f'::: {{custom-style="{element.kind.title()}"}}'
                lines = [line for b in element.blocks for line in (self._line(b.spans), "")]
                return [style, *lines, ":::"]
            case Contents():
                listed = [*self.headings, Heading(REFERENCES, "references")]
                links = [f"[{_safe(part.text)}](#{part.name})\n" for part in listed]
                return ['::: {custom-style="Contents"}', *links, ":::"]
            case Table():
                return self._table(element)
            case Figure():
                return [f"![{_safe(element.caption)}]({self.figures[element.name]}){{width=100%}}"]
            case Block():
                marks = {"bullet": "- ", "number": "1. ", "heading": "### ", "paragraph": ""}
                return [marks[element.kind] + self._line(element.spans)]

    def _table(self, table: Table) -> list[str]:
        dashes = "|".join("-" * max(3, round(width * 100)) for width in table.widths)
        rows = [f"| {' | '.join(map(self._line, row))} |" for row in table.rows]
        head = f"| {' | '.join(table.head)} |"
        return [head, f"|{dashes}|", *rows, "", f": {_safe(table.caption)}"]

    def _line(self, spans: tuple[Span, ...]) -> str:
        return rendered(
            spans,
            {
                "text": lambda span: _inline(span.text),
                "bold": lambda span: f"**{_safe(span.text)}**",
                "citation": lambda span: self._citation(span.keys),
                "mark": lambda span: f'[\\[{span.text}\\]]{{custom-style="Mark"}}',
                "study": lambda span: _safe(span.text),
            },
        )

    def _citation(self, keys: tuple[str, ...]) -> str:
        known = "; ".join(f"@{key}" for key in keys if key in self.cited)
        return f"[{known}]" if known else ""


def _safe(text: str) -> str:
    return re.sub(r"([@^\"'-])", r"\\\1", escaped(text))


def _inline(text: str) -> str:
    head = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{head}{_safe(text.strip())}{tail}"


async def _run(words: list[str], place: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=place,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            _, told = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise ExportError(f"pandoc did not end within {TIMEOUT_S:g} s") from None
    if process.returncode:
        reason = " ".join(told.decode("utf-8", "replace").split())[:500]
        raise ExportError(f"pandoc failed: {reason}")
