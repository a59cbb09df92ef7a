"""Embedding models: creation from the settings, batches, time limits, validated answers."""

from __future__ import annotations

import importlib
import importlib.util
import queue
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from paper_search.errors import ConfigError, EmbeddingError, PaperSearchError
from paper_search.http.redaction import redact_logs
from paper_search.llm.creation import OPENAI_URL
from paper_search.models.settings import EMBEDDINGS_GROUP, EmbeddingsConfig
from paper_search.resources import EntryPoints

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.embeddings import Embeddings
    from numpy.typing import NDArray

BATCH_SIZE = 64
"""Texts in one call."""
LONGEST_TEXT = 6_000
"""Characters sent of a text: fewer than the 8,191 tokens of the common services.

A title with its abstract rarely has more than 3,000.
"""
TIMEOUT_S = 120.0
"""For one call: a small model on a slow processor needs seconds for a batch."""
MOST_DIMENSIONS = 65_536
_NAMES = ("model", "model_name", "model_id", "deployment")
_TABLE = 2
_T = TypeVar("_T")
_INSTALLED: EntryPoints[Callable[[EmbeddingsConfig], Any]] = EntryPoints(
    EMBEDDINGS_GROUP, "embedding model"
)
MINILM, NO_MODEL = "minilm", "none"
_HOW = (
    "use minilm, none, PROVIDER:MODEL like openai:text-embedding-3-small, or MODULE:FACTORY[:MODEL]"
)
_RETRIES = 2
_NO_KEY = "none"
"""Local servers need no key, but the client does."""


class Embedder:
    """Any langchain-core `Embeddings`, called with a time limit.

    `model`: name under which vectors are stored; by default the class and its model. Two models
    must not share a name, because their vectors cannot be compared.
    """

    def __init__(
        self,
        embeddings: Embeddings,
        *,
        model: str | None = None,
        batch_size: int = BATCH_SIZE,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._embeddings = embeddings
        self._timeout_s = timeout_s
        self.model = model or _name_of(embeddings)
        self.batch_size = max(1, batch_size)

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector for each text; zeros for a text that the model cannot embed.

        Raises:
            EmbeddingError: the model fails, takes too long, or returns no usable vector at all.
        """
        starts = [text[:LONGEST_TEXT] for text in texts]
        return self._validate(
            self._answer(lambda: self._embeddings.embed_documents(starts)), len(starts)
        )

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a question; errors as for `documents`."""
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        start = text[:LONGEST_TEXT]
        (vector,) = self._validate(self._answer(lambda: [self._embeddings.embed_query(start)]), 1)
        return np.asarray(vector, dtype=np.float32)

    def likeness(self, text: str, others: Sequence[str]) -> list[float]:
        """Return the cosine similarity of each text to a question; errors as for `documents`."""
        vector = self.query(text)
        return [float(other @ vector) for other in self.documents(others)]

    def _answer(self, ask: Callable[[], _T]) -> _T:
        """Ask the model in a daemon thread, which the program can abandon."""
        answers: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

        def run() -> None:
            try:
                answers.put((True, ask()))
            except Exception as error:  # noqa: BLE001  # foreign models may raise anything
                is_ours = isinstance(error, PaperSearchError)
                answers.put((False, str(error) if is_ours else type(error).__name__))

        threading.Thread(target=run, name="embedding", daemon=True).start()
        try:
            is_answer, answer = answers.get(timeout=self._timeout_s)
        except queue.Empty:
            raise EmbeddingError(
                f"the embedding model {self.model!r} did not answer within {self._timeout_s:g} s"
            ) from None
        if not is_answer:
            # The message of a foreign error may hold a key: only its class is shown.
            raise EmbeddingError(f"the embedding model {self.model!r} failed: {answer}")
        return answer  # type: ignore[no-any-return]  # what `ask` returned, through the queue

    def _validate(self, answer: object, count: int) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        try:
            table: NDArray[np.float32] = np.asarray(answer, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise self._unusable("data that is not a table of numbers") from None
        if table.ndim != _TABLE or len(table) != count or not 0 < table.shape[1] <= MOST_DIMENSIONS:
            raise self._unusable(f"an array of shape {table.shape} for {count} texts")
        with np.errstate(all="ignore"):  # infinite values and NaN are replaced below
            lengths = np.linalg.norm(table, axis=1, keepdims=True)
            is_usable = np.isfinite(lengths) & (lengths > 0)
            unit: NDArray[np.float32] = np.where(is_usable, table / lengths, np.float32(0))
        if count and not is_usable.any():
            raise self._unusable("zeros or values that are not numbers")
        return unit

    def _unusable(self, answer: str) -> EmbeddingError:
        return EmbeddingError(f"the embedding model {self.model!r} answered with {answer}")


def as_embedder(model: Embeddings | Embedder) -> Embedder:
    return model if isinstance(model, Embedder) else Embedder(model)


def _name_of(embeddings: object) -> str:
    kind, values = type(embeddings).__name__, [getattr(embeddings, name, 0) for name in _NAMES]
    return next((f"{kind}:{value}" for value in values if value and isinstance(value, str)), kind)


def create_embedder(config: EmbeddingsConfig) -> Embedder | None:
    """Return the embedder that the settings name, or None; the model is not loaded yet.

    Raises:
        ConfigError: the name is malformed, its module is not installed, or the provider lacks a
            key or a package.
    """
    name = config.name.strip()
    if name.lower() in ("", NO_MODEL):
        return None
    provider, _, rest = name.partition(":")
    is_installed = provider in _INSTALLED.names()
    if not provider or not (is_installed or rest.strip()):
        raise ConfigError(f"the embedding model {config.name!r} cannot be used: {_HOW}")
    model: Any
    if is_installed:
        model = _INSTALLED.call(provider, config)
    else:
        _check_module(provider, config.name)
        model = _LazyEmbeddings(provider, *rest.strip().partition(":")[::2])
    return Embedder(model, model=name, batch_size=config.batch_size, timeout_s=config.timeout_s)


class _LazyEmbeddings:
    """Imports a factory, class or object at its first use, which may take seconds.

    The factory receives MODEL as its argument `model`, the name in LangChain's classes.
    """

    def __init__(self, module: str, factory: str, model: str) -> None:
        self._module, self._factory, self._model = module, factory, model

    @cached_property
    def _embeddings(self) -> Embeddings:
        factory: Any = importlib.import_module(self._module)
        for name in self._factory.split("."):
            factory = getattr(factory, name)
        if hasattr(factory, "embed_query") and not isinstance(factory, type):
            return factory  # type: ignore[no-any-return]  # an object that has the methods
        return factory(model=self._model) if self._model else factory()  # type: ignore[no-any-return]  # foreign code

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._embeddings.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._embeddings.embed_query(text)


def _check_module(module: str, name: str) -> None:
    try:
        is_there = importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        is_there = False
    if not is_there:
        names = ", ".join(_INSTALLED.names())
        raise ConfigError(
            f"the embedding model {name!r} cannot be used: {module!r} is neither a provider "
            f"({names}) nor an installed module; {_HOW}"
        )


def create_openai(config: EmbeddingsConfig) -> Embeddings:
    """Return a model of a server with OpenAI's API.

    Texts are not cut by tokens, because that would download a vocabulary.

    Raises:
        ConfigError: no model is named, or there is no key for OpenAI.
    """
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415  # slow import
    from pydantic import SecretStr  # noqa: PLC0415  # kept beside its only use

    model = config.name.partition(":")[2].strip()
    if not model:
        raise ConfigError(
            f"the embedding model {config.name!r} cannot be used: name one of its models, as "
            "openai:text-embedding-3-small"
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
