"""What a boolean query finds at each simulated service, against what it should find there.

    python benchmarks/boolean_world.py [--size N] [--queries N] [--seed N] [SERVICE ...]

The services of `../shared/world` run in this process. Queries are made of words, stems, phrases and
names that occur in its works, in nine shapes: groups of synonyms, truncated words, phrases,
exclusions, NEAR, fields, an author in one arm of an OR, and years. A work should be found where
what a service searches of it matches the query (`paper_search.query.evaluate`): the title of its
final version, the abstract (Crossref searches none), and where the query names one, the author;
and where the whole record does, as what is excluded may stand in an abstract.
*wrong*: records shown that lack what is wanted even by stem, or hold what is excluded as it is
written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.models import RawPaper, SearchConstraints, SearchQuery, SearchStrategy
from paper_search.query import And, Node, Not, Or, Term, evaluate, judge, parse
from paper_search.query.evaluation import tokenise
from paper_search.sources import create_source
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.sources.query_run import searchable

WORLD = Path(__file__).parents[1] / "../shared/world"
SERVICES = (
    *("openalex", "semantic_scholar", "crossref", "pubmed", "arxiv"),
    *("europe_pmc", "dblp", "doaj", "datacite", "core"),
)
WITHOUT_FIELDS = {"crossref": ("abstract",)}
MOST = 1000
FEWEST_TO_FIND = 5


class World:
    """The simulated services in this process."""

    def __init__(self, size: int) -> None:
        sys.path.insert(0, str(WORLD))
        import serve  # noqa: PLC0415  # of the simulator
        import services  # noqa: PLC0415  # of the simulator
        from corpus import World as Works  # noqa: PLC0415  # of the simulator

        self._services = services
        self.stage = serve.Stage(Works(serve.CORPUS, size, "", frozenset({"core"})), None)
        self.stage.keys = True

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request as the simulated host does."""
        host, target = request.url.host, request.url.raw_path.decode()
        path, _, query = target.partition("?")
        sent = dict(parse_qsl(query, keep_blank_values=True))
        body = None
        if "json" in request.headers.get("content-type", ""):
            body = json.loads(request.content)
        elif request.content:
            sent |= dict(parse_qsl(request.content.decode(), keep_blank_values=True))
        headers = {name.lower(): value for name, value in request.headers.items()}
        line = len(f"{request.method} {target} HTTP/1.1")
        path = path if host == "doaj.org" else unquote(path)
        asked = self._services.Request(request.method, path, sent, headers, line, body)
        reply = self.stage.answer(host, asked)
        content = self._services.encoded(reply.body)
        kind = {"content-type": reply.kind}
        return httpx.Response(reply.status, headers={**kind, **reply.headers}, content=content)

    def records(self, service: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield what a service holds: the number of a work, and the fields of its record."""
        name = service
        world = self.stage.world
        for number, versions in world.held[name].items():
            work = world.works[number]
            for version in versions:
                yield (
                    number,
                    {
                        "title": work.title,
                        "abstract": world.abstract(name, work) or None,
                        "author": "; ".join(work.authors),
                        "venue": work.venue,
                        "year": self._services.year_of(work, version),
                    },
                )


@dataclass(frozen=True)
class Outcome:
    """What one query found at one service."""

    expected: int
    found: int
    shown: int
    wrong: int
    requests: int
    fault: str


def queries(world: World, many: int, seed: int) -> list[str]:
    """Return queries that each match some works."""
    chance = random.Random(seed)  # noqa: S311  # a sample
    works = [work for work in world.stage.world.works if work.abstract]
    records = [
        {"title": w.title, "abstract": w.abstract, "year": w.year,
         "author": "; ".join(w.authors), "venue": w.venue}
        for w in works
    ]  # fmt: skip
    chosen: list[str] = []
    while len(chosen) < many:
        work = chance.choice(works)
        title = re.findall(r"[a-z]{5,}", work.title.lower())
        words = re.findall(r"[a-z]{6,}", work.abstract.lower())
        if len(title) < 3 or len(words) < 8 or not work.authors:
            continue
        a, b, c = chance.sample(title, 3)
        d, e, f = chance.sample(words, 3)
        name = re.sub(r"[^\w-]", "", work.authors[0].split()[-1])
        pair = re.search(r"[a-z]{4,} [a-z]{4,}", work.title.lower())
        phrase = pair[0] if pair else f"{a}"
        shapes = (
            f"({a} OR {d}) AND ({b} OR {e})",
            f'"{phrase}" AND ({c} OR {d} OR {e})',
            f"{a[:5]}* AND ({b} OR {d})",
            f"({a} OR {b}) AND {d[:6]}* AND year:{work.year - 3}-{work.year + 2}",
            f"({a} OR {b}) AND ({c} OR {e}) NOT {f}",
            f"{a} NEAR/8 {b}",
            f"title:{a} AND ({b} OR {d} OR author:{name})",
            f"({a} AND {b}) OR ({a} AND {d})",
            f'({a[:6]}* OR "{phrase}") AND ({b} OR {c[:5]}*) NOT {e[:6]}*',
        )
        query = shapes[len(chosen) % len(shapes)]
        tree = parse(query)
        hits = sum(matches(tree, record) for record in records)
        if FEWEST_TO_FIND <= hits <= MOST // 4:
            chosen.append(query)
    return chosen


def may_match(node: Node, text: str) -> bool:
    """Whether a text in lower case holds what a match needs: quick, never wrongly no."""
    match node:
        case And(children):
            return all(may_match(child, text) for child in children)
        case Or(children):
            return any(may_match(child, text) for child in children)
        case Term() if node.text.isalpha() and node.text.isascii():
            return node.text.lower() in text
        case _:
            return True


def matches(node: Node, record: dict[str, Any]) -> bool:
    text = f"{record['title']} {record['abstract']} {record['author']} {record['venue']}".lower()
    return may_match(node, text) and evaluate(node, record)


def by_stem(text: str) -> list[str]:
    """Return the words of a text as services compare them."""
    from index import stem  # noqa: PLC0415  # of the simulator

    return [stem(re.sub(r"ll(?=ed$|ing$)", "l", word)) for word in tokenise(text)]


def searched(record: dict[str, Any], service: str, query: str) -> dict[str, Any]:
    """Return what a service searches of a record for a query; "": what the record has of it."""
    unsearched = dict.fromkeys(WITHOUT_FIELDS.get(service, ()), "")
    if "author:" not in query:  # words without a field are those of title and abstract
        unsearched |= {"author": "", "venue": ""}
    return {**record, **unsearched}


def is_wrong(tree: Node, paper: RawPaper, works: list[Any]) -> bool:
    """Whether a record lacks what is wanted, as it is shown and as the simulator searches it.

    It searches title and year of the final version, also where it shows a preprint's.
    """
    shown = searchable(paper)
    finals = [{**shown, "title": work.title, "year": work.year} for work in works]
    return all(lacks_a_part(tree, record) for record in (shown, *finals))


def lacks_a_part(tree: Node, record: dict[str, Any]) -> bool:
    """Whether a part is not there: wanted words by stem, truncated and unwanted ones as written."""
    return any(
        all(judge(part, record, tokeniser=words) is False for words in ways)
        for part in (tree.children if isinstance(tree, And) else (tree,))
        for ways in [(tokenise,) if isinstance(part, Not) else (tokenise, by_stem)]
    )


async def ask(world: World, service: str, query: str) -> Outcome:
    from corpus import work_of  # noqa: PLC0415  # of the simulator

    key = f"world-{service.removesuffix('_bulk')}" if service in KEYED else ""
    made = create_source(
        service, AppConfig(sources={service: SearchSourceConfig(name=service, api_key=key)})
    )
    assert isinstance(made, HttpSource)
    async with httpx.AsyncClient(transport=httpx.MockTransport(world.answer)) as client:
        source = HttpSource(made.adapter, SourceSettings(interval_s=0), client=client)
        strategy = SearchStrategy(
            queries=[SearchQuery(keywords=[], boolean_query=query)],
            sources=[service],
            filters=SearchConstraints(max_results=MOST),
        )
        report = await source.report(strategy)
    tree = parse(query)
    expected = {
        number
        for number, whole in documents(world, service)
        if all(matches(tree, searched(whole, which, query)) for which in (service, ""))
    }
    found = {n for paper in report.papers for n in numbers(paper, work_of)}
    works = world.stage.world.works
    wrong = [
        paper
        for paper in report.papers
        if is_wrong(tree, paper, [works[n] for n in numbers(paper, work_of)])
    ]
    faults = [entry.error for entry in report.sources if entry.error]
    requests = sum(len(entry.requests) for entry in report.sources)
    return Outcome(len(expected), len(expected & found), len(report.papers), len(wrong), requests,
                   faults[0] if faults else "")  # fmt: skip


KEYED = {"openalex", "semantic_scholar", "pubmed", "core"}


def numbers(paper: RawPaper, work_of: Any) -> set[int]:
    names = (paper.doi, paper.arxiv_id, paper.pmid, paper.url, paper.full_text_url, paper.id)
    return {n for name in names if name and (n := work_of(name)) is not None}


_CACHE: dict[str, list[tuple[int, dict[str, Any]]]] = {}


def documents(world: World, service: str) -> list[tuple[int, dict[str, Any]]]:
    if service not in _CACHE:
        _CACHE[service] = list(world.records(service))
    return _CACHE[service]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("services", nargs="*", default=SERVICES)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=27)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    world = World(given.size)
    asked = queries(world, given.queries, given.seed)
    print(
        "| service | should find | recall | least of a query | shown | wrong | requests | faults |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    for service in given.services or SERVICES:
        rows = [asyncio.run(ask(world, service, query)) for query in asked]
        expected, found = sum(r.expected for r in rows), sum(r.found for r in rows)
        least = min((r.found / r.expected for r in rows if r.expected), default=1)
        faults = Counter(r.fault[:90] for r in rows if r.fault)
        shown, wrong = sum(r.shown for r in rows), sum(r.wrong for r in rows)
        print(
            f"| {service} | {expected} | {found / max(expected, 1):.3f} | {least:.2f} | {shown}"
            f" | {wrong} | {sum(r.requests for r in rows)} | {dict(faults) or ''} |",
            flush=True,
        )
        if given.verbose:
            for query, r in zip(asked, rows, strict=True):
                if r.found < r.expected or r.wrong:
                    print("   ", query, r)


if __name__ == "__main__":
    main()
