"""Finds workflows: modules that define `WORKFLOW` at module level, without running the others."""

import ast
import hashlib
import importlib
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from paper_search.errors import InputError, UnknownNameError
from paper_search.steps.workflow import Workflow

NAME = "WORKFLOW"


@dataclass(frozen=True)
class Location:
    path: Path
    module: str
    """Dotted name; for a file outside a package, the name of the file."""


class Discovery(Mapping[str, Workflow]):
    """Workflows by name, with their locations, and errors."""

    def __init__(
        self,
        workflows: Mapping[str, Workflow],
        locations: Mapping[str, Location],
        problems: tuple[str, ...],
    ) -> None:
        self._workflows = dict(workflows)
        self.locations = dict(locations)
        self.problems = problems

    def __getitem__(self, name: str) -> Workflow:
        return self._workflows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._workflows)

    def __len__(self) -> int:
        return len(self._workflows)

    def names(self) -> list[str]:
        return sorted(self._workflows)

    def read(self, name: str) -> Workflow:
        if name not in self._workflows:
            raise UnknownNameError("workflow", name, self.names())
        return self._workflows[name]


def discover_workflows(where: str | Path) -> Discovery:
    """Return the workflows of a package or a directory.

    Modules are parsed first: one without a module-level `WORKFLOW` is never run, except as a parent
    package of one that has it. Errors in modules are listed, not raised.

    Raises:
        InputError: there is no such package or directory.
    """
    workflows: dict[str, Workflow] = {}
    locations: dict[str, Location] = {}
    problems: list[str] = []
    for location in _locations(where):
        match _load(location, is_importable=not _is_directory(where)):
            case str(problem):
                problems.append(problem)
            case Workflow(name=name) if name in workflows:
                both = f"in {locations[name].path} and in {location.path}"
                problems.append(f"two workflows are called {name!r}: {both}")
            case Workflow(name=name) as workflow:
                workflows[name], locations[name] = workflow, location
    return Discovery(workflows, locations, tuple(problems))


def compare_langgraph_json(path: Path, discovery: Mapping[str, Workflow]) -> list[str]:
    """Return the differences between the graphs of a langgraph.json and the workflows found."""
    try:
        graphs = json.loads(path.read_text(encoding="utf-8"))["graphs"]
        targets = {
            name: str(value["path"]) if isinstance(value, dict) else str(value)
            for name, value in graphs.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{str(path)!r} is not a langgraph.json with graphs: {error!r}") from error
    absent, unknown = sorted(discovery.keys() - targets), sorted(targets.keys() - discovery.keys())
    problems = [f"{path.name} does not name the workflow {name!r}" for name in absent]
    problems += [f"{path.name} names {name!r}, which no workflow is called" for name in unknown]
    for name, target in sorted(targets.items()):
        file, _, attribute = target.partition(":")
        if file.endswith(".py") and not (path.parent / file).is_file():
            problems.append(f"{path.name} has {name!r} in {file!r}, which does not exist")
        elif not attribute:
            problems.append(f"{path.name} does not say which variable of {file!r} is {name!r}")
    return problems


def _is_directory(where: str | Path) -> bool:
    return isinstance(where, Path) or any(sign in where for sign in "/\\") or where == "."


def _locations(where: str | Path) -> list[Location]:
    if _is_directory(where):
        root = Path(where)
        if not root.is_dir():
            raise InputError(f"there is no directory {str(where)!r}")
        return [Location(path, path.stem) for path in sorted(root.rglob("*.py"))]
    try:
        spec = importlib.util.find_spec(str(where))
    except (ImportError, ValueError) as error:
        raise InputError(f"there is no package {str(where)!r}: {error}") from error
    if spec is None:
        raise InputError(
            f"there is no package {str(where)!r}; a directory is written with a separator, "
            f"like ./{where}"
        )
    if spec.submodule_search_locations is None:
        return [Location(Path(str(spec.origin)), str(where))]
    locations = []
    for folder in spec.submodule_search_locations:
        for path in sorted(Path(folder).rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            inner = parts[:-1] if parts[-1] == "__init__" else parts
            locations.append(Location(path, ".".join([str(where), *inner])))
    return locations


def _count_definitions(path: Path) -> int:
    """Return how many times a module assigns `WORKFLOW` at module level."""
    source = path.read_bytes()
    if NAME.encode() not in source:  # parsing a whole package takes a second
        return 0
    count, nodes = 0, list[ast.AST](ast.parse(source, str(path)).body)
    while nodes:
        match nodes.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case ast.AnnAssign(value=None):
                pass
            case ast.Name(id=name, ctx=ast.Store()):
                count += name == NAME
            case node:
                nodes.extend(ast.iter_child_nodes(node))
    return count


def _load(location: Location, *, is_importable: bool) -> Workflow | str | None:
    """Return the workflow of a module, or an error; None if it defines none."""
    path = location.path
    try:
        count = _count_definitions(path)
    except (OSError, SyntaxError, ValueError) as error:
        return f"{path} cannot be read: {error}"
    if count != 1:
        wrong = f"{path} defines {NAME} {count} times; one entry point has one workflow"
        return wrong if count else None
    try:
        module = importlib.import_module(location.module) if is_importable else _run(path)
    except Exception as error:  # noqa: BLE001  # a module may raise anything; it is reported
        return f"{path} cannot be imported: {type(error).__name__}: {error}"
    workflow = getattr(module, NAME, None)
    if not isinstance(workflow, Workflow):
        return f"{path} defines {NAME}, which is not a Workflow: {workflow!r}"
    return workflow


def _run(path: Path) -> ModuleType:
    digest = hashlib.blake2b(str(path.resolve()).encode(), digest_size=6).hexdigest()
    name = f"_discovered_{digest}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and annotations look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
