"""Questions from deep inside: asked on the outermost thread, answered there, nothing repeated."""

from collections import Counter
from typing import Any, Literal

import pytest
from langgraph.types import Command
from pydantic import BaseModel, ValidationError

from paper_search.errors import InputError
from paper_search.persistence import open_persistence
from paper_search.steps import (
    AgentRole,
    Dispatch,
    Option,
    Outcome,
    Question,
    QuestionSheet,
    StepContext,
    StepDef,
    Workflow,
    ask_questions,
)
from paper_search.steps.compiler import compile_in_memory, compile_workflow
from paper_search.steps.constants import SUB_AGENT_QUESTION_FORMAT
from paper_search.steps.running import run_workflow
from paper_search.steps.toolkit.relay import questions_in

OK = Outcome.OK
BLOCK = """<needs_user_input><question id="scope"><text>Which years?</text>
<option value="recent">since 2020</option><option value="all">all</option></question>
</needs_user_input>"""
CONFIG = {"configurable": {"thread_id": "t", "__pregel_strict_resume": True}}


def question(name: str, *values: str) -> Question:
    options = tuple(Option(value=value) for value in values or ("yes", "no"))
    return Question(id=name, text=f"{name}?", options=options)


class State(BaseModel):
    log: list[str] = []
    depth: str = ""
    tone: str = ""


def counted(name: str):
    def handler(ctx: StepContext[State, Any, Counter]) -> tuple[Literal[OK], dict[str, Any]]:
        ctx.services[name] += 1
        return OK, {"log": [*ctx.step_state.log, name]}

    return handler


def asking(ctx: StepContext[State, Any, Counter]) -> tuple[Literal[OK], dict[str, Any]]:
    ctx.services["asking"] += 1
    return OK, ask_questions(ctx, question("depth", "deep", "wide"))


def asking_again(ctx: StepContext[State, Any, Counter]) -> tuple[Literal[OK], dict[str, Any]]:
    ctx.services["asking_again"] += 1
    return OK, ask_questions(ctx, question("tone", "dry", "warm"))


INNERMOST = Workflow(
    "innermost",
    StepDef("prepare", handler=counted("prepare"), next={OK: "ask"}),
    StepDef("ask", handler=asking, next={OK: "work"}),
    StepDef("work", handler=counted("work"), next={OK: "ask_again"}),
    StepDef("ask_again", handler=asking_again, next={OK: "close"}),
    StepDef("close", handler=counted("close"), next={OK: None}),
    state=State,
)
MIDDLE = Workflow(
    "middle",
    StepDef("before", handler=counted("before"), next={OK: "inner"}),
    StepDef("inner", handler=Dispatch(workflow=INNERMOST), next={OK: "after"}),
    StepDef("after", handler=counted("after"), next={OK: None}),
    state=State,
)
OUTERMOST = Workflow(
    "outermost",
    StepDef("first", handler=counted("first"), next={OK: "middle"}),
    StepDef("middle", handler=Dispatch(AgentRole.DEVELOPER, workflow=MIDDLE), next={OK: "last"}),
    StepDef("last", handler=counted("last"), next={OK: None}),
    state=State,
)
ORDER = ["first", "before", "prepare", "work", "close", "after", "last"]


async def open_question(graph: Any) -> Any:
    (interrupt,) = (await graph.aget_state(CONFIG)).interrupts
    return interrupt


async def test_a_question_from_two_workflows_down_waits_on_the_outermost_thread_with_its_schema():
    graph = compile_in_memory(OUTERMOST, services=Counter())
    await graph.ainvoke({"log": []}, CONFIG)
    asked = await open_question(graph)
    assert asked.value["questions"][0]["text"] == "depth?"
    schema = asked.response_schema
    assert schema["properties"]["depth"]["enum"] == ["deep", "wide"]
    assert schema["required"] == ["depth"]
    assert schema["additionalProperties"] is False


async def test_a_restart_between_question_and_answer_repeats_nothing_either(tmp_path):
    """Every part is a program of its own: nothing but the SQLite file goes from one to the next."""
    calls: Counter = Counter()
    answers: list[dict[str, str] | None] = [None, {"depth": "deep"}, {"tone": "warm"}]
    for answer in answers:
        async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as persistence:
            graph = compile_workflow(
                OUTERMOST,
                services=calls,
                checkpointer=persistence.checkpointer,
                store=persistence.store,
            )
            given: Any = {"log": []}
            if answer is not None:
                given = Command(resume={(await open_question(graph)).id: answer})
            result = await graph.ainvoke(given, CONFIG)
    assert (result["log"], result["depth"], result["tone"]) == (ORDER, "deep", "warm")
    assert {name: calls[name] for name in ORDER} == dict.fromkeys(ORDER, 1)


@pytest.mark.parametrize("bad", [{"depth": "high"}, {}, "wide", {"depth": "deep", "more": 1}])
async def test_an_answer_that_is_none_of_the_options_is_refused_and_the_question_stays(bad):
    calls: Counter = Counter()
    graph = compile_in_memory(OUTERMOST, services=calls)
    await graph.ainvoke({"log": []}, CONFIG)
    asked = await open_question(graph)
    with pytest.raises(ValidationError):
        await graph.ainvoke(Command(resume={asked.id: bad}), CONFIG)
    assert await open_question(graph) == asked
    await graph.ainvoke(Command(resume={asked.id: {"depth": "deep"}}), CONFIG)
    assert (await open_question(graph)).value["questions"][0]["id"] == "tone"
    assert calls["prepare"] == calls["work"] == 1


async def test_a_crash_inside_a_sub_workflow_repeats_only_the_step_in_flight():
    calls: Counter = Counter()
    is_broken = True

    def fragile(ctx: StepContext[State, Any, Counter]) -> tuple[Literal[OK], dict[str, Any]]:
        if is_broken:
            raise ConnectionError("away")
        return OK, {"log": [*ctx.step_state.log, "fragile"]}

    inner = Workflow(
        "inner",
        StepDef("prepare", handler=counted("prepare"), next={OK: "fragile"}),
        StepDef("fragile", handler=fragile, next={OK: None}),
        state=State,
    )
    outer = Workflow(
        "outer",
        StepDef("hand_over", handler=Dispatch(workflow=inner), next={OK: None}),
        state=State,
    )
    graph = compile_in_memory(outer, services=calls)
    with pytest.raises(ConnectionError):
        await graph.ainvoke({"log": []}, CONFIG)
    is_broken = False
    result = await graph.ainvoke(None, CONFIG)
    assert result["log"] == ["prepare", "fragile"]
    assert calls["prepare"] == 1


async def test_more_than_three_questions_are_not_asked():
    def greedy(ctx: StepContext[State, Any, Any]) -> tuple[Literal[OK], dict[str, Any]]:
        return OK, ask_questions(ctx, *(question(f"q{n}") for n in range(4)))

    workflow = Workflow("greedy", StepDef("ask", handler=greedy, next={OK: None}), state=State)
    with pytest.raises(InputError, match="1 to 3"):
        await run_workflow(workflow)


@pytest.mark.parametrize("values", [("only",), ("a", "b", "c", "d"), ("same", "same")])
def test_a_question_has_two_or_three_different_options(values):
    with pytest.raises(ValidationError):
        question("which", *values)


def test_a_sheet_has_one_to_three_questions_with_different_ids():
    for names in ([], ["a", "a"], ["a", "b", "c", "d"]):
        with pytest.raises(ValidationError):
            QuestionSheet(questions=tuple(question(name) for name in names))
    assert len(QuestionSheet(questions=(question("a"), question("b"))).questions) == 2


# --- questions of sub-agents that are prompted, in the form of seed 004 ---------------------------


def test_the_example_in_the_prompt_is_read_as_what_it_shows():
    start, end = SUB_AGENT_QUESTION_FORMAT.index("<"), SUB_AGENT_QUESTION_FORMAT.rindex(">") + 1
    (scope,) = questions_in(f"\n{SUB_AGENT_QUESTION_FORMAT[start:end]}\n")
    assert scope == Question(
        id="scope",
        text="Which years?",
        options=(
            Option(value="recent", label="since 2020"),
            Option(value="all", label="all years"),
        ),
    )


@pytest.mark.parametrize(
    "answer",
    ["Which years do you mean?", f"First: {BLOCK}", f"{BLOCK} That is all.", "", "<question/>"],
)
def test_an_answer_that_is_more_than_a_block_asks_nothing(answer):
    assert questions_in(answer) == ()


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<question id='a'><text>a?</text><option value='x'>x</option></question>",
        "<question id='a'>",
        "<question><text>a?</text><option value='x'/><option value='y'/></question>",
        "".join(
            f"<question id='q{n}'><text>?</text><option value='x'/><option value='y'/></question>"
            for n in range(4)
        ),
    ],
)
def test_a_block_in_another_form_is_refused(inside):
    with pytest.raises(InputError, match="cannot be read"):
        questions_in(f"<needs_user_input>{inside}</needs_user_input>")


async def test_a_sub_agent_that_asks_is_started_afresh_with_the_answers():
    prompts: list[dict[str, str]] = []

    def sub_agent(answers: dict[str, str]) -> str:
        prompts.append(dict(answers))
        return "the result" if answers else BLOCK

    def work(ctx: StepContext[Any, Any, Any]) -> tuple[Outcome, dict[str, Any]]:
        answer = sub_agent(ctx.step_state.get("answers", {}))
        if questions := questions_in(answer):
            return Outcome.ITERATE, {"questions": [item.model_dump() for item in questions]}
        return OK, {"text": answer}

    def relay(ctx: StepContext[Any, Any, Any]) -> tuple[Outcome, dict[str, Any]]:
        questions = [Question.model_validate(item) for item in ctx.step_state["questions"]]
        return OK, {"answers": ask_questions(ctx, *questions)}

    relaying = Workflow(
        "relay",
        StepDef("work", handler=work, next={OK: None, Outcome.ITERATE: "ask"}, bound=3),
        StepDef("ask", handler=relay, next={OK: "work"}),
    )
    run = await run_workflow(relaying, answers=[{"scope": "all"}])
    assert run.result["text"] == "the result"
    assert prompts == [{}, {"scope": "all"}]
