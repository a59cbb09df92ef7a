"""One review from its search to its report, and every number counted again."""

import asyncio
import csv
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.audit.plain_counts import recounted_log
from tests.end_to_end.conftest import WORLD, Services
from tests.pages.site import TREES, pdf

from paper_search.config import AppConfig
from paper_search.persistence import Persistence, open_persistence
from paper_search.review.full_texts import FullTexts
from paper_search.workflow.session import SearchSession

T = TypeVar("T")
WANTED = {"ada": "pose", "bob": "pose.*video"}
THREE = ("openalex", "crossref", "europe_pmc")
DATABASES = {"embase.ris": ("Embase (Ovid)", "ovid"), "scopus.csv": ("Scopus", "scopus")}
RECOUNT = Path(__file__).parents[2] / "notebooks" / "recount.py"
ENVIRONMENT = {"PAPER_SEARCH_HTTP_CACHE": "false", "PAPER_SEARCH_CONTACT": "ada@library.org"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not WORLD.is_dir(), reason="the simulated services are not here"),
]


def write_exports(folder: Path, works: list[dict[str, Any]]) -> None:
    """Write what two databases export of these works: RIS, and a table that repeats some."""
    fields = ("TY  - JOUR", "TI  - {title}", "PY  - {year}", "DO  - {doi}", "ER  - ", "", "")
    ris = ("\n".join(fields).format(**work) for work in works[:20])
    (folder / "embase.ris").write_text("".join(ris))
    with (folder / "scopus.csv").open("w", newline="") as file:
        rows = ([work["title"], work["year"], work["doi"]] for work in works[12:30])
        csv.writer(file).writerows([["Title", "Year", "DOI"], *rows])


async def screen(persistence: Persistence, thread: str) -> dict[str, str]:
    """Decide by titles, each reviewer by one of their own; return the titles."""
    reviewers = await SearchSession.on(persistence, thread).reviewers()
    for name, wanted in WANTED.items():
        await reviewers.join(name)
        screening = await reviewers.screening(name)
        for paper in screening.queue(learns=False):
            is_relevant = re.search(wanted, paper.title.lower()) is not None
            await screening.say(paper, is_relevant=is_relevant)
        await reviewers.finish(name)
    return {paper.id: paper.title.lower() for paper in reviewers.papers}


async def read(persistence: Persistence, thread: str, home: Path, works: dict[str, bool]) -> None:
    """Include full texts as ada, and those only that are to be included as bob."""
    for name in WANTED:
        texts = FullTexts(SearchSession.on(persistence, thread), home, name)
        await texts.join()
        for work, is_wanted in works.items():
            is_included = is_wanted or name == "ada"
            reason = "" if is_included else "no people"
            await texts.decide(work, is_included=is_included, reason=reason)


class Review:
    """A review of three services and two databases, as two people work on it."""

    def __init__(self, services: Services, folder: Path) -> None:
        self.services, self.folder, self.home = services, folder, folder / "home"
        three = [option for name in THREE for option in ("--source", name)]
        found = self.run(3, "find", "human pose estimation", "--json", *three)
        self.thread: str = found["thread_id"]

    def run(self, code: int, *command: str) -> dict[str, Any]:
        return self.services.run(code, self.home, *command, **ENVIRONMENT)

    def told(self, command: str, *words: str, code: int = 0) -> dict[str, Any]:
        return self.run(code, command, self.thread, *words, "--json")

    def approve(self, code: int) -> None:
        token = self.told("show")["open_checkpoint"]["token"]
        self.told("resume", "--approve", "--token", token, code=code)

    def add(self, name: str, database: str, system: str) -> None:
        strategy = self.folder / f"{system}.txt"
        strategy.write_text(self.told("strategy", "--database", system)["text"])
        words = ("--database", database, "--searched", "2026-06-29", "--strategy", str(strategy))
        self.told("add", str(self.folder / name), *words)

    def screen(self) -> set[str]:
        """Have both decide and a third exclude what they disagree on; return the included."""
        titles = self.wait_for(lambda persistence: screen(persistence, self.thread))
        ada, bob = (
            {i for i, title in titles.items() if re.search(wanted, title)}
            for wanted in WANTED.values()
        )
        apart = self.told("reconcile")
        assert {entry["paper_id"] for entry in apart["conflicts"]} == ada - bob != set()
        assert (apart["included"], apart["excluded"]) == (len(bob), len(titles.keys() - ada))
        open_ = [e["paper_id"] for e in apart["conflicts"] if e["settled"] is None]
        settled = ("--irrelevant", ",".join(open_), "--reason", "no video")
        apart = self.told("reconcile", *(settled if open_ else ()))
        assert None not in {entry["settled_by"] for entry in apart["conflicts"]}
        return bob

    def wait_for(self, work: Callable[[Persistence], Awaitable[T]]) -> T:
        async def open_() -> T:
            async with open_persistence(AppConfig(home=self.home).persistence_url) as persistence:
                return await work(persistence)

        return asyncio.run(open_())

    def read(self, included: set[str]) -> dict[str, int]:
        """Have full texts sought and both read them; return what is known of the second stage."""
        texts = self.told("fulltext", "--seek")["full_texts"]
        assert {text["id"] for text in texts} == included
        found = [text["id"] for text in texts if text["status"] == "retrieved"]
        first, second, *rest = [text["id"] for text in texts if text["id"] not in found]
        (self.folder / "own.pdf").write_bytes(pdf(list(TREES)))
        self.told("fulltext", first, str(self.folder / "own.pdf"))
        self.told("fulltext", second, "--not-retrieved", "no library has it")
        works = {first: False} | dict.fromkeys(found, True)
        self.wait_for(lambda persistence: read(persistence, self.thread, self.home, works))
        self.told("fulltext", first, "--exclude", "no people")
        return {
            "sought": len(included),
            "not_retrieved": 1 + len(rest),
            "assessed": 1 + len(found),
            "excluded": 1,
            "included": len(found),
        }


def test_a_review_goes_the_whole_way_and_each_of_its_numbers_is_counted_again(services, tmp_path):
    """Strategies, two exports, two reviewers, full texts, an update, and the report."""
    services.control(limits=False, crowd=0.0, until="2026-06-30")
    of_pose = [work for work in services.works() if "Pose" in work["title"]]
    write_exports(tmp_path, [work for work in of_pose if work["added"] <= "2026-06-30"])
    review = Review(services, tmp_path)
    counted_before = len(services.log())
    review.approve(3)
    found = recounted_log(services.log()[counted_before:])
    for name, (database, system) in DATABASES.items():
        review.add(name, database, system)
    before = review.screen()
    review.approve(0)
    texts = review.read(before)

    services.control(limits=False, crowd=0.0, until="")
    assert review.told("update", code=3)["checkpoint"]["kind"] == "strategy_confirmation"
    counted_before = len(services.log())
    review.approve(3)
    again = recounted_log(services.log()[counted_before:])
    queue = {paper["title"] for paper in review.told("screen")["queue"]}
    assert queue
    assert queue <= {work["title"] for work in services.works() if work["added"] > "2026-06-30"}
    after = review.screen()
    assert before < after
    review.approve(0)

    audit = tmp_path / "audit"
    review.told("audit", "-o", str(audit))
    flow = json.loads((audit / "prisma_flow.json").read_text())
    files = {"Embase (Ovid)": 20, "Scopus": 18}
    assert flow["by_source"] == {name: found[name] + again[name] for name in THREE} | files
    assert flow["parts"][0]["by_source"] == found | files
    assert (flow["included"], flow["previous_included"]) == (len(after), texts["included"])
    assert {name: flow["parts"][0]["full_texts"][name] for name in texts} == texts
    assert flow["full_texts"]["waiting"] == len(after - before)
    recount = [sys.executable, "-I", str(RECOUNT), str(audit)]
    ended = subprocess.run(recount, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    assert ended.returncode == 0, ended.stdout + ended.stderr
