"""A loopback server that speaks OpenAI's chat completions, answers by rule and counts."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

from paper_search.testing.llm import LLMCall, grades_of
from paper_search.testing.scripted_model import ScriptedModel


class ModelServer:
    """What a test model was asked, by the title of the schema that it was to answer in."""

    def __init__(self, url: str) -> None:
        self.url = url
        """The base URL for `LLM_BASE_URL`."""
        self.calls: Counter[str] = Counter()
        self.failing: dict[str, tuple[int, str]] = {}
        """By the title of the schema: the status and the code of the error that is answered."""

    def answer(self, title: str, user_message: str) -> dict[str, Any]:
        """Return the answer to one question: dull, and always valid."""
        self.calls[title] += 1
        match title:
            case "IntentAnswer":
                return {
                    "topic": "graph neural networks",
                    "concepts": ["graph neural networks"],
                    "intent_type": "survey",
                }
            case "StrategyAnswer":
                number = self.calls[title]
                text = '"graph neural networks"' if number == 1 else f"graph OR network{number}"
                query = {"keywords": ["graph"], "boolean_query": text}
                return {"queries": [query], "sources": [], "filters": {"max_results": 15}}
            case "BatchAnswer":
                answer: dict[str, Any] = grades_of({})(LLMCall("", user_message))
                return answer
            case _:
                return {}


@contextmanager
def run_model_server(scripted: ScriptedModel | None = None) -> Iterator[ModelServer]:
    """Serve on a free port of the loopback address for the length of a `with` block.

    What is not scripted is answered by a model that is dull and always valid.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            request = json.loads(self.rfile.read(length))
            schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
            user = next(said for said in request["messages"] if said["role"] == "user")
            title, message = schema.get("title", ""), str(user["content"])
            answer = model.answer(title, message)
            if scripted is not None:
                answer = scripted.answer(title, str(request["messages"][0]["content"]), message)
            content = json.dumps(answer)
            asked = sum(len(str(said["content"])) for said in request["messages"])
            status, code = model.failing.get(title, (200, ""))
            error = {"error": {"message": "as scripted", "code": code, "type": code}}
            body = json.dumps(error if code else _completion(content, asked)).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model = ModelServer(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_CHARS_PER_TOKEN = 4


def _completion(content: str, asked: int) -> dict[str, Any]:
    """Return an answer, with tokens counted by the characters of question and answer."""
    tokens = {
        "prompt_tokens": asked // _CHARS_PER_TOKEN,
        "completion_tokens": len(content) // _CHARS_PER_TOKEN,
    }
    message = {"role": "assistant", "content": content}
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {**tokens, "total_tokens": sum(tokens.values())},
    }
