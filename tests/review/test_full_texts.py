"""Full texts and those who decide on them, as they are kept."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.pages.site import TREES, pdf
from tests.workflow.doubles import with_real_skills

from paper_search.audit import audit_of
from paper_search.errors import InputError
from paper_search.models import RawPaper
from paper_search.pages.fetching import PageFetcher
from paper_search.persistence import Persistence, open_persistence
from paper_search.report_workflow.assembly import finished_collection
from paper_search.review import full_texts
from paper_search.review.full_texts import FullTexts
from paper_search.testing.sources import FakeSource
from paper_search.workflow import Checkpoint, CheckpointKind, SearchWorkflow
from paper_search.workflow.full_texts import FullText, TextStatus, put_full_text
from paper_search.workflow.session import SearchSession

WORK = "fake:1"


BEES = RawPaper(id=WORK, title="Bees dance", source="fake")
WASPS = RawPaper(id="fake:2", title="Wasps sting in dances of bees", source="fake")


@pytest.fixture
async def persistence(tmp_path: Path) -> AsyncIterator[Persistence]:
    """The threads of a home, one of which includes a work."""
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as opened:
        await search(opened, BEES)
        yield opened


async def search(opened: Persistence, *papers: RawPaper) -> SearchWorkflow:
    """Begin a search, include all that it finds, and approve its result."""
    workflow = with_real_skills(FakeSource(papers=list(papers)), persistence=opened)
    question = await workflow.start("dances of bees", thread_id="t")
    for marks in ({}, {"revised_data": {"marked_relevant": [paper.id for paper in papers]}}):
        assert isinstance(question, Checkpoint)
        decision = {"action": "approve", **marks}
        question = await workflow.answer("t", decision, token=question.token)
    return workflow


def of(persistence: Persistence, home: Path, person: str) -> FullTexts:
    return FullTexts(SearchSession.on(persistence, "t"), home, person)


async def kept(texts: FullTexts) -> FullText:
    [(_, text)] = await texts.works()
    return text


async def test_who_is_no_reviewer_is_not_done(persistence, tmp_path):
    with pytest.raises(InputError, match="'ada' is not among the reviewers of full texts"):
        await of(persistence, tmp_path, "ada").finish()


@pytest.mark.parametrize("place", ["../private", "a" * 64])
async def test_a_database_of_somebody_else_shows_no_other_file(persistence, tmp_path, place):
    texts = of(persistence, tmp_path, "ada")
    (tmp_path / "full_texts").mkdir()
    (tmp_path / "full_texts" / f"{place}.pdf").write_bytes(b"%PDF- private")
    records = SearchSession.on(persistence, "t").records
    await put_full_text(records, FullText(paper_id=WORK, digest=place))
    with pytest.raises(InputError, match="no longer in the home"):
        await texts.content(WORK)


async def test_a_text_that_is_given_up_stays_so_and_says_why_and_by_whom(persistence, tmp_path):
    await of(persistence, tmp_path, "ada").give_up(WORK, "the library\n lends it no more")
    text = await kept(of(persistence, tmp_path, "bo"))
    assert (text.status, text.is_given_up) == (TextStatus.NOT_RETRIEVED, True)
    assert (text.problem, text.retrieved_by) == ("the library lends it no more", "ada")


async def test_nothing_is_sought_and_not_retrieved_where_no_pdf_can_be_read(
    persistence, tmp_path, monkeypatch
):
    monkeypatch.setattr(full_texts, "missing_libraries", lambda: ["pypdfium2"])
    texts = of(persistence, tmp_path, "ada")
    with pytest.raises(InputError, match=r"no PDF can be read; pip install"):
        await texts.seek(PageFetcher())
    assert (await kept(texts)).status is TextStatus.SOUGHT


async def test_a_url_that_is_none_is_no_text_and_ends_nothing(tmp_path):
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as opened:
        await search(opened, BEES.model_copy(update={"full_text_url": "http://[broken/x"}))
        [text] = await of(opened, tmp_path, "ada").seek(PageFetcher())
    assert "not the name of a public host" in text.problem


async def test_a_report_does_not_take_a_work_that_its_full_text_excluded(persistence, tmp_path):
    texts = of(persistence, tmp_path, "ada")
    await texts.attach(WORK, "first.pdf", pdf(list(TREES)))
    assert [paper.id for paper in (await finished_collection(persistence, "t")).papers] == [WORK]
    await texts.decide(WORK, is_included=False, reason="no bees")
    assert (await finished_collection(persistence, "t")).papers == []


async def test_who_finishes_is_done_with_the_texts_of_then_and_not_with_another_file(
    persistence, tmp_path
):
    ada, bo = (of(persistence, tmp_path, name) for name in ("ada", "bo"))
    await ada.attach(WORK, "first.pdf", pdf(list(TREES)))
    for texts, name in ((ada, "ada"), (bo, "bo")):
        await (await texts.reviewers()).join(name)
    await (await ada.reviewers()).finish("ada")
    progress = {each.name: each.is_done for each in (await bo.reviewers()).progress}
    assert progress == {"ada": True, "bo": False}
    await ada.decide(WORK, is_included=True)
    await bo.attach(WORK, "second.pdf", pdf(["Another text"]))
    assert [each.decided for each in (await bo.reviewers()).progress] == [0, 0]
    assert not any(each.is_done for each in (await bo.reviewers()).progress)


async def test_an_audit_says_what_reviewers_of_full_texts_decided_once_all_are_done(
    persistence, tmp_path
):
    people = [of(persistence, tmp_path, name) for name in ("ada", "bo")]
    await people[0].attach(WORK, "first.pdf", pdf(list(TREES)))
    for texts in people:
        await texts.join()
    reports = []
    for texts, reason in zip(people, ("no bees", "too old"), strict=True):
        await texts.decide(WORK, is_included=False, reason=reason)
        await texts.finish()
        audit = await audit_of(persistence, "t", has_pictures=False)
        files = ("report.md", "reporting.md", "decisions.csv")
        reports.append("".join(audit.files[name].decode() for name in files))
    blind, whole = reports
    assert "no bees" not in blind
    assert "independently by" not in blind
    assert "Full texts were assessed independently by ada (1 of 1), bo (1 of 1)." in whole
    assert "0 included, 1 excluded, 1 of them for different reasons, 0 in conflict" in whole


async def test_another_file_takes_the_decision_back_and_the_same_one_does_not(
    persistence, tmp_path
):
    ada, content = of(persistence, tmp_path, "ada"), pdf(list(TREES))
    await ada.attach(WORK, "one.pdf", content)
    await ada.decide(WORK, is_included=True)
    assert (await ada.attach(WORK, "one.pdf", content)).status is TextStatus.INCLUDED
    assert (await ada.attach(WORK, "two.pdf", pdf(["Other"]))).status is TextStatus.RETRIEVED


async def test_of_several_who_decide_at_once_the_first_counts_and_nobody_overwrites(
    persistence, tmp_path
):
    people = [of(persistence, tmp_path, name) for name in ("ada", "bo", "cy")]
    await people[0].attach(WORK, "one.pdf", pdf(list(TREES)))
    deciding = (texts.decide(WORK, is_included=True) for texts in people)
    outcomes = await asyncio.gather(*deciding, return_exceptions=True)
    [first] = [outcome for outcome in outcomes if isinstance(outcome, FullText)]
    assert sum(isinstance(outcome, InputError) for outcome in outcomes) == 2
    assert (await kept(people[0])).decided_by == first.decided_by


async def test_a_text_is_found_attached_read_and_decided_on_as_its_row_says(persistence, tmp_path):
    ada, bo = (of(persistence, tmp_path, name) for name in ("ada", "bo"))
    bare = {"id": WORK, "title": "Bees dance", "status": "sought", "digest": "", "path": ""}
    [row] = await ada.rows()
    assert row == {**row, **bare, "problem": "", "decision": None}
    content = pdf(list(TREES))
    retrieved = await ada.attach(WORK, "bees.pdf", content)
    assert (await bo.content(WORK), (await bo.read(WORK)).pages) == (content, 1)
    assert await ada.add_reason(" No\ndances ") == await bo.add_reason("no DANCES") == "No dances"
    await ada.add_reason("Too old")
    decided = await ada.decide(WORK, is_included=False, reason="no dances")
    assert decided == retrieved.model_copy(
        update={
            "decision": "exclude",
            "reason": "No dances",
            "decided_by": "ada",
            "decided_at": decided.decided_at,
        }
    )
    assert (await bo.rows())[0] == {
        **decided.model_dump(mode="json", exclude={"paper_id"}),
        "id": WORK,
        "title": "Bees dance",
        "status": "excluded",
        "summary": decided.summary,
        "path": str(tmp_path / "full_texts" / f"{retrieved.digest}.pdf"),
    }
    assert await bo.reasons() == {"No dances": 1, "Too old": 0}
    await bo.remove_reason("Too old")
    assert await ada.reasons() == {"No dances": 1}
    for refused, words in [
        (bo.decide(WORK, is_included=True), "ada has decided on this text"),
        (bo.remove_reason("No dances"), "cannot be removed; exclusions that have it: 1"),
        (bo.add_reason(" "), "give the reason for an exclusion"),
        (bo.content("fake:2"), "is not among the 1 work that thread 't' includes"),
        (bo.give_up(WORK, "lost"), "'fake:1' already has a full text: excluded"),
        (bo.attach(WORK, "page.pdf", b"<html>"), "'page.pdf' cannot be attached: "),
    ]:
        with pytest.raises(InputError, match=words):
            await refused


async def test_what_reviewers_decide_apart_is_shown_when_all_are_done(persistence, tmp_path):
    ada, bo, cy = (of(persistence, tmp_path, name) for name in ("ada", "bo", "cy"))
    await ada.attach(WORK, "bees.pdf", pdf(list(TREES)))
    for each in (ada, bo, cy):
        await each.join()
    eve = of(persistence, tmp_path, "eve")
    with pytest.raises(
        InputError, match="ada, bo, cy decide independently on this text, and 'eve' is not"
    ):
        await eve.decide(WORK, is_included=True)
    await ada.decide(WORK, is_included=False, reason="Old")
    blind = await bo.decide(WORK, is_included=False, reason="old")
    assert (blind.decision, blind.verdicts) == (None, {})
    await ada.finish()
    await bo.finish()
    assert (await kept(ada)).decision is None
    await cy.leave("cy")
    text = await kept(bo)
    assert (text.decision, text.reason, text.decided_by) == ("exclude", "Old", "ada, bo")
    assert {name: (row["decision"], row["reason"]) for name, row in text.verdicts.items()} == {
        "ada": ("exclude", "Old"),
        "bo": ("exclude", "Old"),
    }
    with pytest.raises(InputError, match="'cy' is not among the reviewers of full texts"):
        await ada.leave("cy")
    await cy.join()  # late: what was shown stays
    assert (await kept(bo), (await cy.reviewers()).pending) == (text, [])
    await ada.attach(WORK, "other.pdf", pdf(["Another"]))
    for each, reason in ((ada, "old"), (bo, "no trial"), (cy, "old")):
        await each.decide(WORK, is_included=False, reason=reason)
    text = await kept(ada)
    assert (text.status, set(text.verdicts)) == (TextStatus.RETRIEVED, {"ada", "bo", "cy"})
    excluded = "0 included, 1 excluded, 1 of them for different reasons, 0 in conflict"
    assert excluded in (await ada.reviewers()).agreement.lines[0]


async def merge(workflow: SearchWorkflow, one: str, other: str) -> None:
    """Approve the result once more, in which two papers are one work."""
    question = await workflow.fork("t", CheckpointKind.RESULT_REVIEW)
    assert isinstance(question, Checkpoint)
    same = [{"one": one, "other": other, "is_same": True}]
    marks = {"marked_relevant": [one], "merge_decisions": same}
    decision = {"action": "approve", "revised_data": marks}
    await workflow.answer("t", decision, token=question.token)


@pytest.mark.parametrize("excluded", [WASPS.id, WORK])
async def test_what_was_decided_on_a_text_holds_for_the_work_that_its_own_is_merged_into(
    tmp_path, excluded
):
    async with open_persistence("memory:") as opened:
        workflow = await search(opened, BEES, WASPS)
        ada, [other] = of(opened, tmp_path, "ada"), {WORK, WASPS.id} - {excluded}
        await ada.attach(excluded, "one.pdf", pdf(list(TREES)))
        decided = await ada.decide(excluded, is_included=False, reason="no bees")
        await ada.give_up(other, "nobody has it")
        await merge(workflow, WORK, WASPS.id)
        assert await kept(ada) == decided
        assert (await finished_collection(opened, "t")).papers == []
        audit = await audit_of(opened, "t", has_pictures=False)
        assert (audit.flow.full_texts.sought, audit.flow.full_texts.excluded) == (1, 1)
        [(work, _)] = await ada.works()
        replaced = await ada.attach(work.id, "two.pdf", pdf(["Other"]))
        assert await kept(ada) == replaced


async def test_what_a_reviewer_decides_last_counts_also_where_works_were_merged(tmp_path):
    async with open_persistence("memory:") as opened:
        workflow = await search(opened, BEES, WASPS)
        ada, bo = (of(opened, tmp_path, name) for name in ("ada", "bo"))
        await ada.attach(WASPS.id, "one.pdf", pdf(list(TREES)))
        for each in (ada, bo):
            await each.join()
        await ada.decide(WASPS.id, is_included=True)
        await merge(workflow, WORK, WASPS.id)
        [(work, _)] = await ada.works()
        for each in (ada, bo):
            await each.decide(work.id, is_included=False, reason="no bees")
        assert (await kept(ada)).summary == "excluded: no bees"
