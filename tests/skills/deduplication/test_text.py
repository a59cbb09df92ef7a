import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.skills.deduplication.text import fold, without_line_breaks, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kurt Gödel", r"Kurt G{\"o}del"),
        ("Kurt Gödel", "Kurt GÃ¶del"),
        ("The <i>in vivo</i> role", "The in vivo role"),
        ("β-catenin", r"$\beta$-catenin"),
        ("Rock &amp; roll", "Rock & roll"),
        ("ACTIVITY OF METHANE", "Activity of methane"),
        ("Straße", "Strasse"),
        ("Ångström", "Angstrom"),
        (r"On \emph{all} graphs", "On all graphs"),
        (r"The $\mathcal{O}(n)$ bound", "The O(n) bound"),
        (r"$B^{\pm}\to K^{\pm}\gamma$ decays", "B ± → K ± γ decays"),
        (r"$10^3\times\tau$", "10³ × τ"),
    ],
)
def test_two_spellings_fold_to_the_same_words(one, other):
    assert words(fold(one)) == words(fold(other))


def test_different_greek_letters_stay_different():
    assert words(fold("α-catenin")) != words(fold("β-catenin"))


def test_symbols_that_other_sources_spell_out_stay():
    assert words(fold(r"$p\leq 2$")) != words(fold(r"$p\geq 2$"))


def test_chinese_is_compared_in_pairs_of_letters():
    assert words("图神经网络") == ("图神", "神经", "经网", "网络")


def test_words_cut_by_a_line_end_are_joined():
    assert without_line_breaks("inductive meth- ods for graphs") == "inductive methods for graphs"


@given(st.text(max_size=60))
@examples(150)
def test_any_text_folds_to_words_without_spaces(text):
    assert all(word and not word.isspace() for word in words(fold(text)))


def test_a_book_in_a_title_field_is_cut():
    assert len(fold("word " * 100_000)) <= 2_000
