"""Settings of models, sources, server and network, with the variables that set them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, field_validator

STUDIO = "https://smith.langchain.com"
"""The origin of LangGraph Studio's pages."""
MIN_TOKEN_CHARS = 16


@dataclass(frozen=True)
class Variable:
    """Names the variable that sets a field: `domain: Annotated[str, Variable("DOMAIN")]`."""

    name: str


def _split_pairs(text: object) -> object:
    """Return the pairs in a text such as `name=value, name=value`; other values unchanged."""
    if not isinstance(text, str):
        return text
    pairs = {pair.strip(): pair.partition("=") for pair in text.split(",") if pair.strip()}
    for pair, (name, sign, value) in pairs.items():
        if not (name.strip() and sign and value.strip()):
            raise ValueError(f"give NAME=VALUE, not {pair!r}")
    return {name.strip(): value.strip() for name, _, value in pairs.values()}


def split_list(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


Names = Annotated[list[str], BeforeValidator(lambda v: split_list(v) if isinstance(v, str) else v)]
NamedValues = Annotated[dict[str, str], BeforeValidator(_split_pairs)]

CHAT_MODELS_GROUP = "paper_search.chat_models"
"""Entry points of further providers: (LLMConfig) -> BaseChatModel of langchain-core."""
EMBEDDINGS_GROUP = "paper_search.embeddings"
"""Entry points of factories of embedding models: (EmbeddingsConfig) -> Embeddings."""


class ChatPackage(NamedTuple):
    """A package of LangChain with a chat model."""

    module: str
    class_name: str
    key_variable: str = ""
    """The variable of its key; empty if it has none, or reads it itself."""


CHAT_PACKAGES = {
    "openai": ChatPackage("langchain_openai", "ChatOpenAI", "OPENAI_API_KEY"),
    "anthropic": ChatPackage("langchain_anthropic", "ChatAnthropic", "ANTHROPIC_API_KEY"),
    "azure_openai": ChatPackage("langchain_openai", "AzureChatOpenAI", "AZURE_OPENAI_API_KEY"),
    "bedrock_converse": ChatPackage("langchain_aws", "ChatBedrockConverse"),
    "cohere": ChatPackage("langchain_cohere", "ChatCohere", "COHERE_API_KEY"),
    "deepseek": ChatPackage("langchain_deepseek", "ChatDeepSeek", "DEEPSEEK_API_KEY"),
    "fireworks": ChatPackage("langchain_fireworks", "ChatFireworks", "FIREWORKS_API_KEY"),
    "google_genai": ChatPackage(
        "langchain_google_genai", "ChatGoogleGenerativeAI", "GOOGLE_API_KEY"
    ),
    "groq": ChatPackage("langchain_groq", "ChatGroq", "GROQ_API_KEY"),
    "mistralai": ChatPackage("langchain_mistralai", "ChatMistralAI", "MISTRAL_API_KEY"),
    "ollama": ChatPackage("langchain_ollama", "ChatOllama"),
    "together": ChatPackage("langchain_together", "ChatTogether", "TOGETHER_API_KEY"),
    "xai": ChatPackage("langchain_xai", "ChatXAI", "XAI_API_KEY"),
}
"""Providers by their names in LangChain's `init_chat_model`. No other name selects a module or a
variable."""


WITHOUT = "none"
"""The name of the model of a skill that uses none although others do."""


class Skill(str, Enum):
    """A skill with a model of its own."""

    INTENT = "intent"
    STRATEGY = "strategy"
    DUPLICATES = "duplicates"
    JUDGE = "judge"


def _service_url(url: str | None) -> str | None:
    """Return a URL, which must not contain a key or a password, because it is logged and traced."""
    parts = urlsplit(url or "http://")
    is_more = parts.query or parts.fragment or "@" in parts.netloc
    if parts.scheme not in {"http", "https"} or is_more:
        raise ValueError("is not a URL such as http://localhost:8888, without a key in it")
    return url


ServiceUrl = Annotated[str | None, AfterValidator(_service_url)]


class LLMConfig(BaseModel):
    """Which language model to use; without a model name, none is used."""

    provider: Annotated[str, Variable("LLM_PROVIDER")] = "openai"
    """For models whose name has no provider."""
    model: Annotated[str, Variable("LLM_MODEL")] = ""
    """MODEL or PROVIDER:MODEL, such as `anthropic:claude-sonnet-4-5`."""
    intent_model: Annotated[str, Variable("LLM_MODEL_INTENT")] = ""
    """The model that reads questions; empty for `model`, `none` for no model."""
    strategy_model: Annotated[str, Variable("LLM_MODEL_STRATEGY")] = ""
    duplicates_model: Annotated[str, Variable("LLM_MODEL_DUPLICATES")] = ""
    judge_model: Annotated[str, Variable("LLM_MODEL_JUDGE")] = ""
    api_key: str = Field(default="", repr=False)
    """The key of `provider`."""
    api_keys: dict[str, str] = Field(default_factory=dict, repr=False)
    """The keys of other providers, by name."""
    base_url: Annotated[ServiceUrl, Variable("LLM_BASE_URL")] = None
    """Any server with the API of `provider`."""
    prices: Annotated[Path | None, Variable("LLM_PRICES")] = None
    temperature: Annotated[float, Variable("LLM_TEMPERATURE")] = 0.0
    max_tokens: Annotated[int, Variable("LLM_MAX_TOKENS")] = 4096
    timeout_s: Annotated[float, Variable("LLM_TIMEOUT_S")] = 60.0

    @property
    def is_wanted(self) -> bool:
        """Whether a model is named; a key alone must not cost money."""
        return any(self.of(skill) for skill in Skill)

    def of(self, skill: Skill) -> str:
        """Return the name of a skill's model; empty if it has none."""
        own: str = getattr(self, f"{skill.value}_model").strip()
        return "" if own.lower() == WITHOUT else own or self.model


class SearchSourceConfig(BaseModel):
    name: str
    api_key: str = Field(default="", repr=False)
    enabled: bool = True
    rate_limit: float = 1.0
    """Requests per second."""
    max_calls: int | None = Field(default=None, ge=0)
    """Requests per run; None for no limit, 0 for none at all."""
    url: ServiceUrl = None
    """The URL of a self-hosted service."""


class ZoteroConfig(BaseModel):
    """The library of Zotero to use; without a key, that of the program on this machine."""

    api_key: Annotated[str, Variable("ZOTERO_API_KEY")] = Field(default="", repr=False)
    library: Annotated[str, Variable("ZOTERO_LIBRARY")] = ""
    """`user:ID` or `group:ID`; empty for the person's own."""
    url: Annotated[ServiceUrl, Variable("ZOTERO_URL")] = None

    @field_validator("library")
    @classmethod
    def _check_library(cls, library: str) -> str:
        if library and not re.fullmatch(r"(?:user|group):[0-9]{1,12}", library):
            raise ValueError("is not user:ID or group:ID, with the number of the library")
        return library


class ServerConfig(BaseModel):
    """Who may use the server, and from where."""

    tokens: Annotated[dict[str, str], Variable("PAPER_SEARCH_TOKENS")] = Field(
        default_factory=dict, repr=False
    )
    """Tokens by the name of their owner; without any, everybody on this machine has access."""
    hosts: Annotated[Names, Variable("PAPER_SEARCH_HOSTS")] = Field(default_factory=list)
    """Host names that the server accepts besides those of the loopback interface."""
    origins: Annotated[Names, Variable("PAPER_SEARCH_ORIGINS")] = Field(
        default_factory=lambda: [STUDIO]
    )
    """Pages that may use it from a browser."""
    is_mcp_open: Annotated[bool, Variable("PAPER_SEARCH_MCP")] = False
    """Whether `/mcp` offers searches and reports as tools."""
    mcp_may_decide: Annotated[bool, Variable("PAPER_SEARCH_MCP_MAY_DECIDE")] = False
    """Whether an MCP client may decide for a person; the ledger records the client."""

    @field_validator("tokens", mode="before")
    @classmethod
    def _split_tokens(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [pair.partition("=") for pair in split_list(value)]
        if any(not (owner.strip() and token.strip()) for owner, _, token in pairs):
            raise ValueError("is not a list such as NAME=TOKEN, NAME=TOKEN")
        if len({owner.strip() for owner, _, _ in pairs}) < len(pairs):
            raise ValueError("names an owner twice")
        return {owner.strip(): token.strip() for owner, _, token in pairs}

    @field_validator("tokens")
    @classmethod
    def _check_tokens(cls, tokens: dict[str, str]) -> dict[str, str]:
        if any(len(token) < MIN_TOKEN_CHARS for token in tokens.values()):
            raise ValueError(f"has a token with fewer than {MIN_TOKEN_CHARS} characters")
        if len(set(tokens.values())) < len(tokens):
            raise ValueError("gives two owners the same token")
        return tokens

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, origins: list[str]) -> list[str]:
        if any("*" in origin or "://" not in origin for origin in origins):
            raise ValueError("takes origins such as https://example.org, without *")
        return [origin.rstrip("/") for origin in origins]


_PLACEHOLDER = re.compile(r"(?i)[@.](?:example(?:\.(?:com|net|org))?|test|invalid|localhost)\Z")
"""Reserved domains (RFC 2606)."""


def _address(text: str | None) -> str | None:
    """Return an e-mail address; raise ValueError if it is invalid or a placeholder."""
    address = (text or "").strip()
    if address and not re.fullmatch(r"[^\s@<>,;:]+@[^\s@<>,;:]+\.[^\s@<>,;:]+", address):
        raise ValueError(f"is {text!r}, which is not an e-mail address")
    if _PLACEHOLDER.search(address):
        raise ValueError(
            f"is {text!r}, a placeholder that services refuse: give your own address, or none"
        )
    return address or None


Contact = Annotated[str | None, AfterValidator(_address)]
"""An e-mail address, or none."""


class EmbeddingsConfig(BaseModel):
    """The embedding model that helps to rank the library."""

    name: Annotated[str, Variable("PAPER_SEARCH_EMBEDDINGS")] = ""
    """`PROVIDER`, `PROVIDER:MODEL`, `MODULE:FACTORY` or `MODULE:FACTORY:MODEL`; `none` or empty for
    no model."""
    huggingface: Annotated[Path, Variable("HF_HOME")] = Path("~/.cache/huggingface")
    """Directory of Hugging Face's cache, which may have the weights of `minilm`."""
    api_key: Annotated[str, Variable("PAPER_SEARCH_EMBEDDINGS_API_KEY")] = Field(
        default="", repr=False
    )
    base_url: Annotated[ServiceUrl, Variable("PAPER_SEARCH_EMBEDDINGS_BASE_URL")] = None
    """The server, for providers with several; None for the provider's own."""
    batch_size: Annotated[int, Variable("PAPER_SEARCH_EMBEDDINGS_BATCH_SIZE")] = Field(
        default=64, ge=1
    )
    """Texts in one call."""
    timeout_s: Annotated[float, Variable("PAPER_SEARCH_EMBEDDINGS_TIMEOUT_S")] = Field(
        default=120.0, gt=0
    )
    """For one call."""


_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_DIR")
_EXCEPTIONS = "NO_PROXY"


class Setting(BaseModel, frozen=True):
    """The value of a variable, with its name for errors, which never show a password."""

    variable: str
    value: str = Field(repr=False)


class NetworkConfig(BaseModel):
    """Variables that all programs of a machine share; they are checked when used."""

    http: Setting | None = None
    """The proxy for http, of its own variable or of ALL_PROXY."""
    https: Setting | None = None
    exceptions: Setting | None = None
    """Hosts, domains, addresses and networks to reach without a proxy."""
    certificates: Setting | None = None
    """A file or directory of certificate authorities to trust besides the usual ones."""

    @classmethod
    def of(cls, env: Mapping[str, str]) -> Self:
        """Return the settings in environment variables, in upper or lower case."""
        settings = {
            name.upper(): Setting(variable=name, value=value.strip())
            for name, value in sorted(env.items(), key=lambda item: item[0].islower())
            if name.upper() in {*_PROXIES, *_CERTIFICATES, _EXCEPTIONS} and value.strip()
        }
        all_ = settings.get("ALL_PROXY")
        return cls(
            http=settings.get("HTTP_PROXY", all_),
            https=settings.get("HTTPS_PROXY", all_),
            exceptions=settings.get(_EXCEPTIONS),
            certificates=next((settings[name] for name in _CERTIFICATES if name in settings), None),
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        proxies = (self.http, self.https)
        return tuple(proxy.value for proxy in proxies if proxy is not None and "@" in proxy.value)
