"""Regular expressions: none of ours can be made to run for ever (SEC-17)."""

import ast
import functools
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.architecture.tree import nodes, parsed, shipped_modules, shown

import paper_search

LENGTH = 50_000
CPU_S = 1.0
"""For one pattern on one text: an honest one takes 0.1 s at most, a quadratic one many seconds."""
PIECES = (
    "a ", "a-", "(a", "0.", "10.1/", " \n", "[@", "Aa, 2019 ", "et al. ", "\\cite{", "[1,", "((A",
    "(Aa ", "1,", "[@a;", "“a ", "**", "a. ", "1 ", "Aa and ", " - ", "http://", "[Aa", "A",
    "2019a", ". A", "\n\n",
)  # fmt: skip
"""What hostile texts repeat, besides what a pattern itself has."""
CALLS = {"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"}

TRY = r"""
import json, re, signal, sys, time

patterns, pieces, length, cpu_s = json.load(sys.stdin)


def give_up(*_):
    raise TimeoutError


def is_slow(pattern, is_anchored, text):
    for use in [pattern.fullmatch, pattern.match if is_anchored else lambda x: pattern.sub("", x)]:
        signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)  # of this process: others do not count
        try:
            begun = time.process_time()
            use(text[: length // 20] + text[-2:])
            if time.process_time() - begun > cpu_s / 400:  # a quadratic one takes that, or more
                use(text)
        except TimeoutError:
            return True
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


def hostile(pattern):
    plain = re.sub(r"\\.|[\[\](){}?*+^$|]", "", pattern)
    letters = dict.fromkeys(" a0\n(-.\u0301" + plain[:6])
    for seed in [*letters, *pieces, plain[:40] or "a"]:
        text = (seed * (length // len(seed) + 1))[:length]
        yield text
        yield text + "\x00!"


signal.signal(signal.SIGVTALRM, give_up)
slow = {}
for text, flags, is_anchored in patterns:
    compiled = re.compile(text, flags)
    found = next((bad for bad in hostile(text) if is_slow(compiled, is_anchored, bad)), None)
    if found is not None:
        slow[text] = found[:20] + "..." + found[-3:]
print(json.dumps(slow))
"""


class Written(NamedTuple):
    """A pattern: its text, its flags, and whether it is only ever tried at the beginning."""

    text: str
    flags: int
    is_anchored: bool


def written_patterns() -> Iterator[tuple[str, Written]]:
    """Return the place of every pattern that stands in our source, and the pattern."""
    for path in shipped_modules():
        tree = parsed(path)
        for node in nodes(path):
            if isinstance(node, ast.Call) and _is_of_re(node.func) and node.args:
                text = _literal(node.args[0])
                if text is not None:
                    is_anchored = _uses(tree, node) <= {"match", "fullmatch"}
                    yield shown(path, node), Written(text, _flags(node), is_anchored)


def kept_patterns() -> Iterator[tuple[str, Written]]:
    """Return the patterns that modules put together and keep."""
    for module in pkgutil.walk_packages(paper_search.__path__, "paper_search."):
        if module.name.endswith("__main__") or ".testing" in module.name:
            continue
        loaded = importlib.import_module(module.name)
        tree = parsed(Path(loaded.__file__ or ""))
        for name, value in vars(loaded).items():
            for item in value if isinstance(value, tuple | list) else [value]:
                if isinstance(item, re.Pattern) and isinstance(item.pattern, str):
                    is_anchored = _uses_of(tree, name) <= {"match", "fullmatch"}
                    flags = item.flags & ~re.UNICODE
                    yield f"{module.name}.{name}", Written(item.pattern, flags, is_anchored)


def _uses(tree: ast.Module, call: ast.Call) -> set[str]:
    """Return the methods that are called on what a call of `re` makes."""
    if isinstance(call.func, ast.Attribute) and call.func.attr != "compile":
        return {call.func.attr}
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.value is call:
            (name,) = node.targets
            return _uses_of(tree, name.id) if isinstance(name, ast.Name) else {"search"}
    return {"search"}


def _uses_of(tree: ast.Module, name: str) -> set[str]:
    """Return the methods that a module calls on a name; `search` where it is passed on."""
    loaded = [
        parent
        for node, parent in _names(tree)
        if node.id == name and isinstance(node.ctx, ast.Load)
    ]
    is_called = all(isinstance(node, ast.Attribute) for node in loaded) and bool(loaded)
    return {getattr(item, "attr", "search") for item in loaded} if is_called else {"search"}


@functools.cache
def _names(tree: ast.Module) -> list[tuple[ast.Name, ast.AST]]:
    """Return the names of a module, each with the node that it is in."""
    children = ((child, node) for node in ast.walk(tree) for child in ast.iter_child_nodes(node))
    return [(child, node) for child, node in children if isinstance(child, ast.Name)]


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in CALLS
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )


def _literal(node: ast.expr) -> str | None:
    """Return a literal; None: the pattern is put together."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _flags(call: ast.Call) -> int:
    named = [getattr(re, e.attr, None) for e in ast.walk(call) if isinstance(e, ast.Attribute)]
    return sum({int(item) for item in named if isinstance(item, re.RegexFlag)})


def every_pattern() -> dict[Written, str]:
    found = [*kept_patterns(), *written_patterns()]
    return {pattern: place for place, pattern in found}


def slow_ones(found: list[Written]) -> dict[str, str]:
    """Return the patterns that take too long, each with a text that does it."""
    finished = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", TRY],
        input=json.dumps([found, PIECES, LENGTH, CPU_S]),
        capture_output=True,
        text=True,
        check=True,
        timeout=250,
    )
    slow: dict[str, str] = json.loads(finished.stdout)
    return slow


def test_a_pattern_that_hangs_would_be_seen__sec_17():
    hanging = [r"(a+)+$", r"\s+$"]
    slow = slow_ones([Written(item, 0, is_anchored=False) for item in [*hanging, "[a-z]+"]])
    assert list(slow) == hanging


@pytest.mark.slow
def test_no_pattern_of_ours_hangs_on_50_000_hostile_characters__sec_17():
    found = every_pattern()
    assert len(found) > 100
    slow = slow_ones(list(found))
    places = {pattern.text: place for pattern, place in found.items()}
    assert {places[text]: (text, seed) for text, seed in slow.items()} == {}
