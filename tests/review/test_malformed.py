"""Damaged and unusual exports: what begins in a file is read, or named as rejected."""

import gzip
import tracemalloc

import pytest
from tests.review.malformed import FILES, bomb, ris

from paper_search.errors import InputError
from paper_search.library.importers import parse_file
from paper_search.review.files import parse_files


@pytest.mark.parametrize("file", FILES, ids=[f"{n}-{file.name}" for n, file in enumerate(FILES)])
def test_every_record_that_begins_in_a_file_is_read_or_named(file):
    (report,) = parse_files([(file.name, file.content)])
    assert len(report.records) == file.read, report.remarks
    assert len(report.records) + len(report.rejected) >= file.begun
    assert len(report.remarks) == len(report.rejected)
    assert set(file.titles) <= {record.title for record in report.records}
    assert not file.titles or {record.year for record in report.records} == {2020}


def test_there_are_sixty_kinds():
    assert len(FILES) >= 60


def test_a_value_may_have_many_lines():
    """What takes for each line as long as for all before it never gets to the end."""
    lines = "and so on, line by line\n" * 200_000
    content = f"TY  - JOUR\nTI  - Bees\nAB  - {lines}ER  - \n"
    (report,) = parse_files([("long.ris", content.encode())])
    assert [len(record.abstract or "") for record in report.records] == [200_000 * 24 - 1]


def test_a_file_that_is_one_long_line_is_refused(tmp_path):
    file = tmp_path / "long.ris"
    file.write_bytes(b"TY  - JOUR\nTI  - " + b"x" * 150_000_000)
    with pytest.raises(InputError, match="a line has more than 100,000,000 bytes"):
        list(parse_file(file))


def test_gzip_that_unpacks_to_far_more_is_refused_before_a_record_is_made(tmp_path):
    content = gzip.compress(b"TY  - JOUR\nTI  - a\nER  - \n" * 50_000)
    tracemalloc.start()
    with pytest.raises(InputError, match="unpacks to more than 1,"):
        parse_files([("bomb.ris.gz", content)])
    (tmp_path / "bomb.ris.gz").write_bytes(content)
    with pytest.raises(InputError, match="unpacks to more than 1,"):
        parse_file(tmp_path / "bomb.ris.gz")
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_a_workbook_that_is_large_unpacked_is_refused():
    content = bomb(250)
    assert len(content) < 1_000_000
    with pytest.raises(InputError, match="bytes unpacked, more than 200,000,000; save it as CSV"):
        parse_files([("bomb.xlsx", content)])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ris().replace("im", "i\0m").encode(), "is a binary file"),
        (ris().lower().encode(), "has no record that can be used"),
        (b"%PDF-1.4\n1 0 obj\n", "has no record that can be used"),
        (b"<!doctype html><title>Sign in, please</title>", "is a web page, not RIS"),
        (b"  \n", "is empty"),
    ],
)
def test_a_file_without_records_is_refused_with_the_reason(content, reason):
    with pytest.raises(InputError, match=reason):
        parse_files([("export.ris", content)])
