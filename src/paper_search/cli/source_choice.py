"""The question that the first search at a terminal asks: the public services, or the library?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.cli.console import command_line, say, visible
from paper_search.cli.prompts import Choice, QuitError, Terminal, decide
from paper_search.cli.source_lines import NUMBERS
from paper_search.config import (
    WEB_SOURCES,
    expand_sources,
    load_config,
    remember_setting,
    setting_origins,
)
from paper_search.library import Library
from paper_search.library.source import library_path
from paper_search.sources import create_source

if TYPE_CHECKING:
    from paper_search.config import AppConfig


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
    has_papers = _has_papers(config)
    services = ", ".join(
        _title(name, config) for name in expand_sources(["web"], config.keyed_sources)
    )
    alone = "your own library only" if has_papers else "only this machine: the sample"
    count = NUMBERS[len(WEB_SOURCES)]
    both = f"your library and {count}" if has_papers else count
    say("Where do you want to search? You are asked once.")
    say(f"  w  {both} public services, which then see your questions: {services}")
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
    web = "library, web" if has_papers else "web"
    path = remember_setting("sources", web if choice == "w" else "library", home=config.home)
    change = command_line(
        "config", "set", "sources", "library" if choice == "w" else web, home=home
    )
    say(visible(f"saved in {path}; to change it: {change}"))


def _has_papers(config: AppConfig) -> bool:
    path = library_path(config.home)
    if not Library.exists(path):
        return False
    with Library.open(path) as library:
        return not library.is_empty


def _title(name: str, config: AppConfig) -> str:
    adapter = getattr(create_source(name, config), "adapter", None)
    return str(getattr(adapter, "title", name))
