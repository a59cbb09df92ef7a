"""Exit codes, and what a person gets to read when something fails."""

from __future__ import annotations

from enum import IntEnum

from paper_search.errors import InputError, PaperSearchError, ThreadNotFoundError


class ExitCode(IntEnum):
    """What the process says to the shell."""

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


class UsageMistakeError(InputError):
    """Options that do not go together."""


def exit_code(error: BaseException) -> ExitCode:
    """Return the exit code of an error."""
    match error:
        case ThreadNotFoundError():
            return ExitCode.NOT_FOUND
        case InputError():
            return ExitCode.USAGE
        case _:
            return ExitCode.FAILED


def explanation(error: Exception) -> str:
    """Return the one line that says what went wrong."""
    if isinstance(error, PaperSearchError):
        return " ".join(str(error).split())
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"unexpected error, a bug in paper-search: {text} (--debug shows where)"
