"""Of damaged and odd files, every record is imported, or rejected by a line that names it."""

import itertools
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import Workbook

from paper_search.errors import InputError
from paper_search.library.importers import Imported, Rejected, parse_file

RIS = "TY  - JOUR\nTI  - One\nER  - \nTY  - JOUR\nTI  - Two\nER  - \n"
ENDNOTE = "<record><titles><title>{}</title></titles></record>"
PUBMED = (
    "<PubmedArticle><MedlineCitation><PMID>{0}</PMID><Article><ArticleTitle>{0}</ArticleTitle>"
    "</Article></MedlineCitation></PubmedArticle>"
)
TWO = "{}".join((ENDNOTE.format("One"), ENDNOTE.format("Three"))).format(PUBMED.format("Two"))


def workbook(*sheets: Sequence[Sequence[str]]) -> bytes:
    book, file = Workbook(), BytesIO()
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"s{number}")
        for row in rows:
            sheet.append(list(row))
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "titles", "rejected"),
    [
        ("utf-32.ris", RIS.encode("utf-32"), ["One", "Two"], []),
        ("utf-32-be.csv", "\ufeffTitle,Year\nOne,2001\n".encode("utf-32-be"), ["One"], []),
        ("unseen.ris", "\u200b" + RIS.replace("\nTY", "\n\u200bTY"), ["One", "Two"], []),
        ("parted by a blank line.ris", "TY  - JOUR\nTI  - One\n\nTI  - Two\n", ["One", "Two"], []),
        (
            "begun by authors.ris",
            "TY  - JOUR\nAU  - A, B\nTI  - One\n\nAU  - C, D\nTI  - Two\n\nAU  - E\nTI  - Three\n",
            ["One", "Two", "Three"],
            [],
        ),
        ("two lines of title.ris", "TY  - JOUR\nTI  - One\nTI  - two\nER  -\n", ["One two"], []),
        ("blank lines.ris", "TY  - JOUR\n\nT1  - One\n\nAU  - A, B\n\nER  -\n", ["One"], []),
        ("other columns.csv", "Title,Authors\nOne,A\nYear,Title\n2001,Two\n", ["One", "Two"], []),
        ("a title as a column.csv", "Title,Authors\nTitle,Ann Lee\n", ["Title"], []),
        (
            "another table.xlsx",
            workbook(
                [["Title", "Year"], ["One", "2001"]],
                [["Name", "Year"], ["Two", "2002"]],
                [["Notes"], ["of mine"]],
            ),
            ["One"],
            ["sheet 's1' has no title column: 2 rows"],
        ),
        (
            "namespace.xml",
            f'<PubmedArticleSet xmlns="http://example.org">{PUBMED.format(1)}</PubmedArticleSet>',
            ["1"],
            [],
        ),
        ("mixed.xml", f"<xml><records>{TWO}</records></xml>", ["One", "Two", "Three"], []),
        (
            "mixed too.xml",
            f"<PubmedArticleSet>{PUBMED.format(1)}{TWO}</PubmedArticleSet>",
            ["1", "One", "Two", "Three"],
            [],
        ),
        *(
            (f"{place}.bib", f"@book{{a, {text}}}\n@book{{b, title={{Two}}}}\n", ["Two"], [reason])
            for reason in ("a: a comma is missing between two fields",)
            for place, text in enumerate(
                ("title={One} year={2001}", 'title="One" year=2001', "year=2001 title={One}")
            )
        ),
        (
            "brackets.bib",
            "@book[a, title={One}]\n@book{b, title={Two}}\n",
            ["Two"],
            ["a record begins here, but cannot be separated from others"],
        ),
        ("braces.bib", "@book{a, title={A {x} y = {z} \\} b = 1}}\n", ["A x y = z } b = 1"], []),
    ],
)
def test_no_record_of_an_odd_file_is_lost_or_invented(name, content, titles, rejected):
    data = content if isinstance(content, bytes) else content.encode()
    entries = list(parse_file(Path(name), data=data))
    assert [entry.record.title for entry in entries if isinstance(entry, Imported)] == titles
    assert [entry.reason for entry in entries if isinstance(entry, Rejected)] == rejected


SHEET = "xl/worksheets/sheet2.xml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<worksheet", '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet'),
        ('r="A2"', 'r="ZZZZZZZ2"'),
    ],
)
def test_a_workbook_with_entities_or_impossible_cells_is_refused(tmp_path, before, after):
    content = workbook([["Title"], ["One"]])
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(BytesIO(content)) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            part = old.read(name).decode()
            new.writestr(name, part.replace(before, after, 1) if name == SHEET else part)
    with pytest.raises(InputError, match=r"a\.xlsx': the workbook cannot be read"):
        list(parse_file(path))


def test_definitions_that_multiply_a_text_are_refused():
    names = "abcdefgh"
    text = '@string{a = "0123456789"}\n' + "".join(
        f"@string{{{name} = {' # '.join(before * 10)}}}\n"
        for before, name in itertools.pairwise(names)
    )
    with pytest.raises(InputError, match="definitions expand to more than 2,000 letters"):
        list(parse_file("bomb.bib", data=f"{text}@article{{x, title = h}}".encode()))
