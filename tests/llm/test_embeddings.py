"""OpenAI's embedding API is spoken to any server, and the key is told to nobody else."""

import json
import logging

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from paper_search.errors import ConfigError, EmbeddingError
from paper_search.library.embedding import create_embedder
from paper_search.models.settings import EmbeddingsConfig

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


def test_an_address_with_a_key_in_it_is_refused():
    config = EmbeddingsConfig(name="openai:small", base_url="http://me:secret@localhost/v1")
    with pytest.raises(ConfigError, match="more than an address") as told:
        create_embedder(config)
    assert "secret" not in str(told.value)
