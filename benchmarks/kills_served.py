"""A search over `paper-search serve`, whose process is killed and started again: see `kills`."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
from tests.end_to_end.served import ServedProcess, bare_environment

RESTARTS = 3
SECONDS = 3.0
"""Within which a run is killed."""


def served_search(home: Path, model: str, question: str, chance: random.Random) -> int:
    """Take a search to its end over servers that are killed; return how many were."""
    environment = bare_environment(
        home,
        PAPER_SEARCH_HOME=str(home),
        RELEVANCE_MAX_CONCURRENCY="1",
        LLM_MODEL="fake",
        LLM_BASE_URL=model,
        OPENAI_API_KEY="k",
    )
    thread = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for number in range(RESTARTS + 1):
        server = ServedProcess((sys.executable, "-m", "paper_search", "serve"), environment, home)
        try:
            with httpx.Client(base_url=server.url, timeout=120) as client:
                named = {"thread_id": thread, "if_exists": "do_nothing"}
                client.post("/threads", json=named).raise_for_status()
                if number == RESTARTS:
                    _finish(client, thread, question)
                    return RESTARTS
                client.post(f"/threads/{thread}/runs", json=_next(client, thread, question))
                threading.Event().wait(chance.random() * SECONDS)
        finally:
            server.kill()
    return RESTARTS


def _next(client: httpx.Client, thread: str, question: str) -> dict[str, Any]:
    """Return the run that takes the thread further."""
    state = client.get(f"/threads/{thread}/state").json()
    run: dict[str, Any] = {"assistant_id": "paper_search"}
    if not state.get("values"):
        return {**run, "input": {"question": question}, "context": {"sources": ["library"]}}
    if not state["interrupts"]:
        return {**run, "input": None}
    asked = state["interrupts"][0]["value"]
    is_first_result = asked["kind"] == "result_review" and asked["iteration"] == 0
    answer = {"action": "reject", "note": "more"} if is_first_result else {"action": "approve"}
    return {**run, "command": {"resume": {**answer, "token": asked["token"]}}}


def _finish(client: httpx.Client, thread: str, question: str) -> None:
    for _ in range(10):
        state = client.get(f"/threads/{thread}/state").json()
        if state["values"].get("is_complete"):
            return
        client.post(f"/threads/{thread}/runs/wait", json=_next(client, thread, question))
    raise RuntimeError("the search does not come to its end")
