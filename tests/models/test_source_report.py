"""Rows of the journal: what was asked, what came, and what became of it."""

from paper_search.models import RawPaper, Sighting, source_report
from paper_search.models.report import SearchReport

SENT = source_report.RequestRecord(at="2026-11-23T20:05:59Z", text="q")
STORED = source_report.RequestRecord(at=None, is_stored=True)


def row(**fields: object) -> source_report.SourceReport:
    return source_report.SourceReport.model_validate({"source": "s", "status": "ok", **fields})


def test_numbers_moments_and_requests_are_said_in_words():
    assert [
        source_report.quantity(1, "paper"),
        source_report.quantity(1200, "query", "queries"),
    ] == [*("1 paper", "1,200 queries")]
    assert [source_report.minute("2026-11-23T20:05:59Z"), source_report.minute("2026-11-23")] == [
        *("2026-11-23 20:05 UTC", "2026-11-23")
    ]
    assert [str(SENT), str(STORED)] == [
        *("sent 2026-11-23T20:05:59Z q", "stored answer of an unknown day")
    ]


def test_records_that_are_only_looked_at_count_as_not_taken():
    looked_at = row(kept=3, unused=1, repeated=2).without_records(source_report.Purpose.COUNT)
    assert looked_at == row(purpose="count", unused=4, repeated=2)


def test_what_went_out_before_the_approval_is_told_by_purpose_and_source():
    rows = [
        row(purpose="count", requests=[SENT, STORED]),
        row(purpose="count", requests=[SENT], source="t"),
        row(purpose="count", requests=[SENT]),
        row(purpose="look-up", requests=[SENT]),
        row(requests=[SENT]),
    ]
    assert source_report.early_requests(rows) == (
        "sent before your approval: 1 request to find the paper that the question names: 1 to s; "
        "3 requests to count hits: 2 to s, 1 to t"
    )
    assert (
        source_report.early_requests(
            [row(requests=[SENT]), row(purpose="count", requests=[STORED])]
        )
        is None
    )


def test_rows_of_records_are_those_that_came_or_as_sightings_and_counts_tell():
    twice = [Sighting(source="s", query="q", rank=1), Sighting(source="s", query="q", rank=4)]
    papers = [
        RawPaper(id="a", title="A", source="s", sightings=twice),
        RawPaper(id="b", title="B", source="f"),
    ]
    counts = row(query="q", kept=1, repeated=2, dropped=1)
    report = SearchReport(papers=papers, sources=[counts])
    assert report.rows() == [
        source_report.Arrival(record="a", source="s", query="q", position=1),
        source_report.Arrival(record="a", source="s", query="q", position=4),
        source_report.Arrival(record="b", source="f"),
        source_report.Arrival(source="s", query="q", removed="the same record on a later page"),
        source_report.Arrival(source="s", query="q", removed="no title"),
    ]
    own = [source_report.Arrival(record="a", source="s")]
    assert SearchReport(papers=papers, sources=[counts], arrivals=own).rows() == own
