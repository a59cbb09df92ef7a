"""Full texts on the page: which works they are of, what is attached, and what is refused."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.pages.site import locked_pdf, pdf
from tests.web.conftest import Visitor, visiting

PDF = pdf(["Graph networks and what they are good for."], ["The second page."])
INCLUDED = 3


def approve(page: Visitor, place: str, included: int = INCLUDED) -> list[str]:
    """Include the first papers, exclude the next, approve; return the ids of those included."""
    page.open(f"{place}/results")
    papers = re.findall(r'data-paper="([^"]+)"', page.text)
    for number, paper in enumerate(papers[: included + 1]):
        say = "relevant" if number < included else "irrelevant"
        assert page.send(f"{place}/marks", place="list", paper=paper, say=say) == 200
    page.open(f"{place}/results")
    assert page.send(f"{place}/results", action="approve", asked=page.asked()) == 200
    page.arrive(place)
    return papers[:included]


@pytest.fixture(scope="module")
def approved(
    searched: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, list[str]]:
    """A home with a search whose result is approved, its path, and the ids of its works."""
    home, place = searched
    folder = tmp_path_factory.mktemp("approved")
    shutil.copytree(home, folder, symlinks=True, dirs_exist_ok=True)
    with visiting(folder) as visitor:
        papers = approve(visitor(), place)
    return folder, place, papers


@pytest.fixture
def visitors(approved: tuple[Path, str, list[str]], tmp_path: Path) -> Iterator[Callable]:
    """Make visitors to that search."""
    shutil.copytree(approved[0], tmp_path, symlinks=True, dirs_exist_ok=True)
    with visiting(tmp_path) as visitor:
        yield visitor


@pytest.fixture
def place(approved: tuple[Path, str, list[str]]) -> str:
    return approved[1]


@pytest.fixture
def works(approved: tuple[Path, str, list[str]]) -> list[str]:
    return approved[2]


@pytest.fixture
def page(visitors: Callable, place: str) -> Visitor:
    visitor = visitors()
    assert visitor.open(f"{place}/full-texts") == 200
    return visitor


def file_of(place: str, paper: str, name: str = "own.pdf") -> str:
    return f"{place}/full-texts/file?{urlencode({'paper': paper, 'name': name})}"


def statuses(page: Visitor, place: str) -> dict[str, str]:
    """Return the status of each work that is listed, by its id."""
    assert page.open(f"{place}/full-texts") == 200
    items = page.text.split('data-paper="')[1:]
    return {item.split('"')[0]: re.split("pill [^>]+>", item)[1].split("<")[0] for item in items}


def boxes(page: Visitor, place: str) -> dict[str, str]:
    page.open(f"{place}/full-texts")
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]*)</dd>", page.text))


def test_included_works_are_listed_and_a_file_is_attached_to_one(page, place, works) -> None:
    assert "Full texts</a>" in re.sub(r"\s+<", "<", page.text)
    assert statuses(page, place) == dict.fromkeys(works, "sought")
    assert page.give(file_of(place, works[1], "Märchen & <b>.pdf"), PDF) == 200
    assert page.answer == {"status": "retrieved"}
    assert statuses(page, place) == {**dict.fromkeys(works, "sought"), works[1]: "retrieved"}
    assert "Märchen &amp; &lt;b&gt;.pdf" in page.text
    page.open(f"{place}/full-texts?status=retrieved")
    assert re.findall(r'data-paper="([^"]+)"', page.text) == [works[1]]
    page.open(f"{place}/full-texts?status=excluded&page=-7")
    assert "No work has this status" in page.text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<!doctype html><HTML>Sign in", "it is a web page (HTML), not a PDF"),
        (locked_pdf(), "a password locks it"),
        (b"%PDF-1.4 no more", "cannot be read"),
        (b"", "it is empty"),
        (b"&a=1" * 20_000, "it is not a PDF"),
    ],
    ids=["html", "locked", "damaged", "empty", "other"],
)
def test_what_is_no_pdf_that_can_be_read_is_refused(page, place, works, content, reason) -> None:
    assert page.give(file_of(place, works[0], "a.pdf"), content) == 422
    assert page.answer["error"].startswith("'a.pdf' cannot be attached: ")
    assert reason in page.answer["error"]
    assert set(statuses(page, place).values()) == {"sought"}


def test_a_file_is_taken_from_this_page_alone_and_for_an_included_work(page, place, works) -> None:
    path = file_of(place, works[0])
    assert page.give(path, PDF, **{"x-csrf-token": "0" * 64}) == 403
    assert page.give(path, PDF, origin="http://elsewhere.example") == 403
    assert page.give(path, b"x" * ((32 << 20) + 1)) == 413
    assert page.give(file_of(place, "nothing"), PDF) == 422
    assert "is not among the 3 works" in page.answer["error"]
    assert set(statuses(page, place).values()) == {"sought"}


def test_before_the_result_is_approved_there_are_no_full_texts(thread) -> None:
    page, place = thread
    assert "full-texts" not in page.text
    assert page.open(f"{place}/full-texts") == 409
    assert "when the result is approved" in page.text
    assert page.give(file_of(place, "x"), PDF) == 409


def test_others_see_or_attach_what_the_search_is_shared_with_them_for(visitors, place, works):
    tokens = {name: f"token-of-{name}-0123456789" for name in ("ada", "bob", "cy")}
    pages = {name: visitors(**tokens) for name in tokens}
    for name, page in pages.items():
        page.open("/sign-in")
        page.send("/sign-in", token=tokens[name])
    ada, bob, cy = pages.values()
    assert (bob.open(f"{place}/full-texts"), bob.give(file_of(place, works[0]), PDF)) == (404, 404)
    ada.open(f"{place}/reviewers")
    assert ada.send(f"{place}/reviewers", say="share", reviewer="cy", role="reader") == 200
    assert cy.open(f"{place}/full-texts") == 200
    assert "Attach a PDF" not in cy.text
    assert cy.give(file_of(place, works[0]), PDF) == 403
    ada.open(f"{place}/full-texts")
    assert ada.give(file_of(place, works[0]), PDF) == 200
    cy.open(f"{place}/full-texts")
    assert "own.pdf, ada, just now" in cy.text
