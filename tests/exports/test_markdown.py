"""Markdown, re-read as cells and as what a renderer would make of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.examples import examples
from tests.exports.test_csv_table import paper

from paper_search.exports.markdown import export_markdown, export_report
from paper_search.models import Author, KnownPapersReport, ScreeningDecision, SourceReport
from paper_search.testing.exporters import collection_of

ANY_TEXT = st.text(max_size=40) | st.text(alphabet="|\\\n<>&[]()*_`#-!a", max_size=25)


def rendered(text: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def body_rows(text: str) -> int:
    return rendered(text).count("<tr>") - 1


def test_a_plain_paper_is_one_row_under_the_header_with_a_dash_for_what_is_missing():
    names = [Author(name=name) for name in ("Ann Lee", "Bo Li", "Cy Fu", "D")]
    text = export_markdown(
        collection_of(
            paper(authors=names[:3], year=2020, venue="Nature", relevance_score=0.956),
            paper(authors=names),
            paper(venue=" ", authors=[Author(name="\n")]),
        )
    )
    assert text == (
        "| # | Title | Authors | Year | Venue | Score |\n"
        "|---|---|---|---|---|---|\n"
        "| 1 | Deep learning | Ann Lee, Bo Li, Cy Fu | 2020 | Nature | 0.96 |\n"
        "| 2 | Deep learning | Ann Lee et al. | - | - | 0.00 |\n"
        "| 3 | Deep learning | - | - | - | 0.00 |\n"
    )


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
@examples(150)
def test_any_text_stays_in_its_cell(title, author, venue):
    """SEC-11"""
    given_paper = paper(title=title, authors=[Author(name=author)], venue=venue)
    html = rendered(export_markdown(collection_of(given_paper, given_paper)))
    assert html.count("<tr>") == 3
    assert html.count("<td>") == 12
    assert set(re.findall(r"<([a-z]+)", html)) <= {"table", "thead", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://example.org/track.png)",
        "\\[x](y)",
        "a | b\\| c",
        "`code` **bold** _it_ ~~gone~~",
        "&lt;b&gt; &#60;",
    ],
)
def test_markup_in_a_title_is_shown_and_not_obeyed(attack):
    """SEC-08 SEC-11"""
    html = rendered(export_report(collection_of(paper(title=attack), query=attack)))
    allowed = {"h1", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(re.findall(r"<([a-z0-9]+)", html)) == allowed
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert html.count(shown.replace('"', "&quot;")) == 2


def test_a_report_says_what_was_asked_and_found_where_the_papers_are_and_what_was_decided():
    exclusion = ScreeningDecision(decision="exclude", decided_by="ada", decided_at="2026-11-22")
    collection = collection_of(
        paper(doi="10.1/a(b)", url="https://example.org/other", screening=exclusion, note="*no*"),
        paper(labels=["main", "old"]),
        paper(url="https://example.org/a>b c", screening={"reason": "why"}),
        paper(doi="https://doi.org/10.1/x", full_text_url="javascript:alert(1)"),
        query="what of\n*graphs*?",
    )
    collection.reports = [
        SourceReport(source="s", status="rate_limited", kept=1, hits=9, query="a|b", error="e"),
        SourceReport(
            source="t",
            status="ok",
            purpose="look-up",
            note="n",
            iteration=1,
            asked_at="2026-01-02",
        ),
    ]
    collection.silent_sources = ["t", "u*"]
    collection.known_papers = KnownPapersReport(in_result=["a"], missing=["b_c"])
    table = export_markdown(collection)
    assert export_report(collection) == (
        "# what of \\*graphs\\*?\n\n"
        f"4 of 4 papers found, 2026-01-02T03:04:05+00:00\n\n{table}\n"
        "## Where to find them\n\n"
        "- 1: <https://doi.org/10.1/a(b)>\n"
        "- 3: <https://example.org/a%3Eb%20c>\n"
        "- 4: <https://doi.org/10.1/x>\n\n"
        "## Your decisions and notes\n\n"
        "- 1: exclude (ada, 2026-11-22): \\*no\\*\n"
        "- 2: labels: main, old\n"
        "- 3: why\n\n"
        "## What was searched\n\n"
        "| Round | For | When | Source | Answer | Kept | Of | Query | Note |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
        "| 1 | search | - | s | rate limited | 1 | 9 | a\\|b | e |\n"
        "| 2 | look-up | 2026-01-02 | t | ok | 0 | - | - | n |\n\n"
        "**No results from: t, u\\*.**\n\n"
        "1 of 2 known papers found; missing: b\\_c.\n"
    )
    bare = export_report(collection_of(paper(), query=" "))
    assert bare.startswith("# Papers\n")
    assert "##" not in bare
