"""The settings of the model, of one source and of the server, checked."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, field_validator

STUDIO = "https://smith.langchain.com"
"""Where LangGraph Studio's pages come from."""
MIN_TOKEN_CHARS = 16


def _named_values(given: object) -> object:
    """Return the pairs in a text of the form `name=value, name=value`; anything else as it is."""
    if not isinstance(given, str):
        return given
    pairs = {pair.strip(): pair.partition("=") for pair in given.split(",") if pair.strip()}
    for pair, (name, sign, value) in pairs.items():
        if not (name.strip() and sign and value.strip()):
            raise ValueError(f"give NAME=VALUE, not {pair!r}")
    return {name.strip(): value.strip() for name, _, value in pairs.values()}


NamedValues = Annotated[dict[str, str], BeforeValidator(_named_values)]

WITHOUT = "none"
"""What a skill's model is called that does without, though others have one."""


class Skill(str, Enum):
    """A skill that a model can be named for."""

    INTENT = "intent"
    STRATEGY = "strategy"
    DUPLICATES = "duplicates"
    JUDGE = "judge"


class LLMConfig(BaseModel):
    """Which language model to use; without a model name, none is used."""

    provider: str = "openai"
    """Of models that are named without one."""
    model: str = ""
    """MODEL or PROVIDER:MODEL, such as `anthropic:claude-sonnet-4-5`."""
    intent_model: str = ""
    """What understands questions; empty: as `model` says, `none`: none."""
    strategy_model: str = ""
    duplicates_model: str = ""
    judge_model: str = ""
    api_key: str = Field(default="", repr=False)
    """Of `provider`."""
    api_keys: dict[str, str] = Field(default_factory=dict, repr=False)
    """Of other providers, by name."""
    base_url: str | None = None
    """Any server that speaks as `provider` does."""
    prices: Path | None = None
    """A file that corrects the price table."""
    temperature: float = 0.0
    max_tokens: int = 4096
    timeout_s: float = 60.0

    @field_validator("base_url")
    @classmethod
    def _check_address(cls, base_url: str | None) -> str | None:
        """An address is logged and traced, so no key may be in it."""
        parts = urlsplit(base_url or "")
        if parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError("is more than an address; give the key in <PROVIDER>_API_KEY")
        return base_url

    @property
    def is_wanted(self) -> bool:
        """Whether a model was named; a key alone does not spend anybody's money."""
        return any(self.of(skill) for skill in Skill)

    def of(self, skill: Skill) -> str:
        """Return the name of a skill's model; empty: it has none."""
        own: str = getattr(self, f"{skill.value}_model").strip()
        return "" if own.lower() == WITHOUT else own or self.model


class SearchSourceConfig(BaseModel):
    """Settings of one source."""

    name: str
    api_key: str = Field(default="", repr=False)
    enabled: bool = True
    rate_limit: float = 1.0
    """Requests per second."""
    max_calls: int | None = Field(default=None, ge=0)
    """Requests per run; None: no limit, 0: none at all."""
    url: str | None = None
    """Where it is, for a service that everybody runs for themselves."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str | None) -> str | None:
        """An address is logged, so no password may be in it."""
        parts = urlsplit(url or "http://")
        if parts.scheme not in {"http", "https"} or parts.query or "@" in parts.netloc:
            raise ValueError("is not an address like http://localhost:8888")
        return url


class ServerConfig(BaseModel):
    """Who may use the server, and from where."""

    tokens: dict[str, str] = Field(default_factory=dict, repr=False)
    """Token by name of its owner; none: everybody on this machine, and nobody else."""
    hosts: list[str] = Field(default_factory=list)
    """Names that the server answers to besides those of the loopback."""
    origins: list[str] = Field(default_factory=lambda: [STUDIO])
    """Pages that may use it from a browser."""
    is_mcp_open: bool = False
    """Whether `/mcp` offers searches and reports as tools."""

    @field_validator("tokens", mode="before")
    @classmethod
    def _split_tokens(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [pair.partition("=") for pair in _listed(value)]
        if any(not (owner.strip() and token.strip()) for owner, _, token in pairs):
            raise ValueError("is not a list NAME=TOKEN, NAME=TOKEN")
        if len({owner.strip() for owner, _, _ in pairs}) < len(pairs):
            raise ValueError("names an owner twice")
        return {owner.strip(): token.strip() for owner, _, token in pairs}

    @field_validator("tokens")
    @classmethod
    def _check_tokens(cls, tokens: dict[str, str]) -> dict[str, str]:
        if any(len(token) < MIN_TOKEN_CHARS for token in tokens.values()):
            raise ValueError(f"holds a token of less than {MIN_TOKEN_CHARS} characters")
        if len(set(tokens.values())) < len(tokens):
            raise ValueError("gives two owners the same token")
        return tokens

    @field_validator("hosts", "origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return _listed(value) if isinstance(value, str) else value

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, origins: list[str]) -> list[str]:
        if any("*" in origin or "://" not in origin for origin in origins):
            raise ValueError("takes origins like https://example.org, and no *")
        return [origin.rstrip("/") for origin in origins]


def _listed(text: str) -> list[str]:
    """Return the items between the commas of a text, without empty ones."""
    return [name.strip() for name in text.split(",") if name.strip()]


_PLACEHOLDER = re.compile(r"(?i)[@.](?:example(?:\.(?:com|net|org))?|test|invalid|localhost)\Z")
"""Domains that nobody has (RFC 2606)."""


def _address(text: str | None) -> str | None:
    """Return an e-mail address; Raises ValueError: it is none, or nobody's."""
    address = (text or "").strip()
    if address and not re.fullmatch(r"[^\s@<>,;:]+@[^\s@<>,;:]+\.[^\s@<>,;:]+", address):
        raise ValueError(f"PAPER_SEARCH_CONTACT is {text!r}, which is no e-mail address")
    if _PLACEHOLDER.search(address):
        raise ValueError(
            f"PAPER_SEARCH_CONTACT is {text!r}, a placeholder that services refuse: give an address"
            " of your own, or none"
        )
    return address or None


Contact = Annotated[str | None, AfterValidator(_address)]
"""An e-mail address, or none."""
