"""A report in every format: whole, cited, and inert whatever its sources hold."""

import asyncio
import json
import re
import zipfile
from io import BytesIO

import pytest

from paper_search.errors import ConfigError, ExportError
from paper_search.models import Author, Paper
from paper_search.report.document import Report, render_json
from paper_search.report.evidence import result_of
from paper_search.report.outputs.docx import render_docx
from paper_search.report.outputs.figures import figures
from paper_search.report.outputs.latex import render_bibtex, render_latex
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report.outputs.page import render_html
from paper_search.report.outputs.references import references
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.reports import QUESTION, FakeSearch, report_papers, report_services

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
    return asyncio.run(ReportWorkflow(report_services(), target_length=1000).run(QUESTION))


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
    sources = [result_of(each, "q1") for each in [paper, *report_papers()]]
    flow = ReportWorkflow(report_services(search=FakeSearch(sources)), target_length=1000)
    return await flow.run(QUESTION)


async def test_markdown_has_every_part_and_readable_citations(report):
    text = render_markdown(report)
    assert text.startswith("# Do shade trees lower")
    for title in ("## Abstract", "## Introduction", "## Conclusion", "## References"):
        assert title in text
    assert "(Rowan, 2019)" in text
    assert "[@" not in text
    assert "Status: complete" in text


async def test_html_allows_nothing_and_links_its_references(report):
    page = render_html(report)
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert '<a class="cite" href="#ref-rowan_2019_shade">Rowan, 2019</a>' in page
    assert 'id="ref-rowan_2019_shade"' in page
    assert "<script" not in page


async def test_latex_cites_keys_that_its_bibliography_has(report):
    text, book = render_latex(report, bibliography="shade"), render_bibtex(report)
    cited = {key for each in re.findall(r"\\cite\{([^}]*)\}", text) for key in each.split(",")}
    assert cited == set(re.findall(r"@\w+\{([^,]+),", book))
    assert r"\bibliography{shade}" in text
    assert text.count(r"\begin{") == text.count(r"\end{")


async def test_json_holds_everything(report):
    document = json.loads(render_json(report))
    assert document["content"]["title"] == report.title
    assert document["provenance"]["original_query"] == QUESTION
    assert document["analysis"]["findings"]
    assert document["critique"]["overall_score"] == report.metadata["final_score"]
    assert len(document["sources"]) == 6


async def test_plain_references_are_those_that_are_cited(report):
    named = references(report)
    assert list(named) == sorted(report.cited)
    assert named["rowan_2019_shade"].startswith("Rowan, Ada (2019). Shade trees")
    assert "yew_2023_shade" not in named


async def test_references_follow_a_csl_style(report, tmp_path):
    path = tmp_path / "style.csl"
    path.write_text(STYLE, encoding="utf-8")
    named = references(report, str(path))
    assert sorted(named) == sorted(report.cited)
    assert "says Shade trees and street temperature" in named["rowan_2019_shade"]


async def test_a_style_that_is_not_there_is_refused(report):
    with pytest.raises(ConfigError, match="no reference style"):
        references(report, "nowhere.csl")


async def test_figures_are_svg_and_the_same_each_time(report):
    drawn = figures(report)
    assert len(drawn) == 2  # no theme runs through these sources
    assert all("<svg" in svg and "<script" not in svg for svg in drawn.values())
    assert drawn == figures(report)
    page = render_html(report, figures=drawn)
    assert page.count("data:image/svg+xml;base64,") == 2


async def test_word_documents_are_made_where_pandoc_is(report):
    from paper_search.report.outputs.docx import pandoc

    try:
        pandoc()
    except ExportError as error:
        pytest.skip(str(error))
    content = await render_docx(report)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        text = archive.read("word/document.xml").decode()
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
    latex = render_latex(report)
    assert not re.search(r"\\(?:input|write18)\b", latex)
    json.loads(render_json(report))


async def test_a_report_without_a_draft_is_still_a_document():
    flow = ReportWorkflow(report_services(search=FakeSearch([])))
    report = await flow.run(QUESTION)
    assert "No search results collected" in render_markdown(report)
    assert "No search results collected" in render_html(report)
    assert render_latex(report).endswith("\\end{document}\n")
