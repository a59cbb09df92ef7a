"""Full texts on the page: which works they are of, what is attached, and what is refused."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.pages.site import pdf
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


@pytest.fixture
def signed_in(visitors: Callable) -> list[Visitor]:
    """Three accounts at the search, which is the first one's."""
    tokens = {name: f"token-of-{name}-0123456789" for name in ("ada", "bob", "cy")}
    pages = [visitors(**tokens) for _ in tokens]
    for name, page in zip(tokens, pages, strict=True):
        page.open("/sign-in")
        page.send("/sign-in", token=tokens[name])
    return pages


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


def test_included_works_are_listed_and_a_file_is_attached_to_one(page, place, works):
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


def test_a_file_is_taken_from_this_page_alone_and_for_an_included_work(page, place, works):
    path = file_of(place, works[0])
    assert page.give(path, PDF, **{"x-csrf-token": "0" * 64}) == 403
    assert page.give(path, PDF, origin="http://elsewhere.example") == 403
    assert page.give(path, b"x" * ((32 << 20) + 1)) == 413
    assert page.give(file_of(place, "nothing"), PDF) == 422
    assert "is not among the 3 works" in page.answer["error"]
    assert set(statuses(page, place).values()) == {"sought"}


def test_before_the_result_is_approved_there_are_no_full_texts(thread):
    page, place = thread
    assert "full-texts" not in page.text
    assert page.open(f"{place}/full-texts") == 409
    assert "when the result is approved" in page.text
    assert page.give(file_of(place, "x"), PDF) == 409


def work_of(place: str, paper: str) -> str:
    return f"{place}/full-texts/text?{urlencode({'paper': paper})}"


def attach(page: Visitor, place: str, works: list[str]) -> None:
    for number, paper in enumerate(works):
        assert page.give(file_of(place, paper), pdf([f"The text of {number}"])) == 200


def test_the_text_is_shown_page_by_page_as_text(page, place, works):
    attack = "<script>window.broken = 1</script> {{ 7 * 7 }} & so on"
    assert page.open(work_of(place, works[0])) == 200
    assert "Attach the PDF" in page.text
    page.give(file_of(place, works[0]), pdf([attack], [], ["References", "1. Rowan. Trees."]))
    assert page.open(work_of(place, works[0])) == 200
    assert re.findall(r"Page \d of \d", page.text) == [f"Page {n} of 3" for n in (1, 2, 3)]
    assert "&lt;script&gt;window.broken = 1&lt;/script&gt; {{ 7 * 7 }} &amp; so on" in page.text
    assert "it may be a picture" in page.text
    assert "Rowan" in page.text
    sent = page.client.get(f"/review{file_of(place, works[0])}")
    assert sent.content.startswith(b"%PDF-")
    assert sent.headers["content-disposition"].startswith("attachment; ")
    assert page.open(work_of(place, "nothing")) == 404
    assert page.open(file_of(place, works[1])) == 422


def test_a_page_with_a_number_of_5000_digits_is_the_first(page, place, works):
    attach(page, place, works[:1])
    assert page.open(f"{place}/full-texts?page={'9' * 5000}") == 200


def test_of_a_very_long_text_the_page_says_what_it_leaves_out(page, place, works):
    page.give(file_of(place, works[0]), pdf(*([["A page."]] * 401)))
    page.open(work_of(place, works[0]))
    assert "Of 401 pages, the first 400 are shown; the PDF has the rest" in page.text


def test_a_file_that_is_gone_is_said(page, place, works, tmp_path):
    attach(page, place, works[:1])
    for kept in (tmp_path / "full_texts").iterdir():
        kept.unlink()
    assert page.open(work_of(place, works[0])) == 200
    assert "no longer in the home; attach it again" in page.text
    assert page.open(file_of(place, works[0])) == 422


def test_works_are_decided_on_one_after_the_other_with_the_reasons_of_the_review(
    page, place, works
):
    attach(page, place, works)
    path = f"{place}/full-texts"
    page.open(work_of(place, works[0]))
    assert page.send(path, paper=works[0], say="exclude", reason=" ") == 422
    assert "Give the reason for an exclusion" in page.text
    assert page.send(path, paper=works[0], say="exclude", reason="Wrong  population") == 200
    assert page.path == f"{place}/full-texts/text"
    assert f'name="paper" value="{works[1]}"' in page.text
    assert 'value="exclude:Wrong population"' in page.text
    assert page.send(path, paper=works[1], say="exclude", reason="wrong population") == 200
    assert page.send(path, paper=works[2], say="include") == 200
    assert page.path == path
    assert list(statuses(page, place).values()) == ["excluded", "excluded", "included"]
    assert boxes(page, place) == {
        "Sought": "3", "Not retrieved": "0", "Assessed": "3",
        "Excluded": "2: Wrong population 2", "Included": "1",
    }  # fmt: skip


def test_people_keep_a_list_of_reasons(page, place, works):
    path = f"{place}/full-texts"
    for reason in ("Wrong outcome", "No trial", "NO TRIAL"):
        assert page.send(path, say="add", reason=reason) == 200
    attach(page, place, works[:1])
    page.open(work_of(place, works[0]))
    assert re.findall('value="exclude:([^"]+)"', page.text) == ["Wrong outcome", "No trial"]
    assert page.send(path, paper=works[0], say="exclude:No trial") == 200
    assert page.send(path, say="remove:Wrong outcome") == 200
    assert "Wrong outcome" not in page.text
    assert page.send(path, say="remove:No trial") == 422
    assert "cannot be removed; exclusions that have it: 1" in page.text
    assert page.send(path, say="add", reason="x" * 201) == 422
    assert page.send(path, say="dance") == 422


def test_others_see_or_attach_what_the_search_is_shared_with_them_for(signed_in, place, works):
    ada, bob, cy = signed_in
    assert (bob.open(f"{place}/full-texts"), bob.give(file_of(place, works[0]), PDF)) == (404, 404)
    ada.open(f"{place}/reviewers")
    assert ada.send(f"{place}/reviewers", say="share", reviewer="cy", role="reader") == 200
    assert cy.open(f"{place}/full-texts") == 200
    assert "Attach a PDF" not in cy.text
    assert cy.give(file_of(place, works[0]), PDF) == 403
    assert cy.send(f"{place}/full-texts", paper=works[0], say="include") == 403
    ada.open(f"{place}/full-texts")
    assert ada.give(file_of(place, works[0]), PDF) == 200
    cy.open(f"{place}/full-texts")
    assert "own.pdf, ada, just now" in cy.text


def join(page: Visitor, place: str, *names: str) -> None:
    for name in names:
        page.open(f"{place}/full-texts")
        assert page.send(f"{place}/full-texts", say="join", reviewer=name) == 200


def decide(page: Visitor, place: str, name: str, paper: str, say: str) -> int:
    path = f"{place}/full-texts?reviewer={name}"
    return page.send(path, paper=paper, say=say)


def test_nobody_waits_for_a_reviewer_who_is_done_early_or_whom_the_owner_removes(
    page, place, works
):
    attach(page, place, works[:2])
    join(page, place, "ada", "bo", "cy")
    for name in ("ada", "bo"):
        decide(page, place, name, works[0], "include")
    assert page.send(f"{place}/full-texts?reviewer=ada", say="done") == 200
    assert page.send(f"{place}/full-texts?reviewer=dee", say="done") == 422
    assert page.send(f"{place}/full-texts?reviewer=bo", say="done") == 200
    assert statuses(page, place)[works[0]] == "retrieved"
    assert page.send(f"{place}/full-texts", say="leave:cy") == 200
    assert statuses(page, place)[works[0]] == "included"


def test_with_accounts_everybody_decides_under_their_own_name(signed_in, place, works):
    ada, bob, _ = signed_in
    path = f"{place}/full-texts"
    ada.open(f"{place}/reviewers")
    assert ada.send(f"{place}/reviewers", say="share", reviewer="bob", role="reviewer") == 200
    bob.open(f"{place}/reviewers")
    assert (bob.open(path), bob.give(file_of(place, works[0]), PDF)) == (403, 403)
    for name, person in (("ada", ada), ("bob", bob)):
        person.open(f"{place}/reviewers")
        assert person.send(f"{place}/reviewers", say="done", reviewer=name) == 200
        assert person.open(path) == 200
    assert bob.give(file_of(place, works[0]), PDF) == 200
    assert bob.give(file_of(place, works[0]), pdf(["Another"])) == 403
    assert bob.send(path, paper=works[0], say="include") == 403
    assert bob.send(path, say="add", reason="No trial") == 403
    assert bob.send(path, say="join", reviewer="ada") == 403
    for person in (ada, bob):
        person.open(path)
        assert person.send(path, say="join") == 200
    assert bob.send(f"{path}?reviewer=ada", paper=works[0], say="include") == 403
    assert bob.send(path, paper=works[0], say="include") == 200
    assert "<b>bob</b> 1 of 1 text decided, done" in bob.text
    ada.open(path)
    assert "bob: include" not in ada.text
    assert ada.send(path, paper=works[0], say="exclude", reason="No trial") == 200
    assert "ada: exclude, No trial; bob: include. To be resolved" in ada.text
    assert bob.send(path, paper=works[0], say="include") == 403
    assert ada.send(path, paper=works[0], say="include") == 200
    assert statuses(ada, place)[works[0]] == "included"
