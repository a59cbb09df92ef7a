"""A search pushed into a collection of Zotero, by the loopback server that answers as it does."""

import copy
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from tests.review.test_zotero import config_of, records
from tests.zotero_server import KEY, ZoteroServer, zotero_at
from werkzeug import Response

from paper_search.errors import InputError, UnknownNameError, ZoteroError
from paper_search.models import Author, Paper, PaperTag, ScreeningDecision
from paper_search.review.zotero_push import PushSummary, push
from paper_search.testing.exporters import nasty_papers

INCLUDED = ScreeningDecision(decision="include", decided_by="ada", reason="a <b>trial</b>")
EXCLUDED = ScreeningDecision(decision="exclude", decided_by="bob", reason="no control")
BEES = Paper(
    id="doi:10.1000/bees",
    title="Bees",
    authors=[
        Author(name="Carla van Dyk", family="Dyk", given="Carla", particle="van"),
        Author(name="Hive Consortium", literal="Hive Consortium"),
    ],
    abstract="They dance.",
    keywords=["bees"],
    tags=[PaperTag.METHOD],
    year=2020,
    venue="J. Bees",
    volume="4",
    issue="2",
    issn="2045-2322",
    pages="1-9",
    language="en",
    doi="10.1000/bees",
    pmid="12",
    publisher="Hive",
    url="https://example.org/bees",
    full_text_url="https://example.org/bees.pdf",
    publication_type="article-journal",
    source="s",
    note="see table 2",
    screening=INCLUDED,
)


@pytest.fixture
def zotero(httpserver: HTTPServer) -> ZoteroServer:
    """A library on the web with one collection, in which a person has an item of their own."""
    server = zotero_at(httpserver, KEY)
    server.add_collection("BEES2345", "Bees")
    server.add_item("BEES2345", "FRGN2345", title="Bees", DOI="10.1000/bees", tags=[{"tag": "x"}])
    return server


async def pushed(
    server: ZoteroServer,
    home: Path,
    papers: Sequence[Paper],
    others: Sequence[Paper] = (),
    thread: str = "t1",
) -> PushSummary:
    return await push(config_of(server, home), "zotero:Bees", thread, papers, others)


def decided(paper: Paper, screening: ScreeningDecision | None) -> Paper:
    return paper.model_copy(update={"screening": screening, "note": None})


def bare(number: int) -> Paper:
    title = f"Bees {number}"
    return Paper(id=f"p{number}", title=title, authors=[], source="s", screening=INCLUDED)


async def test_a_second_push_sends_no_write(zotero, tmp_path):
    papers = [BEES, *nasty_papers()]
    await pushed(zotero, tmp_path, papers)
    before, writes = copy.deepcopy(zotero.items), len(zotero.writes)
    summary = await pushed(zotero, tmp_path, papers)
    assert summary.counts["unchanged"] == len(papers)
    assert (zotero.items, len(zotero.writes)) == (before, writes)


async def test_a_note_that_zotero_spells_in_another_way_is_not_written_again(zotero, tmp_path):
    await pushed(zotero, tmp_path, [BEES])
    [note] = [item for item in zotero.items.values() if item["itemType"] == "note"]
    note["note"] = f'<div data-schema-version="9">{note["note"]}</div>'
    await pushed(zotero, tmp_path, [BEES])
    assert len(zotero.writes) == 2


async def test_items_of_others_stay_as_they_are_even_with_the_same_doi(zotero, tmp_path):
    before = copy.deepcopy(zotero.items["FRGN2345"])
    await pushed(zotero, tmp_path, [BEES])
    await pushed(zotero, tmp_path, [], [decided(BEES, EXCLUDED)])
    assert zotero.items["FRGN2345"] == before
    assert all(change["key"] != "FRGN2345" for write in zotero.writes for change in write)


@pytest.mark.parametrize(
    ("screening", "tags", "words"),
    [(EXCLUDED, ["decision: exclude"], "reason: no control"), (None, [], "<p>undecided</p>")],
)
async def test_a_decision_that_was_changed_changes_tag_and_note_of_our_item_only(
    zotero, tmp_path, screening, tags, words
):
    await pushed(zotero, tmp_path, [BEES, bare(2)])
    [item] = [each for each in zotero.items.values() if "t1/doi" in each.get("extra", "")]
    item |= {"title": "Bees, corrected", "tags": [*item["tags"], {"tag": "my own", "type": 0}]}
    writes = len(zotero.writes)
    summary = await pushed(zotero, tmp_path, [bare(2)], [decided(BEES, screening)])
    assert (summary.counts["updated"], summary.counts["unchanged"]) == (1, 1)
    [[change], [note]] = zotero.writes[writes:]
    assert change.keys() == {"key", "version", "tags"}
    assert [tag["tag"] for tag in change["tags"]] == ["method", "bees", "my own", *tags]
    assert note.keys() == {"key", "version", "note"}
    assert words in note["note"]
    assert zotero.items[item["key"]]["title"] == "Bees, corrected"


async def test_what_was_never_included_is_not_created(zotero, tmp_path):
    summary = await pushed(zotero, tmp_path, [], [decided(BEES, EXCLUDED)])
    assert sum(summary.counts.values()) == 0
    assert zotero.writes == []


async def test_an_item_in_the_trash_or_without_our_line_is_left_alone(zotero, tmp_path):
    await pushed(zotero, tmp_path, [bare(1), bare(2)])
    ours = [item for item in zotero.items.values() if "paper-search" in item.get("extra", "")]
    ours[0]["deleted"], ours[1]["extra"] = 1, "mine now"
    before, writes = copy.deepcopy(zotero.items), len(zotero.writes)
    summary = await pushed(zotero, tmp_path, [], [decided(bare(n), EXCLUDED) for n in (1, 2)])
    assert summary.counts["left"] == 2
    assert (zotero.items, len(zotero.writes)) == (before, writes)


async def test_a_note_in_which_our_line_is_gone_is_left_alone(zotero, tmp_path):
    await pushed(zotero, tmp_path, [bare(1)])
    [note] = [item for item in zotero.items.values() if item["itemType"] == "note"]
    note["note"] = "<p>my own thoughts</p>"
    await pushed(zotero, tmp_path, [], [decided(bare(1), EXCLUDED)])
    assert zotero.items[note["key"]]["note"] == "<p>my own thoughts</p>"


async def test_a_paper_that_was_merged_with_another_keeps_its_item(zotero, tmp_path):
    await pushed(zotero, tmp_path, [bare(1)])
    merged = bare(1).model_copy(update={"id": "better", "merged_from": ["better", "p1"]})
    summary = await pushed(zotero, tmp_path, [merged])
    assert summary.outcomes == {"better": "unchanged"}


async def test_an_item_that_left_the_collection_comes_back_and_stays_where_it_is(zotero, tmp_path):
    await pushed(zotero, tmp_path, [bare(1)])
    item = list(zotero.items.values())[1]
    item["collections"] = ["OTHR2345"]
    await pushed(zotero, tmp_path, [bare(1)])
    assert zotero.items[item["key"]]["collections"] == ["OTHR2345", "BEES2345"]


async def test_two_threads_have_items_of_their_own(zotero, tmp_path):
    await pushed(zotero, tmp_path, [bare(1)])
    await pushed(zotero, tmp_path, [bare(1)], thread="t2")
    titles = [item.get("title") for item in zotero.items.values()]
    assert titles.count("Bees 1") == 2


async def test_250_papers_are_written_50_at_a_time_each_with_the_version_it_changes(
    zotero, tmp_path
):
    summary = await pushed(zotero, tmp_path, [bare(number) for number in range(250)])
    assert summary.counts["created"] == 250
    assert [len(write) for write in zotero.writes] == [50] * 10
    assert {change["version"] for write in zotero.writes for change in write} == {0}


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_write_whose_answer_is_lost_is_sent_again_and_makes_nothing_twice(
    zotero, tmp_path, status
):
    zotero.lose_answer = Response("later", status, headers={"Retry-After": "0"})
    summary = await pushed(zotero, tmp_path, [BEES])
    assert summary.counts["created"] == 1
    assert len(zotero.items) == 4


async def test_an_item_that_changes_meanwhile_is_looked_at_again(zotero, tmp_path):
    await pushed(zotero, tmp_path, [bare(1)])
    key = list(zotero.items)[1]
    zotero.meddle = {"key": key, "tags": [{"tag": "just added"}, {"tag": "decision: include"}]}
    await pushed(zotero, tmp_path, [], [decided(bare(1), EXCLUDED)])
    tags = [tag["tag"] for tag in zotero.items[key]["tags"]]
    assert tags == ["just added", "decision: exclude"]


async def test_what_zotero_refuses_is_told_and_the_rest_goes_in(zotero, tmp_path):
    zotero.refused_titles = {"Bees 1"}
    summary = await pushed(zotero, tmp_path, [bare(1), bare(2)])
    assert summary.outcomes == {"p1": "refused", "p2": "created"}
    assert list(summary.refusals.values()) == ["'title' is refused"]


async def test_what_cannot_be_a_tag_or_a_name_in_zotero_is_left_out_or_cut(zotero, tmp_path):
    paper = bare(1).model_copy(
        update={"keywords": ["k" * 256, "short"], "authors": [Author(name="n" * 300)]}
    )
    assert (await pushed(zotero, tmp_path, [paper])).counts["created"] == 1
    item = list(zotero.items.values())[1]
    assert [tag["tag"] for tag in item["tags"]] == ["short", "decision: include"]
    assert len(item["creators"][0]["name"]) == 255


@pytest.mark.parametrize(
    ("status", "words"), [(409, "locked"), (403, "ZOTERO_API_KEY"), (412, "HTTP 412")]
)
async def test_a_write_that_is_refused_as_a_whole_is_an_error(zotero, tmp_path, status, words):
    zotero.lose_answer = Response("no", status)
    with pytest.raises(ZoteroError, match=words):
        await pushed(zotero, tmp_path, [bare(1)])


async def test_a_key_that_may_only_read_is_refused_before_anything_is_written(zotero, tmp_path):
    zotero.may_write = False
    with pytest.raises(ZoteroError, match="may not write to users/475425; "):
        await pushed(zotero, tmp_path, [bare(1)])
    assert zotero.writes == []


@pytest.mark.parametrize(
    ("rights", "may_write"),
    [({"12": True}, True), ({"all": True}, True), ({"12": False, "all": True}, False), ({}, False)],
)
async def test_a_group_is_written_to_with_a_key_that_may(zotero, tmp_path, rights, *, may_write):
    zotero.place = "/groups/12"
    zotero.group_rights = {name: {"library": True, "write": may} for name, may in rights.items()}
    pushing = push(
        config_of(zotero, tmp_path, library="group:12"), "zotero:Bees", "t1", [bare(1)], []
    )
    if may_write:
        assert (await pushing).counts["created"] == 1
    else:
        with pytest.raises(ZoteroError, match="may not write to groups/12"):
            await pushing


@pytest.fixture
def local(httpserver: HTTPServer) -> ZoteroServer:
    """The program on this machine, which takes writes that its person allows."""
    server = zotero_at(httpserver)
    server.server_id = "instance-1"
    server.add_collection("BEES2345", "Bees")
    return server


@pytest.mark.parametrize("dialogs", [["always"], ["once", "once"]])
async def test_the_zotero_on_this_machine_is_written_to_as_its_person_allows(
    local, tmp_path, dialogs
):
    local.dialogs = dialogs
    summary = await pushed(local, tmp_path, [BEES])
    assert (summary.counts["created"], len(local.items), dialogs) == (1, 3, [])
    await pushed(local, tmp_path, [BEES])  # has nothing to write, and does not ask
    assert len(local.writes) == 2


async def test_a_person_who_says_no_in_zotero_is_obeyed(local, tmp_path):
    local.dialogs = ["deny"]
    with pytest.raises(ZoteroError, match="or you did in its dialog"):
        await pushed(local, tmp_path, [BEES])
    assert local.writes == []


async def test_a_zotero_that_takes_no_writes_says_what_does(local, tmp_path):
    local.server_id = ""
    with pytest.raises(ZoteroError, match=r"read-only .* set ZOTERO_API_KEY"):
        await pushed(local, tmp_path, [BEES])
    assert all(request.method == "GET" for request in local.requests)


async def test_an_unknown_collection_is_not_created(zotero, tmp_path):
    with pytest.raises(UnknownNameError, match="known: Bees"):
        await push(config_of(zotero, tmp_path), "zotero:Ants", "t1", [bare(1)], [])
    with pytest.raises(InputError, match="give zotero:NAME"):
        await push(config_of(zotero, tmp_path), "Bees", "t1", [bare(1)], [])
    assert zotero.writes == []


async def test_what_was_pushed_is_read_as_it_was(zotero, tmp_path):
    await pushed(zotero, tmp_path, [BEES])
    del zotero.items["FRGN2345"]
    [record] = await records(zotero, tmp_path)
    own = json.loads(BEES.model_dump_json(exclude={"authors", "source", "id"}))
    same = "title abstract year venue volume issue issn pages language doi pmid url"
    read = record.model_dump()
    assert {name: read[name] for name in same.split()} == {n: own[n] for n in same.split()}
    assert record.keywords == ["method", "bees"]
