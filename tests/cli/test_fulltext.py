"""`paper-search fulltext`: full texts are sought, attached, decided on and counted."""

import asyncio
import csv
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from pytest_httpserver import HTTPServer
from tests.cli.test_import_screening import ris
from tests.cli.test_update import answer
from tests.pages.site import TREES, address, fetcher_for, locked_pdf, page, pdf

from paper_search.config import AppConfig
from paper_search.persistence import open_persistence
from paper_search.review.full_texts import FullTexts
from paper_search.review.open_texts import text_services
from paper_search.sources.client import SourceSettings
from paper_search.sources.enrichment import TEXT_SERVICES, Enricher, HttpEnricher, Lookup
from paper_search.sources.enrichment.services import (
    CoreLookup,
    EuropePmcLookup,
    OpenAlexLookup,
    UnpaywallLookup,
)
from paper_search.workflow import ThreadCatalog

PDF = pdf(list(TREES))
PATHS = ("open.pdf", "page", "broken.pdf")
"""Of the works 0, 1 and 2; the others have no open text."""


@pytest.fixture
def review(cli: Any, tmp_path: Path, httpserver: HTTPServer) -> str:
    """A review of six works, of which five are included by title and abstract."""
    httpserver.no_handler_status_code = 404
    httpserver.expect_request("/open.pdf").respond_with_data(PDF, content_type="application/pdf")
    httpserver.expect_request("/page").respond_with_data(page(), content_type="text/html")
    broken = b"%PDF-1.4 that goes no further"
    httpserver.expect_request("/broken.pdf").respond_with_data(
        broken, content_type="application/pdf"
    )
    rows = [ris(title(n), doi=f"10.1000/{n}" if n != 3 else "") for n in range(6)]
    for number, path in enumerate(PATHS):
        link = f"L1  - {address(httpserver, f'/{path}')}\nER  -"
        rows[number] = rows[number].replace("ER  -", link)
    (tmp_path / "own.ris").write_text("\n".join(rows))
    begun = cli("screen", "--import", str(tmp_path / "own.ris"), "--question", "livers", "--json")
    thread = str(begun.document["thread_id"])
    queue = {p["title"]: p["id"] for p in cli("screen", thread, "--json").document["queue"]}
    ids = [queue[title] for title in sorted(queue)]
    included, excluded = ",".join(ids[:5]), ids[5]
    assert (
        answer(cli, thread, "--relevant", included, "--irrelevant", excluded, "--approve").code == 0
    )
    return thread


def title(number: int) -> str:
    return f"Hepatotoxicity of molecules, part {number} of a series on livers"


def seek(home: Path, thread: str, port: int, services: Sequence[Enricher] = ()) -> None:
    async def run() -> None:
        url = f"sqlite:///{home / 'threads.db'}"
        async with open_persistence(url) as persistence, fetcher_for(port) as fetcher:
            session = ThreadCatalog(persistence).session(thread)
            await FullTexts(session, home, by="ada").seek(fetcher, services)

    asyncio.run(run())


def texts(cli: Any, thread: str, *words: str) -> dict[int, dict[str, str]]:
    """Run the command, and return the texts by the number of the work."""
    ended = cli("fulltext", thread, *words, "--json")
    assert ended.code == 0, ended.stderr
    entries = ended.document["full_texts"]
    assert ended.document["thread_id"] == thread
    return {int(entry["title"].split("part ")[1][0]): entry for entry in entries}


def test_all_boxes_of_prisma_are_counted(cli, review, home, tmp_path, httpserver):
    assert {entry["status"] for entry in texts(cli, review).values()} == {"sought"}
    seek(home, review, httpserver.port)
    found = texts(cli, review)
    assert [found[n]["status"] for n in range(5)] == ["retrieved", *["not retrieved"] * 4]
    assert "is a page, not a PDF" in found[1]["problem"]
    assert "cannot be read" in found[2]["problem"]
    assert found[3]["problem"] == "no open text is known"
    kept = Path(found[0]["path"])
    assert kept.read_bytes() == PDF
    assert (kept.stem, kept.stat().st_mode & 0o077) == (hashlib.sha256(PDF).hexdigest(), 0)

    for number in (3, 4):
        (tmp_path / f"{number}.pdf").write_bytes(pdf([f"The text of {number}"]))
        texts(cli, review, found[number]["id"], str(tmp_path / f"{number}.pdf"))
    texts(cli, review, found[0]["id"], "--include")
    decided = texts(cli, review, found[3]["id"], "--exclude", "wrong population")
    assert [decided[n]["summary"] for n in (0, 3, 4)] == [
        "included", "excluded: wrong population", "retrieved",
    ]  # fmt: skip

    ended = cli("audit", review, "--output", str(tmp_path / "audit"))
    assert "5 full texts sought: 2 not retrieved, 1 included, 1 excluded, 1 not decided" in (
        ended.stderr
    )
    flow = json.loads((tmp_path / "audit" / "prisma_flow.json").read_text())
    assert flow["included"] == 5
    assert flow["full_texts"] == {
        "sought": 5, "waiting": 0, "not_retrieved": 2, "unassessed": 1, "assessed": 2,
        "excluded": 1, "exclusion_reasons": {"wrong population": 1}, "included": 1,
    }  # fmt: skip
    report = (tmp_path / "audit" / "report.md").read_text()
    for row in ("Full texts sought | 5", "Full texts not retrieved | 2", "Full texts assessed | 2",
                "by full text because: wrong population | 1", "Included | 1"):  # fmt: skip
        assert f"| {row} |" in report
    text = (tmp_path / "audit" / "records.csv").read_text()
    records = list(csv.DictReader(text.splitlines()))
    for number, outcome in ((0, "included"), (3, "excluded: wrong population")):
        [line] = [
            line for line in report.splitlines() if line.startswith(f"| {found[number]['id']} ")
        ]
        assert line.endswith(f"| {outcome} |")
        assert outcome in [row["full_text"] for row in records if row["id"] == found[number]["id"]]
    assert (
        "We sought full texts of 5 works (not retrieved 2, retrieved and not assessed yet 1) and "
        "assessed 2: 1 excluded (wrong population 1) and 1 included."
    ) in (tmp_path / "audit" / "reporting.md").read_text()
    picture = (tmp_path / "audit" / "pictures" / "prisma_flow.svg").read_text()
    for line in ("Full texts sought (n = 5)", "not retrieved (n = 2)", "Works included (n = 1)"):
        assert line in picture
    log = (tmp_path / "audit" / "decisions.csv").read_text()
    assert log.count('"full text"') == 7  # five look-ups and two decisions
    table = cli("export", review, "--format", "csv").stdout
    assert "excluded: wrong population" in table


def services_at(server: HTTPServer) -> list[Enricher]:
    """All services: of the works 1, 2 and 4, OpenAlex names copies of 1 that nobody gets.

    Unpaywall names one of them and another of 1, and one of another paper for 2; Europe PMC fails,
    and CORE knows 4 without a text.
    """
    for path in ("/closed.pdf", "/epmc/search"):
        server.expect_request(path).respond_with_data("no", status=403)
    server.expect_request("/copy.pdf").respond_with_data(PDF, content_type="application/pdf")
    closed, copy = address(server, "/closed.pdf"), address(server, "/copy.pdf")
    work = {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.1000/1", "title": title(1),
            "best_oa_location": {"pdf_url": closed},
            "locations": [{"is_oa": path == "/gone.pdf", "pdf_url": address(server, path)}
                          for path in ("/gone.pdf", "/paid.pdf")]}  # fmt: skip
    server.expect_request("/openalex").respond_with_json({"meta": {}, "results": [work]})
    places = [{"url_for_pdf": closed}, {"url_for_pdf": copy}]
    for number, name in {1: title(1), 2: "Proceedings of the congress on lemons"}.items():
        known = {"doi": f"10.1000/{number}", "title": name, "is_oa": True, "oa_locations": places}
        server.expect_request(f"/unpaywall/10.1000/{number}").respond_with_json(known)
    entry = {"id": 4, "doi": "10.1000/4", "title": title(4), "downloadUrl": ""}
    server.expect_request("/core").respond_with_json({"totalHits": 1, "results": [entry]})
    adapters: list[Lookup] = [
        OpenAlexLookup(endpoint=server.url_for("/openalex")),
        UnpaywallLookup(contact="a@b.edu", endpoint=server.url_for("/unpaywall")),
        EuropePmcLookup(endpoint=server.url_for("/epmc")),
        CoreLookup(endpoint=server.url_for("/core")),
    ]
    settings = SourceSettings(interval_s=0, max_retries=0)
    return [HttpEnricher(adapter, settings) for adapter in adapters]


@pytest.mark.usefixtures("plain_audits")
def test_services_are_asked_for_what_the_records_do_not_lead_to_and_each_request_is_logged(
    cli, review, home, tmp_path, httpserver
):
    services = services_at(httpserver)
    assert [service.enricher_name for service in services] == list(TEXT_SERVICES)
    seek(home, review, httpserver.port, services)
    found = texts(cli, review)
    assert {n for n, text in found.items() if text["status"] == "retrieved"} == {0, 1}
    assert [found[n]["source"] for n in range(3)] == ["", "Unpaywall", ""]
    assert found[1]["origin"] == address(httpserver, "/copy.pdf")
    assert address(httpserver, "/copy.pdf") in cli("export", review, "--format", "ris").stdout
    silent = ("OpenAlex knows no open text; Unpaywall knows no open text; "
              "Europe PMC did not answer (unauthorised); CORE knows no open text")  # fmt: skip
    assert found[2]["problem"].endswith(f"; {silent}")
    assert found[4]["problem"] == silent
    assert found[3]["problem"].count("accepts none of its identifiers") == 3

    assert cli("audit", review, "--output", str(tmp_path / "audit")).code == 0
    with (tmp_path / "audit" / "search_log.csv").open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["purpose"] == "full text"]
    by_source = {row["source"]: row for row in rows}
    assert set(by_source) == {*TEXT_SERVICES, "trees.example.org"}
    assert {row["allowed_by"] for row in rows} == {"ada"}
    assert [by_source[name]["status"] for name in TEXT_SERVICES] == [
        "ok", "ok", "unauthorised", "ok",
    ]  # fmt: skip
    sent = unquote("; ".join(row["requests"] for row in rows))
    assert sent.count("/openalex?filter=doi:10.1000/1|10.1000/2|10.1000/4&") == 1
    paths = ("/robots.txt", "/open.pdf", "/page", "/broken.pdf", "/closed.pdf", "/gone.pdf",
             "/copy.pdf", "/unpaywall/10.1000/4", "/core",
             '/epmc/search?query=DOI:"10.1000/2"+OR+DOI:"10.1000/4"&')  # fmt: skip
    assert [sent.count(path) for path in paths] == [1] * len(paths)
    assert "/paid.pdf" not in sent
    assert len(httpserver.log) == sum(row["requests"].count("sent 2") for row in rows)
    decisions = (tmp_path / "audit" / "decisions.csv").read_text()
    assert f"{address(httpserver, '/copy.pdf')} (Unpaywall)" in decisions


def test_a_service_that_wants_a_contact_is_named_as_not_asked(cli, review, home, httpserver):
    seek(home, review, httpserver.port, text_services(AppConfig(contact=None))[1:2])
    assert texts(cli, review)[4]["problem"] == (
        "not asked: Unpaywall requires an e-mail address (PAPER_SEARCH_CONTACT)"
    )


def test_what_cannot_be_attached_or_decided_is_said_and_changes_nothing(cli, review, tmp_path):
    before = texts(cli, review)
    paper, excluded = before[4]["id"], "own.ris#6"
    files = {"page.pdf": b"<html><body>Sign in</body></html>", "bad.pdf": b"%PDF-1.4 no more",
             "good.pdf": PDF,
             "locked.pdf": locked_pdf(), "empty.pdf": b"",
             "other.pdf": b"&a=1" * 20_000}  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with (tmp_path / "large.pdf").open("wb") as sparse:
        sparse.truncate(10**12)  # nobody can read that
    refused = [
        ((paper, str(tmp_path / "page.pdf")), 2, "it is a web page (HTML), not a PDF"),
        ((paper, str(tmp_path / "bad.pdf")), 2, "cannot be read"),
        ((paper, str(tmp_path / "locked.pdf")), 2, "a password locks it"),
        ((paper, str(tmp_path / "empty.pdf")), 2, "it is empty"),
        ((paper, str(tmp_path / "other.pdf")), 2, "it is not a PDF"),
        ((paper, str(tmp_path / "large.pdf")), 2, "large.pdf: 1,000,000,000,000 bytes"),
        ((paper, str(tmp_path / "none.pdf")), 2, "cannot be read"),
        ((excluded, str(tmp_path / "good.pdf")), 2, "is not among the 5 works"),
        ((paper, "--include"), 2, "attach it before you decide on it"),
        ((paper,), 2, "give one of"),
        (("--seek", "--include"), 2, "give one of"),
        (("--reviewer", ""), 2, "is not a valid name of a reviewer"),
    ]
    for words, code, reason in refused:
        ended = cli("fulltext", review, *words)
        assert (ended.code, reason in ended.stderr) == (code, True), ended.stderr
    assert texts(cli, review) == before
    [line] = cli("fulltext", review, paper, str(tmp_path / "good.pdf")).stdout.splitlines()
    assert line.startswith(f"{paper}  retrieved: ")
    assert "give the reason" in cli("fulltext", review, paper, "--exclude", " ").stderr
    assert cli("fulltext", "nothing").code == 4


def test_what_a_person_enters_as_not_retrieved_is_not_sought_again(
    cli, review, home, tmp_path, httpserver
):
    paper = texts(cli, review)[0]["id"]
    entered = texts(cli, review, paper, "--not-retrieved", "no library  has it")
    assert entered[0]["summary"] == "not retrieved: no library has it"
    assert entered[0]["retrieved_at"]
    assert entered[0]["retrieved_by"]
    assert (
        "in 200 characters" in cli("fulltext", review, paper, "--not-retrieved", 201 * "x").stderr
    )
    seek(home, review, httpserver.port)
    assert texts(cli, review)[0]["summary"] == "not retrieved: no library has it"
    (tmp_path / "own.pdf").write_bytes(PDF)
    assert texts(cli, review, paper, str(tmp_path / "own.pdf"))[0]["summary"] == "retrieved"
    for words, reason in ((("late",), "a full text: retrieved"), ((" ",), "say why")):
        assert reason in cli("fulltext", review, paper, "--not-retrieved", *words).stderr


@pytest.mark.usefixtures("plain_audits")
def test_reviewers_decide_apart_at_the_command_and_one_who_leaves_is_not_waited_for(
    cli, review, tmp_path
):
    for number in (0, 1):
        (tmp_path / f"{number}.pdf").write_bytes(pdf([f"The text of {number}"]))
        paper = texts(cli, review)[number]["id"]
        texts(cli, review, paper, str(tmp_path / f"{number}.pdf"))
    ids = [texts(cli, review)[n]["id"] for n in (0, 1)]
    texts(cli, review, ids[0], "--exclude", "no control", "--reviewer", "dee")
    texts(cli, review, "--reviewer", "dee", "--leave")
    texts(cli, review, "--reviewer", "cy")
    for name, second in (("ada", ("--include",)), ("bo", ("--exclude", "no trial"))):
        [line] = cli(
            "fulltext", review, ids[0], "--include", "--reviewer", name
        ).stdout.splitlines()
        assert line.startswith(f"{ids[0]}  retrieved; your own decision: include: ")
        assert texts(cli, review, ids[1], *second, "--reviewer", name)[0]["status"] == "retrieved"
    for word in ("--done", "--leave"):
        assert "need --reviewer NAME" in cli("fulltext", review, word).stderr
    assert cli("audit", review, "--output", str(tmp_path / "blind")).code == 0
    assert '"dee"' not in (tmp_path / "blind" / "decisions.csv").read_text()
    left = texts(cli, review, "--reviewer", "cy", "--leave")
    assert [left[n]["status"] for n in (0, 1)] == ["included", "retrieved"]
    assert (
        "not among the reviewers" in cli("fulltext", review, "--reviewer", "cy", "--leave").stderr
    )
    assert cli("audit", review, "--output", str(tmp_path / "audit")).code == 0
    decisions = (tmp_path / "audit" / "decisions.csv").read_text()
    assert '"no control","not counted: left before all reviewers were done"' in decisions
    assert decisions.count('"full text"') == 3  # two files and what both decided alike
    for name in ("report.md", "reporting.md"):
        document = (tmp_path / "audit" / name).read_text()
        assert "Decided by several: 2 (1 included, 0 excluded, 1 in conflict)." in document
        assert "Agreement: 50%; Cohen's kappa: 0.00." in document
