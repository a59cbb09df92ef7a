"""A report as Word document and as LaTeX, made by pandoc from one Markdown text."""

from __future__ import annotations

import asyncio
import base64
import functools
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anyascii import anyascii
from pylatexenc.latexencode import unicode_to_latex

from paper_search.errors import ExportError
from paper_search.exports.bibtex import export_bibtex
from paper_search.exports.citation_keys import citation_keys
from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.outputs.blocks import Heading, Span, Table
from paper_search.report.outputs.layout import REFERENCES, layout, written_on
from paper_search.report.outputs.markdown import MarkdownWriter, escaped
from paper_search.report.outputs.references import cited_collection, csl_items

TIMEOUT_S = 120.0
_FORMAT = "--from=markdown-raw_html-raw_tex-raw_attribute-tex_math_dollars-yaml_metadata_block"
_HOW = "pip install 'paper-search[docx]', or install pandoc 3"


async def render_docx(
    report: Report, *, csl: Path | None = None, figures: Mapping[str, bytes] | None = None
) -> bytes:
    """Return the report as DOCX, with its citations and references set by pandoc's citeproc.

    `figures`: PNG by name. `csl`: a style file, by its absolute path; None: pandoc's own, Chicago
    author-date.

    Raises:
        ExportError: pandoc is not installed, or fails.
    """
    # In the sandbox pandoc reads no file that is not named on its command line.
    images = {
        name: f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"
        for name, content in (figures or {}).items()
    }
    references = f"## {REFERENCES} {{#references}}\n\n::: {{#refs}}\n:::\n"
    files = {
        "references.json": json.dumps(csl_items(report), ensure_ascii=False),
        "report.md": pandoc_markdown(report, images) + references,
    }
    style = [f"--csl={csl}"] if csl else []
    options = ["--to=docx", "--citeproc", "--bibliography=references.json", *style]
    return await _converted(report, options, files)


async def render_latex(
    report: Report, *, bibliography: str = "references", figures: Mapping[str, str] | None = None
) -> str:
    r"""Return the report as a LaTeX document for pdfLaTeX, XeLaTeX or LuaLaTeX.

    `bibliography`: name of the .bib file beside it, without the suffix, for \citep. `figures`:
    file of each figure by its name, a PDF or an image.

    Raises:
        ExportError: pandoc is not installed, or fails.
    """
    name = re.sub(r"[^A-Za-z0-9_-]", "", bibliography) or "references"
    text = pandoc_markdown(report, figures or {}, _bibtex_keys(report))
    header = _declared(text + report.title + render_bibtex(report))
    options = [
        "--to=latex",
        "--standalone",
        "--natbib",
        *([f"--bibliography={name}.bib"] if report.cited else []),
        "--include-in-header=header.tex",
        "--variable=documentclass:article",
        f"--metadata=date:{written_on(report)}",
    ]
    return (await _converted(report, options, {"report.md": text, "header.tex": header})).decode()


def render_bibtex(report: Report) -> str:
    """Return the cited sources as BibTeX, under the keys that the LaTeX cites."""
    return export_bibtex(cited_collection(report))


def _bibtex_keys(report: Report) -> dict[str, str]:
    """Return the report's keys with those that the .bib has: of the cited sources alone."""
    keys = sorted(report.cited)
    return dict(zip(keys, citation_keys(cited_collection(report).papers), strict=True))


@functools.cache
def pandoc() -> str:
    """Return the pandoc program: the one on the path, else the one of pypandoc_binary.

    One that cannot work in its sandbox, as that of Debian 12, is passed over.

    Raises:
        ExportError: there is none.
    """
    for program in filter(None, (shutil.which("pandoc"), _packaged())):
        words = [program, "--sandbox", "--to=docx", "--output=-"]
        tried = subprocess.run(words, input=b"x", capture_output=True, check=False)  # noqa: S603  # fixed words
        if tried.returncode == 0:
            return program
    raise ExportError(f"Word and LaTeX documents need pandoc: {_HOW}")


def _packaged() -> str | None:
    try:
        import pypandoc  # noqa: PLC0415  # an extra

        return str(pypandoc.get_pandoc_path())
    except (ImportError, OSError):
        return None


async def _converted(report: Report, options: list[str], files: Mapping[str, str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, content in files.items():
            (place / name).write_text(content, encoding="utf-8")
        words = [
            pandoc(),
            "--sandbox",
            _FORMAT,
            *options,
            "--shift-heading-level-by=-1",
            "--metadata=nocite:@*",  # the table of the evidence names studies without citing them
            f"--metadata=title:{single_line(report.title)}",
            "--output=made",
            "report.md",
        ]
        await _run(words, place)
        return (place / "made").read_bytes()


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
            _, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise ExportError(f"pandoc did not end within {TIMEOUT_S:g} s") from None
    if process.returncode:
        reason = " ".join(errors.decode("utf-8", "replace").split())[:500]
        raise ExportError(f"pandoc failed: {reason}")


def pandoc_markdown(
    report: Report, figures: Mapping[str, str], keys: Mapping[str, str] | None = None
) -> str:
    """Return the report in pandoc's Markdown, with citations that it can resolve.

    `keys`: those of the bibliography by the report's; None: they are the same.
    """
    known = dict(keys) if keys is not None else {key: key for key in report.cited}
    writer = _Writer(
        report,
        layout(report, figures),
        figures,
        has_references=False,
        keys=known,
        cites_studies=keys is not None,
    )
    return "\n".join(writer.lines()) + "\n\n"


@dataclass(frozen=True)
class _Writer(MarkdownWriter):
    """Writes pandoc's Markdown: with widths of columns, and citations by their keys."""

    keys: Mapping[str, str]
    cites_studies: bool

    def _heading(self, element: Heading) -> str:
        return f"{super()._heading(element)} {{#{element.name}}}"

    def _table(self, table: Table) -> str:
        dashes = ["-" * max(3, round(width * 100)) for width in table.widths]
        return "\n".join([*self._rows(table, dashes), "", f": {self._text(table.caption)}"])

    def _text(self, text: str) -> str:
        return re.sub(r"([@^\"'-])", r"\\\1", escaped(text.strip()))

    def _study(self, span: Span) -> str:
        """Return who wrote a study; in LaTeX with its citation, which is what gives a reference."""
        cited = f" {self._citation(span.keys)}" if self.cites_studies else ""
        return self._text(span.text) + cited

    def _citation(self, keys: tuple[str, ...]) -> str:
        known = "; ".join(f"@{self.keys[key]}" for key in keys if key in self.keys)
        return f"[{known}]" if known else ""


_SPECIAL = str.maketrans({**{sign: rf"\{sign}" for sign in "&%$#_{}"}, "\\": "/", "~": "-"})
_LAST_OF_T1 = "\u017f"
_IN_FONTS = frozenset("–—‘’‚“”„…•†‡‰‹›€™−")
"""Beyond Latin letters, what pdfLaTeX sets without being told how."""
_IN_FORMULAS = frozenset(
    "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθικλμνξπρστυφχψω≤≥≈≠≡∼∝→←↔∞√∑∏∫∂∇∈∉⊂⊆∪∩≪≫₀₁₂₃₄₅₆₇₈₉⁰⁴⁵⁶⁷⁸⁹⁺⁻"
)
"""What plain LaTeX has a macro for, of what titles and abstracts hold."""


def _declared(text: str) -> str:
    """Return how pdfLaTeX is to set the characters that its fonts do not have.

    Without that it stops at the first of them. The other two read the characters themselves.
    """
    lines = [
        rf"\DeclareUnicodeCharacter{{{ord(letter):04X}}}{{{_set_by_pdftex(letter)}}}"
        for letter in sorted(set(text))
        if letter > _LAST_OF_T1 and letter not in _IN_FONTS
    ]
    return "\n".join([r"\usepackage{iftex}\ifpdftex", *lines, r"\fi", ""])


def _set_by_pdftex(letter: str) -> str:
    """Return a macro for a character of formulas, any other in Latin letters."""
    if letter in _IN_FORMULAS:
        return str(unicode_to_latex(letter))  # type: ignore[no-untyped-call]  # it has no types
    return anyascii(letter).translate(_SPECIAL)
