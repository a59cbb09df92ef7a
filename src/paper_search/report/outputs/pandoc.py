"""A report as Word document and LaTeX, converted from Markdown by pandoc."""

import asyncio
import base64
import functools
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from paper_search.errors import ExportError, how_to_install
from paper_search.exports.bibtex import export_bibtex
from paper_search.exports.text import citation_keys, single_line
from paper_search.report.document import Report, cited_collection, csl_items
from paper_search.report.outputs.markdown import REFERENCES, MarkdownTemplate, day, escaped

TIMEOUT_S = 120.0
_FORMAT = (
    "--from=markdown-raw_html-raw_tex-raw_attribute-tex_math_dollars-yaml_metadata_block"
    "+gfm_auto_identifiers"
)
_HOW = f"{how_to_install('docx')}, or install pandoc 3"


async def render_docx(
    report: Report, *, csl: Path | None = None, figures: Mapping[str, bytes] | None
) -> bytes:
    """Return the report as DOCX, with citations and references by pandoc's citeproc.

    `figures`: PNGs by name. `csl`: absolute path of a style; by default pandoc's, Chicago
    author-date. Errors as for `markdown_docx`.
    """
    # In the sandbox, pandoc reads only files named on its command line.
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
    options.append("--metadata=nocite:@*")  # as in LaTeX
    return await _converted(report.with_marks("title", report.title), options, files)


async def render_latex(
    report: Report, *, bibliography: str = "references", figures: Mapping[str, str] | None = None
) -> str:
    r"""Return the report as LaTeX; non-Latin scripts need XeLaTeX or LuaLaTeX.

    `bibliography`: name of the .bib file without its suffix, for \citep. `figures`: files (PDF or
    images) by name. Errors as for `markdown_docx`.
    """
    name = re.sub(r"[^A-Za-z0-9_-]", "", bibliography) or "references"
    # The .bib file has keys of its own, which depend on the cited sources only.
    names = citation_keys(cited_collection(report).papers)
    keys = dict(zip(sorted(report.cited), names, strict=True))
    text = pandoc_markdown(report, figures or {}, keys)
    options = [
        "--to=latex",
        "--standalone",
        "--natbib",
        *([f"--bibliography={name}.bib"] if report.cited else []),
        "--variable=documentclass:article",
        "--variable=nocite-ids:*",  # the table of evidence names studies without citing them
        f"--metadata=date:{day(report.metadata.get('completed_at'))}",
    ]
    title = report.with_marks("title", report.title)
    return (await _converted(title, options, {"report.md": text})).decode()


def render_bibtex(report: Report) -> str:
    """Return the cited sources as BibTeX, with the keys used in the LaTeX."""
    return export_bibtex(cited_collection(report))


@functools.cache
def pandoc() -> str:
    """Return the pandoc program of the extra, or one on the path whose sandbox works.

    The sandbox of older versions, such as Debian 12's, fails.
    """
    try:
        import pypandoc  # noqa: PLC0415  # an extra

        return str(pypandoc.get_pandoc_path())
    except (ImportError, OSError):
        program = shutil.which("pandoc") or ""
        words = [program, "--sandbox", "--to=docx", "--output=-"]
        if program and not subprocess.run(words, input=b"x", capture_output=True).returncode:  # noqa: S603, PLW1510  # fixed arguments
            return program
    raise ExportError(f"Word and LaTeX documents need pandoc: {_HOW}")


def has_pandoc() -> bool:
    try:
        return bool(pandoc())
    except ExportError:
        return False


async def markdown_docx(title: str, markdown: str) -> bytes:
    """Convert CommonMark with GitHub's tables to DOCX, reproducibly.

    Raises:
        ExportError: pandoc is not installed, or fails.
    """
    files = {"report.md": markdown}
    return await _converted(title, ["--to=docx"], files, "--from=commonmark+pipe_tables")


async def _converted(
    title: str, options: list[str], files: Mapping[str, str], form: str = _FORMAT
) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, content in files.items():
            (place / name).write_text(content, encoding="utf-8")
        words = [
            pandoc(),
            "--sandbox",
            form,
            *options,
            "--shift-heading-level-by=-1",
            f"--metadata=title:{single_line(title)}",
            "--output=made",
            "report.md",
        ]
        await _run(words, place)
        return (place / "made").read_bytes()


async def _run(words: list[str], place: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=place,
        env={"SOURCE_DATE_EPOCH": "0"},
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
        raise ExportError(f"pandoc did not finish within {TIMEOUT_S:g} s") from None
    if process.returncode:
        reason = " ".join(errors.decode("utf-8", "replace").split())[:500]
        raise ExportError(f"pandoc failed: {reason}")


def pandoc_markdown(
    report: Report, figures: Mapping[str, str], keys: Mapping[str, str] | None = None
) -> str:
    """Return the report in pandoc's Markdown with its citation syntax.

    `keys`: the bibliography's keys by the report's; None if they are the same.
    """
    names = dict(keys) if keys is not None else {key: key for key in report.cited}
    return "\n\n".join(_PandocTemplate(report, figures, names).body()) + "\n\n"


class _PandocTemplate(MarkdownTemplate):
    def __init__(self, report: Report, figures: Mapping[str, str], keys: Mapping[str, str]) -> None:
        super().__init__(report, figures, {})
        self._keys = keys

    def escaped(self, text: str) -> str:
        return re.sub(r"([@^\"'-])", r"\\\1", escaped(text.strip()))

    def citation(self, keys: Sequence[str]) -> str:
        names = "; ".join(f"@{self._keys[key]}" for key in keys if key in self._keys)
        unknown = [key for key in keys if key not in self._keys]
        parts = [f"[{names}]" if names else "", super().citation(unknown) if unknown else ""]
        return " ".join(filter(None, parts))

    def table(
        self, caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], widths: list[float]
    ) -> str:
        dashes = ["-" * max(3, round(width * 100)) for width in widths]
        return f"{self.rows(head, rows, dashes)}\n\n: {self.escaped(caption)}"
