"""A source is one file and one entry point: everything that is so of it stands in its adapter."""

from pathlib import Path

import httpx
import pytest

from paper_search.cli.sources import source_entries
from paper_search.config import load_config
from paper_search.models import SearchQuery, SearchStrategy
from paper_search.sources import create_source, known_sources
from paper_search.sources.base import service_of
from paper_search.sources.enrichment import says_open
from paper_search.sources.http_source import HttpSource
from paper_search.web.templates import words

FILE = """
from paper_search.sources.adapter import Adapter, Paging, Request
from paper_search.sources.dialect import FieldDialect
from paper_search.sources.record import People, Table


class ShelfDialect(FieldDialect):
    service = "The Shelf"
    fields = {"title": "t:", "author": "a:"}
    year = "y:[{} TO {}]"


class Shelf(Adapter):
    name, title = "shelf", "The Shelf"
    key_variable, key_page = "SHELF_API_KEY", "https://shelf.example/keys"
    key_header = ("x-shelf-key", "{}")
    caveat = "is closed on Sundays"
    says_open = True
    count_rank, first_look = 2, 1
    endpoint = "https://shelf.example/search"
    dialect = ShelfDialect
    works = {"doi": "doi:{}"}
    entries, hits = "books", "count"
    paging = Paging("from", size="many")
    record = staticmethod(
        Table("shelf", "id", {"title": "name", "doi": "doi", "authors": People("by")}).read
    )

    def first(self, query, filters, wanted):
        many = self.size(query, wanted)
        return Request(self.endpoint, {"q": query.text, "from": 0, "many": many})
"""


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "shelf_source-1.dist-info"
    about.mkdir()
    (tmp_path / "shelf_source.py").write_text(FILE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf-source\nVersion: 1\n")
    registered = "[paper_search.sources]\nshelf = shelf_source:Shelf.source\n"
    (about / "entry_points.txt").write_text(registered)
    monkeypatch.syspath_prepend(tmp_path)


def test_it_is_known_by_its_own_facts_in_all_places(tmp_path):
    assert "shelf" in known_sources()
    service = service_of("shelf")
    assert (service.count_rank, service.first_look) == (2, 1)
    assert words("shelf") == "The Shelf"
    assert says_open("shelf")
    config = load_config(home=tmp_path)
    [entry] = [entry for entry in source_entries(config) if entry["name"] == "shelf"]
    assert (entry["key"], entry["key_variable"]) == ("optional", "SHELF_API_KEY")
    assert "The Shelf: boolean queries" in entry["note"]
    assert "is closed on Sundays; better with SHELF_API_KEY" in entry["note"]


async def test_it_is_searched_with_its_key_and_its_records_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("SHELF_API_KEY", "k")
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "shelf")
    config = load_config(home=tmp_path)
    assert [name for name, settings in config.sources.items() if settings.enabled] == ["shelf"]
    came: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        came.append(request)
        book = {"id": 7, "name": "Of graphs", "doi": "10.1000/7", "by": "Ada Author"}
        return httpx.Response(200, json={"books": [book], "count": 1})

    source = create_source("shelf", config)
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        asked = HttpSource(source.adapter, source.settings, client=client)
        query = SearchQuery(keywords=[], boolean_query="title:graphs AND year:2020-")
        report = await asked.report(SearchStrategy(queries=[query], sources=["shelf"]))
    assert [(paper.id, paper.title) for paper in report.papers] == [("shelf:7", "Of graphs")]
    assert came[0].url.params["q"] == "(t:graphs AND y:[2020 TO 3000])"
    assert came[0].headers["x-shelf-key"] == "k"


def test_a_service_without_a_page_for_keys_is_described_without_one(tmp_path, monkeypatch):
    monkeypatch.setattr(service_of("shelf"), "key_page", None)
    [entry] = [e for e in source_entries(load_config(home=tmp_path)) if e["name"] == "shelf"]
    assert entry["note"].endswith("better with SHELF_API_KEY")
