"""What works lack is filled, and nothing else is touched."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from paper_search.models import Author, RawPaper, SourceReport, SourceStatus
from paper_search.skills.gap_filler import GapFiller
from paper_search.sources.enrichment import LookUp

TITLE = "A survey of learning to sort with networks"


def work(**fields: Any) -> RawPaper:
    given = {"id": "w1", "title": TITLE, "source": "test", "doi": "10.1000/a", "year": 2020}
    return RawPaper.model_validate(given | fields)


def known(**fields: Any) -> RawPaper:
    return work(id="crossref:10.1000/a", source="crossref", **{"abstract": "Known.", **fields})


class ShelfEnricher:
    """Knows what it is told to, after a while, or fails as it is told to."""

    def __init__(
        self,
        *records: RawPaper,
        name: str = "shelf",
        error: Exception | None = None,
        delay_s: float = 0,
    ) -> None:
        self.records, self.enricher_name, self.error = list(records), name, error
        self.delay_s = delay_s
        self.asked: list[list[str]] = []

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        self.asked.append([record.id for record in works])
        await asyncio.sleep(self.delay_s)
        if self.error is not None:
            raise self.error
        report = SourceReport(source=self.enricher_name, status=SourceStatus.OK)
        return LookUp(report, {record.id: self.records for record in works})


async def filled(one: RawPaper, *records: RawPaper) -> RawPaper:
    report = await GapFiller([ShelfEnricher(*records)]).fill([one])
    return report.works[0]


async def test_what_a_source_gave_stays():
    found = await filled(
        work(abstract="Own.", full_text_url="https://own.org/a"),
        known(doi="10.1000/A", full_text_url="https://x.org/a.pdf", year=2021, venue="Other"),
    )
    assert found == work(abstract="Own.", full_text_url="https://own.org/a")


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({}, {"title": "Proceedings of the congress on lemons"}),
        ({"doi": None}, {"title": "A survey of learning to swim with sharks"}),
        ({"doi": None}, {"year": 2023}),
        ({"doi": None, "year": None}, {}),
        ({"doi": None, "title": f"{TITLE}, part 1"}, {"title": f"{TITLE}, part 2"}),
        ({"doi": None, "title": f"{TITLE}, part II"}, {"title": f"{TITLE}, part III"}),
        ({"doi": None, "pmid": "1"}, {"pmid": "2"}),
        (
            {"doi": None, "authors": [Author(name="A Smith")]},
            {"authors": [Author(name="Jones, Ada")]},
        ),
        ({"doi": None, "title": "Editorial"}, {"title": "Editorial"}),
        ({"doi": "10.1000/b"}, {}),
    ],
    ids=["title", "similar", "year", "bare", "part", "roman", "pmid", "author", "short", "doi"],
)
async def test_a_record_of_another_work_fills_nothing(mine, theirs):
    report = await GapFiller([ShelfEnricher(known(**theirs))]).fill([work(**mine)])
    assert report.works == [work(**mine)]
    assert "works without a matching record" in (report.sources[0].note or "")


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({}, {"title": TITLE.upper()}),
        ({}, {"title": "A survey"}),
        ({}, {"title": f"{TITLE}: a second part of the title that is much longer than the first"}),
        ({"doi": None}, {"year": 2021}),
        ({"doi": None, "title": f"{TITLE}, part 2"}, {"title": f"{TITLE}, Part 2"}),
        (
            {"doi": None, "authors": [Author(name="Ada Jones")]},
            {"authors": [Author(name="Jones, A")]},
        ),
        ({"doi": None, "arxiv_id": "2001.00001"}, {"arxiv_id": "2001.00001"}),
    ],
)
async def test_a_record_of_the_work_fills_what_it_can(mine, theirs):
    found = await filled(work(**mine), known(**theirs))
    assert (found.abstract, found.doi) == ("Known.", "10.1000/a")


async def test_the_next_is_asked_only_for_what_is_still_missing():
    first = ShelfEnricher(known(full_text_url="https://x.org/a.pdf"), name="first")
    second = ShelfEnricher(name="second")
    bare = work(id="w2", title="Something else that nobody knows", doi="10.1000/z")
    whole = work(id="w3", abstract="Own.", full_text_url="https://x.org")
    report = await GapFiller([first, second]).fill([work(), bare, whole])
    third = ShelfEnricher()
    assert (await GapFiller([third]).fill([whole])).sources == third.asked == []
    assert first.asked == [["w1", "w2"]]
    assert second.asked == [["w2"]]
    assert [record.id for record in report.works] == ["w1", "w2", "w3"]
    assert [source.kept for source in report.sources] == [1, 0]
    assert report.sources[0].note == (
        "filled 1 abstracts, 1 open texts; works without a matching record: 1"
    )


async def test_a_failure_is_told_and_loses_nothing():
    broken = ShelfEnricher(error=KeyError("title"), name="broken")
    report = await GapFiller([broken, ShelfEnricher(known())]).fill([work()])
    assert report.works[0].abstract == "Known."
    assert [source.status for source in report.sources] == [SourceStatus.BUG, SourceStatus.OK]
    assert report.sources[0].source == "broken (enrichment)"


async def test_one_that_does_not_answer_is_given_up():
    silent = ShelfEnricher(known(), delay_s=60)
    report = await GapFiller([silent], deadline_s=0.01).fill([work()])
    assert report.works == [work()]
    assert report.sources[0].status is SourceStatus.TIMEOUT


async def test_a_cancelled_search_is_not_taken_for_a_failure():
    task = asyncio.ensure_future(GapFiller([ShelfEnricher(delay_s=60)]).fill([work()]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
