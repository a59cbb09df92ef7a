"""A step hands over to a graph that another process serves, and relays its questions."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from langgraph.types import Command
from pydantic import BaseModel
from tests.end_to_end.served import bare_environment, serving_langgraph

from paper_search.errors import DispatchError
from paper_search.persistence import open_persistence
from paper_search.steps import Dispatch, Outcome, Remote, StepContext, StepDef, Workflow
from paper_search.steps.compiler import compile_in_memory, compile_workflow

pytestmark = pytest.mark.slow

OK, FAIL = Outcome.OK, Outcome.FAIL
CONFIG = {"configurable": {"thread_id": "t"}}

SERVED = """
from pathlib import Path
from typing import Annotated, Literal
from pydantic import BaseModel
from paper_search.steps import (
    Arg, Option, Outcome, Question, StepContext, StepDef, Workflow, ask_questions
)
from paper_search.steps.compiler import compile_workflow

OK, FAIL = Outcome.OK, Outcome.FAIL


class State(BaseModel):
    number: int = 0
    doubled: int = 0
    tone: str = ""
    depth: str = ""


def question(name, *values):
    return Question(id=name, text=name, options=tuple(Option(value=v) for v in values))


def double(ctx, factor: Annotated[int, Arg(min=1, max=9)] = 2):
    with Path("calls.log").open("a") as log:
        log.write("double\\n")
    return (FAIL if ctx.step_state.number < 0 else OK), {
        "doubled": ctx.step_state.number * factor
    }


def ask_depth(ctx):
    return OK, ask_questions(ctx, question("depth", "deep", "wide"))


def ask_tone(ctx):
    return OK, ask_questions(ctx, question("tone", "dry", "warm"))


graph = compile_workflow(Workflow(
    "served",
    StepDef("double", handler=double, next={OK: "ask_depth", FAIL: None}),
    StepDef("ask_depth", handler=ask_depth, next={OK: "ask_tone"}),
    StepDef("ask_tone", handler=ask_tone, next={OK: None}),
    state=State,
))
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a `langgraph dev`, and the file in which it counts its work."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "served.py").write_text(SERVED)
    document = {"dependencies": ["."], "graphs": {"served": "./served.py:graph"}}
    (folder / "langgraph.json").write_text(json.dumps(document))
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    with serving_langgraph(bare_environment(folder, **quiet), folder) as process:
        yield process.url, folder / "calls.log"


class State(BaseModel):
    number: int = 0
    doubled: int = 0
    tone: str = ""
    depth: str = ""


def before(ctx: StepContext[State, Any, Counter]) -> tuple[Literal[OK], dict[str, Any]]:
    ctx.services["before"] += 1
    return OK, {}


def table(dispatch: Dispatch) -> Workflow:
    return Workflow(
        "outer",
        StepDef("before", handler=before, next={OK: "hand_over"}),
        StepDef("hand_over", handler=dispatch, next={OK: None, FAIL: None}),
        state=State,
    )


async def open_question(graph: Any) -> Any:
    (interrupt,) = (await graph.aget_state(CONFIG)).interrupts
    return interrupt


async def test_its_questions_are_asked_here_its_answers_go_there_and_nothing_is_done_twice(
    served, tmp_path
):
    """Every part is a program of its own on this side; a refused answer is asked again."""
    url, log = served
    remote = Remote(url, "served")
    workflow = table(Dispatch(remote=remote, params=lambda _ctx: {"factor": 3}))
    calls: Counter = Counter()
    steps: list[Any] = [None, {"depth": "high"}, {"depth": "wide"}, {"tone": "dry"}]
    asked = []
    for answer in steps:
        async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as place:
            graph = compile_workflow(
                workflow, services=calls, checkpointer=place.checkpointer, store=place.store
            )
            given: Any = {"number": 7}
            if answer is not None:
                question = await open_question(graph)
                asked.append(question.value["questions"][0]["id"])
                given = Command(resume={question.id: answer})
            result = await graph.ainvoke(given, CONFIG)
    assert asked == ["depth", "depth", "tone"]
    assert (result["doubled"], result["depth"], result["tone"]) == (21, "wide", "dry")
    assert result["last_outcome"] == "ok"
    assert calls["before"] == 1
    assert log.read_text().splitlines().count("double") == 1


async def test_the_outcome_that_ends_it_is_the_outcome_of_the_step(served):
    url, _ = served
    graph = compile_in_memory(table(Dispatch(remote=Remote(url, "served"))), services=Counter())
    result = await graph.ainvoke({"number": -1}, CONFIG)
    assert result["last_outcome"] == "fail"
    assert result["doubled"] == -2


async def test_a_server_that_cannot_be_reached_is_named_and_the_thread_goes_on_later(served):
    url, _ = served
    is_away = True

    def connect(address: str) -> Any:
        from langgraph_sdk import get_client

        return get_client(url="http://127.0.0.1:9" if is_away else address, api_key=None)

    calls: Counter = Counter()
    workflow = table(Dispatch(remote=Remote(url, "served")))
    graph = compile_in_memory(workflow, services=calls, connect=connect)
    with pytest.raises(DispatchError, match=r"'served' at .* could not be run"):
        await graph.ainvoke({"number": -1}, CONFIG)
    is_away = False
    result = await graph.ainvoke(None, CONFIG)
    assert result["last_outcome"] == "fail"
    assert calls["before"] == 1
