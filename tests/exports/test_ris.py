"""RIS, re-read by rispy."""

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.exports.test_csv_table import paper

from paper_search.exports.ris import export_ris
from paper_search.exports.text import single_line
from paper_search.models import Author, PaperTag
from paper_search.testing.exporters import collection_of

ANY_TEXT = st.text(max_size=40) | st.text(alphabet="ERTY -\n\r\x0b\x85\u2028", max_size=25)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
@examples(150)
def test_one_record_stays_one_record(title, author, venue):
    """SEC-11"""
    given_paper = paper(title=title, authors=[Author(name=author)], venue=venue, year=2020)

    text = export_ris(collection_of(given_paper, given_paper))

    # The reader that splits at everything that Python knows as a line break is the severest.
    records = rispy.loads("\n".join(text.splitlines()))
    assert len(records) == 2
    assert {record["year"] for record in records} == {"2020"}
    assert {record.get("title", "") for record in records} == {single_line(title)}


def test_a_plain_paper_reads_as_one_would_write_it_and_absent_fields_leave_no_tag():
    assert export_ris(collection_of(paper())) == "TY  - GEN\nTI  - Deep learning\nER  - \n"
    text = export_ris(
        collection_of(
            paper(
                authors=[Author(name="John A. Smith"), Author(name="Jan van der Berg Jr.")],
                year=2021,
                venue="Nature",
                publication_type="article-journal",
                volume="5",
                issue="2",
                pages="12–34",
                doi="10.1000/a_b",
                url="https://example.org/a",
                full_text_url="https://example.org/a.pdf",
                pmid="123",
                isbn="978-3",
                abstract="We\ndo.",
                publisher="Ours",
                language="en",
                tags=[PaperTag.REVIEW],
            )
        )
    )
    assert text == (
        "TY  - JOUR\n"
        "TI  - Deep learning\n"
        "AU  - Smith, John A.\n"
        "AU  - van der Berg, Jan, Jr.\n"
        "PY  - 2021\n"
        "T2  - Nature\n"
        "VL  - 5\n"
        "IS  - 2\n"
        "SP  - 12\n"
        "EP  - 34\n"
        "PB  - Ours\n"
        "SN  - 978-3\n"
        "DO  - 10.1000/a_b\n"
        "AN  - PMID:123\n"
        "UR  - https://example.org/a\n"
        "L1  - https://example.org/a.pdf\n"
        "LA  - en\n"
        "KW  - review\n"
        "AB  - We do.\n"
        "ER  - \n"
    )


@pytest.mark.parametrize(
    ("pages", "first", "last"),
    [
        ("1-9", "1", "9"),
        ("S12 -- S20", "S12", "S20"),
        ("e1002", "e1002", None),
        ("1-3, 7", "1-3, 7", None),
        ("1471-2105-11-5", "1471-2105-11-5", None),
    ],
)
def test_pages_are_split_only_where_they_are_one_range(pages, first, last):
    (record,) = rispy.loads(export_ris(collection_of(paper(pages=pages))))
    assert (record["start_page"], record.get("end_page")) == (first, last)


def test_every_keyword_has_a_line():
    known = paper(keywords=["Graphs", "retracted", "Diabetes Mellitus, Type 2"], is_retracted=True)
    (record,) = rispy.loads(export_ris(collection_of(known)))
    assert record["keywords"] == ["retracted", "Graphs", "Diabetes Mellitus, Type 2"]
