"""The table of evidence of a report in a browser."""

from paper_search.report.document import Report
from paper_search.report.models import AnalysisResult, Quote, Study
from paper_search.report.outputs.markdown import render_html
from paper_search.testing.reports import report_sources

LONG = "We measured the temperature of streets with and without shade trees for three summers. " * 4


def test_a_column_beside_long_quotations_is_as_wide_as_its_words(context):
    sources = report_sources()
    quotes = [[Quote(result_id=one.result_id, text=LONG, end=len(LONG))] for one in sources]
    studies = [
        Study(result_id=one.result_id, quotes=own, says="yes")
        for one, own in zip(sources, quotes, strict=True)
    ]
    report = Report(title="Shade", sources=sources, analysis=AnalysisResult(studies=studies))
    page = context.new_page()
    page.set_content(render_html(report))
    heads = page.locator("th")
    assert "Year" in heads.all_inner_texts()
    widths = heads.evaluate_all("heads => heads.map(head => head.clientWidth)")
    assert min(widths) > 40  # a letter is 8 wide
    page.close()
