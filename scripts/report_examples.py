# ruff: noqa: INP001  # a script, not a package
"""Writes docs/examples/report: what a report looks like in every format.

`sample` is a report from the sample that ships. Its records have no abstracts, so that it says what
a report says where nothing answers. `shade` is one from the six made-up papers of
`paper_search.testing.reports`, one of them withdrawn; its abstracts answer, and disagree.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from paper_search.config import AppConfig
from paper_search.report.document import Report
from paper_search.report.outputs.figures import figures
from paper_search.report.outputs.markdown import render_html, render_markdown
from paper_search.report.outputs.pandoc import render_bibtex, render_docx, render_latex
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.reports import QUESTION, report_services

FOLDER = Path(__file__).parents[1] / "docs" / "examples" / "report"
SAMPLE_QUESTION = "How do graph neural networks predict molecular properties?"
_DAY = "2026-11-22T12:00:00+00:00"


async def reports() -> dict[str, Report]:
    """Return the examples by name, as of a fixed day."""
    with tempfile.TemporaryDirectory() as home:
        config = AppConfig(home=Path(home), report_pages=0)
        sample = await ReportWorkflow.from_config(config, sources=["sample"]).run(SAMPLE_QUESTION)
    shade = await ReportWorkflow(report_services(), target_length=1000).run(QUESTION)
    return {"sample": _dated(sample), "shade": _dated(shade)}


def _dated(report: Report) -> Report:
    queries: list[dict[str, Any]] = report.provenance["search_queries"]
    for run in (run for query in queries for run in query["runs"]):
        run["asked_at"] = _DAY
    report.metadata["completed_at"] = _DAY
    return report


async def texts(name: str, report: Report) -> dict[str, str]:
    """Return the files of an example that are text, by their names, without its figures."""
    drawn = {figure: f"{name}-{figure}.pdf" for figure in figures(report)}
    return {
        f"{name}.md": render_markdown(report),
        f"{name}.tex": await render_latex(report, bibliography=name, figures=drawn),
        f"{name}.bib": render_bibtex(report),
    }


async def write() -> None:
    """Write all files of all examples."""
    for name, report in (await reports()).items():
        for file, text in (await texts(name, report)).items():
            (FOLDER / file).write_text(text, encoding="utf-8")
        for item, pdf in figures(report, "pdf").items():
            (FOLDER / f"{name}-{item}.pdf").write_bytes(pdf)
        page = render_html(report, figures=figures(report))
        (FOLDER / f"{name}.html").write_text(page, encoding="utf-8")
        word = await render_docx(report, figures=figures(report, "png"))
        (FOLDER / f"{name}.docx").write_bytes(word)
        sys.stdout.write(f"wrote {name}\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    asyncio.run(write())
