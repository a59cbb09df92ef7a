"""Embedding models of any server that speaks OpenAI's API, through langchain-openai."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paper_search.errors import ConfigError
from paper_search.http.redaction import redact_logs
from paper_search.llm.creation import OPENAI_URL
from paper_search.models.settings import EmbeddingsConfig

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_RETRIES = 2
_NO_KEY = "none"
"""Servers of one's own ask for no key; the client wants one."""


def create_openai(config: EmbeddingsConfig) -> Embeddings:
    """Return the model of the settings; nothing is sent yet.

    Texts are sent as they are: cutting them by tokens would fetch a vocabulary from elsewhere.

    Raises:
        ConfigError: no model is named, there is no key for OpenAI, or the address is more than an
            address.
    """
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415  # heavy: only if it is wanted
    from pydantic import SecretStr  # noqa: PLC0415  # kept beside its only use

    model = config.name.partition(":")[2].strip()
    if not model:
        raise ConfigError(
            f"the embedding model {config.name!r} cannot be used: name one of its models, as "
            "openai:text-embedding-3-small"
        )
    parts = urlsplit(config.base_url or "")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise ConfigError(
            "PAPER_SEARCH_EMBEDDINGS_BASE_URL is more than an address; give the key in "
            "PAPER_SEARCH_EMBEDDINGS_API_KEY"
        )
    if not config.api_key and not config.base_url:
        raise ConfigError(
            f"API key required for {config.name!r}: set OPENAI_API_KEY, or the address of a "
            "server of your own in PAPER_SEARCH_EMBEDDINGS_BASE_URL"
        )
    redact_logs((config.api_key,))
    return OpenAIEmbeddings(
        model=model,
        openai_api_key=SecretStr(config.api_key or _NO_KEY),
        openai_api_base=config.base_url or OPENAI_URL,
        request_timeout=config.timeout_s,
        max_retries=_RETRIES,
        chunk_size=config.batch_size,
        check_embedding_ctx_length=False,
    )
