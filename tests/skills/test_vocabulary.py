from __future__ import annotations

import pytest

from paper_search.resources import PackageFiles
from paper_search.skills.vocabulary import entry_terms, has_plural, heading, is_word


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Heart Attack", "myocardial infarction"),
        ("basal cell carcinoma", "carcinoma, basal cell"),
        ("chronic obstructive pulmonary disease", "pulmonary disease, chronic obstructive"),
        ("high blood pressure", "hypertension"),
        ("graph neural network", None),
        ("", None),
        ("heart | attack", None),
        ("abate", "temefos"),
    ],
)
def test_a_name_leads_to_its_heading(name: str, wanted: str | None) -> None:
    assert heading([name]) == wanted


def test_the_first_form_that_is_known_counts() -> None:
    assert heading(["heart attackes", "heart attacks", "heart attack"]) == "myocardial infarction"


def test_inverted_headings_are_turned_round_among_the_names() -> None:
    assert entry_terms(["rodent ulcer"])[0] == "basal cell carcinoma"
    assert all("," not in name for name in entry_terms(["rodent ulcer"]))


@pytest.mark.parametrize("word", ["cat", "fits", "role", "study", "model", "ms", "aim"])
def test_short_and_common_words_lead_nowhere(word: str) -> None:
    assert heading([word]) in {None, word, f"{word}s"}


def test_nouns_have_a_plural_and_other_words_none() -> None:
    assert all(map(has_plural, ["network", "carcinoma", "theory"]))
    assert not any(map(has_plural, ["perceived", "caffeine", "networks"]))
    assert is_word("carcinoma")
    assert not is_word("carcinomatopathy")


def test_the_tables_are_small_and_name_their_source() -> None:
    files = PackageFiles("paper_search.skills")
    assert sum(len(files.read(name)) for name in ("mesh.txt.gz", "plurals.txt.gz")) < 1_000_000
