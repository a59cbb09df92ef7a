"""What merged works lack is looked up in a run that wants it, and only there."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.workflow import doubles

from paper_search.config import AppConfig
from paper_search.models import RawPaper, SearchStrategy, SourceReport, SourceStatus
from paper_search.skills import Deduplicator
from paper_search.skills.gap_filler import GapFiller
from paper_search.sources.enrichment import LookUp
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import Decision, DecisionAction
from paper_search.workflow.assembly import assemble_skills

TITLE = "A survey of learning to sort papers"


def records(_: SearchStrategy) -> list[RawPaper]:
    """Return two records of one work, neither with an abstract, and one that lacks nothing."""
    return [
        RawPaper(id="a", title=TITLE, doi="10.1000/1", year=2020, source="one"),
        RawPaper(id="b", title=TITLE, doi="10.1000/1", year=2020, source="two"),
        RawPaper(
            id="c",
            title="Glass and its history",
            doi="10.1000/2",
            abstract="Own.",
            full_text_url="https://own.org",
            source="one",
        ),
    ]


class Shelf:
    """Knows an abstract of everything."""

    enricher_name = "shelf"

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        self.asked.append(len(works))
        known = {
            work.id: [work.model_copy(update={"id": "shelf:1", "abstract": "From the shelf."})]
            for work in works
        }
        return LookUp(SourceReport(source="shelf", status=SourceStatus.OK), known)


def workflow(enricher: Any, handler: Any = None, found: Any = records, **options: Any) -> Any:
    filler = GapFiller([enricher])
    return doubles.workflow(
        FakeSkills(found), handler, deduplicator=Deduplicator(), gap_filler=filler, **options
    )


async def test_a_run_that_wants_it_fills_what_merged_works_lack():
    shelf = Shelf()
    result = await workflow(shelf, enrich=True).run("sorting")
    abstracts = {paper.title: paper.abstract for paper in result.papers}
    assert abstracts == {TITLE: "From the shelf.", "Glass and its history": "Own."}
    assert shelf.asked == [1], "the two records of one work are one work by then"
    filled = next(paper for paper in result.papers if paper.title == TITLE)
    assert filled.field_sources["abstract"] == "shelf:1"
    assert set(filled.merged_from) == {"a", "b"}
    assert "filled 1 abstracts" in str([report.note for report in result.reports])


@pytest.mark.parametrize(
    ("one", "other", "is_same", "abstracts"),
    [("a", "d", True, {"From the shelf.", "Own."}), ("a", "b", False, {None, "Own."})],
    ids=["merged", "split"],
)
async def test_what_was_found_is_kept_if_it_is_known_whose_it_is(one, other, *, is_same, abstracts):
    def more(strategy: SearchStrategy) -> list[RawPaper]:
        odd = RawPaper(id="d", title="Another title of it", source="two", year=2020)
        return [*records(strategy), odd]

    said = {"merge_decisions": [{"one": one, "other": other, "is_same": is_same}]}
    approved = Decision(action=DecisionAction.APPROVE, revised_data=said)
    handler = ScriptedHandler(["approve", approved])
    result = await workflow(Shelf(), handler, more, enrich=True).run("sorting")
    assert {paper.abstract for paper in result.papers} == abstracts


def test_the_settings_say_who_is_asked():
    config = AppConfig(enrichers=["crossref", "openalex"])
    filler = assemble_skills(config, sources=["sample"]).gap_filler
    assert filler.enricher_names == ["crossref", "openalex"]
