"""A local server with OpenAI's chat completions API that answers by schema."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

from paper_search.testing.llm import LLMCall, grades_of

SchemaAnswer = dict[str, Any] | Callable[[LLMCall], Any]
"""An object, or a function of the call that returns one."""

_INTENT = {
    "topic": "graph neural networks",
    "concepts": ["graph neural networks"],
    "intent_type": "survey",
    "constraints": {"max_results": 15},
}


class ModelServer:
    """Answers and counts calls by the title of their schema."""

    def __init__(self, url: str, answers: Mapping[str, SchemaAnswer]) -> None:
        self.url = url
        """The base URL for `LLM_BASE_URL`."""
        self.calls: Counter[str] = Counter()
        self.failing: dict[str, tuple[int, str]] = {}
        """Status and code of the error to return, by title of the schema."""
        self._answers: dict[str, SchemaAnswer] = {
            "IntentAnswer": _INTENT,
            "StrategyAnswer": self._strategy,
            "BatchAnswer": grades_of({}),
            **answers,
        }

    def answer(self, call: LLMCall) -> Any:
        """Return the answer for a call's schema, or an empty object."""
        title = (call.schema or {}).get("title", "")
        self.calls[title] += 1
        answer = self._answers.get(title, {})
        return answer(call) if callable(answer) else answer

    def _strategy(self, _call: LLMCall) -> dict[str, Any]:
        number = self.calls["StrategyAnswer"]
        text = '"graph neural networks"' if number == 1 else f"graph OR network{number}"
        query = {"keywords": ["graph"], "boolean_query": text}
        return {"queries": [query], "sources": [], "filters": {}}


@contextmanager
def run_model_server(answers: Mapping[str, SchemaAnswer] | None = None) -> Iterator[ModelServer]:
    """Serve on a free local port during a `with` block.

    `answers`: by title of the schema; there are valid defaults for a search.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            request = json.loads(self.rfile.read(length))
            schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
            system, *_, user = [str(message["content"]) for message in request["messages"]]
            content = json.dumps(model.answer(LLMCall(system, user, schema)))
            status, code = model.failing.get(schema.get("title", ""), (200, ""))
            error = {"error": {"message": "as scripted", "code": code, "type": code}}
            completion = _completion(content, len(system) + len(user) + len(json.dumps(schema)))
            body = json.dumps(error if code else completion).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model = ModelServer(f"http://127.0.0.1:{server.server_port}/v1", answers or {})
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_CHARS_PER_TOKEN = 4


def _completion(content: str, question_chars: int) -> dict[str, Any]:
    """Return a completion with tokens estimated by characters."""
    tokens = {
        "prompt_tokens": question_chars // _CHARS_PER_TOKEN,
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
