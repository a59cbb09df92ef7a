"""Which weights are used, and what is refused."""

from dataclasses import replace

import pytest
from tests.workflow.test_assembly import order_of_two_services

from paper_search.errors import ConfigError
from paper_search.models.settings import EmbeddingsConfig
from paper_search.resources import minilm_weights

CACHED = "hub/models--sentence-transformers--all-MiniLM-L6-v2/snapshots"


def test_weights_in_the_cache_of_hugging_face_serve_once_they_are_whole(tmp_path):
    before = minilm_weights(tmp_path)
    snapshot = tmp_path / CACHED / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "vocab.txt").write_text("a")
    assert minilm_weights(tmp_path) == before
    (snapshot / "model.safetensors").write_bytes(b"")
    assert minilm_weights(tmp_path) in {before, snapshot} - {None}


def test_weights_that_are_not_the_published_ones_are_refused(tiny):
    assert tiny.tensors()
    with pytest.raises(ConfigError, match="is not the published all-MiniLM-L6-v2"):
        replace(tiny, sha256="0" * 64).tensors()


async def test_the_model_on_this_machine_moves_a_title_of_the_same_meaning_up(published, tmp_path):
    snapshot = tmp_path / CACHED / "a"
    snapshot.mkdir(parents=True)
    for name in ("vocab.txt", "model.safetensors"):
        (snapshot / name).symlink_to(published.directory / name)
    titles = ["Corporate tax law", "Pollinating insects", "Dutch painting", "Steel bridges"]
    titles += ["Wild flowers", "Honey", "Garden plants", "Butterflies"]
    orders = [
        await order_of_two_services(EmbeddingsConfig(name=name, huggingface=tmp_path), *titles)
        for name in ("none", "minilm")
    ]
    assert [order.index("Pollinating insects") for order in orders] == [2, 1]
    assert [order.index("Honey") for order in orders] == [6, 4]
