"""The embedding model all-MiniLM-L6-v2 on this machine: no service, no key, no network."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from paper_search.errors import ConfigError
from paper_search.llm.minilm.tokens import WordPieces
from paper_search.llm.minilm.weights import ModelFiles
from paper_search.models.embeddings import EmbeddingsConfig

if TYPE_CHECKING:
    from paper_search.llm.minilm.encoder import Encoder

LONGEST = 256
"""Tokens of a text that count, as the model was published: some 200 words of English."""


class MiniLM:
    """384 numbers for a text, with the two methods of LangChain's `Embeddings`."""

    model = "all-MiniLM-L6-v2"

    def __init__(self, files: ModelFiles) -> None:
        self._files = files

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of the texts, in their order."""
        numbers = [self._pieces.numbers(text, LONGEST) for text in texts]
        made: list[list[float]] = self._encoder.vectors(numbers).tolist() if texts else []
        return made

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question: the model knows no difference."""
        return self.embed_documents([text])[0]

    @cached_property
    def _pieces(self) -> WordPieces:
        return WordPieces(self._files.vocabulary())

    @cached_property
    def _encoder(self) -> Encoder:
        from paper_search.llm.minilm.encoder import Encoder  # noqa: PLC0415  # loads numpy

        return Encoder(self._files.tensors())


def create_minilm(config: EmbeddingsConfig) -> MiniLM:
    """Return the model of the settings; its weights are read when it is first asked.

    Raises:
        ConfigError: its package is not installed, or a model of it is named.
    """
    if ":" in config.name:
        raise ConfigError(f"{config.name!r}: minilm is one model; write minilm alone")
    return MiniLM(ModelFiles.installed())
