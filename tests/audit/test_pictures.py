"""The pictures of an audit: what is on them, and when there is none."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tests.audit.doubles import THREE_ROUNDS, searched

from paper_search.audit import Audit, audit_of
from paper_search.audit.fates import Fate, RecordFate
from paper_search.audit.pictures import CAPTIONS, pictures
from paper_search.audit.pictures.found import works_by
from paper_search.audit.pictures.judged import verdicts_in_order
from paper_search.audit.pictures.network import citation_network, citations
from paper_search.audit.reading import ReviewThread
from paper_search.models import Paper, RawPaper, ScreeningDecision, Sighting
from paper_search.workflow import ThreadInfo, ThreadStatus, WorkflowState
from paper_search.workflow.marks import ScreeningMark


async def reviewed() -> Audit:
    return await audit_of(await searched(*THREE_ROUNDS), "t", has_pictures=False)


def words(svg: bytes) -> list[str]:
    texts = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314  # ours
    return [text.text or "" for text in texts]


async def test_the_flow_shows_the_counts_of_the_audit() -> None:
    audit = await reviewed()
    said = words(pictures(audit.thread, audit.records, audit.flow)["prisma_flow"])
    assert "Records identified (n = 8)" in said
    assert "Duplicates removed (n = 1)" in said
    assert "of earlier rounds, not carried over (n = 2)" in said
    assert "no bees (n = 1)" in said
    assert "Works included (n = 1)" in said


async def test_a_picture_is_a_png_as_well_and_each_time_the_same() -> None:
    audit = await reviewed()
    drawn = pictures(audit.thread, audit.records, audit.flow, "png")
    assert set(drawn) == set(CAPTIONS) - {"citation_network", "papers_by_year"}
    assert all(item.startswith(b"\x89PNG") for item in drawn.values())
    assert pictures(audit.thread, audit.records, audit.flow, "png") == drawn


async def test_a_picture_is_left_out_where_there_is_nothing_to_show() -> None:
    audit = await reviewed()
    bare = pictures(audit.thread, [], audit.flow)
    assert set(bare) == {"prisma_flow"}


async def test_a_work_of_two_records_counts_for_both_sources_and_their_queries() -> None:
    records = (await reviewed()).records
    assert works_by(records, is_by_query=False)["a-shared"] == {("a",), ("b",)}
    queries = works_by(records, is_by_query=True)["a-shared"]
    assert {source for source, _ in queries} == {"a", "b"}
    assert len(queries) == 6


def fate(number: int, fate: Fate = Fate.UNDECIDED, **fields: object) -> RecordFate:
    record = RawPaper(id=f"r{number}", title=f"Paper {number}", source="s", year=2000 + number)
    record = record.model_copy(update=fields)
    paper = Paper(id=record.id, title=record.title, authors=[], source="s", year=record.year)
    return RecordFate(record, fate, record.id, "", 0, "", paper)


def test_citations_come_from_references_and_from_where_a_record_was_found() -> None:
    def seen(query: str) -> list[Sighting]:
        return [Sighting(source="snowball", query=query)]

    records = [
        fate(1, openalex_id="W1", raw_data={"references": ["W2", "W9"]}),
        fate(2, openalex_id="W2", doi="10.1000/two"),
        fate(3, sightings=seen("OpenCitations references of doi:10.1000/Two")),
        fate(4, sightings=seen("Semantic Scholar citations of DOI:10.1000/two")),
        fate(5, Fate.SET_ASIDE, raw_data={"references": ["W1"]}),
    ]
    assert citations(records) == {("r1", "r2"), ("r2", "r3"), ("r4", "r2")}
    assert citation_network(records) is not None
    assert citation_network(records[1:2]) is None


def decided(number: int, fate_: Fate, at: str, score: float = 0.5) -> RecordFate:
    each = fate(number, fate_)
    each.paper.screening = ScreeningDecision(decision="include", decided_at=at)
    each.paper.relevance_score = score
    return each


def test_the_curve_of_recall_follows_the_order_in_which_works_were_decided_on() -> None:
    def mark(number: int, at: str) -> ScreeningMark:
        return ScreeningMark(
            paper_id=f"r{number}", number=number, iteration=0, is_relevant=True, said_at=at
        )

    records = [
        decided(1, Fate.INCLUDED, "9", 0.1),
        decided(2, Fate.EXCLUDED, "9", 0.9),
        decided(3, Fate.EXCLUDED, "9"),
        decided(4, Fate.INCLUDED, "1"),
    ]
    thread = ReviewThread(ThreadInfo(thread_id="t", status=ThreadStatus.DONE), WorkflowState())
    # One answer said 1, 2 and 3 at once: by score.
    assert verdicts_in_order(thread, records) == [True, False, False, True]
    thread.independent["ada"] = [mark(3, "5"), mark(2, "7")]
    thread.independent["bo"] = [mark(3, "6"), mark(2, "0")]
    assert verdicts_in_order(thread, records) == [False, True, False, True]
