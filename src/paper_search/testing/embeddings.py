"""An embedding model that needs no model: words become directions, and what fails is scripted."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping

from langchain_core.embeddings import Embeddings
from typing_extensions import override


class FakeEmbeddings(Embeddings):
    """Texts that share words are near to each other, and those of like words as far as told.

    Vectors have so many numbers, and are kept under the name `model`. `meanings`: words that are
    taken for others: {"automobile": "car"}. `fails_after`: texts that are answered before `error`
    is raised; None: it never is. `answers`: vectors for texts that contain the key. `waits_for`: an
    event that every call waits for, as a service that hangs.
    """

    def __init__(  # noqa: PLR0913  # a script of what may happen, by keyword
        self,
        dimension: int = 64,
        *,
        model: str = "fake",
        meanings: Mapping[str, str] | None = None,
        fails_after: int | None = None,
        error: Exception | None = None,
        answers: Mapping[str, list[float]] | None = None,
        waits_for: threading.Event | None = None,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self.fails_after = fails_after
        self.asked: list[str] = []
        """Every text that was asked for, in order."""
        self._meanings = dict(meanings or {})
        self._error = error or ConnectionError("the service does not answer")
        self._answers = dict(answers or {})
        self._waits_for = waits_for

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self._waits_for is not None:
            self._waits_for.wait(60)
        if self.fails_after is not None and len(self.asked) + len(texts) > self.fails_after:
            raise self._error
        self.asked += texts
        return [self._vector(text) for text in texts]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _vector(self, text: str) -> list[float]:
        for part, vector in self._answers.items():
            if part in text:
                return vector
        made = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            meaning = self._meanings.get(word, word)
            digest = hashlib.blake2b(meaning.encode(), digest_size=8).digest()
            place = int.from_bytes(digest[:4], "big") % self.dimension
            made[place] += 1.0 if digest[4] % 2 else -1.0
        return made


def create_fake() -> FakeEmbeddings:
    """Return the model, as settings name it: `paper_search.testing.embeddings:create_fake`."""
    return FakeEmbeddings()
