# ruff: noqa: INP001  # a script, not a package
"""Names what the seed documents have and neither the program nor docs/seed-interfaces.md has.

`python scripts/seeds.py FOLDER` prints a line for each: modules, classes, functions, parameters,
fields, defaults, constants, settings, variables, commands and rules, from the documents' code
blocks, tables and lists. Exit 1: there are some.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib
import inspect
import pkgutil
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import paper_search

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "seed-interfaces.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^\|(.+)\|[ \t]*$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
SECTION = re.compile(r"^#+ (?:\d+\. )?(.+?)\n(.*?)(?=^#+ |\Z)", re.DOTALL | re.MULTILINE)
LISTED = re.compile(r"^(?:\d+\.|-) (?!\*\*INVARIANT)\S", re.MULTILINE)
RULE_SECTIONS = {"Decision Semantics", "Edge Cases", "Workflow Validation", "Invariants"}
RULE_ID = re.compile(
    r"\(?(?<=[( ])((?:REQ|PROP)-\d+)(?=\)| \|)|^\| (C\d+) \||\*\*(INVARIANT \d+)\*\*", re.MULTILINE
)
CALL = re.compile(r"\b(_?[a-z]+_\w+)\(")
"""In prose: a call of a function whose name cannot be a word."""
FILE = re.compile(r"`(?:tests/)?((?:src|test_workflow|workflow)/[\w/]+\.py)`")
COMMAND = re.compile(r"^(?:\.venv/\w+/)?pytest\b.*?(?=\s+#|$)", re.MULTILINE)
EXAMPLES = re.compile(
    r"(model_validate|step_\w+|my_\w+|SKILL_MODULES|WORKFLOW|test_\w+|handler)\b.*"
)
"""Names that the documents' examples give to things of their reader's own."""
HOMES = {"skills.lib.workflow": "paper_search.steps", "skills.": None}
"""Modules of the documents to ours; None: an example of a reader's own."""
SETTINGS_MODEL = "ReportParams"
"""Has the settings that a table of a document lists with type and default."""
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
MIN_REASON_WORDS = 4
UNSTATED = object()
"""In place of a value that a document does not state, or that is made by code."""


class Item(NamedTuple):
    """One thing that a document names."""

    kind: str
    name: str
    """`Owner.field` for what belongs to a class, `function.parameter` for a parameter."""
    value: Any = UNSTATED


class Program:
    """What the modules of the program define, by name."""

    def __init__(self) -> None:
        self.classes: dict[str, list[type]] = {}
        self.values: dict[str, list[Any]] = {}
        self.parameters: dict[str, list[dict[str, Any]]] = {}
        self.texts: set[str] = set()
        for module in pkgutil.walk_packages(paper_search.__path__, "paper_search."):
            if not module.name.endswith("__main__"):
                for name, value in vars(importlib.import_module(module.name)).items():
                    self.values.setdefault(name, []).append(value)
                    if isinstance(value, type) and value.__module__.startswith("paper_search"):
                        self.classes.setdefault(name, []).append(value)
        for path in (ROOT / "src").rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for item in _code_names(tree.body):
                owner, _, parameter = item.name.rpartition(".")
                name, values = item.name, {}
                if item.kind == "parameter":
                    name, values = owner, {parameter: item.value}
                for known in {name, name.rpartition(".")[2]}:  # a document may print a method alone
                    self.parameters.setdefault(known, []).append(values)
            nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
            self.texts |= {node.value for node in nodes if isinstance(node.value, str)}
        tests = (ROOT / "tests").rglob("*.py")
        self.tests = "\n".join(path.read_text(encoding="utf-8") for path in tests)

    def problem(self, item: Item) -> str:
        """Return what is wrong with an item, as the rest of a line; empty: nothing is."""
        owner, _, name = item.name.rpartition(".")
        match item.kind:
            case "import":
                return "" if _can_import(owner, name) else "cannot be imported"
            case "module" | "command":
                paths = re.findall(r"[\w/]*/[\w/.]*", item.name)
                roots = (ROOT, ROOT / "tests", ROOT / "src" / "paper_search")
                is_there = all(any((root / path).exists() for root in roots) for path in paths)
                return "" if is_there else "has no such path here"
            case "rule":
                pattern = rf"\b{re.escape(item.name)}\b"
                return "" if re.search(pattern, self.tests) else "has no test that names it"
            case "field":
                values = [
                    found for kind in self.classes.get(owner, []) for found in _values(kind, name)
                ]
            case "parameter":
                cls, _, method = owner.rpartition(".")
                live = [getattr(kind, method, None) for kind in self.classes.get(cls, [])]
                live += self.values.get(owner, [])
                functions = [*map(_taken, live), *self.parameters.get(owner, [])]
                values = [taken[name] for taken in functions if name in taken]
                values += [
                    found for kind in self.classes.get(cls, []) for found in _values(kind, name)
                ]
            case "function":
                values = [UNSTATED] * (item.name in self.parameters or item.name in self.values)
            case "class":
                values = list(self.classes.get(item.name, []))
            case _:
                values = self.values.get(item.name, []) or [UNSTATED] * (item.name in self.texts)
        if not values:
            return "is missing"
        stated = [value for value in values if value is not UNSTATED]
        if (
            item.value is UNSTATED
            or not stated
            or any(_equal(value, item.value) for value in stated)
        ):
            return ""
        return f"is {stated[0]!r}, the document has {item.value!r}"


def _equal(ours: Any, theirs: Any) -> bool:
    """Return whether two values say the same, whatever their containers are."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        return set(ours) == set(theirs) and all(_equal(ours[key], theirs[key]) for key in ours)
    if isinstance(theirs, list) and isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(_equal, ours, theirs))
    return bool(ours == theirs)


def _taken(function: Any) -> dict[str, Any]:
    """Return the parameters of a function, each with its default."""
    if not inspect.isfunction(function):
        return {}
    parameters = inspect.signature(function).parameters.values()
    return {
        parameter.name: UNSTATED if parameter.default is parameter.empty else parameter.default
        for parameter in parameters
    }


def _can_import(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name)
    except ImportError:
        return False


def _values(kind: type, name: str) -> Iterator[Any]:
    """Yield the default of a field or the value of a member; nothing: the class has none."""
    fields = getattr(kind, "model_fields", {})
    if name in fields:
        made = fields[name].is_required() or fields[name].default_factory is not None
        yield UNSTATED if made else fields[name].default
    elif issubclass(kind, enum.Enum) and name in kind.__members__:
        yield kind[name].value
    elif dataclasses.is_dataclass(kind) and name in kind.__dataclass_fields__:
        default = kind.__dataclass_fields__[name].default
        yield UNSTATED if default is dataclasses.MISSING else default
    elif hasattr(kind, name) or name in getattr(kind, "__annotations__", {}):
        yield UNSTATED


def missing(folder: Path) -> list[str]:
    """Return a line for each name of the documents that is neither in the program nor on the page.

    Args:
        folder: with the documents, as Markdown.
    """
    program = Program()
    page = PAGE.read_text(encoding="utf-8")
    known, lines = set(explained_names(page)), [f"the page: {row}" for row in _unexplained(page)]
    for path in sorted(folder.glob("*.md")):
        for item in _items(path.read_text(encoding="utf-8"), path.stem[:3]):
            if _is_explained(item, known, program) or EXAMPLES.fullmatch(item.name):
                continue
            if problem := program.problem(item):
                lines.append(f"{path.stem[:3]}: {item.kind} {item.name} {problem}")
    return list(dict.fromkeys(lines))


def _is_explained(item: Item, known: set[str], program: Program) -> bool:
    """Return whether the page has the name, or what it belongs to and the program does not have."""
    owner = item.name.partition(".")[0]
    is_ours = owner in program.classes or owner in program.values
    owners = [item.name]
    while "." in owners[-1]:
        owners.append(owners[-1].rpartition(".")[0])
    if item.kind == "import":
        owners = [item.name.rpartition(".")[2]]
    return not known.isdisjoint(owners[:-1] if is_ours and "." in item.name else owners)


def _rows(text: str) -> Iterator[list[str]]:
    for row in ROW.findall(text):
        cells = [cell.strip() for cell in row.replace("\\|", "¦").split("|")]
        if not set("".join(cells)) <= set("-: "):
            yield cells


def explained_names(page: str) -> Iterator[str]:
    """Yield what the rows of the page name in all cells but the last, which has the reason.

    A row of a rule names the rule in its first cell; what its second cell mentions must be there.
    """
    for *cells, _ in _rows(page):
        for quoted in QUOTED.findall(cells[0] if cells[0].startswith("`") else " ".join(cells)):
            yield quoted
            for word in re.findall(r"[\w.]+", quoted):
                yield from (word, word.rpartition(".")[2])


def _unexplained(page: str) -> Iterator[str]:
    """Yield the rows whose last cell gives no reason, or names a test that does not exist."""
    for *cells, reason in _rows(page):
        is_reason = QUOTED.search(reason) or len(reason.split()) >= MIN_REASON_WORDS
        if QUOTED.search(" ".join(cells)) and not is_reason:
            yield f"{' | '.join(cells)} has no reason but {reason!r}"
        for path, name in TEST.findall(reason):
            file = ROOT / path
            if not file.is_file() or f"def {name}" not in file.read_text(encoding="utf-8"):
                yield f"{' | '.join(cells)} names {path}::{name}, which does not exist"


def _items(text: str, document: str) -> Iterator[Item]:
    """Yield what a document defines.

    Args:
        text: of the document.
        document: its number, which goes before the number of a rule.
    """
    prose = BLOCK.sub("", text)
    for language, body in BLOCK.findall(text):
        if language == "python":
            yield from _block_names(textwrap.dedent(body))
        yield from (Item("command", line) for line in COMMAND.findall(body) if language != "python")
    yield from (Item("module", path) for path in FILE.findall(prose))
    yield from (Item("function", name) for name in CALL.findall(prose))
    for first, *rest in _rows(prose):
        if match := re.fullmatch(r"`([A-Za-z_]\w*)`", first):
            default = QUOTED.findall(rest[1]) if len(rest) > 2 else []  # noqa: PLR2004  # type, default, text
            name, is_variable = match[1], match[1].isupper()
            if default:
                yield Item("field", f"{SETTINGS_MODEL}.{name}", _literal(default[0]))
            else:
                yield Item("variable" if is_variable else "name", name)
    yield from _rules(prose, document)


def _rules(prose: str, document: str) -> Iterator[Item]:
    """Yield the rules of a document: those with an id, and the entries of its lists of rules."""
    for requirement, *others in RULE_ID.findall(prose):
        yield Item("rule", requirement or f"{document} {next(filter(None, others))}")
    counts = dict.fromkeys(RULE_SECTIONS, 0)
    for title, body in SECTION.findall(prose):
        if title in RULE_SECTIONS:
            entries = len(LISTED.findall(body)) + max(len(list(_rows(body))) - 1, 0)
            first, counts[title] = counts[title] + 1, counts[title] + entries
            yield from (
                Item("rule", f"{document} {title} {place}")
                for place in range(first, counts[title] + 1)
            )


def _block_names(body: str) -> Iterator[Item]:
    try:
        yield from _code_names(ast.parse(body).body)
    except SyntaxError:  # a signature without a body, a comment in place of code
        yield from (Item("function", name) for name in re.findall(r"def (\w+)\(", body))


def _code_names(nodes: Iterable[ast.stmt], owner: str = "") -> Iterator[Item]:
    prefix = f"{owner}." if owner else ""
    for node in nodes:
        match node:
            case ast.ClassDef():
                yield Item("class", node.name)
                yield from _code_names(node.body, node.name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if owner and not node.name.startswith("__"):
                    yield Item("field", prefix + node.name)
                elif not owner:
                    yield Item("function", node.name)
                yield from _parameters(prefix + node.name, node.args)
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield Item("field" if owner else "constant", prefix + name, _stated(node.value))
            case ast.Assign(targets=[ast.Name(id=name)]) if owner or name.isupper():
                yield Item("field" if owner else "constant", prefix + name, _stated(node.value))
            case ast.ImportFrom(module=str(module), level=0):
                yield from _imports(module, node.names)


def _parameters(function: str, args: ast.arguments) -> Iterator[Item]:
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    pairs = [
        *zip(positional, defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    for arg, default in pairs:
        if arg.arg not in {"self", "cls"}:
            yield Item("parameter", f"{function}.{arg.arg}", _stated(default))


def _imports(module: str, names: list[ast.alias]) -> Iterator[Item]:
    for prefix, home in HOMES.items():
        if module.startswith(prefix):
            if home is None:
                return
            module = home + module.removeprefix(prefix)
            break
    if module.startswith("paper_search"):
        yield from (Item("import", f"{module}.{alias.name}") for alias in names)


def _stated(value: ast.expr | None) -> Any:
    """Return the value or default that an expression states as a literal, else UNSTATED."""
    match value:
        case ast.Call(args=[ast.Constant(value=default), *_]):
            return UNSTATED if default is Ellipsis else default
        case ast.Call(keywords=keywords):
            return _stated({item.arg: item.value for item in keywords}.get("default"))
        case None:
            return UNSTATED
    try:
        return ast.literal_eval(value)
    except ValueError:
        return UNSTATED


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return UNSTATED


if __name__ == "__main__":
    problems = missing(Path(sys.argv[1]))
    print("\n".join(problems))  # noqa: T201  # its output
    sys.exit(bool(problems))
