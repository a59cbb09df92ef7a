from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paper_search.skills.strategy.suggestions import suggested_terms

BEES = [
    "Neonicotinoid residues and colony collapse in honey bees",
    "Colony collapse disorder: a study of honey bees and neonicotinoids",
    "A significant model of colony collapse in apiaries",
    "Data on honey bees and neonicotinoid pesticides",
]


def test_terms_are_what_these_texts_have_more_often_than_others() -> None:
    assert dict(suggested_terms(BEES, ["honey bees"])) == {"colony collapse": 3, "neonicotinoid": 3}


def test_what_is_asked_for_already_is_no_suggestion_but_a_pair_with_it_is() -> None:
    assert "honey bees" in dict(suggested_terms(BEES))
    assert "honey bees" not in dict(suggested_terms(BEES, ["bees and their honey"]))
    assert "honey bees" in dict(suggested_terms(BEES, ["honey"]))


def test_a_word_common_everywhere_or_in_one_text_alone_is_no_term() -> None:
    texts = ["We present a model", "A model of data", "The data and the model", "An apiary"]
    assert suggested_terms(texts) == []


def test_a_pair_is_as_rare_as_its_rarer_word() -> None:
    texts = ["Two lichens", "On two lichens", "A bird", "A tree"]
    assert dict(suggested_terms(texts)) == {"two lichens": 2}


def test_acronyms_of_what_is_asked_for_come_first_and_so_do_their_long_forms() -> None:
    texts = ["Graph neural networks (GNNs) for bees", "A GNN of bees", "Honey bees", "Wild bees"]
    assert suggested_terms(texts, ["graph neural network"])[0] == ("GNN", 2)
    assert suggested_terms(texts, ["GNN"])[0] == ("graph neural networks", 1)
    assert "GNN" not in dict(suggested_terms(texts, ["GNN", "graph neural networks"]))
    assert "graph neural networks" not in dict(suggested_terms(texts, ["honey"]))


def test_terms_are_written_as_most_texts_write_them() -> None:
    texts = ["SEGMENTATION BY LSTM", "Time-series segmentation", "An LSTM for segmentations"]
    assert {"segmentation", "LSTM"} <= dict(suggested_terms(texts)).keys()


def test_no_more_terms_than_wanted_the_most_telling_first() -> None:
    assert len(suggested_terms(BEES, limit=1)) == 1
    assert suggested_terms(BEES, limit=1) == suggested_terms(BEES)[:1]


@given(st.lists(st.text(max_size=60), max_size=6), st.lists(st.text(max_size=20), max_size=3))
def test_any_texts_have_terms_that_stand_in_them(texts: list[str], known: list[str]) -> None:
    for term, count in suggested_terms(texts, known):
        assert term
        assert 0 <= count <= len(texts)
