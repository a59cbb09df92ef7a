"""Questions at the terminal: a prompt loop, an editor and a pager."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from paper_search.cli.console import is_interactive, say, stderr_console, visible, wrap_items
from paper_search.errors import InvalidDecisionError, PaperSearchError

if TYPE_CHECKING:
    from rich.console import Console

    from paper_search.threads.questions import Question

T = TypeVar("T")

PAGE_PROMPT = "[m]ore  [b]ack > "
_PROMPT_LINES = 2
"""Lines of the window for the prompt and the reply."""
_PROBLEM = "#! "


class QuitError(Exception):
    """The person leaves the question open."""


class EditorError(PaperSearchError):
    """The editor cannot be started or failed."""


class Terminal:
    def ask(self, prompt: str) -> str:
        """Return the reply, stripped; QuitError for Ctrl-D."""
        while True:
            try:
                return self._line(prompt).strip()
            except EOFError:
                say("")
                raise QuitError from None
            except UnicodeDecodeError:
                say("that is not UTF-8; please type it again")

    def _line(self, prompt: str) -> str:
        if sys.stdout.isatty():
            with contextlib.suppress(ImportError):  # not on Windows
                import readline  # noqa: F401  # gives `input` its line editing
            return input(prompt)
        sys.stderr.write(prompt)
        sys.stderr.flush()
        return input()


@dataclass(frozen=True)
class Choice:
    key: str
    word: str
    help: str
    run: Callable[[str], Any]
    """Called with the words after the key; returns a decision, or None to ask again."""
    takes_words: bool = False
    """Whether words may follow; "approve please" is not an approval."""
    menu: str | None = None
    """Text in the prompt; None: the word with its key in brackets; empty: only in the help."""

    @property
    def offer(self) -> str:
        return self.word.replace(self.key, f"[{self.key}]", 1) if self.menu is None else self.menu


def answer(question: Question, action: str, note: str = "", data: Any = None) -> dict[str, Any]:
    """Return a decision in the form common to all graphs."""
    return {"action": action, "note": note or None, "revised_data": data, "token": question.token}


def approval(question: Question, text: str) -> Choice:
    return Choice("a", "approve", text, lambda _: answer(question, "approve"))


def rejection(terminal: Terminal, question: Question, text: str, ask: str, menu: str) -> Choice:
    """Return the choice to reject; `ask` is the prompt for a note that is missing."""

    def reject(words: str) -> dict[str, Any]:
        return answer(question, "reject", words or terminal.ask(ask))

    return Choice("x", "reject", text, reject, True, menu)


def decide(terminal: Terminal, choices: Sequence[Choice]) -> Any:
    def show_help(_words: str) -> None:
        for choice in every:
            say(f"  {choice.key + (' ...' if choice.takes_words else ''):<10}{choice.help}")

    def leave(_words: str) -> None:
        raise QuitError

    every = [
        *choices,
        Choice("h", "help", "show this list", show_help),
        Choice("q", "quit", "quit; the question stays open", leave),
    ]
    menu = wrap_items([choice.offer for choice in every if choice.offer]) + " > "
    while True:
        try:
            decision = run_choice(terminal.ask(menu), every)
        except InvalidDecisionError as error:
            say(visible(error))
        else:
            if decision is not None:
                return decision


def run_choice(line: str, choices: Sequence[Choice]) -> Any:
    word, _, rest = line.strip().partition(" ")
    name = "h" if word == "?" else word.lower()
    choice = next((choice for choice in choices if name in {choice.key, choice.word}), None)
    if choice is None:
        keys = ", ".join(choice.key for choice in choices)
        raise InvalidDecisionError(f"{visible(word)!r} is none of: {keys}")
    if rest.strip() and not choice.takes_words:
        raise InvalidDecisionError(
            f"{visible(line)!r} is not a command: nothing may follow {choice.word!r}; "
            f"to do it, type only {choice.key}"
        )
    return choice.run(rest.strip())


def edit(
    terminal: Terminal, editor: str | None, form: str, name: str, parse: Callable[[str], T | None]
) -> T | None:
    """Open a text in an editor until it can be parsed; None if nothing was changed.

    `editor`: the command with its options, as in VISUAL or EDITOR; `name`: of the file. `parse`
    returns the content of the text, or None if nothing was changed.
    """
    if editor is None:
        say("no editor: set EDITOR, or edit on the page that `paper-search review` opens")
        return None
    while True:
        try:
            lines = _run_editor(form, editor, name).splitlines(keepends=True)
            form = "".join(line for line in lines if not line.startswith(_PROBLEM))
            content = parse(form)
        except EditorError as error:
            say(str(error))
            return None
        except InvalidDecisionError as error:
            say(visible(error))
            form = f"{_PROBLEM}{visible(error)}\n{form}"
            if terminal.ask("[e]dit again  [b]ack > ").lower() in {"b", "back"}:
                say("nothing changed")
                return None
        else:
            if content is None:
                say("nothing changed")
            return content


def _run_editor(form: str, editor: str, name: str) -> str:
    with tempfile.TemporaryDirectory(prefix="paper-search-") as directory:
        path = Path(directory) / name
        path.write_text(form, encoding="utf-8")
        try:
            code = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode  # noqa: S603  # the person's own editor
            if code:
                raise EditorError(f"the editor {editor!r} failed with code {code}; nothing changed")
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise EditorError(f"the editor {editor!r} cannot be used: {error}") from error


@contextlib.contextmanager
def pager(terminal: Terminal) -> Iterator[Console]:
    """Print what the block writes to the console, one window at a time."""
    console = stderr_console()
    with console.capture() as capture:
        yield console
    lines = capture.get().splitlines(keepends=True)
    rows = shutil.get_terminal_size().lines
    size = max(1, rows - _PROMPT_LINES) if is_interactive() else len(lines)
    while lines:
        console.file.write("".join(lines[:size]))
        console.file.flush()
        lines = lines[size:]
        if lines and terminal.ask(PAGE_PROMPT).lower() in {"b", "back"}:
            return
