"""The whole search over simulated services, against their truth.

    python benchmarks/find_world.py [--questions N] [--skip N] [--topics N] [--url URL]
        [--services web|all] [--embeddings minilm]

The simulator of `../shared/world` holds 30,000 works, and each service its part of them, found and
ordered by its own rules. Questions are those of `ir_scholargym_local` of which the simulator holds
an answer; of each forty the first 24 are asked once more as a person types keywords: by their six
rarest words. Topics are phrases that stand in 12 to 40 titles: these are to be found. `--skip`
leaves the first questions out: what was chosen on some is reported on others. Without `--url` a
simulator is started.

Rows: `find`, as `find --source web --yes` runs it, at 0.3 s for an answer; the ranked queries of
the program, fused by rank (k = 60); the question as it is to each service, fused alike; one BM25
index over all that any service holds (bm25s). Figures are means over questions: recall of what
some service holds among the first 20 and 100; requests, seconds, records received, works they are,
and works among these that the first page does not show. `--ways` picks rows. `--services web`
asks what is simulated of what the program asks without a key, `all` also DBLP and Semantic Scholar.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import md5
from pathlib import Path
from typing import Any, Self

import httpx

from paper_search.config import AppConfig
from paper_search.models import (
    Paper,
    RankedQuery,
    RawPaper,
    SearchConstraints,
    SearchStrategy,
)
from paper_search.models.settings import EmbeddingsConfig
from paper_search.skills import Deduplicator, Searcher
from paper_search.sources import SearchSource, create_source
from paper_search.sources.adapter import Adapter, Translated
from paper_search.sources.http_source import HttpSource
from paper_search.sources.ranked_text import content_words, rarest_words
from paper_search.workflow import SearchWorkflow

WITHOUT_KEY = ["openalex", "crossref", "arxiv", "pubmed", "europe_pmc", "doaj", "datacite"]
SERVICES = [*WITHOUT_KEY, "semantic_scholar", "dblp"]
SHARED = Path(__file__).parents[1] / "../shared"
WORLD, COLLECTION = SHARED / "world", SHARED / "data/ir_scholargym_local"
EMBEDDINGS = ["none"]
LATENCY_S, READY_S = 0.3, 600
FUSION_K = 60
SHALLOW, DEEP = 20, 100
KEYWORDS_OF_FORTY, MOST_KEYWORDS = 24, 6
FEWEST_OF_A_TOPIC, MOST_OF_A_TOPIC, WORDS_OF_A_TOPIC = 12, 40, 3
Found = list[set[int]]
"""The numbers of the works that each result stands for, best first; more than one is an error."""


@dataclass(frozen=True)
class Task:
    """One question and the numbers of the works that answer it."""

    question: str
    relevant: frozenset[int]


@dataclass(frozen=True)
class Figures:
    """What one way to search found for one question; None: not measured."""

    shallow: float
    deep: float
    cost: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """The means of one way to search over some questions."""

    name: str
    questions: str
    figures: Sequence[Figures]

    def cells(self) -> list[str]:
        """Return the row as text, cell by cell."""
        costs = [figure.cost for figure in self.figures if figure.cost]
        names = ("requests", "seconds", "received", "works", "hidden")
        means = [_mean([cost[name] for cost in costs]) if costs else None for name in names]
        recall = [_mean([figure.shallow for figure in self.figures])]
        recall.append(_mean([figure.deep for figure in self.figures]))
        return [
            self.questions,
            self.name,
            *(f"{value:.3f}" for value in recall),
            *("" if value is None else f"{value:.1f}" for value in means),
        ]


def measure(
    tasks: Sequence[Task], url: str, *, label: str = "questions", chosen: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield a row for each way to search; the simulator at `url` serves the first three.

    Args:
        tasks: what is asked.
        url: of the simulator.
        label: what the rows call the tasks.
        chosen: beginnings of the names of ways; empty: all.
    """
    ways: list[tuple[str, Callable[[Task], Figures]]] = [
        ("find", lambda task: asyncio.run(_find(task, url))),
        ("ranked queries, fused", lambda task: asyncio.run(_fused(task, _sources(), url))),
        ("as written, fused", lambda task: asyncio.run(_fused(task, _plain_sources(), url))),
        ("one BM25 index over everything", lambda task: scored(task, bm25(url, task.question))),
    ]
    redirect(url)
    for name, way in ways:
        if chosen and not name.startswith(tuple(chosen)):
            continue
        yield Row(name, label, [way(task) for task in tasks])


async def _find(task: Task, url: str) -> Figures:
    with tempfile.TemporaryDirectory() as home, Costs(url) as costs:
        embeddings = EmbeddingsConfig(name=EMBEDDINGS[0])
        config = AppConfig(home=Path(home), http_cache=False, embeddings=embeddings)
        workflow = SearchWorkflow.from_config(config, sources=SERVICES)
        collection = await workflow.run(task.question)
    costs.count(collection.metadata.total_found, len(collection.papers))
    return scored(task, [numbers(paper) for paper in collection.papers], costs.figures)


async def _fused(task: Task, sources: Sequence[SearchSource], url: str) -> Figures:
    """Ask the sources a ranked query, merge, and order by the sum of 1 / (60 + rank)."""
    strategy = SearchStrategy(
        queries=[],
        ranked=[RankedQuery(text=task.question)],
        sources=SERVICES,
        filters=SearchConstraints(),
    )
    with Costs(url) as costs:
        report = await Searcher(sources).report(strategy)
        works = await Deduplicator().deduplicate(report.papers)
    failed = [entry for entry in report.sources if entry.status.is_failure]
    if failed:
        print("failed:", *failed, file=sys.stderr)
    costs.count(len(works), len(works))
    found = [numbers(work) for work in sorted(works, key=_fusion, reverse=True)]
    return scored(task, found, costs.figures)


class Costs:
    """What one search costs, while every answer of the simulator takes 0.3 s."""

    def __init__(self, url: str) -> None:
        self.figures: dict[str, float] = {}
        self._url = url

    def __enter__(self) -> Self:
        _asked(f"{self._url}/_world/control", delay=LATENCY_S, clear=True)
        self._started = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        seconds = time.perf_counter() - self._started
        log = _asked(f"{self._url}/_world/log")["log"]
        received = [entry["returned"] or 0 for entry in log if "esearch" not in entry["path"]]
        self.figures = {"requests": len(log), "seconds": seconds, "received": sum(received)}
        _asked(f"{self._url}/_world/control", delay=0.0)

    def count(self, works: int, shown: int) -> None:
        """Add how many works were found, and how many the first page does not show."""
        self.figures |= {"works": works, "hidden": works - shown}


def _fusion(work: RawPaper) -> float:
    best: dict[str, int] = {}
    for seen in work.sightings:
        rank = seen.rank or DEEP
        best[seen.source] = min(rank, best.get(seen.source, rank))
    return sum(1 / (FUSION_K + rank) for rank in best.values())


def _sources() -> list[SearchSource]:
    return [
        create_source(name, AppConfig(home=Path(tempfile.mkdtemp()), http_cache=False))
        for name in SERVICES
    ]


def _plain_sources() -> list[SearchSource]:
    """Return the nine sources; each is asked the question as it is written."""
    sources = _sources()
    for source in sources:
        assert isinstance(source, HttpSource)
        _plain(source.adapter)
    return sources


def _plain(adapter: Adapter) -> None:
    """Let a service be asked the question as it is written."""

    def translate(query: RankedQuery, _: SearchConstraints) -> tuple[Translated, ...]:
        text = re.sub(r'[?:()\[\]"/*~|!]', " ", query.text)  # what some refuse
        if adapter.name == "openalex":
            return (Translated(text, params={"search": text}),)
        return (Translated(text),)

    adapter.translate_ranked = translate  # type: ignore[method-assign]  # of this one object


def numbers(paper: Paper | RawPaper) -> set[int]:
    """Return the numbers of the works whose identifiers a record carries."""
    versions = [text for version in paper.versions for text in (version.doi, version.url)]
    names = (paper.doi, paper.arxiv_id, paper.pmid, paper.url, paper.full_text_url, *versions)
    known = (_truth().work_of(name) for name in (paper.id, *paper.merged_from, *names) if name)
    return {number for number in known if number is not None}


def scored(task: Task, found: Found, cost: dict[str, float] | None = None) -> Figures:
    def recall(depth: int) -> float:
        seen: set[int] = set().union(*found[:depth])
        return len(task.relevant & seen) / len(task.relevant)

    return Figures(recall(SHALLOW), recall(DEEP), cost or {})


def bm25(url: str, question: str) -> Found:
    """Return what one index over titles and abstracts finds of all that any service holds."""
    index, held, words = _index(url)
    found, _ = index.retrieve(words([question]), k=DEEP, show_progress=False)
    return [{held[int(place)]} for place in found[0]]


@cache
def _index(url: str) -> tuple[Any, list[int], Callable[[list[str]], Any]]:
    import bm25s  # noqa: PLC0415  # of the dependency group `benchmarks`
    import Stemmer  # noqa: PLC0415  # as bm25s

    stemmer = Stemmer.Stemmer("english")

    def words(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    texts = {row["_id"]: f"{row['title']}\n{row.get('text') or ''}" for row in _records("corpus")}
    held = [work for work in works(url) if work["held"]]
    index = bm25s.BM25()
    index.index(words([texts[work["gold"][0]] for work in held]), show_progress=False)
    return index, [work["n"] for work in held], words


def questions(url: str, many: int, skip: int = 0) -> list[Task]:
    """Return questions with the works that answer them, in an order that is always the same."""
    by_gold = {gold: work["n"] for work in works(url) if work["held"] for gold in work["gold"]}
    relevant: dict[str, set[int]] = {}
    for line in (COLLECTION / "qrels.tsv").read_text("utf-8").splitlines():
        question, document, _ = line.split("\t")
        if document in by_gold:
            relevant.setdefault(question, set()).add(by_gold[document])
    texts = {row["_id"]: row["text"] for row in _records("queries") if row["_id"] in relevant}
    chosen = sorted(texts, key=lambda name: md5(name.encode()).hexdigest())  # noqa: S324  # an order
    return [Task(texts[name], frozenset(relevant[name])) for name in chosen[skip : skip + many]]


def typed(tasks: Sequence[Task]) -> list[Task]:
    """Return 24 of each forty questions as a person types keywords."""
    asked = [task for place, task in enumerate(tasks) if place % 40 < KEYWORDS_OF_FORTY]
    return [Task(_keywords(task.question), task.relevant) for task in asked]


def _keywords(question: str) -> str:
    return " ".join(rarest_words(content_words(question), MOST_KEYWORDS)[0])


def topics(url: str, many: int, skip: int = 0) -> list[Task]:
    """Return phrases that stand in 12 to 40 titles, with these works; no two share a word.

    None has a word that says nothing about a subject.
    """
    places: dict[str, set[int]] = {}
    for work in works(url):
        words = re.findall(r"\w+", work["title"].lower()) if work["held"] else []
        for start in range(len(words) - WORDS_OF_A_TOPIC + 1):
            phrase = words[start : start + WORDS_OF_A_TOPIC]
            if content_words(" ".join(phrase)) == phrase:
                places.setdefault(" ".join(phrase), set()).add(work["n"])
    fitting = [
        phrase
        for phrase, found in places.items()
        if FEWEST_OF_A_TOPIC <= len(found) <= MOST_OF_A_TOPIC
    ]
    fitting.sort(key=lambda phrase: md5(phrase.encode()).hexdigest())  # noqa: S324  # an order
    used: Counter[str] = Counter()
    tasks = []
    for phrase in fitting:
        if not any(used[word] for word in phrase.split()):
            used.update(phrase.split())
            tasks.append(Task(phrase, frozenset(places[phrase])))
    return tasks[skip : skip + many]


@cache
def works(url: str) -> list[dict[str, Any]]:
    """Return all works of the simulator, and who holds them."""
    found: list[dict[str, Any]] = _asked(f"{url}/_world/works")["works"]
    return found


def _records(name: str) -> Iterator[dict[str, Any]]:
    path = COLLECTION / f"{name}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open() as lines:
        yield from map(json.loads, lines)


def _asked(url: str, **body: Any) -> Any:
    answer = httpx.post(url, json=body) if body else httpx.get(url, timeout=READY_S)
    return answer.raise_for_status().json()


@cache
def _truth() -> Any:
    """Return the simulator's module that knows which work an identifier belongs to."""
    sys.path.append(str(WORLD))  # it imports its neighbours
    return _module(WORLD / "corpus.py")


@cache
def redirect(url: str) -> None:
    """Send what this process asks of the nine hosts to the simulator; refuse any other host."""
    os.environ["WORLD_URL"] = url  # noqa: TID251  # what the simulator's redirection reads
    _module(WORLD / "redirect/sitecustomize.py")


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"world_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def simulator() -> Iterator[str]:
    """Start a simulator, and yield its address once it answers."""
    command = [sys.executable, "-B", str(WORLD / "serve.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # ours
        try:
            said = process.stdout.readline() if process.stdout else ""
            yield said.split()[-1]
        finally:
            process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--url", default="")
    parser.add_argument("--ways", nargs="*", default=[])
    parser.add_argument("--embeddings", default="none", help="minilm: titles vote by meaning")
    parser.add_argument("--services", choices=["web", "all"], default="web")
    given = parser.parse_args()
    EMBEDDINGS[:] = [given.embeddings]
    if given.services == "web":
        SERVICES[:] = WITHOUT_KEY
    if not WORLD.exists():
        print("the simulated services (../shared/world) are not here")
        return
    with contextlib.nullcontext(given.url) if given.url else simulator() as url:
        asked = questions(url, given.questions, given.skip)
        parts = {
            f"{len(asked)} questions": asked,
            f"{len(typed(asked))} as keywords": typed(asked),
            f"{given.topics} topics": topics(url, given.topics, given.skip // 4),
        }
        parts = {label: tasks for label, tasks in parts.items() if tasks}
        heads = (
            "asked",
            "way",
            "@20",
            "@100",
            "requests",
            "seconds",
            "received",
            "works",
            "hidden",
        )
        print("|", " | ".join(heads), "|")
        print("|---" * len(heads) + "|")
        for label, tasks in parts.items():
            for row in measure(tasks, url, label=label, chosen=given.ways):
                print("|", " | ".join(row.cells()), "|", flush=True)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
