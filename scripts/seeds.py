# ruff: noqa: INP001  # a script, not a package
"""Names what the seed documents have and neither the program nor docs/seed-interfaces.md has.

`python scripts/seeds.py FOLDER` prints a line for each: modules, classes, functions, fields,
defaults, constants, settings and variables, from the documents' code blocks and tables. Exit 1:
there are some.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import paper_search

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "seed-interfaces.md"

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^\| `([A-Za-z_]\w*)` \|(.*)$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
EXAMPLES = re.compile(r"step_\w+|my_\w+|SKILL_MODULES|WORKFLOW|test_\w+")
"""Names that the documents' examples give to things of their reader's own."""
HOMES = {
    "skills.lib.workflow": "paper_search.steps",
    "skills.": None,  # an example of a reader's own module
}


class Program:
    """What the modules of the program define, by name."""

    def __init__(self) -> None:
        self.classes: dict[str, list[type]] = {}
        self.names: set[str] = set()
        for found in pkgutil.walk_packages(paper_search.__path__, "paper_search."):
            if found.name.endswith("__main__"):
                continue
            module = importlib.import_module(found.name)
            for name, value in vars(module).items():
                self.names.add(name)
                if isinstance(value, type) and value.__module__.startswith("paper_search"):
                    self.classes.setdefault(name, []).append(value)
        for path in (ROOT / "src").rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            self.names |= {node.name for node in ast.walk(tree) if isinstance(node, defined)}
            self.names |= {
                node.target.id
                for node in ast.walk(tree)
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            }
            self.names |= {
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }

    def has_field(self, owner: str, name: str) -> bool:
        """Return whether a class of the owner's name has the field."""
        return any(
            hasattr(kind, name)
            or name in getattr(kind, "__annotations__", {})
            or name in getattr(kind, "model_fields", {})
            for kind in self.classes.get(owner, [])
        )

    def defaults(self, owner: str, name: str) -> list[Any]:
        """Return the defaults of a field, one for each class of the owner's name that has one."""
        return [
            value
            for kind in self.classes.get(owner, [])
            for value in _defaults(kind, name)
            if isinstance(value, (str, int, float, bool))
        ]


def _defaults(kind: type, name: str) -> Iterator[Any]:
    model_fields = getattr(kind, "model_fields", {})
    if name in model_fields:
        yield model_fields[name].default
    elif dataclasses.is_dataclass(kind):
        yield from (field.default for field in dataclasses.fields(kind) if field.name == name)


def missing(folder: Path) -> list[str]:
    """Return a line for each name of the documents that is neither in the program nor on the page.

    Args:
        folder: with the documents, as Markdown.
    """
    program, page = Program(), set(_words(PAGE.read_text(encoding="utf-8")))
    lines: list[str] = []
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for kind, name, default in _names(text):
            owner, _, field = name.partition(".")
            is_own_class = bool(field) and owner in program.classes
            if EXAMPLES.fullmatch(name) or {name, *([] if is_own_class else [owner, field])} & page:
                continue
            if problem := _problem(program, kind, name, default):
                lines.append(f"{path.stem[:3]}: {kind} {name} {problem}")
    return list(dict.fromkeys(lines))


def _words(page: str) -> Iterator[str]:
    for quoted in QUOTED.findall(page):
        yield quoted
        yield from re.findall(r"[\w.]+", quoted)


def _names(text: str) -> Iterator[tuple[str, str, Any]]:
    """Yield kind, name and default of what a document defines; no default: None."""
    for language, body in BLOCK.findall(text):
        if language == "python":
            yield from _code_names(textwrap.dedent(body))
    for name, rest in ROW.findall(text):
        cells = [cell.strip() for cell in rest.split("|")]
        default = QUOTED.findall(cells[1]) if len(cells) > 2 else []  # noqa: PLR2004  # type, default, text
        yield "name", name, _literal(default[0]) if default else None


def _code_names(body: str) -> Iterator[tuple[str, str, Any]]:
    try:
        tree = ast.parse(body)
    except SyntaxError:  # a signature without a body, a comment in place of code
        yield from (("function", name, None) for name in re.findall(r"def (\w+)\(", body))
        return
    for node in tree.body:
        match node:
            case ast.ClassDef():
                yield "class", node.name, None
                yield from _members(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield "function", node.name, None
            case ast.Assign(targets=[ast.Name(id=name)]) if name.isupper():
                yield "constant", name, None
            case ast.ImportFrom(module=str(module), level=0):
                yield from _imports(module, node.names)


def _members(owner: ast.ClassDef) -> Iterator[tuple[str, str, Any]]:
    for node in owner.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield "field", f"{owner.name}.{name}", _stated_default(node.value)
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield "field", f"{owner.name}.{name}", None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if not name.startswith("__"):
                    yield "field", f"{owner.name}.{name}", None


def _imports(module: str, names: list[ast.alias]) -> Iterator[tuple[str, str, Any]]:
    for prefix, home in HOMES.items():
        if module.startswith(prefix):
            if home is None:
                return
            module = home + module.removeprefix(prefix)
            break
    if module.startswith("paper_search"):
        yield from (("import", f"{module}.{alias.name}", None) for alias in names)


def _stated_default(value: ast.expr | None) -> Any:
    """Return the literal default of a field; None: it has none, or one that is made."""
    match value:
        case ast.Call(args=[ast.Constant(value=default)]):
            return default if default is not Ellipsis else None
        case ast.Call(keywords=keywords):
            stated = {item.arg: item.value for item in keywords}
            return _stated_default(stated.get("default"))
        case ast.Constant(value=default):
            return default
    return None


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def _problem(program: Program, kind: str, name: str, default: Any) -> str:
    """Return what is wrong with a name, as the rest of a line; empty: nothing is."""
    if kind == "import":
        module, _, attribute = name.rpartition(".")
        try:
            has_it = hasattr(importlib.import_module(module), attribute)
        except ImportError:
            has_it = False
        return "" if has_it else "cannot be imported"
    if kind == "field":
        owner, _, field = name.partition(".")
        if not program.has_field(owner, field):
            return "is missing"
        others = [value for value in program.defaults(owner, field) if value != default]
        wrong = default is not None and others and default not in program.defaults(owner, field)
        return f"is {others[0]!r}, the document has {default!r}" if wrong else ""
    return "" if name in program.names else "is missing"


if __name__ == "__main__":
    problems = missing(Path(sys.argv[1]))
    print("\n".join(problems))  # noqa: T201  # its output
    sys.exit(bool(problems))
