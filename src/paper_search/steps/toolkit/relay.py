"""Questions to the person from workflows at any depth inside others."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from paper_search.errors import InputError
from paper_search.steps.types import StepContext

MAX_QUESTIONS = 3
MIN_OPTIONS, MAX_OPTIONS = 2, 3

TAG = "needs_user_input"
SUB_AGENT_QUESTION_FORMAT = f"""\
If you cannot go on without a decision of the user, save your progress first. Then answer with this
block and nothing else: 1 to {MAX_QUESTIONS} questions, each with {MIN_OPTIONS} or {MAX_OPTIONS} \
distinct options.

<{TAG}>
<question id="scope"><text>Which years?</text>
<option value="recent">since 2020</option><option value="all">all years</option></question>
</{TAG}>

You will be started afresh with the answers, and read your progress back."""
"""Part of a sub-agent's prompt: how to ask."""
QUESTION_RELAY_HANDLER = f"""\
If the whole answer of the sub-agent is a <{TAG}> block, put its questions to the user, each with
its options. Then start the sub-agent afresh with the answers. Never answer in the user's place."""
"""Part of the calling agent's prompt: how to pass questions on."""


class Option(BaseModel, frozen=True, extra="forbid"):
    value: str = Field(min_length=1)
    label: str = ""
    """The text that the person reads; empty for the value."""


class Question(BaseModel, frozen=True, extra="forbid"):
    """One question with the answers that there are."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    text: str = Field(min_length=1)
    options: tuple[Option, ...] = Field(min_length=MIN_OPTIONS, max_length=MAX_OPTIONS)

    @model_validator(mode="after")
    def _has_distinct_options(self) -> "Question":
        values = [option.value for option in self.options]
        if len(set(values)) < len(values):
            raise ValueError(f"two options of {self.id!r} have the same value")
        return self


class QuestionSheet(BaseModel, frozen=True, extra="forbid"):
    """The questions that a step asks together."""

    questions: tuple[Question, ...] = Field(min_length=1, max_length=MAX_QUESTIONS)

    @model_validator(mode="after")
    def _has_distinct_questions(self) -> "QuestionSheet":
        ids = [question.id for question in self.questions]
        if len(set(ids)) < len(ids):
            raise ValueError("two questions have the same id")
        return self

    @property
    def answer_model(self) -> type[BaseModel]:
        """Return the model of the answers: for each question, one of its options."""
        fields: dict[str, Any] = {
            question.id: (
                Literal[tuple(option.value for option in question.options)],
                Field(description=question.text),
            )
            for question in self.questions
        }
        config = ConfigDict(frozen=True, extra="forbid")
        return create_model("Answers", __config__=config, **fields)


def questions_in(answer: str) -> tuple[Question, ...]:
    """Return the questions of a sub-agent if its whole answer is a block of them; else none.

    Raises:
        InputError: the block does not have the form of `SUB_AGENT_QUESTION_FORMAT`.
    """
    text = answer.strip()
    if not (text.startswith(f"<{TAG}>") and text.endswith(f"</{TAG}>")):
        return ()
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415  # only where an agent asks

    from defusedxml import DefusedXmlException  # noqa: PLC0415  # as above
    from defusedxml.ElementTree import fromstring  # noqa: PLC0415  # as above

    try:
        sheet = QuestionSheet(
            questions=tuple(
                Question(
                    id=question.get("id", ""),
                    text=(question.findtext("text") or "").strip(),
                    options=tuple(
                        Option(value=option.get("value", ""), label=(option.text or "").strip())
                        for option in question.findall("option")
                    ),
                )
                for question in fromstring(text).findall("question")
            )
        )
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise InputError(f"the sub-agent's questions cannot be read: {error}") from error
    return sheet.questions


def ask_questions(ctx: StepContext[Any, Any, Any], *questions: Question) -> dict[str, str]:
    """Ask the person on the outermost thread; return the chosen values by question.

    The step should do nothing else, because it runs again from its beginning when the answer
    arrives. Steps before it do not.

    Args:
        ctx: the context of the step.
        questions: at most 3, with 2 or 3 options each.

    Raises:
        InputError: there are more, or two with one id.
        PersistenceError: the workflow was started without a way to ask.
    """
    try:
        sheet = QuestionSheet(questions=questions)
    except ValueError as error:
        raise InputError(
            f"step {ctx.step_id!r} may ask 1 to {MAX_QUESTIONS} different questions: {error}"
        ) from error
    answers: BaseModel = ctx.ask(sheet, sheet.answer_model)
    return answers.model_dump(mode="json")
