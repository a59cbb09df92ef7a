"""What the documents say is true."""

import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mypy.api
import pytest
import typer
from markdown_it import MarkdownIt
from markdown_it.token import Token
from scripts.docs import COMMANDS, LISTS, command_reference, overview, with_lists
from tests.architecture.tree import ROOT, markdown_files, shown, text_of

from paper_search.cli.app import app
from paper_search.errors import how_to_install
from paper_search.steps.toolkit.drawing import to_mermaid
from paper_search.workflow.graph import WORKFLOW

EXTENDING = ROOT / "docs" / "extending.md"
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def tokens(path: Path) -> list[Token]:
    return MarkdownIt("commonmark").parse(text_of(path))


def links(path: Path) -> list[str]:
    return [
        str(token.attrs.get("href") or token.attrs.get("src"))
        for block in tokens(path)
        for token in block.children or []
        if token.type in {"link_open", "image"}
    ]


def programs(path: Path) -> list[str]:
    """Return the blocks of Python on a page."""
    return [
        token.content for token in tokens(path) if token.type == "fence" and token.info == "python"
    ]


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the words after `paper-search` of every command on a page."""
    for block in tokens(path):
        texts = [child.content for child in block.children or [] if child.type == "code_inline"]
        for line in texts if block.info != "sh" else block.content.splitlines():
            words = re.findall(r"""[^\s"'`;|#&]+""", line.partition(" #")[0])
            if words and Path(words[0]).name == "paper-search":
                yield words[1:]


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings as the forges make them."""
    blocks = tokens(path)
    headings = [
        blocks[position + 1].content
        for position, block in enumerate(blocks)
        if block.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_guide_names_every_extra_and_how_a_clone_gets_it():
    guide = text_of(ROOT / "docs" / "guide.md")
    section = guide.partition("\n## Extras\n")[2].partition("\n## ")[0]
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    rows = "".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    assert sorted(re.findall("`(.+?)`", rows)) == sorted(project["optional-dependencies"])
    clone, index = how_to_install("server").split(" (in a clone: ")[::-1]
    assert f"`{index}`" in section
    assert f"`{clone.removesuffix(')')}`" in section


def test_every_link_leads_somewhere():
    dead = [
        f"{shown(path)}: {link}"
        for path in markdown_files()
        for link in links(path)
        if not re.match(r"[a-z]+:", link) and not leads_somewhere(path, link)
    ]
    assert dead == []


def leads_somewhere(path: Path, link: str) -> bool:
    """Return whether a page has a file, and a heading in it, where it links to."""
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    return target.exists() and (not anchor or anchor in anchors(target))


def test_the_program_has_every_command_and_option_that_a_document_names():
    unknown = [
        f"{shown(path)}: {' '.join(words)}"
        for path in markdown_files()
        for words in commands(path)
        if not {"", *(word.partition("=")[0] for word in words if word[0] == "-")}
        <= options_of(words)
    ]
    assert unknown == []


def options_of(words: list[str]) -> set[str]:
    """Return the options of the command in these words; none at all if there is no such command."""
    command: Any = typer.main.get_command(app)
    for word in words:
        if hasattr(command, "commands") and word[0] != "-":
            if word not in command.commands:
                return set()
            command = command.commands[word]
    return {"--help", "", *itertools.chain(*([*p.opts, *p.secondary_opts] for p in command.params))}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_what_pages_list_is_what_the_code_has(path):
    assert text_of(path) == with_lists(text_of(path)), "run scripts/docs.py"


def test_the_command_reference_is_what_the_program_says():
    assert text_of(COMMANDS) == command_reference(), "run scripts/docs.py"


@pytest.mark.parametrize(
    ("page", "kind", "draw"),
    [("docs/architecture.md", "graph", to_mermaid), ("README.md", "overview", overview)],
)
def test_the_picture_of_the_graph_is_the_graph(page, kind, draw):
    pictures = re.findall(
        rf"<!-- {kind}: paper_search -->\n```mermaid\n(.*?)```", text_of(ROOT / page), re.DOTALL
    )
    assert pictures == [draw(WORKFLOW)], "run scripts/docs.py"


def test_the_overview_has_every_edge_of_the_graph_and_names_the_outcomes_of_branches():
    lines = [line.strip() for line in overview(WORKFLOW).splitlines()[1:]]
    drawn = {
        edge
        for line in lines
        for edge in itertools.pairwise(re.split(r" --(?: [\w, ]+ --)?> ", line))
    }
    assert drawn == {("start([start])", WORKFLOW.entry_point)} | {
        (step.id, target or "stop([end])")
        for step in WORKFLOW.steps
        for target in step.next.values()
    }
    assert "confirm_strategy -- approve, edit --> search" in lines


def test_the_glossary_has_at_most_30_words():
    table = text_of(ROOT / "CONTRIBUTING.md").partition("\n| word | meaning |\n|---|---|\n")[2]
    rows = table.partition("\n\n")[0].splitlines()
    words = [word for row in rows for word in row.split("|")[1].split(", ")]
    assert 0 < len(words) <= 30


def test_the_readme_is_short():
    assert len(text_of(ROOT / "README.md").splitlines()) <= 120


@pytest.mark.parametrize("name", ["main", "tests"])
def test_the_readme_holds_the_commands_that_the_gate_runs(name):
    marker = f"<!-- command: {name} -->"
    blocks = re.findall(
        rf"^{marker}\n+```sh\n(.+?)\n```$", text_of(ROOT / "README.md"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 1


def test_every_file_that_a_document_names_exists():
    named = re.compile(r"`((?:src|tests|docs|graphs|scripts|notebooks|benchmarks)/[\w./-]*)`")
    missing = [
        f"{shown(path)}: {name}"
        for path in markdown_files()
        if path.name != "CHANGELOG.md"  # which names what is gone as well
        for name in named.findall(text_of(path))
        if not (ROOT / name).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("place", range(len(programs(EXTENDING))))
def test_the_python_on_the_page_about_extending_runs(place, tmp_path, monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(tmp_path))
    monkeypatch.delenv("LLM_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    code = compile(programs(EXTENDING)[place], EXTENDING.name, "exec")
    exec(code, {"__name__": "__main__"})  # noqa: S102  # our own page


def test_there_are_at_most_20_decisions_numbered_from_0001():
    numbers = [path.name[:5] for path in DECISIONS]
    assert numbers == [f"{number:04}-" for number in range(1, len(DECISIONS) + 1)]
    assert len(DECISIONS) <= 20


def test_a_decision_is_short_and_gives_the_reason_and_the_trade_offs():
    form = ["## Decision", "## Reason", "## Trade-offs"]
    wrong = []
    for path in DECISIONS:
        title, *lines = text_of(path).splitlines()
        headings = [line for line in lines if line.startswith("## ")]
        if len(lines) >= 30 or headings != form or not title.startswith(f"# {path.name[:4]} "):
            wrong.append(shown(path))
    assert wrong == []


def test_the_architecture_page_lists_the_decisions_in_order_by_their_titles():
    expected = [
        f"- [{text_of(path).splitlines()[0].removeprefix('# ')}](decisions/{path.name})"
        for path in DECISIONS
    ]
    listed = text_of(ROOT / "docs" / "architecture.md").partition("\n## Decisions\n\n")[2]
    assert listed.splitlines() == expected


def test_every_decision_that_a_file_cites_exists():
    numbers = {path.name[:4] for path in DECISIONS}
    files = [
        path
        for folder in ("src", "tests", "scripts", "benchmarks", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md"}
    ]
    dangling = [
        f"{shown(path)}: {number}"
        for path in files
        for number in re.findall(r"\bdecisions?[ /](0\d{3})\b", text_of(path))
        if number not in numbers
    ]
    assert dangling == []


@pytest.mark.slow
def test_the_programs_for_extensions_have_strict_types(tmp_path):
    for place, program in enumerate(programs(EXTENDING)):
        (tmp_path / f"program_{place}.py").write_text(program)
    options = ["--strict", "--config-file=", "--cache-dir", str(ROOT / ".mypy_cache" / "pages")]
    output, _, status = mypy.api.run([*options, str(tmp_path)])
    assert (status, output.count("Success")) == (0, 1), output
