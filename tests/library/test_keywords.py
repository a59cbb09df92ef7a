"""Keywords are searched: they rank as words of the abstract do, and boolean queries find them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.library.papers import paper

from paper_search.library import Library
from paper_search.library.embedding import embedded_text
from paper_search.library.lexicon import ranked_text


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    papers = [
        paper("The role of sleep", keywords=["Memory Consolidation", "Hippocampus"]),
        paper("Sleep", abstract="Nothing here on that subject, but on beds and pillows."),
        paper("Pillows", keywords=["bedding"], venue="Journal of Memory"),
    ]
    with Library.open(tmp_path) as opened:
        opened.add(papers)
        yield opened


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("hippocampus AND sleep", ["The role of sleep"]),
        ('"memory consolidation"', ["The role of sleep"]),
        ("hippocamp*", ["The role of sleep"]),
        ("sleep NOT hippocampus", ["Sleep"]),
        ("title:hippocampus", []),
        ("abstract:hippocampus", []),
        ("consolidation NEAR/0 memory", ["The role of sleep"]),
    ],
)
def test_a_word_without_a_field_is_found_among_the_keywords(library, query, titles):
    assert [hit.title for hit in library.search_boolean(query).papers] == titles


def test_words_find_a_record_by_its_keywords(library):
    found = library.search("hippocampus and memory consolidation").papers
    assert found[0].title == "The role of sleep"


def test_keywords_weigh_as_words_of_the_abstract_do():
    keywords = {"title": "T", "keywords": ["graph theory", "trees"]}
    abstract = {"title": "T", "abstract": "graph theory; trees"}
    assert ranked_text(keywords) == ranked_text(abstract)


def test_the_embedding_model_is_given_the_keywords():
    assert "hippocampus" in embedded_text({"title": "One", "keywords": ["hippocampus"]})
