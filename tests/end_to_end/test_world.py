"""Whole searches of services that search, refuse and fail: the simulator of `../shared/world`."""

import concurrent.futures
import csv
import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from tests.audit.plain_counts import recounted_log
from tests.end_to_end.conftest import WORLD, Services
from tests.end_to_end.served import bare_environment, serving_bare
from tests.recorded import recorded_answers

QUESTIONS = ["visual slam for mobile robots", "graph neural networks", "image segmentation"]

NINE = [
    *("openalex", "semantic_scholar", "crossref", "pubmed", "arxiv"),
    *("europe_pmc", "dblp", "doaj", "datacite"),
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not WORLD.is_dir(), reason="the simulated services are not here"),
]


def of_source(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [report for report in found["reports"] if report["source"] == name]


@pytest.fixture(scope="module")
def at_once(
    running: Services, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what three processes find that share one home, and the log of the services."""
    running.control()
    home = tmp_path_factory.mktemp("home")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda question: running.find(question, home), QUESTIONS))
    return found, running.log()


def test_three_searches_at_once_keep_every_limit_and_every_grammar(at_once):
    """Three processes share one home, and thereby turns and places."""
    found, log = at_once
    assert [entry for entry in log if entry["status"] != 200] == []
    assert all(len(document["papers"]) >= 20 for document in found)


def test_no_record_is_lost_no_two_works_become_one_and_hardly_one_work_stays_two(at_once):
    """The identifiers of the simulated services hold the number of the work."""
    sys.path.insert(0, str(WORLD))
    work_of: Callable[[str], int | None] = importlib.import_module("corpus").work_of
    sys.path.remove(str(WORLD))
    for found in at_once[0]:
        papers = [*found["papers"], *found["set_aside"]]
        assert sum(report["kept"] for report in found["reports"]) >= 500
        for name in {report["source"] for report in found["reports"]}:
            seen = {
                (sighting["query"], sighting["rank"])
                for paper in papers
                for sighting in paper["sightings"]
                if sighting["source"] == name
            }
            reports = of_source(found, name)
            assert len(seen) <= sum(report["received"] for report in reports)
            assert len(seen) >= sum(report["kept"] for report in reports)
        works = []
        for paper in papers:
            identifiers = [record.split(":", 1)[1] for record in paper["merged_from"]]
            named = {work_of(name) for name in (*identifiers, paper["doi"] or "")} - {None}
            assert len(named) <= 1, paper["title"]
            works += named
        assert len(works) >= 0.95 * len(papers)
        assert len(set(works)) >= 0.99 * len(works)


def test_a_service_that_is_down_costs_none_of_the_others(services, tmp_path):
    services.control(down=["openalex"])
    found = services.find(QUESTIONS[0], tmp_path)
    assert len(found["papers"]) >= 20
    assert of_source(found, "openalex")[0]["status"] == "bad_response"
    assert of_source(found, "crossref")[0]["status"] == "ok"


def test_a_spent_budget_is_asked_for_once_and_told_with_what_helps(services, tmp_path):
    services.control(budget=0)
    two = ("--source", "openalex", "--source", "crossref")
    found = [services.find(question, tmp_path, *two) for question in QUESTIONS[:2]]
    assert services.statuses()["openalex", 429] == 1
    for document in found:
        first, *_ = reports = of_source(document, "openalex")
        assert {report["status"] for report in reports} == {"exhausted"}
        assert "set OPENALEX_API_KEY to a free key from https://" in first["error"]
        assert "funds" not in first["error"]


def test_a_crowded_service_is_left_alone_by_the_next_runs(services, tmp_path):
    services.control(crowd=1.0)
    for question in QUESTIONS:
        services.find(question, tmp_path, "--source", "semantic_scholar", "--source", "crossref")
    assert services.statuses()["semantic_scholar", 429] == 2


def test_a_slow_service_does_not_hold_the_page(services, tmp_path):
    services.control(slow={"doaj": 3600})
    found = services.find(QUESTIONS[0], tmp_path)
    reports = of_source(found, "doaj")
    assert {report["status"] for report in reports} == {"timeout"}
    assert "when the others were done: it may have more" in reports[0]["error"]
    assert len(found["papers"]) >= 20


def test_wildcards_and_exclusions_are_never_turned_round(services, tmp_path):
    services.find("(robot* OR sl?m) AND navigation NOT (survey OR review)", tmp_path)
    for entry in services.log():
        said = json.dumps(entry)
        assert entry["status"] == 200, said
        assert " AND survey" not in said.replace("AND NOT", ""), said


def test_the_smoke_run_saves_what_it_gets_in_the_form_of_the_recorded_answers(services, tmp_path):
    script = Path(__file__).parents[2] / "scripts" / "live_smoke.py"
    out = tmp_path / "out"
    ended = subprocess.run(  # noqa: S603  # our own script
        [sys.executable, str(script), "--out", str(out), "--recorded", str(out)],
        env={
            **os.environ,
            "PYTHONPATH": str(WORLD / "redirect"),
            "WORLD_URL": services.url,
            "PAPER_SEARCH_HOME": str(tmp_path / "home"),
        },
        capture_output=True,
        check=True,
        text=True,
        timeout=240,
    )
    lines = [line.split("|")[1].strip() for line in ended.stdout.splitlines()[2:]]
    assert lines[:2] == ["openalex", "crossref"]
    assert [line.partition(": ")[2] for line in lines[-6:-2]] == [
        *("a boolean query", "a second page", "a query by POST", "a work by its DOI")
    ]
    assert 15 <= len(services.log()) <= 20
    assert {("europe_pmc", "POST"), ("openalex", "GET")} <= {
        (entry["service"], entry["method"]) for entry in services.log()
    }
    assert any("cited_by:" in entry["query"].get("filter", "") for entry in services.log())
    answers = recorded_answers(out, "openalex")
    assert {answer.status for answer in answers} == {200}
    assert any(answer.answer.json()["results"] for answer in answers)


def test_every_number_is_that_of_the_log_of_the_services(services, tmp_path):
    """Two rounds of nine services, counted by the services themselves."""
    uncached = {"PAPER_SEARCH_HTTP_CACHE": "false", "SCOPE_DEADLINE_S": "0"}
    services.control(limits=False, crowd=0.0)
    nine = [option for name in NINE for option in ("--source", name)]
    begun = services.run(3, tmp_path, "find", QUESTIONS[0], "--json", *nine, **uncached)
    thread = begun["thread_id"]
    asked = begun

    def resumed(*decision: str) -> dict[str, Any]:
        named = ("--token", asked["checkpoint"]["token"], "--json")
        return services.run(3, tmp_path, "resume", thread, *decision, *named, **uncached)

    for round_ in range(2):
        asked = resumed("--approve")
        counts = asked["checkpoint"]["payload"]["counts"]
        directory = tmp_path / f"audit{round_}"
        arguments = ("audit", thread, "-o", str(directory), "--json")
        services.run(0, tmp_path, *arguments)
        flow = json.loads((directory / "prisma_flow.json").read_text())
        truth = recounted_log(services.log())
        assert flow["by_source"] == {name: count for name, count in truth.items() if count}
        assert flow["identified"] == sum(truth.values())
        assert flow["rounds"][-1] == counts
        with (directory / "records.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert Counter(row["source"] for row in rows) == flow["by_source"]
        assert len({row["kept_as"] for row in rows} - {""}) == flow["works"]
        assert [row for row in rows if row["title"] and not row["id"]] == []
        with (directory / "search_log.csv").open(newline="") as file:
            log = list(csv.DictReader(file))
        assert sum(int(row["received"]) for row in log) == flow["identified"]
        assert sum(int(row["new_works"]) for row in log) == flow["works"]
        if round_ < 1:
            asked = resumed("--reject", "others")


async def test_langgraphs_own_server_searches_services_with_its_usual_options(services, tmp_path):
    """It stops a step that blocks the event loop, be it by a file."""
    services.control()
    redirected = {"PYTHONPATH": str(WORLD / "redirect"), "WORLD_URL": services.url}
    environment = bare_environment(tmp_path, PAPER_SEARCH_SOURCES="web", **redirected)
    with serving_bare(environment, tmp_path) as server:
        async with get_client(url=server.url) as client:
            thread = (await client.threads.create())["thread_id"]
            await client.runs.wait(thread, "paper_search", input={"question": QUESTIONS[0]})
            await client.runs.wait(thread, "paper_search", command={"resume": "approve"})
            state = await client.threads.get_state(thread)
    reports = state["values"]["reports"]
    assert [report["error"] for report in reports if report["status"] == "bug"] == []
    assert len({report["source"] for report in reports}) == 8
    shown = state["interrupts"][0]["value"]["payload"]["collection"]["papers"]
    assert len(shown) >= 20
