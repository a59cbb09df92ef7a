"""Words are as rare as the table that ships says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.bibliography.words import rarity, stem
from paper_search.skills.words import tokens


@pytest.mark.parametrize(
    ("common", "rare"),
    [("system", "sonar"), ("patient", "toxicity"), ("model", "caffeine"), ("of", "present")],
)
def test_common_words_are_less_rare(common, rare):
    [one], [other] = tokens(common), tokens(rare)
    assert rarity(one) < rarity(other)


@pytest.mark.parametrize(
    "forms",
    [
        "box boxes", "church churches", "ash ashes", "size sizes", "study studies", "ache aches",
        "glass glasses", "colour color colours", "optimise optimized optimization optimisations",
        "plan planned planning", "mutate mutation mutated", "infection infected", "rare rarely",
    ],
)  # fmt: skip
def test_the_forms_of_a_word_and_both_spellings_have_one_stem(forms):
    assert len(set(map(stem, forms.split()))) == 1


@pytest.mark.parametrize("word", ["bus", "virus", "analysis", "ring", "ration", "our", "tall"])
def test_what_looks_like_a_form_and_is_none_stays(word):
    assert stem(word) == word


def test_what_was_never_counted_is_as_rare_as_the_rarest():
    assert rarity("zzyzx") == rarity("图神") >= rarity("brainstorm")


@given(st.text())
def test_every_word_has_a_rarity(word):
    assert 0.5 <= rarity(word) <= 5.0
