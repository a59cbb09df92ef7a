# ruff: noqa: INP001  # a script, not a package
"""Ask the real services once, where there is a network: what answers, and what has changed.

    python scripts/live_smoke.py [--out DIR] [--recorded DIR] [SOURCE ...]

Each source gets one plain question or boolean query with every filter that searches use, and at
most two requests, retries included; twenty at most in all, each service at its own pace. Without
SOURCE, what is left of the twenty goes to other kinds of requests: a boolean query, a second page,
a query by POST, a work by its identifier, citations, missing fields. A line of
the table says whether it answered, how many records were read, which of their fields are filled,
and, with `--recorded`, which keys of the answer are in none of the recorded ones, or missing. The
answers to searches are saved as the recorded ones are: a body, a `.meta.json` and one `index.json`.
Keys are not saved. It is no part of the gate: nothing there reaches a network.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from paper_search.config import AppConfig, load_config
from paper_search.http.limits import CallBudget
from paper_search.http.network import Routes
from paper_search.http.redaction import redact
from paper_search.models import (
    RankedQuery,
    RawPaper,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    Seed,
    SourceReport,
)
from paper_search.service_settings import WEB_SOURCES, WEB_WITH_KEY
from paper_search.sources import create_source
from paper_search.sources.client import SourceSettings
from paper_search.sources.enrichment import HttpEnricher
from paper_search.sources.enrichment.services import CrossrefLookup
from paper_search.sources.http_source import HttpSource
from paper_search.sources.snowballing import SnowballSource
from paper_search.sources.snowballing.services import OpenAlexCitations

MOST_REQUESTS = 20
MOST_OF_A_SOURCE = 2
QUESTION = "randomised trials of migraine prevention"
FILTERS = SearchConstraints(
    year_from=2015,
    year_to=2024,
    language="en",
    publication_types=["article-journal", "article", "paper-conference"],
    max_results=10,
)
FIELDS = ("abstract", "authors", "year", "venue", "doi", "language", "publication_type", "url")


DOI = "10.1038/nature14539"
"""A review that thousands of works cite."""
BOOLEAN = '("machine learning" OR "deep learning") AND migraine AND year:2018-2022'
LONG = " OR ".join(f'"migraine attack {number}"' for number in range(400))


def queries(*texts: str, most: int = 10, **parts: Any) -> SearchStrategy:
    """Return a strategy of boolean queries."""
    asked = [SearchQuery(keywords=[], boolean_query=text) for text in texts]
    limits = SearchConstraints(max_results=most)
    return SearchStrategy(queries=asked, sources=["any"], filters=limits, **parts)


KINDS: list[tuple[str, str, SearchStrategy]] = [
    ("a boolean query", "openalex", queries(BOOLEAN)),
    ("a second page", "europe_pmc", queries("migraine AND prevention", most=150)),
    ("a query by POST", "europe_pmc", queries(LONG)),
    ("a work by its DOI", "crossref", queries(works=[f"doi:{DOI}"])),
]
"""One request each, the second page two; citations take two, missing fields one."""
REQUESTS_OF_KINDS = 8


@dataclass
class Run:
    """Where answers are saved and compared, and how many requests may still be made."""

    folder: Path
    recorded: Path | None
    left: int = MOST_REQUESTS


class Recorder(httpx.AsyncBaseTransport):
    """Sends requests, and keeps every answer.

    Args:
        network: what sends them.
        secrets: keys, which are not kept.
    """

    def __init__(self, network: httpx.AsyncBaseTransport, secrets: tuple[str, ...]) -> None:
        self._network = network
        self._secrets = secrets
        self.answers: list[tuple[dict[str, Any], bytes]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request."""
        response = await self._network.handle_async_request(request)
        content = await response.aread()
        headers = {name: redact(text, self._secrets) for name, text in response.headers.items()}
        url = redact(str(request.url), self._secrets)
        meta = {"method": request.method, "url": url, "status": response.status_code}
        self.answers.append(({**meta, "headers": headers}, content))
        unpacked = {k: v for k, v in response.headers.items() if k != "content-encoding"}
        return httpx.Response(response.status_code, headers=unpacked, content=content)


async def ask(
    name: str, config: AppConfig, run: Run, kind: str = "", strategy: SearchStrategy | None = None
) -> str:
    """Ask a source, save what it answers, and return its line of the table."""
    made = create_source(name, config)
    if not isinstance(made, HttpSource):
        return f"| {name} | is no web service | | | |"
    async with httpx.AsyncClient(
        transport=(recorder := Recorder(Routes(config.network), config.secrets)), trust_env=False
    ) as client:
        budget = CallBudget(min(MOST_OF_A_SOURCE, run.left))
        source = HttpSource(made.adapter, made.settings, client=client, budget=budget)
        ranked = [RankedQuery(text=QUESTION)] if source.ranks_text else []
        words = SearchQuery(keywords=[], boolean_query="migraine AND prevention")
        usual = SearchStrategy(
            queries=[] if ranked else [words], ranked=ranked, sources=[name], filters=FILTERS
        )
        strategy = strategy or usual
        report = await source.report(strategy)
    run.left -= budget.used
    paths = [save(name, run.folder, meta, content) for meta, content in recorder.answers]
    changes = "; ".join(changed(name, paths, run.recorded)) if run.recorded else ""
    return line(f"{name}{kind and f': {kind}'}", report.sources[0], report.papers, changes)


async def ask_otherwise(config: AppConfig, run: Run) -> Iterator[str]:
    """Ask for citations and missing fields, and return their lines of the table."""
    about: dict[str, Any] = {"contact": config.contact, "network": config.network}
    settings = SourceSettings(max_calls=min(2, run.left), max_retries=0, **about)
    seed = Seed(openalex_id="W2919115771", doi=DOI)
    openalex = config.sources.get("openalex")
    snowball = SnowballSource([OpenAlexCitations(openalex.api_key if openalex else "")], settings)
    cited = await snowball.report(queries(seeds=[seed]))
    run.left -= sum(len(report.requests) for report in cited.sources)
    settings = SourceSettings(max_calls=min(1, run.left), max_retries=0, **about)
    work = RawPaper(id="1", title="Deep learning", doi=DOI, source="smoke")
    filled = await HttpEnricher(CrossrefLookup("", contact=config.contact), settings).look_up(
        [work]
    )
    records = [record for found in filled.records.values() for record in found]
    return iter(
        (
            line("citations (openalex)", cited.sources[0], cited.papers),
            line("missing fields (crossref)", filled.report, records),
        )
    )


def line(name: str, said: SourceReport, papers: list[RawPaper], changes: str = "") -> str:
    """Return a line of the table."""
    told = (said.error or said.note or "")[:120].replace("|", "/")
    filled = " ".join(f"{field} {count}" for field, count in counts(papers))
    return f"| {name} | {said.status.value}: {told} | {len(papers)} | {filled} | {changes} |"


def counts(papers: list[RawPaper]) -> Iterator[tuple[str, int]]:
    """Yield how many records have each field."""
    for field in FIELDS:
        yield field, sum(bool(getattr(paper, field)) for paper in papers)


def save(name: str, folder: Path, meta: dict[str, Any], content: bytes) -> Path:
    """Write an answer as the recorded ones are; return the path of its body."""
    kind = str(meta["headers"].get("content-type", ""))
    suffix = ".json" if "json" in kind else ".xml" if "xml" in kind else ".txt"
    short = hashlib.sha256(content).hexdigest()[:12]
    path = folder / name / f"live_smoke__{short}__http{meta['status']}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    about = {
        "file": path.name,
        "service": name,
        "fidelity": "recorded-http",
        "request": {"method": meta["method"], "url": meta["url"]},
        "response": {"status": meta["status"], "headers": meta["headers"]},
        "recorded": datetime.now(UTC).date().isoformat(),
        "bytes": len(content),
    }
    path.with_name(f"{path.stem}.meta.json").write_text(json.dumps(about, indent=1), "utf-8")
    index = folder / "index.json"
    listed = json.loads(index.read_text("utf-8")) if index.is_file() else []
    entry = {"path": f"{name}/{path.name}", "service": name, "url": meta["url"]}
    listed.append({**entry, "status": meta["status"], "tags": []})
    index.write_text(json.dumps(listed, indent=1), "utf-8")
    return path


def changed(name: str, paths: list[Path], recorded: Path) -> Iterator[str]:
    """Yield the keys that are new in an answer, or that only it does not have."""
    shapes = [shape for path in (recorded / name).glob("*.json") if (shape := keys(path))]
    for path in paths:
        if shapes and (now := keys(path)):
            new, gone = now - set[str]().union(*shapes), set.intersection(*shapes) - now
            yield from (f"new: {key}" for key in sorted(new)[:10])
            yield from (f"gone: {key}" for key in sorted(gone)[:10])


def keys(path: Path) -> set[str]:
    """Return the paths of the keys in a JSON object, such as `results[].doi`."""
    try:
        body = json.loads(path.read_bytes())
    except ValueError:
        return set()
    return set(_keys(body, "")) if isinstance(body, dict) and "fidelity" not in body else set()


def _keys(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if path.endswith("_index."):  # words of an abstract
                return
            yield f"{path}{name}"
            yield from _keys(part, f"{path}{name}.")
    elif isinstance(value, list):
        for part in value[:20]:
            yield from _keys(part, f"{path.removesuffix('.')}[].")


async def main() -> None:
    """Ask one source after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sources", nargs="*", metavar="SOURCE")
    parser.add_argument("--out", type=Path, default=Path("live_smoke"))
    parser.add_argument("--recorded", type=Path)
    given = parser.parse_args()
    names = given.sources or [*WEB_SOURCES, *WEB_WITH_KEY]
    run = Run(given.out, given.recorded)
    spare = 0 if given.sources else REQUESTS_OF_KINDS
    config = load_config().model_copy(update={"http_cache": False})
    print("| source | answered | records | fields filled | differs |\n|---|---|--:|---|---|")
    for name in names:
        if run.left > spare:
            print(await ask(name, config, run))
    if given.sources:
        return
    for kind, name, strategy in KINDS:
        print(await ask(name, config, run, kind, strategy))
    for row in await ask_otherwise(config, run):
        print(row)


if __name__ == "__main__":
    asyncio.run(main())
