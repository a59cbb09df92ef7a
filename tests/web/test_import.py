"""Files of records on the page: read as at the terminal, and counted file by file."""

from __future__ import annotations

import base64
import json

import pytest
from tests.library.importers.test_reports import BROKEN, RECORD, workbook


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.fixture
def page(visitors):
    visitor = visitors()
    visitor.open("")
    return visitor


def test_files_of_any_accepted_kind_are_read_and_what_is_rejected_is_told(page):
    latin = (RECORD.format("Größe der Bienen", "") + 2 * BROKEN).encode("latin-1")
    files = {"a.ris": latin, "b.xlsx": workbook("Wasps", "Ants")}
    code = page.send(
        "/import",
        question="insects",
        database="Embase (Ovid)",
        name=list(files),
        content=[encoded(content) for content in files.values()],
    )
    assert code == 200, page.text
    answer = json.loads(page.text)
    assert answer["files"] == [
        "a.ris: 1 read, 1 of Embase (Ovid), 2 rejected",
        "b.xlsx: 2 read, 2 of Embase (Ovid)",
    ]
    place = answer["to"].removeprefix("/review")
    page.arrive(place)
    assert "Größe der Bienen" in page.text
    page.open(f"{place}/log")
    assert "a.ris, line 5: left out: the title is missing" in page.text
    assert "a.ris, line 9: left out: the title is missing" in page.text


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"a.doc": b"\0\1\2"}, "&#39;a.doc&#39; is a binary file; accepted: RIS"),
        ({}, "no file was chosen"),
    ],
    ids=["binary", "none"],
)
def test_what_cannot_be_read_is_named_as_the_person_named_it(page, files, reason):
    contents = [encoded(content) for content in files.values()]
    assert page.send("/import", question="x", name=list(files), content=contents) == 422
    assert reason in page.text
    assert "tmp" not in page.text


def test_content_that_is_cut_off_is_refused(page):
    assert page.send("/import", question="x", name="a.ris", content="VFkg*") == 422
    assert "did not arrive whole" in page.text
