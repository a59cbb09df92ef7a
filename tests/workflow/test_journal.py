"""What the journal, the screens and the files say is what a recording server was asked."""

import asyncio
import csv
import io
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from hypothesis import Phase, given
from hypothesis import strategies as st
from rich.console import Console
from tests.audit.doubles import disagreements
from tests.examples import examples
from tests.sources.cards import Cards
from tests.workflow.doubles import reject

from paper_search.audit import Audit, audit_of
from paper_search.cli.views import show_checkpoint
from paper_search.config import current_person
from paper_search.models import (
    PaperCollection,
    ParsedIntent,
    Purpose,
    QueryBuilderInput,
    RankedQuery,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SourceReport,
)
from paper_search.models.source_report import REASONS, quantity
from paper_search.skills import IntentParser, Scoper, Searcher
from paper_search.skills.known_papers import find_papers
from paper_search.sources.adapter import Translated
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, ResultPayload, SearchWorkflow, StrategyPayload

EARLY = {Purpose.COUNT, Purpose.LOOKUP}
NAMES = ("europe_pmc", "cards")
PAGE = 3
NO_TITLE, LOST = REASONS["dropped"], REASONS["unused"]
HOSTS = count()
"""Each example has hosts of its own: refusals are remembered for the whole process."""


@dataclass
class Server:
    """Answers for all services page by page, fails as it is told to, and keeps what it was asked.

    `refusing` services answer nothing; `flaky` ones fail at the first request.
    """

    holdings: dict[str, list[dict[str, Any]]]
    refusing: set[str]
    flaky: set[str]
    arrived: list[tuple[str, str]] = field(default_factory=list)
    records: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name, query = request.url.path.strip("/"), request.url.params["q"]
        is_first = name not in {source for source, _ in self.arrived}
        self.arrived.append((name, query))
        if name in self.refusing:
            return httpx.Response(403)
        if is_first and name in self.flaky:
            return httpx.Response(503)
        cards, start = self.holdings[name], int(request.url.params.get("page", 0))
        page = cards[start : start + PAGE]
        following = {"next": start + PAGE} if start + PAGE < len(cards) else {}
        self.records[name] += len(page)
        return httpx.Response(200, json={"papers": page, "total": len(cards), **following})


class Catalogue(Cards):
    """A service of a name of its own."""

    page_size = PAGE

    def __init__(self, name: str, host: int) -> None:
        super().__init__(f"https://service{host}.example/{name}", key="")
        self.name = name
        self.ranks_text = name == "cards"

    def translate_ranked(self, query: RankedQuery, _: SearchConstraints) -> tuple[Translated, ...]:
        return (Translated(query.text),)

    def read(self, answer: Any, request: Any) -> Any:
        page = super().read(answer, request)
        for paper in page.papers:
            paper.source, paper.id = self.name, f"{self.name}:{paper.id}"
        return page


class Strategist(FakeSkills):
    """Writes the same strategy in every round."""

    def __init__(self, strategy: SearchStrategy) -> None:
        super().__init__()
        self._strategy = strategy

    async def parse(self, user_input: str) -> ParsedIntent:
        intent = await super().parse(user_input)
        return intent.model_copy(update={"concepts": ["graphs", "bees"]})

    async def build(self, request: QueryBuilderInput) -> SearchStrategy:
        await super().build(request)
        return self._strategy.model_copy(deep=True)


@dataclass
class Outcome:
    """A search that has ended: its questions, its result and its files."""

    questions: list[Checkpoint]
    collection: PaperCollection
    audit: Audit

    @property
    def journal(self) -> list[SourceReport]:
        return self.collection.reports

    @property
    def log(self) -> list[dict[str, str]]:
        text = self.audit.files["search_log.csv"].decode()
        return list(csv.DictReader(io.StringIO(text)))


async def at_once(_: float) -> None:
    """Wait for nothing."""


async def searched(  # noqa: PLR0913  # what an example draws, by keyword
    strategy: SearchStrategy,
    server: Server,
    *,
    has_cache: bool,
    is_asking: bool,
    is_named: bool,
    ceiling: int,
) -> Outcome:
    """Take a search to its end, in two rounds if anybody is asked."""
    persistence, host = await open_memory(), next(HOSTS)
    handler = ScriptedHandler(["approve", reject("others")], otherwise="approve")
    with tempfile.TemporaryDirectory() as directory:
        settings = SourceSettings(
            interval_s=0.0,
            max_retries=1,
            cache_path=Path(directory) / "http.db" if has_cache else None,
        )
        async with httpx.AsyncClient(transport=httpx.MockTransport(server)) as client:
            sources = [
                HttpSource(Catalogue(name, host), settings, client=client, sleep=at_once)
                for name in NAMES
            ]
            skills, searcher = Strategist(strategy), Searcher(sources, max_results_ceiling=ceiling)
            flow = SearchWorkflow(
                IntentParser(find_papers=partial(find_papers, searcher)) if is_named else skills,
                *(skills, searcher, skills, skills, skills),
                handler if is_asking else None,
                scoper=Scoper(sources),
                persistence=persistence,
            )
            question = "papers like graphs of bees and of glass" if is_named else "graphs of bees"
            collection = await flow.run(question, thread_id="t")
    audit = await audit_of(persistence, "t", has_pictures=False)
    return Outcome(handler.asked, collection, audit)


@contextmanager
def zone(name: str) -> Iterator[None]:
    """Have the machine stand in another time zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def sent(rows: list[SourceReport]) -> Counter[tuple[str, str]]:
    """Return how often each string went to each source, by the journal."""
    strings: Counter[tuple[str, str]] = Counter()
    for row in rows:
        strings[row.source, row.query or ""] += row.attempts
    return +strings


def screen_of(checkpoint: Checkpoint) -> str:
    console = Console(file=io.StringIO(), width=400, color_system=None)
    show_checkpoint(console, checkpoint, has_details=True, has_papers=False)
    return str(console.file.getvalue())


cards = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(1, 9)},
        optional={
            "title": st.sampled_from(["Graphs", "Bees of glass", "A survey of graphs"]),
            "abstract": st.sampled_from(["Of bees.", "Of glass and graphs."]),
        },
    ),
    max_size=9,
)
texts = st.sampled_from(["graphs", "bees", "graphs NOT survey", '"of glass" AND bees'])
searches = st.fixed_dictionaries(
    {
        "holdings": st.fixed_dictionaries(dict.fromkeys(NAMES, cards)),
        "refusing": st.sets(st.sampled_from(NAMES)),
        "flaky": st.sets(st.sampled_from(NAMES)),
        "queries": st.lists(texts, min_size=1, max_size=3, unique=True),
        "ranked": st.lists(st.sampled_from(["bees", "graphs of glass"]), max_size=2, unique=True),
        "depth": st.sampled_from([None, 2, 7]),
        "most": st.integers(1, 12),
        "ceiling": st.sampled_from([1, 4, 10_000]),
        "has_cache": st.booleans(),
        "is_asking": st.booleans(),
        "is_named": st.booleans(),
        "zone": st.sampled_from(["UTC", "Asia/Kolkata", "America/Los_Angeles"]),
    }
)


def run(example: dict[str, Any]) -> tuple[Server, Outcome]:
    server = Server(example["holdings"], example["refusing"], example["flaky"])
    strategy = SearchStrategy(
        queries=[SearchQuery(keywords=[], boolean_query=text) for text in example["queries"]],
        ranked=[RankedQuery(text=text, depth=example["depth"]) for text in example["ranked"]],
        sources=list(NAMES),
        filters=SearchConstraints(max_results=example["most"]),
    )
    options = {name: example[name] for name in ("has_cache", "is_asking", "is_named", "ceiling")}
    with zone(example["zone"]):
        return server, asyncio.run(searched(strategy, server, **options))


# What fails is small as it is drawn; to look for something smaller takes minutes.
@examples(40, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(searches)
def test_journal_screens_and_files_say_what_the_server_was_asked(example):
    begun = datetime.now(UTC)
    server, ended = run(example)
    check_requests(server, ended, begun, has_cache=example["has_cache"])
    check_fates(server, ended, has_cache=example["has_cache"])
    check_limits(ended, example)
    if example["is_asking"]:
        check_questions(ended, example["refusing"])
    else:
        assert {row.allowed_by for row in ended.journal} == {"nobody was asked"}


def check_requests(server: Server, ended: Outcome, begun: datetime, *, has_cache: bool) -> None:
    """Every request that arrived is in the journal, and nothing else."""
    assert sent(ended.journal) == Counter(server.arrived)
    moments = [request for row in ended.journal for request in row.requests]
    times = [datetime.fromisoformat(request.at or "") for request in moments]
    assert all(begun <= moment <= datetime.now(UTC) for moment in times)
    assert all(moment.utcoffset() == UTC.utcoffset(None) for moment in times)
    of_requests = {request.at for request in moments if not request.is_stored}
    if not has_cache:
        assert not any(request.is_stored for request in moments)
    else:  # of a stored answer, the journal has the time of the request that brought it
        stored = [request.at for request in moments if request.is_stored]
        answered = sorted(at for at in of_requests if at)
        assert all(any(sent_at <= (at or "") for sent_at in answered) for at in stored)


def check_fates(server: Server, ended: Outcome, *, has_cache: bool) -> None:
    """Every record that came has one fate in every place."""
    received: Counter[str] = Counter()
    for row in ended.journal:
        received[row.source] += row.received
    if not has_cache:  # a stored answer gives the same records again
        assert received == server.records
    searching = [row for row in ended.journal if row.purpose is Purpose.SEARCH]
    flow = ended.audit.flow
    assert flow.identified == sum(row.received for row in searching)
    assert disagreements(flow) == []
    assert len(ended.log) == len(ended.journal)
    columns = ("kept", "repeated", "excluded", "dropped", "beyond_limit", "unused")
    for line, row in zip(ended.log, ended.journal, strict=True):
        said = line["purpose"], line["source"], line["query"], line["allowed_by"]
        assert said == (row.purpose.value, row.source, row.query or "", row.allowed_by)
        assert sum(int(line[name]) for name in columns) == int(line["received"]) == row.received
        if row.requests:
            assert row.limit is not None
            assert f"at most {quantity(row.limit or 0, 'record')}" in line["filters"]
            assert line["asked_at"] == row.requests[0].at
            assert line["requests"].count("stored answer of") == len(row.requests) - row.attempts
    table = ended.audit.files["records.csv"].decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == flow.identified
    assert all(row["title"] for row in rows if row["why"] not in {NO_TITLE, LOST})
    places = [(row["source"], row["query"], row["position"]) for row in rows]
    assert all(place[2] for place, row in zip(places, rows, strict=True) if row["id"])


def check_limits(ended: Outcome, example: dict[str, Any]) -> None:
    """No source was asked for more than the strategy and the ceiling allow."""
    ceiling = example["ceiling"]
    for row in ended.journal:
        if row.purpose is Purpose.LOOKUP:
            continue
        most = {example["most"], 1 if row.purpose is Purpose.COUNT else example["most"]}
        most |= {example["depth"]} if row.query in example["ranked"] and example["depth"] else set()
        allowed = {min(limit, ceiling) for limit in most}
        assert row.limit in {*allowed, None}
        assert row.kept <= max(allowed)


def check_questions(ended: Outcome, refusing: set[str]) -> None:
    """What left before the approval is told at the question, and what failed at the result."""
    for question in ended.questions:
        screen = screen_of(question)
        payload = question.payload
        if isinstance(payload, StrategyPayload):
            count_ = sum(row.attempts for row in payload.counts)
            told = re.findall(r"(\d+) requests? to (?:find|count)", screen)
            assert sum(map(int, told)) == count_
            assert all(row.purpose in EARLY for row in payload.counts)
            shown = [row for row in ended.journal if row.purpose in EARLY]
            assert all(row in shown for row in payload.counts)
        elif isinstance(payload, ResultPayload):
            rows = [row for row in payload.reports if row.status.is_failure]
            failed = list(dict.fromkeys(row.source for row in rows))
            assert set(failed) >= refusing
            warning = f"FAILED, papers may be missing: {', '.join(failed)}"
            assert (warning in screen) == bool(failed)
    allowed = {(row.purpose, row.allowed_by) for row in ended.journal}
    assert allowed <= {
        (Purpose.LOOKUP, "nobody yet: the paper that the question names is looked up to read it"),
        (Purpose.COUNT, "nobody yet: hits are counted before the strategy is approved"),
        (Purpose.SEARCH, current_person()),
    }
