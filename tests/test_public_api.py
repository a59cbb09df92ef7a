"""`import paper_search`: what it gives, and a search in one call."""

import ast
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import get_type_hints

import pytest

import paper_search
from paper_search.config import load_config
from paper_search.errors import QuestionError, UnknownNameError
from paper_search.steps import StepDef


def test_every_public_name_can_be_had():
    for name in paper_search.__all__:
        assert getattr(paper_search, name) is not None
        assert name in dir(paper_search)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        paper_search.nonsense  # noqa: B018  # the access is the point


def test_any_type_checker_sees_which_settings_and_fields_have_defaults():
    """Without pydantic's plugin, mypy takes a default of `Field` only by name."""
    folder = Path(paper_search.__file__).parent
    for path in (folder / "config.py", *folder.glob("models/*.py")):
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if type(node) is ast.Call)
        fields = [call for call in calls if getattr(call.func, "id", "") == "Field"]
        assert [ast.unparse(field) for field in fields if field.args] == []
    assert get_type_hints(StepDef)["actions"] == Sequence[str]  # the documents write lists


async def test_a_search_in_one_call_asks_nobody_and_gives_papers(tmp_path, unpacked_sample):
    (tmp_path / unpacked_sample.name).symlink_to(unpacked_sample)
    config = load_config(home=tmp_path)
    assert inspect.iscoroutinefunction(paper_search.search)
    phases: list[str] = []
    collection = await paper_search.search(
        "graph neural networks",
        config,
        sources=["sample"],
        max_results=4,
        domain="materials_science",
        progress_reporter=lambda phase, _details: phases.append(phase),
    )
    assert len(collection.papers) == 4
    assert collection.ended_by is not None
    assert collection.ended_by.value == "not_reviewed"
    assert phases[0] == "intent_parsing"
    assert phases[-1] == "completed"
    assert paper_search.export_bibtex(collection).count("@") >= 4


async def test_bad_input_is_refused(tmp_path):
    config = load_config(home=tmp_path)
    with pytest.raises(QuestionError):
        await paper_search.search(" ", config=config)
    with pytest.raises(UnknownNameError, match="sample"):
        await paper_search.search("graphs", sources=["nowhere"], config=config)
