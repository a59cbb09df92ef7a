"""Chat models of other installed packages, made from the same settings."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from typing_extensions import override

from paper_search.config import LLMConfig
from paper_search.errors import ConfigError
from paper_search.llm.chat import ChatProvider
from paper_search.models.language_models import CHAT_MODELS_GROUP, CHAT_PACKAGES, ChatPackage
from paper_search.resources import EntryPoints

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

REGISTERED: EntryPoints[Callable[[LLMConfig], Any]] = EntryPoints(CHAT_MODELS_GROUP, "chat model")

_SPELLINGS = {
    "model": ("model", "model_name", "model_id", "azure_deployment"),
    "api_key": ("api_key", "openai_api_key"),
    "base_url": ("azure_endpoint", "base_url"),
    "temperature": ("temperature",),
    "max_tokens": ("max_completion_tokens", "max_tokens", "max_output_tokens", "num_predict"),
    "timeout": ("timeout", "request_timeout"),
    "max_retries": ("max_retries",),
}
"""What the packages call a setting; a class is given the first that it knows."""


class InstalledProvider(ChatProvider):
    """A chat model of a package that need not be ours.

    Args:
        config: its settings; `model` is the bare name, `provider` says whose it is.

    Raises:
        ConfigError: its package is not installed.
    """

    def __init__(self, config: LLMConfig) -> None:
        super().__init__(
            model=config.model,
            api_key=config.api_key,
            max_tokens=config.max_tokens,
            timeout_s=config.timeout_s,
        )
        self.provider = config.provider
        self._config = config
        package = CHAT_PACKAGES.get(config.provider)
        if package is not None and not _is_installed(package.module):
            name = package.module.replace("_", "-")
            raise ConfigError(
                f"the model {config.provider}:{config.model} needs the package {name}: "
                f"pip install {name}"
            )

    @override
    def __repr__(self) -> str:
        return f"InstalledProvider(model={f'{self._config.provider}:{self.model}'!r})"

    @override
    def create_client(self) -> BaseChatModel:
        package = CHAT_PACKAGES.get(self._config.provider)
        if package is None:
            registered: BaseChatModel = REGISTERED.read(self._config.provider)(self._config)
            return registered
        return _created(package, self._config)


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _created(package: ChatPackage, config: LLMConfig) -> BaseChatModel:
    """Return a package's model, given the settings in its own spelling.

    Raises:
        ConfigError: the package is too old or too new to have the class, or refuses the settings.
    """
    made: Any = getattr(importlib.import_module(package.module), package.class_name, None)
    name = f"{config.provider}:{config.model}"
    if made is None:
        raise ConfigError(
            f"the model {name} cannot be used: the installed {package.module} has no "
            f"{package.class_name}; upgrade it"
        )
    given = {
        "model": config.model,
        "api_key": config.api_key or None,
        "base_url": config.base_url,
        "temperature": config.temperature,
        "max_tokens": config.max_tokens,
        "timeout": config.timeout_s,
        "max_retries": 0,
    }
    fields = made.model_fields
    known = {*fields, *(field.alias for field in fields.values())}
    try:
        client: BaseChatModel = made(**_spelled(given, known))
    except ValidationError as error:
        fields = error.errors(include_input=False, include_url=False)
        problem = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in fields)
    else:
        return client
    raise ConfigError(f"the model {name} cannot be used with these settings: {problem}")


def _spelled(given: dict[str, Any], known: Iterable[str | None]) -> dict[str, Any]:
    names = {*known}
    arguments = {}
    for setting, value in given.items():
        spelling = next((each for each in _SPELLINGS[setting] if each in names), None)
        if spelling is not None and value is not None:
            arguments[spelling] = value
    return arguments
