"""The pictures of an audit: what is on them, and when there is none."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from tests.audit.doubles import reviewed

from paper_search.audit.checklists import methods
from paper_search.audit.flow import RecordRow, Status, Work, works_of
from paper_search.audit.pictures import (
    CAPTIONS,
    papers_by_year,
    pictures,
    scores,
    source_contribution,
    source_overlap,
    verdicts_in_order,
    works_by,
)
from paper_search.audit.reading import ReviewThread
from paper_search.models import Arrival, Paper, ScreeningDecision
from paper_search.report.outputs.figures import saved
from paper_search.workflow import ThreadInfo, ThreadStatus, WorkflowState
from paper_search.workflow.counts import PlacedArrival
from paper_search.workflow.full_texts import FullTextFlow
from paper_search.workflow.marks import ScreeningMark


def words(svg: bytes) -> list[str]:
    texts = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314  # ours
    return [text.text or "" for text in texts]


async def test_the_flow_shows_the_counts_of_the_audit():
    audit = await reviewed()
    texts = FullTextFlow(
        sought=9,
        waiting=1,
        not_retrieved=2,
        unassessed=1,
        assessed=5,
        excluded=3,
        included=2,
        exclusion_reasons={"no bees": 2, "too old": 1},
    )
    flow = audit.flow.model_copy(update={"full_texts": texts})
    shown = words(pictures(audit.thread, audit.records, flow)["prisma_flow"])
    assert "; ".join(shown) == (
        "Records identified (n = 18); a (n = 9); b (n = 9); Removed before screening (n = 11); "
        "not kept: not what was asked for (n = 6); the same record given again (n = 4); "
        "duplicates (n = 1); Works (n = 7); Not put up for screening (n = 2); "
        "of earlier rounds, not decided on (n = 2); Works for screening (n = 5); "
        "Not decided yet (n = 2); Works screened (n = 3); Excluded (n = 2); no bees (n = 1); "
        "no reason given (n = 1); Full texts sought (n = 9); Full texts not retrieved (n = 2); "
        "not assessed yet (n = 1); not looked for yet (n = 1); Full texts assessed (n = 5); "
        "Excluded (n = 3); no bees (n = 2); too old (n = 1); Works included (n = 2); "
        "Identification; Screening; Included"
    )
    assert methods(flow)[-1] == (
        "We sought full texts of 9 works (not looked for yet 1, not retrieved 2, retrieved and not "
        "assessed yet 1) and assessed 5: 3 excluded (no bees 2, too old 1) and 2 included."
    )


async def test_there_is_no_picture_of_scores_without_a_work_in_the_result():
    audit = await reviewed()
    works = [replace(work, status=Status.NOT_CARRIED_OVER) for work in works_of(audit.records)]
    assert len(works) > 2
    assert scores(audit.thread, works) is None


async def test_a_picture_is_a_png_as_well_and_each_time_the_same():
    audit = await reviewed()
    drawn = pictures(audit.thread, audit.records, audit.flow, "png")
    assert set(drawn) == set(CAPTIONS) - {"papers_by_year"}
    assert all(item.startswith(b"\x89PNG") for item in drawn.values())
    assert pictures(audit.thread, audit.records, audit.flow, "png") == drawn


async def test_a_picture_is_left_out_where_there_is_nothing_to_show():
    audit = await reviewed()
    bare = pictures(audit.thread, [], audit.flow)
    assert set(bare) == {"prisma_flow"}


def test_the_bar_of_a_year_is_as_high_as_its_works():
    works = [
        Work(Paper(id="p", title="t", authors=[], source="a", year=year), (), Status.INCLUDED, "")
        for year in (2019, 2021, 2021)
    ]
    [axes] = papers_by_year(works).axes
    assert [bar.get_height() for bar in axes.patches] == [1, 0, 2]


async def test_whoever_wants_no_pictures_gets_none():
    assert not [name for name in (await reviewed()).files if name.startswith("pictures/")]


async def test_a_work_of_two_records_counts_for_both_sources_and_their_queries():
    records = (await reviewed()).records
    assert works_by(records, is_by_query=False)["a-shared"] == {("a",), ("b",)}
    queries = works_by(records, is_by_query=True)["a-shared"]
    assert {source for source, _ in queries} == {"a", "b"}
    assert len(queries) == 6


def row(record: str, source: str) -> RecordRow:
    """Return a record of a source; one of the same letter is of the same work."""
    own = record[0]
    paper = Paper(id=own, title=own, authors=[], source=source)
    work = Work(paper, (own,), Status.UNDECIDED, "")
    status = Status.UNDECIDED if record == own else Status.DUPLICATE
    arrival = PlacedArrival(Arrival(record=record, source=source), None)
    return RecordRow(arrival, status, "", work=work)


def test_what_only_the_smaller_of_many_sources_share_is_not_said_to_be_of_one_alone():
    letters = "abcdefghijkl"
    records = [row(letter, "Large") for letter in letters]
    # Every work but the first two is in a smaller source, too; the ninth and tenth are the last.
    for place, letter in enumerate(letters[2:], start=1):
        records.append(row(f"{letter}2", f"Source {place:02}"))
    figure = source_overlap(records)
    shown = [text.get_text().strip() for axes in figure.axes for text in axes.texts]
    assert shown[0] == "4"  # of four sources that are summed up, a work of each and of the large
    assert "2" in shown  # the large one alone, as the picture of contributions has it
    assert words(saved(source_contribution(records), "svg")).count("Source 10") == 1


def decided(number: int, status: Status, at: str, score: float = 0.5) -> Work:
    said = ScreeningDecision(decision="include", decided_at=at)
    name = f"r{number}"
    paper = Paper(id=name, title=name, authors=[], source="s", screening=said)
    return Work(paper.model_copy(update={"relevance_score": score}), (name,), status, "")


def test_the_curve_of_recall_follows_the_order_in_which_works_were_decided_on():
    def mark(number: int, at: str) -> ScreeningMark:
        return ScreeningMark(
            paper_id=f"r{number}", number=number, iteration=0, is_relevant=True, said_at=at
        )

    works = [
        decided(1, Status.INCLUDED, "9", 0.1),
        decided(2, Status.EXCLUDED, "9", 0.9),
        decided(3, Status.EXCLUDED, "9"),
        decided(4, Status.INCLUDED, "1"),
    ]
    thread = ReviewThread(ThreadInfo(thread_id="t", status=ThreadStatus.DONE), WorkflowState())
    # One answer said 1, 2 and 3 at once: by score.
    assert verdicts_in_order(thread, works) == [True, False, False, True]
    thread.independent["ada"] = [mark(3, "5"), mark(2, "7")]
    thread.independent["bo"] = [mark(3, "6"), mark(2, "0")]
    assert verdicts_in_order(thread, works) == [False, True, False, True]
