"""What starting the program costs, and what it says about itself."""

import subprocess
import sys

import pytest

from paper_search import cli
from paper_search.cli.console import ExitCode

HEAVY = ["langchain_core", "langgraph", "numpy", "openai", "pydantic", "rich", "tantivy"]


@pytest.mark.parametrize(
    "statement",
    [
        "import paper_search",
        """
import sys
sys.argv = ["paper-search", "--help"]
try:
    import paper_search.cli
    paper_search.cli.main()
except SystemExit as end:
    assert end.code == 0
""",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(statement):
    script = f"{statement}\nimport sys\nprint([m for m in {HEAVY} if m in sys.modules])"
    ended = subprocess.run(  # noqa: S603  # this program
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=240
    )
    assert ended.stdout.splitlines()[-1] == "[]"


def test_ctrl_c_while_it_starts_ends_with_the_exit_code_alone(monkeypatch):
    def interrupted(_name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "defer_import", interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == ExitCode.INTERRUPTED


UNASKED = [
    "httpx",
    "langchain_openai",
    "langgraph_sdk.client",
    "langsmith.types.run",
    "numpy",
    "openai",
    "tiktoken",
]
"""What only tracing, servers, web services and models need."""


@pytest.mark.slow
def test_a_search_of_the_library_imports_nothing_of_models_servers_and_tracing(home):
    script = f"""
import sys
sys.argv = ["paper-search", "find", "graphs", "--yes"]
import paper_search.cli
try:
    paper_search.cli.main()
except SystemExit as end:
    assert not end.code
print([m for m in {UNASKED} if m in sys.modules])
"""
    assert home.is_dir()
    ended = subprocess.run(  # noqa: S603  # this program
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=240
    )
    assert ended.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_the_module_can_be_run_and_names_itself_in_the_commands_it_prints(home):
    assert home.is_dir()
    ended = subprocess.run(
        [sys.executable, "-m", "paper_search", "find", "graphs", "--source", "sample"],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode == 3
    assert f"{sys.executable} -m paper_search resume " in ended.stderr
    assert ended.stdout == ""


def test_help_documents_the_exit_codes(cli):
    shown = cli("--help").stdout
    for code in ExitCode:
        assert f"    {code.value} " in shown
    assert "no such thread" in shown


def test_the_version_is_that_of_the_package(cli):
    import paper_search

    assert cli("--version").stdout == f"paper-search {paper_search.__version__}\n"
