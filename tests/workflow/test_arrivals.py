"""Every record that a source gave has a row, also those that no round keeps."""

from paper_search.models import RawPaper, SearchReport, Sighting, SourceReport, SourceStatus
from paper_search.workflow.counts import arrivals_of, count_rounds, searched_round
from paper_search.workflow.rounds import join_reports


def answer_of(queries: list[list[int]], lost: list[int]) -> SearchReport:
    """Return the answer of a source whose queries gave these numbers, some of them twice."""
    papers: dict[int, RawPaper] = {}
    reports = []
    for name, numbers in enumerate(queries):
        fresh = [number for number in dict.fromkeys(numbers) if number not in papers]
        for number in dict.fromkeys(numbers):
            paper = papers.setdefault(number, RawPaper(id=str(number), title="T", source="s"))
            paper.sightings.append(Sighting(source="s", query=str(name)))
        reports.append(
            SourceReport(
                source="s",
                query=str(name),
                status=SourceStatus.OK,
                kept=len(fresh),
                repeated=len(numbers) - len(fresh),
                excluded=lost[0],
                dropped=lost[1],
                beyond_limit=lost[2],
            )
        )
    return SearchReport(papers=list(papers.values()), sources=reports)


def test_what_a_source_repeats_when_it_is_waited_for_is_counted_as_given_again():
    before = answer_of([[1, 2]], [1, 0, 0])
    again = answer_of([[1, 2, 3], [3]], [2, 0, 0])
    first, second = arrivals_of(before, ["1", "2"]), arrivals_of(again, ["1", "2", "3"])
    (old,), (new, other) = before.sources, again.sources
    rows = join_reports([old], [new, other], (first, second))
    assert [row.is_asked_again for row in rows] == [True, False, False]
    assert [(row.kept, row.repeated) for row in rows] == [(2, 0), (1, 2), (0, 1)]
    assert [row.received for row in rows] == [3, 5, 3]
    (counts,) = count_rounds([searched_round(0, [*first, *second], {})], {})
    assert (counts.arrived, counts.again, counts.first_found) == (11, 3, 3)
