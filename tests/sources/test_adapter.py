"""What all adapters share."""

from paper_search.models import RawPaper
from paper_search.sources.adapter import Page


def read(entry: str) -> RawPaper | None:
    if entry == "odd":
        raise KeyError("title")
    return RawPaper(id=entry, title=entry, source="test") if entry else None


def test_an_odd_record_is_counted_and_loses_none_of_the_others():
    page = Page.of(["a", "odd", "", "b", "odd"], read, hits=9, notes=("said",))
    assert [paper.id for paper in page.papers] == ["a", "b"]
    assert (page.dropped, page.hits) == (3, 9)
    assert page.notes == ("said", "2 records could not be read (KeyError: 'title')")


def test_records_without_a_fault_need_no_note():
    assert Page.of(["a", ""], read).notes == ()
