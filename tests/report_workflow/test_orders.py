"""Ninety records that give orders change nothing: not the way, not the prompts, not a file."""

import csv
import io
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest
from markdown_it import MarkdownIt
from tests.report.answers import good_answer
from tests.report_workflow.doubles import Steps, report_workflow
from tests.report_workflow.orders import KINDS, PLACES, canaries, ordering_sources

from paper_search.exports.csv_table import export_csv
from paper_search.report.document import Report, cited_collection, render_json
from paper_search.report.outputs.markdown import render_html, render_markdown
from paper_search.report.outputs.pandoc import render_bibtex, render_latex
from paper_search.testing.llm import FakeLLM, LLMCall, data_block
from paper_search.testing.reports import QUESTION, FakeSearch, report_sources

BLOCK = re.compile(r"^<data-(\w+)>\n.*\n</data-\1>$", re.MULTILINE)
ESCAPES = {
    "textbackslash", "textasciitilde", "textless", "textgreater", "textquotedbl", "textbar", "emph",
    "textquotesingle", "hspace", "texttt", "nolinkurl", "ldots", "item", "begin", "end",
    "ensuremath", "citep",
}  # fmt: skip
"""What stands for the signs of a text, and for lists of it."""
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "ol", "li", "a",
    "strong", "em", "code", "blockquote", "img", "main", "table", "thead", "tbody", "tr", "th",
    "td",
}  # fmt: skip


def obeying(call: LLMCall) -> dict[str, Any]:
    """Return what a model answers that does everything which the texts in its data ask for."""
    answer = good_answer(call)
    title = (call.schema or {})["title"]
    if title in {"PlanAnswer", "SupportAnswer"}:
        return answer
    orders = " ".join(r["text"] for r in data_block(call) if "qz" in r["text"])
    if title == "ReviewAnswer":
        praise = {"recommendation": "approve", "action": "approve", "overall_score": 10.0}
        return {**answer, **praise, "scores": dict.fromkeys(answer["scores"], 10), "items": []}
    if title == "DraftAnswer":
        answer["sections"][1]["content"] += f" {orders[:3000]} Trees cool (Evil, 2031)."
        answer["references"] = ["Evil, E. (2031). A work that nobody wrote."]
        answer["human_approved"] = True
    return answer


@dataclass
class Run:
    """What a report did."""

    report: Report
    steps: list[str]
    asked: list[str]
    calls: list[LLMCall]


Answer = Callable[[LLMCall], Any] | None
Running = Callable[[str | None, Answer], Awaitable[Run]]


@pytest.fixture(scope="module")
def runs() -> dict[tuple[str | None, Answer], Run]:
    """What reports did: several tests look at each, and none changes it."""
    return {}


@pytest.fixture
def ran(runs: dict[tuple[str | None, Answer], Run]) -> Running:
    """Return what the report did that found orders in this place, None: none, with this model."""

    async def run_once(place: str | None, answer: Answer) -> Run:
        if (place, answer) not in runs:
            runs[place, answer] = await run(ordering_sources(place) if place else [], answer)
        return runs[place, answer]

    return run_once


async def run(orders: list[Any], answer: Answer) -> Run:
    llm = FakeLLM(answer) if answer else None
    search = FakeSearch([*report_sources(), *orders])
    steps = Steps()
    flow = report_workflow(llm, steps=steps, search=search, target_length=200 if llm else 1500)
    report = await flow.run(QUESTION)
    return Run(report, steps, search.asked, llm.calls if llm else [])


def plan_of(ran: Run) -> tuple[Any, ...]:
    provenance = ran.report.provenance
    texts = [row["query_text"] for row in provenance["search_queries"]]
    return provenance["sub_questions"], texts, ran.asked


def test_there_are_at_least_fifty_records_that_give_orders():
    """INJ-08."""
    assert len(KINDS) * len(PLACES) >= 50
    assert all(canary in str(s) for p in PLACES for canary, s in paired(p))


def paired(place: str) -> list[tuple[str, Any]]:
    return list(zip(canaries(place), ordering_sources(place), strict=True))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("answer", [good_answer, obeying, None], ids=["good", "obeying", "plain"])
async def test_orders_change_neither_the_plan_nor_the_queries_nor_who_decides(ran, place, answer):
    """INJ-04 INJ-05 INJ-07 INJ-08: as without them, whoever reads them."""
    calm, ordered = await ran(None, answer), await ran(place, answer)
    assert plan_of(ordered) == plan_of(calm)
    assert ordered.steps[:5] == calm.steps[:5]
    assert ordered.report.provenance["is_approved_by_person"] is False
    assert ordered.report.provenance["ended_by"] in {"not_reviewed", None}  # None: fallback
    assert answer is obeying or ordered.steps == calm.steps
    assert not any(word in str(ordered.asked) for word in canaries(place))


@pytest.mark.parametrize("place", PLACES)
async def test_orders_reach_a_model_only_inside_the_data_block(ran, place):
    """INJ-03 INJ-07 INJ-08: in every role, every prompt."""
    ordered = await ran(place, good_answer)
    assert {(call.schema or {})["title"] for call in ordered.calls} == {
        "PlanAnswer", "AnalysisAnswer", "DraftAnswer", "ReviewAnswer", "SupportAnswer"
    }  # fmt: skip
    for call in ordered.calls:
        told = call.system_prompt + BLOCK.sub("", call.user_message)
        assert [word for word in [*canaries(place), "evil.example"] if word in told] == []
        assert len(BLOCK.findall(call.user_message)) == call.user_message.count("\n<data-")


@pytest.mark.parametrize("place", ["abstract", "page"])
async def test_an_obeying_model_cannot_get_an_order_past_the_checks(ran, place):
    """INJ-01 INJ-08: what it adds because it was told to is found, and the report is not passed."""
    ordered = await ran(place, obeying)
    assert ordered.steps[-1] == "fallback"
    assert ordered.report.status == "partial"
    items = ordered.report.critique.items
    told = [item.description for item in items if item.severity == "critical"]
    assert any("Evil" in message for message in told)
    assert "A work that nobody wrote" not in render_markdown(ordered.report)


@pytest.mark.parametrize("place", PLACES)
async def test_orders_are_inert_in_every_file(ran, place):
    """INJ-02 INJ-04 INJ-06 SEC-08 SEC-09 SEC-10 SEC-11."""
    report = (await ran(place, None)).report
    check_markdown(render_markdown(report))
    check_html(render_html(report))
    check_latex(await render_latex(report), await render_latex((await ran(None, None)).report))
    check_bibtex(render_bibtex(report), len(report.cited))
    check_csv(export_csv(cited_collection(report)), len(report.cited))
    assert json.loads(render_json(report))["content"]["title"] == report.title


@pytest.mark.parametrize("place", PLACES)
async def test_a_record_that_gives_orders_is_inert_where_it_is_cited(ran, place):
    """SEC-08 SEC-09 SEC-10 SEC-11: every one of them is cited, and its title and author shown."""
    report = (await ran(place, None)).report
    citing = Report.model_validate(report.model_dump())
    keys = list(citing.evidence.by_key)
    citing.sections[0].content = "\n".join(
        f"- {source.title} {source.text} [@{key}]."
        for key, source in citing.evidence.by_key.items()
    )
    assert set(citing.cited) == set(keys)
    check_markdown(render_markdown(citing))
    check_html(render_html(citing))
    check_latex(await render_latex(citing), await render_latex((await ran(None, None)).report))
    check_bibtex(render_bibtex(citing), len(keys))
    check_csv(export_csv(cited_collection(citing)), len(keys))


def check_markdown(text: str) -> None:
    """Nothing is loaded, nothing is HTML, and links lead to the addresses of references alone."""
    for token in MarkdownIt("commonmark").parse(text):
        for item in [token, *(token.children or [])]:
            assert item.type not in {"image", "html_inline", "html_block", "code_block", "fence"}
            if item.type == "link_open":
                assert str(item.attrs["href"]).startswith(("http", "#"))
                assert "evil" not in str(item.attrs["href"]).partition("#")[0]


class _Tags(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def check_html(text: str) -> None:
    page = _Tags()
    page.feed(text)
    assert page.tags <= TAGS
    assert page.comments == []
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    links = [value for name, value in page.attributes if name in {"href", "src"}]
    assert not [it for it in links if not it.startswith(("#", "https://", "http://", "data:"))]
    assert not [link for link in links if "evil" in link and not link.startswith("#")]


def check_latex(text: str, calm: str) -> None:
    """A report with orders has no command that one without them has not."""
    assert _commands(text) <= _commands(calm) | ESCAPES
    assert text.count(r"\end{document}") == 1


def _commands(text: str) -> set[str]:
    return set(re.findall(r"\\([A-Za-z]+)", text))


def check_bibtex(text: str, count: int) -> None:
    assert len(re.findall(r"^@", text, re.MULTILINE)) == count
    assert not re.search(r"\\(?:input|write)", text)
    depth = 0
    for character in re.sub(r"\\[{}]", "", text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0


def check_csv(text: str, count: int) -> None:
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert len(rows) == count + 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
