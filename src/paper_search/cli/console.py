"""Output: data to stdout, messages to stderr, and commands as they are typed here."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextvars import ContextVar
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import typer

from paper_search.bibliography.text import SURROGATES
from paper_search.errors import InputError, PaperSearchError, ThreadNotFoundError

if TYPE_CHECKING:
    import asyncio

    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    from paper_search.persistence import Persistence

T = TypeVar("T")

PIPE_WIDTH = 140
"""Width of a table that is not printed at a terminal."""

_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PROGRAM = "paper-search"
HOME: ContextVar[Path | None] = ContextVar("home", default=None)
"""The value of --home, for commands in messages."""
_SUGGESTION = re.compile(f"`{PROGRAM} ([^`]+)`")


def visible(value: object) -> str:
    """Return text on one line, with U+FFFD for characters that could control a terminal."""
    return _UNSAFE.sub("\ufffd", _BREAKS.sub(" ", str(value)))


def text(value: object, style: str = "") -> Text:
    """Return text for rich without interpreting markup."""
    from rich.text import Text

    return Text(visible(value), style=style)


def stderr_console() -> Console:
    return _console(sys.stderr)


def stdout_console() -> Console:
    return _console(sys.stdout)


def say(line: str) -> None:
    """Write a message to stderr, unwrapped, so that the commands in it can be copied."""
    typer.echo(with_commands(line), err=True)


def with_commands(line: str) -> str:
    """Complete the commands in backquotes with the program's path and --home.

    The layers below the command line, which write the messages, know neither.
    """
    home = HOME.get()
    options = "" if home is None else f" --home {shlex.quote(str(home))}"

    def complete(match: re.Match[str]) -> str:
        return f"`{program_name()} {match[1]}{'' if '--home ' in match[1] else options}`"

    return _SUGGESTION.sub(complete, line)


def wrap_items(parts: Sequence[str]) -> str:
    """Join items with two spaces, and break lines only between items."""
    width, lines = shutil.get_terminal_size().columns, [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) + len(" >  ") >= width:
            lines.append(part)
        else:
            lines[-1] += f"  {part}" if lines[-1] else part
    return "\n".join(lines)


def print_json(value: Any) -> None:
    import orjson

    try:
        print_text(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    except TypeError:  # half a surrogate, or an integer of more than 64 bits
        print_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_text(content: str | bytes) -> None:
    """Write a document to stdout: text as UTF-8, with its line endings."""
    if isinstance(content, str):
        content = SURROGATES.sub("\ufffd", content).encode()
    typer.echo(content, nl=False)


def is_terminal() -> bool:
    return sys.stdout.isatty()


def is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def run(work: Coroutine[Any, Any, T], runner: asyncio.Runner | None = None) -> T:
    """Run a coroutine and return its result; without `runner`, in a new event loop.

    The task itself has no result: Python 3.11 formats the task when it restores the handler of
    Ctrl-C, which is slow for a collection of some hundred papers.
    """
    import asyncio

    results: list[T] = []

    async def store() -> None:
        results.append(await work)

    (asyncio.run if runner is None else runner.run)(store())
    return results[0]


async def with_persistence(url: str, work: Callable[[Persistence], Awaitable[T]]) -> T:
    from paper_search.persistence import open_persistence

    async with open_persistence(url) as persistence:
        return await work(persistence)


def _console(file: TextIO) -> Console:
    from rich.console import Console

    width = None if file.isatty() else PIPE_WIDTH
    return Console(file=file, markup=False, emoji=False, highlight=False, width=width)


def program_name() -> str:
    """Return the command that starts this program in the way that it was started."""
    if Path(sys.argv[0]).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m paper_search"
    program, on_path = Path(sys.argv[0]), shutil.which(PROGRAM)
    is_path = program.stem == PROGRAM and program.parent != Path()
    if is_path and (on_path is None or Path(on_path).absolute() != program.absolute()):
        return shlex.quote(sys.argv[0])
    return PROGRAM


def pip_name() -> str:
    return "pip" if program_name() == PROGRAM else f"{shlex.quote(sys.executable)} -m pip"


def command_line(*words: str, home: Path | None = None, question: str | None = None) -> str:
    """Return a command line, quoted for a POSIX shell; a question may begin with a dash."""
    words += () if home is None else ("--home", str(home))
    if question is not None:
        words += ("--", question) if question.startswith("-") else (question,)
    return f"{program_name()} {shlex.join(words)}"


class ExitCode(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    WAITING = 3
    NOT_FOUND = 4
    INTERRUPTED = 130
    """128 + SIGINT, as shells count it."""


EXIT_CODES = """\b
Exit codes:
  0    done
  1    failed: the reason is on stderr
  2    wrong usage: an invalid name, option, question or decision
  3    the thread waits for a person; the command that continues is printed
  4    no such thread
  130  interrupted with Ctrl-C; the thread can be resumed
"""


class UsageMistakeError(InputError): ...


def exit_code(error: BaseException) -> ExitCode:
    if isinstance(error, ThreadNotFoundError):
        return ExitCode.NOT_FOUND
    return ExitCode.USAGE if isinstance(error, InputError) else ExitCode.FAILED


def explanation(error: Exception) -> str:
    if isinstance(error, PaperSearchError):
        return visible(" ".join(str(error).split()))
    return f"unexpected error, a bug in paper-search: {with_type(error)} (--debug shows where)"


def with_type(error: Exception) -> str:
    return visible(" ".join(f"{type(error).__name__}: {error}".split()))


class ProgressLine:
    def __init__(self) -> None:
        self._status: Status | None = None

    @contextlib.contextmanager
    def show(self) -> Iterator[None]:
        if not sys.stderr.isatty():
            yield
            return
        with stderr_console().status("starting") as status:
            self._status = status
            try:
                yield
            finally:
                self._status = None

    def __call__(self, _phase: str, details: dict[str, Any]) -> None:
        if self._status is not None and "title" in details:
            self._status.update(details["title"])


@contextlib.contextmanager
def import_progress(
    label: str, *, verb: str = "importing"
) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a progress bar for a `with` block if stderr is a terminal; yield its callback."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr_console(), transient=True) as progress:
        progress.console.print(text(f"{verb} {label}"))
        task = progress.add_task("", total=None)

        def on_progress(count: int, total: int | None) -> None:
            progress.update(task, completed=count, total=total)

        yield on_progress
