"""What is approved is sent: all of it, to the sources that it names, and nothing else."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.sources.cards import KEY, Cards
from tests.workflow.doubles import Builder, edit, workflow

from paper_search import models
from paper_search.cli.search_questions import parse_form, write_form
from paper_search.query import conditions_in, render
from paper_search.skills import Searcher
from paper_search.sources.adapter import Translated
from paper_search.sources.http_source import HttpSource
from paper_search.sources.ranked_text import content_words
from paper_search.testing.skills import fake_strategy
from paper_search.web.strategy_view import strategy_from_form
from paper_search.workflow.state import WorkflowState
from paper_search.workflow.strategy_facts import limits, strategy_facts

NAMES = ("matching", "ranking", "best_first")
RANKING = NAMES[1:]

Request = tuple[str, tuple[tuple[str, str], ...], str]
Sent = Counter[Request]


class Shelf(Cards):
    """Cards under another name, which rank plain text or do not; a condition is sent."""

    def __init__(self, name: str) -> None:
        super().__init__(f"https://{name}.example/search")
        self.name = name
        self.ranks_text = name in RANKING

    def translate_ranked(
        self, query: models.RankedQuery, filters: models.SearchConstraints
    ) -> tuple[Translated, ...]:
        conditions = map(render, conditions_in(filters.every_condition))
        also = "".join(f" only {condition}" for condition in conditions)
        return (Translated(" ".join(content_words(query.text)) + also, ()),)


class Recorder:
    """Finds nothing, and remembers what arrived."""

    def __init__(self) -> None:
        self.arrived: Sent = Counter()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = f" {request.content.decode()}" if request.content else ""
        self.arrived[_written(f"{request.url}{body}")] += 1
        return httpx.Response(200, json={"papers": [], "total": 0})


def _written(request: str) -> Request:
    """Return a request without its key: address, parameters, and what is posted."""
    url, _, body = request.partition(" ")
    parts = urlsplit(url)
    params = tuple(sorted(pair for pair in parse_qsl(parts.query) if pair[1] != KEY))
    posted = json.dumps(json.loads(body), sort_keys=True) if body else ""
    return f"{parts.netloc}{parts.path}", params, posted


words = st.sampled_from(["moss", "lichen", "few-shot", "bees", "tundra", "orchids", "peat"])
booleans = st.lists(words, min_size=1, max_size=3, unique=True).map(" OR ".join)
plain = st.lists(words, min_size=1, max_size=3, unique=True).map(" ".join)
conditions = st.lists(st.sampled_from(["peat AND tundra", "NOT bees"]), unique=True)


@st.composite
def limits_(draw: st.DrawFn) -> models.SearchConstraints:
    return models.SearchConstraints(
        conditions=draw(conditions),
        excluded_types=draw(st.sampled_from([[], ["review"]])),
        year_from=draw(st.sampled_from([None, 2010])),
    )


@st.composite
def proposals(draw: st.DrawFn) -> models.SearchStrategy:
    """Draw a strategy with one query of either kind at least."""
    queries = draw(st.lists(booleans, min_size=1, max_size=3, unique=True))
    texts = draw(st.lists(plain, max_size=1))
    return models.SearchStrategy(
        queries=[models.SearchQuery(keywords=[], boolean_query=text) for text in queries],
        ranked=[models.RankedQuery(text=text) for text in texts],
        filters=draw(limits_()),
        sources=draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)),
    )


@st.composite
def edits(draw: st.DrawFn, proposed: models.SearchStrategy) -> dict[str, Any] | None:
    """Draw what a person sends from a terminal, the page, Python or Studio; None: they approve."""
    door = draw(st.sampled_from(["approve", "editor", "page", "answer", "fields"]))
    if door == "approve":
        return None
    if door == "page":
        form = [("sources-shown", "1"), ("source", draw(st.sampled_from(NAMES)))]
        form += [("group-0-0-0", f"{draw(words)}\nsynonym")] if draw(st.booleans()) else []
        form += [("query-new", draw(booleans))] if draw(st.booleans()) else []
        form += [("conditions", "\n".join(draw(conditions)))] if draw(st.booleans()) else []
        return strategy_from_form(proposed, form)
    other = draw(proposals())
    if door == "fields":
        mine = other.model_dump(mode="json")
        given = draw(st.sets(st.sampled_from(["queries", "sources", "filters"]), max_size=2))
        fields = {name: mine[name] for name in given}
        limit = draw(st.sampled_from([{}, {"year_to": 2020}, {"conditions": []}]))
        return fields | {"filters": limit} if limit else fields
    kept = draw(st.sets(st.sampled_from(["queries", "ranked", "sources", "filters"])))
    mine = other.model_copy(update={name: getattr(proposed, name) for name in kept})
    if door == "editor":
        revised: dict[str, Any] = parse_form(write_form(mine, list(NAMES)), mine)
        return revised
    return mine.model_dump(mode="json")


def edited(proposed: models.SearchStrategy, revised: dict[str, Any]) -> models.SearchStrategy:
    """Return the strategy with what an edit says; it says all where it has all that JSON has."""
    before = proposed.model_dump(mode="json")
    limits = revised.get("filters", {})
    limits = limits if "max_results" in limits else before["filters"] | limits
    is_whole = {"queries", "sources", "filters"} <= revised.keys()
    rest = {} if is_whole else before
    return models.SearchStrategy.model_validate(rest | revised | {"filters": limits})


def assert_all_is_in_sight(strategy: models.SearchStrategy, ranking: Sequence[str]) -> None:
    """Every query, with the words that narrow it, stands at the checkpoint with its sources."""
    facts = "\n".join(str(fact) for _, fact in strategy_facts(strategy, ranking=ranking))
    assert all(condition in limits(strategy.filters) for condition in strategy.filters.conditions)
    for query in strategy.queries:
        assert query.boolean_query in facts
    for ranked in strategy.ranked:
        assert ranked.text in facts
    assert all(name in facts for name in strategy.sources)
    assert "nothing" not in facts


@examples(40)
@given(st.data())
async def test_the_requests_that_arrive_are_those_that_the_checkpoint_showed(data):
    """What each service is sent: tests/sources/test_shown_is_sent.py."""
    proposed = data.draw(proposals())
    revised = data.draw(edits(proposed))
    recorder = Recorder()
    async with httpx.AsyncClient(transport=httpx.MockTransport(recorder)) as client:
        searcher = Searcher([HttpSource(Shelf(name), client=client) for name in NAMES])
        ranking = searcher.ranking_sources
        flow = workflow(Builder(proposed), searcher=searcher)
        await flow.start("q", thread_id="t")
        assert not recorder.arrived
        shown = proposed if revised is None else edited(proposed, revised)
        assume(revised is None or shown != proposed)  # an edit that changes nothing is refused
        assert_all_is_in_sight(shown, ranking)
        told = searcher.translations(shown)
        await flow.answer("t", "approve" if revised is None else edit(revised))
    requests = [request for entry in told for request in entry.requests]
    assert recorder.arrived == Counter(map(_written, requests))
    asked = {(entry.source, entry.query) for entry in told if entry.texts}
    assert asked == {
        *((name, query.boolean_query) for name in shown.sources for query in shown.queries),
        *((name, q.text) for name in shown.sources if name in ranking for q in shown.ranked),
    }


def test_the_order_of_the_question_counts_before_that_of_the_queries():
    ranked = {"ranked": [models.RankedQuery(text="moss")]}
    strategy = fake_strategy("moss OR peat", sources=["a", "b"]).model_copy(update=ranked)
    pairs = [("a", "moss^1"), ("a", "moss OR peat"), ("b", "moss OR peat")]
    reports = [
        models.SourceReport(source=source, query=query, status="ok") for source, query in pairs
    ]
    state = WorkflowState(strategy=strategy, reports=reports)
    assert state.ranking_pairs == {("a", "moss^1"), ("b", "moss OR peat")}
