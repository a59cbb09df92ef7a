"""The checks of `paper-search doctor`."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import explanation, with_persistence
from paper_search.cli.source_lines import own_records
from paper_search.config import WEB_SOURCES, encryption_keys
from paper_search.errors import ConfigError, LibraryError, PaperSearchError
from paper_search.models import SearchConstraints, SearchQuery, SearchStrategy, Seed, SourceStatus
from paper_search.models.source_report import quantity
from paper_search.sources import SearchSource, create_source
from paper_search.sources.web import create_web_search, web_search_names

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models import SourceReport
    from paper_search.persistence import Persistence

QUESTION = "learning"
"""The test query: a word that every source finds."""
CITED = "10.1038/nature14539"
"""A paper that every citation index has, for the source that follows citations."""

_FIXES = {
    SourceStatus.EMPTY: "no records: for your library, `paper-search library add FILE`",
    SourceStatus.PARTIAL: "partial answer; try again later",
    SourceStatus.RATE_LIMITED: "too many requests: wait, set a key, or lower ..._RATE_LIMIT",
    SourceStatus.EXHAUSTED: "its quota is used up: wait, or set a key",
    SourceStatus.UNAUTHORISED: "set or correct its key",
    SourceStatus.TIMEOUT: "it is slow or down: try later, or raise SOURCE_DEADLINE_S",
    SourceStatus.UNREACHABLE: "check the network, proxy and firewall; if others answer, try later",
    SourceStatus.BAD_RESPONSE: "unexpected answer: try later; if it persists, update paper-search",
    SourceStatus.BUG: "a bug: please report it with this line",
}


@dataclass(frozen=True)
class Check:
    what: str
    is_well: bool
    found: str
    fix: str | None = None


async def check_everything(config: AppConfig, names: list[str] | None) -> list[Check]:
    """Check settings, files and the sources named, by default all that are enabled."""
    services = (*config.sources.items(), *config.web.items())
    names_asked = names or list(
        dict.fromkeys(name for name, service in services if service.enabled)
    )
    local = [_contact(config), _model(config), _library(config), await _threads(config)]
    return [*local, *await asyncio.gather(*(_source(name, config) for name in names_asked))]


def _contact(config: AppConfig) -> Check:
    if config.contact and "@" in config.contact:
        return Check("contact", is_well=True, found=config.contact)
    web = [name for name in WEB_SOURCES if name in config.sources and config.sources[name].enabled]
    fix = "set PAPER_SEARCH_CONTACT to your e-mail address: services then answer faster"
    return Check("contact", is_well=not web, found=config.contact or "none", fix=fix)


def _model(config: AppConfig) -> Check:
    if not config.llm.is_wanted:
        return Check("model", is_well=True, found="none: searches work without a model")
    from paper_search.llm import create_models
    from paper_search.models.settings import Skill

    try:
        create_models(config.llm)
    except (PaperSearchError, ValueError) as error:
        return Check("model", is_well=False, found=explanation(error), fix="correct LLM_MODEL")
    names = {skill.value: config.llm.of(skill) or "none" for skill in Skill}
    alike = len({*names.values()}) == 1
    summary = config.llm.model if alike else ", ".join(f"{k}: {name}" for k, name in names.items())
    return Check("model", is_well=True, found=f"{summary}, not tested")


def _library(config: AppConfig) -> Check:
    from paper_search.library.source import library_path

    path = library_path(config.home)
    try:
        count = own_records(config)
    except LibraryError as error:
        fix = f"move {path} away and import your files again"
        return Check("library", is_well=False, found=explanation(error), fix=fix)
    plain = ", not encrypted: the key covers threads only" if encryption_keys() else ""
    found = (
        f"{quantity(count, 'record')} in {path}{plain}" if count else "empty: the sample is used"
    )
    hint = None if count else "`paper-search library add FILE` imports your papers"
    return Check("library", is_well=True, found=found, fix=hint)


async def _threads(config: AppConfig) -> Check:
    from paper_search.report_workflow.listing import ThreadCatalogs
    from paper_search.threads.catalog import ALL, ThreadStatus

    async def look(persistence: Persistence) -> list[Any]:
        # A lease is taken to test writing: threads of a read-only database can be listed, too.
        async with persistence.leases.hold(str(uuid.uuid4())):
            return await ThreadCatalogs(persistence).threads(limit=ALL)

    try:
        threads = await with_persistence(config.persistence_url, look)
    except PaperSearchError as error:
        fix = f"check DATABASE_URL, or that {config.home} can be written"
        return Check("threads", is_well=False, found=explanation(error), fix=fix)
    if damaged := [thread.thread_id for thread in threads if thread.status is ThreadStatus.DAMAGED]:
        found, fix = f"damaged: {', '.join(damaged)}", "`paper-search show THREAD` shows the damage"
        return Check("threads", is_well=False, found=found, fix=fix)
    graphs = Counter(thread.graph for thread in threads)
    searches, reports = graphs.pop("paper_search", 0), graphs.pop("research_report", 0)
    others = {"report": reports, "thread of another workflow": graphs.total()}
    plural = {"thread of another workflow": "threads of other workflows"}
    parts = [quantity(count, noun, plural.get(noun, "")) for noun, count in others.items() if count]
    found = ", ".join([quantity(searches, "search", "searches"), *parts])
    return Check("threads", is_well=True, found=found)


async def _source(name: str, config: AppConfig) -> Check:
    from paper_search.skills import Searcher

    try:
        source: SearchSource = (
            create_web_search(name, config)
            if name in web_search_names()
            else create_source(name, config)
        )
    except ConfigError as error:
        return Check(f"source {name}", is_well=False, found=explanation(error), fix="set the key")
    searcher = Searcher({name: source}, deadline_s=config.source_deadline_s)
    question = SearchStrategy(
        queries=[SearchQuery(keywords=[QUESTION], boolean_query=QUESTION)],
        sources=[name],
        filters=SearchConstraints(max_results=1),
        seeds=[Seed(doi=CITED)],
    )
    rows = (await searcher.report(question)).sources
    row = max(rows, key=lambda row: (row.status.is_failure, row.kept))
    is_well, fix = not row.status.is_failure, _FIXES.get(row.status)
    return Check(f"source {name}", is_well, _outcome(row), fix)


def _outcome(row: SourceReport) -> str:
    status = row.status.value.replace("_", " ")
    of_how_many = f" of {row.hits:,}" if row.hits is not None else ""
    parts = [f"{status}: {row.kept}{of_how_many} records in {row.milliseconds} ms"]
    parts += ["from the cache"] if row.from_cache else []
    parts += [remark for remark in (row.error, row.note) if remark]
    return "; ".join(parts)
