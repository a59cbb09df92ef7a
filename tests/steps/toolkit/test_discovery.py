"""Workflows are found where they are written, and nothing without one is run."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paper_search.errors import InputError, UnknownNameError
from paper_search.steps import Workflow, compare_langgraph_json, discover_workflows

ROOT = Path(__file__).parents[3]
GOOD = """
from paper_search.steps import Outcome, StepDef, Workflow
WORKFLOW = Workflow("{name}", StepDef("a", next={{Outcome.OK: None}}))
"""
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(file: str, text: str, **values: str) -> Path:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(**values) if values else text)
        return path

    return made


@pytest.fixture
def package(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], str]]:
    """Make the files written under `found_here/` an importable package."""
    monkeypatch.syspath_prepend(tmp_path)
    write("found_here/__init__.py", "")
    yield lambda: "found_here"
    for name in [module for module in sys.modules if module.partition(".")[0] == "found_here"]:
        del sys.modules[name]


def test_the_product_has_two_workflows_which_are_those_of_their_modules():
    from paper_search.report_workflow.graph import WORKFLOW as REPORT
    from paper_search.workflow.graph import WORKFLOW as SEARCH

    found = discover_workflows("paper_search")
    assert set(found) == {"paper_search", "research_report"}
    assert found["paper_search"] is SEARCH
    assert found["research_report"] is REPORT
    assert found.locations["paper_search"].module == "paper_search.workflow.graph"
    assert found.problems == ()


def test_modules_without_a_workflow_are_not_run(write, package):
    write("found_here/good.py", GOOD, name="good")
    write("found_here/bomb.py", "raise SystemError('run')")
    write("found_here/inner/__init__.py", "")
    write("found_here/inner/deep.py", GOOD, name="deep")
    write(
        "found_here/talk.py",
        "text = 'WORKFLOW = 1'\ndef f():\n    WORKFLOW = 1\n    return WORKFLOW\n",
    )
    write("found_here/broken.py", "def without_a_workflow(:")
    write("found_here/again.py", "from found_here.good import WORKFLOW\nraise SystemError('run')")
    found = discover_workflows(package())
    assert found.names() == ["deep", "good"]
    assert found.problems == ()
    assert "found_here.good" in sys.modules
    assert not {"found_here.bomb", "found_here.talk", "found_here.again"} & set(sys.modules)


def test_a_directory_needs_no_package(tmp_path, write):
    write("one.py", GOOD, name="one")
    write("more/two.py", GOOD, name="two")
    write("bomb.py", "raise SystemError('run')")
    found = discover_workflows(tmp_path)
    assert found.names() == ["one", "two"]
    assert found.locations["two"].path == tmp_path / "more" / "two.py"
    assert isinstance(found.read("one"), Workflow)
    assert discover_workflows(f"{tmp_path}/").names() == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("WORKFLOW = 3", "defines WORKFLOW, which is not a Workflow: 3"),
        ("import no_such_package\nWORKFLOW = 1", "ModuleNotFoundError: No module named"),
        ("WORKFLOW = 1 / 0", "ZeroDivisionError"),
        ("WORKFLOW = 1\nWORKFLOW = 2", "defines WORKFLOW 2 times"),
        ("if True:\n    WORKFLOW = 1\nelse:\n    WORKFLOW = 2", "defines WORKFLOW 2 times"),
        ("WORKFLOW: int = (", "cannot be read"),
        ("from paper_search.steps import Workflow\nWORKFLOW = Workflow('w')", "has no steps"),
    ],
)
def test_what_cannot_be_used_is_reported_and_the_others_are_found(tmp_path, write, text, words):
    write("a_good.py", GOOD, name="good")
    bad = write("bad.py", text)
    write("z_good.py", GOOD, name="other")
    found = discover_workflows(tmp_path)
    assert found.names() == ["good", "other"]
    (problem,) = found.problems
    assert problem.startswith(str(bad))
    assert words in problem


def test_two_workflows_of_one_name_are_reported_with_both_places(tmp_path, write):
    first = write("a.py", GOOD, name="same")
    second = write("b.py", GOOD, name="same")
    (problem,) = discover_workflows(tmp_path).problems
    assert problem == f"two workflows are called 'same': in {first} and in {second}"


@pytest.mark.parametrize("where", ["no_such_package", "paper_search.no.such", "./no_such_dir"])
def test_a_place_that_is_not_there_is_an_error(where):
    with pytest.raises(InputError, match=r"there is no (package|directory)"):
        discover_workflows(where)


def test_an_unknown_workflow_is_refused_with_those_there_are():
    with pytest.raises(UnknownNameError, match="'nope'; known: paper_search"):
        discover_workflows("paper_search").read("nope")


# --- langgraph.json -------------------------------------------------------------------------------


def test_langgraph_json_names_every_workflow_and_nothing_else():
    found = discover_workflows("paper_search")
    assert compare_langgraph_json(ROOT / "langgraph.json", found) == []


def test_differences_are_told_in_both_directions(tmp_path, write):
    write("one.py", GOOD, name="one")
    write("two.py", GOOD, name="two")
    graphs = {"one": "./one.py:graph", "three": {"path": "./three.py:graph"}, "four": "./one.py"}
    path = write("langgraph.json", json.dumps({"graphs": graphs}))
    assert compare_langgraph_json(path, discover_workflows(tmp_path)) == [
        "langgraph.json does not name the workflow 'two'",
        "langgraph.json names 'four', which no workflow is called",
        "langgraph.json names 'three', which no workflow is called",
        "langgraph.json does not say which variable of './one.py' is 'four'",
        "langgraph.json has 'three' in './three.py', which does not exist",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"graphs": []}', '{"graphs": {"a": {}}}'])
def test_a_file_that_is_no_langgraph_json_is_an_error(write, text):
    with pytest.raises(InputError, match=r"is not a langgraph\.json"):
        compare_langgraph_json(write("langgraph.json", text), {})
