"""Files of records on the page: read as at the terminal, and counted file by file."""

import base64
import json

import pytest
from tests.review.test_files import BROKEN, RECORD, workbook
from tests.web.test_sharing import screen


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


def test_authors_of_a_conflict_are_told_apart(page):
    rows = b'title,authors\nBees,"Resch, Klaus; Doe, Ann; Li, Bo; Ek, Cy"\n'
    page.send("/import", question="bees", name=["a.csv"], content=[encoded(rows)])
    place = json.loads(page.text)["to"].removeprefix("/review")
    page.arrive(place)
    screen(page, place, "ada", "relevant")
    screen(page, place, "bo", "irrelevant")
    assert "Klaus Resch, Ann Doe, Bo Li and 1 more" in page.text


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
    assert "did not arrive completely" in page.text


def test_files_join_a_review_on_its_own_page(page):
    def send(**fields: str) -> tuple[int, str]:
        content = encoded(fields.pop("text").encode())
        code = page.send("/import", content=content, **fields)
        return code, json.loads(page.text)["to"].removeprefix("/review") if code == 200 else ""

    first = RECORD.format("Bees in spring", "") + RECORD.format("Ants uphill", "")
    _, place = send(question="insects", database="Embase", name="a.ris", text=first)
    page.arrive(place)
    second = RECORD.format("Ants uphill", "") + RECORD.format("Wasps at dawn", "")
    joining = {"thread": place.rpartition("/")[2], "name": "b.ris", "database": "Scopus"}
    code, again = send(**joining, searched="2025-11-02", strategy="1. wasps.ti.", text=second)
    assert (code, again) == (200, place)
    page.arrive(place)
    page.open(f"{place}/results")
    assert "3 papers" in page.text
    assert "Wasps at dawn" in page.text
    assert send(**joining, text=second)[0] == 422
    assert "already" in page.text
    nothing = {"thread": joining["thread"], "database": "CINAHL"}
    assert page.send("/import", **nothing) == 422
    assert page.send("/import", **nothing, searched="2025-11-02") == 200
    page.arrive(place)
    page.open(f"{place}/log")
    assert "CINAHL: no records" in page.text
    assert send(**{**joining, "thread": "nobody"}, text=second)[0] == 404
