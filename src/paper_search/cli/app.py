"""The command tree, with one-line messages for its errors."""

import contextlib
import errno
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from paper_search.cli import (
    arrivals,
    audit,
    config,
    evaluation,
    find,
    graph,
    library,
    reconcile,
    resume,
    screen,
    serve,
    sources,
    threads,
    usage,
)
from paper_search.cli.console import EXIT_CODES, ExitCode, exit_code, explanation, say
from paper_search.cli.options import GlobalOptions, Home, flag
from paper_search.errors import PaperSearchError


class CommandTree(TyperGroup):
    """Turns what any command raises into a one-line message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except typer.TyperException as error:
            error.message = error.message.removeprefix("Value error, ")  # pydantic's
            raise
        except PaperSearchError as error:
            _fail(ctx, error)
        except KeyboardInterrupt:
            typer.echo("\ninterrupted", err=True)
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            _fail(ctx, error)


def _fail(ctx: Any, error: Exception) -> NoReturn:
    if isinstance(ctx.obj, GlobalOptions) and ctx.obj.is_debugging:
        raise error
    say(f"paper-search: {explanation(error)}")
    raise typer.Exit(exit_code(error)) from error


app = typer.Typer(
    name="paper-search",
    cls=CommandTree,
    help="Search the scholarly literature with a person in the loop.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich takes longer to import than the whole of --help may take
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


def _version(is_wanted: bool) -> None:
    if is_wanted:
        from paper_search import __version__

        typer.echo(f"paper-search {__version__}")
        raise typer.Exit


@contextlib.contextmanager
def _show_logs() -> Iterator[None]:
    """Show logs until the command ends; callers from Python may replace stderr before the next."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@app.callback()
def set_global_options(
    ctx: typer.Context,
    home: Home = None,
    debug: bool = flag("--debug", "Show logs and tracebacks."),
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version  # handled by its callback
    ctx.obj = GlobalOptions(home=home, is_debugging=debug)
    if debug:
        ctx.with_resource(_show_logs())


app.command("find")(find.find)
app.command("report")(find.report)
app.command("threads")(threads.threads)
app.command("show")(threads.show)
app.command("resume")(resume.resume)
app.command("screen")(screen.screen)
app.command("add")(arrivals.add)
app.command("update")(arrivals.update)
app.command("fulltext")(arrivals.fulltext)
app.command("share")(reconcile.share)
app.command("reconcile")(reconcile.reconcile)
app.command("judge")(resume.judge)
app.command("export")(threads.export)
app.command("audit")(audit.audit)
app.command("strategy")(audit.strategy)
app.command("fork")(threads.fork)
app.command("eval")(evaluation.evaluate)
app.command("usage")(usage.usage)
app.command("delete")(threads.delete)
app.command("prune")(threads.prune)
app.command("backup")(threads.backup)
app.command("restore")(threads.restore)
app.add_typer(library.library, name="library")
app.command("sources")(sources.sources)
app.add_typer(config.config, name="config")
app.command("review")(serve.review)
app.command("serve")(serve.serve)
app.command("mcp")(serve.mcp)
app.command("doctor")(sources.doctor)
app.add_typer(graph.graph, name="graph")
