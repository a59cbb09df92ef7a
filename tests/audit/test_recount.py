"""Every place that shows a number shows what a plain count of the raw answers gives."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from paper_search.audit import Audit, audit_of
from paper_search.audit.pictures.found import works_by
from paper_search.models import (
    RawPaper,
    SearchReport,
    SearchStrategy,
    Sighting,
    SourceReport,
    SourceStatus,
)
from paper_search.skills import Deduplicator, RelevanceScorer, ResultOrganizer, Searcher
from paper_search.testing.skills import FakeSkills, fake_strategy
from paper_search.threads.engine import open_memory
from paper_search.workflow import Checkpoint, SearchWorkflow
from paper_search.workflow.checkpoints import ResultPayload
from paper_search.workflow.counts import summaries

NAMES = [f"service_{number}" for number in range(9)]
QUERIES = ("first", "second")
NOUNS = ["bees", "wasps", "ants", "moths", "beetles", "crickets", "aphids"]
VERBS = ["dance in spring", "sing at dawn", "march uphill", "sleep in hollow trees", "swim"]


def raw_answer(round_: int, service: int, query: str) -> dict[str, Any]:
    """Return what a service gives for a query: numbers of works, and what it removes itself.

    Services share works; the second query repeats some of the first, and a round those before it.
    """
    first = 3 * service + (2 if query == "second" else 0) + round_
    return {"works": list(range(first, first + 5)), "wrong": service % 3, "untitled": round_}


class Service:
    """A service that answers two queries in each round, as adapters do."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.round = -1

    @property
    def source_name(self) -> str:
        return NAMES[self.number]

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        return (await self.report(strategy)).papers

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        raise NotImplementedError

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        del strategy
        self.round += 1
        papers: dict[str, RawPaper] = {}
        reports = []
        for query in QUERIES:
            answer = raw_answer(self.round, self.number, query)
            repeated = 0
            for rank, work in enumerate(answer["works"], start=1):
                paper = self.paper(work)
                repeated += paper.id in papers
                seen = Sighting(source=self.source_name, query=query, rank=rank)
                papers.setdefault(paper.id, paper).sightings.append(seen)
            reports.append(
                SourceReport(
                    source=self.source_name,
                    query=query,
                    status=SourceStatus.OK,
                    kept=len(answer["works"]) - repeated,
                    repeated=repeated,
                    excluded=answer["wrong"],
                    dropped=answer["untitled"],
                )
            )
        return SearchReport(papers=list(papers.values()), sources=reports)

    def paper(self, work: int) -> RawPaper:
        """Return its record of a work; those of two services may be identical but for the id."""
        title = f"How {NOUNS[work % 7]} {VERBS[work % 5]}: observation number {work}"
        return RawPaper(
            id=f"{self.source_name}:{work}",
            title=title,
            year=1980 + work,
            doi=f"10.1000/{work}",
            source=self.source_name,
        )


class NineServices(FakeSkills):
    async def build(self, request: Any) -> SearchStrategy:
        return fake_strategy(f"round_{len(request.previous_strategies)}", NAMES)


def recounted(rounds: int, joined: set[frozenset[int]] = frozenset()) -> dict[str, Any]:
    """Return the counts by a plain loop over the raw answers.

    Args:
        rounds: how many there were.
        joined: pairs of works that a person said are one.
    """
    alias = {max(pair): min(pair) for pair in joined}
    arrived, removed, again, new, new_works = ([0] * rounds for _ in range(5))
    by_source = dict.fromkeys(NAMES, 0)
    records: set[tuple[int, int]] = set()
    works: set[int] = set()
    found_by: dict[int, set[str]] = {}
    for round_ in range(rounds):
        for service in range(9):
            for query in QUERIES:
                answer = raw_answer(round_, service, query)
                lost = answer["wrong"] + answer["untitled"]
                count = len(answer["works"]) + lost
                arrived[round_] += count
                removed[round_] += lost
                by_source[NAMES[service]] += count
                for number in answer["works"]:
                    work = alias.get(number, number)
                    again[round_] += (service, number) in records
                    new[round_] += (service, number) not in records
                    new_works[round_] += work not in works
                    records.add((service, number))
                    works.add(work)
                    found_by.setdefault(work, set()).add(NAMES[service])
    return {
        "rounds": list(zip(arrived, removed, again, new, new_works, strict=True)),
        "by_source": by_source,
        "records": len(records),
        "works": len(works),
        "found_by": sorted(sorted(sources) for sources in found_by.values()),
    }


def table(audit: Audit, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(audit.files[name].decode())))


def check(audit: Audit, truth: dict[str, Any]) -> None:
    """Compare every place of an audit with the plain count."""
    rounds = truth["rounds"]
    total = [sum(column) for column in zip(*rounds, strict=True)]
    arrived, removed, again = total[:3]
    flow = json.loads(audit.files["prisma_flow.json"])
    assert flow["identified"] == arrived == sum(flow["by_source"].values())
    assert flow["by_source"] == truth["by_source"]
    assert flow["removed_by_checks"] == removed
    assert flow["given_again"] == again
    assert flow["works"] == truth["works"]
    assert flow["duplicates"] == arrived - removed - truth["works"]
    names = ("arrived", "removed", "again", "first_found", "new_works")
    assert [tuple(row[name] for name in names) for row in flow["rounds"]] == rounds
    rows = table(audit, "records.csv")
    assert len(rows) == arrived
    assert len({row["id"] for row in rows if row["id"]}) == truth["records"]
    assert sum(row["fate"] not in {"duplicate", "removed"} for row in rows) == truth["works"]
    log = table(audit, "search_log.csv")
    for name, column in (("received", 0), ("new_records", 3), ("new_works", 4)):
        for number, row in enumerate(rounds, start=1):
            counts = [int(line[name]) for line in log if line["round"] == str(number)]
            assert sum(counts) == row[column]
    sources = works_by(audit.records, is_by_query=False)
    assert (
        sorted(sorted(name for (name,) in names) for names in sources.values())
        == (truth["found_by"])
    )
    report = audit.files["report.md"].decode()
    assert f"| Records identified | {arrived} |" in report
    assert f"| Works | {truth['works']} |" in report


@pytest.fixture
async def asked():
    """Return a persistence, and what takes it to the question about the result of a round."""
    persistence = await open_memory()
    skills = NineServices()
    searcher = Searcher([Service(number) for number in range(9)])
    found = (skills, skills, searcher, Deduplicator(), RelevanceScorer(), ResultOrganizer(0.0))
    workflow = SearchWorkflow(*found, persistence=persistence)

    async def result_of(round_: int, said: dict[str, Any] | None = None) -> ResultPayload:
        if round_ == 0:
            await workflow.start("insects", thread_id="t")
        else:
            again = {
                "action": "edit",
                "revised_data": {"free_text_feedback": "more", **(said or {})},
            }
            await answer(again)
        question = await answer({"action": "approve"})
        assert isinstance(question, Checkpoint)
        assert isinstance(question.payload, ResultPayload)
        return question.payload

    async def answer(decision: dict[str, Any]) -> Any:
        open_ = await workflow.pending("t")
        named = {"checkpoint": open_.reference.model_dump(mode="json"), "token": open_.token}
        return await workflow.answer("t", {**decision, **named})

    return persistence, result_of


def test_a_plain_count_has_something_of_every_kind():
    assert all(all(row) for row in recounted(3)["rounds"][1:])


async def test_three_rounds_of_nine_services_are_counted_as_their_answers_are(asked):
    persistence, result_of = asked
    for round_ in range(3):
        payload = await result_of(round_)
        truth = recounted(round_ + 1)
        audit = await audit_of(persistence, "t", has_pictures=False)
        check(audit, truth)
        counts = payload.counts
        assert counts is not None
        own = (counts.arrived, counts.removed, counts.again, counts.first_found, counts.new_works)
        assert own == truth["rounds"][-1]
        assert counts.works == truth["works"]
        distinct = {
            (service, work)
            for service in range(9)
            for query in QUERIES
            for work in raw_answer(round_, service, query)["works"]
        }
        assert sum(entry.kept for entry in summaries(payload.reports)) == len(distinct)
        fresh = payload.changes.new_ids if payload.changes else []
        assert len(fresh) == (counts.new_works if round_ else 0)


async def test_a_merge_and_a_split_by_hand_change_the_works_and_nothing_else(asked):
    persistence, result_of = asked
    await result_of(0)
    merge = {"one": "service_0:0", "other": "service_8:30", "is_same": True}
    await result_of(1, {"merge_decisions": [merge]})
    truth = recounted(2, {frozenset((0, 30))})
    check(await audit_of(persistence, "t", has_pictures=False), truth)
    await result_of(2, {"merge_decisions": [{**merge, "is_same": False}]})
    check(await audit_of(persistence, "t", has_pictures=False), recounted(3))
