"""What asking many sources costs: ten at once against the slowest, one after the other, a dead one.

Run: python benchmarks/sources.py
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from paper_search.models import SearchConstraints, SearchQuery, SearchStrategy
from paper_search.skills import Searcher
from paper_search.sources import SearchSource
from paper_search.sources.client import SourceSettings
from paper_search.sources.serpapi_scholar import SerpAPIScholarSource

SOURCES = 10
LATENCY_S = 0.3
DEADLINE_S = 1.0
REPEATS = 5
STRATEGY = SearchStrategy(
    queries=[SearchQuery(keywords=[], boolean_query="graph AND neural")],
    sources=[],
    filters=SearchConstraints(max_results=20),
)
PAGE = {
    "organic_results": [
        {"title": f"Paper {number}", "result_id": f"id{number}", "link": f"https://x.org/{number}"}
        for number in range(20)
    ]
}


async def answered(request: httpx.Request) -> httpx.Response:
    """Answer as a service does that takes its time; the host `dead` never does."""
    await asyncio.sleep(3600 if request.url.host.startswith("dead") else LATENCY_S)
    return httpx.Response(200, json=PAGE)


def sources(
    client: httpx.AsyncClient, *, names: list[str], cache: Path | None = None
) -> dict[str, SearchSource]:
    """Return one source on a host of its own for each name."""
    return {
        name: SerpAPIScholarSource(
            "key",
            0,
            client=client,
            endpoint=f"https://{name}.example/search",
            settings=SourceSettings(deadline_s=DEADLINE_S, cache_path=cache),
        )
        for name in names
    }


async def together(asked: dict[str, SearchSource]) -> None:
    """Ask all of them at once."""
    await Searcher(asked, deadline_s=DEADLINE_S + 5).report(STRATEGY)


async def in_turn(asked: dict[str, SearchSource]) -> None:
    """Ask one after the other."""
    for name, source in asked.items():
        await Searcher({name: source}).report(STRATEGY)


async def measured(
    ask: Callable[[dict[str, SearchSource]], Awaitable[None]],
    asked: dict[str, SearchSource],
    repeats: int = REPEATS,
) -> tuple[float, float]:
    """Return the median of seconds, and of seconds of the processor."""
    wall, cpu = [], []
    for _ in range(repeats):
        started, used = time.perf_counter(), time.process_time()
        await ask(asked)
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
    return statistics.median(wall), statistics.median(cpu)


def say(what: str, seconds: tuple[float, float]) -> None:
    """Print one line of the table."""
    wall, cpu = seconds
    ratio = wall / LATENCY_S
    print(f"| {what} | {wall:.3f} s | {ratio:.2f} | {cpu * 1000:.0f} ms |")  # the result


async def main() -> None:
    """Print the table."""
    names = [f"source{number}" for number in range(SOURCES)]
    with tempfile.TemporaryDirectory() as folder:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answered)) as client:
            live = sources(client, names=names)
            await together(live)  # imports and tables that are built once
            print(f"{SOURCES} sources of {LATENCY_S * 1000:.0f} ms, 20 records each")  # the result
            print("\n| asked | time | x the slowest | processor |\n|---|---|---|---|")  # the result
            say("one source", await measured(together, sources(client, names=names[:1])))
            say("all at once", await measured(together, live))
            say("one after the other", await measured(in_turn, live, repeats=1))
            dead = sources(client, names=[*names[:-1], "dead"])
            say(f"all, one dead (deadline {DEADLINE_S:g} s)", await measured(together, dead, 2))
            cached = sources(client, names=names, cache=Path(folder) / "http.db")
            await together(cached)
            say("all, from the cache", await measured(together, cached))


if __name__ == "__main__":
    asyncio.run(main())
