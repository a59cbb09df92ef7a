"""`paper-search doctor`, `find --must-find` and the reports that people see."""

import gzip
import time

import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.cli.conftest import QUESTION
from tests.conftest import run_sql

from paper_search.cli.source_lines import failure_lines
from paper_search.http.limits import Refusal, process_limiter
from paper_search.models import SourceReport, SourceStatus
from paper_search.sources.client import time_text


def test_what_is_wrong_is_said_with_how_to_fix_it(cli, home, monkeypatch):
    monkeypatch.setenv("LLM_MODEL", "gpt")
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "openalex")
    (home / "threads.db").write_bytes(b"this is no database" * 1000)
    (home / "library").mkdir()
    (home / "library" / "records.db").write_bytes(b"this is no database" * 1000)
    ended = cli("doctor", "--json", "--source", "serper_scholar", "--source", "sample", code=1)
    checks = {block["what"]: block for block in ended.document}
    wrong = [what for what, item in checks.items() if not item["is_well"]]
    assert wrong == ["contact", "model", "library", "threads", "source serper_scholar"]
    assert all(checks[what]["fix"] for what in wrong)
    assert "SERPER_API_KEY" in checks["source serper_scholar"]["found"]
    table = cli("doctor", "--source", "serper_scholar", code=1)
    assert "SERPER_API_KEY" in table.stdout


def test_a_database_that_can_be_read_alone_is_not_well__per_08(cli, postgres_url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", postgres_url)
    assert "0 searches" in cli("doctor", "--source", "sample", code=0).stdout
    name = conninfo_to_dict(postgres_url)["dbname"]
    run_sql(postgres_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    assert cli("threads", code=0)
    ended = cli("doctor", "--source", "sample", "--json", code=1)
    (wrong,) = (check for check in ended.document if not check["is_well"])
    assert wrong["what"] == "threads"
    assert "to a writable one" in wrong["found"]


def test_what_is_no_paper_in_a_file_of_known_papers_is_said_by_line(cli, tmp_path):
    (tmp_path / "known.bib").write_text(
        "@article{a, title={Nowhere to be found}, doi={10.1000/nowhere-a}}\n"
        "@article{b, year={2020}}\n@article{c, author={Doe, J.}}\n"
    )
    ended = cli("find", QUESTION, "--source", "sample", "--yes", "--must-find", "known.bib")
    assert "0 of 1 known papers found" in ended.stdout + ended.stderr
    assert "known.bib: 1 read, 2 rejected" in ended.stderr
    assert "known.bib, line 2: left out" in ended.stderr
    assert "known.bib, line 3: left out" in ended.stderr
    (tmp_path / "known.CSV.gz").write_bytes(gzip.compress(b"Title,DOI\nNowhere,10.1000/nowhere\n"))
    ended = cli("find", QUESTION, "--source", "sample", "--yes", "--must-find", "known.CSV.gz")
    assert "known.CSV.gz: 1 read" in ended.stderr


@pytest.mark.parametrize("prefix", ["", "doi:", "https://doi.org/"])
def test_a_doi_that_ends_like_a_file_is_none(cli, prefix):
    value = f"{prefix}10.1000/nowhere.csv"
    ended = cli("find", QUESTION, "--source", "sample", "--yes", "--must-find", value)
    assert "0 of 1 known papers found" in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("value", "words"),
    [("no-such.bib", "no-such.bib"), ("  ", "blank"), ("empty.bib", "empty.bib")],
)
def test_known_papers_that_cannot_be_read_are_an_error(cli, tmp_path, value, words):
    (tmp_path / "empty.bib").write_text("")
    ended = cli("find", QUESTION, "--source", "sample", "--yes", "--must-find", value)
    assert ended.code in {1, 2}
    assert words in ended.stderr


def test_failures_are_told_once_for_a_source():
    failed = [
        SourceReport(source="a", status=SourceStatus.TIMEOUT, error="slow"),
        SourceReport(source="a", status=SourceStatus.TIMEOUT, error="slow again"),
        SourceReport(source="b", status=SourceStatus.UNAUTHORISED, note="no key"),
    ]
    assert failure_lines(failed) == [
        "source a FAILED (timeout, 2 queries): slow",
        "source b FAILED (unauthorised): no key",
    ]


def test_a_service_that_refused_lately_is_listed_as_such(cli, home):
    refusal = Refusal(time.time() + 600, "HTTP 429")
    process_limiter(home / "cache" / "limits.db").refuse("export.arxiv.org", refusal)
    found = {block["name"]: block["refused"] for block in cli("sources", "--json").document}
    assert found["arxiv"] == time_text(refusal.until)
    assert found["crossref"] is None
    assert "refused lately" in " ".join(cli("sources").stdout.split())
