"""Words are as rare as the table that ships says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.bibliography.words import rarity
from paper_search.skills.words import tokens


@pytest.mark.parametrize(
    ("common", "rare"),
    [("system", "sonar"), ("patient", "toxicity"), ("model", "caffeine"), ("of", "present")],
)
def test_common_words_are_less_rare(common, rare):
    [one], [other] = tokens(common), tokens(rare)
    assert rarity(one) < rarity(other)


def test_what_was_never_counted_is_as_rare_as_the_rarest():
    assert rarity("zzyzx") == rarity("图神") >= rarity("brainstorm")


@given(st.text())
def test_every_word_has_a_rarity(word):
    assert 0.5 <= rarity(word) <= 5.0
