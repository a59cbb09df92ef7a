"""How far the calls that checkpoint 1 announces are from those that are made.

    python benchmarks/estimates.py

Twenty questions over the sample, with a model server on this machine that reads each question as
the concepts below, writes two queries of them, and grades every paper alike. For each question: the
calls announced at the first checkpoint, and the calls from its approval to the result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from paper_search.testing.llm import LLMCall
from paper_search.testing.model_server import run_model_server

QUESTIONS = (
    "graph neural networks | drug discovery",
    "few-shot | object detection",
    "cognitive behavioural therapy | anxiety | children",
    "visual slam | mobile robots",
    "retrieval augmented generation",
    "gut microbiome | depression",
    "DPP-4 inhibitors | cardiovascular outcomes",
    "solar flares | machine learning",
    "transformers | time series forecasting",
    "federated learning | privacy",
    "mental health | nurses | covid",
    "soil carbon | tillage",
    "large language models | education",
    "protein structure prediction",
    "exercise | older adults | falls",
    "bees | pesticides",
    "reinforcement learning | robots",
    "quantum error correction",
    "urban heat island",
    "breast cancer | screening",
)
TOLERANCE = 0.1
PROGRAM = Path(sys.executable).with_name("paper-search")


def main() -> None:
    """Print the table and the sums."""
    concepts: list[str] = []

    def intent(_call: LLMCall) -> dict[str, Any]:
        return {"topic": " ".join(concepts), "concepts": concepts, "intent_type": "survey"}

    def strategy(_call: LLMCall) -> dict[str, Any]:
        phrases = [f'"{concept}"' for concept in concepts]
        queries = [" AND ".join(phrases), " OR ".join(phrases)]
        rows = [{"keywords": concepts, "boolean_query": query} for query in queries]
        return {"queries": rows, "sources": [], "filters": {}}

    answers = {"IntentAnswer": intent, "StrategyAnswer": strategy}
    figures: list[tuple[int, int]] = []
    print("| question | announced | made |\n|---|---|---|")
    with run_model_server(answers) as server, tempfile.TemporaryDirectory() as home:
        settings = {
            "LLM_MODEL": "gpt-4o-mini",
            "OPENAI_API_KEY": "none",
            "LLM_BASE_URL": server.url,
        }
        environment = {**os.environ, **settings, "PAPER_SEARCH_HOME": home}  # noqa: TID251  # of a child
        for question in QUESTIONS:
            concepts[:] = question.split(" | ")
            words = " and ".join(concepts)
            asked = _run(environment, "find", words, "--source", "sample")
            before = sum(server.calls.values())
            _run(environment, "resume", asked["thread_id"], "--approve")
            made = sum(server.calls.values()) - before
            announced = asked["checkpoint"]["payload"]["estimate"]["calls"]
            figures.append((announced, made))
            print(f"| {words} | {announced} | {made} |", flush=True)
    near = sum(abs(announced - made) <= TOLERANCE * made for announced, made in figures)
    sums = " | ".join(str(sum(column)) for column in zip(*figures, strict=True))
    print(f"| all; {near} of {len(figures)} within {TOLERANCE:.0%} | {sums} |")


def _run(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    command = [str(PROGRAM), *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    document: dict[str, Any] = json.loads(done.stdout)
    return document


if __name__ == "__main__":
    main()
