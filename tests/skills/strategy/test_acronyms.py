from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.skills.strategy.acronyms import long_form, long_forms


@pytest.mark.parametrize(
    ("text", "acronym", "long"),
    [
        ("We train graph neural networks (GNN).", "GNN", "graph neural networks"),
        ("Graph Neural Networks (GNNs) learn.", "GNN", "graph neural networks"),
        ("An MRI (magnetic resonance imaging) scan", "MRI", "magnetic resonance imaging"),
        ("pulmonary disease, chronic heart failure (CHF; n=3)", "CHF", "chronic heart failure"),
        ("levels of interleukin 2 (IL-2)", "IL-2", "interleukin 2"),
        ("Bidirectional Encoder Representations from Transformers (BERT)", "BERT",
         "bidirectional encoder representations from transformers"),
        ("sequenced by DNA microarrays (DMA)", "DMA", "DNA microarrays"),
    ],
)  # fmt: skip
def test_an_acronym_stands_for_the_words_that_it_is_made_of(
    text: str, acronym: str, long: str
) -> None:
    assert long_forms([text]) == {acronym: long}


@pytest.mark.parametrize(
    "text",
    [
        "as shown (Table 1) for patients (n = 12)",
        "the method (see below) works (USA)",
        "a tiny (TINY) thing",
        "(ABC) at the start",
        "one sentence ends. Algorithms (GNN)",
        "an unclosed (GNN",
    ],
)
def test_other_brackets_define_nothing(text: str) -> None:
    assert long_forms([text]) == {}


def test_the_long_form_of_most_texts_counts() -> None:
    texts = [
        "multiple sclerosis (MS)",
        "mass spectrometry (MS)",
        "Mass spectrometry (MS) of peptides; mass spectrometry (MS)",
        "heart failure (HF)",
    ]
    assert list(long_forms(texts).items()) == [
        ("MS", "mass spectrometry"),
        ("HF", "heart failure"),
    ]


def test_the_first_letter_starts_a_word() -> None:
    assert long_form("HF", "oath fire") is None
    assert long_form("HF", "the heart of failure") == "heart of failure"


@given(st.lists(st.text(alphabet="aA B(C);-", max_size=40), max_size=3))
def test_every_long_form_is_longer_than_its_acronym(texts: list[str]) -> None:
    for short, long in long_forms(texts).items():
        assert len(long) > len(short)
