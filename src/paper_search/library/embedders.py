"""Creates the embedding model from settings: a provider, or a factory by import path."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paper_search.errors import ConfigError
from paper_search.library.embedding import Embedder
from paper_search.models.language_models import EMBEDDINGS_GROUP, EmbeddingsConfig
from paper_search.resources import EntryPoints

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_INSTALLED: EntryPoints[Callable[[EmbeddingsConfig], Any]] = EntryPoints(
    EMBEDDINGS_GROUP, "embedding model"
)
_HOW = "use minilm, PROVIDER:MODEL like openai:text-embedding-3-small, or MODULE:FACTORY[:MODEL]"


def create_embedder(config: EmbeddingsConfig) -> Embedder | None:
    """Return the embedder that the settings name, None without a name; nothing is loaded yet.

    Raises:
        ConfigError: it has no such form, no such module is installed, or a key or a package that
            the provider needs is missing.
    """
    if not config.name.strip():
        return None
    provider, _, rest = config.name.strip().partition(":")
    is_installed = provider in _INSTALLED.names()
    if not provider or not (is_installed or rest.strip()):
        raise ConfigError(f"the embedding model {config.name!r} cannot be used: {_HOW}")
    model: Any
    if is_installed:
        model = _INSTALLED.read(provider)(config)
    else:
        _check_module(provider, config.name)
        model = _LoadedWhenAsked(provider, *rest.strip().partition(":")[::2])
    return Embedder(
        model,
        model=config.name.strip(),
        batch_size=config.batch_size,
        timeout_s=config.timeout_s,
    )


class _LoadedWhenAsked:
    """A model of a module that may take seconds to import; a factory, a class or an object.

    A MODEL is given to the factory as `model`, which LangChain's own classes call it.
    """

    def __init__(self, module: str, factory: str, model: str) -> None:
        self._module, self._factory, self._model = module, factory, model

    @cached_property
    def _embeddings(self) -> Embeddings:
        made: Any = importlib.import_module(self._module)
        for name in self._factory.split("."):
            made = getattr(made, name)
        if hasattr(made, "embed_query") and not isinstance(made, type):
            return made  # type: ignore[no-any-return]  # an object that has the methods
        return made(model=self._model) if self._model else made()  # type: ignore[no-any-return]  # a stranger's

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
        known = ", ".join(_INSTALLED.names())
        raise ConfigError(
            f"the embedding model {name!r} cannot be used: {module!r} is neither a provider "
            f"({known}) nor an installed module; {_HOW}"
        )
