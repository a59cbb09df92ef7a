"""A report as a Word document, made by pandoc where it is installed."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tempfile
from pathlib import Path

from paper_search.errors import ExportError
from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.outputs.blocks import blocks, rendered
from paper_search.report.outputs.markdown import escaped, notes
from paper_search.report.outputs.references import csl_items

TIMEOUT_S = 120.0
_HOW = "install pandoc, or pip install 'paper-search[docx]'"


async def render_docx(report: Report, *, csl: Path | None = None) -> bytes:
    """Return the report as DOCX, with its citations and references set by pandoc's citeproc.

    Args:
        report: what.
        csl: a style file, by its absolute path; None: pandoc's own, Chicago author-date.

    Raises:
        ExportError: pandoc is not installed, or fails.
    """
    program = pandoc()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        items = json.dumps(csl_items(report), ensure_ascii=False)
        (place / "references.json").write_text(items, encoding="utf-8")
        (place / "report.md").write_text(pandoc_markdown(report), encoding="utf-8")
        words = [
            program,
            "--sandbox",
            "--from=markdown-raw_html-raw_tex-raw_attribute-tex_math_dollars-yaml_metadata_block",
            "--to=docx",
            "--citeproc",
            "--bibliography=references.json",
            *([f"--csl={csl}"] if csl else []),
            f"--metadata=title:{single_line(report.title)}",
            "--output=report.docx",
            "report.md",
        ]
        await _run(words, place)
        return (place / "report.docx").read_bytes()


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


def pandoc_markdown(report: Report) -> str:
    """Return the report in pandoc's Markdown, with citations that it can resolve."""
    known = set(report.cited)

    def text(words: str) -> list[str]:
        lines = []
        for block in blocks(words):
            line = rendered(
                block.spans,
                text=_inline,
                bold=lambda plain: f"**{_safe(plain)}**",
                citation=lambda keys: (
                    "[" + "; ".join(f"@{key}" for key in keys if key in known) + "]"
                    if known & set(keys)
                    else ""
                ),
            )
            mark = {"bullet": "- ", "number": "1. ", "heading": "### ", "paragraph": ""}[block.kind]
            lines += [mark + line, ""]
        return lines

    lines = [f"> {_safe(note)}\n" for note in notes(report)]
    if report.abstract:
        lines += ["## Abstract", "", *text(report.abstract)]
    for section in report.sections:
        lines += [f"## {_safe(section.title)}", "", *text(section.content)]
    if report.conclusion:
        lines += ["## Conclusion", "", *text(report.conclusion)]
    return "\n".join([*lines, "## References", ""])


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
