"""How a model is asked about many papers: calls, failures, and what is kept."""

import asyncio
import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.skills.judging.papers import (
    INTENT,
    Shelf,
    answering,
    judged,
    paper,
    shown_titles,
    sizes,
    some,
    title_of,
)

from paper_search.errors import (
    LLMAuthError,
    LLMError,
    LLMFailure,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMTimeoutError,
    ModelCallLimitError,
)
from paper_search.llm.chat import instruction_tokens
from paper_search.llm.metering import expected_tokens
from paper_search.models import NOT_NEEDED, Criterion, MarkedPaper, PaperTag
from paper_search.skills import RelevanceScorer
from paper_search.skills.judging.judgement import BatchAnswer, key_of, model_name
from paper_search.skills.judging.question import (
    PromptPaper,
    characters_of,
    criteria_of,
    message,
)
from paper_search.skills.judging.run import cost_of_judging, prompt_digest
from paper_search.testing.llm import FakeLLM, LLMCall, data_block, grades_of

QUOTA = LLMRateLimitError("used up", reason=LLMFailure.QUOTA)


@given(st.integers(0, 40), st.integers(1, 12), st.integers(1, 6), st.data())
@examples(40)
async def test_as_many_calls_are_made_as_were_announced_whatever_is_answered(
    count, batch_size, at_once, data
):
    answers = [grades_of({}), lambda _call: {"results": []}, LLMRefusalError("no"), "no JSON"]
    llm = FakeLLM(data.draw(st.permutations([*answers, *[grades_of({})] * 40])))
    options = {"batch_size": batch_size, "max_concurrency": at_once}
    found = await judged(llm, some(count), **options)
    announced = cost_of_judging(count, batch_size, criteria=2).calls
    assert llm.call_count == announced == math.ceil(count / batch_size)
    assert [item.paper for item in found] == some(count)
    assert llm.most_running <= at_once


@pytest.mark.parametrize("characters", [0, 500, 2_900])
async def test_tokens_are_announced_by_the_question_and_the_papers_as_a_model_is_shown_them(
    characters,
):
    llm = FakeLLM(grades_of({}))
    papers = [item.model_copy(update={"abstract": "a" * characters}) for item in some(4)]
    await judged(llm, papers, batch_size=2)
    asked = [
        instruction_tokens(call.system_prompt, BatchAnswer)
        + expected_tokens(len(call.user_message))
        for call in llm.calls
    ]
    question = message(INTENT.question or INTENT.topic, criteria_of(INTENT), [], [])
    cost = cost_of_judging(4, 2, 2, question=question, paper_chars=characters_of(papers))
    assert cost.asked == pytest.approx(sum(asked), rel=0.01)


async def test_until_a_model_has_answered_one_question_is_open_then_as_many_as_may_be():
    llm = FakeLLM(grades_of({}), delay_s=0.01)
    await judged(llm, some(40), batch_size=4, max_concurrency=3)
    assert llm.most_running == 3
    dead = FakeLLM(LLMError("500", reason=LLMFailure.SERVER), delay_s=0.01)
    await judged(dead, some(40), batch_size=4, max_concurrency=3)
    assert (dead.most_running, dead.call_count) == (1, 6)
    never = FakeLLM(grades_of({}))
    assert len(await judged(never, some(3), batch_size=0, max_concurrency=0)) == 3
    assert sizes(never) == [1, 1, 1]
    usual = FakeLLM(grades_of({}))
    await RelevanceScorer(usual).score(some(95), INTENT)
    assert (usual.most_running, sizes(usual)) == (5, [*[10] * 9, 5])


async def test_a_slow_question_holds_up_no_other():
    others = asyncio.Event()

    class Slow(FakeLLM):
        async def complete_json(self, *args: Any) -> dict[str, Any]:
            answer = await super().complete_json(*args)
            if shown_titles(LLMCall(*args)) == [title_of(1)]:
                await others.wait()
            elif self.call_count == 10:
                others.set()
            return answer

    llm = Slow(grades_of({}))
    async with asyncio.timeout(10):
        assert all(item.is_judged for item in await judged(llm, some(10), max_concurrency=2))


def broken(**changes: Any) -> FakeLLM:
    """Return a judge whose entry for the first paper is wrong."""

    def entry(whole: dict[str, Any], record: dict[str, Any]) -> Any:
        if record["title"] != title_of(0):
            return whole
        first = {**whole["grades"][0], **changes.get("grade", {})}
        changed = {"grades": [first, *whole["grades"][1:]], **changes.get("entry", {})}
        return None if changes.get("is_missing") else {**whole, **changed}

    return answering(entry)


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"is_missing": True}, "no answer for it"),
        ({"entry": {"paper_id": "invented"}}, "no answer for it"),
        ({"entry": {"paper_id": 7}}, "no answer for it"),
        *(
            ({"entry": {"grades": grades}}, "criterion 1 has no grade from 0 to 3")
            for grades in ([7, "x", {"criterion": True}], [], None)
        ),
        *(
            ({"grade": {"grade": grade}}, "criterion 1 has no grade from 0 to 3")
            for grade in (85, 4, -1, 1.5, True, "high", None)
        ),
        ({"grade": {"criterion": 2}}, "criterion 1 has no grade from 0 to 3"),
        ({"grade": {"snippet": "words that nobody wrote"}}, "criterion 1: the snippet is not in"),
        (
            {"grade": {"snippet": None}},
            "criterion 1: the snippet is not in its title, abstract or keywords",
        ),
    ],
)
async def test_a_paper_with_a_bad_entry_is_unjudged_and_never_zero(changes, why, batch_size):
    """LLM-05 LLM-08"""
    first, *rest = await judged(broken(**changes), some(4), batch_size=batch_size)
    [lexical] = RelevanceScorer().by_words([some(4)[0]], INTENT)
    assert (first.is_judged, first.relevance_score) == (False, lexical.relevance_score)
    assert first.relevance_score > 0
    assert (first.unjudged_because or "").startswith(why)
    assert first.relevance_reason == (
        f"Scoring unavailable: {first.unjudged_because}; {lexical.relevance_reason}"
    )
    assert [judgement.relevance_score for judgement in rest] == [1.0, 1.0, 1.0]


async def test_a_keyword_may_show_a_criterion_as_a_whole():
    """It is no part of the abstract."""
    answer = answering(
        lambda entry, _: (
            entry
            | {"grades": [{**grade, "grade": 3, "snippet": "Drug"} for grade in entry["grades"]]}
        )
    )
    with_keyword = paper("p1", "Toxicity", "Of old.", keywords=["drug", "heart disease"])
    [found] = await judged(answer, [with_keyword])
    assert {grade.snippet for grade in found.grades} == {"drug"}
    [record] = data_block(answer.calls[0])
    assert (record["abstract"], record["keywords"]) == ("Of old.", ["drug", "heart disease"])


@pytest.mark.parametrize(
    "grade",
    [
        {"grade": "3", "criterion": "1"},
        {"grade": 3.0, "criterion": 1.0},
        {"snippet": "‘TOXICITY  of drug number 0’..."},
    ],
)
async def test_a_grade_that_is_only_written_otherwise_is_taken(grade):
    found = await judged(broken(grade=grade), some(3))
    assert found[0].relevance_score == 1.0
    assert found[0].grades[0].snippet == title_of(0)


async def test_answers_that_are_swapped_or_given_twice_are_not_taken():
    """LLM-08 LLM-09"""

    def swapped(call: LLMCall) -> dict[str, Any]:
        answer = grades_of({})(call)
        first, second, third, _ = answer["results"]
        first["paper_id"], second["paper_id"] = second["paper_id"], first["paper_id"]
        answer["results"].append(third)
        return answer

    found = await judged(FakeLLM(swapped), some(4), batch_size=4)
    assert [item.unjudged_because for item in found] == [
        *["criterion 1: the snippet is not in its title, abstract or keywords"] * 2,
        "it was answered twice",
        None,
    ]


# --- answers in the form of the first interface --------------------------------------------------


@pytest.mark.parametrize("is_bare", [True, False])
@pytest.mark.parametrize("batch_size", [1, 10])
async def test_an_answer_with_a_score_and_a_reason_is_read(batch_size, *, is_bare):
    def answer(call: LLMCall) -> Any:
        entries = [
            {
                "paper_id": record["paper_id"],
                "relevance_score": 0.7,
                "relevance_reason": f"On {record['title']}",
                "tags": ["method"],
            }
            for record in data_block(call)
        ]
        return entries if is_bare else {"results": entries}

    shelf = Shelf()
    found = await judged(FakeLLM(answer), some(3), batch_size=batch_size, cache=shelf)
    assert [(item.relevance_score, item.relevance_reason, item.tags) for item in found] == [
        (0.7, f"On {title_of(number)}", [PaperTag.METHOD]) for number in range(3)
    ]
    assert all(item.is_judged and not item.grades for item in found)
    again = FakeLLM(AssertionError("asked"))
    assert await judged(again, some(3), cache=shelf) == found


@pytest.mark.parametrize("score", [1.7, -0.1, 85, float("nan"), "high", True, None])
async def test_a_score_that_is_none_leaves_its_paper_unjudged(score):
    """LLM-05"""
    entry = {"paper_id": "p0", "relevance_score": score, "relevance_reason": "x"}
    [found] = await judged(FakeLLM({"results": [entry]}), some(1))
    assert not found.is_judged
    assert found.relevance_reason.startswith("Scoring unavailable")


# --- failures -------------------------------------------------------------------------------------


def on_scale(*grades: int) -> FakeLLM:
    """Return a judge that gives the papers these grades for the first criterion, in turn."""
    turns = itertools.cycle(grades)

    def entry(whole: dict[str, Any], _: dict[str, Any]) -> dict[str, Any]:
        first, *rest = whole["grades"]
        return {**whole, "grades": [{**first, "grade": next(turns)}, *rest]}

    return answering(entry)


@pytest.mark.parametrize(
    ("llm", "highest"),
    [
        (on_scale(1, 2, 3, 4, 5), 5),
        (on_scale(3, 0, 80, 1, 100), 100),
        (
            FakeLLM(
                lambda call: {
                    "results": [
                        {"paper_id": paper_id, "relevance_score": 1 if paper_id == "p0" else 85}
                        for paper_id in [record["paper_id"] for record in data_block(call)]
                    ]
                }
            ),
            85,
        ),
    ],
)
async def test_a_model_that_grades_on_another_scale_is_named_and_no_grade_of_it_counts(
    llm, highest
):
    """LLM-05"""
    shelf = Shelf()
    found = await judged(llm, some(5), cache=shelf)
    why = f"the model graded on another scale: up to {highest} where 0 to 3 was asked for"
    assert {hit.unjudged_because for hit in found} == {why}
    assert max(hit.relevance_score for hit in found) < 1.0
    again = FakeLLM(grades_of({}))
    await judged(again, some(5), cache=shelf)
    assert again.call_count == 5


async def test_one_slip_beyond_the_scale_costs_one_paper_and_nothing_else_is_asked_for_ever():
    found = await judged(on_scale(4, *[3] * 29), some(30))
    assert [hit.is_judged for hit in found] == [False] + [True] * 29
    llm = on_scale(85)
    assert not any(hit.is_judged for hit in await judged(llm, some(100)))
    assert llm.call_count == 6


@pytest.mark.parametrize(
    ("criterion", "snippet", "grade"),
    [
        ("It measures sleep", "slept 31 minutes less", 2),
        ("It measures sleep", "Sleep of adults", 3),
        ("It is about heart attack", "after a myocardial infarction", 3),
        ("It is about heart attack", "In this paper we report", 2),
    ],
)
async def test_a_quotation_that_says_nothing_of_the_criterion_carries_no_full_grade(
    criterion, snippet, grade
):
    entry = {
        "paper_id": "p",
        "grades": [{"criterion": n, "grade": 3, "snippet": snippet} for n in (1, 2)],
    }
    intent = INTENT.with_criteria([Criterion(text=criterion), Criterion(text=f"{criterion} too")])
    given = paper("p", "A study", f"Results: {snippet} than before.")
    [found] = await RelevanceScorer(FakeLLM({"results": [entry]})).score([given], intent)
    assert [each.grade for each in found.grades] == [grade, grade]


@pytest.mark.parametrize(
    ("failure", "calls", "why"),
    [
        (LLMAuthError("no"), 1, "key refused"),
        (QUOTA, 1, "quota exceeded"),
        (LLMError("404", reason=LLMFailure.UNKNOWN_MODEL), 1, "unknown model"),
        (ModelCallLimitError("4 tokens left"), 1, "4 tokens left"),
        (LLMError("500", reason=LLMFailure.SERVER), 6, "server error"),
        (LLMRateLimitError("wait"), 6, "rate limit"),
        (LLMTimeoutError("slow"), 6, "time-out"),
        (RuntimeError("bug"), 6, "failure of the model"),
        (LLMLengthError("cut off", reason=LLMFailure.ANSWER_TOO_LONG), 6, "answer cut off"),
        (LLMRefusalError("no"), 100, "refusal"),
        ("no JSON at all", 6, "unreadable answer"),
    ],
)
async def test_a_model_that_cannot_answer_is_asked_a_few_times_and_every_paper_says_why(
    failure, calls, why
):
    """LLM-01 LLM-03 LLM-14 LLM-15"""
    llm = FakeLLM(failure)
    found = await judged(llm, some(100), max_concurrency=5)
    assert llm.call_count == calls
    last = f"not asked after 6 failures in a row: {why}"
    assert {hit.unjudged_because for hit in found} == {why, *([last] if calls == 6 else [])}
    lexical = RelevanceScorer().by_words(some(100), INTENT)
    assert [judgement.relevance_score for judgement in found] == [
        judgement.relevance_score for judgement in lexical
    ]


async def test_a_paper_that_no_model_judged_has_the_tags_that_its_title_or_abstract_gives():
    papers = [paper("p0", "A survey of parsing"), paper("p1", "Parsing", "We propose a framework.")]
    found = await judged(FakeLLM(QUOTA), papers)
    assert [scored.tags for scored in found] == [[PaperTag.REVIEW], [PaperTag.METHOD]]


async def test_a_failure_that_passes_costs_the_papers_of_its_question():
    fine, down = grades_of({}), LLMError("500", reason=LLMFailure.SERVER)
    llm = FakeLLM([*[down] * 5, fine, *[down] * 5, fine])
    found = await judged(llm, some(20))
    assert [hit.is_judged for hit in found] == [*[False] * 5, True, *[False] * 5, *[True] * 9]


async def test_papers_that_a_model_refuses_do_not_keep_the_others_from_it():
    """LLM-04"""

    def answer(call: LLMCall) -> Any:
        is_bad = shown_titles(call)[0] in {title_of(number) for number in range(8)}
        return LLMRefusalError("no") if is_bad else grades_of({})(call)

    found = await judged(FakeLLM(answer), some(20))
    assert [hit.unjudged_because for hit in found] == [*["refusal"] * 8, *[None] * 12]


# --- who is judged --------------------------------------------------------------------------------


async def test_only_the_first_papers_are_judged_where_so_many_are_asked_for():
    llm = FakeLLM(grades_of({}))
    found = await judged(llm, some(30), most=20)
    assert [hit.is_judged for hit in found] == [True] * 20 + [False] * 10
    assert (llm.call_count, found[-1].unjudged_because) == (20, NOT_NEEDED)
    assert all(hit.is_judged for hit in await judged(FakeLLM(grades_of({})), some(130)))


async def test_a_paper_that_the_person_marked_is_not_paid_for():
    llm = FakeLLM(grades_of({}))
    marks = [
        MarkedPaper(id="old", title=title_of(0), is_relevant=True),
        MarkedPaper(id="p1", title=title_of(1), is_relevant=False),
    ]
    papers = some(3)
    papers[0] = papers[0].model_copy(update={"merged_from": ["p0", "old"]})
    first, second, third = await judged(llm, papers, *marks)
    assert first.relevance_score >= 0.95
    assert second.relevance_score <= 0.05
    assert first.relevance_reason.startswith("marked relevant;")
    assert (third.relevance_score, sizes(llm)) == (0.6667, [1])


# --- judgements that were made before -------------------------------------------------------------


async def test_a_kill_in_the_middle_of_a_question_loses_what_is_in_it_and_no_more():
    shelf, hangs = Shelf(), asyncio.Event()

    class Hanging(FakeLLM):
        async def complete_json(self, *args: Any) -> dict[str, Any]:
            if self.call_count == 4:
                hangs.set()
                await asyncio.sleep(60)
            return await super().complete_json(*args)

    running = asyncio.create_task(judged(Hanging(grades_of({})), some(30), cache=shelf))
    await hangs.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(shelf.rows) == 4


@pytest.mark.parametrize(
    ("change", "is_known"),
    [
        ({}, True),
        ({"weights": [2, 3]}, True),
        ({"texts": ["It predicts toxicity", "It is a review"]}, False),
        ({"kind": "inclusion"}, False),
        ({"model": "other"}, False),
        ({"abstract": "More is known of drugs now."}, False),
        ({"id": "another"}, True),
    ],
)
async def test_a_judgement_is_of_one_paper_by_its_criteria_its_model_and_its_prompt(
    change, *, is_known
):
    shelf = Shelf()
    first = FakeLLM(grades_of({}, default=3))
    first.model = "one"  # type: ignore[attr-defined]  # as providers have it
    await judged(first, some(1), cache=shelf)
    criteria = [
        Criterion(text=text, kind=change.get("kind", row.kind), weight=weight)
        for row, text, weight in zip(
            INTENT.criteria,
            change.get("texts", [criterion.text for criterion in INTENT.criteria]),
            change.get("weights", [1, 1]),
            strict=True,
        )
    ]
    llm = FakeLLM(grades_of({}, default=3))
    llm.model = change.get("model", "one")  # type: ignore[attr-defined]  # as above
    given = paper(change.get("id", "p0"), title_of(0), change.get("abstract"))
    [found] = await RelevanceScorer(llm).score([given], INTENT.with_criteria(criteria), cache=shelf)
    assert llm.call_count == (0 if is_known else 1)
    assert [grade.criterion for grade in found.grades] == criteria
    by = (PromptPaper.of(given), INTENT.topic, criteria, model_name(llm), prompt_digest())
    assert key_of(*by) in shelf.rows


@pytest.mark.parametrize(
    "row", [{}, {"grades": [[3, "x"]]}, {"grades": [[9, "x"], [0, ""]]}, {"grades": 7}]
)
async def test_a_kept_judgement_that_cannot_be_read_is_asked_for_again(row):
    shelf = Shelf()
    await judged(FakeLLM(grades_of({})), some(1), cache=shelf)
    shelf.rows = dict.fromkeys(shelf.rows, row)
    llm = FakeLLM(grades_of({}))
    [found] = await judged(llm, some(1), cache=shelf)
    assert (found.is_judged, llm.call_count) == (True, 1)


async def test_tags_that_are_known_are_taken_and_others_dropped():
    llm = answering(lambda entry, _: {**entry, "tags": [" REVIEW", "Review", "x", 3]})
    [found] = await judged(llm, some(1))
    assert found.tags == [PaperTag.REVIEW]
    single = answering(lambda entry, _: {**entry, "tags": "dataset"})
    assert (await judged(single, some(1)))[0].tags == [PaperTag.DATASET]


async def test_a_bare_list_is_understood_and_what_names_no_paper_is_left_out():
    def answer(call: LLMCall) -> Any:
        return [7, {"title": "x"}, *grades_of({})(call)["results"]]

    assert all(item.is_judged for item in await judged(FakeLLM(answer), some(2)))
