"""Our own tables, read again, give the same records."""

from openpyxl import load_workbook

from paper_search.exports import export, get_exporter
from paper_search.exports.csv_table import export_xlsx
from paper_search.exports.files import write_export
from paper_search.models import Paper, ScreeningDecision
from paper_search.testing.exporters import collection_of, nasty_papers


def test_the_columns_of_screening_and_two_digits_of_the_score(tmp_path):
    said = ScreeningDecision(decision="exclude", decided_by="ada", reason="no trial")
    about = {"note": "see p. 3", "screening": said, "relevance_score": 2 / 3}
    paper = Paper(id="p", source="s", title="T", authors=[], **about)
    path = tmp_path / "papers.xlsx"
    write_export(export_xlsx(collection_of(paper)), path)
    names, cells = load_workbook(path).active.iter_rows(values_only=True)
    row = dict(zip(names, cells, strict=True))
    found = [row[name] for name in ("decision", "decided_by", "reason", "note")]
    assert found == ["exclude", "ada", "no trial", "see p. 3"]
    assert row["relevance_score"] == 0.67


def test_no_cell_of_a_workbook_is_a_formula(tmp_path):
    """SEC-09"""
    path = tmp_path / "papers.xlsx"
    write_export(export_xlsx(collection_of(*nasty_papers())), path)
    rows = list(load_workbook(path).active.iter_rows())
    assert len(rows) == len(nasty_papers()) + 1
    for row in rows:
        for cell in row:
            assert cell.data_type != "f"
            assert not str(cell.value or "").startswith(("=", "+", "@"))


def test_a_text_that_is_the_name_of_an_error_is_text(tmp_path):
    path = tmp_path / "papers.xlsx"
    paper = Paper(id="p", source="s", title="#DIV/0!", authors=[])
    write_export(export_xlsx(collection_of(paper)), path)
    cell = load_workbook(path).active["A2"]
    assert (cell.value, cell.data_type) == ("#DIV/0!", "s")


def test_a_workbook_of_no_papers_has_its_header():
    assert isinstance(export(collection_of(), "xlsx"), bytes)
    assert get_exporter("xlsx") is export_xlsx
