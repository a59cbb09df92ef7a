"""Messages about sources: failures, other sources to search, and the first choice."""

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from paper_search.cli.console import ExitCode, command_line, say, visible
from paper_search.cli.library import vectors_hint
from paper_search.cli.prompts import Choice, QuitError, Terminal, decide
from paper_search.config import (
    WEB_SOURCES,
    AppConfig,
    expand_sources,
    load_config,
    remember_setting,
    setting_origins,
)
from paper_search.models.source_report import LOCAL, OF_ENRICHER, SourceReport, SourceStatus

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LOCAL = LOCAL | {"import"}
"""Sources that need no network."""
_LONGEST_COPIED = 300
"""Most characters of a question in a command that people copy."""


def in_words(names: Sequence[str]) -> str:
    """Join names: `doaj`, `doaj and arxiv`, `doaj, arxiv and dblp`."""
    first, last = ", ".join(names[:-1]), "".join(names[-1:])
    return f"{first} and {last}" if first else last


def failed_sources(reports: Iterable[SourceReport]) -> list[str]:
    return list(dict.fromkeys(report.source for report in reports if report.is_failure))


def no_network(reports: Iterable[SourceReport]) -> str | None:
    """Return the message that no service could be reached, or None if one could.

    A single service says nothing about the network: its own failure is reported instead.
    """
    of_services = [report for report in reports if report.source not in _LOCAL]
    names = {report.source.removesuffix(OF_ENRICHER) for report in of_services}
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
    """Return one line for no network, else a line for each source and failed status.

    A line has the first reason and the number of queries that failed.
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
    """Return which sources an unreviewed result did not wait for, and what helps, if any."""
    late = list(dict.fromkeys(report.source for report in reports if report.is_unfinished))
    if not late:
        return None
    options = [part for name in late for part in ("--source", name)]
    return (
        f"Unfinished: {in_words(late)}. Without --yes, you can wait at the result; "
        f"or search there only: {_search(question, options, home)}"
    )


def public_sources_hint(
    question: str, reports: Iterable[SourceReport], paper_count: int, home: Path | None
) -> str | None:
    """Return a hint to search public services after an empty result or one of the sample.

    None if papers were found in other sources, or if all these services have been searched.
    """
    reports = list(reports)
    is_useful = not paper_count or any(report.is_sample for report in reports)
    if not is_useful or {report.source for report in reports} >= set(WEB_SOURCES):
        return None
    command = _search(question, ["--source", "web"], home)
    return f"Search {NUMBERS[len(WEB_SOURCES)]} public services: {command}"


def meaning_hint(config: AppConfig, reports: Iterable[SourceReport]) -> str | None:
    """Return how to rank local records by meaning; None if none were searched."""
    local = [report for report in reports if report.source in LOCAL]
    has_records = not all(report.is_sample for report in local)
    return vectors_hint(config, has_records=has_records) if local else None


def _search(question: str, options: Sequence[str], home: Path | None) -> str:
    """Return the command that repeats a search with other options.

    A question that is long or has several lines is not part of a command that people copy.
    """
    if "\n" in question.strip() or len(question) > _LONGEST_COPIED:
        return f"run the same `find` with {' '.join(options)}"
    return command_line("find", *options, home=home, question=question)


def with_sources_chosen(config: AppConfig, home: Path | None) -> AppConfig:
    """Ask which sources to search if no setting or key says so; return the settings then."""
    searched = [name for name, source in config.sources.items() if source.enabled]
    if searched != ["library"] or setting_origins(home=home)["sources"] != "default":
        return config
    _ask(config, home)
    return load_config(home=home).model_copy(update={"keep_found": config.keep_found})


def _ask(config: AppConfig, home: Path | None) -> None:
    """Ask which sources to search and save the answer; quitting ends the command."""
    from paper_search.sources.base import title_of

    has_papers = own_records(config) > 0
    services = ", ".join(map(title_of, expand_sources(["web"], config.keyed_sources)))
    alone = "your own library only" if has_papers else "only this machine: the sample"
    count = NUMBERS[len(WEB_SOURCES)]
    both = f"your library and {count}" if has_papers else count
    say("Where do you want to search? You are asked once.")
    line = f"  w  {both} public services, which then see your questions: {services}"
    say(textwrap.fill(line, shutil.get_terminal_size().columns, subsequent_indent=" " * 5))
    say(f"  l  {alone}")
    web = Choice("w", "web", f"search {both} public services", lambda _: "w")
    library = Choice("l", "library", f"search {alone}", lambda _: "l")
    try:
        choice = decide(Terminal(), [web, library])
    except QuitError:
        say("nothing was searched; you will be asked again")
        raise typer.Exit(ExitCode.FAILED) from None
    names = ["library", "library, web" if has_papers else "web"]
    other, chosen = names if choice == "w" else names[::-1]
    path = remember_setting("sources", chosen, home=config.home)
    change = command_line("config", "set", "sources", other, home=home)
    say(visible(f"saved in {path}; to change it: {change}"))


def own_records(config: AppConfig) -> int:
    from paper_search.library import Library
    from paper_search.library.source import library_path

    path = library_path(config.home)
    if not Library.exists(path):
        return 0
    with Library.open(path) as library:
        return len(library)
