"""A report in every format: whole, cited, and inert whatever its sources hold."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from io import BytesIO

import pytest
from defusedxml.ElementTree import fromstring
from tests.report.answers import good_answer

from paper_search.errors import ExportError
from paper_search.models import Author, Paper, SourceReport, SourceStatus
from paper_search.report.document import Report, link_of, references, render_json
from paper_search.report.evidence import result_of
from paper_search.report.models import AnalysisResult, CheckedSentence, Critique, SearchResult
from paper_search.report.outputs.figures import figures
from paper_search.report.outputs.markdown import html_page, render_html, render_markdown
from paper_search.report.outputs.pandoc import (
    has_pandoc,
    pandoc,
    pandoc_markdown,
    render_bibtex,
    render_docx,
    render_latex,
)
from paper_search.report.writer import section
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing import reports
from paper_search.testing.llm import FakeLLM

NASTY = [
    "<script>alert(1)</script>",
    "![x](http://evil.example/pixel.png)",
    "[click](javascript:alert(1))",
    r"\input{/etc/passwd} \write18{rm} $x$ % # & _ ^ ~ { }",
    "</style><img src=x onerror=alert(1)>",
    "| a | b |\n|---|---|",
    "`code` **bold** <!-- hidden -->",
]
STYLE = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
<info><title>t</title><id>t</id><updated>2020-01-01T00:00:00+00:00</updated></info>
<citation><layout><text variable="title"/></layout></citation>
<bibliography><layout><names variable="author"><name/></names>
<text variable="title" prefix=" says "/></layout></bibliography></style>"""


@pytest.fixture(scope="module")
def report() -> Report:
    services = reports.report_services(FakeLLM(good_answer), search=Searched())
    return asyncio.run(ReportWorkflow(services, target_length=150).run(reports.QUESTION))


class Searched(reports.FakeSearch):
    """Says which service it asked, and for what."""

    async def find(self, queries, given, known):
        run = SourceReport(
            source="openalex",
            query='"shade trees" AND heat',
            asked_at=datetime.now(UTC).isoformat(),
            hits=1234,
            kept=4,
            status=SourceStatus.RATE_LIMITED,
        )
        found = await super().find(queries, given, known)
        return replace(found, runs={query.query_id: [run] for query in queries})


async def nasty(text: str) -> Report:
    paper = Paper(
        id="nasty",
        title=f"Shade trees {text} in streets",
        authors=[Author(name=f"Thorn {text}, Ivy")],
        abstract=f"Shade trees lower the temperature of city streets {text} by far.",
        year=2020,
        venue=text,
        url=f"javascript:alert('{text}')",
        source="fake",
        relevance_score=0.95,
    )
    sources = [result_of(item, "q1") for item in [paper, *reports.report_papers()]]
    flow = ReportWorkflow(
        reports.report_services(search=reports.FakeSearch(sources)), target_length=1000
    )
    return await flow.run(reports.QUESTION)


def test_the_url_that_is_shown_is_the_url_that_is_linked():
    page = html_page("T", "<https://a.example/%00%E2%80%AEgro.elpmaxe>")
    assert ">https://a.example/%00%E2%80%AEgro.elpmaxe</a>" in page


async def test_markdown_has_every_part_and_readable_citations(report):
    text = render_markdown(report)
    assert text.startswith("# Shade trees and the temperature of streets")
    for title in ("## Abstract", "## Introduction", "## Conclusion", "## References"):
        assert title in text
    assert "(Rowan, 2019)" in text
    assert "[@" not in text
    assert "Status: complete" in text


async def test_latex_cites_keys_that_its_bibliography_has(report):
    text = await render_latex(report, bibliography="shade")
    groups = re.findall(r"\\citep\{([^}]*)\}", text)
    cited = {key.strip() for group in groups for key in group.split(",")}
    assert cited <= set(re.findall(r"@\w+\{([^,]+),", render_bibtex(report)))
    assert r"\bibliography{shade.bib}" in text
    assert text.count(r"\begin{") == text.count(r"\end{")


def test_an_invented_citation_is_shown_in_every_format():
    text = "Shade cools [@rowan_2019_shade; @nobody_1999_x]. Trees sing [@nobody_1999_x]."
    report = Report(sections=[section(1, "A", text)], sources=reports.report_sources())
    invented = r"(?nobody\_1999\_x)"
    assert f"Shade cools [@rowan_2019_shade] {invented}. Trees sing {invented}." in pandoc_markdown(
        report, {}
    )
    assert rf"(Rowan, 2019; ?nobody\_1999\_x). Trees sing {invented}." in render_markdown(report)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdfLaTeX")
def test_pdflatex_sets_whatever_sources_hold_in_latin_letters(tmp_path):
    report = asyncio.run(nasty(" ".join([*NASTY, "Łódź, “naïve” – 5 €"])))
    text = asyncio.run(render_latex(report, bibliography="x"))
    (tmp_path / "x.tex").write_text(text, encoding="utf-8")
    (tmp_path / "x.bib").write_text(render_bibtex(report), encoding="utf-8")
    tex = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "x"]
    for words in (tex, ["bibtex", "x"], tex):
        ended = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)  # noqa: S603  # fixed words
        assert ended.returncode == 0, (tmp_path / "x.log").read_text(encoding="latin-1")[-2000:]
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


async def test_json_holds_everything(report):
    document = json.loads(render_json(report))
    assert document["content"]["title"] == report.title
    assert document["provenance"]["original_query"] == reports.QUESTION
    assert AnalysisResult.model_validate(document["analysis"]) == report.analysis
    assert Critique.model_validate(document["critique"]) == report.critique
    assert [*map(SearchResult.model_validate, document["sources"])] == report.sources
    assert report.output["confidence"] == report.confidence
    assert "confidence" not in document


async def test_references_follow_a_csl_style(report, tmp_path):
    path = tmp_path / "style.csl"
    path.write_text(STYLE, encoding="utf-8")
    named = references(report, str(path))
    assert sorted(named) == sorted(report.cited)
    assert "says Shade trees and street temperature" in named["rowan_2019_shade"]


async def test_figures_are_the_same_each_time(report):
    drawn = figures(report)
    assert set(drawn) == {"flow", "years"}
    assert all(b"<svg" in svg and b"<script" not in svg for svg in drawn.values())
    assert drawn == figures(report)


async def test_every_link_within_the_page_leads_somewhere(report):
    page = render_html(report)
    linked = set(re.findall(r'href="#([^"]+)"', page))
    assert {"ref-rowan_2019_shade"} <= linked <= set(re.findall(r'id="([^"]+)"', page))


def test_a_source_is_linked_by_its_best_known_number():
    def link(**known: str) -> str:
        paper = Paper(
            id="p", title="T", authors=[], source="s", url="https://example.org/p", **known
        )
        return link_of(result_of(paper, "q1"))

    assert link(doi="10.1000/a<b", pmid="7") == "https://doi.org/10.1000/a%3Cb"
    assert link(pmid="7", arxiv_id="2101.00001") == "https://pubmed.ncbi.nlm.nih.gov/7"
    assert link(arxiv_id="2101.00001") == "https://arxiv.org/abs/2101.00001"
    assert link() == "https://example.org/p"


async def test_a_report_from_a_search_says_how_many_of_its_papers_it_uses(
    report,
):
    counted = SourceReport(source="openalex", purpose="count", status=SourceStatus.OK, hits=9)
    queries = [dict(query) for query in report.provenance["search_queries"]]
    queries[0] |= {"found": 69, "runs": [*queries[0]["runs"], counted.model_dump(mode="json")]}
    said = {**report.provenance, "search_queries": queries, "from_thread": "t"}
    text = render_markdown(report.model_copy(update={"provenance": said})).replace("\\_", "_")
    used, searches = len(report.sources), len(report.journal)
    assert (
        f"{searches} searches were taken over from the search t, whose result has 69 papers, of "
        f"which the first {used} were used (max_sources), and {len(report.cited)} are in the table "
        "or cited." in text
    )
    assert "judging" not in text.split("taken over")[1].split("\n")[0]


async def test_the_table_of_searches_says_where_what_when_and_how_many(report):
    cells = [
        "openalex (rate limited)",
        '"shade trees" AND heat',
        f"{datetime.now(UTC).year}",
        "1,234",
        "4",
    ]
    for text in (render_markdown(report), unescape(render_html(report))):
        assert all(cell in text for cell in cells)
    assert "1,234" in await render_latex(report)


def test_a_mark_stands_behind_its_sentence_in_every_format():
    claim = "Shade cures fever [@rowan_2019_shade]."
    sentence = CheckedSentence(
        place="s1", start=0, end=len(claim), text=claim, status="contradicted", checked_by="model"
    )
    report = Report(
        status="complete",
        confidence="low",
        sections=[section(1, "What is known", claim)],
        sources=[result_of(paper, "q1") for paper in reports.report_papers()],
        critique=Critique(sentences=[sentence]),
    )
    mark = "contradicted by its source"
    assert rf"2019). *\[{mark}\]*" in render_markdown(report)
    assert f"</a>). <em>[{mark}]</em>" in render_html(report)
    assert rf"*\[{mark}\]*" in pandoc_markdown(report, {})
    assert f"Of 1 statement, checked by a model: 1 {mark}." in render_markdown(report)


async def test_word_documents_have_citations_references_and_figures(report):
    content = await render_docx(report, figures=figures(report, "png"))
    with zipfile.ZipFile(BytesIO(content)) as archive:
        text = archive.read("word/document.xml").decode()
        images = [name for name in archive.namelist() if name.startswith("word/media/")]
        parts = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
        trees = [fromstring(archive.read(name)) for name in parts]
    assert len(images) == 2
    assert len(trees) == len(set(parts)) > 8
    assert "Rowan" in text
    assert "[@" not in text


@pytest.mark.parametrize("text", NASTY)
async def test_what_sources_hold_stays_text_in_every_format(text):
    """SEC-08, SEC-10, SEC-11, INJ-04."""
    report = await nasty(text)
    page = render_html(report)
    assert "<script" not in page
    assert "<img" not in page
    assert "javascript:" not in re.sub(r">[^<]*<", "><", page)
    plain = render_markdown(report)
    assert "](http" not in plain.replace("\\", "!")
    assert "<script" not in plain.replace("\\<", "!")
    assert not re.search(r"(?<!\\)!\[|(?<!\\)<img", plain)
    latex = await render_latex(report)
    assert not re.search(r"\\(?:input|write18)\b", latex)
    json.loads(render_json(report))


async def test_a_report_without_a_draft_is_still_a_document():
    flow = ReportWorkflow(reports.report_services(search=reports.FakeSearch([])))
    report = await flow.run(reports.QUESTION)
    assert "No search results collected" in render_markdown(report)
    assert "No search results collected" in render_html(report)
    assert (await render_latex(report)).endswith("\\end{document}\n")
    assert json.loads(render_json(report))["analysis"] is None


def test_a_pandoc_that_fails_in_its_sandbox_is_passed_over(tmp_path, monkeypatch):
    broken = tmp_path / "pandoc"
    broken.write_text("#!/bin/sh\nexit 97\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    pandoc.cache_clear()
    try:
        assert not has_pandoc()
    finally:
        pandoc.cache_clear()


def test_without_a_pandoc_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    pandoc.cache_clear()
    try:
        with pytest.raises(ExportError, match=r"paper-search\[docx\]"):
            pandoc()
    finally:
        pandoc.cache_clear()
