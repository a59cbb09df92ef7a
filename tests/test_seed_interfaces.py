"""What programs written against the interfaces of the seed documents rely on."""

import logging
import pkgutil
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

import paper_search
from paper_search.config import AppConfig, SearchSourceConfig, load_config
from paper_search.errors import ConfigError
from paper_search.models import (
    Author,
    IntentType,
    PaperCollection,
    ParsedIntent,
    RawPaper,
    SearchConstraints,
    SearchMetadata,
    SearchStrategy,
    UserFeedback,
)
from paper_search.skills import Deduplicator
from paper_search.sources.serpapi_scholar import SerpAPIScholarSource
from paper_search.workflow import (
    Checkpoint,
    CheckpointKind,
    Decision,
    DecisionAction,
    SearchWorkflow,
)


def test_limits_filters_and_facets_have_defaults():
    intent = ParsedIntent(topic="t", concepts=["c"], intent_type=IntentType.SURVEY)
    strategy = SearchStrategy(queries=[], sources=[])
    metadata = SearchMetadata(query="q", search_strategy=strategy, total_found=0)

    assert intent.constraints == strategy.filters == SearchConstraints()
    assert PaperCollection(metadata=metadata, papers=[]).facets.by_year == {}


async def test_two_records_of_one_result_id_are_one_work():
    def record(number: int, title: str) -> RawPaper:
        return RawPaper(
            id=str(number),
            title=title,
            authors=[Author(name="J Doe")],
            year=2020,
            source="serpapi_scholar",
            raw_data={"result_id": "abc123"},
        )

    works = await Deduplicator(enable_llm_pass=False).deduplicate(
        [record(1, "Graph networks for molecules"), record(2, "Graph networks for molecules: …")]
    )
    assert len(works) == 1


async def test_two_result_ids_do_not_keep_one_doi_apart():
    papers = [
        RawPaper(
            id=str(n),
            title="Graph networks for molecules",
            doi="10.1000/1",
            source="serpapi_scholar",
            raw_data={"result_id": f"r{n}"},
        )
        for n in range(2)
    ]
    assert len(await Deduplicator(enable_llm_pass=False).deduplicate(papers)) == 1


async def test_no_calls_mean_no_request_and_an_empty_answer():
    def refuse(request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"asked {request.url}")

    async with httpx.AsyncClient(transport=httpx.MockTransport(refuse)) as client:
        source = SerpAPIScholarSource("key", max_calls=0, client=client)
        strategy = SearchStrategy.model_validate(
            {"queries": [{"keywords": [], "boolean_query": "graphs"}], "sources": []}
        )
        assert await source.search("graphs") == []
        assert await source.search_advanced(strategy) == []
        report = await source.report(strategy)

    assert [(item.status.value, item.note) for item in report.sources] == [
        ("empty", "not asked: max_calls is 0")
    ]


def test_a_negative_number_of_calls_is_refused():
    with pytest.raises(ConfigError, match="max_calls is -1; give 0 for no requests"):
        SerpAPIScholarSource("key", max_calls=-1)
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        SearchSourceConfig(name="openalex", max_calls=-1)


async def test_settings_without_a_source_say_so():
    with pytest.raises(ConfigError, match=r"no source is enabled.*load_config"):
        await SearchWorkflow.from_config(AppConfig()).run("graph networks")
    with pytest.raises(ConfigError, match="no source is enabled"):
        await paper_search.search("graph networks", AppConfig())


class Marks:
    """Approves the strategy; marks the first paper both ways, then approves."""

    def __init__(self) -> None:
        self.results = 0

    async def handle(self, checkpoint: Checkpoint) -> Decision:
        if checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            return Decision(action=DecisionAction.APPROVE)
        self.results += 1
        if self.results > 1:
            return Decision(action=DecisionAction.APPROVE)
        first = checkpoint.payload.collection.papers[0].id  # type: ignore[union-attr]  # of a result
        both = UserFeedback(marked_relevant=[first], marked_irrelevant=[first])
        return Decision(action=DecisionAction.EDIT, revised_data=both.model_dump())


@pytest.fixture
def flow(
    tmp_path: Path, unpacked_sample: Path
) -> tuple[SearchWorkflow, list[tuple[str, dict[str, Any]]]]:
    (tmp_path / unpacked_sample.name).symlink_to(unpacked_sample)
    told: list[tuple[str, dict[str, Any]]] = []
    workflow = SearchWorkflow.from_config(
        load_config(home=tmp_path),
        Marks(),
        sources=["sample"],
        progress_reporter=lambda phase, details: told.append((phase, details)),
    )
    return workflow, told


async def test_a_paper_marked_both_ways_counts_as_relevant_and_the_run_goes_on(flow, caplog):
    caplog.set_level(logging.WARNING)
    collection = await flow[0].run("graph neural networks")
    assert collection.ended_by is not None
    assert collection.ended_by.value == "approved"
    assert "counted as relevant" in caplog.text


async def test_progress_says_which_iteration_it_is_and_how_much_there_is_to_do(flow):
    workflow, told = flow
    collection = await workflow.run("graph neural networks")

    details = [(phase, message["iteration"]) for phase, message in told]
    first = ["intent_parsing", "query_building", "waiting_checkpoint", "searching",
             "deduplicating", "scoring", "organizing", "waiting_checkpoint"]  # fmt: skip
    assert details[:8] == [(phase, 0) for phase in first]
    rest = [*first[1:], "completed"]
    assert details[8:] == [(phase, 1) for phase in ("iterating", *rest)]
    said = dict(told)
    assert said["searching"]["sources"] == 1
    assert said["searching"]["queries"] > 0
    assert said["deduplicating"]["records"] >= said["scoring"]["works"] > 0
    assert said["organizing"]["works"] == said["scoring"]["works"]
    assert said["completed"] == {"papers": len(collection.papers), "iteration": 1}


def test_every_new_name_of_the_page_for_who_comes_from_the_seeds_is_there():
    page = (Path(__file__).parents[1] / "docs" / "seed-interfaces.md").read_text("utf-8")
    named = set(re.findall(r"`(paper_search(?:\.\w+)+)[`(]", page))
    assert len(named) > 10
    for name in named:
        assert pkgutil.resolve_name(name) is not None
