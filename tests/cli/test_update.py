"""`paper-search update`: a search that is done, searched again for what is new."""

import asyncio
import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.answers import reply_to
from tests.cli.test_import_screening import ris
from tests.workflow.doubles import FailingSkills, workflow

from paper_search.config import AppConfig
from paper_search.models.settings import SearchSourceConfig
from paper_search.persistence import open_persistence
from paper_search.workflow import Checkpoint, SearchWorkflow
from paper_search.workflow.session import SearchSession

QUESTION = "hepatotoxicity of molecules"


def records(folder: Path, *numbers: int) -> str:
    path = folder / "own.ris"
    titles = (f"Hepatotoxicity of molecules, part {n} of a series on livers" for n in numbers)
    rows = (ris(title, doi=f"10.1000/{n}") for n, title in zip(numbers, titles, strict=True))
    path.write_text("\n".join(rows))
    return str(path)


def answer(cli: Any, thread: str, *words: str) -> Any:
    token = cli("show", thread, "--json").document["open_checkpoint"]["token"]
    return cli("resume", thread, *words, "--token", token, "--json")


def flow(cli: Any, thread: str, folder: Path) -> dict[str, Any]:
    assert cli("audit", thread, "--output", str(folder)).code == 0
    document: dict[str, Any] = json.loads((folder / "prisma_flow.json").read_text())
    return document


@pytest.fixture
def review(cli: Any, tmp_path: Path) -> str:
    """A search of a library of six works, three of them included, three excluded."""
    assert cli("library", "add", records(tmp_path, *range(6))).code == 0
    found = cli("find", QUESTION, "--source", "library", "--json")
    thread = str(found.document["thread_id"])
    assert answer(cli, thread, "--approve").code == 3
    assert answer(cli, thread, "--relevant", "1-3", "--irrelevant", "4-6", "--approve").code == 0
    return thread


def test_only_works_that_are_new_are_asked_about(cli, review, tmp_path):
    assert cli("library", "add", records(tmp_path, *range(10))).code == 0
    told = cli("update", review, "--json")
    assert told.code == 3, told.stderr
    waiting = told.document["checkpoint"]
    assert waiting["kind"] == "strategy_confirmation"
    assert "library: 10 hits for all queries together, 6 then" in waiting["payload"]["remarks"]
    assert answer(cli, review, "--approve").code == 3
    queue = cli("screen", review, "--json").document["queue"]
    assert len(queue) == 4
    assert not any(part in paper["title"] for paper in queue for part in ("part 0", "part 5"))
    ids = ",".join(paper["id"] for paper in queue[:1])
    rest = ",".join(paper["id"] for paper in queue[1:])
    assert answer(cli, review, "--relevant", ids, "--irrelevant", rest, "--approve").code == 0
    whole = flow(cli, review, tmp_path / "audit")
    first, second = whole["parts"]
    assert (whole["included"], whole["excluded"]) == (4, 6)
    assert (first["works"], first["included"], first["excluded"]) == (6, 3, 3)
    assert (second["works"], second["included"], second["excluded"]) == (4, 1, 3)
    assert second["identified"] == second["duplicates"] + 4
    assert whole["previous_included"] == 3
    report = (tmp_path / "audit" / "report.md").read_text()
    assert "|  | Previous studies | Update 1 | All |" in report
    assert "| Included | 3 | 1 | 4 |" in report
    assert "| Works | 6 | 4 | 10 |" in report
    picture = (tmp_path / "audit" / "pictures" / "prisma_flow.svg").read_text()
    for line in ("Previous studies (n = 3)", "New works included (n = 1)", "review (n = 4)"):
        assert line in picture
    log = (tmp_path / "audit" / "search_log.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0] for line in log} == {"0", "1"}


def test_what_nobody_decided_on_before_an_update_is_counted_as_it_was(cli, tmp_path):
    assert cli("library", "add", records(tmp_path, *range(6))).code == 0
    found = cli("find", QUESTION, "--source", "library", "--max", "5", "--json")
    thread = str(found.document["thread_id"])
    assert answer(cli, thread, "--approve").code == 3
    assert answer(cli, thread, "--relevant", "1", "--irrelevant", "2", "--approve").code == 0
    before = flow(cli, thread, tmp_path / "before")
    assert (before["undecided"], before["set_aside"]) == (3, 1)
    assert cli("library", "add", records(tmp_path, *range(8))).code == 0
    cli("update", thread)
    assert answer(cli, thread, "--approve").code == 3
    assert answer(cli, thread, "--approve").code == 0
    whole = flow(cli, thread, tmp_path / "after")
    first, second = whole["parts"]
    moved = ("rounds", "ended_by")
    assert {n: v for n, v in first.items() if n not in moved} == {
        n: v for n, v in before.items() if n not in moved
    }
    assert (second["works"], second["undecided"], whole["undecided"]) == (2, 2, 5)
    written = cli("export", thread, "--format", "csv").stderr
    assert "papers (1 included, 2 undecided); left out: 1 excluded, 4 undecided of" in written


async def approved_unasked(home: Path) -> str:
    """Approve a result whose strategy nobody was asked about, so that no hits were counted."""
    library = {"library": SearchSourceConfig(name="library")}
    config = AppConfig(home=home, sources=library)
    workflow = SearchWorkflow.from_config(
        config, enable_strategy_checkpoint=False, persistence=config.persistence_url
    )
    question = await workflow.start(QUESTION)
    assert isinstance(question, Checkpoint)
    await workflow.answer(question.run_id, {"action": "approve"}, token=question.token)
    return question.run_id


def test_all_tells_cron_whether_something_waits(cli, review, home, tmp_path):
    unasked = asyncio.run(approved_unasked(home))
    before = flow(cli, review, tmp_path / "before")
    quiet = cli("update", "--all", "--json")
    assert quiet.code == 0, quiet.stderr
    assert [entry["outcome"] for entry in quiet.document] == ["nothing new"] * 2
    for thread in (review, unasked):
        shown = cli("show", thread, "--json").document
        assert (shown["status"], shown["ended_by"]) == ("done", "approved")
    assert flow(cli, review, tmp_path / "after") == before
    assert cli("library", "add", records(tmp_path, *range(7))).code == 0
    for _ in range(2):  # what waits is not asked about again
        loud = cli("update", "--all", "--json")
        assert loud.code == 3, loud.stderr
        assert [entry["outcome"] for entry in loud.document] == ["waits"] * 2


def test_an_export_that_joined_does_not_have_the_search_wait(cli, review, tmp_path):
    (tmp_path / "scopus.ris").write_text(ris("Livers of fish", doi="10.1000/77"))
    assert cli("add", review, str(tmp_path / "scopus.ris"), "--database", "Scopus").code == 0
    assert answer(cli, review, "--approve").code == 0
    quiet = cli("update", "--all", "--json")
    assert (quiet.code, quiet.document[0]["outcome"]) == (0, "nothing new")


async def test_an_update_goes_back_to_the_last_search_and_not_to_files_added_since(
    cli, home, review, tmp_path
):
    await asyncio.sleep(1.1)  # times of rounds are in seconds
    (tmp_path / "scopus.ris").write_text(ris("Livers of fish", doi="10.1000/77"))
    added = await asyncio.to_thread(cli, "add", review, str(tmp_path / "scopus.ris"))
    assert added.code == 0
    assert (await asyncio.to_thread(answer, cli, review, "--approve")).code == 0
    assert (await asyncio.to_thread(cli, "update", review)).code == 3
    async with open_persistence(f"sqlite:///{home / 'threads.db'}") as persistence:
        session = SearchSession.on(persistence, review)
        state = await session.state()
        first, *others = await session.records.rounds(state.searched)
    assert state.updates[-1].searched_at == first.searched_at
    assert all(other.searched_at > first.searched_at for other in others)
    assert others


def test_of_more_hits_than_are_read_a_limit_on_the_day_of_entry_is_offered(cli, review, tmp_path):
    assert cli("library", "add", records(tmp_path, *range(101))).code == 0
    remarks = cli("update", review, "--json").document["checkpoint"]["payload"]["remarks"]
    day = (datetime.now(UTC) - timedelta(days=14)).date()
    assert f"`AND entered:{day}/` to it" in remarks[-1]


def test_the_sample_in_place_of_an_empty_library_has_the_hits_that_it_had(cli, tmp_path):
    nothing = cli("update", "--all")
    assert (nothing.code, "no approved search" in nothing.stderr) == (0, True)
    thread = str(cli("find", "visual slam", "--json").document["thread_id"])
    for _ in range(2):
        answer(cli, thread, "--approve")
    assert cli("update", "--all", "--json").code == 0
    assert cli("library", "add", records(tmp_path, 1)).code == 0
    assert cli("update", "--all", "--json").code == 3


def test_a_search_that_another_process_drives_is_left_alone(cli, review, home):
    async def update_beside_another() -> Any:
        url = f"sqlite:///{home / 'threads.db'}"
        async with open_persistence(url) as persistence, persistence.leases.hold(review):
            return await asyncio.to_thread(cli, "update", review)

    busy = asyncio.run(update_beside_another())
    assert busy.code == 1
    assert "wait until it asks a question or ends" in busy.stderr
    assert cli("show", review, "--json").document["status"] == "done"


def test_what_cannot_be_updated_is_said(cli, review, tmp_path):
    assert cli("update", review).code == 3
    again = cli("update", review, code=1)
    assert "is not finished, so it cannot be updated: answer its question first" in again.stderr
    assert cli("update").code == 2
    assert cli("update", review, "--all").code == 2
    assert cli("update", "nothing").code == 4
    file = records(tmp_path, 1, 2)
    imported = cli("screen", "--import", file, "--question", QUESTION, "--json")
    thread = imported.document["thread_id"]
    assert answer(cli, thread, "--approve").code == 0
    told = cli("update", thread, code=2)
    assert f"add new exports of its databases with `paper-search add {thread} FILE`" in told.stderr


def test_a_review_that_cannot_be_read_is_no_review_without_news(cli, review, monkeypatch):
    """PER-17: for cron, the exit code says so, and the line why."""
    monkeypatch.setenv("PAPER_SEARCH_ENCRYPTION_KEY", base64.b64encode(bytes(32)).decode())
    told = cli("update", "--all", code=1)
    assert f"{review}  failed: a row (a state) is not encrypted" in told.stderr


def test_an_update_that_stopped_in_the_middle_is_no_review_without_news(cli, review, home):
    async def stop_in_the_middle() -> None:
        async with open_persistence(f"sqlite:///{home / 'threads.db'}") as persistence:
            broken = workflow(FailingSkills("score", RuntimeError("boom")), persistence=persistence)
            with pytest.raises(RuntimeError, match="boom"):
                await reply_to(broken, review, "approve")

    assert cli("update", review).code == 3
    asyncio.run(stop_in_the_middle())
    stopped = cli("update", "--all", "--json", code=1)
    assert [entry["outcome"] for entry in stopped.document] == ["failed"]
    assert "boom" in stopped.document[0]["error"]
