"""What becomes of the records of one query."""

from paper_search.models import RawPaper
from paper_search.query import parse
from paper_search.sources.adapter import Page
from paper_search.sources.query_run import QueryRun


def record(identifier: str, title: str, abstract: str | None) -> RawPaper:
    return RawPaper(id=identifier, title=title, authors=[], source="s", abstract=abstract)


def test_only_records_that_could_not_be_checked_are_counted_as_such():
    records = [
        record("match", "Cells", "of mice and men"),
        record("match too", "Rats", "and mice"),
        record("open", "A title alone", None),
        record("other", "Trees", "of the forest"),
    ]
    run = QueryRun("q", remainder=parse("mice"))
    page = Page(records, hits=4)
    run.take(page, run.verdicts(page), "s", limit=10)
    report = run.report("s")
    assert [paper.id for paper in run.papers] == ["match", "match too", "open"]
    assert (report.kept, report.excluded) == (3, 1)
    assert report.note == "1 could not be checked (no abstract or year) and were kept"
