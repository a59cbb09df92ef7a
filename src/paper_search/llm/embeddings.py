"""An embedding model of the settings: limits, validation of its answers, named errors."""

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
"""Characters of a text that the model gets: below the 8,191 tokens of the common services.

A title with its abstract has rarely more than 3,000; models cut what is too long for them.
"""
TIMEOUT_S = 120.0
"""Seconds for one call: a small model on a slow processor takes some for a batch."""
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
"""Servers of one's own ask for no key; the client wants one."""


class Embedder:
    """Any langchain-core `Embeddings`, asked in batches and with a time limit.

    `model`: the name that vectors are kept under; by default the class and its model. Two models
    must not share a name, as their vectors cannot be compared.
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
        """Return one vector of length 1 for each text, in order; zeros where it has no meaning.

        A model may know no word of a text, or stumble over it: that one record has no vector, the
        others have theirs.

        Raises:
            EmbeddingError: the model fails, takes too long, or gives no usable vector at all.
        """
        starts = [text[:LONGEST_TEXT] for text in texts]
        return self._validate(
            self._answer(lambda: self._embeddings.embed_documents(starts)), len(starts)
        )

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of length 1 of a question; Raises as `documents`."""
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        start = text[:LONGEST_TEXT]
        (vector,) = self._validate(self._answer(lambda: [self._embeddings.embed_query(start)]), 1)
        return np.asarray(vector, dtype=np.float32)

    def likeness(self, text: str, others: Sequence[str]) -> list[float]:
        """Return the cosine of a question with each text, in their order; Raises as `documents`."""
        vector = self.query(text)
        return [float(other @ vector) for other in self.documents(others)]

    def _answer(self, ask: Callable[[], _T]) -> _T:
        """Return the answer of the model, which runs in a thread that the program can leave."""
        answers: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

        def run() -> None:
            try:
                answers.put((True, ask()))
            except Exception as error:  # noqa: BLE001  # whatever a stranger's model raises gets our name
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
            # A stranger's words may hold the key of a service: only the kind of the error is told.
            raise EmbeddingError(f"the embedding model {self.model!r} failed: {answer}")
        return answer  # type: ignore[no-any-return]  # what `ask` returned, through the queue

    def _validate(self, answer: object, count: int) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        try:
            table: NDArray[np.float32] = np.asarray(answer, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise self._unusable("something that is not a table of numbers") from None
        if table.ndim != _TABLE or len(table) != count or not 0 < table.shape[1] <= MOST_DIMENSIONS:
            raise self._unusable(f"numbers of the shape {table.shape} for {count} texts")
        with np.errstate(all="ignore"):  # what overflows or is no number is left out below
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
    """Return the embedder that the settings name, None without a name; nothing is loaded yet.

    Raises:
        ConfigError: it has no such form, no such module is installed, or a key or a package that
            the provider needs is missing.
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
        model = _INSTALLED.read(provider)(config)
    else:
        _check_module(provider, config.name)
        model = _LoadedWhenAsked(provider, *rest.strip().partition(":")[::2])
    return Embedder(model, model=name, batch_size=config.batch_size, timeout_s=config.timeout_s)


class _LoadedWhenAsked:
    """A model of a module that may take seconds to import; a factory, a class or an object.

    A MODEL is given to the factory as `model`, which LangChain's own classes call it.
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
        return factory(model=self._model) if self._model else factory()  # type: ignore[no-any-return]  # a stranger's

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
    """Return a model of any server that speaks OpenAI's API; nothing is sent yet.

    Texts are sent as they are: cutting them by tokens would fetch a vocabulary from elsewhere.

    Raises:
        ConfigError: no model is named, or there is no key for OpenAI.
    """
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415  # heavy: only if it is wanted
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
