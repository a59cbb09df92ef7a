"""CSV, re-read by the csv module, and by what a spreadsheet would make of it."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.exports.csv_table import export_csv
from paper_search.exports.text import single_line
from paper_search.models import Author, Paper, PaperTag
from paper_search.testing.exporters import collection_of

ANY_TEXT = st.text(max_size=40) | st.text(alphabet="=+-@\t\r\n;,\"' a", max_size=25)
STARTS = ("=", "+", "-", "@", "\t", "\r")


def paper(**fields: object) -> Paper:
    return Paper.model_validate(
        {"id": "p", "title": "Deep learning", "source": "test", "authors": [], **fields}
    )


def records_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize(
    "attack",
    [
        '=HYPERLINK("https://example.org")',
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\x00=1",
        "＝1",
    ],
)
@pytest.mark.parametrize("field", ["title", "venue", "abstract", "doi", "id", "relevance_reason"])
def test_a_formula_is_made_inert_in_every_text_field(attack, field):
    """SEC-09"""
    (record,) = records_of(export_csv(collection_of(paper(**{field: attack}))))
    assert record[field].startswith("'")


def test_a_formula_after_a_line_break_never_starts_a_line():
    """SEC-09"""
    (record,) = records_of(export_csv(collection_of(paper(title="a\n=1+1\r\n@x"))))
    assert record["title"] == "a =1+1 @x"


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
@examples(150)
def test_any_text_gives_rows_of_equal_length_without_formulas(title, author, venue):
    """SEC-09"""
    given_paper = paper(title=title, authors=[Author(name=author)], venue=venue)

    text = export_csv(collection_of(given_paper, given_paper))

    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == 3
    assert len({len(row) for row in rows}) == 1
    assert rows[1][0].replace("'", "") == single_line(title).replace("'", "")
    # A spreadsheet may have another list separator.
    for delimiter in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            assert not any(cell.lstrip().startswith(STARTS) for cell in row)


@pytest.mark.parametrize("attack", ["a;=1+1", "a; =1+1;", 'a;"=1+1"', 'a";"=1', ';;@x;"";-1'])
def test_a_semicolon_starts_no_formula_where_it_is_the_separator(attack):
    """SEC-09"""
    text = export_csv(collection_of(paper(title=attack, venue=attack, abstract=attack)))
    cells = [cell for row in csv.reader(io.StringIO(text), delimiter=";") for cell in row]
    assert not any(cell.lstrip().startswith(STARTS) for cell in cells)


def test_a_plain_paper_has_all_its_cells():
    text = export_csv(
        collection_of(
            paper(
                authors=[Author(name="Ann Lee"), Author(name="Bo Li")],
                year=2020,
                citation_count=7,
                relevance_score=0.5,
                tags=[PaperTag.METHOD, PaperTag.DATASET],
                keywords=["graphs", "trees"],
                full_text_url="https://example.org/a b",
                is_retracted=False,
                is_judged=False,
            )
        )
    )
    assert text.count("\r\n") == text.count("\n") == 2, "as RFC 4180 says"
    (record,) = records_of(text)
    assert {name: value for name, value in record.items() if value} == {
        "title": "Deep learning",
        "authors": "Ann Lee; Bo Li",
        "year": "2020",
        "citation_count": "7",
        "relevance_score": "0.5",
        "tags": "method; dataset",
        "keywords": "graphs; trees",
        "full_text_url": "https://example.org/a%20b",
        "is_judged": "no",
        "is_retracted": "no",
        "source": "test",
        "id": "p",
    }


def test_a_count_that_nobody_knows_is_an_empty_cell():
    counts = [{}, {"citation_count": 0}, {"citation_count": 7}]
    rows = records_of(export_csv(collection_of(*(paper(**count) for count in counts))))
    assert [row["citation_count"] for row in rows] == ["", "0", "7"]
