import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.skills.strategy.terms import long_form, long_forms, suggest_terms

BEES = [
    "Neonicotinoid residues and colony collapse in honey bees",
    "Colony collapse disorder: a study of honey bees and neonicotinoids",
    "A significant model of colony collapse in apiaries",
    "Data on honey bees and neonicotinoid pesticides",
]


def test_terms_are_what_these_texts_have_more_often_than_others():
    assert dict(suggest_terms(BEES, ["honey bees"])) == {"colony collapse": 3, "neonicotinoid": 3}
    assert suggest_terms(BEES, limit=1) == suggest_terms(BEES)[:1] != []


def test_what_is_asked_for_already_is_no_suggestion_but_a_pair_with_it_is():
    assert "honey bees" in dict(suggest_terms(BEES))
    assert "honey bees" not in dict(suggest_terms(BEES, ["bees and their honey"]))
    assert "honey bees" in dict(suggest_terms(BEES, ["honey"]))


@pytest.mark.parametrize(
    "texts",
    [
        ["We present a model", "A model of data", "The data and the model", "An apiary"],
        ["Code is at https://github.com/a/apiary", "www.github.com/b", "At http://github.com"],
    ],
)
def test_neither_a_common_word_nor_one_of_one_text_nor_a_part_of_an_address_is_a_term(texts):
    assert suggest_terms(texts) == []
    assert "github" not in " ".join(texts) or suggest_terms(
        [text.replace("/", " / ") for text in texts]
    ), "words of their own are"


def test_a_pair_is_as_rare_as_its_rarer_word():
    texts = ["Two lichens", "On two lichens", "A bird", "A tree"]
    assert dict(suggest_terms(texts)) == {"two lichens": 2}


def test_acronyms_of_what_is_asked_for_come_first_and_so_do_their_long_forms():
    texts = ["Graph neural networks (GNNs) for bees", "A GNN of bees", "Honey bees", "Wild bees"]
    assert suggest_terms(texts, ["graph neural network"])[0] == ("GNN", 2)
    assert suggest_terms(texts, ["GNN"])[0] == ("graph neural networks", 1)
    assert "GNN" not in dict(suggest_terms(texts, ["GNN", "graph neural networks"]))
    assert "graph neural networks" not in dict(suggest_terms(texts, ["honey"]))


def test_terms_are_written_as_most_texts_write_them():
    texts = ["SEGMENTATION BY LSTM", "Time-series segmentation", "An LSTM for segmentations"]
    assert {"segmentation", "LSTM"} <= dict(suggest_terms(texts)).keys()


@given(st.lists(st.text(max_size=60), max_size=6), st.lists(st.text(max_size=20), max_size=3))
def test_any_texts_have_terms_that_stand_in_them(texts, known):
    for term, count in suggest_terms(texts, known):
        assert term
        assert 0 <= count <= len(texts)


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("We train graph neural networks (GNN).", {"GNN": "graph neural networks"}),
        ("Graph Neural Networks (GNNs) learn.", {"GNN": "graph neural networks"}),
        ("An MRI (magnetic resonance imaging) scan", {"MRI": "magnetic resonance imaging"}),
        ("pulmonary disease, chronic heart failure (CHF; n=3)", {"CHF": "chronic heart failure"}),
        ("levels of interleukin 2 (IL-2)", {"IL-2": "interleukin 2"}),
        ("Bidirectional Encoder Representations from Transformers (BERT)",
         {"BERT": "bidirectional encoder representations from transformers"}),
        ("sequenced by DNA microarrays (DMA)", {"DMA": "DNA microarrays"}),
        ("as shown (Table 1) for patients (n = 12)", {}),
        ("the method (see below) works (USA)", {}),
        ("a tiny (TINY) thing", {}),
        ("(ABC) at the start", {}),
        ("one sentence ends. Algorithms (GNN)", {}),
        ("an unclosed (GNN", {}),
        ("magnetic resonance imaging (mri)", {}),
        ("diabetes of type 12 (t12)", {}),
    ],
)  # fmt: skip
def test_an_acronym_stands_for_the_words_that_it_is_made_of_and_no_other_brackets_do(text, forms):
    assert long_forms([text]) == forms


def test_the_long_form_of_most_texts_counts():
    texts = [
        "multiple sclerosis (MS)",
        "mass spectrometry (MS)",
        "Mass spectrometry (MS) of peptides; mass spectrometry (MS)",
        "heart failure (HF)",
    ]
    assert list(long_forms(texts).items()) == [("MS", "mass spectrometry"), ("HF", "heart failure")]


def test_the_first_letter_starts_a_word():
    assert long_form("HF", "oath fire") is None
    assert long_form("HF", "the heart of failure") == "heart of failure"


@given(st.lists(st.text(alphabet="aA B(C);-", max_size=40), max_size=3))
def test_every_long_form_is_longer_than_its_acronym(texts):
    for short, long in long_forms(texts).items():
        assert len(long) > len(short)
