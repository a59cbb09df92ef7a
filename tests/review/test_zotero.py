"""The items of a collection of Zotero, by the loopback server that answers as it does."""

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.zotero_server import KEY, ZoteroServer, zotero_at
from werkzeug import Response

from paper_search.config import AppConfig
from paper_search.errors import InputError, ZoteroError
from paper_search.library.importers.files import Imported, parse_file
from paper_search.models import RawPaper
from paper_search.models.settings import ZoteroConfig
from paper_search.review.zotero import collection_file

Fields = dict[str, Any]
ARTICLE: Fields = {
    "itemType": "journalArticle",
    "title": "Bees <i>dance</i>",
    "creators": [
        {"creatorType": "editor", "firstName": "Ed", "lastName": "Itor"},
        {"creatorType": "author", "firstName": "Ada M.", "lastName": "Lovelace"},
        {"creatorType": "author", "name": "Hive Consortium"},
    ],
    "abstractNote": "They do.",
    "publicationTitle": "Journal of Bees",
    "volume": "4",
    "issue": "2",
    "pages": "1–9",
    "date": "May 3, 2020",
    "DOI": "10.1000/BEES",
    "ISSN": "2045-2322",
    "language": "en-GB",
    "url": "https://example.org/bees",
    "extra": "Citation Key: bees\nPMID: 31452104; PMCID: PMC6710000",
    "tags": [{"tag": "bees"}, {"tag": "dance", "type": 1}, {"tag": "decision: include"}],
}


@pytest.fixture
def zotero(httpserver: HTTPServer) -> ZoteroServer:
    """The program on this machine, with one collection."""
    server = zotero_at(httpserver)
    server.add_collection("BEES2345", "Bees")
    return server


def config_of(server: ZoteroServer, home: Path, **settings: str) -> AppConfig:
    zotero = ZoteroConfig(url=server.address, api_key=server.key, **settings)
    return AppConfig(home=home, zotero=zotero)


async def records(
    server: ZoteroServer, directory: Path, name: str = "zotero:Bees", **settings: str
) -> list[RawPaper]:
    path = await collection_file(config_of(server, directory, **settings), name, directory)
    return [entry.record for entry in parse_file(path) if isinstance(entry, Imported)]


async def test_an_article_has_every_field_that_zotero_has(zotero, tmp_path):
    zotero.add_item("BEES2345", "AAAA2222", **ARTICLE)
    [record] = await records(zotero, tmp_path)
    fields = record.set_fields()
    assert fields.pop("id") is not None
    people = fields.pop("authors")
    assert [person["name"] for person in people] == ["Lovelace, Ada M.", "Hive Consortium"]
    assert fields == {
        "title": "Bees dance",
        "abstract": "They do.",
        "keywords": ["bees", "dance"],
        "year": 2020,
        "venue": "Journal of Bees",
        "volume": "4",
        "issue": "2",
        "pages": "1-9",
        "doi": "10.1000/bees",
        "issn": "2045-2322",
        "language": "en",
        "url": "https://example.org/bees",
        "pmid": "31452104",
        "pmcid": "PMC6710000",
        "publication_type": "article-journal",
        "source": "library",
    }


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ({"itemType": "preprint", "repository": "arXiv", "archiveID": "arXiv:2301.00001"},
         {"publication_type": "article", "venue": "arXiv", "arxiv_id": "2301.00001"}),
        ({"itemType": "bookSection", "bookTitle": "Hives", "publisher": "Comb",
          "extra": "DOI: 10.1000/hive"},
         {"publication_type": "chapter", "venue": "Hives", "publisher": "Comb",
          "doi": "10.1000/hive"}),
        ({"itemType": "thesis", "university": "Combridge"},
         {"publication_type": "thesis", "publisher": "Combridge"}),
        ({"itemType": "book", "creators": [{"creatorType": "editor", "lastName": "Itor"}]},
         {"publication_type": "book", "authors": ["Itor"]}),
        ({"itemType": "patent"}, {"publication_type": "patent"}),
    ],
)  # fmt: skip
async def test_each_type_of_item_keeps_what_only_it_has(zotero, tmp_path, fields, read):
    zotero.add_item("BEES2345", "AAAA2222", title="Bees", **fields)
    [record] = await records(zotero, tmp_path)
    values = {**record.model_dump(), "authors": [author.name for author in record.authors]}
    assert {name: values[name] for name in read} == read


@pytest.mark.parametrize("largest_page", [100, 25])
async def test_all_250_items_come_whatever_the_pages_hold(zotero, tmp_path, largest_page):
    zotero.largest_page = largest_page
    for number in range(250):
        zotero.add_item("BEES2345", f"K{number:07}", title=f"Bees {number}")
    titles = [record.title for record in await records(zotero, tmp_path)]
    assert titles == [f"Bees {number}" for number in range(250)]
    pages = [each for each in zotero.requests if each.path.endswith("/items/top")]
    assert len(pages) == 250 / largest_page if largest_page == 25 else 3


async def test_attachments_and_notes_that_stand_alone_are_no_papers(zotero, tmp_path):
    zotero.add_item("BEES2345", "AAAA2222", title="Bees")
    zotero.add_item("BEES2345", "BBBB2222", itemType="attachment", title="scan.pdf")
    zotero.add_item("BEES2345", "CCCC2222", itemType="note", note="<p>to read</p>")
    assert [record.title for record in await records(zotero, tmp_path)] == ["Bees"]


@pytest.mark.parametrize("name", ["Bees", "bees", "BEES2345", "Reviews/Wasps", "wasps"])
async def test_a_collection_goes_by_its_name_its_path_or_its_key(zotero, tmp_path, name):
    zotero.add_collection("REVI2345", "Reviews")
    zotero.add_collection("WASP2345", "Wasps", parent="REVI2345")
    for key in ("BEES2345", "WASP2345"):
        zotero.add_item(key, f"IN{key[:6]}", title="Bees")
    assert len(await records(zotero, tmp_path, f"zotero:{name}")) == 1


async def test_of_two_collections_of_one_name_the_keys_are_named(zotero, tmp_path):
    zotero.add_collection("OTHR2345", "Reviews")
    zotero.add_collection("WASP2345", "bees", parent="OTHR2345")
    zotero.add_collection("WASP6789", "Bees")
    with pytest.raises(InputError, match=r"BEES2345 \(Bees\), WASP6789 \(Bees\)"):
        await records(zotero, tmp_path)


async def test_where_zotero_does_not_run_it_says_what_to_start(tmp_path):
    server = ZoteroServer("http://127.0.0.1:9")
    with pytest.raises(ZoteroError, match=r"start it, .* or set ZOTERO_API_KEY"):
        await records(server, tmp_path)


async def test_with_a_key_the_library_of_its_owner_is_read(httpserver, tmp_path):
    server = zotero_at(httpserver, KEY)
    server.add_collection("BEES2345", "Bees")
    server.add_item("BEES2345", "AAAA2222", title="Bees")
    assert len(await records(server, tmp_path)) == 1
    assert server.requests[0].path == "/keys/current"
    assert {request.headers["Zotero-API-Key"] for request in server.requests} == {KEY}


@pytest.mark.parametrize(("status", "words"), [(403, "ZOTERO_API_KEY"), (400, "key .redacted.")])
async def test_a_key_that_is_refused_is_neither_shown_nor_logged(
    httpserver, tmp_path, caplog, status, words
):
    caplog.set_level("DEBUG")
    server = zotero_at(httpserver, KEY)
    server.faults = [Response(f"Invalid key {KEY}", status)]
    with pytest.raises(ZoteroError, match=words) as caught:
        await records(server, tmp_path)
    assert KEY not in caplog.text + str(caught.value)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_passing_trouble_is_waited_out(zotero, tmp_path, status):
    zotero.add_item("BEES2345", "AAAA2222", title="Bees")
    zotero.faults = [Response("later", status, headers={"Retry-After": "0"})]
    assert len(await records(zotero, tmp_path)) == 1
    assert len(zotero.requests) == 3


def said(body: str, **headers: str) -> Response:
    return Response(body, content_type="application/json", headers=headers)


@pytest.mark.parametrize(
    ("name", "fault", "words"),
    [
        ("Ants", None, r"'Ants'; known: Bees, Bees/Wasps\Z"),
        ("", None, "give zotero:NAME or zotero:KEY"),
        (" ", None, "give zotero:NAME or zotero:KEY"),
        ("Bees", None, "'Bees' of Zotero has no papers"),
        ("Bees", Response("no", 403), 'tick "Allow other applications'),
        ("Bees", said("[]", **{"Total-Results": "7"}), "0 of 7"),
        ("Bees", said("<html>"), "Zotero"),
        ("Bees", said("{}"), "Zotero"),
        ("Bees", said("[1]"), "Zotero"),
        ("Bees", said('[{"key": "A"}]'), "Zotero"),
    ],
)
async def test_what_cannot_be_read_is_an_error_that_says_why(zotero, tmp_path, name, fault, words):
    zotero.add_collection("WASP2345", "Wasps", parent="BEES2345")
    zotero.faults = [fault] if fault else []
    with pytest.raises(ZoteroError if fault else InputError, match=words):
        await records(zotero, tmp_path, f"zotero:{name}")


async def test_a_library_that_is_named_is_asked_and_missed_by_its_name(zotero, tmp_path):
    with pytest.raises(
        ZoteroError, match="no library 'groups/12' for you; name another in ZOTERO_LIBRARY"
    ):
        await records(zotero, tmp_path, library="group:12")
