"""JSON, re-read by the models and by json; CSL-JSON, re-read by citeproc-py."""

import json
from typing import Any

import pytest
from citeproc.source.json import CiteProcJSON
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.exports.test_csv_table import paper

from paper_search.exports.json_formats import export_csl_json, export_json
from paper_search.models import Author, EndReason, Paper, PaperCollection, PaperTag
from paper_search.testing.exporters import collection_of, nasty_papers

# --- JSON -----------------------------------------------------------------------------------------


def test_nothing_is_lost_on_the_way_there_and_back():
    collection = collection_of(*nasty_papers())
    collection.facets.by_year = {2020: 3}
    collection.ended_by = EndReason.LIMIT_REACHED

    again = PaperCollection.model_validate_json(export_json(collection))

    assert again == collection
    assert again.ended_by is EndReason.LIMIT_REACHED


@given(st.text(max_size=60))
@examples(100)
def test_any_title_comes_back_unchanged(title):
    text = export_json(collection_of(Paper(id="p", title=title, authors=[], source="test")))
    assert json.loads(text)["papers"][0]["title"] == title


def test_letters_of_all_scripts_stand_for_themselves_and_the_indent_can_be_chosen():
    collection = collection_of(paper(title="图é"))
    assert "图é" in export_json(collection)
    assert "图é" in export_csl_json(collection)
    assert export_json(collection_of()).startswith('{\n  "metadata"')
    assert export_json(collection_of(), indent=4).startswith('{\n    "metadata"')
    assert "\n" not in export_json(collection_of(), indent=None)


# --- CSL-JSON -------------------------------------------------------------------------------------


def items_of(collection: PaperCollection) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(export_csl_json(collection))
    return items


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
@examples(100)
def test_any_text_gives_as_many_items_as_papers(title, author, venue):
    given_paper = paper(title=title, authors=[Author(name=author)], venue=venue, year=2020)
    items = items_of(collection_of(given_paper, given_paper))
    assert len(CiteProcJSON(items)) == 2


def test_a_plain_paper_has_all_its_fields():
    names = ["Jan van der Berg Jr.", "World Health Organization", "Aristotle"]
    (item,) = items_of(
        collection_of(
            paper(
                authors=[Author(name=name) for name in names],
                year=2021,
                venue="Nature",
                volume="5",
                issue="2",
                pages="12–34",
                doi="10.1000/a_b",
                url="https://example.org/a",
                abstract="We do.",
                arxiv_id="2101.00001",
                tags=[PaperTag.METHOD, PaperTag.DATASET],
                keywords=["Trees, Plane"],
            )
        )
    )
    assert item == {
        "id": "berg_2021_deep",
        "type": "article-journal",
        "title": "Deep learning",
        "author": [
            {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der", "suffix": "Jr."},
            {"literal": "World Health Organization"},
            {"family": "Aristotle"},
        ],
        "issued": {"date-parts": [[2021]]},
        "container-title": "Nature",
        "volume": "5",
        "issue": "2",
        "page": "12-34",
        "DOI": "10.1000/a_b",
        "archive": "arXiv",
        "archive_location": "2101.00001",
        "URL": "https://example.org/a",
        "keyword": "method; dataset; Trees, Plane",
        "abstract": "We do.",
    }


def test_absent_fields_are_absent():
    (item,) = items_of(collection_of(paper()))
    assert item == {"id": "anon_nd_deep", "type": "document", "title": "Deep learning"}


@pytest.mark.parametrize(
    ("kind", "csl"),
    [("legal_case", "legal_case"), ("Journal_Article", "article-journal"), ("x", "document")],
)
def test_a_type_is_one_of_csl_however_it_is_written(kind, csl):
    assert items_of(collection_of(paper(publication_type=kind)))[0]["type"] == csl
