"""Every place that shows a number shows what a plain count of the raw answers gives."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from rich.console import Console
from tests.audit.plain_counts import NAMES, QUERIES, raw_answer, recounted
from tests.web.conftest import visiting

from paper_search import models
from paper_search.audit import Audit, audit_of
from paper_search.audit.pictures import works_by
from paper_search.cli.views import show_checkpoint
from paper_search.config import AppConfig
from paper_search.exports import export
from paper_search.persistence import Persistence, open_persistence
from paper_search.skills import Deduplicator, RelevanceScorer, ResultOrganizer, Searcher
from paper_search.testing.skills import FakeSkills, fake_strategy
from paper_search.workflow import Checkpoint, SearchWorkflow, ThreadCatalog
from paper_search.workflow.checkpoints import ResultPayload
from paper_search.workflow.counts import summaries
from paper_search.workflow.results import part_of

NOUNS = ["bees", "wasps", "ants", "moths", "beetles", "crickets", "aphids"]
VERBS = ["dance in spring", "sing at dawn", "march uphill", "sleep in hollow trees", "swim"]


class Service:
    """A service that answers two queries in each round, as adapters do."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.round = -1

    @property
    def source_name(self) -> str:
        return NAMES[self.number]

    async def search_advanced(self, strategy: models.SearchStrategy) -> list[models.RawPaper]:
        return (await self.report(strategy)).papers

    async def search(self, query: str, **options: Any) -> list[models.RawPaper]:
        raise NotImplementedError

    async def report(self, strategy: models.SearchStrategy) -> models.SearchReport:
        del strategy
        self.round += 1
        papers: dict[str, models.RawPaper] = {}
        reports = []
        for query in QUERIES:
            answer = raw_answer(self.round, self.number, query)
            repeated = 0
            for rank, work in enumerate(answer["works"], start=1):
                paper = self.paper(work)
                repeated += paper.id in papers
                seen = models.Sighting(source=self.source_name, query=query, rank=rank)
                papers.setdefault(paper.id, paper).sightings.append(seen)
            reports.append(
                models.SourceReport(
                    source=self.source_name,
                    query=query,
                    status=models.SourceStatus.OK,
                    kept=len(answer["works"]) - repeated,
                    repeated=repeated,
                    excluded=answer["wrong"],
                    dropped=answer["untitled"],
                )
            )
        return models.SearchReport(papers=list(papers.values()), sources=reports)

    def paper(self, work: int) -> models.RawPaper:
        """Return its record of a work; those of two services may be identical but for the id."""
        title = f"How {NOUNS[work % 7]} {VERBS[work % 5]}: observation number {work}"
        return models.RawPaper(
            id=f"{self.source_name}:{work}",
            title=title,
            year=1980 + work,
            doi=f"10.1000/{work}",
            source=self.source_name,
        )


class NineServices(FakeSkills):
    async def build(self, request: Any) -> models.SearchStrategy:
        return fake_strategy(f"round_{len(request.previous_strategies)}", sources=NAMES)


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
    kept = [row for row in rows if row["status"] != "removed"]
    assert len({row["id"] for row in kept}) == truth["records"]
    assert sum(row["status"] not in {"duplicate", "removed"} for row in rows) == truth["works"]
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


class Search:
    """A search of the nine services, taken from result to result."""

    def __init__(self, persistence: Persistence) -> None:
        self.persistence = persistence
        skills = NineServices()
        searcher = Searcher([Service(number) for number in range(9)])
        found = (skills, skills, searcher, Deduplicator(), RelevanceScorer(), ResultOrganizer(0.0))
        self._workflow = SearchWorkflow(*found, persistence=persistence)

    async def result_of(self, round_: int, said: dict[str, Any] | None = None) -> Checkpoint:
        if round_ == 0:
            await self._workflow.start("insects", thread_id="t")
        else:
            data = {"free_text_feedback": "more", **(said or {})}
            await self.answer({"action": "edit", "revised_data": data})
        question = await self.answer({"action": "approve"})
        assert isinstance(question, Checkpoint)
        return question

    async def answer(self, decision: dict[str, Any]) -> Any:
        open_ = await self._workflow.pending("t")
        named = {"checkpoint": open_.reference.model_dump(mode="json"), "token": open_.token}
        return await self._workflow.answer("t", {**decision, **named})


@pytest.fixture
async def search(tmp_path: Path) -> AsyncIterator[Search]:
    async with open_persistence(AppConfig(home=tmp_path).persistence_url) as persistence:
        yield Search(persistence)


def numbers_in(text: str, pattern: str) -> list[int]:
    """Return the numbers of the first place that a pattern matches."""
    match = re.search(pattern, " ".join(text.split()))
    assert match, pattern
    return [int(number.replace(",", "")) for number in match.groups() if number]


def check_summary(text: str, truth: dict[str, Any]) -> None:
    """Compare a line of a screen on what a round brought."""
    arrived, removed, again, new, new_works = truth["rounds"][-1]
    pattern = (
        r"([\d,]+) records arrived: (?:([\d,]+) repeated, )?(?:([\d,]+) not kept, )?"
        r"([\d,]+) new; ([\d,]+) new works?(?: \(with earlier rounds ([\d,]+)\))?"
    )
    earlier = [truth["works"]] if len(truth["rounds"]) > 1 else []
    told = [number for number in (again, removed) if number]
    assert numbers_in(text, pattern) == [arrived, *told, new, new_works, *earlier]


def rows_of_exports(collection: models.PaperCollection) -> dict[str, int]:
    """Return how many papers each file has, counted by what readers of its format look for."""
    files = {name: export(collection, name) for name in ("csv", "ris", "bibtex", "xlsx")}
    csv_rows, ris, bibtex = (str(files[name]) for name in ("csv", "ris", "bibtex"))
    sheet = load_workbook(io.BytesIO(files["xlsx"])).worksheets[0]  # type: ignore[arg-type]  # it is bytes
    return {
        "csv": len(list(csv.DictReader(io.StringIO(csv_rows)))),
        "ris": len(re.findall(r"^TY  - ", ris, re.MULTILINE)),
        "bibtex": len(re.findall(r"^@", bibtex, re.MULTILINE)),
        "xlsx": sheet.max_row - 1,
    }


async def check_doors(
    search: Search, question: Checkpoint, home: Path, truth: dict[str, Any]
) -> None:
    """Compare terminal, page, list of threads, facets and exports with the plain count."""
    payload = question.payload
    assert isinstance(payload, ResultPayload)
    works, earlier = truth["of_round"], truth["of_earlier_rounds"]
    screen = Console(file=io.StringIO(), width=400, color_system=None)
    show_checkpoint(screen, question, has_details=True)
    text = screen.file.getvalue()  # type: ignore[attr-defined]  # it is the one above
    check_summary(text, truth)
    pattern = r"([\d,]+) papers, [^;]+; this round found ([\d,]+)"
    assert numbers_in(text, pattern) == [len(works), len(works)]
    with visiting(home) as visitor:
        page = visitor(source="")
        assert page.open("/threads/t/results") == 200
        html = page.text
        assert page.open("") == 200
        assert numbers_in(page.text, r"<span>([\d,]+) papers?</span>") == [len(works)]
    check_summary(html, truth)
    parts = dict(re.findall(r'>([\w ]+) <span class="count">([\d,]+)</span></a>', html))
    assert int(parts["Result"]) == len(works)
    assert int(parts.get("Earlier rounds", 0)) == earlier
    kept = dict(re.findall(r'<span class="pill ">(service \d) ([\d,]+)</span>', html))
    assert {name.replace(" ", "_"): int(n) for name, n in kept.items()} == truth["kept"]
    facet = dict(re.findall(r'<option value="(service_\d)">service \d \((\d+)\)</option>', html))
    assert {name: int(count) for name, count in facet.items()} == truth["facet"]
    (info,) = await ThreadCatalog(search.persistence).threads()
    assert info.papers == len(works)
    collection = payload.collection
    assert collection.metadata.total_found == len(works)
    assert sum(collection.facets.by_year.values()) == len(works)
    assert set(collection.facets.by_year) == {1980 + work for work in works}
    assert set(rows_of_exports(part_of(collection)).values()) == {len(works)}


def test_a_plain_count_has_something_of_every_kind():
    assert all(all(row) for row in recounted(3)["rounds"][1:])


async def test_three_rounds_of_nine_services_are_counted_as_their_answers_are(search, tmp_path):
    for round_ in range(3):
        question = await search.result_of(round_)
        truth = recounted(round_ + 1)
        check(await audit_of(search.persistence, "t", has_pictures=False), truth)
        await check_doors(search, question, tmp_path, truth)
        payload = question.payload
        counts = payload.counts
        own = (counts.arrived, counts.removed, counts.again, counts.first_found, counts.new_works)
        assert own == truth["rounds"][-1]
        assert counts.works == truth["works"]
        assert {entry.source: entry.kept for entry in summaries(payload.reports)} == truth["kept"]
        fresh = payload.changes.new_ids if payload.changes else []
        assert len(fresh) == (counts.new_works if round_ else 0)
