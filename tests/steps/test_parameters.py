"""Settings of a run: a form for Studio, checked values for the handlers, words for `--param`."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from paper_search.errors import ConfigError, InputError, UnknownNameError
from paper_search.steps import Arg, Outcome, StepContext, StepDef, Workflow
from paper_search.steps.compiler import compile_in_memory
from paper_search.steps.parameters import parse_params
from paper_search.steps.running import run_workflow

OK = Outcome.OK
Context = StepContext[Any, Any, Any]
Result = tuple[Literal[Outcome.OK], dict[str, Any]]
CONFIG = {"configurable": {"thread_id": "t"}}


def taking(
    ctx: Context,
    mode: Annotated[str, Arg("How much work", choices=("quick", "full"))] = "full",
    rounds: Annotated[int, Arg(min=1, max=5)] = 2,
    *,
    strict: Annotated[bool, Arg(default=True)],
    aside: str = "not a setting",
) -> Result:
    assert ctx.workflow_params.mode == mode
    return OK, {"mode": mode, "rounds": rounds, "strict": strict, "aside": aside}


TAKING = Workflow("taking", StepDef("take", handler=taking, next={OK: None}))


def test_the_graphs_context_schema_is_the_form_that_studio_shows():
    schema = compile_in_memory(TAKING).get_context_jsonschema()
    assert set(schema["properties"]) == {"mode", "rounds", "strict"}
    assert schema["properties"]["mode"]["enum"] == ["quick", "full"]
    assert schema["properties"]["mode"]["description"] == "How much work"
    assert schema["properties"]["rounds"]["maximum"] == 5
    assert schema["properties"]["rounds"]["default"] == 2


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"mode": "slow"}, ValidationError),
        ({"rounds": 6}, ValidationError),
        ({"rounds": 0}, ValidationError),
        ({"colour": 1}, ConfigError),
    ],
)
async def test_bad_settings_are_refused_before_a_handler_runs(bad, error):
    with pytest.raises(error):
        await compile_in_memory(TAKING).ainvoke({"step_state": {}}, CONFIG, context=bad)


async def test_settings_cannot_be_changed_by_a_handler():
    def changing(ctx: Context, mode: Annotated[str, Arg()] = "a") -> Result:
        ctx.workflow_params.mode = "b"
        return OK, {"mode": mode}

    with pytest.raises(ValidationError, match="frozen"):
        await run_workflow(Workflow("w", StepDef("a", handler=changing, next={OK: None})))

    def writing(ctx: Context) -> Result:
        ctx.workflow_params["mode"] = "b"
        return OK, {}

    with pytest.raises(TypeError):
        await run_workflow(Workflow("w", StepDef("a", handler=writing, next={OK: None})))


async def test_settings_made_of_parameters_can_be_read_like_a_mapping():
    """As the specification's examples do."""

    def reading(ctx: Context, mode: Annotated[str, Arg()] = "a") -> Result:
        assert ctx.workflow_params["mode"] == ctx.workflow_params.get("mode") == mode
        assert ctx.workflow_params.get("size", 3) == 3
        with pytest.raises(KeyError):
            ctx.workflow_params["size"]
        return OK, {"mode": mode}

    workflow = Workflow("w", StepDef("a", handler=reading, next={OK: None}))
    assert (await run_workflow(workflow, params={"mode": "b"})).result == {"mode": "b"}


class Open(BaseModel):
    """Settings that can be changed, in which a step must not reach another one."""

    words: list[str] = []


async def test_what_a_handler_does_to_settings_does_not_reach_the_next_step():
    def changing(ctx: Context) -> Result:
        ctx.workflow_params.words.append("more")
        return OK, {}

    def looking(ctx: Context) -> Result:
        return OK, {"words": ctx.workflow_params.words}

    workflow = Workflow(
        "w",
        StepDef("a", handler=changing, next={OK: "b"}),
        StepDef("b", handler=changing, next={OK: "c"}),
        StepDef("c", handler=looking, next={OK: None}),
        params=Open,
    )
    run = await run_workflow(workflow, params={"words": ["one"]})
    assert run.result["words"] == ["one"]


class Declared(BaseModel):
    mode: Literal["1", "2"] = "1"
    count: int = Field(default=1, le=9)
    is_on: bool = False
    words: list[str] | None = None
    text: str = ""


def test_words_are_read_by_the_type_of_the_setting():
    pairs = ["mode=2", "count=7", "is_on=true", 'words=["a", "b"]', "text=5", "text=x=y"]
    assert parse_params(Declared, pairs) == {
        "mode": "2",
        "count": 7,
        "is_on": True,
        "words": ["a", "b"],
        "text": "x=y",
    }


@pytest.mark.parametrize("pair", ["count=10", "count=many", "mode=3", "words=a", "text"])
def test_words_that_a_setting_does_not_take_are_refused_by_its_name(pair):
    with pytest.raises(InputError, match=pair.partition("=")[0]):
        parse_params(Declared, [pair])


def test_an_unknown_setting_is_refused_with_those_there_are():
    with pytest.raises(UnknownNameError, match="known: count, is_on, mode, text, words"):
        parse_params(Declared, ["colour=red"])
    with pytest.raises(UnknownNameError, match="known: none"):
        parse_params(None, ["colour=red"])
