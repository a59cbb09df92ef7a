"""How the words of two titles differ, and which words are one."""

import pytest

from paper_search.skills.deduplication.text import fold, words
from paper_search.skills.deduplication.titles import (
    differ_like_titles,
    difference,
    is_same_word,
    own_words,
)


def of(title: str) -> tuple[str, ...]:
    return words(fold(title))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("graph networks", "grahp networks", "spelling"),
        ("data base systems", "database systems", "spelling"),
        ("graph networks", "graph networks in biology", "added"),
        ("superalgebra in analysis", "tractors in analysis", "replaced"),
        ("alphavbeta3 blockade", "alpha v beta 3 blockade", "spelling"),
        ("approxima tion by splines", "approximation by splines", "spelling"),
        ("graph networks", "graphs", "added"),
        ("the trial of drugs", "trial of the drugs", "spelling"),
        ("drainage", "no drainage", "opposed"),
        ("prednisone for gout", "prednisolone for gout", "opposed"),
        ("the left lung", "the right lung", "opposed"),
        ("graphs", "acyclic graphs", "opposed"),
        ("graphs", "directed graphs", "added"),
        ("falls a cluster trial", "falls a process evaluation of a cluster trial", "opposed"),
        ("management of data", "special issue on management of data", "opposed"),
        ("falls", "falls a trial of exercise", "added"),
    ],
)
def test_titles_differ_by_spelling_or_by_words(one, other, expected):
    assert difference(of(one), of(other)) == difference(of(other), of(one)) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("systems", "system"), ("haemolytic", "hemolytic"), ("centre", "center"),
        ("organised", "organizational"), ("periodic", "periodically"), ("effusing", "effusions"),
        ("decisoin", "decision"), ("bandwith", "bandwidth"), ("moleculer", "molecular"),
        ("anerobic", "anaerobic"), ("modem", "modern"), ("c1inical", "clinical"),
        ("mueller", "muller"), ("continously", "continuously"),
    ],
)  # fmt: skip
def test_a_word_is_the_same_in_another_spelling_form_or_with_a_slip(one, other):
    assert is_same_word(one, other)
    assert is_same_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("men", "women"), ("niger", "nigeria"), ("prednisone", "prednisolone"), ("p53", "p63"),
        ("nitrate", "nitrite"), ("ethane", "ethene"), ("methane", "ethane"), ("proton", "photon"),
        ("typical", "atypical"), ("tuning", "turning"), ("eculizamab", "eculizumab"),
        ("odd", "add"), ("xenolol", "enolol"),
        ("covid19", "covid18"), ("hypothyroidism", "hyperthyroidism"),
    ],
)  # fmt: skip
def test_two_words_are_two_however_alike_they_are(one, other):
    assert not is_same_word(one, other)
    assert not is_same_word(other, one)


def test_the_own_words_of_two_titles_leave_out_what_both_say():
    one, other = of("On the Poisson bundles of data bases"), of("A cotangent bundle of databases")
    assert own_words(one, other) == (["poisson"], ["cotangent"])


def test_abstracts_are_told_apart_by_the_words_of_their_titles_on_both_sides():
    weak, strong = {"weak", "sums"}, {"strong", "sums"}
    assert differ_like_titles(weak, strong, ["weak"], ["strong"])
    assert not differ_like_titles(weak, weak, ["weak"], ["strong"])
    assert not differ_like_titles(weak, strong, ["weak"], ["odd"])
    assert not differ_like_titles(weak, strong, [], ["strong"])
