"""The audit of a search: what it says, and that its numbers add up."""

import csv
import dataclasses
import hashlib
import io
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from tests.answers import reply_to
from tests.audit.doubles import (
    APPROVE,
    THREE_ROUNDS,
    TwoSources,
    disagreements,
    reviewed,
    searched,
    two_sources,
)
from tests.workflow.doubles import FailingSkills, edit, reject

from paper_search import models
from paper_search.audit import Audit, ReviewThread, audit_of, flow_of, record_rows, write_audit
from paper_search.audit.checklists import SearchFacts
from paper_search.audit.pictures import pictures
from paper_search.audit.reading import load_review
from paper_search.config import current_person
from paper_search.errors import InputError
from paper_search.models.source_report import Arrival, RequestRecord, unasked
from paper_search.review.arrivals import update_review
from paper_search.testing.skills import ScriptedHandler
from paper_search.threads.engine import open_memory
from paper_search.workflow import (
    CheckpointKind,
    SearchWorkflow,
    ThreadInfo,
    ThreadStatus,
    WorkflowState,
)
from paper_search.workflow.counts import SearchedRound
from paper_search.workflow.results import empty_collection
from paper_search.workflow.session import SearchSession

recount = runpy.run_path(str(Path(__file__).parents[2] / "notebooks" / "recount.py"))["main"]


def table(audit: Audit, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(audit.files[name].decode())))


def names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


async def test_every_record_ever_found_has_its_status():
    audit = await reviewed()
    rows = [row for row in table(audit, "records.csv") if row["id"]]
    assert all(row["title"] for row in rows)
    again = [row for row in rows if row["why"].startswith("arrived in round")]
    assert [(row["id"], row["round"], row["why"]) for row in again] == [
        (record, round_, "arrived in round 1 already")
        for round_ in ("2", "3")
        for record in ("a-shared", "b-shared")
    ]
    assert {row["id"]: (row["status"], row["why"]) for row in rows if row not in again} == {
        "a-shared": ("included", ""),
        "b-shared": ("duplicate", "the same work as a-shared"),
        "a-round_0": (
            "not_carried_over",
            "of an earlier round, which ended without a decision on it",
        ),
        "b-round_0": ("excluded", "no bees"),
        "a-round_1": ("excluded", ""),
        "b-round_1": (
            "not_carried_over",
            "of an earlier round, which ended without a decision on it",
        ),
        "a-round_2": ("undecided", "in the result; not decided"),
        "b-round_2": ("undecided", "in the result; not decided"),
    }


async def test_the_numbers_of_the_flow_add_up_over_rounds():
    flow = (await reviewed()).flow
    assert disagreements(flow) == []
    assert (flow.identified, flow.by_source) == (18, {"a": 9, "b": 9})
    counts = [(r.arrived, r.removed, r.again, r.first_found, r.new_works) for r in flow.rounds]
    assert counts == [(6, 2, 0, 4, 3), (6, 2, 2, 2, 2), (6, 2, 2, 2, 2)]
    assert flow.removal_reasons == {"not what was asked for": 6}
    assert (flow.duplicates, flow.given_again) == (5, 4)
    assert (flow.works, flow.not_carried_over) == (7, 2)
    assert flow.summary == "18 records identified, 6 not kept, 5 duplicates, 7 works"
    assert (flow.for_screening, flow.screened, flow.included) == (5, 3, 1)
    assert flow.exclusion_reasons == {"no bees": 1, "no reason given": 1}


async def test_the_search_log_has_every_string_as_it_was_sent():
    first, *_, last = table(await reviewed(), "search_log.csv")
    assert (first["round"], first["source"], first["query"]) == ("1", "a", "round_0 as a reads it")
    counts = ("hits", "received", "excluded", "dropped", "kept", "new_records", "new_works")
    assert [first[name] for name in counts] == ["70", "3", "1", "0", "2", "2", "2"]
    assert (first["filters"], first["purpose"]) == ("at most 350 records", "search")
    assert first["allowed_by"] == current_person()
    assert first["note"] == "NOT was checked here"
    assert first["asked_at"].startswith("20")
    assert (last["round"], last["query"]) == ("3", "round_2 as b reads it")


async def test_the_decision_log_has_who_said_what_of_which_paper():
    rows = table(await reviewed(), "decisions.csv")
    assert {row["by"] for row in rows} == {current_person()}
    said = [(row["question"], row["round"], row["event"], row["paper"]) for row in rows]
    assert said == [
        ("strategy_confirmation", "1", "approve", ""),
        ("result_review", "1", "edit", ""),
        ("result_review", "1", "include", "a-shared"),
        ("result_review", "1", "exclude", "b-round_0"),
        ("strategy_confirmation", "2", "approve", ""),
        ("result_review", "2", "edit", ""),
        ("result_review", "2", "exclude", "a-round_1"),
        ("strategy_confirmation", "3", "approve", ""),
        ("result_review", "3", "approve", ""),
    ]
    assert (rows[1]["note"], rows[3]["reason"]) == ("more on wasps", "no bees")


async def test_the_strategies_of_all_rounds_are_told_with_what_changed_them():
    first, second, _ = json.loads((await reviewed()).files["strategies.json"])
    assert first["strategy"]["queries"][0]["boolean_query"] == "round_0"
    assert first["feedback"]["free_text_feedback"] == "more on wasps"
    assert second["changes"] == "+ round_1; - round_0"


async def test_the_same_thread_gives_the_same_bytes():
    persistence = await searched(APPROVE, APPROVE)
    assert (await audit_of(persistence, "t")).files == (await audit_of(persistence, "t")).files


async def test_the_documents_show_what_others_wrote_and_obey_nothing():
    persistence = await open_memory()
    workflow = two_sources(persistence)
    await workflow.start("<script>alert(1)</script> | [a](javascript:b)", thread_id="t")
    files = (await audit_of(persistence, "t")).files
    assert b"<script>" not in files["report.html"]
    assert rb"&lt;script&gt;alert(1)&lt;/script&gt; \| \[a\](javascript:b)" in files["report.md"]


async def test_what_to_report_has_the_numbers_of_the_flow_and_every_string_that_was_sent():
    audit = await reviewed()
    text = audit.files["reporting.md"].decode()
    methods = text[text.index("## Methods") : text.index("## PRISMA-S")]
    assert "independently" not in methods
    assert methods.startswith("## Methods\n\nWe searched a, b. The searches gave ")
    rows = [*audit.flow.by_source.values(), *audit.flow.exclusion_reasons.values()]
    known = {value for value in dict(audit.flow).values() if isinstance(value, int)} | set(rows)
    assert {int(number) for number in re.findall(r"\d+", methods)} <= known
    for number in (16, 22):
        assert f"\n| {number} | " in text
    sent = {row["query"] for row in table(audit, "search_log.csv") if row["purpose"] == "search"}
    assert all(query.replace("_", "\\_") in text for query in sent)


async def test_the_checklist_says_how_often_citations_were_looked_up_and_where():
    audit, thread = await reviewed(), await load_review(await searched(APPROVE, APPROVE), "t")
    look_up = models.SourceReport(
        source="a", status=models.SourceStatus.OK, purpose=models.Purpose.CITATION, received=1
    )
    thread.text_rows.extend([look_up, look_up])
    facts = SearchFacts(thread, audit.flow)
    assert facts.citations() == "2 look-ups at a; see the appendix."
    assert facts.opening() == "We searched a, b. We followed citations (a)."


async def test_methods_name_no_source_that_was_not_asked_or_did_not_answer():
    audit, thread = await reviewed(), await load_review(await searched(APPROVE, APPROVE), "t")

    def report(name: str, status: models.SourceStatus, **more: Any) -> models.SourceReport:
        return models.SourceReport(source=name, query="q", status=status, **more)

    unanswered = [
        unasked("snowball", "nothing to follow"),
        report("arxiv", models.SourceStatus.TIMEOUT, requests=[RequestRecord(at=None)]),
        report("t.bib", models.SourceStatus.OK, is_file=True, kept=1, strategy="bees/"),
        report("u.bib", models.SourceStatus.OK, is_file=True, kept=1),
        report("PEDro", models.SourceStatus.EMPTY, is_file=True, strategy="bees"),
    ]
    thread.text_rows.extend(unanswered)
    facts = SearchFacts(thread, audit.flow)
    assert facts.opening() == (
        "We searched a, b. We imported records of t.bib, u.bib. No records were found in PEDro. "
        "No answer came from arxiv."
    )
    assert facts.strings().endswith(" Not known: the strategies of u.bib.")
    assert "snowball" not in facts.databases() + facts.dates()


async def test_nobody_is_named_who_approved_what_nobody_was_asked_about():
    persistence = await open_memory()
    await two_sources(persistence).run("bees", thread_id="t")
    text = (await audit_of(persistence, "t")).files["reporting.md"].decode()
    assert "Approved by" not in text
    assert "Nobody was asked to approve them." in text


async def test_an_update_that_is_not_searched_yet_is_none():
    persistence = await searched(APPROVE, APPROVE)
    await update_review(two_sources(persistence), "t")
    thread, flow = await load_review(persistence, "t"), (await audit_of(persistence, "t")).flow
    assert len(thread.state.updates) == 1
    assert SearchFacts(thread, flow).updates() == ""


async def test_an_audit_is_written_whole_with_the_hash_of_every_file(tmp_path):
    target = tmp_path / "audit"
    audit = await write_audit(await searched(APPROVE, APPROVE), "t", target)
    written = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert written == set(audit.files)
    lines = (target / "manifest-sha256.txt").read_text().splitlines()
    hashes = dict(reversed(line.split("  ")) for line in lines)
    assert set(hashes) == written - {"manifest-sha256.txt"}
    for name, digest in hashes.items():
        assert hashlib.sha256((target / name).read_bytes()).hexdigest() == digest
    assert names(tmp_path) == ["audit"]


@pytest.mark.parametrize("kind", ["file", "directory", "dangling link"])
async def test_what_is_there_already_stays_as_it_is(tmp_path, kind):
    target = tmp_path / "audit"
    if kind == "file":
        target.write_text("mine")
    elif kind == "directory":
        target.mkdir()
    else:
        target.symlink_to("nowhere")
    with pytest.raises(InputError, match="already exists"):
        await write_audit(await searched(APPROVE, APPROVE), "t", target)
    assert names(tmp_path) == ["audit"]


async def test_what_a_step_that_failed_has_not_worked_on_is_pending():
    persistence, skills = await open_memory(), FailingSkills("deduplicate", RuntimeError("full"))
    found = skills, skills, TwoSources(), skills, skills, skills
    workflow = SearchWorkflow(*found, persistence=persistence)
    await workflow.start("q", thread_id="t")
    with pytest.raises(RuntimeError, match="full"):
        await workflow.answer("t", APPROVE)
    audit = await audit_of(persistence, "t")
    assert {record.status.value for record in audit.records} == {"pending", "removed"}
    assert (audit.flow.works, audit.flow.pending) == (4, 4)


async def test_reviewers_are_told_of_with_their_agreement_and_what_was_settled():
    persistence = await searched(APPROVE, APPROVE)
    await (await SearchSession.on(persistence, "t").reviewers()).join("dee")
    for name, verdict in (("ada", True), ("bo", False)):
        reviewers = await SearchSession.on(persistence, "t").reviewers()
        await reviewers.join(name)
        screening = await reviewers.screening(name)
        for paper in reviewers.papers:
            is_relevant = verdict or paper.id != "a-shared"
            await screening.say(paper, is_relevant=is_relevant)
        if name == "ada":
            blind = await audit_of(persistence, "t", has_pictures=False)
            assert b"ada: 3 of 3 papers decided, done." in blind.files["report.md"]
            assert b"independent" not in blind.files["decisions.csv"]
    reviewers = await SearchSession.on(persistence, "t").reviewers()
    await reviewers.finish("dee")  # who decided nothing
    await reviewers.enter_agreed()
    await reviewers.settle(["a-shared"], is_relevant=False, by="cy", reason="no bees")
    audit = await audit_of(persistence, "t", has_pictures=False)
    assert b"Agreement: 67%; Cohen's kappa: 0.00." in audit.files["report.md"]
    rows = table(audit, "decisions.csv")
    said = [(row["by"], row["event"]) for row in rows if row["paper"] == "a-shared"]
    assert said == [("ada", "include"), ("bo", "exclude"), ("cy", "exclude")]
    assert (audit.flow.included, audit.flow.exclusion_reasons) == (2, {"no bees": 1})
    [conflict] = json.loads(audit.files["reviewers.json"])["conflicts"]
    assert (conflict["settled"], conflict["settled_by"]) == ("exclude", "cy")
    methods = audit.files["reporting.md"].decode().split("## ")[1]
    assert "independently by ada (3 of 3), bo (3 of 3). Decided by several: 3" in methods
    assert "Cohen's kappa: 0.00." in methods
    assert "Conflicts were resolved by cy." in methods


async def test_a_verdict_on_a_paper_that_a_fork_removed_is_shown_and_not_counted(tmp_path, capsys):
    persistence = await searched(*THREE_ROUNDS[:3], APPROVE)

    async def decide_on_all() -> None:
        for name in ("ada", "bo"):
            reviewers = await SearchSession.on(persistence, "t").reviewers()
            await reviewers.join(name)
            screening = await reviewers.screening(name)
            for paper in screening.queue():
                is_relevant = name == "ada" or paper.id != "a-shared"
                await screening.say(paper, is_relevant=is_relevant)

    await decide_on_all()
    await two_sources(persistence).fork("t", CheckpointKind.RESULT_REVIEW, 0)
    await decide_on_all()
    audit = await write_audit(persistence, "t", tmp_path / "audit")
    rows = [row for row in table(audit, "decisions.csv") if row["question"].startswith("indep")]
    uncounted = {row["paper"] for row in rows if row["status"].startswith("not counted")}
    assert uncounted == {"a-round_1", "b-round_1"}
    assert recount(tmp_path / "audit") == 0, capsys.readouterr().out


async def test_labels_are_in_the_decisions_and_on_the_record():
    persistence = await searched(APPROVE, APPROVE)
    screening = await SearchSession.on(persistence, "t").screening()
    first, second, *_ = screening.papers
    await screening.label(first, "for chapter 2, follow up", by="ada")
    await screening.label(second, "follow up", by="ada")
    await screening.say(second, is_relevant=False, by="ada")
    audit = await audit_of(persistence, "t", has_pictures=False)
    rows = [row for row in table(audit, "decisions.csv") if row["by"] == "ada"]
    assert [(row["event"], row["paper"], row["labels"]) for row in rows] == [
        ("label", first.id, "for chapter 2; follow up"),
        ("exclude", second.id, "follow up"),
    ]
    others = {"duplicate", "removed"}
    kept = [row for row in table(audit, "records.csv") if row["status"] not in others]
    labels = {row["id"]: row["labels"] for row in kept if row["labels"]}
    assert labels == {first.id: "for chapter 2; follow up", second.id: "follow up"}


def test_of_two_papers_with_one_record_the_one_decided_on_has_it():
    records = {i: models.RawPaper(id=i, title=i, source="s") for i in "ab"}
    first = models.Paper(id="a", title="a", authors=[], source="s", merged_from=["a", "b"])
    said = models.ScreeningDecision(decision="include")
    other = models.Paper(id="b", title="b", authors=[], source="s", screening=said)
    thread = ReviewThread(
        info=ThreadInfo(thread_id="t", status=ThreadStatus.DONE),
        state=WorkflowState(),
        records=records,
        collection=empty_collection("q").model_copy(update={"papers": [first, other]}),
    )
    told = record_rows(thread)
    assert [(row.arrival.record, row.status.value) for row in told] == [
        ("a", "undecided"),
        ("b", "included"),
    ]
    assert [row.is_counted for row in told] == [False, True]
    assert disagreements(flow_of(thread, told)) == []


def test_a_work_stands_by_its_record_of_a_round_that_counts_even_if_another_leads_it():
    records = {i: models.RawPaper(id=i, title=i, source="s") for i in "ab"}
    work = models.Paper(id="a", title="a", authors=[], source="s", merged_from=["a", "b"])
    arrival = Arrival(record="b", source="s")
    thread = ReviewThread(
        info=ThreadInfo(thread_id="t", status=ThreadStatus.DONE),
        state=WorkflowState(),
        records=records,
        rounds=[SearchedRound(iteration=0, searched_at="", arrivals=[arrival], program="")],
        collection=empty_collection("q").model_copy(update={"papers": [work]}),
    )
    rows = record_rows(thread)
    flow = flow_of(thread, rows)
    assert [row.arrival.record for row in rows if row.is_counted] == ["b"]
    assert (flow.identified, flow.duplicates, flow.works, flow.outside_rounds) == (1, 0, 1, 1)
    assert disagreements(flow) == []


async def test_a_round_that_was_reopened_does_not_count_and_its_records_are_told_of():
    persistence = await searched(*THREE_ROUNDS[:3], THREE_ROUNDS[-1])
    workflow = two_sources(persistence)
    await workflow.fork("t", CheckpointKind.RESULT_REVIEW, 0)
    audit = await audit_of(persistence, "t", has_pictures=False)
    assert [item.round for item in audit.flow.rounds] == [1]
    told = {record.arrival.record: record for record in audit.records}
    assert told["a-round_1"].why == "found in a round that was reopened"
    assert told["a-round_1"].round is None
    counts = audit.flow.identified, audit.flow.works, audit.flow.not_carried_over
    assert counts == (audit.flow.rounds[0].arrived, 3, 0)
    assert audit.flow.outside_rounds == 2
    assert "| Not counted: of rounds undone" in audit.files["report.md"].decode()
    assert disagreements(audit.flow) == []
    assert told["a-round_0"].status.value == "undecided"
    events = [row["event"] for row in table(audit, "decisions.csv")]
    assert "forked" in events


async def test_a_work_is_counted_by_a_record_of_a_round_that_counts(tmp_path, capsys):
    persistence = await searched(APPROVE, APPROVE)
    workflow = two_sources(persistence)
    await workflow.fork("t", CheckpointKind.STRATEGY_CONFIRMATION, 0)
    queries = [{"boolean_query": "another"}]
    await reply_to(workflow, "t", edit({"queries": queries}))
    await reply_to(workflow, "t", edit({"marked_relevant": ["a-another"]}))
    await reply_to(workflow, "t", "approve")
    await reply_to(workflow, "t", "approve")
    audit = await write_audit(persistence, "t", tmp_path / "audit")
    assert audit.flow.outside_rounds == 2
    assert audit.flow.identified == sum(item.arrived for item in audit.flow.rounds)
    assert {row["query"].split()[0] for row in table(audit, "records.csv") if row["round"]} == {
        *("another", "round_1")
    }
    assert disagreements(audit.flow) == []
    assert recount(tmp_path / "audit") == 0, capsys.readouterr().out
    thread = await load_review(persistence, "t")
    counted = [row for row in audit.records if row.is_counted]
    assert len(counted) < len(audit.records)
    drawn = pictures(thread, audit.records, audit.flow)
    assert drawn == pictures(thread, counted, audit.flow)


async def test_a_round_whose_strategy_was_rejected_after_all_is_counted_nowhere():
    persistence = await searched(APPROVE, edit({"marked_relevant": ["a-shared"]}), APPROVE, APPROVE)
    workflow = two_sources(persistence)
    await workflow.fork("t", CheckpointKind.STRATEGY_CONFIRMATION, 1)
    await reply_to(workflow, "t", reject("another way"))
    await reply_to(workflow, "t", "approve")
    state = (await load_review(persistence, "t")).state
    audit = await audit_of(persistence, "t", has_pictures=False)
    assert state.result is not None
    assert state.result.counts is not None
    assert [item.round for item in audit.flow.rounds] == [1, 3]
    strategies = json.loads(audit.files["strategies.json"])
    assert [entry["result"] for entry in strategies] == [3, None, None]
    assert audit.flow.outside_rounds == 2
    assert state.result.counts.works == audit.flow.rounds[-1].works == 5
    assert disagreements(audit.flow) == []


async def test_papers_beyond_the_number_asked_for_are_set_aside_for_that():
    persistence = await open_memory()
    workflow = two_sources(persistence, ScriptedHandler([APPROVE, APPROVE]), max_results=1)
    await workflow.run("q", thread_id="t")
    audit = await audit_of(persistence, "t", has_pictures=False)
    assert {record.why for record in audit.records if record.status.value == "set_aside"} == {
        "beyond the number of papers that were asked for"
    }
    assert audit.flow.set_aside == 2


async def test_a_service_and_files_of_the_same_database_are_one_source():
    thread, now = await load_review(await searched(APPROVE, APPROVE), "t"), "2026-01-01"
    names = ("pubmed", "PubMed", "dblp")
    rows = [
        models.SourceReport(
            source=name, status=models.SourceStatus.OK, received=1, asked_at=now,
            is_file=name == "PubMed", requests=[RequestRecord(at=now)] * (name != "PubMed"),
        )
        for name in names
    ]  # fmt: skip
    arrivals = [Arrival(record=name, source=name) for name in names]
    state = {"counts": [], "earlier_reports": [], "reports": rows}
    own = dataclasses.replace(
        thread,
        state=thread.state.model_copy(update=state),
        records={name: models.RawPaper(id=name, title="T", source=name) for name in names},
        rounds=[SearchedRound(iteration=0, searched_at=now, arrivals=arrivals, program="")],
    )
    flow = flow_of(own, record_rows(own))
    assert flow.by_source == {"PubMed": 2, "dblp": 1}
    facts, web = SearchFacts(own, flow), "by its web interface"
    assert facts.databases() == f"PubMed ({web} and files), dblp ({web})."
    assert facts.dates() == "PubMed: 2026-01-01; dblp: 2026-01-01"
