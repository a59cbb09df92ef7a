"""Formats by name, ours and those that others install."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rispy
from citeproc.source.json import CiteProcJSON
from rdflib import Graph, URIRef
from tests.architecture.tree import ROOT
from tests.exports.test_bibtex import count_in_both
from tests.exports.test_csv_table import records_of
from tests.exports.test_markdown import body_rows

from paper_search import exports
from paper_search.errors import UnknownNameError
from paper_search.exports.markdown import export_markdown
from paper_search.testing.exporters import check_exporter, collection_of


def items_of_rdf(text: str) -> int:
    graph = Graph().parse(data=text, format="xml")
    return len(
        list(graph.objects(None, URIRef("http://www.zotero.org/namespaces/export#itemType")))
    )


COUNTERS: dict[str, Callable[[str], int] | None] = {
    "asreview": lambda text: len(records_of(text)),
    "biblatex": None,
    "bibtex": count_in_both,
    "csl-json": lambda text: len(CiteProcJSON(json.loads(text))),
    "csv": lambda text: len(records_of(text)),
    "json": lambda text: len(json.loads(text)["papers"]),
    "markdown": body_rows,
    "rayyan": lambda text: len(records_of(text)),
    "ris": lambda text: len(rispy.loads(text)),
    "zotero-rdf": items_of_rdf,
}
"""How many records others read in what our formats of text write."""


def test_our_formats_are_known_and_in_the_guide():
    assert {*COUNTERS, "xlsx"} == {*exports.exporter_names()}
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    assert [name for name in exports.exporter_names() if f"`{name}`" not in guide] == []


@pytest.mark.parametrize("name", COUNTERS)
def test_each_of_our_formats_passes_the_kit(name):
    """SEC-08 SEC-09 SEC-10 SEC-11"""
    check_exporter(exports.get_exporter(name), count_records=COUNTERS[name])


def test_the_table_alone_passes_the_kit_too():
    """SEC-11"""
    check_exporter(export_markdown, count_records=body_rows)


@pytest.fixture
def strangers_exporter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install a package that brings the format `titles`."""
    (tmp_path / "strange_titles.py").write_text(
        "def export_titles(collection):\n"
        "    return '\\n'.join(repr(paper.title) for paper in collection.papers)\n"
    )
    metadata = tmp_path / "strange_titles-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: strange-titles\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[paper_search.exporters]\ntitles = strange_titles:export_titles\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "titles"


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"'docx'; known: asreview, biblatex, bibtex, .*ris"):
        exports.export(collection_of(), "docx")


def test_a_format_that_someone_else_installed_is_found(strangers_exporter):
    assert strangers_exporter in exports.exporter_names()
    assert exports.format_for_suffix("papers.titles") == strangers_exporter
    assert [exports.suffix_of_format(name) for name in ("ris", strangers_exporter)] == [".ris", ""]
    assert exports.suffix_of_format("biblatex") == ".bib"
    check_exporter(exports.get_exporter(strangers_exporter))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.bib", "bibtex"),
        ("A.BIB", "bibtex"),
        (Path("x.y/a.ris"), "ris"),
        ("a.json", "json"),
        ("a.csl.json", "csl-json"),
        ("a.csv", "csv"),
        ("a.md", "markdown"),
        ("a.markdown", "markdown"),
        ("a.rdf", "zotero-rdf"),
    ],
)
def test_a_suffix_stands_for_a_format(path, name):
    assert exports.format_for_suffix(path) == name
    assert name in exports.exporter_names()


@pytest.mark.parametrize("path", ["a.docx", "a", "", ".bibliography", "a.bib.gz"])
def test_a_suffix_that_stands_for_nothing_is_refused(path):
    with pytest.raises(UnknownNameError, match=r"known: \.bib, "):
        exports.format_for_suffix(path)


def test_the_package_loads_no_exporter_before_one_is_asked_for():
    code = (
        "import sys, paper_search.exports;"
        "late = {'anyascii', 'paper_search.exports.bibtex'} & set(sys.modules);"
        "sys.exit(repr(late) if late else 0)"
    )
    done = subprocess.run(  # noqa: S603  our own interpreter, our own code
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
