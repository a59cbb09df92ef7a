"""Reviewers who decide on the same papers independently, and what they agree on."""

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.errors import (
    InputError,
    StaleDecisionError,
    ThreadFinishedError,
    ThreadNotWaitingError,
)
from paper_search.models import RawPaper
from paper_search.persistence import Persistence
from paper_search.review import update_review
from paper_search.testing.skills import FakeSkills
from paper_search.threads.engine import open_memory
from paper_search.workflow.reviewers import Reviewers, agreement_of, cohens_kappa
from paper_search.workflow.session import SearchSession

PAPERS = [RawPaper(id=i, title=f"Paper {i}", source="s") for i in "abcd"]


async def searched() -> Persistence:
    persistence = await open_memory()
    search = workflow(FakeSkills(lambda _strategy: PAPERS), persistence=persistence)
    await search.start("q", thread_id="t")
    await search.answer("t", "approve")
    return persistence


async def reviewers(persistence: Persistence) -> Reviewers:
    return await SearchSession.on(persistence, "t").reviewers()


async def decide(persistence: Persistence, name: str, **verdicts: bool) -> None:
    review = await reviewers(persistence)
    await review.join(name)
    screening = await review.screening(name)
    for paper in review.papers:
        if paper.id in verdicts:
            await screening.say(paper, is_relevant=verdicts[paper.id])


async def test_reviewers_who_left_papers_undecided_stay_done_when_the_result_is_approved():
    persistence = await searched()
    for name in ("ada", "bo"):
        await decide(persistence, name, a=True, b=False)
        await (await reviewers(persistence)).finish(name)
    await (await reviewers(persistence)).enter_agreed()
    search = workflow(FakeSkills(lambda _strategy: PAPERS), persistence=persistence)
    await reply_to(search, "t", "approve")
    found = await (await reviewers(persistence)).agreement()
    assert (found.is_blind, found.kappa) == (False, 1.0)


async def test_nobody_sees_or_settles_what_others_decided_until_all_are_done():
    persistence = await searched()
    await decide(persistence, "ada", a=True, b=True, c=False, d=False)
    await decide(persistence, "bo", a=True)
    review = await reviewers(persistence)
    assert [paper.id for paper in (await review.screening("bo")).queue()] == ["b", "c", "d"]
    assert [mark.paper_id for mark in (await review.screening("bo")).marks] == ["a"]
    blind = await review.agreement()
    assert blind.is_blind
    assert [(reviewer.name, reviewer.decided, reviewer.of) for reviewer in blind.reviewers] == [
        ("ada", 4, 4),
        ("bo", 1, 4),
    ]
    assert (blind.conflicts, blind.included, blind.kappa) == ([], 0, None)
    result = await SearchSession.on(persistence, "t").result()
    assert {paper.decision for paper in result.papers} == {"undecided"}
    assert await review.shared_verdicts() == {}
    assert await review.enter_agreed() == 0
    with pytest.raises(InputError, match="not all reviewers are done"):
        await review.settle(["b"], is_relevant=True)
    await review.settle([], is_relevant=True)

    await decide(persistence, "bo", b=False, c=False, d=False)
    review = await reviewers(persistence)
    found = await review.agreement()
    assert (found.decided_by_several, found.included, found.excluded) == (4, 1, 2)
    [conflict] = found.conflicts
    assert (conflict.title, conflict.included_by, conflict.excluded_by, conflict.settled) == (
        *("Paper b", ["ada"], ["bo"]),
        None,
    )
    assert (found.observed, found.kappa) == (0.75, 0.5)
    assert await review.shared_verdicts() == {"a": True, "c": False, "d": False}
    assert await review.enter_agreed() == 3
    assert await review.shared_verdicts() == {}
    assert await (await reviewers(persistence)).enter_agreed() == 0
    await review.settle(["b"], is_relevant=False, by="cy", reason="no trial")
    review = await reviewers(persistence)
    assert review.reasons == {"b": "no trial"}
    [settled] = (await review.agreement()).conflicts
    assert (settled.settled, settled.settled_by) == ("exclude", "cy")
    result = await SearchSession.on(persistence, "t").result()
    assert [(paper.id, paper.decision) for paper in result.papers] == [("a", "included")]
    said = {paper.id: paper.screening for paper in result.set_aside}
    assert said["b"].reason == "no trial"
    assert said["c"].decided_by == "ada, bo"


async def test_who_has_seen_what_the_others_decided_decides_no_more():
    persistence = await searched()
    for name in ("ada", "bo"):
        await decide(persistence, name, a=True, b=True, c=True, d=True)
    review = await reviewers(persistence)
    screening = await review.screening("ada")
    for change in (
        review.join("ada"),
        screening.undo(),
        screening.say(review.papers[0], is_relevant=False),
    ):
        with pytest.raises(ThreadFinishedError, match="reconcile"):
            await change
    assert (await review.agreement()).kappa is None
    assert all(mark.is_relevant for mark in (await review.screening("ada")).marks)


async def test_nothing_is_settled_for_a_question_that_was_answered_in_the_meantime():
    persistence = await searched()
    for name in ("ada", "bo"):
        await decide(persistence, name, a=True, b=False, c=name == "bo", d=True)
    review = await reviewers(persistence)
    search = workflow(FakeSkills(lambda _strategy: PAPERS), persistence=persistence)
    await reply_to(search, "t", "approve")
    for change in (review.enter_agreed(), review.settle(["c"], is_relevant=True)):
        with pytest.raises(StaleDecisionError, match="was not saved"):
            await change
    assert await SearchSession.on(persistence, "t").mark_store.marks() == []
    review = await reviewers(persistence)
    assert await review.enter_agreed() == 3
    await review.settle(["c"], is_relevant=True)
    result = await SearchSession.on(persistence, "t").result()
    assert sorted(paper.id for paper in result.papers if paper.decision == "included") == [
        *("a", "c", "d")
    ]


async def test_who_is_done_elsewhere_changes_nothing_in_a_screening_that_is_still_open():
    persistence = await searched()
    for name in ("ada", "bo"):
        await decide(persistence, name, a=True)
    review = await reviewers(persistence)
    screening = await review.screening("ada")
    await review.finish("ada")
    await screening.say(review.papers[1], is_relevant=True)  # bo is not done: all are blind
    await review.finish("bo")
    with pytest.raises(ThreadFinishedError, match="reconcile"):
        await screening.say(review.papers[2], is_relevant=True)


async def test_what_cannot_be_is_refused():
    persistence = await searched()
    review = await reviewers(persistence)
    for name in ("", "a/b", " ada", "x" * 61):
        with pytest.raises(InputError, match="is not a valid name of a reviewer"):
            await review.join(name)
    with pytest.raises(InputError, match="is not a paper of this result"):
        await review.settle(["nobody"], is_relevant=True)
    search = workflow(persistence=persistence)
    await search.start("q", thread_id="young")
    with pytest.raises(ThreadNotWaitingError):
        await SearchSession.on(persistence, "young").reviewers()


def test_kappa_is_that_of_cohens_formula():
    """25 of 50 and 15 of 50 agreed on, 5 and 10 not: 0.4 in the textbooks' example (20/15/5/10)."""
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10
    pairs += [(False, False)] * 15
    one = {str(n): pair[0] for n, pair in enumerate(pairs)}
    other = {str(n): pair[1] for n, pair in enumerate(pairs)}
    assert cohens_kappa(one, other) == pytest.approx(0.4)
    assert cohens_kappa(one, {}) is None
    assert cohens_kappa({"a": True}, {"a": True}) is None


@pytest.mark.parametrize("is_late", [False, True], ids=["before the end", "after it"])
async def test_who_joins_in_an_update_decides_on_what_is_new_and_kappa_is_told_apart(is_late):
    persistence, given = await open_memory(), list(PAPERS)
    search = workflow(FakeSkills(lambda _strategy: given), persistence=persistence)
    await search.start("q", thread_id="t")
    await search.answer("t", "approve")
    await decide(persistence, "ada", a=True, b=True, c=False, d=False)
    await decide(persistence, "bo", a=True, b=False, c=False, d=False)
    review = await reviewers(persistence)
    await review.enter_agreed()
    if is_late:
        await search.answer("t", "approve")
    await (await reviewers(persistence)).settle(["b"], is_relevant=False, by="ada")
    if not is_late:
        await search.answer("t", "approve")
    given += [RawPaper(id=i, title=f"Paper {i}", source="s") for i in "ef"]
    await update_review(search, "t")
    await search.answer("t", "approve")

    await decide(persistence, "ada", e=True, f=False)
    await decide(persistence, "cy")
    review = await reviewers(persistence)
    assert {paper.id for paper in (await review.screening("cy")).queue()} == {"e", "f"}
    blind = await review.agreement()
    assert [(each.name, each.decided, each.of) for each in blind.reviewers] == [
        *(("ada", 6, 6), ("bo", 4, 6)),
        ("cy", 0, 2),
    ]
    assert (blind.is_blind, blind.by_update, blind.decided_by_several) == (True, [], 0)
    await decide(persistence, "bo", e=True, f=False)
    await decide(persistence, "cy", e=True, f=True)
    review = await reviewers(persistence)
    found = await review.agreement()
    conflicts = {conflict.paper_id for conflict in found.conflicts}
    assert (found.decided_by_several, conflicts) == (6, {"b", "f"})
    assert [(part.decided_by_several, part.kappa) for part in found.by_update] == [
        *((4, 0.5), (2, pytest.approx(1 / 3)))
    ]
    assert found.lines[2].startswith("First search: Decided by several: 4 (1 included")
    assert await review.shared_verdicts() == {"e": True}


def test_a_kappa_of_zero_has_no_sign():
    verdicts = {"ada": {"a": True, "b": True, "c": False}, "bo": dict.fromkeys("abc", False)}
    found = agreement_of("abc", verdicts, verdicts)
    assert found.kappa is not None
    assert found.kappa < 0  # by rounding
    assert found.lines[1] == "Agreement: 33%; Cohen's kappa: 0.00."


def test_a_third_reviewer_who_leaves_early_takes_nothing_from_the_other_two():
    both = {"a": True, "b": False, "c": False}
    found = agreement_of(
        "abc", {"ada": both, "bo": {**both, "c": True}, "cy": {"a": False}}, {"cy"}
    )
    assert (found.decided_by_several, found.included, found.excluded) == (3, 0, 1)
    assert [(each.paper_id, each.excluded_by) for each in found.conflicts] == [
        *(("a", ["cy"]), ("c", ["ada"]))
    ]
