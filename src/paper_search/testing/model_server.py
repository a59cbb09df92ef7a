"""A loopback server that speaks OpenAI's chat completions, answers by rule and counts."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

_PAPER_ID = re.compile(r'"id": ?"([^"]+)"')


class ModelServer:
    """What a test model was asked, by the title of the schema that it was to answer in."""

    def __init__(self, url: str) -> None:
        self.url = url
        """The base URL for `LLM_BASE_URL`."""
        self.calls: Counter[str] = Counter()

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
            case "ScoresAnswer" | "ScoreAnswer" | "BatchAnswer":
                ids = dict.fromkeys(_PAPER_ID.findall(user_message))
                return {
                    "results": [
                        {"paper_id": i, "relevance_score": 0.7, "relevance_reason": "said so"}
                        for i in ids
                    ]
                }
            case _:
                return {}


@contextmanager
def run_model_server() -> Iterator[ModelServer]:
    """Serve on a free port of the loopback address for the length of a `with` block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            request = json.loads(self.rfile.read(length))
            schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
            user = next(each for each in request["messages"] if each["role"] == "user")
            content = json.dumps(model.answer(schema.get("title", ""), str(user["content"])))
            body = json.dumps(_completion(content)).encode()
            self.send_response(200)
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


def _completion(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
