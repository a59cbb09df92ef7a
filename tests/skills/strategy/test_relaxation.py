from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.errors import QuerySyntaxError
from paper_search.query import And, Node, Not, Or, Phrase, Term, evaluate, parse, render
from paper_search.skills.strategy.relaxation import informativeness, relaxed_forms


def test_a_phrase_becomes_words_then_the_rarest_of_them_and_at_last_any_of_them() -> None:
    assert relaxed_forms('"graph neural network"') == [
        "graph AND neural AND network",
        "graph AND neural",
        "graph OR neural OR network",
    ]


def test_the_commonest_words_are_no_longer_required_first() -> None:
    forms = relaxed_forms('"acid rain" AND significant AND lichens AND method')
    assert forms == [
        "acid AND rain AND significant AND lichens AND method",
        "acid AND rain AND significant AND lichens",
        "acid AND rain AND lichens",
        "rain AND lichens",
        "acid OR rain OR lichens",
    ]


def test_a_limit_to_titles_goes_before_the_phrase_does() -> None:
    assert relaxed_forms('title:"honey bees"')[:2] == ['"honey bees"', "honey AND bees"]


def test_a_distance_becomes_words_anywhere() -> None:
    assert relaxed_forms("honey NEAR/3 bees")[0] == "honey AND bees"


def test_function_words_of_a_phrase_are_not_required() -> None:
    assert relaxed_forms('"quality of life"')[0] == "quality AND life"


@pytest.mark.parametrize(
    "kept", ['NOT "honey bees"', "year:2001-2010", "author:Vaswani", "(author:Li OR author:Wu)"]
)
def test_what_is_excluded_the_years_and_the_authors_stay(kept: str) -> None:
    forms = relaxed_forms(f'"neural attention" AND translation AND {kept}')
    assert len(forms) > 2
    for form in forms:
        tree = parse(form)
        assert isinstance(tree, And)
        assert parse(kept) in tree.children


def test_alternatives_are_relaxed_side_by_side() -> None:
    assert relaxed_forms('("acid rain" AND title:lichens) OR ozone')[:2] == [
        '("acid rain" AND lichens) OR ozone',
        "(acid AND rain AND lichens) OR ozone",
    ]


@pytest.mark.parametrize("query", ["NOT bees", "year:2001", "author:Vaswani", "bees", "bee*"])
def test_what_can_be_no_broader_has_no_forms(query: str) -> None:
    assert relaxed_forms(query) == []


def test_a_query_that_cannot_be_read_is_refused_with_its_column() -> None:
    with pytest.raises(QuerySyntaxError, match="column"):
        relaxed_forms('"open')


def test_an_or_narrows_no_more_than_its_commonest_alternative() -> None:
    either = informativeness(parse("method OR lichens"))
    assert either == informativeness(parse("method")) < informativeness(parse("lichens"))
    assert informativeness(parse('"acid rain"')) > informativeness(parse("rain"))


WORDS = ["acid", "rain", "honey", "bees", "method", "of"]
leaves = st.one_of(
    st.builds(Term, st.sampled_from(WORDS), st.sampled_from([None, "title"])),
    st.builds(Phrase, st.lists(st.sampled_from(WORDS), min_size=2, max_size=3).map(tuple)),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Not, leaves),
    ),
    max_leaves=6,
)
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


@given(trees, texts, texts)
@examples(200)
def test_whatever_a_form_finds_every_broader_form_finds(
    tree: Node, title: str, abstract: str
) -> None:
    document = {"title": title, "abstract": abstract}
    query = render(tree)

    found = [evaluate(parse(form), document) for form in [query, *relaxed_forms(query)]]
    assert found == sorted(found)


def test_a_heading_is_never_cut_into_words() -> None:
    query = '("heart attack" OR mesh:"myocardial infarction") AND title:aspirin AND rats'
    for form in relaxed_forms(query):
        assert 'mesh:"myocardial infarction"' in form or form == "aspirin OR rats"
