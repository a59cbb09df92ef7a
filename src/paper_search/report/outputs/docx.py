"""A report as a Word document, made by pandoc where it is installed."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from paper_search.errors import ExportError
from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.outputs.blocks import (
    Block,
    Contents,
    Element,
    Figure,
    Heading,
    Notice,
    Span,
    Table,
    headings,
    rendered,
    spaced,
)
from paper_search.report.outputs.layout import REFERENCES, layout
from paper_search.report.outputs.markdown import escaped
from paper_search.report.outputs.references import csl_items

TIMEOUT_S = 120.0
_HOW = "install pandoc, or pip install 'paper-search[docx]'"


async def render_docx(
    report: Report, *, csl: Path | None = None, figures: Mapping[str, bytes] | None = None
) -> bytes:
    """Return the report as DOCX, with its citations and references set by pandoc's citeproc.

    `figures`: PNG by name. `csl`: a style file, by its absolute path; None: pandoc's own, Chicago
    author-date.

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
                "text": lambda span: spaced(span.text, _safe(span.text.strip())),
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


_LINE = '<w:{side} w:val="single" w:sz="{size}" w:space="{space}" w:color="{colour}"/>'


def _line(side: str, size: int, colour: str, space: int = 0) -> str:
    return _LINE.format(side=side, size=size, space=space, colour=colour)


def _paragraph(name: str, layout: str, letters: str) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="Normal"/><w:qFormat/><w:pPr>{layout}</w:pPr>'
        f"<w:rPr>{letters}</w:rPr></w:style>"
    )


_STYLES = {
    "Answer": _paragraph(
        "Answer",
        f"<w:keepLines/><w:pBdr>{_line('left', 24, '1F5673', 10)}</w:pBdr>"
        '<w:shd w:val="clear" w:color="auto" w:fill="F6F4EC"/>'
        '<w:spacing w:before="160" w:after="160" w:line="290" w:lineRule="auto"/>'
        '<w:ind w:left="220"/><w:contextualSpacing/>',
        '<w:sz w:val="22"/>',
    ),
    "Status": _paragraph(
        "Status",
        '<w:spacing w:before="0" w:after="60"/>',
        '<w:color w:val="5D5B54"/><w:sz w:val="18"/>',
    ),
    "Contents": _paragraph(
        "Contents",
        '<w:spacing w:before="160" w:after="160"/><w:contextualSpacing/>',
        '<w:sz w:val="20"/>',
    ),
    "Compact": _paragraph(
        "Compact", '<w:spacing w:before="50" w:after="50"/>', '<w:sz w:val="18"/>'
    ),
    "Title": _paragraph(
        "Title", '<w:keepNext/><w:spacing w:before="0" w:after="160"/>', '<w:b/><w:sz w:val="40"/>'
    ),
    "Table": (
        '<w:style w:type="table" w:default="1" w:styleId="Table"><w:name w:val="Table"/>'
        '<w:basedOn w:val="TableNormal"/><w:qFormat/><w:tblPr><w:tblBorders>'
        f"{_line('bottom', 8, '1C1C1A')}{_line('insideH', 4, 'D9D5C7')}</w:tblBorders>"
        '<w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="120" w:type="dxa"/>'
        '</w:tblCellMar></w:tblPr><w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr><w:tcPr>'
        f"<w:tcBorders>{_line('bottom', 8, '1C1C1A')}</w:tcBorders></w:tcPr></w:tblStylePr>"
        "</w:style>"
    ),
}
_BEFORE_HEADING = re.compile(
    r'(w:styleId="Heading2".*?<w:spacing w:after="80" w:before=")\d+', re.DOTALL
)
_WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_FOOTER_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"
_FOOTER = (
    f'<?xml version="1.0" encoding="UTF-8"?><w:ftr xmlns:w="{_WORDS}"><w:p><w:pPr>'
    '<w:jc w:val="center"/></w:pPr><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r>'
    "</w:fldSimple></w:p></w:ftr>"
)
_PAGE = (
    f'<w:sectPr xmlns:r="{_RELATIONS}"><w:footerReference w:type="default" r:id="rIdFooter"/>'
    '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1247" w:right="1247" w:bottom="1247" '
    'w:left="1247" w:header="708" w:footer="567" w:gutter="0"/></w:sectPr>'
)


def styled(document: bytes) -> bytes:
    """Return a document of pandoc's on A4, with numbered pages and styles of our own."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as old, zipfile.ZipFile(made, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename in _CHANGED:
                content = _CHANGED[entry.filename](content.decode("utf-8")).encode("utf-8")
            new.writestr(entry, content, zipfile.ZIP_DEFLATED)
        new.writestr("word/footer1.xml", _FOOTER, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _with_styles(text: str) -> str:
    for name, style in _STYLES.items():
        known = re.compile(rf'<w:style [^>]*w:styleId="{name}"[^>]*>.*?</w:style>', re.DOTALL)
        text = known.sub(style.replace("\\", r"\\"), text, count=1)
    return _BEFORE_HEADING.sub(r"\g<1>360", text, count=1)


def _with_page(text: str) -> str:
    return re.sub(r"<w:sectPr>.*</w:sectPr>", lambda _: _PAGE, text, count=1, flags=re.DOTALL)


def _with_part(text: str) -> str:
    part = f'<Override PartName="/word/footer1.xml" ContentType="{_FOOTER_TYPE}"/>'
    return text.replace("</Types>", f"{part}</Types>")


def _with_relation(text: str) -> str:
    relation = f'<Relationship Id="rIdFooter" Type="{_RELATIONS}/footer" Target="footer1.xml"/>'
    return text.replace("</Relationships>", f"{relation}</Relationships>")


_CHANGED = {
    "word/styles.xml": _with_styles,
    "word/document.xml": _with_page,
    "[Content_Types].xml": _with_part,
    "word/_rels/document.xml.rels": _with_relation,
}
