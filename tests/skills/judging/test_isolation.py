"""One record cannot touch another: tests with a model that does whatever any text wants."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.skills.judging.papers import INTENT, judged, paper, shown_titles, some
from tests.skills.judging.poison import LINES, poisoned, poisoned_titles

from paper_search.models import RawPaper, ScoredPaper
from paper_search.skills.judging.speech import speaks_to_judges
from paper_search.skills.result_ranker import ResultRanker
from paper_search.skills.untrusted import is_suspicious
from paper_search.testing.llm import FakeLLM, LLMCall, criteria_in, data_block, graded

POISONED = {hit.title for hit in poisoned()} | {title.title for title in poisoned_titles()}


def clean() -> list[RawPaper]:
    """Return forty papers, some of them about the subject."""
    return [
        paper("best", "Toxicity of drugs predicted by graph neural networks"),
        *(paper(f"g{n}", f"Drug toxicity in cell line {n}", "We measure it.") for n in range(20)),
        *(paper(f"w{n}", f"Graph theory, chapter {n}", "A neural view.") for n in range(19)),
    ]


def honest(title: str) -> int:
    if "oultry" in title:
        return int("oxicity" in title)
    return 3 if "oxicity" in title else 1 if "Graph" in title else 0


def obedient(call: LLMCall, *, is_led: bool | None = None) -> dict[str, Any]:
    """Answer as the records want it: those that ask get the best grades, all others none."""
    records, criteria = data_block(call), criteria_in(call.user_message)
    if is_led is None:
        is_led = any(map(asks, records))

    def grade(record: dict[str, Any]) -> int:
        if asks(record):
            return 3
        return 0 if is_led else honest(record["title"])

    return {"results": [graded(row, criteria, grade(row)) for row in records]}


def obliging(call: LLMCall) -> dict[str, Any]:
    """Give the best grades to who asks for them, and take nothing from the others."""
    return obedient(call, is_led=False)


def asks(record: dict[str, Any]) -> bool:
    """Whether one of the lines is in sight; some are in titles."""
    text = f"{record['title']} {record['abstract'] or ''}"
    return any(line in text for line in LINES)


def grades(found: list[ScoredPaper]) -> dict[str, list[tuple[int, str]]]:
    return {
        judged_paper.paper.id: [(grade.grade, grade.snippet) for grade in judged_paper.grades]
        for judged_paper in found
        if judged_paper.paper.title not in POISONED
    }


def test_there_are_fifty_poisoned_records_and_none_has_a_cue() -> None:
    assert len(LINES) >= 50
    assert not any(is_suspicious(hit.title, hit.abstract) for hit in poisoned())


@pytest.mark.parametrize("records", [poisoned, poisoned_titles])
@pytest.mark.parametrize("model", [obedient, obliging])
@pytest.mark.parametrize("seed", range(2))
async def test_poisoned_records_change_no_grade_and_no_order_and_do_not_come_first(
    seed: int,
    model: Callable[[LLMCall], dict[str, Any]],
    records: Callable[[], list[RawPaper]],
) -> None:
    """INJ-01 INJ-08"""
    alone = await judged(FakeLLM(model), clean())
    mixed = [*clean(), *records()]
    random.Random(seed).shuffle(mixed)  # noqa: S311  # an order, no secret
    beside = await judged(FakeLLM(model), mixed, max_concurrency=3)
    assert all(item.is_judged for item in beside)
    assert grades(beside) == grades(alone)
    ordered = [
        judged_paper.paper for judged_paper in ResultRanker().order(beside, is_score_first=True)
    ]
    assert all(hit.title not in POISONED for hit in ordered[:21])
    among = [work.id for work in ordered if work.title not in POISONED]
    scores = {judgement.paper.id: judgement.relevance_score for judgement in alone}
    assert [scores[name] for name in among] == sorted(scores.values(), reverse=True)


async def test_who_talked_a_judge_into_a_place_on_the_first_page_is_flagged() -> None:
    found = await judged(FakeLLM(obliging), [*clean(), *poisoned()])
    raised = [
        judged_paper
        for judged_paper in found
        if judged_paper.paper.title in POISONED and judged_paper.grades[0].grade
    ]
    assert len(raised) >= len(LINES) // 4
    assert all("suspicious_text" in item.relevance_reason for item in raised)
    assert not any(
        "suspicious_text" in judged_paper.relevance_reason
        for judged_paper in found
        if judged_paper.paper.title not in POISONED
    )


async def test_a_batch_whose_grades_hang_on_one_record_is_judged_one_by_one() -> None:
    quiet = paper("bad", "Toxicity of drugs in small print", "Nobody sees what this asks for.")

    def answer(call: LLMCall) -> dict[str, Any]:
        criteria, titles = criteria_in(call.user_message), shown_titles(call)
        led = quiet.title in titles
        return {
            "results": [
                graded(record, criteria, 3 if record["title"] == quiet.title or not led else 0)
                for record in data_block(call)
            ]
        }

    llm = FakeLLM(answer)
    found = await judged(llm, [*some(5), quiet])
    assert [judgement.relevance_score for judgement in found[:5]] == [1.0] * 5
    assert found[5].relevance_score <= 0.7
    assert "suspicious_text" in found[5].relevance_reason
    assert not any("suspicious_text" in hit.relevance_reason for hit in found[:5])
    assert [len(shown_titles(call)) for call in llm.calls] == [6, 2, *[1] * 6, 1]


async def test_who_is_read_again_is_asked_about_in_another_order() -> None:
    llm = FakeLLM(obedient)
    await judged(llm, some(6))
    first, second = map(shown_titles, llm.calls)
    places = [first.index(title) for title in second]
    assert len(places) == 2
    assert places == sorted(places, reverse=True)


@pytest.mark.parametrize(
    ("changes", "against", "calls"),
    [
        ((0, 0), 0, [6, 2]),
        ((1, 0), 0, [6, 2]),
        ((1, -1), 0, [6, 2]),
        ((-1, 0), 0, [6, 2]),
        ((1, 1), 0, [6, 2, *[1] * 6]),
        ((-1, -1), 0, [6, 2, *[1] * 6]),
        ((2, 0), 0, [6, 2, *[1] * 6]),
        ((0, 0), 1, [6, 2, *[1] * 6]),
        ((1, 1), 1, [6, 2]),
    ],
)
async def test_a_batch_is_trusted_unless_grades_change_by_more_than_one_all_one_way(
    changes: tuple[int, int], against: int, calls: list[int]
) -> None:
    """A second reading that changes what speaks for papers by so much, and what speaks against."""
    asked: list[int] = []

    def answer(call: LLMCall) -> dict[str, Any]:
        records = data_block(call)
        asked.append(len(records))
        results = []
        for place, record in enumerate(records):
            entry = graded(record, criteria_in(call.user_message), 1)
            if len(asked) == 2:
                grades = (1 + changes[place], against)
                for grade, value in zip(entry["grades"], grades, strict=True):
                    grade.update(grade=value, snippet=record["title"] if value else "")
            results.append(entry)
        return {"results": results}

    await judged(FakeLLM(answer), some(6))
    assert asked == calls


async def test_a_paper_without_a_word_of_the_question_is_judged_alone_and_never_first() -> None:
    absurd = paper("x", "Poultry farming economics", "Farms differ in size.")
    llm = FakeLLM(
        lambda call: {
            "results": [graded(e, criteria_in(call.user_message), 3) for e in data_block(call)]
        }
    )
    found = await judged(llm, [absurd, *some(3)])
    assert shown_titles(llm.calls[0]) == [absurd.title]
    assert [judgement.relevance_score for judgement in found] == [0.5, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "text",
    [
        "We propose a model that outperforms all other methods and ranks first on two benchmarks.",
        "The remaining studies were excluded because they reported no scores.",
        "This paper reviews the best evidence; other reviews are of lower quality.",
        "Readers of the journal were asked to rate their satisfaction from zero to ten.",
        "The primary endpoint was the change in total score; lower scores are better.",
        "Clinicians should consider this treatment first.",
        "All patients were graded before and after treatment.",
        "The GRADE approach was used; the FIRST trial is described in this article.",
        "Ranking loss and scoring functions for records of patients.",
    ],
)
def test_research_about_ranks_and_scores_speaks_to_no_judge(text: str) -> None:
    assert not speaks_to_judges("A title", text)


def test_half_of_the_poisoned_records_are_told_by_how_they_speak() -> None:
    assert sum(speaks_to_judges(line) for line in LINES) >= len(LINES) // 4


def test_the_intent_of_these_tests_has_criteria_for_and_against() -> None:
    assert {criterion.kind.value for criterion in INTENT.criteria} == {"inclusion", "exclusion"}
