"""Every field and value of an answer is explained in its prompt, and grades run as the code scores.

The wording as a whole is pinned by `test_rendered`; here stands what must be true of any wording.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from paper_search.llm.structured import json_object
from paper_search.models import Criterion, CriterionKind, Grade, IntentType, PaperTag
from paper_search.prompts import load_prompt, shipped_prompts
from paper_search.report.analyst import AnalysisAnswer, FindingAnswer
from paper_search.report.models import Category, Depth, Severity, Style
from paper_search.report.planner import PlanAnswer, PlannedQuery
from paper_search.report.reviewer import ReviewAnswer, SupportAnswer
from paper_search.report.writer import DraftAnswer, FrameAnswer, SectionAnswer
from paper_search.skills.deduplicator import GroupsAnswer
from paper_search.skills.intent_parser import IntentAnswer
from paper_search.skills.judging.judgement import BatchAnswer, Judgement, judgements_in, score_of
from paper_search.skills.judging.question import PromptPaper
from paper_search.skills.strategy.answer import StrategyAnswer

ANSWERS: dict[str, list[type[BaseModel]]] = {
    "intent_parser": [IntentAnswer],
    "query_builder": [StrategyAnswer],
    "relevance_scorer": [BatchAnswer],
    "deduplicator": [GroupsAnswer],
    "report_planner": [PlanAnswer],
    "report_analyst": [AnalysisAnswer],
    "report_writer": [DraftAnswer, SectionAnswer, FrameAnswer],
    "report_reviewer": [ReviewAnswer],
    "report_support": [SupportAnswer],
}
PARTS: dict[str, type[BaseModel]] = {
    "report_planner": PlannedQuery,
    "report_analyst": FindingAnswer,
}
"""What the example of a prompt shows, where it is not the whole answer."""


def fields_in(schema: Any) -> Iterator[str]:
    """Return the names of all fields of an answer and of its parts."""
    for part in [schema, *schema.get("$defs", {}).values()]:
        yield from part.get("properties", {})


FIELDS = sorted(
    {
        (prompt, field)
        for prompt, models in ANSWERS.items()
        for model in models
        for field in fields_in(model.model_json_schema())
    }
)


def explanations(prompt: str) -> list[str]:
    """Return the lines of a prompt but its example."""
    return [line for line in load_prompt(prompt).splitlines() if not line.startswith("{")]


def line_on(prompt: str, name: str) -> str:
    [line] = [line for line in explanations(prompt) if line.startswith(f"- `{name}`: ")]
    return line


def test_every_prompt_for_an_answer_is_looked_at():
    domains = {name for name in shipped_prompts().names() if name.startswith("domain_")}
    assert {*ANSWERS, *domains} == {*shipped_prompts().names()}


@pytest.mark.parametrize(("prompt", "field"), FIELDS)
def test_every_field_of_an_answer_is_explained(prompt, field):
    """A line names it, and says something besides."""
    lines = [line for line in explanations(prompt) if f"`{field}`" in line]
    assert any(len(re.sub(r"`[^`]*`", "", line).split()) >= 3 for line in lines)


@pytest.mark.parametrize("prompt", ANSWERS)
def test_the_example_of_a_prompt_is_an_answer_that_is_taken_whole(prompt):
    [text] = [line for line in load_prompt(prompt).splitlines() if line.startswith("{")]
    model, example = PARTS.get(prompt, ANSWERS[prompt][0]), json_object(text)
    answer = model.model_validate(example).model_dump(mode="json", exclude_unset=True)
    assert {*example} <= {*model.model_fields}
    assert {*answer} == {*example}


@pytest.mark.parametrize(
    ("prompt", "field", "values"),
    [
        ("intent_parser", "intent_type", [kind.value for kind in IntentType]),
        ("intent_parser", "criteria", [kind.value for kind in CriterionKind]),
        ("relevance_scorer", "tags", [tag.value for tag in PaperTag]),
        ("report_writer", "style", get_args(Style)),
        ("report_analyst", "grade", ["strong", "moderate", "weak"]),
        ("report_reviewer", "severity", get_args(Severity)),
        ("report_support", "verdict", get_args(SupportAnswer.model_fields["verdict"].annotation)),
    ],
)
def test_every_value_of_a_field_is_named_where_the_field_is_explained(prompt, field, values):
    named = set(re.findall(r"`([^`]*)`", line_on(prompt, field)))
    assert {*values} <= named


def test_criteria_of_a_review_and_depths_of_a_plan_are_explained():
    assert all(line_on("report_reviewer", name) for name in get_args(Category))
    [depth] = [line for line in explanations("report_planner") if line.startswith("- Depth: ")]
    assert all(name in depth for name in get_args(Depth))


# --- scales ---------------------------------------------------------------------------------------


def scores_by_meaning(kind: CriterionKind) -> dict[str, float]:
    """Return what the code makes of each grade, by what the prompt says that the grade means."""
    steps = re.findall(r"(\d): ([^;.]+)", line_on("relevance_scorer", "grade"))
    criterion = Criterion(text="c", kind=kind, weight=3)
    return {
        meaning: score_of([Grade(criterion=criterion, grade=int(grade))])
        for grade, meaning in steps
    }


def test_the_grade_that_means_fully_gives_the_best_score_and_the_one_that_means_nothing_none():
    assert scores_by_meaning(CriterionKind.INCLUSION) == {
        "the paper meets the criterion fully": 1.0,
        "mostly": 0.6667,
        "it meets a part of it, or something close to it": 0.3333,
        "nothing in title, abstract or keywords says so": 0.0,
    }


def test_a_paper_that_is_what_is_to_be_excluded_gets_nothing():
    [rule] = re.findall(r"Exclusions: .*: (\d) where the paper is what is to be excluded", JUDGE)
    against = Criterion(text="c", kind=CriterionKind.EXCLUSION, weight=3)
    assert score_of([Grade(criterion=against, grade=int(rule))]) == 0.0
    assert scores_by_meaning(CriterionKind.EXCLUSION)["the paper meets the criterion fully"] == 0.0


JUDGE = load_prompt("relevance_scorer")


def test_the_example_of_the_judge_is_judged_as_its_words_say():
    title, abstract = re.findall(r'the title "([^"]+)".*reads "([^"]+)"', JUDGE)[0]
    [text] = [line for line in JUDGE.splitlines() if line.startswith("{")]
    measured = Criterion(text="It measures sleep")
    children = Criterion(text="It is about children", kind=CriterionKind.EXCLUSION)
    paper = PromptPaper("pmid:1", title, abstract, None, None)
    answer = BatchAnswer.model_validate(json_object(text))
    [judgement] = judgements_in(answer, [paper], [measured, children])
    assert isinstance(judgement, Judgement)
    assert judgement.score == 1.0


def test_a_criterion_that_decides_weighs_more_than_one_that_counts_much():
    steps = re.findall(r"(\d) \(([a-z ]+)\)", line_on("intent_parser", "criteria"))
    weights = {meaning: int(weight) for weight, meaning in steps}
    assert [*weights] == ["the question would rather have it", "counts much", "decides"]

    def weighed(weight: int) -> float:
        met, other = Criterion(text="met", weight=weight), Criterion(text="not met")
        return score_of([Grade(criterion=met, grade=3), Grade(criterion=other, grade=0)])

    light, heavy, decisive = map(weighed, weights.values())
    assert light < heavy < decisive
