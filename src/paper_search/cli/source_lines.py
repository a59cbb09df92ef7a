"""What sources did, in lines; where else to search; and what `doctor` finds wrong."""

from __future__ import annotations

import asyncio
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.cli.console import command_line, explanation, say, visible, with_persistence
from paper_search.cli.prompts import Choice, QuitError, Terminal, decide
from paper_search.config import (
    WEB_SOURCES,
    encryption_keys,
    expand_sources,
    load_config,
    remember_setting,
    setting_origins,
)
from paper_search.errors import ConfigError, LibraryError, PaperSearchError
from paper_search.models.source_report import LOCAL, SourceReport, SourceStatus

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.sources import SearchSource

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LOCAL = LOCAL | {"import"}
"""Sources that need no network."""


def in_words(names: Sequence[str]) -> str:
    """Return names in a row: `doaj`, `doaj and arxiv`, `doaj, arxiv and dblp`."""
    first, last = ", ".join(names[:-1]), "".join(names[-1:])
    return f"{first} and {last}" if first else last


def failed_sources(reports: Iterable[SourceReport]) -> list[str]:
    """Return the sources that failed for one query at least."""
    return list(dict.fromkeys(report.source for report in reports if report.is_failure))


def no_network(reports: Iterable[SourceReport]) -> str | None:
    """Return the line that says that no service at all could be reached; None: one could.

    One service alone says nothing about the network: its own failure is told instead.
    """
    of_services = [report for report in reports if report.source not in _LOCAL]
    names = {report.source for report in of_services}
    is_reached = any(report.status is not SourceStatus.UNREACHABLE for report in of_services)
    if len(names) < 2 or is_reached:  # noqa: PLR2004  # see above
        return None
    count = NUMBERS[len(names)] if len(names) < len(NUMBERS) else str(len(names))
    reason = next((report.error for report in of_services if report.error), "no reason given")
    return (
        f"No network: none of the {count} services could be reached. Check the connection, proxy "
        f"and firewall; --source library needs none. First failure: {reason}"
    )


def failure_lines(reports: Iterable[SourceReport]) -> list[str]:
    """Return what failed: no network in one line, else a line for every source and status.

    A line has the first reason and how many queries failed for it.
    """
    reports = list(reports)
    lines = []
    if (offline := no_network(reports)) is not None:
        lines.append(offline)
        reports = [report for report in reports if report.source in _LOCAL]
    groups: dict[tuple[str, str], list[SourceReport]] = {}
    for report in reports:
        if report.is_failure:
            groups.setdefault((report.source, report.status.value), []).append(report)
    for (source, status), failures in groups.items():
        queries = f", {len(failures)} queries" if len(failures) > 1 else ""
        reason = failures[0].error or failures[0].note or "no reason given"
        lines.append(f"source {source} FAILED ({status}{queries}): {reason}")
    return lines


def unfinished_line(
    question: str, reports: Iterable[SourceReport], home: Path | None
) -> str | None:
    """Return which sources a result that nobody reviewed is without, and what helps, if any."""
    late = list(dict.fromkeys(report.source for report in reports if report.is_unfinished))
    if not late:
        return None
    options = [part for name in late for part in ("--source", name)]
    return (
        f"Left behind: {in_words(late)}. Without --yes, you can wait at the result; "
        f"or search alone: {_search(question, options, home)}"
    )


def public_sources_hint(
    question: str, reports: Iterable[SourceReport], paper_count: int, home: Path | None
) -> str | None:
    """Return the command that asks the public services, under what is empty or of the sample.

    None: papers of the person's own were found, or all these services were asked already.
    """
    reports = list(reports)
    is_useful = not paper_count or any(report.is_sample for report in reports)
    if not is_useful or {report.source for report in reports} >= set(WEB_SOURCES):
        return None
    command = _search(question, ["--source", "web"], home)
    return f"Search {NUMBERS[len(WEB_SOURCES)]} public services: {command}"


def _search(question: str, options: Sequence[str], home: Path | None) -> str:
    """Return the command that asks the question again with other options.

    A strategy of many lines is not part of a command that people copy: the options alone.
    """
    if "\n" in question.strip():
        return f"run the same command with {' '.join(options)}"
    return command_line("find", *options, home=home, question=question)


def with_sources_chosen(config: AppConfig, home: Path | None) -> AppConfig:
    """Return the settings with what the person at the terminal chooses, if it is open.

    Raises:
        ConfigError: the home cannot be written.
    """
    if not _is_undecided(config, home):
        return config
    _ask(config, home)
    return load_config(home=home).model_copy(update={"keep_found": config.keep_found})


def _is_undecided(config: AppConfig, home: Path | None) -> bool:
    """Whether nobody ever said what is searched: no setting, no key of a source."""
    searched = [name for name, source in config.sources.items() if source.enabled]
    return searched == ["library"] and setting_origins(home=home)["sources"] == "default"


def _ask(config: AppConfig, home: Path | None) -> None:
    """Ask what is searched, and have the home remember the answer; Ctrl-D leaves it open."""
    has_papers = own_records(config) > 0
    services = ", ".join(
        _title(name, config) for name in expand_sources(["web"], config.keyed_sources)
    )
    alone = "your own library only" if has_papers else "only this machine: the sample"
    count = NUMBERS[len(WEB_SOURCES)]
    both = f"your library and {count}" if has_papers else count
    say("Where do you want to search? You are asked once.")
    web = f"  w  {both} public services, which then see your questions: {services}"
    say(textwrap.fill(web, shutil.get_terminal_size().columns, subsequent_indent=" " * 5))
    say(f"  l  {alone}")
    services_or_library = [
        Choice("w", "web", "[w]eb", f"search {both} public services", lambda _: "w"),
        Choice("l", "library", "[l]ibrary", f"search {alone}", lambda _: "l"),
    ]
    try:
        choice = decide(Terminal(), services_or_library)
    except QuitError:
        say("searching the library; you will be asked again")
        return
    names = ["library", "library, web" if has_papers else "web"]
    other, chosen = names if choice == "w" else names[::-1]
    path = remember_setting("sources", chosen, home=config.home)
    change = command_line("config", "set", "sources", other, home=home)
    say(visible(f"saved in {path}; to change it: {change}"))


def own_records(config: AppConfig) -> int:
    """Return how many records the library of the home has.

    Raises:
        LibraryError: it cannot be read.
    """
    from paper_search.library import Library
    from paper_search.library.source import library_path

    path = library_path(config.home)
    if not Library.exists(path):
        return 0
    with Library.open(path) as library:
        return len(library)


def _title(name: str, config: AppConfig) -> str:
    from paper_search.sources import create_source

    adapter = getattr(create_source(name, config), "adapter", None)
    return str(getattr(adapter, "title", name))


QUESTION = "learning"
"""What every source is asked: a word that all of them know."""
CITED = "10.1038/nature14539"
"""A paper that every index of citations knows, for the source that follows them."""

_FIXES = {
    SourceStatus.EMPTY: "no records: for your library, `library add FILE`",
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


async def check_everything(config: AppConfig, names: list[str] | None = None) -> list[Check]:
    """Return what there is to say of the settings, the files and the sources.

    Args:
        config: the settings.
        names: sources to ask; None: all that are searched by default.
    """
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
        summary = "none: searches work without a model"
        return Check("model", is_well=True, found=summary)
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
    found = f"{count} records in {path}{plain}" if count else "empty: the sample is used"
    hint = None if count else "`paper-search library add FILE` imports your papers"
    return Check("library", is_well=True, found=found, fix=hint)


async def _threads(config: AppConfig) -> Check:
    from paper_search.report_workflow.listing import EveryThread
    from paper_search.threads.catalog import ALL

    try:
        url = config.persistence_url
        threads = await with_persistence(url, lambda p: EveryThread(p).threads(limit=ALL))
    except PaperSearchError as error:
        fix = f"check DATABASE_URL, or that {config.home} can be written"
        return Check("threads", is_well=False, found=explanation(error), fix=fix)
    reports = sum(thread.graph == "research_report" for thread in threads)
    suffix = f", {reports} reports" if reports else ""
    return Check("threads", is_well=True, found=f"{len(threads) - reports} searches{suffix}")


async def _source(name: str, config: AppConfig) -> Check:
    from paper_search.models import SearchConstraints, SearchQuery, SearchStrategy, Seed
    from paper_search.skills import Searcher
    from paper_search.sources import create_source
    from paper_search.sources.web import create_web_search, web_search_names

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
    return Check(
        f"source {name}",
        is_well=not row.status.is_failure,
        found=_outcome(row),
        fix=_FIXES.get(row.status),
    )


def _outcome(row: SourceReport) -> str:
    status = row.status.value.replace("_", " ")
    of_how_many = f" of {row.hits:,}" if row.hits is not None else ""
    parts = [f"{status}: {row.kept}{of_how_many} records in {row.milliseconds} ms"]
    parts += ["from the cache"] if row.from_cache else []
    parts += [remark for remark in (row.error, row.note) if remark]
    return "; ".join(parts)
