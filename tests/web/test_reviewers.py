"""Reviewers of one result, asked over HTTP in one process."""

from tests.web.conftest import Visitor
from tests.web.test_sharing import paper_on, screen


def visit(page: Visitor, path: str) -> str:
    page.open(path)
    return page.text


def test_nobody_screens_as_a_reviewer_once_all_are_done(page, place):
    screen(page, place, "ada", "relevant")
    screen(page, place, "bo", "irrelevant")
    assert page.send(f"{place}/reviewers", say="join", reviewer="ada") == 409
    paper = paper_on(page, f"{place}/results")
    assert page.send(f"{place}/marks?reviewer=bo", paper=paper, say="relevant") == 409
    assert "are done" in page.text
    for path in ("screen", "marks"):
        ask = page.open if path == "screen" else page.send
        assert ask(f"{place}/{path}?reviewer=cy") == 422
        assert "nobody screens as" in page.text.lower()


def test_only_conflicts_of_reviewers_who_are_done_are_settled(page, place):
    paper = paper_on(page, f"{place}/results")
    page.send(f"{place}/reviewers", say="join", reviewer="ada")
    page.open(f"{place}/reviewers")
    assert page.send(f"{place}/reviewers", say="include", paper=paper) == 422
    assert "not all reviewers are done" in page.text.lower()
    assert page.send(f"{place}/reviewers", say="join", reviewer="../x") == 422
    assert page.send(f"{place}/reviewers", say="dance") == 422
    for name, verdict in (("ada", "relevant"), ("bo", "irrelevant")):
        assert screen(page, place, name, verdict) == paper
    assert "Cohen&#39;s kappa" in visit(page, f"{place}/reviewers")
    why = {"say": "exclude", "reason": "no proteins"}
    assert page.send(f"{place}/reviewers", paper=paper, **why) == 200
    assert "Resolved: exclude" in page.text
    assert "Excluded: no proteins" in visit(page, f"{place}/results?decision=excluded")
    assert f'data-paper="{paper}"' in page.text
