"""Sixty kinds of damaged or unusual exports: what goes in, and how many records come out."""

import gzip
import io
import json
import zipfile
from dataclasses import dataclass

from openpyxl import Workbook

TITLES = ["Größe der Bienen", "Ameisen im Frühling", "Wespen am Morgen", "Käfer bergauf"]
CHINESE = ["蜜蜂在春天跳舞", "蚂蚁沿着山路向上行走", "黄蜂在黎明歌唱", "甲虫整夜穿过树林"]


@dataclass(frozen=True)
class Malformed:
    """A file, the records that begin in it, and those that can be read."""

    name: str
    content: bytes
    begun: int
    read: int
    titles: tuple[str, ...] = ()
    """That have to be among those read, letter by letter."""


def ris(titles: list[str] = TITLES, end: str = "\n", last: str = "ER  - ") -> str:
    return "".join(f"TY  - JOUR{end}TI  - {t}{end}PY  - 2020{end}{last}{end}{end}" for t in titles)


def bib(titles: list[str] = TITLES) -> str:
    return "".join(
        f"@article{{k{n},\n  title = {{{t}}},\n  year = {{2020}}\n}}\n\n"
        for n, t in enumerate(titles)
    )


def nbib(titles: list[str] = TITLES, end: str = "\n") -> str:
    return "".join(
        f"PMID- {n}{end}TI  - {t}{end}DP  - 2020{end}{end}" for n, t in enumerate(titles, 1)
    )


def isi(titles: list[str] = TITLES) -> str:
    rows = "".join(f"PT J\nTI {t}\nPY 2020\nER\n\n" for t in titles)
    return f"FN Clarivate\nVR 1.0\n{rows}EF\n"


def enw(titles: list[str] = TITLES) -> str:
    return "".join(f"%0 Journal Article\n%T {t}\n%D 2020\n\n" for t in titles)


def xml(titles: list[str] = TITLES) -> str:
    rows = "".join(
        f"<record><titles><title>{t}</title></titles><dates><year>2020</year></dates></record>\n"
        for t in titles
    )
    return f"<?xml version='1.0'?>\n<xml><records>{rows}</records></xml>"


def objects(titles: list[str] = TITLES, indent: int | None = None) -> str:
    rows = [json.dumps({"title": t, "year": 2020}, indent=indent) for t in titles]
    return "\n".join(rows)


def refworks(titles: list[str] = TITLES) -> str:
    """Return references of which the first alone says its type."""
    rows = "\n".join(f"SR Electronic(1)\nID {n}\nT1 {t}\nYR 2020\n" for n, t in enumerate(titles))
    return f"RT Journal Article\n{rows}"


def table(titles: list[str] = TITLES, mark: str = ",") -> str:
    return f"Title{mark}Year\n" + "".join(f'"{t}"{mark}2020\n' for t in titles)


def workbook(*sheets: list[list[str | int]]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet() if number else book.active
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file.getvalue()


def _mixed(text: str) -> str:
    """Return the text with the line ends of three systems in turn."""
    ends = ("\n", "\r\n", "\r")
    return "".join(line + ends[n % 3] for n, line in enumerate(text.split("\n")))


def _encoded() -> list[Malformed]:
    all_ = tuple(TITLES)
    western = {
        f"{name} in {encoding}": Malformed(f"{name}.{suffix}", text.encode(encoding), 4, 4, all_)
        for name, suffix, text in (
            ("ris", "ris", ris()),
            ("bib", "bib", bib()),
            ("nbib", "nbib", nbib()),
            ("csv", "csv", table()),
            ("isi", "ciw", isi()),
        )
        for encoding in ("latin-1", "cp1252", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
    }
    chinese = {
        f"chinese {name} in {encoding}": Malformed(
            f"cn.{name}", text.encode(encoding), 4, 4, tuple(CHINESE)
        )
        for name, text in (("ris", ris(CHINESE)), ("enw", enw(CHINESE)), ("csv", table(CHINESE)))
        for encoding in ("gb18030", "utf-16")
    }
    return [*western.values(), *chinese.values()]


def _tagged() -> list[Malformed]:
    whole, tail = ris(), "TY  - JOUR\nTI  - Cut o"
    return [
        Malformed("cr.ris", ris(end="\r").encode(), 4, 4),
        Malformed("crlf.ris", ris(end="\r\n").encode(), 4, 4),
        Malformed("crcrlf.ris", ris(end="\r\r\n").encode(), 4, 4),
        Malformed("mixed.ris", _mixed(whole).encode(), 4, 4),
        Malformed("mixed.nbib", _mixed(nbib()).encode(), 4, 4),
        Malformed("two.ris", (ris(TITLES[:2]) + ris(TITLES[2:], end="\r\n")).encode(), 4, 4),
        Malformed("endless.ris", ris(last="").encode(), 4, 4),
        Malformed("cut.ris", (whole + tail).encode(), 5, 5),
        Malformed("no-title.ris", (whole + "TY  - JOUR\nPY  - 2020\nER  - \n").encode(), 5, 4),
        Malformed("blanks.ris", whole.replace("\n", "\n\n").encode(), 4, 4),
        Malformed("indented.ris", whole.replace("TY", "  TY").encode(), 4, 4),
        Malformed("one-blank.ris", whole.replace("  - ", " - ").encode(), 4, 4),
        Malformed("junk.ris", f"Exported from X\n***\n{whole}\n-- end --\n".encode(), 4, 4),
        Malformed("half.ris", whole.encode()[:-30], 4, 4),
        Malformed("bad-byte.ris", whole.encode() + b"\xff\xfe\n", 4, 4),
        Malformed("ris.txt.gz", gzip.compress(whole.encode()), 4, 4),
        Malformed("cut.nbib", (nbib() + "PMID- 9\nTI  - Half a ti").encode(), 5, 5),
        Malformed("cut.ciw", isi().replace("ER\n\nEF", "").encode(), 4, 4),
    ]


def _braces_and_quotes() -> list[Malformed]:
    open_brace = "@article{x,\n  title = {Never closed,\n  year = 2020\n\n"
    broken = '"Never closed,2020\n'
    return [
        Malformed("open.bib", (bib(TITLES[:2]) + open_brace + bib(TITLES[2:])).encode(), 5, 4),
        Malformed("last-open.bib", (bib() + open_brace).encode(), 5, 4),
        Malformed("comment.bib", f"@comment{{x}}\n% note @article{{\n{bib()}".encode(), 4, 4),
        Malformed("string.bib", f'@string{{a = "Bees"}}\n{bib()}'.encode(), 4, 4),
        Malformed(
            "quote.csv", (table(TITLES[:2]) + broken + table(TITLES[2:])[11:]).encode(), 5, 4
        ),
        Malformed("last-quote.csv", (table() + broken).encode(), 5, 4),
        Malformed("semicolon.csv", table(mark=";").encode(), 4, 4),
        Malformed("tab.csv", table(mark="\t").encode(), 4, 4),
        Malformed("short-row.csv", (table() + "Bees\n").encode(), 5, 5),
        Malformed("long-row.csv", (table() + "Bees,2020,1,2,3\n").encode(), 5, 5),
        Malformed("empty-rows.csv", table().replace("\n", "\n,\n").encode(), 4, 4),
        Malformed("lines.csv", table(["A title\nof two lines", *TITLES]).encode(), 5, 5),
        Malformed("titleless.csv", (table() + ",2020\n").encode(), 5, 4),
        Malformed("dimension.xlsx", small_dimension(), 4, 4, tuple(TITLES)),
        Malformed("sheet.xlsx", workbook([["Title"], *[[t] for t in TITLES], [""]]), 4, 4),
        Malformed("cut.jsonl", b'{"title": "Bees"}\n{"title": "Ants"}\n{"title": "Was', 3, 2),
        Malformed("array.json", json.dumps([{"title": t} for t in TITLES]).encode(), 4, 4),
    ]


def _misnamed_and_joined() -> list[Malformed]:
    all_, half = tuple(TITLES), len(TITLES) // 2
    files = {
        "ris.nbib": ris(),
        "ris.enw": ris(),
        "ris.csv": ris(),
        "bib.ris": bib(),
        "csv.xlsx": table(),
        "array.jsonl": f"[{objects().replace('}', '},')}]",
        "commas.jsonl": objects().replace("}", "},"),
        "indented.jsonl": objects(indent=1),
        "lists.json": "\n".join(
            f"[{objects(titles).replace('}', '},')}]" for titles in (TITLES[:half], TITLES[half:])
        ),
        "savedrecs.txt": table(mark="\t").replace("Title\tYear", "TI\tPY"),
        "marks.ris": f"\ufeff{ris(TITLES[:half])}\ufeff{ris(TITLES[half:])}",
        "headers.csv": table(TITLES[:half]) + table(TITLES[half:]),
        "above.csv": "sep=;\nMade today\n" + table(mark=";"),
        "first-untyped.ris": ris().replace("TY  - JOUR\n", "", 1),
        "untyped.ris": ris().replace("TY  - JOUR\nTI  - A", "TI  - A"),
        "untyped.ciw": isi().replace("PT J\nTI A", "TI A"),
        "tabs.enw": enw().replace("%0 ", "%0\t").replace("%T ", "%T\t"),
        "brace-below.bib": bib().replace("{k", "\n{k"),
        "blank.xml": "\n" + xml(),
        "control.xml": xml().replace("Käfer", "Kä\bfer"),
    }
    ampersand, comma = xml(["Bees & wasps"]), table(["Bees, wasps"])
    rows: list[list[str | int]] = [[t, 2020] for t in TITLES]
    names: list[str | int] = ["Title", "Year"]
    return [
        *(Malformed(name, text.encode(), 4, 4, all_) for name, text in files.items()),
        Malformed("sheets.xlsx", workbook([[], names, *rows[:3]], [names, rows[3]]), 4, 4, all_),
        Malformed("ampersand.xml", ampersand.encode(), 1, 1, ("Bees & wasps",)),
        Malformed("blank.csv", comma.replace('"B', ' "B').encode(), 1, 1, ("Bees, wasps",)),
        Malformed(
            "cell.csv", b'Title,Venue,Year\n"Bees,"J",2020\n"Ants","J",2020', 2, 1, ("Ants",)
        ),
        Malformed("lower.ris", (ris() + ris(["Bees"]).lower()).encode(), 5, 4, all_),
        Malformed("lower.nbib", (nbib() + nbib(["Bees"]).lower()).encode(), 5, 4, all_),
        Malformed("comma.bib", bib().replace("Morgen},", "Morgen}").encode(), 4, 3),
        Malformed("brace.bib", bib().replace("Morgen},", "Morgen}},").encode(), 4, 3),
        Malformed("untyped-refworks.txt", refworks().encode(), 4, 4, all_),
        Malformed("deep.jsonl", ('{"a":' * 20_000 + "\n" + objects()).encode(), 5, 4, all_),
    ]


def bomb(megabytes: int) -> bytes:
    """Return a workbook that is small, and whose one sheet is large unpacked."""
    source = io.BytesIO(workbook([["Title"], ["Bees"]]))
    target = io.BytesIO()
    row = b'<row><c t="inlineStr"><is><t>Bees</t></is></c></row>'
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                head, tail = content.split(b"</sheetData>")
                count = megabytes * 1_000_000 // len(row)
                content = head + row * count + b"</sheetData>" + tail
            new.writestr(name, content)
    return target.getvalue()


def small_dimension() -> bytes:
    """Return a workbook whose sheet says that it has one cell."""
    source, target = (
        io.BytesIO(workbook([["Year", "Title"], *[[2020, t] for t in TITLES]])),
        io.BytesIO(),
    )
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'ref="A1:B5"', b'ref="A1"'))
    return target.getvalue()


FILES = [*_encoded(), *_tagged(), *_braces_and_quotes(), *_misnamed_and_joined()]
