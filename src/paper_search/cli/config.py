"""`paper-search config`: show settings, and store them in the home."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from paper_search.cli.console import UsageMistakeError, print_json, say, stdout_console, visible
from paper_search.cli.options import Home, Json, argument, is_typed, settings

if TYPE_CHECKING:
    from paper_search.config import AppConfig


config = typer.Typer(help="Show settings, and where each comes from.", rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the setting.")]


@config.callback(invoke_without_command=True)
def show(ctx: typer.Context, as_json: Json = False, home: Home = None) -> None:
    """Show all settings and where each comes from; `config set` stores one in the home."""
    if ctx.invoked_subcommand is not None:
        if as_json or is_typed(ctx, "home"):
            raise UsageMistakeError(
                f"put --json and --home after {ctx.invoked_subcommand!r}, not before it"
            )
        return
    from paper_search.cli.tables import grid

    rows = setting_rows(settings(home), home)
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    cells = ((row.name, "-" if row.value is None else row.value, row.origin) for row in rows)
    stdout_console().print(grid(["Setting", "Value~", "From~"], cells))


@config.command("set")
def set_one(
    name: Name,
    value: str = argument("VALUE", "Value; for `sources`: library, web, or names.", default=...),
    home: Home = None,
) -> None:
    """Store a setting in the home directory.

    Options, the environment and `.env` take precedence.
    """
    from paper_search.config import parse_setting, remember_setting, setting_origins

    require_known(name, parse_setting(name, value))
    path = remember_setting(name, value, home=settings(home).home)
    say(visible(f"{name} = {value}, saved in {path}"))
    origin = setting_origins(home=home)[name]
    if ":" in origin:
        say(visible(f"but {origin} takes precedence"))


@config.command("unset")
def unset(name: Name, home: Home = None) -> None:
    """Remove a stored setting, so that its default applies."""
    from paper_search.config import forget_setting

    path = forget_setting(name, home=settings(home).home)
    say(visible(f"{name} was removed from {path}"))


class SettingRow(NamedTuple):
    """One setting and its origin; the value of a secret is only whether it is set."""

    name: str
    value: str | None
    origin: str


def setting_rows(config: "AppConfig", home: Path | None) -> list[SettingRow]:
    from paper_search.config import SETTINGS, setting_origins

    origins = setting_origins(home=home)
    entries = [SettingRow(name, _value(config, name), origins[name]) for name in SETTINGS]
    return [*entries, *_services(config)]


def require_known(setting: str, value: Any) -> None:
    """Raise InputError with what is accepted if a value is not installed or known.

    `paper_search.config` cannot check this: sources, enrichers and reports are layers above it.
    """
    from paper_search.errors import ConfigError, UnknownNameError
    from paper_search.prompts import DOMAINS
    from paper_search.report_workflow import ReportParams
    from paper_search.sources import known_sources
    from paper_search.sources.enrichment import enricher_names
    from paper_search.steps.parameters import parse_settings

    if setting == "report":
        try:
            parse_settings(ReportParams, value, "a report")
        except ConfigError as error:
            raise UsageMistakeError(str(error)) from None
    elif setting == "domain" and value not in DOMAINS:
        raise UnknownNameError("domain", value, list(DOMAINS))
    elif setting in {"sources", "enrichers"}:
        known = known_sources() if setting == "sources" else enricher_names()
        for name in value:
            if name not in known:
                accepted = [*known, "web"] if setting == "sources" else known
                raise UnknownNameError(setting.removesuffix("s"), name, accepted)


def _value(config: "AppConfig", name: str) -> str | None:
    if name == "sources":
        return ", ".join(name for name, source in config.sources.items() if source.enabled)
    value: Any = config
    is_secret = False
    for part in name.split("."):
        is_secret = not type(value).model_fields[part].repr
        value = getattr(value, part)
    if is_secret:
        return "set" if value else None
    if isinstance(value, dict):
        value = [f"{key}={setting}" for key, setting in value.items()]
    if isinstance(value, list):
        return ", ".join(map(str, value)) or None
    return None if value in {None, ""} else str(value)


def _services(config: "AppConfig") -> Iterator[SettingRow]:
    """Yield the settings of models and services; for a key, only that it is set."""
    from paper_search.config import encryption_keys, read_environment
    from paper_search.service_settings import key_variable, variable_of

    env = read_environment()
    if config.llm.api_key:
        yield SettingRow("llm.api_key", "set", key_variable(config.llm.provider))
    for provider in config.llm.api_keys:
        yield SettingRow(f"llm.api_keys.{provider}", "set", key_variable(provider))
    for name, service in (*config.sources.items(), *config.web.items()):
        settings = service.model_dump(exclude_defaults=True, exclude={"name", "enabled"})
        for field, value in settings.items():
            text = "set" if field == "api_key" else str(value)
            yield SettingRow(f"{name}.{field}", text, variable_of(name, field, env))
    searches = [name for name, service in config.web.items() if service.enabled]
    if searches:
        yield SettingRow("web", ", ".join(searches), "PAPER_SEARCH_WEB, or keys and URLs")
    if encryption_keys():
        yield SettingRow("encryption", "set", "PAPER_SEARCH_ENCRYPTION_KEY")
