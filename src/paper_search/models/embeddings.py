"""The settings of an embedding model."""

from __future__ import annotations

from pydantic import BaseModel, Field

EMBEDDINGS_GROUP = "paper_search.embeddings"
"""Entry points of what makes an embedding model: a factory (EmbeddingsConfig) -> Embeddings."""


class EmbeddingsConfig(BaseModel):
    """Which embedding model the library is ranked with, too; without a name, none."""

    name: str = ""
    """`PROVIDER`, `PROVIDER:MODEL`, `MODULE:FACTORY` or `MODULE:FACTORY:MODEL`."""
    api_key: str = Field(default="", repr=False)
    base_url: str | None = None
    """The server, for providers that know several; None: the provider's own."""
    batch_size: int = Field(default=64, ge=1)
    """Texts in one call."""
    timeout_s: float = Field(default=120.0, gt=0)
    """For one call."""
