"""Tables give their records, whatever their columns are called."""

import pytest

from paper_search.errors import InputError
from paper_search.library.importers import Imported, Rejected, parse_file, tables
from paper_search.models import RawPaper


def rows(text: str) -> tuple[list[RawPaper], list[Rejected]]:
    entries = list(tables.parse_csv(text.splitlines(keepends=True)))
    return (
        [entry.record for entry in entries if isinstance(entry, Imported)],
        [entry for entry in entries if isinstance(entry, Rejected)],
    )


@pytest.mark.parametrize(
    "header",
    [
        "Article Title,Author Full Names,Publication Year,Source Title,DOI,Abstract",
        "title;authors;year;journal;doi;abstract",
        "Title\tAuthors\tPY\tPublication Title\tDOI\tAbstract Note",
    ],
)
def test_columns_and_delimiters_are_guessed(header):
    delimiter = next(mark for mark in ",;\t" if mark in header)
    row = ["Title", '"Doe, Jane; Roe, Max"', "2020", "Journal", "10.1000/x", '"One, two"']
    (record,), rejected = rows(f"{header}\n{delimiter.join(row)}\n")
    assert rejected == []
    assert [author.name for author in record.authors] == ["Doe, Jane", "Roe, Max"]
    assert (record.title, record.year, record.venue) == ("Title", 2020, "Journal")
    assert (record.doi, record.abstract) == ("10.1000/x", "One, two")


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Doe, Jane", ["Doe, Jane"]),
        ("Jane Doe, Max Roe, Ann Poe", ["Jane Doe", "Max Roe", "Ann Poe"]),
        ("Liu R., Adler D.G.", ["Liu R.", "Adler D.G."]),
        ("Doe, J., Roe, M.", ["Doe, J.", "Roe, M."]),
        ("['Jane Doe', 'Max Roe']", ["Jane Doe", "Max Roe"]),
        ("Jane Doe and Max Roe", ["Jane Doe", "Max Roe"]),
        ("V Doe, J van der Roe", ["V Doe", "J van der Roe"]),
        ("Doe M.A., de la Roe J., Jr.", ["Doe M.A.", "de la Roe J. Jr."]),
        ("Doe, Jane (57190000001); Roe, Max (7004000002)", ["Doe, Jane", "Roe, Max"]),
        ("Jane Doe|Max Roe", ["Jane Doe", "Max Roe"]),
        ("[No author name available]", []),
    ],
)
def test_names_are_told_apart(written, names):
    (record,), _ = rows(f'title,authors\nTitle,"{written}"\n')
    assert [author.name for author in record.authors] == names


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ("Author Keywords", "graphs; trees"),
        ("keywords", "graphs, trees"),
        ("Automatic Tags", "graphs; trees"),
        ("keywords", "['graphs', 'trees']"),
    ],
)
def test_keywords_are_told_apart(header, written):
    (record,), _ = rows(f'title,{header}\nTitle,"{written}"\n')
    assert record.keywords == ["graphs", "trees"]


def test_pages_may_stand_in_two_columns_and_a_venue_in_one_that_is_called_source():
    (both, first), _ = rows("title,Start Page,End Page,source\nA,7,9,Lancet\nB,7,,\n")
    assert (both.pages, both.venue, first.pages) == ("7-9", "Lancet", "7")


@pytest.mark.parametrize(
    ("columns", "cells", "field", "value"),
    [
        ("Page start,Page end", "15,27", "pages", "15-27"),  # Scopus
        ("First Page,Last Page,Article Number", "7,7,", "pages", "7"),  # Embase
        ("Issue,Art. No.", ",110850", "pages", "110850"),
        ("Issue,Art. No.", ",110850", "issue", None),
        ("pages,startPage", "200-210,200", "pages", "200-210"),  # ProQuest
        ("Pages", "75 - 86", "pages", "75-86"),
        ("Author Keywords,Index Keywords", "a1; b1,B1; c1", "keywords", ["a1", "b1", "c1"]),
        ("Emtree Medical Index Terms", '"adult, human"', "keywords", ["adult", "human"]),  # Embase
        ("keywords", '"cell imaging,deep learning"', "keywords", ["cell imaging", "deep learning"]),
        ("keywords", '"N,N-dimethylaniline"', "keywords", ["N,N-dimethylaniline"]),
        ("Document Type", "Article", "publication_type", "article-journal"),  # Scopus
        ("Item Type", "bookSection", "publication_type", "chapter"),  # Zotero
        (
            "Publication Type,Document Type",
            "B,Article; Book Chapter",
            "publication_type",
            "chapter",
        ),
        ("Publication Type", "dissertation", "publication_type", "thesis"),  # Lens
        ("Publication Type", "J", "publication_type", None),
        ("Abstract", "[No abstract available]", "abstract", None),
        ("ISSN,eISSN", ",2072-4292", "issn", "2072-4292"),  # Web of Science
        ("Publication Date", "20091101", "year", 2009),  # EBSCO
        ("cited", "20191301234", "year", None),
        ("Document Type", "Retracted", "is_retracted", True),  # Scopus
        ("Document Type", "Article; Retracted Publication", "is_retracted", True),
        ("Document Type", "Article", "is_retracted", None),
        ("Volume,StartPage,EndPage", "0,0,0", "volume", None),  # Publish or Perish
        ("Volume,StartPage,EndPage", "0,0,0", "pages", None),
        ("Pagination", "95-110", "pages", "95-110"),  # Dimensions
        ("Citing Works Count", "45", "known_citation_count", 45),  # Lens
    ],
)
def test_a_field_is_read_from_the_columns_of_databases(columns, cells, field, value):
    (record,), _ = rows(f"title,{columns}\nA,{cells}\n")
    assert getattr(record, field) == value


def test_a_row_is_named_by_the_line_that_it_begins_on():
    records, rejected = rows('title,abstract\nOne,"a\nb"\n,"no\ntitle"\n\nTwo,c\n')
    assert [record.title for record in records] == ["One", "Two"]
    assert records[0].abstract == "a b"
    assert [rejection.line for rejection in rejected] == [4]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('One,"first,2001', 'Screens of 15", too,2002'),  # closed in its own cell, by an inch
        ('One,"first,2001', 'Two,screens of 15",2002'),
        ('"One,first,2001', 'Two",second,2002'),
    ],
)
def test_a_quote_that_only_another_row_closes_costs_one_row(first, second):
    records, rejected = rows(f"title,abstract,year\n{first}\n{second}\nThree,third,2003\n")
    assert [(row.year, row.title[:3]) for row in records] == [(2002, second[:3]), (2003, "Thr")]
    assert rejected == [Rejected(2, "a quote in this row is not closed")]


def test_a_quote_that_none_opened_is_told():
    (record,), rejected = rows('title,authors,year\nOne,Doe, J.",2001\nTwo,"Doe, J.",2002\n')
    assert record.title == "Two"
    assert rejected == [Rejected(2, "a quote in this row is not opened")]


def test_lines_of_a_text_are_no_rows_although_they_have_as_many_commas():
    records, rejected = rows('title,abstract,year\nOne,"a, b\nc, d, in 1999",2001\n')
    assert ([record.year for record in records], rejected) == ([2001], [])


def test_a_table_with_a_field_in_each_row_is_refused():
    fields = '"TITLE","One"\n"AUTHOR NAMES","Doe J."\n"PUBLICATION YEAR","2012"\n'
    records, rejected = rows(f"{fields}\n{fields}")
    assert records == []
    assert rejected == [
        Rejected(1, "each row has one field: export a table with a column for each field")
    ]


@pytest.mark.parametrize("name", ["Published Year", "Date Published"])
def test_a_year_is_read_by_the_names_of_covidence_and_lens(name):
    (record,), _ = rows(f"Title,{name}\nOne,2017\n")
    assert record.year == 2017


def test_a_line_break_as_workbooks_escape_it_is_no_text():
    (record,), _ = rows("Title\nHeadache_x000D_ at work\n")
    assert record.title == "Headache at work"


@pytest.mark.parametrize(
    ("text", "columns"), [("name,score\na,1\n", "'name', 'score'"), ("", "unnamed")]
)
def test_a_table_without_titles_says_which_columns_it_has(text, columns):
    assert rows(text) == ([], [Rejected(1, f"no title column; the columns are {columns}")])


def test_a_zip_that_is_no_workbook_is_named(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as file:
        file.writestr("readme.txt", "nothing")
    with pytest.raises(InputError, match="a zip archive, not a workbook"):
        list(parse_file(tmp_path / "a.xlsx"))
