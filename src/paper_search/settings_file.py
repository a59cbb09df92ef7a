"""The small file in the home that remembers settings: TOML, one `name = value` a line.

`paper_search.config` says which names there are, and reads it.
"""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from paper_search.errors import ConfigError, UnknownNameError
from paper_search.private_files import private_directory

FILE = "config.toml"
"""Its name in the home."""


def read_settings(home: Path, accepted: Mapping[str, object]) -> dict[str, str]:
    """Return the settings that a home remembers, as text; none if it has no such file.

    Raises:
        ConfigError: the file cannot be read, or holds a name that is not accepted.
    """
    path = home / FILE
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{str(path)!r} cannot be read: {error}; correct it, or delete it to start afresh"
        ) from error
    for name, value in found.items():
        if name not in accepted or not isinstance(value, str | bool | int | float | list):
            known = ", ".join(accepted)
            raise ConfigError(f"{str(path)!r}: {name!r} is not a setting; accepted are {known}")
    return {name: _text(value) for name, value in found.items()}


def write_settings(home: Path, settings: Mapping[str, str]) -> Path:
    """Write all settings that a home remembers, in one step; return the file.

    Raises:
        ConfigError: the home cannot be written.
    """
    path = home / FILE
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in sorted(settings.items())]
    try:
        private_directory(home)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=home, delete=False) as draft:
            draft.write("".join(lines))
        os.replace(draft.name, path)  # noqa: PTH105  # an atomic rename, as persistence does it
    except OSError as error:
        raise ConfigError(
            f"{str(path)!r} cannot be written: {error.strerror or error}; "
            "give a writable directory with --home"
        ) from error
    return path


def require_name(name: str, accepted: Mapping[str, object]) -> None:
    """Refuse a setting that cannot be remembered.

    Raises:
        UnknownNameError: with the names that can.
    """
    if name not in accepted:
        raise UnknownNameError("setting", name, list(accepted))


def _text(value: str | float | list[object]) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
