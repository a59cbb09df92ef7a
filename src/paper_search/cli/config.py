"""`paper-search config`: all settings, and those that the home remembers."""

from typing import Annotated

import typer

from paper_search.cli.options import Home, Json

config = typer.Typer(
    help="Show settings and where each comes from; `set` stores one.",
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the setting.")]


@config.callback(invoke_without_command=True)
def show(ctx: typer.Context, as_json: Json = False, home: Home = None) -> None:
    """Show all settings with where each comes from; `config set` has the home remember one."""
    if ctx.invoked_subcommand is not None:
        from paper_search.cli.failures import UsageMistakeError

        if as_json or home is not None:
            raise UsageMistakeError(
                f"--json and --home stand after {ctx.invoked_subcommand!r}, not before it"
            )
        return
    from rich.table import Table

    from paper_search.cli.console import data, print_json, text
    from paper_search.cli.settings import given_home, settings
    from paper_search.cli.settings_shown import shown_settings

    rows = shown_settings(settings(ctx, home), given_home(ctx, home))
    if as_json:
        print_json([row.document() for row in rows])
        return
    table = Table(show_edge=False, pad_edge=False)
    for name in ("Setting", "Value", "From"):
        table.add_column(name, no_wrap=name == "Setting", overflow="fold")
    for row in rows:
        value = "-" if row.value is None else row.value
        table.add_row(text(row.name), text(value), text(row.origin))
    data().print(table)


@config.command("set")
def set_one(
    ctx: typer.Context,
    name: Name,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="sources: library, web, or names.")],
    home: Home = None,
) -> None:
    """Store a setting in the home directory.

    Options, the environment and `.env` take precedence.
    """
    from paper_search.cli.console import say, visible
    from paper_search.cli.settings import given_home, settings
    from paper_search.cli.settings_shown import require_sources
    from paper_search.config import remember_setting, setting_origins

    if name == "sources":
        require_sources(value)
    path = remember_setting(name, value, home=settings(ctx, home).home)
    say(visible(f"{name} = {value}, saved in {path}"))
    origin = setting_origins(home=given_home(ctx, home))[name]
    if ":" in origin:
        say(visible(f"but {origin} takes precedence"))


@config.command("unset")
def unset(ctx: typer.Context, name: Name, home: Home = None) -> None:
    """Remove a stored setting, so that its default applies."""
    from paper_search.cli.console import say, visible
    from paper_search.cli.settings import settings
    from paper_search.config import forget_setting

    path = forget_setting(name, home=settings(ctx, home).home)
    say(visible(f"{name} was removed from {path}"))
