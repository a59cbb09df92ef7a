"""What a strategy written by a model adds to `find`, or takes from it.

    python benchmarks/model_strategies.py [cacm|lisa|world ...]

`model_strategies.txt` has a strategy for each of the first questions of CACM and LISA, and of the
first held-out ones of `find_world.py`: the question in other words, then two boolean queries. They
were written by a language model that saw the questions and the prompt, no document and no label. A
model server on this machine answers with them; no other skill has a model. Rows: `find` without and
with it, one round: nDCG@10 and recall@100, or recall@20, recall@100 and requests.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import find
import find_world

from paper_search.config import AppConfig, LLMConfig
from paper_search.library import Library
from paper_search.library.source import library_path
from paper_search.models.settings import EmbeddingsConfig
from paper_search.testing.llm import LLMCall
from paper_search.testing.model_server import run_model_server
from paper_search.workflow import SearchWorkflow

HELD_OUT = 104
"""Questions of `find_world.py` before the first of these."""
Strategy = tuple[str, list[str]]


def strategies(name: str) -> list[Strategy]:
    """Return the wording and the queries for each question of a part of the file."""
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    part = text.split(f"[{name}]\n")[1].split("[")[0]
    rows = [line.split(" | ") for line in part.splitlines() if line]
    return [(wording, queries) for wording, *queries in rows]


class Model:
    """A model server that writes the strategy for the question at hand."""

    def __init__(self, sources: list[str]) -> None:
        self._sources = sources
        self.strategy: Strategy = ("", [])

    def _answer(self, _call: LLMCall) -> Mapping[str, Any]:
        wording, queries = self.strategy
        rows = [{"boolean_query": query} for query in queries]
        return {"queries": rows, "ranked_text": wording, "sources": self._sources}

    @contextmanager
    def configs(self, config: AppConfig) -> Iterator[dict[str, AppConfig]]:
        """Yield the settings without and with the model."""
        with run_model_server({"StrategyAnswer": self._answer}) as server:
            llm = LLMConfig(strategy_model="openai:m", base_url=server.url, api_key="k")
            yield {"without": config, "with": config.model_copy(update={"llm": llm})}


def library_rows(name: str) -> Iterator[list[str]]:
    """Yield the figures of a collection in a library."""
    written, model = strategies(name), Model(["library"])
    corpus = find.read(name, len(written), 1)
    with tempfile.TemporaryDirectory() as home, model.configs(AppConfig(home=Path(home))) as ways:
        with Library.open(library_path(Path(home))) as records:
            records.add(corpus.papers)
        for way, config in ways.items():
            figures = find.Figures()
            for task, model.strategy in zip(corpus.tasks, written, strict=True):
                reader = find.Reader(task, 1)
                workflow = SearchWorkflow.from_config(
                    config, reader, max_iterations=1, sources=["library"]
                )
                asyncio.run(workflow.run(task.question))
                figures.first_page(reader.first, task)
            means = (sum(figures.ndcg), sum(figures.recall))
            yield [name, way, *(f"{total / len(written):.3f}" for total in means), ""]


def world_rows() -> Iterator[list[str]]:
    """Yield the figures over seven simulated services, with vectors of titles."""
    written, model = strategies("world"), Model([*find_world.WITHOUT_KEY])
    embeddings = EmbeddingsConfig(name="minilm")
    with find_world.simulator() as url:
        tasks = find_world.questions(url, len(written), HELD_OUT)
        find_world.redirect(url)
        for way in ("without", "with"):
            rows = []
            for task, model.strategy in zip(tasks, written, strict=True):
                with (
                    tempfile.TemporaryDirectory() as home,
                    find_world.Costs(url) as costs,
                    model.configs(
                        AppConfig(home=Path(home), http_cache=False, embeddings=embeddings)
                    ) as ways,
                ):
                    workflow = SearchWorkflow.from_config(ways[way], sources=find_world.WITHOUT_KEY)
                    result = asyncio.run(workflow.run(task.question))
                costs.count(result.metadata.total_found, len(result.papers))
                shown = [find_world.numbers(paper) for paper in result.papers]
                rows.append(find_world.scored(task, shown, costs.figures))
            yield ["world", *find_world.Row(way, "", rows).cells()[1:5]]


def main() -> None:
    """Print the table."""
    print("| collection | strategy by a model | nDCG@10, recall@20 | recall@100 | requests |")
    print("|---|---|--:|--:|--:|")
    for name in sys.argv[1:] or ["cacm", "lisa", "world"]:
        for row in world_rows() if name == "world" else library_rows(name):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
