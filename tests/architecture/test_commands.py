"""Every command that the program names to a person is one that it has."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer
from tests.architecture.tree import nodes, shipped_modules, shown
from typer.main import get_command

from paper_search.cli.app import app

_NAMED = re.compile(r"paper-search((?: --?[\w-]+| [\w{}-]+)+)")
_BUILDERS = {"command_line", "self.command", "commands.command", "self._commands.command"}
_PROSE = {"reads"}
"""Words that follow the name of the program in a sentence."""
_FORMATTED = "{}"
_UsageError: Any = typer.BadParameter.__bases__[0]


def words_of(path: Path) -> Iterator[list[str]]:
    """Give the words after `paper-search` wherever a text of a module names a command."""
    docstrings = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    inside = {
        id(part)
        for node in nodes(path)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in nodes(path):
        text = _text(node)
        if id(node) in inside or "paper-search" not in text:
            continue
        for found in _NAMED.finditer(text):
            # In a docstring the name of the program may begin a sentence's own words.
            if id(node) in docstrings and text[found.start() - 1] != "`":
                continue
            words = found.group(1).split()
            if words[0] not in _PROSE and words[0] != _FORMATTED:
                yield words


def _text(node: ast.AST) -> str:
    """Return a text with its formatted parts as {}; nothing for other nodes."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else _FORMATTED
            for part in node.values
        )
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text else ""  # type: ignore[attr-defined]  # is_text says so


def built_commands(path: Path) -> Iterator[list[str]]:
    """Give the literal words of each command line that a module builds."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _BUILDERS:
            given = [arg for arg in node.args if isinstance(arg, ast.Constant)]
            yield [str(member.value) for member in given]


@cache
def _program() -> Any:
    return get_command(app)


def mistake(words: list[str], *, is_whole: bool = True) -> str | None:
    """Return what is wrong with a command; None: nothing.

    Args:
        words: of the command; a name without options is a name only.
        is_whole: whether nothing follows the words.
    """
    command: Any = _program()
    rest = list(words)
    while (known := getattr(command, "commands", None)) and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        if name not in known:
            return f"there is no command {name!r}"
        command = known[name]
    options = {item for param in command.params for item in (*param.opts, *param.secondary_opts)}
    unknown = [word for word in rest if word.startswith("-") and word not in options]
    if unknown:
        return f"{' '.join(words)!r} has no options {unknown}"
    if not rest or not is_whole:
        return None
    try:
        command.make_context(words[0], rest, resilient_parsing=False)
    except _UsageError as error:
        if type(error) is typer.BadParameter:  # a word that stands for a file or a number
            return None
        return f"{' '.join(words)!r}: {error.format_message()}"
    return None


def test_every_command_that_a_text_names_exists():
    wrong = [
        f"{shown(path)}: {problem}"
        for path in shipped_modules()
        for words, is_whole in [
            *((words, True) for words in words_of(path)),
            *((words, False) for words in built_commands(path)),
        ]
        if (problem := mistake(words, is_whole=is_whole))
    ]
    assert wrong == []


def test_the_texts_that_name_commands_are_found():
    named = {words[0] for path in shipped_modules() for words in words_of(path)}
    assert {"fork", "report", "resume", "threads", "library"} <= named
    built = {words[0] for path in shipped_modules() for words in built_commands(path) if words}
    assert {"resume", "judge", "screen"} <= built
