"""What live sources find can be kept in the library; that this fails costs the search nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from paper_search.config import AppConfig
from paper_search.library import Library
from paper_search.models import RawPaper, SearchConstraints, SearchQuery, SearchStrategy
from paper_search.skills import Searcher
from paper_search.testing.sources import FakeSource
from paper_search.workflow.assembly import KeepingSearcher, assemble_skills, translations

STRATEGY = SearchStrategy(
    queries=[SearchQuery(keywords=["graph"], boolean_query="graph")],
    sources=[],
    filters=SearchConstraints(),
)


def found(source: str, number: int) -> RawPaper:
    return RawPaper(id=f"{source}:{number}", title=f"Graph {number} of {source}", source=source)


def searcher(directory: Path) -> KeepingSearcher:
    sources = [
        FakeSource("library", [found("library", 1)]),
        FakeSource("live", [found("live", 2), found("live", 3)]),
    ]
    return KeepingSearcher(sources, directory)


async def test_records_of_live_sources_are_kept_once(tmp_path: Path) -> None:
    first = await searcher(tmp_path).report(STRATEGY)
    again = await searcher(tmp_path).report(STRATEGY)
    with Library.open(tmp_path) as library:
        assert sorted(paper.title for paper in library) == ["Graph 2 of live", "Graph 3 of live"]
    assert len(first.papers) == 3
    assert [source.note for source in first.sources] == [
        None, "2 records were added to your library, 0 were there",
    ]  # fmt: skip
    assert again.sources[1].note == "0 records were added to your library, 2 were there"


async def test_a_library_that_cannot_be_written_is_noted_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    report = await searcher(tmp_path / "file").report(STRATEGY)
    assert len(report.papers) == 3
    assert not any(source.status.is_failure for source in report.sources)
    assert str(report.sources[1].note).startswith("nothing was added to your library")


@pytest.mark.parametrize(("keep", "kind"), [(True, KeepingSearcher), (False, Searcher)])
def test_the_settings_say_whether_it_is_done(
    tmp_path: Path, *, keep: bool, kind: type[Searcher]
) -> None:
    config = AppConfig(home=tmp_path, keep_found=keep)
    assert type(assemble_skills(config, ["library"]).searcher) is kind


def test_a_source_that_cannot_be_asked_says_why_in_its_place(tmp_path: Path) -> None:
    wanted = STRATEGY.model_copy(update={"sources": ["serpapi_scholar", "pubmed", "no such"]})
    first, second, third = translations(AppConfig(home=tmp_path), wanted)
    assert "SERPAPI_API_KEY" in str(first.error)
    assert second.texts == ["graph[tiab]"]
    assert "unknown source" in str(third.error)
