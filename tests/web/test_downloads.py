"""What a thread gives as files on the page, asked over HTTP."""

import hashlib
import io
import re
import sys
import zipfile

import pytest
import rispy

from paper_search.exports import exporter_names


def test_the_papers_come_in_every_format_and_as_decided(page, place):
    first, *_ = re.findall(r'data-paper="([^"]+)"', page.text)
    assert page.send(f"{place}/marks", paper=first, say="irrelevant") == 200
    page.open(f"{place}/downloads")
    assert f"paper-search export {place.rpartition('/')[2]} --all" in page.text
    offered = re.findall(r'<option value="([\w-]+)"', page.text)
    assert set(exporter_names()) <= set(offered)
    files = {}
    for name in exporter_names():
        answer = page.client.get(f"/review{place}/papers", params={"format": name})
        assert answer.status_code == 200
        assert re.search(
            r'^attachment; filename="[\w-]+\.\w+"$', answer.headers["content-disposition"]
        )
        assert answer.content
        files[name] = answer.content
    counts = {
        decision: len(
            rispy.loads(
                page.client.get(
                    f"/review{place}/papers", params={"format": "ris", "decision": decision}
                ).text
            )
        )
        for decision in ("", "excluded", "all")
    }
    assert counts["excluded"] == 1
    assert counts["all"] == counts[""] + 1
    assert len(rispy.loads(files["ris"].decode())) == counts[""]


@pytest.mark.parametrize("asked", ["format=../x.csl", "format=ris&decision=liked", ""])
def test_a_file_that_does_not_exist_is_refused_with_those_that_do(page, place, asked):
    assert page.open(f"{place}/papers?{asked}") == 422
    assert "choose from " in page.text
    assert f'href="/review{place}">Back' in page.text


def test_the_audit_is_one_zip_whose_manifest_holds_and_whose_bytes_stay(page, place):
    page.open(f"{place}/downloads")
    assert f'action="/review{place}/audit"' in page.text
    one, other = (page.client.get(f"/review{place}/audit") for _ in range(2))
    assert one.content == other.content
    with zipfile.ZipFile(io.BytesIO(one.content)) as archive:
        files = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    manifest = files.pop("manifest-sha256.txt").decode().splitlines()
    assert {line[66:]: line[:64] for line in manifest} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items()
    }
    assert "records.csv" in files


def test_files_of_a_thread_that_has_none_or_is_not_there(visitors):
    page = visitors()
    place = page.begin()
    assert page.open(f"{place}/papers?format=ris") == 409
    assert "has no papers yet" in page.text
    for path in ("downloads", "papers?format=ris", "audit"):
        assert page.open(f"/threads/none/{path}") == 404
        assert "Back to" not in page.text


def test_pictures_are_image_files_under_a_policy_that_runs_nothing(page, place):
    page.open(f"{place}/pictures")
    shown = re.findall(rf'<img src="(/review{place}/pictures/\w+\.svg)" alt="\w', page.text)
    assert f"/review{place}/pictures/prisma_flow.svg" in shown
    for path in shown:
        answer = page.client.get(path)
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src")
        assert "script-src" not in answer.headers["content-security-policy"]
        assert b"<svg" in answer.content
    assert page.open(f"{place}/pictures/none.svg") == 404
    assert "script-src 'self'" in page.client.get("/review").headers["content-security-policy"]


def test_pictures_follow_what_is_decided(page, place):
    flow = f"/review{place}/pictures/prisma_flow.svg"
    before = page.client.get(flow).content  # without the page before it
    page.open(f"{place}/results")
    [paper, *_] = re.findall(r'data-paper="([^"]+)"', page.text)
    assert page.send(f"{place}/marks", paper=paper, say="irrelevant") == 200
    page.open(f"{place}/pictures")
    assert page.client.get(flow).content != before


def test_without_matplotlib_one_line_says_how_to_get_pictures(page, place, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as Python sees a package not installed
    assert page.open(f"{place}/pictures") == 200
    assert "paper-search[figures]" in page.text
    assert "<figure" not in page.text
    assert page.open(f"{place}/pictures/prisma_flow.svg") == 404


def test_the_strategy_can_be_copied_in_the_language_of_a_database(page, place):
    assert page.open(f"{place}/strategy") == 200
    assert f'href="/review{place}/strategy/databases"' in page.text
    assert page.open(f"{place}/strategy/databases?database=pubmed") == 200
    assert "[tw]" in page.text or "[tiab]" in page.text
    assert 'data-copy="copied"' in page.text
    assert page.open(f"{place}/strategy/databases?database=dialog") == 422
    assert "proquest" in page.text
