"""The views of the page, asked over HTTP in one process."""

import base64
import html
import re

import pytest
from tests.conftest import run_sql
from tests.workflow.doubles import Late

from paper_search.models import Criterion, Grade, RawPaper, ScoredPaper
from paper_search.persistence import open_persistence
from paper_search.skills import Searcher
from paper_search.testing.skills import FakeSkills
from paper_search.testing.sources import FakeSource
from paper_search.web import threads_view
from paper_search.web.templates import highlight
from paper_search.workflow import SearchWorkflow, assembly

ADA, BOB = "CANARY-token-of-ada-01", "CANARY-token-of-bob-02"


def test_with_tokens_people_sign_in_and_see_their_own_threads(visitors):
    page = visitors(ada=ADA, bob=BOB)
    assert page.open("") == 200
    assert page.path == "/sign-in"
    assert page.send("/sign-in", token="wrong-token-of-nobody") == 403
    assert "this token is unknown" in page.text.lower()
    page.send("/sign-in", token=ADA)
    assert page.path == ""
    page.send("/threads", question="graph neural networks")
    page.arrive(page.path)
    mine = page.path
    assert ADA not in page.text + str(page.client.cookies)
    page.send("/sign-out")
    assert page.path == "/sign-in"
    page.send("/sign-in", token=BOB)
    assert page.open("") == 200
    assert "graph neural networks" not in page.text
    assert page.open(mine) == 404
    for name in ("downloads", "papers?format=ris", "audit", "pictures", "pictures/recall.svg"):
        assert page.open(mine.replace("strategy", name)) == 404
    assert page.send(mine, action="approve") == 404
    assert page.client.get("/threads").status_code == 401  # the cookie is for the page alone


def test_visitors_are_not_told_where_the_database_is__sec_19(visitors, tmp_path, caplog):
    page, alone = visitors(ada=ADA), visitors()
    page.open("")
    page.send("/sign-in", token=ADA)
    run_sql(f"sqlite:///{tmp_path}/threads.db", "DROP TABLE store")
    assert page.open("") == 500
    assert "cannot be used" in page.text
    assert str(tmp_path) not in page.text
    assert str(tmp_path) in caplog.text
    assert alone.open("") == 500
    assert str(tmp_path) in alone.text


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE checkpoints SET checkpoint = substr(checkpoint, 9) WHERE thread_id = ?",
        "UPDATE store SET value = 'x' || value WHERE key = ?",
    ],
    ids=["its states", "its row of the list"],
)
def test_a_damaged_thread_is_listed_beside_the_others(page, place, tmp_path, damage):
    """PER-09"""
    page.begin("protein folding")
    run_sql(f"sqlite:///{tmp_path}/threads.db", damage, place.removeprefix("/threads/"))
    assert page.open("") == 200
    assert "protein folding" in page.text
    assert place in page.text
    if "checkpoint" in damage:
        assert "Damaged" in page.text
        assert page.open(place) == 500
        assert "damaged" in page.text


def test_each_part_of_a_snippet_with_an_ellipsis_is_marked():
    marked = "<mark>Nets learn</mark> fast, and <mark>forget</mark>"
    assert highlight("Nets learn fast, and forget", [], ["Nets learn … forget"]) == marked


def test_threads_that_are_not_listed_are_told_of(page, monkeypatch):
    page.open("")
    assert "latest are listed" not in page.text
    monkeypatch.setattr(threads_view, "LISTED", 0)
    page.open("")
    assert "The 0 latest are listed" in page.text


def test_a_search_that_cannot_begin_is_not_listed(visitors):
    page = visitors()
    page.open("")
    assert page.send("/threads", question="graphs", source="serpapi_scholar") == 422
    assert "SERPAPI_API_KEY" in page.text
    assert page.send("/threads", question="graphs", source="no such") == 422
    bare = visitors(source="")
    bare.open("")
    assert bare.send("/threads", question="graphs") == 422
    assert "no source is enabled" in bare.text.lower()
    page.open("")
    assert "No searches yet" in page.text


def test_without_the_key_no_search_begins_in_clear_and_locked_ones_are_listed(
    visitors, monkeypatch, tmp_path
):
    """PER-17"""
    monkeypatch.setenv("PAPER_SEARCH_ENCRYPTION_KEY", base64.b64encode(bytes(32)).decode())
    page = visitors()
    page.begin()
    monkeypatch.delenv("PAPER_SEARCH_ENCRYPTION_KEY")
    page = visitors()
    page.open("")
    assert "Written with another key" in page.text
    page.send("/threads", question="a question in clear")
    assert "no key is set" in page.text
    assert b"in clear" not in (tmp_path / "threads.db").read_bytes()


def test_a_pasted_strategy_is_asked_as_it_stands(visitors):
    page = visitors()
    page.begin("1. graph neural networks\n2. protein*\n3. 1 AND 2")
    assert "protein*" in page.text
    assert page.path.endswith("/strategy")


async def test_a_thread_that_stopped_goes_on_from_the_page(visitors, tmp_path):
    class Failing(FakeSkills):
        async def search(self, _strategy) -> list[RawPaper]:
            raise RuntimeError("the power failed")

    skills = Failing()
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
        workflow = SearchWorkflow(*[skills] * 6, persistence=persistence)
        await workflow.start("graph neural networks", thread_id="stopped")
        with pytest.raises(RuntimeError):
            await workflow.answer("stopped", {"action": "approve"})
    page = visitors()
    page.open("/threads/stopped")
    assert "This search stopped" in page.text
    page.send("/threads/stopped/resume")
    page.arrive("/threads/stopped")
    assert page.path == "/threads/stopped/results"
    assert "Is this the result?" in page.text


def test_a_question_is_answered_once_and_only_by_its_own_form(visitors):
    page = visitors()
    page.begin()
    strategy, asked = page.path, page.asked()
    assert page.send(strategy, action="approve", asked="") == 422
    assert page.send(strategy, action="dance", asked=asked) == 422
    page.open(strategy)
    page.send(strategy, action="approve", asked=asked)
    page.arrive(page.path)
    assert page.path.endswith("/results")
    page.send(strategy, action="approve", asked=asked)  # a double click: nothing more happens
    page.open(strategy.removesuffix("strategy") + "log")
    assert page.text.count("<b>approve</b>") == 1
    assert page.send(strategy, action="reject", asked=asked) == 409
    assert "already decided (approve) by" in page.text


def test_a_mark_on_a_paper_of_another_result_is_refused(page, place):
    [paper, *_] = re.findall(r'data-paper="([^"]+)"', page.text)
    assert page.send(f"{place}/marks", paper="no such", say="relevant") == 409
    page.open(f"{place}/results")
    assert page.send(f"{place}/marks", paper=paper, say="perhaps") == 422


def test_before_there_is_a_result_nothing_is_marked_or_reviewed(visitors):
    page = visitors()
    place = page.begin()
    assert page.send(f"{place}/marks", paper="p", say="relevant") == 409
    assert "no result to screen" in page.text
    assert page.open(f"{place}/reviewers") == 409


def test_a_label_needs_words_and_shows_on_the_list(page, place):
    [paper, *_] = re.findall(r'data-paper="([^"]+)"', page.text)
    assert page.send(f"{place}/marks", paper=paper, say="label", label=" , ") == 422
    assert page.send(f"{place}/marks", paper=paper, say="label", label="<b>mine</b>") == 200
    page.open(f"{place}/results?label=%3Cb%3Emine%3C%2Fb%3E")
    assert "1 paper<" in page.text
    assert '<span class="pill label">&lt;b&gt;mine&lt;/b&gt;</span>' in page.text
    assert page.send(f"{place}/marks", paper=paper, say="label:<b>mine</b>") == 200
    page.open(f"{place}/results")
    assert "pill label" not in page.text


def test_what_is_not_a_search_is_not_found(visitors):
    page = visitors()
    for path in ("", "/results", "/progress", "/reviewers"):
        assert page.open(f"/threads/none{path}") == 404
    assert page.client.get("/review/static/no.js").status_code == 404
    assert page.client.get("/review/static/..%2Fsite.py").status_code == 404


async def test_the_words_that_a_grade_rests_on_are_marked_and_a_paper_says_why_it_has_none(
    visitors, tmp_path
):
    class Graded(FakeSkills):
        async def score(self, papers, intent) -> list[ScoredPaper]:
            first, *others = await super().score(papers, intent)
            criterion = Criterion(text="It compares")
            grade = Grade(criterion=criterion, grade=3, snippet="grew <more> in shade")
            update = {"grades": [grade], "relevance_reason": str(grade)}
            unjudged = {"is_judged": False, "relevance_reason": "Scoring unavailable: refusal"}
            return [
                first.model_copy(update=update),
                *(other.model_copy(update=unjudged) for other in others),
            ]

    def records(_strategy) -> list[RawPaper]:
        abstract = "We saw that moss grew <more> in shade. It did."
        moss = RawPaper(id="a", title="Moss", abstract=abstract, source="fake")
        return [moss, RawPaper(id="b", title="Fern", source="fake")]

    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
        workflow = SearchWorkflow(*[Graded(records)] * 6, persistence=persistence)
        await workflow.start("towns", thread_id="graded")
        await workflow.answer("graded", {"action": "approve"})
    page = visitors()
    page.open("/threads/graded/results")
    marked = "<mark>grew &lt;more&gt; in shade</mark>"
    assert f"3/3 It compares: &#34;{marked}&#34;" in page.text
    assert f"We saw that moss {marked}. It did." in page.text
    assert "Scoring unavailable: refusal" in page.text
    page.open("/threads/graded/screen")
    assert page.text.count(marked) == 2


def test_merged_records_are_seen_and_split_with_the_next_decision(visitors, monkeypatch):
    doi = {"doi": "10.1000/graphs", "title": "Graphs of proteins", "year": 2020}
    sources = [
        FakeSource(name, [RawPaper(id=f"{name}1", source=name, venue=f"Venue {name}", **doi)])
        for name in "ab"
    ]
    monkeypatch.setattr(assembly, "_searcher", lambda *_: Searcher(sources))
    page = visitors()
    thread = page.search("graphs of proteins")
    asked = page.asked()
    page.open(f"{thread}/results?decision=undecided&sort=newest")
    assert ">Highest score first</option>" in page.text
    merged = re.search(r'href="/review([^"]+/merged[^"]+)">Merged from 2 records', page.text)[1]
    merged = html.unescape(merged)
    page.open(merged)
    assert "Venue a" in page.text
    assert "Venue b" in page.text
    assert page.send(merged, record="no such", say="different") == 422
    assert "Say is same or different, of a record of this paper" in page.text
    for choice, is_split in (("different", True), ("same", False), ("different", True)):
        page.open(merged)
        assert page.send(merged, record="b1", say=choice) == 200
        assert ("split with your next decision" in page.text) == is_split
        back = re.search(r'href="/review([^"]+)">To the result', page.text)[1]
        assert html.unescape(back) == f"{thread}/results?decision=undecided&sort=newest&page=1"
    page.open(f"{thread}/results")
    page.send(f"{thread}/results", action="approve", asked=asked)
    page.arrive(thread)
    assert page.text.count("<h3>") == 2
    assert "Merged from" not in page.text


def test_the_rest_of_a_slow_source_is_waited_for_with_a_button(visitors, monkeypatch):
    late = Late("late_one", [RawPaper(id="late1", title="Graphs, late", source="late_one")])
    quick = [
        FakeSource(name, [RawPaper(id=name, title=f"Graphs by {name}", source=name)])
        for name in "abcd"
    ]
    searcher = Searcher([*quick, late], straggler_s=0.05, patience_s=0.05)
    monkeypatch.setattr(assembly, "_searcher", lambda *_: searcher)
    page = visitors()
    thread = page.search("graphs")
    results = page.path
    assert '<button name="action" value="wait">Wait for late one</button>' in page.text
    assert "late one may have more. Wait to add the rest to this result" in page.text
    assert "Graphs, late" not in page.text
    late.is_late = False
    asked = page.asked()
    assert page.send(results, action="wait", note="only trials", asked=asked) == 422
    assert "waiting does not start another round" in page.text
    page.send(results, action="wait", asked=asked)
    page.arrive(thread)
    assert "Graphs, late" in page.text
    assert 'value="wait"' not in page.text
    page.send(results, action="approve", asked=page.asked())
    page.arrive(thread)
    page.open(f"{thread}/log")
    assert "<b>wait for sources</b> by" in page.text
    assert "Slow sources were waited for, or files added, 1 time." in page.text
