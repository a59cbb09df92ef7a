"""What belongs into this repository and what does not."""

import ast
import json
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts.mutants import modules, nearest_tests
from tests.architecture.tree import (
    PACKAGE,
    ROOT,
    lines_that_match,
    nodes,
    parsed,
    repository_files,
    shipped_modules,
    shown,
    text_of,
    wiring,
)

MAX_ROOT_ENTRIES = 16
"""Not counting those whose names begin with a dot."""

# Put together from parts, so that this file does not hold what it looks for.
HOSTS = "pypi python|pypi org|pythonhosted org|npmjs org|npmjs com|yarnpkg com|rubygems org"
HOSTS += "|crates io|anaconda org|golang org"
INDEX_WORDS = ["index-url", "extra-index-url", "find-links", "trusted-host", "/simple" + "/"]
MACHINE_DIRECTORIES = ["root", "work", "tmp", "opt", r"home/\w+", r"Users/\w+", "private/var"]
LOCK_FILES = re.compile(
    r"(uv|poetry|pdm|Pipfile|Cargo|conda)[.-]?lock$|pylock.*\.toml$|package-lock\.json$|yarn\.lock$"
)
EXEMPTION = re.compile(
    r"#\s*(?:type:\s*ignore(?P<rule>\[[\w, -]+\])?|"
    r"(?:ruff:\s*)?noqa(?P<codes>:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?|pragma:\s*no cover)"
)


def test_no_file_names_the_host_of_a_package_registry():
    hosts = re.compile(HOSTS.replace(" ", r"\."), re.IGNORECASE)
    assert lines_that_match(hosts, repository_files()) == []


def test_the_pinned_requirements_say_versions_and_hashes_and_nothing_else():
    paths = [ROOT / "requirements.txt", ROOT / "requirements-dev.txt"]
    words = re.compile("|".join([*INDEX_WORDS, "://", "@ ", r"-e\b"]))
    assert lines_that_match(words, paths) == []
    for path in paths:
        pins = re.findall(r"^[\w.\[\]-]+==\S+.*$", text_of(path), re.MULTILINE)
        hashed = re.findall(r"^[\w.\[\]-]+==\S+.* \\\n    --hash=", text_of(path), re.MULTILINE)
        assert len(pins) == len(hashed) > 50, path.name


def test_the_pins_are_what_pyproject_asks_for():
    document = tomllib.loads(text_of(ROOT / "pyproject.toml"))
    runtime = document["build-system"]["requires"] + document["project"]["dependencies"]
    asked = {
        "requirements.txt": runtime,
        "requirements-dev.txt": runtime + document["dependency-groups"]["dev"],
    }
    for name, requirements in asked.items():
        pins = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text_of(ROOT / name), re.MULTILINE))
        unmet = [text for text in requirements if not is_pinned(Requirement(text), pins)]
        assert unmet == [], f"{name}: run scripts/pin"


def is_pinned(wanted: Requirement, pins: dict[str, str]) -> bool:
    version = pins.get(canonicalize_name(wanted.name))
    return version is not None and version in wanted.specifier


def test_both_files_pin_the_same_versions():
    runtime, development = (
        set(re.findall(r"^([\w.-]+==[^\s;]+)", text_of(ROOT / name), re.MULTILINE))
        for name in ("requirements.txt", "requirements-dev.txt")
    )
    assert runtime - development == set()


def machine_paths() -> re.Pattern[str]:
    """Return what an absolute path outside of the system's own directories looks like."""
    directories = "|".join(MACHINE_DIRECTORIES)
    return re.compile(rf"(?<![\w.:/~)}}*-])/(?:{directories})(?:/|\b(?=[\s'\"`:,;)]|$))")


def test_no_file_names_a_path_of_one_machine():
    assert lines_that_match(machine_paths(), repository_files()) == []


@pytest.mark.parametrize(
    "machine", ["/ro" + "ot/x", "'/wo" + "rk'", "cd /t" + "mp", "/ho" + "me/me/x"]
)
def test_a_path_of_one_machine_would_be_seen(machine):
    assert machine_paths().search(machine)


def test_no_lock_file_records_where_packages_were_fetched():
    assert [shown(path) for path in repository_files() if LOCK_FILES.search(path.name)] == []


def test_the_root_stays_small_enough_to_read():
    entries = {path.relative_to(ROOT).parts[0] for path in repository_files()}
    assert len([name for name in entries if not name.startswith(".")]) <= MAX_ROOT_ENTRIES


def test_nothing_generated_is_kept():
    generated = {".db", ".pyc", ".log", ".orig", ".rej", ".whl", ".bak"}
    assert [shown(path) for path in repository_files() if path.suffix in generated] == []


def names_to_load(document: dict) -> list[str]:
    return [
        *(block["path"] for block in document["graphs"].values()),
        document["checkpointer"]["path"],
        document["store"]["path"],
    ]


@pytest.mark.parametrize(
    "name", names_to_load(json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8")))
)
def test_everything_that_langgraph_json_names_exists(name):
    path, _, attribute = name.partition(":")
    defined = {
        defined
        for node in parsed(ROOT / path).body
        for defined in (
            [target.id for target in node.targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.Assign)
            else [getattr(node, "name", None)]
        )
    }
    assert attribute in defined


def exemptions_without_reason(line: str) -> bool:
    """Whether a line is exempted from a rule, and nothing after it says why."""
    found = list(EXEMPTION.finditer(line))
    if not found:
        return False
    is_vague = any(not (row["rule"] or row["codes"] or "pragma" in row[0]) for row in found)
    reason = EXEMPTION.sub("", line[found[0].start() :])
    return is_vague or len(re.findall(r"[^\W\d_]{2,}", reason)) == 0


def test_every_exemption_names_its_rule_and_its_reason():
    bare = [
        f"{shown(path)}:{number}: {line.strip()}"
        for path in repository_files()
        if path.suffix == ".py" and path.name != "test_repository.py"
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if exemptions_without_reason(line)
    ]
    assert bare == []


@pytest.mark.parametrize(
    ("line", "is_bare"),
    [
        ("x = 1", False),
        ("x = 1  # noqa: E501  # a long address", False),
        ("x = 1  # type: ignore[misc]  # noqa: E501  # a long address", False),
        ("x = 1  # noqa: E501", True),
        ("x = 1  # noqa  # because", True),
        ("x = 1  # type: ignore  # because", True),
        ("x = 1  # type: ignore[misc]  # noqa: E501", True),
    ],
)
def test_an_exemption_without_rule_or_reason_would_be_seen(line, is_bare):
    assert exemptions_without_reason(line) is is_bare


def is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        node is None or (isinstance(node, ast.Name) and node.id in {"Exception", "BaseException"})
        for node in caught
    )


def is_told(handler: ast.ExceptHandler) -> bool:
    """Whether the error goes on: raised again, logged with its traceback, or used by name."""
    return any(
        isinstance(node, ast.Raise)
        or (isinstance(node, ast.Name) and node.id == handler.name)
        or (isinstance(node, ast.Attribute) and node.attr == "exception")
        for statement in handler.body
        for node in ast.walk(statement)
    )


def test_no_broad_except_hides_an_error():
    hiding = [
        shown(path, node)
        for path in [*shipped_modules(), *wiring()]
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not is_told(node)
    ]
    assert hiding == []


def test_no_suppress_hides_every_error():
    hiding = [
        shown(path, node)
        for path in shipped_modules()
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("suppress")
        and {"Exception", "BaseException"} & {ast.unparse(arg) for arg in node.args}
    ]
    assert hiding == []


def test_there_is_nothing_left_to_do():
    unfinished = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|NotImplemented" + r"Error)\b")
    paths = [path for path in repository_files() if path.is_relative_to(PACKAGE)]
    assert lines_that_match(unfinished, paths) == []


def test_the_mutants_of_every_module_run_against_tests_that_exist():
    tests = {name for module in modules() for name in nearest_tests(module)}
    assert [name for name in tests if not (ROOT / name).exists()] == []
