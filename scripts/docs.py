# ruff: noqa: INP001  # a script, not a package
"""Writes what documentation can take from the code.

That is: the command reference, pictures of graphs, which test carries which case of reliability.

`scripts/docs.py` brings them up to date, `scripts/docs.py --check` says what is out of date.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from paper_search.config import AppConfig
from paper_search.service_settings import WEB_SOURCES, WEB_WITH_KEY
from paper_search.sources import create_source
from paper_search.steps import Workflow, discover_workflows, to_mermaid

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # run as a script, its neighbours are not in a package

from scripts.reliability import PAGE, reliability_page  # noqa: E402  # only after that line
from scripts.services import services_table  # noqa: E402  # only after that line

COMMANDS = ROOT / "docs" / "cli.md"
LISTS = (ROOT / "docs" / "sources.md",)
EXAMPLES = ROOT / "docs" / "examples"
PICTURES = (ROOT / "README.md", ROOT / "docs" / "architecture.md")
_PICTURE = re.compile(r"(<!-- (graph|overview): (\w+) -->\n```mermaid\n).*?(```\n)", re.DOTALL)
_LIST = re.compile(r"(<!-- list: (\w+) -->).*?(<!-- end -->)", re.DOTALL)
_NOTE = "<!-- written by scripts/docs.py from the program; do not edit -->\n\n"


def command_reference() -> str:
    """Return docs/cli.md: every command with its arguments and options."""
    words = ["-m", "typer", "paper_search.cli.app", "utils", "docs", "--name", "paper-search"]
    finished = subprocess.run(  # noqa: S603  # fixed words
        [sys.executable, *words], check=True, capture_output=True, encoding="utf-8", cwd=ROOT
    )
    return _NOTE + finished.stdout.strip() + "\n"


@functools.cache
def workflows() -> dict[str, Workflow]:
    """Return every workflow of the package and of the examples, by name."""
    return {**discover_workflows("paper_search"), **discover_workflows(EXAMPLES)}


def overview(workflow: Workflow) -> str:
    """Return a short Mermaid flowchart: one edge for all outcomes that lead to the same step."""
    chains = [f"start([start]) --> {workflow.entry_point}"]
    for step in workflow.steps:
        outcomes: dict[str, list[str]] = {}
        for outcome, target in step.next.items():
            outcomes.setdefault(target or "stop([end])", []).append(outcome.value)
        if len(outcomes) == 1 and chains[-1].endswith(f" {step.id}"):
            chains[-1] += f" --> {next(iter(outcomes))}"
        elif len(outcomes) == 1:
            chains.append(f"{step.id} --> {next(iter(outcomes))}")
        else:
            chains += [f"{step.id} -- {', '.join(o)} --> {to}" for to, o in outcomes.items()]
    return "".join(f"{line}\n" for line in ["flowchart TD", *(f"    {chain}" for chain in chains)])


_DRAW = {"graph": to_mermaid, "overview": overview}


def with_picture(page: str) -> str:
    """Return a page with each graph as it is now in every place that is marked for it."""
    return _PICTURE.sub(
        lambda match: match[1] + _DRAW[match[2]](workflows()[match[3]]) + match[4], page
    )


def lists() -> dict[str, str]:
    """Return what pages list, by the name in their comments."""
    config = AppConfig()
    return {
        "web": _joined(map(_title, WEB_SOURCES)),
        "web_with_key": _joined(map(_title, WEB_WITH_KEY)),
        "enrichers": _joined(config.enrichers),
        "enrich_max_calls": str(config.enrich_max_calls),
        "services": f"\n\n{services_table()}\n",
    }


def _title(source: str) -> str:
    adapter = getattr(create_source(source, AppConfig()), "adapter", None)
    return str(getattr(adapter, "title", source))


def _joined(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def with_lists(page: str) -> str:
    """Return a page with each list as it is now in every place that is marked for it."""
    texts = lists()
    return _LIST.sub(lambda match: match[1] + texts[match[2]] + match[3], page)


def pages() -> dict[Path, str]:
    """Return every generated page as it should be."""
    drawn = [*PICTURES, *sorted(EXAMPLES.glob("*.md"))]
    pictures = {path: with_picture(path.read_text(encoding="utf-8")) for path in drawn}
    listed = {path: with_lists(path.read_text(encoding="utf-8")) for path in LISTS}
    return {COMMANDS: command_reference(), PAGE: reliability_page(), **pictures, **listed}


def outdated() -> dict[Path, str]:
    """Return the pages that are not as they should be, with what they should say."""
    return {
        path: text
        for path, text in pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }


def main() -> int:
    """Write or check, by the arguments of the process."""
    is_check = sys.argv[1:] == ["--check"]
    stale = outdated()
    for path, text in stale.items():
        if not is_check:
            path.write_text(text, encoding="utf-8")
        verb = "is out of date; run scripts/docs.py" if is_check else "written"
        sys.stdout.write(f"{path.relative_to(ROOT)} {verb}\n")
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
