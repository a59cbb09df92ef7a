"""The examples in docs/examples/report are what the program writes today."""

import asyncio
import re
import zipfile

import pytest
from scripts.report_examples import FOLDER, reports, texts

from paper_search.report.document import Report
from paper_search.report.outputs.figures import figures
from paper_search.report.outputs.markdown import render_html

DRAWN = re.compile(r"data:image/svg\+xml;base64,[^\"]+")
"""How a figure is drawn depends on the version of matplotlib; that it is there does not."""


@pytest.fixture(scope="module")
def examples() -> dict[str, Report]:
    return asyncio.run(reports())


@pytest.mark.parametrize("name", ["sample", "shade"])
def test_the_examples_are_up_to_date(examples, name):
    """If not: .venv/bin/python scripts/report_examples.py"""
    report = examples[name]
    for file, text in asyncio.run(texts(name, report)).items():
        assert (FOLDER / file).read_text(encoding="utf-8") == text, file
    page = (FOLDER / f"{name}.html").read_text(encoding="utf-8")
    assert DRAWN.sub("", page) == DRAWN.sub("", render_html(report, figures=figures(report)))
    with zipfile.ZipFile(FOLDER / f"{name}.docx") as archive:
        words = re.sub(r"<[^>]+>", "", archive.read("word/document.xml").decode())
    assert f"Status: {report.status}" in words


def test_the_sample_shows_a_report_without_an_answer(examples):
    without = {name: report.is_without_answer for name, report in examples.items()}
    assert without == {"sample": True, "shade": False}
