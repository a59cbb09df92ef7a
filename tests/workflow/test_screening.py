"""Papers gone through one by one: kept beside the checkpoints, joined to the next answer."""

import pytest
from langgraph.store.memory import InMemoryStore
from tests.answers import reply_to
from tests.workflow.doubles import at_result, workflow

from paper_search.errors import InputError, StaleDecisionError
from paper_search.models import Paper, UserFeedback
from paper_search.threads.engine import open_memory
from paper_search.workflow.marks import MarkStore, ScreeningMark, join_marks
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.screening import Screening
from paper_search.workflow.session import SearchSession

PAPERS = [
    Paper(id=f"p{n}", title=title, authors=[], source="s", relevance_score=1 - n / 10)
    for n, title in enumerate(["fish a", "star a", "fish b", "star b", "fish c", "star c"])
]


def store() -> MarkStore:
    return MarkStore(SearchRecords(InMemoryStore(), "t"))


async def at(marks: MarkStore, iteration: int = 0, **earlier: bool) -> Screening:
    return Screening(PAPERS, marks, await marks.marks(), iteration, earlier)


async def test_undo_goes_back_step_by_step_and_keeps_notes():
    screening = await at(marks := store())
    await screening.note(PAPERS[0], "odd")
    await screening.say(PAPERS[0], is_relevant=True)
    await screening.skip(PAPERS[1])
    assert (await screening.undo()) == PAPERS[1]
    assert screening.queue()[0] == PAPERS[1]
    assert (await screening.undo()) == PAPERS[0]
    assert await screening.undo() is None
    [mark] = await marks.marks()
    assert (mark.note, mark.is_relevant, mark.is_skipped) == ("odd", None, False)


async def test_undo_takes_back_what_was_said_of_a_record_that_is_part_of_the_paper_by_now():
    records = SearchRecords(InMemoryStore(), "t")
    marks = MarkStore(records)
    screening = await at(marks)
    await screening.label(PAPERS[1], "trial")
    await screening.say(PAPERS[1], is_relevant=True)
    await records.put("members", {"p1": {"work": "p0"}})
    again = Screening(PAPERS[:1], marks, await marks.of_works(), 0, {})
    assert (await again.undo()) == PAPERS[0]
    [mark] = await marks.of_works()
    assert (mark.paper_id, mark.is_relevant, mark.labels) == ("p0", None, ["trial"])
    assert again.verdicts == {}


async def test_labels_are_put_on_and_taken_off_whatever_is_decided():
    screening = await at(marks := store())
    await screening.label(PAPERS[0], " follow  up, chapter 2;chapter 2 ", by="ada")
    assert screening.queue()[0] == PAPERS[0]
    await screening.say(PAPERS[0], is_relevant=True)
    await screening.label(PAPERS[0], "follow up, trial")
    await screening.label(PAPERS[1], "trial")
    again = await at(marks)
    assert again.labels == ["trial", "chapter 2"]
    assert again.mark_of(PAPERS[0]).labels == ["chapter 2", "trial"]
    assert again.mark_of(PAPERS[0]).is_relevant is True
    assert (await again.undo()) == PAPERS[0]
    assert (await at(marks)).labels == ["trial", "chapter 2"]


@pytest.mark.parametrize("words", ["", " ,; ", "x" * 101, f"good, {'x' * 101}"])
async def test_words_that_are_no_labels_are_refused_and_nothing_is_saved(words):
    screening = await at(marks := store())
    with pytest.raises(InputError, match="1 to 100 characters"):
        await screening.label(PAPERS[0], words)
    assert await marks.marks() == []


async def test_a_verdict_that_was_taken_back_stays_so_when_the_paper_is_noted():
    marks = store()
    await marks.say(["p0"], 1, is_relevant=None)
    screening = await at(marks, 1, p0=True)
    assert PAPERS[0] in screening.queue()
    await screening.note(PAPERS[0], "odd")
    await screening.label(PAPERS[0], "later")
    [mark] = await marks.marks()
    assert mark.is_taken_back
    assert (mark.note, mark.labels) == ("odd", ["later"])
    await screening.say(PAPERS[0], is_relevant=False)
    [mark] = await marks.marks()
    assert not mark.is_taken_back


@pytest.mark.parametrize(
    ("answer", "verdicts"), [("unmarked", {}), ("marked_relevant", {"always": True})]
)
async def test_a_mark_gives_way_to_what_the_answer_of_its_round_says(answer, verdicts):
    persistence = await open_memory()
    search = workflow(persistence=persistence)
    await at_result(search)
    session = SearchSession.on(persistence, "t")
    await session.mark(["always"], is_relevant=False)
    await reply_to(search, "t", {"action": "approve", "revised_data": {answer: ["always"]}})
    screening = await session.screening()
    assert screening.verdicts == verdicts
    assert ("always" in [paper.id for paper in screening.queue()]) == (not verdicts)


@pytest.mark.parametrize(
    "answer", ["approve", {"action": "edit", "revised_data": {"free_text_feedback": "x"}}]
)
async def test_a_mark_is_refused_once_the_question_has_been_answered(answer):
    """It would join no answer, and nobody would hear of it."""
    persistence = await open_memory()
    search = workflow(persistence=persistence)
    await at_result(search)
    session = SearchSession.on(persistence, "t")
    screening = await session.screening()
    first, second = screening.papers
    await screening.say(first, is_relevant=True)
    await reply_to(search, "t", answer)
    for mark in (screening.say(second, is_relevant=True), screening.skip(second), screening.undo()):
        with pytest.raises(StaleDecisionError, match="your last decision was not saved"):
            await mark
    assert [mark.paper_id for mark in await session.mark_store.marks()] == [first.id]
    assert screening.queue() == [second]


async def test_a_mark_is_refused_while_the_answer_is_stored_but_not_yet_applied():
    persistence = await open_memory()
    await at_result(workflow(persistence=persistence))
    session = SearchSession.on(persistence, "t")
    screening = await session.screening()
    asked = (await session.snapshot()).interrupts[0].id
    await session.ledger.record("t", asked, {"action": "approve"}, "ada")
    with pytest.raises(StaleDecisionError):
        await screening.say(screening.papers[0], is_relevant=True)


@pytest.mark.parametrize("note", ["", "odd"])
async def test_to_leave_open_what_an_earlier_round_decided_takes_that_back(note):
    screening = await at(marks := store(), 1, p0=True)
    assert PAPERS[0] not in screening.queue()
    await screening.note(PAPERS[0], note)
    await screening.skip(PAPERS[0])
    assert PAPERS[0] in screening.queue()
    feedback = await marks.with_saved_marks(None, 1, frozenset({"p0"}))
    assert (feedback.unmarked, feedback.marked_relevant) == (["p0"], [])
    await screening.undo()
    assert PAPERS[0] not in screening.queue()


async def test_the_stopping_estimate_is_of_this_round_and_counts_what_was_found_before():
    screening = await at(store(), 1, p0=True, p1=False)
    assert screening.stopping_estimate is None
    assert len(screening.queue()) == 4
    await screening.say(PAPERS[2], is_relevant=True)
    assert (screening.stopping_estimate.relevant, screening.stopping_estimate.unseen) == (2, 3)


def test_the_answer_counts_where_both_speak_of_a_paper():
    known = frozenset("abcdef")
    answer = UserFeedback(marked_irrelevant=["a"], unmarked=["b"])

    def mark(paper_id: str, *, says: bool | None = True, **more: object) -> ScreeningMark:
        said = {"paper_id": paper_id, "is_relevant": says, "number": 1, "iteration": 0}
        return ScreeningMark.model_validate({**said, **more})

    marks = [mark("a"), mark("b"), mark("c", reason="fits"), mark("gone"), mark("d", says=False)]
    more = [mark("e", says=None, is_taken_back=True), mark("f", says=None, note="odd")]
    both = join_marks(answer, [*marks, *more], known)
    assert both.marked_relevant == ["c"]
    assert both.marked_irrelevant == ["a", "d"]
    assert both.unmarked == ["b", "e"]
    assert both.reasons == {"c": "fits"}
    assert join_marks(None, [], known) is None
    assert join_marks(None, [mark("gone"), mark("f", says=None, note="odd")], known) is None


async def test_papers_that_the_person_picked_say_nothing_about_the_rest():
    marks = store()
    await marks.say(["p4"], 0, is_relevant=True)
    screening = Screening(PAPERS, marks, await marks.marks(), 0, {})
    assert screening.stopping_estimate is None
    await screening.say(PAPERS[0], is_relevant=False)
    estimate = screening.stopping_estimate
    assert (estimate.screened, estimate.relevant) == (1, 1)
    assert estimate.unseen == len(PAPERS) - 2
