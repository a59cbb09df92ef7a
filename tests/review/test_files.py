"""Files of records as they came: bytes in, one report out, for terminal, page and Python."""

import gzip
import io
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from openpyxl import Workbook

from paper_search.errors import InputError
from paper_search.review.files import DatabaseSearch, FileReport, parse_files

RECORD = "TY  - JOUR\nTI  - {}\n{}ER  -\n\n"
BROKEN = "TY  - JOUR\nAU  - Li, Ada\nER  -\n\n"


def ris(*titles: str, database: str = "") -> bytes:
    line = f"DB  - {database}\n" if database else ""
    return "".join(RECORD.format(title, line) for title in titles).encode()


def workbook(*titles: str) -> bytes:
    book, file = Workbook(), io.BytesIO()
    for row in (["Title"], *([title] for title in titles)):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def ids(files: list[FileReport]) -> list[str]:
    return [record.id for file in files for record in file.records]


def test_every_record_has_an_id_of_its_own_that_names_its_file_and_its_place_there():
    content = ris("One", "One") + BROKEN.encode() + ris("Two")
    (file,) = parse_files([("exports/embase.ris", content)])
    assert ids([file]) == ["embase.ris#1", "embase.ris#2", "embase.ris#4"]
    assert [(entry.line, entry.reason) for entry in file.rejected] == [(9, "the title is missing")]
    assert file.remarks == ["embase.ris, line 9: left out: the title is missing"]
    assert [row.record for row in file.arrivals] == [*ids([file]), None]


def test_what_is_rejected_is_counted_by_a_kind_and_listed_with_its_details():
    bib = b"@article{a, author={Doe}}\n@article{b, title={One} year={2020}}\n@misc{c, title={Two}}"
    files = parse_files([("a.ris", ris("One") + BROKEN.encode()), ("b.bib", bib)])
    kinds = [row.removed for file in files for row in file.arrivals if row.removed]
    assert sorted(kinds) == ["no readable record", "no title", "no title"]
    [_, said, fault] = [line for file in files for line in file.remarks]
    assert said == "b.bib, line 1: left out: a: the title is missing"
    assert "b: a comma is missing" in fault
    assert [row.removals for file in files for row in file.entries] == [
        "1 without a title or unreadable",
        "2 without a title or unreadable",
    ]


def test_ids_do_not_depend_on_the_order_of_the_files():
    files = [("a.ris", ris("One")), ("x/b.ris", ris("Two")), ("y/b.ris", ris("Three"))]
    titles = {
        record.id: record.title for file in parse_files(files[::-1]) for record in file.records
    }
    assert titles == {
        record.id: record.title for file in parse_files(files) for record in file.records
    }
    assert sorted(titles.values()) == ["One", "Three", "Two"]


@pytest.mark.parametrize(
    ("databases", "sources"),
    [
        ((), ["Embase", "plain.ris"]),
        (["Embase (Ovid)", "Scopus"], ["Embase (Ovid)", "Scopus"]),
        (["CINAHL"], ["CINAHL", "CINAHL"]),
    ],
)
def test_a_file_says_which_database_it_is_from(databases, sources):
    files = [("own.ris", ris("One", database="Embase")), ("plain.ris", ris("Two"))]
    read = parse_files(files, databases)
    assert [record.source for file in read for record in file.records] == sources
    assert [entry.source for file in read for entry in file.entries] == sources


@pytest.mark.parametrize(
    ("name", "content", "source"),
    [
        ("a.nbib", b"PMID- 1\nTI  - One\n", "PubMed"),
        ("a.ciw", b"PT J\nTI One\nER\n", "Web of Science"),
        ("a.txt", b"RT Journal Article\nT1 One\nDS CINAHL\n", "CINAHL"),
        ("a.csv", b"Title,Source title,Source\nOne,Nature,Scopus\n", "Scopus"),
        ("b.csv", b"Title,Source\nOne,Nature\n", "b.csv"),
    ],
)
def test_the_format_or_a_field_tells_the_database(name, content, source):
    (file,) = parse_files([(name, content)])
    assert file.databases == {source: 1}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ris", RECORD.format("Größe", "").encode("latin-1")),
        ("a.ris.gz", gzip.compress(RECORD.format("Größe", "").encode())),
        ("a.xlsx", workbook("Größe")),
        ("a.xlsx.gz", gzip.compress(workbook("Größe"))),
    ],
    ids=["Latin-1", "gzip", "workbook", "workbook in gzip"],
)
def test_bytes_of_any_accepted_kind_are_read(name, content):
    (file,) = parse_files([(name, content)])
    assert [record.title for record in file.records] == ["Größe"]


def test_what_a_damaged_file_holds_before_the_damage_is_read_and_the_damage_said():
    whole = gzip.compress(ris(*(f"Paper {n} {n * 7919 % 1000}" for n in range(5000))))
    (file,) = parse_files([("a.ris.gz", whole[: len(whole) // 2])])
    assert file.records
    assert "'a.ris.gz' is damaged" in file.problem
    assert file.remarks[-1] == file.problem


@pytest.mark.parametrize(
    ("files", "databases", "reason"),
    [
        ([("a.ris", BROKEN.encode())], (), r"'a.ris' has no record.*the title is missing"),
        ([("a.ris", b"")], (), "'a.ris' is empty"),
        ([("a.doc", b"\xd0\xcf\x11\xe0" + b"\0" * 99)], (), "'a.doc' is a binary file"),
        ([("a.ris", ris("One")), ("x/a.ris", ris("One"))], (), "'a.ris' is given twice"),
        ([("a.ris", ris("One"))], ["Embase", "Scopus"], "one database for all files"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_file(files, databases, reason):
    with pytest.raises(InputError, match=reason):
        parse_files(files, databases)


def test_the_summary_counts_what_was_read_and_what_was_not():
    (file,) = parse_files([("a.ris", ris("One", "Two", database="Embase") + BROKEN.encode())])
    assert file.summary == "a.ris: 2 read, 2 of Embase, 1 rejected"
    (entry,) = file.entries
    assert (entry.query, entry.hits, entry.kept, entry.dropped) == ("a.ris", 3, 2, 1)


@pytest.mark.parametrize(("days", "is_past"), [(0, True), (1, True), (2, False)])
def test_a_database_was_searched_today_or_where_it_is_tomorrow_already(days, is_past):
    day = str(datetime.now(UTC).date() + timedelta(days=days))
    with nullcontext() if is_past else pytest.raises(InputError, match="is in the future"):
        assert DatabaseSearch(searched=day).searched == day
