"""One search, several accounts: who sees it, who screens it, and what stays blind."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.conftest import Visitor, visiting

from paper_search.persistence import open_persistence
from paper_search.web import threads_view
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.reviewers import ReviewerMarks

TOKENS = {name: f"token-of-{name}-0123456789" for name in ("ada", "bob", "cy")}


@pytest.fixture
def team(searched: tuple[Path, str], tmp_path: Path) -> Iterator[tuple[dict[str, Visitor], str]]:
    """Three accounts, signed in, and the path of a search of ada's that waits with its result."""
    home, place = searched
    shutil.copytree(home, tmp_path, symlinks=True, dirs_exist_ok=True)
    with visiting(tmp_path) as visitor:
        pages = {name: visitor(**TOKENS) for name in TOKENS}
        for name, page in pages.items():
            page.open("/sign-in")
            assert page.send("/sign-in", token=TOKENS[name]) == 200
        yield pages, place


def share(page: Visitor, place: str, name: str, role: str) -> int:
    page.open(f"{place}/reviewers")
    return page.send(f"{place}/reviewers", say="share", reviewer=name, role=role)


def paper_on(page: Visitor, path: str) -> str:
    assert page.open(path) == 200
    return page.text.split('data-paper="', 1)[1].split('"', 1)[0]


def screen(page: Visitor, place: str, name: str, say: str) -> str:
    """Decide on one paper and be done; return its id."""
    assert page.open(f"{place}/reviewers") == 200
    assert page.send(f"{place}/reviewers", say="join", reviewer=name) == 200
    paper = paper_on(page, f"{place}/screen?reviewer={name}")
    marks = page.text.split('data-marks="/review', 1)[1].split('"', 1)[0]
    assert page.send(marks, paper=paper, say=say) == 200
    assert page.send(f"{place}/reviewers", say="done", reviewer=name) == 200
    return paper


def test_a_search_is_seen_by_those_with_whom_it_is_shared(team):
    pages, place = team
    assert (pages["bob"].open(place), pages["cy"].open(place)) == (404, 404)
    assert share(pages["ada"], place, "bob", "reviewer") == 200
    assert "<b>bob</b> reviewer" in pages["ada"].text
    assert pages["bob"].open(place) == 200
    assert pages["bob"].path == f"{place}/reviewers"
    pages["bob"].open("")
    assert place.rpartition("/")[2] in pages["bob"].text
    assert "Shared with you, not done yet" in pages["bob"].text
    assert "Review the result" not in pages["bob"].text
    assert pages["cy"].open(place) == 404
    assert share(pages["ada"], place, "bob", "none") == 200
    assert pages["bob"].open(f"{place}/reviewers") == 404


def test_the_latest_threads_of_others_take_no_place_in_a_list(team, monkeypatch):
    monkeypatch.setattr(threads_view, "LISTED", 1)
    pages, place = team
    others = pages["bob"].begin()
    for name, own in (("ada", place), ("bob", others)):
        pages[name].open("")
        assert own.rpartition("/")[2] in pages[name].text


def test_a_reviewer_is_blind_until_all_are_done_and_overwrites_nobody(team, tmp_path):
    pages, place = team
    ada, bob = pages["ada"], pages["bob"]
    share(ada, place, "bob", "reviewer")
    paper = screen(ada, place, "ada", "relevant")
    for path in ("results", "log", "downloads", "papers?format=csv", "audit", "pictures"):
        assert bob.open(f"{place}/{path}") == 403, path
        assert "when all reviewers are done" in bob.text
    assert screen(bob, place, "bob", "irrelevant") == paper
    assert bob.open(f"{place}/results") == 200
    assert 'class="reader"' in bob.text, "what is refused is not offered"
    assert "waits for your decision" not in bob.text
    for person, settles in ((bob, False), (ada, True)):
        person.open(f"{place}/reviewers")
        assert "1 in conflict" in person.text
        assert ("Resolve conflict" in person.text) is settles

    async def verdicts() -> dict[str, list[bool | None]]:
        async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
            thread = place.rpartition("/")[2]
            stores = {
                n: ReviewerMarks(SearchRecords(persistence.store, thread), n)
                for n in ("ada", "bob")
            }
            return {n: [m.is_relevant for m in await s.marks()] for n, s in stores.items()}

    assert asyncio.run(verdicts()) == {"ada": [True], "bob": [False]}


def test_the_name_of_a_reviewer_is_the_account(team):
    pages, place = team
    ada, bob = pages["ada"], pages["bob"]
    share(ada, place, "bob", "reviewer")
    bob.open(f"{place}/reviewers")
    for page, other in ((ada, "bob"), (bob, "ada")):
        assert page.send(f"{place}/reviewers", say="join", reviewer=other) == 403
        assert page.open(f"{place}/screen?reviewer={other}") == 403
        assert page.send(f"{place}/marks?reviewer={other}", paper="x", say="relevant") == 403
        assert "you cannot screen as" in page.text


def test_a_reviewer_decides_nothing_for_the_search(team):
    pages, place = team
    share(pages["ada"], place, "bob", "reviewer")
    paper = paper_on(pages["ada"], f"{place}/results")
    bob = pages["bob"]
    bob.open(f"{place}/screen")
    assert bob.text.count("Screening as bob") >= 1
    refused = {
        "marks": {"paper": paper, "say": "relevant"},
        "results": {"action": "approve"},
        "strategy": {"action": "approve"},
        "resume": {},
        "reviewers": {"say": "share", "reviewer": "cy", "role": "reader"},
    }
    for path, fields in refused.items():
        assert bob.send(f"{place}/{path}", **fields) == 403, path
    assert "shared with you as a reviewer" in bob.text


def test_a_reader_reads_and_changes_nothing(team):
    pages, place = team
    share(pages["ada"], place, "cy", "reader")
    cy = pages["cy"]
    paper = paper_on(cy, f"{place}/results")
    for person, is_reader in ((cy, True), (pages["ada"], False)):  # what is refused is not offered
        person.open(f"{place}/results")
        assert ('class="reader"' in person.text) is is_reader
        assert (f"{place}/screen" in person.text) is not is_reader
    assert cy.send(f"{place}/marks", paper=paper, say="relevant") == 403
    assert cy.send(f"{place}/reviewers", say="join", reviewer="cy") == 403
    assert cy.open(f"{place}/screen?reviewer=cy") == 403
