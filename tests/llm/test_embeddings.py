"""Any embedding model is asked in batches, in time, and what it answers is checked.

OpenAI's API is spoken to any server, and the key is told to nobody else.
"""

import json
import logging
import threading
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from paper_search.config import EmbeddingsConfig, load_config
from paper_search.errors import ConfigError, EmbeddingError
from paper_search.llm.embeddings import Embedder, create_embedder
from paper_search.testing.llm import FakeEmbeddings


class Answering(Embeddings):
    """Gives what it was told, whatever it is."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed_documents(self, texts: list[str]) -> Any:  # noqa: ARG002  # the interface
        return self.answer

    def embed_query(self, text: str) -> Any:  # noqa: ARG002  # the interface
        return self.answer[0]


def test_vectors_get_length_one():
    made = Embedder(Answering([[3.0, 4.0], [0.0, 2.0]])).documents(["a", "b"])
    np.testing.assert_allclose(made, [[0.6, 0.8], [0.0, 1.0]])
    assert made.dtype == np.float32


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[1.0, 2.0]], r"shape \(1, 2\) for 2 texts"),
        ([1.0, 2.0], "shape"),
        ([[], []], "shape"),
        ([[1.0], [1.0, 2.0]], "not a table"),
        (["one", "two"], "not a table"),
        (None, "shape"),
        ([[float("nan")] * 2, [0.0, 0.0]], "not numbers"),
    ],
)
def test_what_is_no_vector_is_refused_by_name(answer, said):
    with pytest.raises(EmbeddingError, match=said):
        Embedder(Answering(answer), model="odd").documents(["a", "b"])


def test_one_text_without_a_meaning_costs_the_others_nothing():
    given = [[float("inf"), 1.0], [0.0, 0.0], [0.0, 5.0], [1e38, 1e38]]
    made = Embedder(Answering(given)).documents(["a", "b", "c", "d"])
    assert made[:3].tolist() == [[0, 0], [0, 0], [0, 1]]
    assert np.isfinite(made).all()


def test_a_model_that_hangs_is_left_alone_in_time():
    """Its thread must not keep the program from ending, either."""
    release = threading.Event()
    embedder = Embedder(FakeEmbeddings(waits_for=release), timeout_s=0.05)
    with pytest.raises(EmbeddingError, match=r"did not answer within 0\.05 s"):
        embedder.query("graphs")
    threads = [entry for entry in threading.enumerate() if entry.name == "embedding"]
    assert all(item.daemon for item in threads)
    release.set()
    for thread in threads:
        thread.join()


def test_what_a_service_says_in_its_error_is_not_told():
    error = RuntimeError("bad key sk-secret-1234567890")
    with pytest.raises(EmbeddingError, match="failed: RuntimeError") as caught:
        Embedder(FakeEmbeddings(fails_after=0, error=error)).query("graphs")
    assert (
        "sk-secret" not in f"{caught.value!r} {caught.value.__cause__} {caught.value.__context__}"
    )


def test_what_the_program_says_of_its_own_model_is_told():
    error = ConfigError("'model.safetensors' is not the published file")
    with pytest.raises(EmbeddingError, match=r"failed: 'model\.safetensors' is not the published"):
        Embedder(FakeEmbeddings(fails_after=0, error=error)).query("graphs")


def test_long_texts_are_cut():
    fake = FakeEmbeddings()
    Embedder(fake).documents(["a" * 6_001])
    assert fake.asked == ["a" * 6_000]


def test_a_model_is_named_by_its_class_and_its_own_name():
    assert Embedder(FakeEmbeddings(model="m1")).model == "FakeEmbeddings:m1"
    assert Embedder(Answering([])).model == "Answering"
    assert Embedder(FakeEmbeddings(), model="mine").model == "mine"


def test_without_a_name_there_is_no_model():
    assert create_embedder(EmbeddingsConfig()) is None


def test_a_model_comes_from_any_factory_by_its_path():
    module = "paper_search.testing.llm"
    made = create_embedder(EmbeddingsConfig(name=f"{module}:create_fake"))
    assert made.model == f"{module}:create_fake"
    assert len(made.query("graphs")) == 64
    named = create_embedder(EmbeddingsConfig(name=f"{module}:FakeEmbeddings:large", batch_size=7))
    assert named.batch_size == 7
    assert len(named.query("graphs")) == 64


@pytest.mark.parametrize("name", ["no_provider", "no_provider:", ":x", "no_module:f", "a..b:f"])
def test_a_name_that_leads_nowhere_is_refused_with_the_ways_to_write_one(name):
    with pytest.raises(ConfigError, match=r"MODULE:FACTORY"):
        create_embedder(EmbeddingsConfig(name=name, api_key="k"))


def test_a_factory_that_fails_is_told_when_it_is_asked():
    embedder = create_embedder(EmbeddingsConfig(name="paper_search.testing.llm:absent"))
    with pytest.raises(EmbeddingError, match="failed: AttributeError"):
        embedder.query("graphs")


def test_a_settings_file_cannot_say_which_code_is_imported(tmp_path, monkeypatch):
    monkeypatch.delenv("PAPER_SEARCH_EMBEDDINGS", raising=False)
    file = tmp_path / "settings"
    file.write_text("PAPER_SEARCH_EMBEDDINGS=paper_search.testing.llm:create_fake\n")
    with pytest.raises(ConfigError, match=r"only in the environment, not in \.env"):
        load_config(file)
    file.write_text("PAPER_SEARCH_EMBEDDINGS=openai:small\nOPENAI_API_KEY=key-of-openai\n")
    given = load_config(file)
    assert (given.embeddings.name, given.embeddings.api_key) == ("openai:small", "key-of-openai")
    assert "key-of-openai" in given.secrets
    assert "key-of-openai" not in repr(given)


def test_the_key_of_openai_goes_to_no_other_server(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "settings"
    file.write_text(
        "PAPER_SEARCH_EMBEDDINGS=openai:small\nOPENAI_API_KEY=key-of-openai\n"
        "PAPER_SEARCH_EMBEDDINGS_BASE_URL=http://localhost:9/v1\n"
    )
    assert load_config(file).embeddings.api_key == ""


KEY = "sk-key-of-a-server-0123456789"


def settings(server: HTTPServer, **more: object) -> EmbeddingsConfig:
    given = {"name": "openai:small", "api_key": KEY, "base_url": server.url_for("/v1")}
    return EmbeddingsConfig.model_validate(given | more)


def test_texts_are_sent_as_they_are_and_vectors_come_back_in_order(httpserver):
    asked: list[dict[str, object]] = []

    def answer(request: Request) -> Response:
        body = json.loads(request.data)
        asked.append(body)
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        data = [
            {"object": "embedding", "index": n, "embedding": [float(len(text)), 1.0]}
            for n, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        made = {"object": "list", "data": data, "model": "small", "usage": usage}
        return Response(json.dumps(made), content_type="application/json")

    httpserver.expect_request("/v1/embeddings").respond_with_handler(answer)
    embedder = create_embedder(settings(httpserver))
    assert embedder is not None
    made = embedder.documents(["a", "bbbb"])
    assert made[0, 0] < made[1, 0]
    assert (asked[0]["model"], asked[0]["input"]) == ("small", ["a", "bbbb"])


def test_a_server_that_refuses_is_named_without_its_words(httpserver):
    refusal = {"error": {"message": f"wrong key {KEY}"}}
    httpserver.expect_request("/v1/embeddings").respond_with_json(refusal, status=401)
    embedder = create_embedder(settings(httpserver))
    assert embedder is not None
    with pytest.raises(EmbeddingError, match="'openai:small' failed: AuthenticationError") as told:
        embedder.query("graphs")
    assert KEY not in str(told.value)


def test_the_client_logs_no_key_that_a_server_sends_back(httpserver, caplog):
    caplog.set_level(logging.DEBUG)
    key = "CANARY-of-this-test-alone"
    elsewhere = {"Location": f"/elsewhere?key={key}"}
    httpserver.expect_request("/v1/embeddings").respond_with_data("", 307, elsewhere)
    httpserver.expect_request("/elsewhere").respond_with_data("", 400)
    embedder = create_embedder(settings(httpserver, api_key=key))
    assert embedder is not None
    with pytest.raises(EmbeddingError):
        embedder.query("graphs")
    sent = [record for record in caplog.records if record.name.startswith(("httpx", "httpcore"))]
    assert any("/elsewhere?key=[redacted]" in record.getMessage() for record in sent)
    assert [record.getMessage() for record in sent if key in record.getMessage()] == []


@pytest.mark.parametrize("name", ["openai", "openai: "])
def test_openai_wants_one_of_its_models(name):
    with pytest.raises(ConfigError, match="name one of its models"):
        create_embedder(EmbeddingsConfig(name=name, api_key=KEY))


def test_openai_wants_a_key_and_a_server_of_ones_own_does_not():
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        create_embedder(EmbeddingsConfig(name="openai:small"))
    assert create_embedder(EmbeddingsConfig(name="openai:small", base_url="http://localhost:9/v1"))
    assert create_embedder(EmbeddingsConfig(name="openai:small", api_key=KEY))
