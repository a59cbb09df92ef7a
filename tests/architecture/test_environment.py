"""Settings come in through one door."""

import ast
import functools
import re
from collections.abc import Iterable

from tests.architecture.tree import PACKAGE, ROOT, nodes, parsed, shipped_modules, shown, wiring

from paper_search.config import SETTINGS, AppConfig
from paper_search.service_settings import OTHER_KEYS, service_prefixes, web_prefixes

OF_THE_SYSTEM = {"EDITOR", "VISUAL", "OPENBLAS_NUM_THREADS", "PAPER_SEARCH_ENV_FILE"}
"""Never taken from a file."""
OF_PROVIDERS = {"OPENAI_API_KEY"}
"""Put together from the provider's name."""
READER = PACKAGE / "config.py"
NAMES = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}


def uses_of_the_environment(found: Iterable[ast.AST]) -> list[ast.AST]:
    return [
        node
        for node in found
        if (isinstance(node, ast.Attribute) and node.attr in NAMES and is_os(node.value))
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and any(name.name in NAMES for name in node.names)
        )
    ]


def is_os(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "os"


def test_only_config_reads_the_environment():
    places = [
        shown(path, node)
        for path in [*shipped_modules(), *wiring()]
        if path != READER
        for node in uses_of_the_environment(nodes(path))
    ]
    assert places == []


def test_every_way_to_read_the_environment_is_seen():
    ways = "import os\nfrom os import environ\nos.environ['A']\nos.getenv('A')\nos.path\n"
    assert len(uses_of_the_environment(ast.walk(ast.parse(ways)))) == 3


def variables() -> set[str]:
    """Those of the fields, and every string in capitals of config.py, and no constant's name."""
    variable = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
    statements = [
        statement for statement in parsed(READER).body if not _is_list_of_names(statement)
    ]
    nodes = [node for statement in statements for node in ast.walk(statement)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    named = {text for text in texts if isinstance(text, str) and variable.fullmatch(text)}
    return named | set(SETTINGS.values())


def _is_list_of_names(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__"


WITH_KEYS = (
    "core",
    "openalex",
    "opencitations",
    "pubmed",
    "semantic_scholar",
    "serpapi_scholar",
    "serper_scholar",
)
"""The services whose answers a key opens, or makes more of."""


def test_the_example_settings_name_every_variable_that_config_reads():
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = set(re.findall(r"^#? ?([A-Z][A-Z0-9_]*)=", text, re.MULTILINE))
    of_sources = {
        f"{prefix}_{setting}"
        for prefix in (*service_prefixes().values(), *web_prefixes().values())
        for setting in ("API_KEY", "MAX_CALLS", "RATE_LIMIT", "URL")
    }
    of_sources |= {name for names in OTHER_KEYS.values() for name in names}
    assert named - of_sources == variables() - OF_THE_SYSTEM | OF_PROVIDERS
    for prefix in (service_prefixes()[name] for name in WITH_KEYS):
        assert named & {f"{prefix}_API_KEY", *OTHER_KEYS.get(prefix.lower(), ())}, prefix
    assert named >= {"SERPER_API_KEY", "TAVILY_API_KEY", "SEARXNG_URL", "NEWS_API_KEY"}


def test_the_example_settings_hold_no_values():
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    settings = [line for line in lines if line and not line.startswith("# ")]
    assert [line for line in settings if not re.fullmatch(r"[A-Z][A-Z0-9_]*=", line)] == []


def test_the_defaults_that_the_example_settings_state_are_those_of_the_program():
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    stated = {
        variable: default
        for comment, variable in re.findall(r"((?:^# .*\n)+)([A-Z0-9_]+)=", text, re.MULTILINE)
        for default in re.findall(r"Default: ([\w.,]*\w)$", comment.rstrip(), re.MULTILINE)
    }
    program = {
        variable: functools.reduce(getattr, name.split("."), AppConfig())
        for name, variable in SETTINGS.items()
        if name != "sources"
    }
    compared = stated.keys() & program.keys() - {"LLM_MODEL_INTENT"}
    assert len(compared) >= 15  # so many have a default that is one word
    assert {name: stated[name] for name in compared} == {
        name: _written(program[name]) for name in compared
    }


def _written(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, list):
        return ",".join(map(str, default))
    return f"{default:g}" if isinstance(default, float) and default >= 1 else str(default)
