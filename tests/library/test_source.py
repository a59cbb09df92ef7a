"""The library and the sample answer as sources do, and say what they did."""

import asyncio
import gzip
import json
import tempfile
import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.library.papers import paper
from tests.preforked import workers

from paper_search import models
from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import LibraryError, QuerySyntaxError, SearchSourceError
from paper_search.library import Library
from paper_search.library.samples import open_sample, shipped_sample
from paper_search.library.source import (
    LibrarySource,
    OpenLibrary,
    create_library_source,
    create_sample_source,
    library_path,
)
from paper_search.skills.hit_counter import HitCounter
from paper_search.testing.skills import fake_strategy


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, unpacked_sample: Path) -> Path:
    path = tmp_path_factory.mktemp("home")
    (path / unpacked_sample.name).symlink_to(unpacked_sample)
    return path


def strategy(*queries: str, **filters: object) -> models.SearchStrategy:
    return fake_strategy(*queries, sources=["library"], **filters)


def source_of(home: Path, name: str = "library") -> LibrarySource:
    make = create_library_source if name == "library" else create_sample_source
    return make(AppConfig(home=home), SearchSourceConfig(name=name))


def filled(home: Path) -> None:
    with Library.open(library_path(home)) as library:
        titles = ["Graph theory", "Graph drawing", "Group theory"]
        library.add(paper(title, doi=f"10.1000/{n}") for n, title in enumerate(titles))


async def test_the_shipped_sample_has_papers_for_the_example_question(home):
    report = await source_of(home, "sample").report(
        strategy(
            "molecul* AND (graph OR property OR drug)",
            '"graph neural network"',
            year_from=2018,
            max_results=200,
        )
    )
    assert [source.status for source in report.sources] == [models.SourceStatus.OK] * 2
    assert len(report.papers) >= 40
    assert all(paper.year and paper.year >= 2018 for paper in report.papers)
    assert {paper.source for paper in report.papers} == {"sample"}
    assert all(source.note is None and source.is_sample for source in report.sources)


async def test_an_empty_library_searches_the_sample_and_says_so(home):
    report = await source_of(home).report(strategy("graph"))
    assert report.papers
    assert "your library is empty" in str(report.sources[0].note)
    assert all(source.is_sample for source in report.sources)
    said = [*report.sources, *report.papers]
    said += [sighting for paper in report.papers for sighting in paper.sightings]
    counter = HitCounter({"library": source_of(home)}, models.SearchConstraints())
    await counter.count("library", "graph")
    said += [*counter.rows, *counter.hits("graph").counts]
    assert {item.source for item in said} == {"sample"}  # never the person's own library
    assert not library_path(home).exists()


async def test_options_limit_one_search(tmp_path):
    filled(tmp_path)
    source = source_of(tmp_path)
    assert len(await source.search("graph OR theory", max_results=1)) == 1
    assert len(await source.search("graph", year_from=2000)) == 2  # they state no year
    with Library.open(library_path(tmp_path)) as library:
        library.add([paper("Graph of old", year=1990)])
    assert len(await source.search("graph", year_from=2000)) == 2
    with pytest.raises(QuerySyntaxError):
        await source.search("graph AND")


async def test_only_when_no_query_could_be_answered_the_search_fails(tmp_path):
    filled(tmp_path)
    source = source_of(tmp_path)
    assert len(await source.search_advanced(strategy("graph", "("))) == 2
    assert await source.search_advanced(strategy()) == []
    with pytest.raises(SearchSourceError, match="library"):
        await source.search_advanced(strategy("("))


async def test_searching_does_not_hold_up_the_loop(home):
    """API-28"""
    loop_turns = threading.Event()

    def open_when_it_turns() -> OpenLibrary:
        assert loop_turns.wait(240)
        return source_of(home, "sample").open_library()

    source = LibrarySource("sample", open_when_it_turns)
    asyncio.get_running_loop().call_later(0.01, loop_turns.set)
    report = await source.report(strategy("a*", "b* OR c*"))
    assert [said.status for said in report.sources] == [models.SourceStatus.OK] * 2


def shipped_papers() -> list[models.RawPaper]:
    lines = gzip.decompress(shipped_sample().read_bytes()).decode().splitlines()
    return [models.RawPaper.model_validate(json.loads(line)) for line in lines]


def test_the_sample_is_of_many_fields_and_none_outweighs_the_others():
    fields = Counter(paper.keywords[0] for paper in shipped_papers() if paper.keywords)
    large = {field: count for field, count in fields.items() if count >= 100}
    assert len(large) >= 15
    assert max(large.values()) <= 3 * min(large.values())


def test_every_record_of_the_sample_has_its_facts_and_no_prose():
    papers = shipped_papers()
    assert len(papers) >= 3_000
    assert len({paper.id for paper in papers}) == len(papers)
    for record in papers:
        assert record.title
        assert record.authors
        assert record.year
        assert record.venue
        assert record.doi or record.url
        assert record.abstract is record.snippet is record.bibtex is None
        assert all(len(word) <= 120 for word in record.keywords)
        assert len(record.keywords) <= 11
    assert sum(len(paper.keywords) > 1 for paper in papers) >= 1_000
    assert len(shipped_sample().read_bytes()) <= 1_000_000
    assert any(paper.citation_count for paper in papers)


def test_another_sample_replaces_the_old_one_and_is_made_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "another disk"))
    for word in ("first", "second"):
        file = tmp_path / f"{word}.jsonl.gz"
        file.write_bytes(gzip.compress(json.dumps({"title": f"The {word} title"}).encode()))
        with open_sample(tmp_path / "home", shipped=file) as sample:
            assert [paper.title for paper in sample] == [f"The {word} title"]
    kept = [path for path in (tmp_path / "home" / "sample").iterdir() if path.is_dir()]
    assert len(kept) == 1


def test_a_home_that_cannot_be_written_is_named(tmp_path):
    """PER-08"""
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match="--home"):
        open_sample(tmp_path / "file")


def work(home: str) -> None:
    """Unpack the sample in a process of its own."""
    with open_sample(Path(home)) as sample:
        assert len(sample) >= 3_000


@pytest.mark.slow
def test_processes_may_unpack_the_sample_at_once(tmp_path):
    """PER-12"""
    workers().work_at_once(__name__, *[(str(tmp_path),)] * 3)
    assert len([path for path in (tmp_path / "sample").iterdir() if path.is_dir()]) == 1


async def test_a_count_is_exact_and_within_the_limits(tmp_path):
    with Library.open(library_path(tmp_path)) as library:
        library.add(paper(f"Graph number {n}", year=1990 + n) for n in range(150))
    source = source_of(tmp_path)
    assert source.is_local
    assert (await source.count("graph", models.SearchConstraints(max_results=1))).hits == 150
    assert (await source.count("graph", models.SearchConstraints(year_to=1999))).hits == 10
    assert (await source.count("graph NOT graph", models.SearchConstraints())).hits == 0
    with pytest.raises(QuerySyntaxError):
        await source.count("(graph", models.SearchConstraints())


def many(path: Path, count: int) -> LibrarySource:
    with Library.open(library_path(path)) as library:
        library.add(paper(f"Soil study {n}", doi=f"10.1000/{n}") for n in range(count))
    return source_of(path)


async def test_plain_text_brings_in_more_than_a_page(tmp_path):
    ranked = [models.RankedQuery(text="soil", depth=30)]
    asked = strategy(max_results=10).model_copy(update={"ranked": ranked})
    report = await many(tmp_path, 40).report(asked)
    assert [paper.sightings[0].rank for paper in report.papers] == list(range(1, 31))
    ranked[0].depth = None
    assert len((await many(tmp_path, 40).report(asked)).papers) == 10


async def test_the_report_shows_the_weights_of_a_ranked_query_within_a_condition(tmp_path):
    query = models.RankedQuery(text="soil", terms={"clay": 0.5, "sand": -0.2})
    limits = models.SearchConstraints(conditions=["NOT 7"])
    asked = strategy().model_copy(update={"ranked": [query], "filters": limits})
    report = await many(tmp_path, 9).report(asked)
    assert report.sources[0].query == "soil clay^0.5 sand^-0.2"
    assert len(report.papers) == 8


async def test_a_work_that_the_question_names_comes_first(tmp_path):
    ranked = [models.RankedQuery(text="soil")]
    asked = strategy(year_from=2020).model_copy(
        update={"works": ["doi:10.1000/7", "doi:10.1000/none"], "ranked": ranked}
    )
    report = await many(tmp_path, 9).report(asked)
    assert report.papers[0].doi == "10.1000/7"
    assert report.sources[0].query == "doi:10.1000/7 doi:10.1000/none"
    assert len(report.papers) == 9


async def test_a_named_work_that_is_not_there_is_an_empty_answer(tmp_path):
    asked = strategy().model_copy(update={"works": ["doi:10.1000/none"]})
    report = await many(tmp_path, 1).report(asked)
    assert [entry.status for entry in report.sources] == [models.SourceStatus.EMPTY]


async def test_the_number_of_a_work_is_not_looked_for_as_text(home):
    asked = models.SearchStrategy(
        queries=[],
        ranked=[models.RankedQuery(text="10.5555/no-such-work")],
        works=["doi:10.5555/no-such-work"],
        sources=["library"],
        filters=models.SearchConstraints(),
    )
    assert (await source_of(home).report(asked)).papers == []
    told = asked.model_copy(update={"ranked": [models.RankedQuery(text="graphs")]})
    assert (await source_of(home).report(told)).papers != []
