"""JSON, re-read by the models and by json."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from paper_search.exports.json_document import export_json
from paper_search.models import EndReason, Paper, PaperCollection
from paper_search.testing.exporters import check_exporter, collection_of, nasty_papers


def test_the_kit_of_exporters_finds_nothing() -> None:
    """SEC-11"""
    check_exporter(export_json, count_records=lambda text: len(json.loads(text)["papers"]))


def test_nothing_is_lost_on_the_way_there_and_back() -> None:
    collection = collection_of(*nasty_papers())
    collection.facets.by_year = {2020: 3}
    collection.ended_by = EndReason.LIMIT_REACHED

    again = PaperCollection.model_validate_json(export_json(collection))

    assert again == collection
    assert again.ended_by is EndReason.LIMIT_REACHED


@given(st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_title_comes_back_unchanged(title: str) -> None:
    text = export_json(collection_of(Paper(id="p", title=title, authors=[], source="test")))
    assert json.loads(text)["papers"][0]["title"] == title


def test_letters_of_all_scripts_stand_for_themselves() -> None:
    text = export_json(collection_of(Paper(id="p", title="图é", authors=[], source="test")))
    assert "图é" in text


def test_the_indent_can_be_chosen() -> None:
    assert export_json(collection_of()).startswith('{\n  "metadata"')
    assert export_json(collection_of(), indent=4).startswith('{\n    "metadata"')
    assert "\n" not in export_json(collection_of(), indent=None)
