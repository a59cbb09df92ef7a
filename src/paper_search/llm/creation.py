"""Create the provider of a named model, and keep its keys out of logs and traces."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import InitVar, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from typing_extensions import override

from paper_search.config import LLMConfig
from paper_search.errors import ConfigError
from paper_search.http.redaction import redact, redact_logs
from paper_search.llm.chat import ChatProvider
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import format_errors
from paper_search.models.settings import CHAT_MODELS_GROUP, CHAT_PACKAGES, ChatPackage, Skill
from paper_search.resources import EntryPoints
from paper_search.service_settings import key_variable

if TYPE_CHECKING:
    import httpx
    from langchain_core.language_models import BaseChatModel

OPENAI_URL = "https://api.openai.com/v1"
_SETTINGS = ("model", "api_key", "temperature", "max_tokens", "timeout_s")
"""Settings that a provider takes unchanged."""


@dataclass(kw_only=True, eq=False, repr=False)
class OpenAIProvider(ChatProvider):
    """A chat model at an OpenAI-compatible address; without `base_url`, OpenAI itself."""

    provider = "openai"
    options = ChatProvider.options | {"max_completion_tokens", "response_format"}

    api_key: InitVar[str]
    base_url: str | None = None

    @override
    def __repr__(self) -> str:
        return f"OpenAIProvider(model={self.model!r}, base_url={self.base_url!r})"

    @override
    def create_client(self) -> BaseChatModel:
        import openai  # noqa: PLC0415  # slow import
        from langchain_openai import ChatOpenAI  # noqa: PLC0415  # as above
        from pydantic import SecretStr  # noqa: PLC0415  # kept beside its only use

        # The warning about a refused option recommends another method of the client.
        warnings.filterwarnings("ignore", category=UserWarning, module=r"langchain_openai\.")
        # The client warns of answers with a list as content or a count that is not a number.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        limit: dict[str, Any] = {}
        if "max_completion_tokens" in self.options:
            limit = {"max_completion_tokens": self.max_tokens}
        elif "max_tokens" in self.options:
            limit = {"extra_body": {"max_tokens": self.max_tokens}}
        return ChatOpenAI(
            model=self.model,
            api_key=SecretStr(self._api_key),
            base_url=self.base_url or OPENAI_URL,
            temperature=self.temperature if "temperature" in self.options else None,
            **limit,
            timeout=self.timeout_s,
            max_retries=0,
            use_responses_api=False,
            http_async_client=openai.DefaultAsyncHttpxClient(
                event_hooks={"response": [_set_status]}
            ),
        )


async def _set_status(response: httpx.Response) -> None:
    """Take the status from the body, where OpenRouter has it if a provider of its fails."""
    if response.status_code != HTTPStatus.OK:
        return
    await response.aread()
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        return
    if isinstance(answer, dict) and answer.get("error") and not answer.get("choices"):
        error = answer["error"]
        code = error.get("code") if isinstance(error, dict) else None
        response.status_code = code if isinstance(code, int) and code in _ERRORS else 500


_ERRORS = range(400, 600)

REGISTERED: EntryPoints[Callable[[LLMConfig], Any]] = EntryPoints(CHAT_MODELS_GROUP, "chat model")

_ALIASES = {
    "model": ("model", "model_name", "model_id", "azure_deployment"),
    "api_key": ("api_key", "openai_api_key"),
    "base_url": ("azure_endpoint", "base_url"),
    "temperature": ("temperature",),
    "max_tokens": ("max_completion_tokens", "max_tokens", "max_output_tokens", "num_predict"),
    "timeout": ("timeout", "request_timeout"),
    "max_retries": ("max_retries",),
}
"""Names of each setting in the packages; the first one that a class has is used."""


class InstalledProvider(ChatProvider):
    """A chat model of an installed LangChain package; `config.model` has no provider prefix."""

    def __init__(self, config: LLMConfig) -> None:
        super().__init__(**{name: getattr(config, name) for name in _SETTINGS})
        self.provider = config.provider
        self._config = config
        package = CHAT_PACKAGES.get(config.provider)
        if package is not None and importlib.util.find_spec(package.module) is None:
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
            registered: BaseChatModel = REGISTERED.call(self._config.provider, self._config)
            return registered
        settings = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return _created(package, self._config.model_copy(update=settings), self.options)


def _created(package: ChatPackage, config: LLMConfig, options: frozenset[str]) -> BaseChatModel:
    """Create a package's model from the settings under the names that it uses."""
    chat_class: Any = getattr(importlib.import_module(package.module), package.class_name, None)
    name = f"{config.provider}:{config.model}"
    if chat_class is None:
        raise ConfigError(
            f"the model {name} cannot be used: the installed {package.module} has no "
            f"{package.class_name}; upgrade it"
        )
    settings = {
        "model": config.model,
        "api_key": config.api_key or None,
        "base_url": config.base_url,
        "temperature": config.temperature if "temperature" in options else None,
        "max_tokens": config.max_tokens if "max_tokens" in options else None,
        "timeout": config.timeout_s,
        "max_retries": 0,
    }
    fields = chat_class.model_fields
    names = {*fields, *(field.alias for field in fields.values())}
    try:
        arguments = {}
        for setting, value in settings.items():
            name_there = next((alias for alias in _ALIASES[setting] if alias in names), None)
            if name_there is not None and value is not None:
                arguments[name_there] = value
        client: BaseChatModel = chat_class(**arguments)
    except ValidationError as error:
        problem = format_errors(error)
    else:
        return client
    raise ConfigError(f"the model {name} cannot be used with these settings: {problem}")


def create_provider(config: LLMConfig) -> LLMProvider:
    """Return the model that `config.model` names, without importing its client yet.

    The text before the first colon is the provider if it is a known one; otherwise it belongs to
    the name, as in `llama3:8b`, and the provider is that of the settings.

    Raises:
        ConfigError: the provider is unknown or not installed, or key or model name is missing.
    """
    settings = _resolved(config)
    _require_known(settings)
    needs_key = settings.provider in CHAT_PACKAGES and key_variable(settings.provider)
    if needs_key and not settings.api_key.strip():
        raise ConfigError(
            f"API key required: set {needs_key}, or name no model to work without one"
        )
    if not settings.model.strip():
        raise ConfigError("Model name required: set LLM_MODEL")
    if settings.provider != "openai":
        return InstalledProvider(settings)
    return OpenAIProvider(**{n: getattr(settings, n) for n in (*_SETTINGS, "base_url")})


def _require_known(config: LLMConfig) -> None:
    """Refuse unknown providers; at OpenAI, only fine-tuned models have a colon in their name."""
    names = {*CHAT_PACKAGES, *REGISTERED.names()}
    provider, (prefix, colon, _) = config.provider, config.model.partition(":")
    if provider == "openai" and colon and prefix != "ft" and not config.base_url:
        provider = prefix
    if provider not in names:
        raise ConfigError(f"Unknown LLM provider {provider!r}; known: {', '.join(sorted(names))}")


def create_models(config: LLMConfig) -> dict[Skill, LLMProvider | None]:
    """Return the model of each skill, or None; skills with the same model share one object."""
    names = {skill: config.of(skill) for skill in Skill}
    providers = {
        name: create_provider(config.model_copy(update={"model": name}))
        for name in {*names.values()}
        if name
    }
    return {skill: providers.get(name) for skill, name in names.items()}


def _resolved(config: LLMConfig) -> LLMConfig:
    """Split the provider from the model name, and use that provider's key and address."""
    default = config.provider.strip().lower()
    prefix, colon, rest = config.model.partition(":")
    name = prefix.strip().lower()
    if not colon or (name not in CHAT_PACKAGES and name not in REGISTERED.names()):
        return config.model_copy(update={"provider": default})
    update: dict[str, object] = {"provider": name, "model": rest.strip()}
    if name != default:
        update |= {"api_key": config.api_keys.get(name, ""), "base_url": None}
    return config.model_copy(update=update)


def redact_output(secrets: tuple[str, ...]) -> None:
    redact_logs(secrets)
    redact_traces(secrets)


def redact_traces(secrets: tuple[str, ...]) -> bool:
    """Make LangSmith's client remove secrets from traces; return whether tracing is on.

    `LANGSMITH_TRACING` switches tracing on (https://docs.smith.langchain.com).
    """
    from langsmith import Client  # noqa: PLC0415  # slow import
    from langsmith.run_trees import configure  # noqa: PLC0415  # as above
    from langsmith.utils import tracing_is_enabled  # noqa: PLC0415  # as above

    if not tracing_is_enabled():
        return False
    configure(client=Client(anonymizer=lambda data: without_secrets(data, secrets)))
    return True


def without_secrets(data: Any, secrets: tuple[str, ...]) -> Any:
    match data:
        case str():
            return redact(data, secrets)
        case dict():
            return {
                without_secrets(name, secrets): without_secrets(value, secrets)
                for name, value in data.items()
            }
        case list() | tuple():
            return [without_secrets(entry, secrets) for entry in data]
        case _:
            return data
