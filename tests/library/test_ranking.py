"""Words become what records are ranked by, and the best record comes first."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.library.papers import paper

from paper_search.library import Library, bm25
from paper_search.library.lexicon import one_spelling, query_weights, ranked_text, ranked_words
from paper_search.models import RankedQuery, SearchConstraints


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("behaviour", "behavior"), ("organisation", "organization"), ("analysed", "analyzed"),
        ("modelling", "modeling"), ("fibre", "fiber"), ("anaemia", "anemia"),
        ("catalogue", "catalog"), ("promise", "promise"), ("exercised", "exercised"),
        ("revised", "revised"), ("controlling", "controlling"), ("noise", "noise"),
    ],
)  # fmt: skip
def test_british_words_are_spelled_as_american_ones_and_no_others(british, american):
    assert one_spelling(british) == american
    assert one_spelling(american) == american


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The behaviours of networks", "behavior network"),
        ("Schrödinger", "schrodinger"),
        ("data-base", "data base database"),
        ("医学图像", "医学图像"),
    ],
)
def test_ways_of_writing_give_the_same_words(one, other):
    assert set(ranked_words(other)) == set(ranked_words(one))


def test_a_title_counts_three_times():
    made = ranked_text({"title": "Graphs", "abstract": "On trees", "authors": [{"name": "Doe, J"}]})
    assert made.split() == ["graph"] * 3 + ["tree", "doe", "j"]


def test_words_of_the_request_are_left_out_unless_there_are_no_others():
    assert set(query_weights("Please find papers about graphs")) == {"graph"}
    assert set(query_weights("papers")) == {"paper"}


@given(st.text(max_size=200))
def test_any_text_can_be_analysed_again_and_again(text):
    words = ranked_words(text)
    assert words == ranked_words(text)
    assert not any(character.isspace() for word in words for character in word)


def test_feedback_adds_what_sets_the_first_results_apart():
    results = [
        bm25.ScoredDocument(3.0, ["graph", "toxic", "molecul", "common"]),
        bm25.ScoredDocument(2.0, ["graph", "molecul", "common", "chance"]),
    ]
    frequencies = {"common": 900, "molecul": 10, "toxic": 5, "graph": 50}
    made = bm25.expand_query({"graph": 1.0}, results, lambda word: frequencies.get(word, 1), 1000)
    assert made["molecul"] <= bm25.STRENGTH
    assert "chance" not in made
    assert made["graph"] > 1.0
    assert bm25.expand_query({"graph": 1.0}, [], lambda _: 0, 1000) == {"graph": 1.0}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        opened.add(
            [
                paper("Learning", abstract="deep learning " * 9, doi="10.1000/1"),
                paper("Deep learning of graphs", abstract="nothing else", doi="10.1000/2"),
                paper("Deep learning", abstract="A note.", doi="10.1000/3"),
                paper("To be or not to be", doi="10.1000/4"),
                paper("Colour of molecules", doi="10.1000/5"),
            ]
        )
        yield opened


def first(library: Library, query: str) -> str:
    return library.search(query).papers[0].title


def test_a_question_of_five_thousand_words_is_ranked_by_the_rarest(library):
    many = " ".join(f"word{n}" for n in range(4_990))
    assert first(library, f"what is known of the {many} molecules") == "Colour of molecules"


def titles_of(library: Library, query: str, **options: object) -> list[str]:
    return [hit.title for hit in library.search(query, **options).papers]


@pytest.fixture
def minerals(tmp_path: Path) -> Iterator[Library]:
    """Two records of zeolites, two that share other words with them, and strangers."""
    with Library.open(tmp_path / "library") as opened:
        opened.add(
            [
                paper("Zeolite frameworks", abstract="porous catalyst", year=2010),
                paper("Zeolite cages", abstract="porous catalyst and sieve", year=2020),
                paper("Porous catalyst", abstract="of alumina", language="fr"),
                paper("Drawing of a graph", abstract="porous"),
                paper("Graph drawing of", abstract="porous"),
                paper("On being", doi="10.1000/being"),
                paper("To be or not to be", year=1603),
                paper("To be or not to be: a review", year=2003),
                *(paper(f"Stranger {n}", abstract="word " * n) for n in range(20)),
            ]
        )
        yield opened


def test_words_that_are_learned_order_a_few_results_and_bring_in_no_others(minerals):
    found = minerals.search("zeolite")
    assert {hit.title for hit in found.papers} == {"Zeolite frameworks", "Zeolite cages"}
    assert found.total == 2


def test_words_in_the_order_of_the_question_come_before_the_same_words_apart(minerals):
    assert titles_of(minerals, "graph drawing porous")[0] == "Graph drawing of"
    assert titles_of(minerals, "graph drawing porous").index("Drawing of a graph") == 1


def test_a_title_word_for_word_comes_before_one_that_begins_so(minerals):
    review = "To be or not to be: a review"
    assert titles_of(minerals, "to be or not to be")[:2] == ["To be or not to be", review]
    assert titles_of(minerals, "to be or not to be a review")[0] == review


def test_years_and_languages_limit_words_and_trees(minerals):
    late, german = SearchConstraints(year_from=2015), SearchConstraints(language="de")
    assert titles_of(minerals, "zeolite", filters=late) == ["Zeolite cages"]
    assert titles_of(minerals, "to be or not to be", filters=late) == []
    known = minerals.search_boolean("porous", filters=german).papers
    assert len(known) == 4  # of a record without a language nobody knows
    assert "Porous catalyst" not in [hit.title for hit in known]
    assert minerals.count_boolean("zeolite", filters=late) == 1
    assert minerals.count_boolean("zeolite OR graph") == 4


def test_a_condition_is_met_by_every_result_of_words_and_of_stop_words(minerals):
    def ranked(text: str, condition: str) -> list[str]:
        limits = SearchConstraints(conditions=[condition])
        found = minerals.search_ranked(RankedQuery(text=text), filters=limits)
        return [hit.title for hit in found.papers]

    assert ranked("porous", "zeolite NOT cages") == ["Zeolite frameworks"]
    assert ranked("to be or not to be", "review") == ["To be or not to be: a review"]
    assert ranked("to be or not to be", "zeolite") == []
    assert set(ranked("?", "zeolite")) == {"Zeolite frameworks", "Zeolite cages"}
    assert minerals.search_ranked(RankedQuery(text="?")).total == 0


def test_weighted_terms_raise_what_has_them_and_lower_what_is_unwanted(minerals):
    def ranked(**terms: float) -> list[str]:
        query = RankedQuery(text="zeolite porous", terms=terms)
        return [hit.title for hit in minerals.search_ranked(query).papers]

    assert ranked(cages=2.0)[0] == "Zeolite cages"
    assert ranked(frameworks=2.0)[0] == "Zeolite frameworks"
    assert ranked(alumina=9.0)[0] == "Porous catalyst"
    assert "Zeolite" not in ranked(zeolites=-9.0)[0]


def test_what_has_a_weighted_term_alone_is_a_hit_too(minerals):
    plain = minerals.search_ranked(RankedQuery(text="zeolite porous"))
    words = RankedQuery(text="zeolite porous", terms={"stranger": 1.0})
    wide = minerals.search_ranked(words, limit=50)
    assert plain.total == len(plain.papers) == 5
    assert wide.total == len(wide.papers) == 25


def test_results_without_a_score_teach_no_words():
    results = [bm25.ScoredDocument(0.0, words) for words in (["alpha", "beta"], ["beta", "gamma"])]
    assert bm25.expand_query({"alpha": 1.0}, results, lambda _: 1, 60) == {"alpha": 1.0}


def test_a_query_whose_hits_have_none_of_its_words_is_answered(tmp_path):
    with Library.open(tmp_path) as library:
        library.add(paper(f"Soil and sand {n}", year=2000 + n) for n in range(20))
        assert library.search_boolean("NOT moss AND (moss OR year:-2010)").total == 11
