"""The options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paper_search.bibliography.text import SURROGATES
from paper_search.cli.console import HOME
from paper_search.errors import ThreadNotFoundError
from paper_search.exports import FORMATS

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models.usage import Budget


def option(metavar: str, text: str, *names: str, default: Any = None, **limits: Any) -> Any:
    """Return an option with a value; without `names`, the parameter names it.

    `default` is `...` in a type annotation.
    """
    return typer.Option(default, *names, metavar=metavar, help=text, **limits)


def flag(name: str, text: str, *, default: Any = False, **looks: Any) -> Any:
    return typer.Option(default, name, help=text, **looks)


def argument(metavar: str, text: str, *, default: Any = None) -> Any:
    """Return an argument, required if its default is `...`."""
    return typer.Argument(default, metavar=metavar, help=text)


_shared, _flag = partial(option, default=...), partial(flag, default=...)


def _home_of(ctx: typer.Context, value: Path | None) -> Path | None:
    """Return the absolute path given as --home, after the command or before it."""
    home = value if value is not None else _globals(ctx).home
    home = home.expanduser().absolute() if home is not None else None
    HOME.set(home)
    return home


_HOME = "Directory of your data. Default: PAPER_SEARCH_HOME, else the user data directory."
Home = Annotated[Path | None, _shared("DIR", _HOME, callback=_home_of)]
Json = Annotated[bool, _flag("--json", "Print JSON.")]


def _thread_id(text: str | None) -> str | None:
    if SURROGATES.search(text or ""):  # bytes that are not UTF-8 cannot be looked up
        raise ThreadNotFoundError(f"there is no thread {text!r}; `paper-search threads` lists all")
    return text


_OF_THREAD: Any = {"help": "Id of a thread; see `threads`.", "callback": _thread_id}
OptionalThread = Annotated[str | None, typer.Argument(metavar="[THREAD]", **_OF_THREAD)]
Thread = Annotated[str, typer.Argument(metavar="THREAD", **_OF_THREAD)]
_FORMAT = (
    f"table, {', '.join(sorted(FORMATS))}, or the path of a .csl file for references in "
    "that style. Default: by the name of --output, else table."
)
Format = Annotated[str | None, _shared("FORMAT", _FORMAT, "--format")]
Output = Annotated[Path | None, _shared("FILE", "Write to this file.", "--output", "-o")]
_SOURCE = "Search only this source; repeatable. web: public services without a key."
Source = Annotated[list[str] | None, _shared("NAME", _SOURCE)]
_DATABASE = (
    "Database that the records are from, such as 'Embase (Ovid)': one for all files, "
    "or one for each, in order. Default: what each record says, else the name of its file."
)
Database = Annotated[list[str] | None, _shared("NAME", _DATABASE)]
Searched = Annotated[str, _shared("DAY", "Day of that search, such as 2026-11-02.")]
_RUN_THERE = "The strategy as it was run there, for the search log."
StrategyFile = Annotated[Path | None, _shared("FILE", _RUN_THERE, "--strategy")]
Force = Annotated[bool, _flag("--force", "Overwrite FILE if it exists.")]
_KEEP = "Add papers found elsewhere to your library (always: PAPER_SEARCH_KEEP)."
Keep = Annotated[bool, _flag("--keep", _KEEP)]
_BUDGET = (
    "Spend at most this on language models: 0.50 (dollars), '200k tokens' or '40 calls'. "
    "Default: PAPER_SEARCH_BUDGET, else no limit."
)
BudgetOption = Annotated[str | None, _shared("AMOUNT", _BUDGET)]
_ALL = "Include papers that were set aside or found only in earlier rounds."
All = Annotated[bool, _flag("--all", _ALL)]
_SCORE = "Show all papers with at least this score, and unjudged ones."
MinScore = Annotated[float | None, _shared("SCORE", _SCORE, min=0.0, max=1.0)]
_TOKEN = "Token of the question you answer, from its commands; any other stays open."  # noqa: S105  # no secret
Token = Annotated[str | None, _shared("TOKEN", _TOKEN)]
Approve = Annotated[bool, _flag("--approve", "Approve what is shown.")]
_REFERENCES = "References of a report: plain, or the path of a .csl file."
References = Annotated[str, _shared("STYLE", _REFERENCES)]
_FIGURES = (
    "Include figures in a report; beside FILE for LaTeX and Markdown. Default: in HTML "
    "and Word, if matplotlib is installed."
)
Figures = Annotated[bool | None, _flag("--figures/--no-figures", _FIGURES)]
SkipReviews = Annotated[bool, typer.Option("--yes", "-y", help="Skip all reviews.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
_DECIDED = (
    "Only papers with this decision; all: excluded ones, too. Default: included and undecided."
)
Decided = Annotated[
    Literal["included", "undecided", "excluded", "all"] | None, _flag("--decision", _DECIDED)
]

_OF_REPORTS = {"references", "figures"}
_OF_SEARCHES = {"is_all", "min_score", "decision", "details", "keep"}


@dataclass(frozen=True)
class GlobalOptions:
    home: Path | None = None
    is_debugging: bool = False


def is_debugging(ctx: typer.Context) -> bool:
    return _globals(ctx).is_debugging


def settings(home: Path | None, *, keep: bool = False) -> AppConfig:
    from paper_search.config import load_config

    config = load_config(home=home)
    return config.model_copy(update={"keep_found": True}) if keep else config


def is_typed(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_others(ctx: typer.Context, *, is_report: bool) -> None:
    """Refuse options of the other kind of thread, which would have no effect."""
    from paper_search.cli.console import UsageMistakeError

    mine, other = ("a report", "searches") if is_report else ("a search", "reports")
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name in (_OF_SEARCHES if is_report else _OF_REPORTS) and is_typed(ctx, name):
            spellings = "/".join([*parameter.opts, *parameter.secondary_opts])
            raise UsageMistakeError(
                f"{spellings} is for {other}, but this thread is {mine}: omit it"
            )


def budget_of(amount: str | None) -> Budget | None:
    from pydantic import ValidationError

    from paper_search.cli.console import UsageMistakeError
    from paper_search.models.usage import Budget
    from paper_search.steps.parameters import describe_errors

    if amount is None:
        return None
    try:
        return Budget.model_validate(amount)
    except ValidationError as error:
        raise UsageMistakeError(f"--budget: {describe_errors(error)}") from None


def _globals(ctx: typer.Context) -> GlobalOptions:
    value = ctx.find_root().obj
    return value if isinstance(value, GlobalOptions) else GlobalOptions()
