"""Damaged and unusual exports: what begins in a file is read, or named as rejected."""

from __future__ import annotations

import pytest
from tests.review.malformed import FILES, Malformed, bomb, ris

from paper_search.errors import InputError
from paper_search.review.files import parse_files


@pytest.mark.parametrize("file", FILES, ids=[f"{n}-{file.name}" for n, file in enumerate(FILES)])
def test_every_record_that_begins_in_a_file_is_read_or_named(file: Malformed) -> None:
    (report,) = parse_files([(file.name, file.content)])
    assert len(report.records) == file.read, report.remarks
    assert len(report.records) + len(report.rejected) >= file.begun
    assert len(report.remarks) == len(report.rejected)
    assert set(file.titles) <= {record.title for record in report.records}


def test_there_are_sixty_kinds() -> None:
    assert len(FILES) >= 60


def test_a_workbook_that_is_large_unpacked_is_refused() -> None:
    content = bomb(250)
    assert len(content) < 1_000_000
    with pytest.raises(InputError, match="bytes unpacked, more than 200,000,000; save it as CSV"):
        parse_files([("bomb.xlsx", content)])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ris().replace("im", "i\0m").encode(), "is a binary file"),
        (ris().replace("TY  -", "ty  -").encode(), "has no record that can be used"),
        (b"%PDF-1.4\n1 0 obj\n", "has no record that can be used"),
        (b"<!doctype html><title>Sign in</title>", "has no record that can be used"),
        (b"  \n", "is empty"),
    ],
)
def test_a_file_without_records_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse_files([("export.ris", content)])
