"""The settings as a person may see them: no secret among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.config import SETTINGS, expand_sources, service_prefixes, setting_origins
from paper_search.config import web_prefixes as prefixes_of_web_searches
from paper_search.errors import UnknownNameError
from paper_search.sources import known_sources

if TYPE_CHECKING:
    from paper_search.config import AppConfig

_SECRETS = {"database_url", "embeddings.api_key", "server.tokens"}
WEB = "web"


@dataclass(frozen=True)
class ShownSetting:
    """One setting.

    Attributes:
        name: as `config set` takes it, if it can be remembered.
        value: as text; of a secret whether it is set; None: there is none.
        origin: a variable of the environment or of `.env`, the file of the home, or `default`.
    """

    name: str
    value: str | None
    origin: str

    def document(self) -> dict[str, Any]:
        """Return the setting as JSON."""
        return asdict(self)


def shown_settings(config: AppConfig, home: Path | None) -> list[ShownSetting]:
    """Return all settings: `home` is that of the command line."""
    origins = setting_origins(home=home)
    shown = [ShownSetting(name, _value(config, name), origins[name]) for name in SETTINGS.values()]
    return [*shown, *_keys(config)]


def require_sources(names: str) -> None:
    """Refuse sources that are not installed.

    Raises:
        UnknownNameError: with those that are, and `web`.
    """
    known = known_sources()
    for name in expand_sources(names.split(",")):
        if name not in known:
            raise UnknownNameError("source", name, [*known, WEB])


def _value(config: AppConfig, name: str) -> str | None:
    if name == "sources":
        return ", ".join(name for name, each in config.sources.items() if each.enabled)
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part)
    if name in _SECRETS:
        return "set" if value else None
    if isinstance(value, list):
        return ", ".join(map(str, value)) or None
    return None if value in {None, ""} else str(value)


def _keys(config: AppConfig) -> Iterator[ShownSetting]:
    """Give the keys that are set, never what they are."""
    if config.llm.api_key:
        yield ShownSetting("llm.api_key", "set", f"{config.llm.provider.upper()}_API_KEY")
    services = (
        (config.sources, service_prefixes()),
        (config.web, prefixes_of_web_searches()),
    )
    for settings, prefixes in services:
        for name, each in settings.items():
            if each.api_key:
                yield ShownSetting(f"{name}.api_key", "set", f"{prefixes[name]}_API_KEY")
