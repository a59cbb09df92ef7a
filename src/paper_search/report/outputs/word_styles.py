"""How a Word document looks: pandoc writes it with styles that are plain or empty."""

from __future__ import annotations

import io
import re
import zipfile

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
        "Title",
        '<w:keepNext/><w:spacing w:before="0" w:after="160"/>',
        '<w:b/><w:sz w:val="40"/>',
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
