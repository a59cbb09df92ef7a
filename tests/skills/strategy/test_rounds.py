import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.models import MarkedPaper, RankedQuery
from paper_search.skills.intent.notes import Note
from paper_search.skills.strategy.rounds import (
    IRRELEVANT,
    RELEVANT,
    learned_terms,
    next_queries,
    next_ranked_queries,
    note_on,
)
from paper_search.testing.skills import fake_strategy


def after(
    *queries: str, note: Note | None = None, terms: dict[str, float] | None = None
) -> list[str]:
    found = next_queries(fake_strategy(*queries), note or Note(), terms)
    return [query.boolean_query for query in found]


def test_learned_words_that_are_wanted_and_new_are_asked_with_any_block():
    terms = {"xylophagus": 0.5, "bees": 0.4, "compiler": -0.5}
    assert after("bees AND (honey OR wax) NOT ants", terms=terms) == [
        "bees AND (honey OR wax) NOT ants",
        "xylophagus AND (bees OR honey OR wax) NOT ants",
    ]


def test_of_learned_words_the_strongest_are_asked():
    terms = {"aa1": 0.1, "bb1": 0.5, "cc1": 0.4, "dd1": 0.3, "ee1": 0.2}
    assert after("bees", terms=terms)[1] == "(bb1 OR cc1 OR dd1 OR ee1) AND bees"


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("bees AND wasps", ["bees"]),
        ("bees OR wasps", ["bees"]),
        ("bees AND wasps NOT ants", ["bees NOT ants"]),
        ("wasps", []),
        ("wasps NOT ants", []),
        ("wasps AND year:2001", []),
        ('"wasps" OR (wasps AND wasps)', []),
    ],
)
def test_a_query_no_longer_asks_for_what_is_excluded(query, left):
    found = after(query, note=Note(excluded=("wasps",)))
    assert found == left


@pytest.mark.parametrize(
    ("query", "dropped"),
    [
        ("bees AND wasps", ("wasps",)),
        ('bees AND "paper wasps"', ()),  # it is a part of a term
        ("bees AND ants", ()),
        ("wasps", ()),  # nothing would be left
    ],
)
def test_only_a_term_of_a_query_beside_others_is_dropped_and_the_rest_is_named(query, dropped):
    note = note_on(fake_strategy(query), Note(dropped=("wasps",)))
    assert note.dropped == dropped
    assert note.unread == (() if dropped else ("without wasps",))


def test_a_query_that_cannot_be_read_stays_as_it_is():
    note = Note(excluded=("wasps",), added=("ants",))
    assert after("(bees", note=note, terms={"x1": 1.0}) == ["(bees"]


def test_a_term_that_the_ranked_text_has_is_not_added_to_it_again():
    last = fake_strategy().model_copy(update={"ranked": [RankedQuery(text="wild Bees")]})
    [query] = next_ranked_queries(last, Note(added=("bees", "wasps")), None)
    assert query.text == "wild Bees wasps"


def mark(title: str, *, is_relevant: bool = True, abstract: str | None = None) -> MarkedPaper:
    return MarkedPaper(id=title, title=title, abstract=abstract, is_relevant=is_relevant)


def test_one_paper_of_one_word_as_rare_as_the_question_weighs_as_rocchio_says():
    terms = learned_terms([mark("Xylophagus"), mark("Qwertium", is_relevant=False)], ["Zyzzyva"])
    assert terms == {"xylophagus": RELEVANT, "qwertium": -IRRELEVANT}


def test_a_word_of_the_question_gets_its_weight_on_top_and_one_of_more_papers_more():
    assert learned_terms([mark("Xylophagus")], ["xylophagus"]) == {"xylophagus": RELEVANT}
    terms = learned_terms([mark("Adenosine"), mark("Adenosine"), mark("Melatonin")], ["sleep"])
    assert terms["adenosine"] > terms["melatonin"] > 0


def test_a_word_that_stands_four_times_in_a_paper_weighs_as_its_logarithm():
    paper = mark("Xylophagus", abstract="Zyzzyva. Zyzzyva. Zyzzyva. Zyzzyva.")
    terms = learned_terms([paper], ["sleep apnea in adults"])
    assert terms["zyzzyva"] / terms["xylophagus"] == pytest.approx(1 + math.log(4), abs=0.05)


def test_words_are_written_as_the_papers_write_them():
    assert list(learned_terms([mark("LSTM networks"), mark("LSTM network")])) == ["LSTM", "network"]


def test_the_strongest_words_are_kept():
    paper = mark("Adenosine. Data of a study", abstract="Adenosine and melatonin.")
    assert list(learned_terms([paper], ["sleep"], limit=2)) == ["adenosine", "melatonin"]


@pytest.mark.parametrize(
    "papers",
    [[], [mark("Eventcounts", is_relevant=False)], *([mark(t)] for t in ("", "12 34", "the of"))],
)
def test_nothing_is_learned_without_a_relevant_paper_that_has_words(papers):
    assert learned_terms(papers, ["x"]) == {}


@given(st.lists(st.tuples(st.text(max_size=40), st.booleans()), max_size=5))
def test_any_papers_teach_at_most_as_many_words_as_wanted(papers):
    marked = [mark(title, is_relevant=is_relevant) for title, is_relevant in papers]
    terms = learned_terms(marked, ["sleep"], limit=3)
    assert len(terms) <= 3
    assert all(weight != 0 for weight in terms.values())
