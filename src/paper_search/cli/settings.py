"""What the global options say, and the settings that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

    from paper_search.config import AppConfig


@dataclass(frozen=True)
class GlobalOptions:
    """The options given before the name of the command."""

    home: Path | None = None
    is_debugging: bool = False


def given_home(ctx: typer.Context, home: Path | None) -> Path | None:
    """Return the home given on the command line, after the command or before it; absolute."""
    chosen = home if home is not None else _globals(ctx).home
    return chosen.expanduser().absolute() if chosen is not None else None


def settings(ctx: typer.Context, home: Path | None, *, keep: bool = False) -> AppConfig:
    """Return the settings of the environment, with the home of the command line.

    Args:
        ctx: the command's context, for the global options.
        home: as given after the command.
        keep: switches on that what is found is kept.

    Raises:
        ConfigError: a value cannot be used.
    """
    from paper_search.config import load_config

    config = load_config(home=given_home(ctx, home))
    return config.model_copy(update={"keep_found": True}) if keep else config


def _globals(ctx: typer.Context) -> GlobalOptions:
    chosen = ctx.find_root().obj
    return chosen if isinstance(chosen, GlobalOptions) else GlobalOptions()
