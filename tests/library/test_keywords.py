"""Keywords are searched: they rank as words of the abstract do, and boolean queries find them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.library.papers import paper

from paper_search.library import Library
from paper_search.library.embedded import embedded_text


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


def test_the_embedding_model_is_given_the_keywords():
    assert "hippocampus" in embedded_text({"title": "One", "keywords": ["hippocampus"]})
