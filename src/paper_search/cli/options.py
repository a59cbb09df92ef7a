"""The options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paper_search.bibliography.text import SURROGATES
from paper_search.errors import ThreadNotFoundError
from paper_search.exports import FORMATS

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models.usage import Budget


def option(metavar: str, text: str, *names: str, default: Any = None, **limits: Any) -> Any:
    """Return an option that takes a value; without names, it is called as its parameter is."""
    return typer.Option(default, *names, metavar=metavar, help=text, **limits)


def flag(name: str, text: str, *, default: bool | None = False, **looks: Any) -> Any:
    return typer.Option(default, name, help=text, **looks)


def argument(metavar: str, text: str, *, default: Any = None) -> Any:
    """Return an argument; with `...` as its default, it has to be there."""
    return typer.Argument(default, metavar=metavar, help=text)


Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="DIR",
        help="Directory of your data; else PAPER_SEARCH_HOME, else the user data directory.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _thread_id(text: str | None) -> str | None:
    if SURROGATES.search(text or ""):  # bytes that are no UTF-8 cannot even be looked up
        raise ThreadNotFoundError(f"there is no thread {text!r}; `paper-search threads` lists all")
    return text


_OF_THREAD: Any = {"help": "Id of a thread; see `threads`.", "callback": _thread_id}
OptionalThread = Annotated[str | None, typer.Argument(metavar="[THREAD]", **_OF_THREAD)]
Thread = Annotated[str, typer.Argument(metavar="THREAD", **_OF_THREAD)]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"table, {', '.join(sorted(FORMATS))}, or the path of a .csl file for references in "
        "that style; else by the name of --output, else table.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
]
Source = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Ask only this source; repeatable. web: public services without a key."
    ),
]
Database = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Database that the records are from, such as 'Embase (Ovid)': one for all files, "
        "or one for each in their order. Default: what each record says, or the name of its file.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")]
Keep = Annotated[
    bool,
    typer.Option("--keep", help="Add papers found elsewhere to your library; PAPER_SEARCH_KEEP."),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="AMOUNT",
        help="Spend at most this on language models, as 0.50 (dollars), '200k tokens' or "
        "'40 calls'; else PAPER_SEARCH_BUDGET, else no limit.",
    ),
]
All = Annotated[bool, typer.Option("--all", help="Include the papers that were set aside.")]
MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        min=0.0,
        max=1.0,
        metavar="SCORE",
        help="Show all papers with at least this score.",
    ),
]

Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        metavar="TOKEN",
        help="The question that you answer, as its commands name it; another one stays open.",
    ),
]
Approve = Annotated[bool, typer.Option("--approve", help="Approve what is shown.")]
References = Annotated[
    str,
    typer.Option(
        metavar="STYLE", help="References of a report: plain, or the path of a .csl file."
    ),
]
Figures = Annotated[
    bool | None,
    typer.Option(
        "--figures/--no-figures",
        help="Include figures in a report; beside FILE for LaTeX and Markdown. By default in HTML "
        "and Word, if matplotlib is installed.",
    ),
]
SkipReviews = Annotated[bool, typer.Option("--yes", "-y", help="Skip all reviews.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Decided = Annotated[
    Literal["included", "excluded", "undecided", "all"] | None,
    typer.Option(
        "--decision",
        help="Only papers on which you decided so; all: excluded ones too. "
        "Default: included and undecided.",
    ),
]

_OF_REPORTS = {"references", "figures"}
_OF_SEARCHES = {"is_all", "min_score", "decision", "details", "keep"}


@dataclass(frozen=True)
class GlobalOptions:
    home: Path | None = None
    is_debugging: bool = False


def home_option(ctx: typer.Context, home: Path | None) -> Path | None:
    """Return the home given on the command line, after the command or before it; absolute."""
    value = home if home is not None else _globals(ctx).home
    return value.expanduser().absolute() if value is not None else None


def is_debugging(ctx: typer.Context) -> bool:
    return _globals(ctx).is_debugging


def settings(ctx: typer.Context, home: Path | None, *, keep: bool = False) -> AppConfig:
    from paper_search.config import load_config

    config = load_config(home=home_option(ctx, home))
    return config.model_copy(update={"keep_found": True}) if keep else config


def refuse_others(ctx: typer.Context, *, is_report: bool) -> None:
    """Refuse what was typed for the other kind of thread: nothing would come of it."""
    from paper_search.cli.console import UsageMistakeError

    mine, other = ("a report", "searches") if is_report else ("a search", "reports")
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        is_other = parameter.name in (_OF_SEARCHES if is_report else _OF_REPORTS)
        if is_other and source and source.name == "COMMANDLINE":
            spellings = "/".join([*parameter.opts, *parameter.secondary_opts])
            raise UsageMistakeError(
                f"{spellings} is for {other}, and this thread is {mine}: leave it out"
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
