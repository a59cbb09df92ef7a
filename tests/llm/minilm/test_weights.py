"""Which weights are used, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from paper_search.errors import ConfigError
from paper_search.llm.minilm import ModelFiles
from paper_search.resources import minilm_weights

CACHED = "hub/models--sentence-transformers--all-MiniLM-L6-v2/snapshots"


def test_weights_in_the_cache_of_hugging_face_serve_once_they_are_whole(tmp_path: Path) -> None:
    before = minilm_weights(tmp_path)
    snapshot = tmp_path / CACHED / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "vocab.txt").write_text("a")
    assert minilm_weights(tmp_path) == before
    (snapshot / "model.safetensors").write_bytes(b"")
    assert minilm_weights(tmp_path) in {before, snapshot} - {None}


def test_weights_that_are_not_the_published_ones_are_refused(tiny: ModelFiles) -> None:
    assert tiny.tensors()
    with pytest.raises(ConfigError, match="is not the published all-MiniLM-L6-v2"):
        replace(tiny, sha256="0" * 64).tensors()
