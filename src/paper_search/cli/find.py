"""`paper-search find` and `paper-search report`: a new search, and a new report."""

import re
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli import options
from paper_search.cli.arrivals import contents_of, say_files, strategy_in
from paper_search.cli.audit import print_contributions
from paper_search.cli.console import (
    ProgressLine,
    UsageMistakeError,
    is_interactive,
    run,
    with_persistence,
)
from paper_search.cli.library import collection_files
from paper_search.cli.options import argument, budget_of, flag, option, settings
from paper_search.errors import ConfigError, InputError

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models import RawPaper
    from paper_search.persistence import Persistence


def find(  # noqa: PLR0913, PLR0917  # one for each option
    question: str | None = argument("QUESTION", "The question, in a sentence."),
    source: options.Source = None,
    strategy: Path | None = option(
        "FILE", "Search with the strategy in FILE, as a database prints it, instead of QUESTION."
    ),
    must_find: list[str] | None = option(
        "PAPER",
        "A paper the search must find: DOI, title, .bib file or zotero:COLLECTION; repeatable.",
    ),
    max_results: int | None = option("N", "Show at most N papers.", "--max", min=1, max=10_000),
    enrich: bool | None = flag(
        "--enrich/--no-enrich",
        "Look up missing abstracts, DOIs and open-access texts.",
        show_default="PAPER_SEARCH_ENRICH",
        default=None,
    ),
    budget: options.BudgetOption = None,
    max_iterations: int = option("N", "Stop after N answers.", min=1, max=100, default=5),
    yes: options.SkipReviews = False,
    no_strategy_review: bool = flag("--no-strategy-review", "Review the result only."),
    keep: options.Keep = False,
    format_name: options.Format = None,
    output: options.Output = None,
    force: options.Force = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Search the literature for a question.

    At a terminal you review the strategy and the result; the first time you also choose between
    public services and the library only. Without a terminal, the search stops at each question
    with exit code 3 and prints the command that continues, unless --yes.
    """
    from paper_search.cli.outputs import PaperOutput
    from paper_search.cli.runner import SearchRunner
    from paper_search.cli.stored_threads import NextCommands
    from paper_search.config import expand_sources
    from paper_search.workflow import SearchWorkflow

    topic = _question_of(question, strategy)
    target = PaperOutput.of_options(format_name, output, is_forced=force, is_json=as_json)
    config = settings(home, keep=keep)
    known = _known_papers(must_find or [], config, topic if strategy is not None else None)
    if source is None and not yes and not as_json and is_interactive():
        from paper_search.cli.source_lines import with_sources_chosen

        config = with_sources_chosen(config, home)
    progress = ProgressLine()
    workflow = SearchWorkflow.from_config(
        config,
        max_iterations=max_iterations,
        enable_strategy_checkpoint=not no_strategy_review,
        progress_reporter=progress,
        persistence=config.persistence_url,
        sources=expand_sources(source, config.keyed_sources) if source else None,
        max_results=max_results,
        must_find=known,
        enrich=enrich,
        budget=budget_of(budget),
    )
    thread_id = str(uuid.uuid4())
    again = (*target.options, *["--keep"] * keep)
    commands = NextCommands(thread_id, home, again)
    begin = workflow.run if yes else workflow.start
    runner = SearchRunner(config, workflow, progress, target, commands)
    runner.run(begin(topic, thread_id=thread_id), is_asking=not yes)


def _known_papers(values: list[str], config: "AppConfig", strategy: str | None) -> list[str]:
    """Return the papers of --must-find; print which lines of a strategy find them."""
    with collection_files(values, config) as files:
        names, records = known_papers([str(files.get(value, value)) for value in values])
    if strategy is not None:
        print_contributions(strategy, records)
    return names


def _question_of(question: str | None, file: Path | None) -> str:
    from paper_search.skills.intent.boolean_question import parse_boolean

    if (question is None) == (file is None):
        raise UsageMistakeError("give either QUESTION or --strategy FILE")
    if file is None:
        return question or ""
    text = strategy_in(file)
    if parse_boolean(text) is None:
        raise InputError(
            f"{str(file)!r} contains no search strategy: expected numbered lines as a database"
            " prints them, or one boolean query"
        )
    return text


def known_papers(values: list[str]) -> tuple[list[str], list["RawPaper"]]:
    """Return identifiers and titles, and the records in values that are files (.bib, .ris ...).

    Prints what was read from each file, and what was rejected.
    """
    from paper_search.review.files import parse_files

    if not all(map(str.strip, values)):
        raise InputError("--must-find is blank: give a DOI, a title, or a .bib file")
    files = list(dict.fromkeys(filter(_is_file_of_papers, values)))
    reports = parse_files(contents_of([Path(file) for file in files]))
    say_files(reports)
    records = {file: report.records for file, report in zip(files, reports, strict=True)}
    names: list[str] = []
    for value in values:
        names += map(_name_of, records[value]) if value in records else [" ".join(value.split())]
    return list(dict.fromkeys(names)), [record for part in records.values() for record in part]


def _is_file_of_papers(value: str) -> bool:
    from paper_search.library.importers import FORMATS

    suffixes = {".json", *(suffix for form in FORMATS.values() for suffix in form.suffixes)}
    name = value.lower().removesuffix(".gz")
    return Path(name).suffix in suffixes and not re.search(r"(?:^|[/:\s])10\.\d{4,9}/", value)


def _name_of(record: "RawPaper") -> str:
    arxiv = f"arXiv:{record.arxiv_id}" if record.arxiv_id and not record.doi else None
    pmid = f"pmid:{record.pmid}" if record.pmid and not record.doi else None
    return " ".join(filter(None, [record.title, record.doi, arxiv, pmid]))


def report(  # noqa: PLR0913, PLR0917  # one for each option
    question: str | None = argument("[QUESTION]", "The question, in a sentence."),
    from_thread: str | None = option("THREAD", "Use the papers of this finished search.", "--from"),
    source: list[str] | None = option(
        "NAME", "Search only this source, including web searches such as tavily; repeatable."
    ),
    depth: str | None = option("DEPTH", "quick, standard (default), comprehensive."),
    words: int | None = option("N", "Target length in words; default: 2000.", min=100),
    assignments: list[str] | None = option(
        "NAME=VALUE",
        "Any setting of a report, such as style_guide=executive or max_iterations=1; "
        "repeatable. PAPER_SEARCH_REPORT or `config set report` sets them for all.",
        "--set",
    ),
    pages: int | None = option(
        "N", "Read at most N web pages and open-access papers; 0: none.", min=0, max=100
    ),
    yes: options.SkipReviews = False,
    format_name: str | None = option(
        "FORMAT", "markdown, html, latex, json or docx; else by the name of --output.", "--format"
    ),
    output: options.Output = None,
    references: options.References = "plain",
    figures: options.Figures = None,
    budget: options.BudgetOption = None,
    force: options.Force = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Write a research report, in steps.

    It is planned, researched, written and reviewed. At a terminal you review the plan and the
    report. Without a terminal, it stops at each question with exit code 3 and prints the command
    that continues, unless --yes. Without a language model, the report consists of sentences from
    the sources.
    """
    from paper_search.cli.outputs import ReportOutput
    from paper_search.cli.runner import ReportRunner
    from paper_search.cli.stored_threads import NextCommands
    from paper_search.report_workflow import ReportParams, ReportWorkflow
    from paper_search.steps.parameters import parse_settings

    target = ReportOutput.of_options(
        format_name, output, references, has_figures=figures, is_forced=force, is_json=as_json
    )
    config, thread_id, progress = settings(home), str(uuid.uuid4()), ProgressLine()
    parameters = _parse_assignments(assignments or [])
    by_option = {
        "sources": source or None,
        "depth": depth,
        "target_length": words,
        "max_pages": pages,
        "budget": budget_of(budget),
        "from_thread": from_thread,
        "hitl_after_planning": not yes,
        "hitl_before_output": not yes,
    }
    parameters |= {name: value for name, value in by_option.items() if value is not None}
    try:
        parse_settings(ReportParams, parameters, "a report")
    except ConfigError as error:  # all settings here are options
        raise UsageMistakeError(str(error)) from None
    workflow = ReportWorkflow.from_config(
        config,
        progress_reporter=progress,
        persistence=config.persistence_url,
        **parameters,
    )
    begin = workflow.run if yes else workflow.start
    commands = NextCommands(thread_id, home, tuple(target.options))
    beginning = begin(_question_of_report(config, question, from_thread), thread_id=thread_id)
    runner = ReportRunner(config, workflow, progress, target, commands)
    runner.run(beginning, is_asking=not yes)


def _parse_assignments(assignments: list[str]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for setting in assignments:
        name, _, value = (part.strip() for part in setting.partition("="))
        if not (name and value):
            raise UsageMistakeError(f"--set {setting!r}: give NAME=VALUE, as in depth=quick")
        pairs[name] = value
    return pairs


def _question_of_report(config: "AppConfig", question: str | None, from_thread: str | None) -> str:
    """Return the question of a report; raise early if its search is not finished."""
    if from_thread is None:
        if question is None:
            raise UsageMistakeError("give QUESTION or --from THREAD")
        return question
    from paper_search.report.models import MAX_QUESTION_CHARS
    from paper_search.report_workflow.assembly import finished_collection
    from paper_search.workflow.session import SearchSession

    async def topic(persistence: "Persistence") -> str:
        await finished_collection(persistence, from_thread)
        text = question or (await SearchSession.on(persistence, from_thread).state()).question
        if question is None and len(text) > MAX_QUESTION_CHARS:  # such as a pasted strategy
            raise UsageMistakeError(
                f"the question of this search has {len(text):,} characters; a report allows "
                f"{MAX_QUESTION_CHARS:,}: give QUESTION as a sentence as well"
            )
        return text

    return run(with_persistence(config.persistence_url, topic))
