"""`paper-search eval`: measure searching and judging on labelled papers."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.cli.console import UsageMistakeError, print_json, say, stdout_console, visible
from paper_search.cli.options import BudgetOption, Home, Json, argument, budget_of, option, settings
from paper_search.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from paper_search.config import AppConfig
    from paper_search.evaluation.runs import Evaluation, LabelledQuestion, WrongPaper

_WRONG_SHOWN = 10
_LONGEST_TITLE = 90


def evaluate(  # noqa: PLR0913, PLR0917  # one for each option
    labels: Path | None = argument(
        "[LABELS]",
        "A CSV or JSON lines file with question, doi or title, and label (1 or 0); or a "
        "folder with corpus.jsonl, queries.jsonl and qrels.tsv.",
    ),
    thread: str | None = option("THREAD", "Use the marks of a screened search as labels."),
    question: str | None = option("WORDS", "The question, if LABELS has none."),
    source: list[str] | None = option(
        "NAME", "Search this source for the labelled papers as well; repeatable."
    ),
    model: list[str] | None = option(
        "MODEL", "Compare this model; repeatable. Default: LLM_MODEL, if set."
    ),
    questions: int = option("N", "Use the first N questions.", min=1, default=5),
    papers: int = option("N", "Use N papers per question.", min=2, default=50),
    budget: BudgetOption = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Measure searching and judging on labelled papers.

    Models are compared with each other and with no model. judging: the labelled papers are judged.
    search, with --source: they must be found as well. Recall is the share of relevant papers that
    are shown, precision the share of shown papers that are relevant; nDCG@10 tells how early they
    come. --budget limits each model. `usage` lists the calls as eval-MODEL.
    """
    from paper_search.config import expand_sources
    from paper_search.evaluation.runs import read_labels

    config = settings(home)
    if (labels is None) == (thread is None):
        raise UsageMistakeError("give either LABELS or --thread THREAD")
    questions_of_labels = (
        asyncio.run(_of_thread(config, thread or ""))
        if labels is None
        else read_labels(labels, question)
    )
    sampled = [labelled.sampled(papers) for labelled in questions_of_labels[:questions]]
    models = [None, *(model or ([config.llm.model] if config.llm.model else []))]
    sources = expand_sources(source, config.keyed_sources) if source else None
    evaluations = asyncio.run(_evaluated(config, sampled, models, sources, budget))
    if as_json:
        print_json([evaluation.model_dump(mode="json") for evaluation in evaluations])
        return
    stdout_console().print(_table(evaluations))
    for evaluation in evaluations:
        for line in _lines(evaluation):
            say(line)
    if len(models) == 1:
        say("no model is configured: name one with --model or LLM_MODEL to compare it")


async def _evaluated(
    config: "AppConfig",
    questions: "list[LabelledQuestion]",
    models: "list[str | None]",
    sources: list[str] | None,
    budget: str | None,
) -> "list[Evaluation]":
    from paper_search.evaluation.runs import evaluate as run
    from paper_search.llm.usage_log import UsageLog

    evaluations = []
    for model in models:
        log = UsageLog(config.usage_path, f"eval-{model}") if model else None
        if log is not None:
            log.delete()  # a budget is for one evaluation
        limit = budget_of(budget) or config.budget
        evaluations += await run(config, questions, model, sources=sources, budget=limit, log=log)
    return evaluations


async def _of_thread(config: "AppConfig", thread: str) -> "list[LabelledQuestion]":
    from paper_search.evaluation.runs import Label, LabelledQuestion
    from paper_search.persistence import open_persistence
    from paper_search.workflow.rounds import work_verdicts
    from paper_search.workflow.session import SearchSession

    async with open_persistence(config.persistence_url) as persistence:
        session = SearchSession.on(persistence, thread)
        state = await session.state()
        marks = await work_verdicts(state, session.records)
        works = await session.records.works(list(marks))
    labels = [Label(paper, marks[paper.id]) for paper in works]
    if not any(label.is_relevant for label in labels):
        raise InputError(f"thread {thread!r} has no paper that is marked relevant: screen it first")
    return [LabelledQuestion(state.question, labels)]


def _table(evaluations: "Iterable[Evaluation]") -> "Table":
    from paper_search.cli.tables import grid
    from paper_search.models.usage import money_in_words

    counts = ["Questions>", "Papers>", "Recall>", "Precision>", "nDCG@10>", "Calls>", "Tokens>"]
    rows = []
    for evaluation in evaluations:
        shares = (evaluation.recall, evaluation.precision, evaluation.ndcg)
        row = [evaluation.variant, evaluation.task, f"{evaluation.questions:,}"]
        row += [f"{evaluation.papers:,}"]
        row += ["-" if share is None else f"{share:.2f}" for share in shares]
        row += [f"{evaluation.spent.calls:,}", f"{evaluation.spent.tokens:,}"]
        rows.append([*row, money_in_words(evaluation.spent.money)])
    return grid(["Variant~", "Task~", *counts, "Cost>"], rows)


def _lines(evaluation: "Evaluation") -> Iterable[str]:
    from paper_search.models.source_report import quantity

    head = f"{evaluation.variant}, {evaluation.task}"
    if evaluation.problem:
        yield visible(f"{head}: ended early: {evaluation.problem}")
    if evaluation.unjudged:
        papers = quantity(evaluation.unjudged, "paper")
        why = "; ".join(evaluation.unjudged_because)
        yield visible(f"{head}: {papers} scored by words, not by the model: {why}")
    if evaluation.wrong:
        yield f"{head}: papers with the wrong outcome: {len(evaluation.wrong)}"
    for wrong in evaluation.wrong[:_WRONG_SHOWN]:
        yield visible(f"  {_wrong(wrong)}")
    if len(evaluation.wrong) > _WRONG_SHOWN:
        yield f"  and {len(evaluation.wrong) - _WRONG_SHOWN} more; --json has all"


def _wrong(wrong: "WrongPaper") -> str:
    verdict = "not found" if wrong.score is None else f"score {wrong.score:.2f}"
    label = "relevant" if wrong.is_relevant else "irrelevant"
    return f"{label}, {verdict}: {wrong.title[:_LONGEST_TITLE]}"
