"""`paper-search resume` and `judge`: continue a thread that waits or stopped."""

from pathlib import Path

import typer

from paper_search.cli import options
from paper_search.cli.console import ExitCode, ProgressLine, print_json, run, say, visible
from paper_search.cli.options import budget_of, flag, option, settings


def resume(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: options.Thread,
    approve: options.Approve = False,
    edit: Path | None = option(
        "FILE", "Answer with the JSON in FILE ('-': stdin): a strategy, feedback, or a decision."
    ),
    reject: str | None = option("NOTE", "Reject with a reason."),
    relevant: str | None = option("IDS", "Mark papers as relevant: ids or numbers, with commas."),
    irrelevant: str | None = option(
        "IDS", "Mark papers as irrelevant: ids or numbers, with commas."
    ),
    reason: str | None = option("WORDS", "Why the papers are irrelevant; exports include it."),
    same: str | None = option("PAIRS", 'Numbers of "same work?" pairs that are one work.'),
    different: str | None = option("PAIRS", 'Numbers of "same work?" pairs that are two works.'),
    split: str | None = option("IDS", "Split merged papers: ids or numbers."),
    wait: bool = flag("--wait", "Wait for slow sources, and add what they find to this result."),
    note: str | None = option("WORDS", "Say what to look for next, or to change in a report."),
    skip: bool = flag("--skip", "Continue a report without a decision."),
    token: options.Token = None,
    budget: options.BudgetOption = None,
    keep: options.Keep = False,
    format_name: options.Format = None,
    output: options.Output = None,
    references: options.References = "plain",
    figures: options.Figures = None,
    force: options.Force = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Answer the question of a thread, or continue one that stopped.

    With a decision, it runs to the next question or the end. Without one, you are asked at a
    terminal; without a terminal, the open question is shown and the exit code is 3. Marks or a
    note without --approve start another round. The commands that are printed name their question
    by --token; without it, an answer that may be for an earlier question is refused.

    In a report, --approve, --edit, --note, --reject and --skip answer the question.
    """
    from paper_search.cli.answers import Answer, load_document
    from paper_search.cli.outputs import PaperOutput, ReportOutput
    from paper_search.cli.runner import ReportRunner, SearchRunner
    from paper_search.cli.stored_threads import (
        NextCommands,
        is_report,
        load_report,
        load_search,
        set_budget,
    )

    config, limit, progress = settings(home, keep=keep), budget_of(budget), ProgressLine()
    marks = (relevant, irrelevant, reason, same, different, split, wait)
    answer = Answer(approve, load_document(edit), reject, note, token, skip, *marks)
    if run(is_report(config.persistence_url, thread)):
        answer.check_for_report()
        options.refuse_others(ctx, is_report=True)
        target = ReportOutput.of_options(
            format_name, output, references, has_figures=figures, is_forced=force, is_json=as_json
        )
        report = run(load_report(config, thread, progress))
        set_budget(config, thread, limit)
        commands = NextCommands(thread, home, tuple(target.options))
        ReportRunner(config, report, progress, target, commands).resume(answer)
        return
    answer.check_for_search()
    options.refuse_others(ctx, is_report=False)
    papers = PaperOutput.of_options(format_name, output, is_forced=force, is_json=as_json)
    search = run(load_search(config, thread, progress))
    set_budget(config, thread, limit)
    commands = NextCommands(thread, home, (*papers.options, *["--keep"] * keep))
    SearchRunner(config, search, progress, papers, commands).resume(answer)


def judge(
    thread: options.Thread,
    unjudged: bool = flag("--unjudged", "Only papers that no model has judged."),
    budget: options.BudgetOption = None,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Have the model judge papers of a search.

    No source is searched again. The open question stays open, with its papers in the new order.
    Verdicts that the model has already given by the same criteria cost nothing.
    """
    from paper_search.cli.stored_threads import NextCommands, load_search, set_budget

    config = settings(home)
    set_budget(config, thread, budget_of(budget))
    workflow = run(load_search(config, thread, ProgressLine()))
    report = run(workflow.judge(thread, is_all=not unjudged))
    if as_json:
        print_json({"thread_id": thread, **report.model_dump(mode="json")})
    else:
        count = report.papers - sum(report.unjudged.values())
        say(f"papers judged: {count} of {report.papers}; looked at now: {report.asked}")
    if report.summary is not None:
        again = NextCommands(thread, home).command("judge", *report.options)
        say(visible(f"{report.summary}; `{again}` asks again"))
    if report.is_failure:
        raise typer.Exit(ExitCode.FAILED)
