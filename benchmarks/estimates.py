"""How far the calls and tokens that checkpoint 1 announces are from those that are spent.

    python benchmarks/estimates.py [SOURCE]

Twenty questions over the sample, or another source, with a model server on this machine that reads
each question as the concepts below, writes two queries of them, grades every paper alike with its
title as the snippet, and counts four characters as a token. For each question: what is announced at
the first checkpoint, and what is spent from its approval to the result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from paper_search.testing.llm import LLMCall, grades_of
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

    grades = grades_of({}, default=1)
    answers = {"IntentAnswer": intent, "StrategyAnswer": strategy, "BatchAnswer": grades}
    source = sys.argv[1] if sys.argv[1:] else "sample"
    figures: list[tuple[int, int, int, int]] = []
    print("| question | calls announced | made | tokens announced | spent |\n|---|--:|--:|--:|--:|")
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
            asked = _run(environment, "find", words, "--source", source)
            before = _spent(environment, asked["thread_id"])
            _run(environment, "resume", asked["thread_id"], "--approve")
            after = _spent(environment, asked["thread_id"])
            announced = _sums(asked["checkpoint"]["payload"]["estimate"])
            calls, tokens = (b - a for a, b in zip(before, after, strict=True))
            figures.append((announced[0], calls, announced[1], tokens))
            print(f"| {words} | {' | '.join(map(str, figures[-1]))} |", flush=True)
    near = [
        sum(abs(row[place] - row[place + 1]) <= TOLERANCE * row[place + 1] for row in figures)
        for place in (0, 2)
    ]
    sums = " | ".join(str(sum(column)) for column in zip(*figures, strict=True))
    print(f"| all; {near} of {len(figures)} within {TOLERANCE:.0%} | {sums} |")


def _spent(environment: dict[str, str], thread: str) -> tuple[int, int]:
    return _sums(_run(environment, "usage", thread)["spent"])


def _sums(spending: dict[str, Any]) -> tuple[int, int]:
    return spending["calls"], spending["input_tokens"] + spending["output_tokens"]


def _run(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    command = [str(PROGRAM), *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    document: dict[str, Any] = json.loads(done.stdout)
    return document


if __name__ == "__main__":
    main()
