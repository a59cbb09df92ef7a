"""The forward pass of a small BERT sentence encoder, in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

HEADS = 12
"""Attention heads of all-MiniLM-L6-v2."""
_EPSILON = 1e-12
_GELU_BLOCK = 16_384
"""Values per step of the activation: what fits into the processor's cache."""


class Encoder:
    """A BERT encoder with mean pooling over the last layer (Reimers 2019)."""

    def __init__(self, tensors: Mapping[str, Array], heads: int = HEADS) -> None:
        self._tensors = tensors
        self._heads = heads
        self._layers = sum(name.endswith(".intermediate.dense.weight") for name in tensors)

    def vectors(self, texts: Sequence[Sequence[int]]) -> Array:
        """Return one vector for each text of token ids; they are not normalised.

        The texts are concatenated instead of padded; only attention handles them one by one.
        """
        bounds = np.cumsum([0, *map(len, texts)]).tolist()
        spans = [slice(start, stop) for start, stop in pairwise(bounds)]
        hidden = self._embedded(texts)
        for number in range(self._layers):
            hidden = self._layer(f"encoder.layer.{number}", hidden, spans)
        return np.stack([hidden[span].mean(axis=0) for span in spans])

    def _embedded(self, texts: Sequence[Sequence[int]]) -> Array:
        tokens = np.concatenate([np.asarray(text) for text in texts])
        positions = np.concatenate([np.arange(len(text)) for text in texts])
        tensor = self._tensors
        total: Array = (
            tensor["embeddings.word_embeddings.weight"][tokens]
            + tensor["embeddings.position_embeddings.weight"][positions]
            + tensor["embeddings.token_type_embeddings.weight"][0]
        )
        return self._normalised("embeddings.LayerNorm", total)

    def _layer(self, name: str, hidden: Array, spans: Sequence[slice]) -> Array:
        attended = self._attended(f"{name}.attention.self", hidden, spans)
        attended = self._linear(f"{name}.attention.output.dense", attended)
        hidden = self._normalised(f"{name}.attention.output.LayerNorm", attended + hidden)
        wide = self._linear(f"{name}.intermediate.dense", hidden)
        narrow = self._linear(f"{name}.output.dense", gelu(wide))
        return self._normalised(f"{name}.output.LayerNorm", narrow + hidden)

    def _attended(self, name: str, hidden: Array, spans: Sequence[slice]) -> Array:
        width = hidden.shape[1] // self._heads
        shape = (len(hidden), self._heads, width)
        query, key, value = (
            self._linear(f"{name}.{kind}", hidden).reshape(shape)
            for kind in ("query", "key", "value")
        )
        query *= np.float32(width**-0.5)
        result = np.empty_like(hidden)
        for span in spans:
            # heads x tokens x tokens
            scores = query[span].transpose(1, 0, 2) @ key[span].transpose(1, 2, 0)
            scores -= scores.max(axis=2, keepdims=True)
            shares = np.exp(scores, out=scores)
            shares /= shares.sum(axis=2, keepdims=True)
            mixed = shares @ value[span].transpose(1, 0, 2)
            result[span] = mixed.transpose(1, 0, 2).reshape(-1, hidden.shape[1])
        return result

    def _linear(self, name: str, hidden: Array) -> Array:
        result: Array = hidden @ self._tensors[f"{name}.weight"].T
        result += self._tensors[f"{name}.bias"]
        return result

    def _normalised(self, name: str, hidden: Array) -> Array:
        hidden -= hidden.mean(axis=1, keepdims=True)
        spread = np.einsum("ij,ij->i", hidden, hidden)[:, None] / hidden.shape[1]
        hidden /= np.sqrt(spread + np.float32(_EPSILON))
        hidden *= self._tensors[f"{name}.weight"]
        hidden += self._tensors[f"{name}.bias"]
        return hidden


def gelu(values: Array) -> Array:
    """Return x * Phi(x), in place; Phi from Abramowitz and Stegun 7.1.26, within 2e-7."""
    flat = values.reshape(-1)
    for start in range(0, len(flat), _GELU_BLOCK):
        part = flat[start : start + _GELU_BLOCK]
        size = np.abs(part) * np.float32(2**-0.5)
        step = np.float32(1) / (np.float32(0.3275911) * size + np.float32(1))
        tail = np.full_like(part, 1.061405429)
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            tail *= step
            tail += np.float32(factor)
        tail *= step
        tail *= np.exp(-size * size)
        # tail = erfc(|x| / sqrt 2), twice what the normal distribution has beyond |x|.
        part *= np.where(part > 0, 1 - tail / 2, tail / 2)
    return values
