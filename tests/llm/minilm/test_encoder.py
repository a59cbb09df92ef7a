"""The encoder computes what BERT computes, for any mixture of texts at once."""

import math

import numpy as np
from numpy.typing import NDArray

from paper_search.llm.minilm.encoder import Encoder, gelu

HEADS = 4
TEXTS = [[2, 4, 5, 3], [2, 3], [2, 6, 7, 8, 9, 4, 3]]

Table = NDArray[np.float64]


def test_a_vector_does_not_depend_on_what_is_asked_with_it(tiny):
    encoder = Encoder(tiny.tensors(), HEADS)
    together = encoder.vectors(TEXTS)
    alone = np.concatenate([encoder.vectors([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_the_order_of_words_counts(tiny):
    encoder = Encoder(tiny.tensors(), HEADS)
    one, other = encoder.vectors([[2, 4, 6, 3], [2, 6, 4, 3]])
    assert not np.allclose(one, other, atol=1e-3)


def test_the_activation_is_the_exact_one_within_single_precision():
    values = np.linspace(-12, 12, 40_001, dtype=np.float32)
    exact = [x * 0.5 * math.erfc(-x / math.sqrt(2)) for x in values.tolist()]
    np.testing.assert_allclose(gelu(values.copy()), exact, atol=2e-6)


def test_the_vectors_are_those_of_the_formulas(tiny):
    """The formulas of the paper, written down token by token in double precision."""
    tensors = {name: tensor.astype(np.float64) for name, tensor in tiny.tensors().items()}
    expected = [formulas(tensors, text) for text in TEXTS]
    made = Encoder(tiny.tensors(), HEADS).vectors(TEXTS)
    np.testing.assert_allclose(made, expected, rtol=1e-3, atol=1e-4)


def formulas(tensors: dict[str, Table], text: list[int]) -> Table:
    hidden = np.stack([embedding(tensors, *place) for place in enumerate(text)])
    for number in range(2):
        hidden = layer(tensors, f"encoder.layer.{number}", hidden)
    return np.asarray(sum(hidden) / len(hidden))


def embedding(tensors: dict[str, Table], place: int, token: int) -> Table:
    total = tensors["embeddings.word_embeddings.weight"][token]
    total = total + tensors["embeddings.position_embeddings.weight"][place]
    total = total + tensors["embeddings.token_type_embeddings.weight"][0]
    return normal(tensors, "embeddings.LayerNorm", total)


def layer(tensors: dict[str, Table], name: str, hidden: Table) -> Table:
    query, key, value = (
        np.stack([linear(tensors, f"{name}.attention.self.{kind}", token) for token in hidden])
        for kind in ("query", "key", "value")
    )
    width = hidden.shape[1] // HEADS
    made = []
    for place, token in enumerate(hidden):
        parts = []
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            weights = [math.exp(query[place, part] @ row[part] / math.sqrt(width)) for row in key]
            total = sum(weights)
            parts.append(sum(w / total * row[part] for w, row in zip(weights, value, strict=True)))
        attended = linear(tensors, f"{name}.attention.output.dense", np.concatenate(parts))
        token = normal(tensors, f"{name}.attention.output.LayerNorm", attended + token)  # noqa: PLW2901  # as the paper writes it
        wide = linear(tensors, f"{name}.intermediate.dense", token)
        wide = np.array([x * 0.5 * math.erfc(-x / math.sqrt(2)) for x in wide])
        narrow = linear(tensors, f"{name}.output.dense", wide)
        made.append(normal(tensors, f"{name}.output.LayerNorm", narrow + token))
    return np.stack(made)


def linear(tensors: dict[str, Table], name: str, token: Table) -> Table:
    return np.asarray(tensors[f"{name}.weight"] @ token + tensors[f"{name}.bias"])


def normal(tensors: dict[str, Table], name: str, token: Table) -> Table:
    unit = (token - token.mean()) / math.sqrt(token.var() + 1e-12)
    return np.asarray(unit * tensors[f"{name}.weight"] + tensors[f"{name}.bias"])
