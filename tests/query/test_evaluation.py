"""Which documents a tree matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.query import (
    And,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    evaluate,
    headings_as_words,
    judge,
    normalise,
    parse,
    render,
)

DOCUMENT = {
    "title": "Graph Neural Networks for COVID-19 drug discovery",
    "abstract": "Naïve models of β-amyloid; 深度学习 helps. The networks learn.",
    "author": "Jane Q. Smith; Xiaoming Li",
    "venue": "Nature Methods",
    "year": "2019",
}


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ("graph", True),
        ("GRAPH NEURAL", True),
        ("graph survey", False),
        ("graph NOT survey", True),
        ("graph NOT drug", False),
        ("survey OR drug", True),
        ('"graph neural networks"', True),
        ('"neural graph"', False),
        ('"graph neural net*"', True),
        ("net*", True),
        ("net", False),
        ("covid-19", True),
        ("covid", True),
        ("title:amyloid", False),
        ("abstract:amyloid", True),
        ("tiab:(graph AND amyloid)", True),
        ("author:smith author:j*", True),
        ("venue:nature", True),
        ("graph NEAR/1 networks", True),
        ("networks NEAR/1 graph", True),
        ("graph NEAR/0 networks", False),
        ("(graph OR nothing) NEAR/3 covid", True),
        ("graph NEAR/1 networks NEAR/1 covid", True),
        ("discovery NEAR/5 naïve", False),
        ("深度", True),
        ("学深", False),
        ("nai\u0308ve", True),
        ("naive", False),
        ("β-amyloid", True),
        ("year:2019", True),
        ("year:2015-2018", False),
        ("year:-2019 AND year:2019-", True),
        ("2019", False),
    ],
)
def test_a_query_matches_a_document(query, *, is_match):
    assert evaluate(parse(query), DOCUMENT) is is_match


def test_a_document_without_a_year_is_in_no_range():
    assert not evaluate(parse("year:-2030"), {"title": "graph"})
    assert not evaluate(parse("year:-2030"), {"title": "graph", "year": None})
    assert evaluate(parse("year:2001"), {"year": 2001})


def test_a_phrase_does_not_reach_across_fields():
    assert not evaluate(parse('"discovery naive"'), {"title": "discovery", "abstract": "naive"})


def test_the_tokeniser_can_be_replaced():
    document = {"title": "Networks"}
    assert not evaluate(parse("network"), document)
    assert evaluate(parse("network"), document, tokeniser=lambda text: [text.lower().rstrip("s")])


def test_a_phrase_without_tokens_matches_nothing():
    assert not evaluate(Phrase(("&", "-")), {"title": "& -"})


WORDS = st.sampled_from(["aa", "bb", "cc", "AA"])
LEAVES = st.one_of(
    st.builds(Term, WORDS, st.sampled_from([None, "title"]), st.booleans()),
    st.builds(Phrase, st.tuples(WORDS, WORDS)),
    st.builds(YearRange, st.just(2000), st.none() | st.just(2010)),
)
TREES = st.recursive(
    LEAVES,
    lambda parts: st.one_of(
        st.builds(And, st.lists(parts, min_size=1, max_size=3).map(tuple)),
        st.builds(Or, st.lists(parts, min_size=1, max_size=3).map(tuple)),
        st.builds(Not, parts),
    ),
    max_leaves=8,
)
TEXTS = st.lists(st.sampled_from(["aa", "bb", "cc", "aab"]), max_size=5).map(" ".join)


@given(TREES, TEXTS, TEXTS, st.sampled_from([None, 1999, 2005, 2011]))
def test_the_normal_form_matches_the_same_documents(tree, title, abstract, year):
    document = {"title": title, "abstract": abstract, "year": year}
    assert evaluate(normalise(tree), document) == evaluate(tree, document)
    assert evaluate(parse(render(tree)), document) == evaluate(tree, document)


@given(TREES, TEXTS, TEXTS, st.sampled_from([1999, 2005, 2011]))
def test_of_a_document_that_is_known_all_of_it_is_told(tree, title, abstract, year):
    document = {"title": title, "abstract": abstract, "year": year}
    assert judge(tree, document) is evaluate(tree, document)


@given(TREES, TEXTS, TEXTS, st.sampled_from([1999, 2005, 2011]))
def test_what_is_told_without_an_abstract_or_a_year_is_true_with_any(tree, title, abstract, year):
    document = {"title": title, "abstract": abstract, "year": year}
    for unknown in ({"abstract": None}, {"year": None}, {"abstract": None, "year": None}):
        told = judge(tree, {**document, **unknown})
        assert told is None or told is evaluate(tree, document)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("deep", True),
        ("other", None),
        ("title:other", False),
        ("deep AND other", None),
        ("title:other AND deep", False),
        ("NOT deep", False),
        ("NOT other", None),
        ("title:other OR abstract:x", None),
        ("deep NEAR/3 nets", True),
        ("deep NEAR/3 other", None),
        ("title:deep NEAR/3 title:other", False),
        ("author:doe", None),
        ("year:2020", None),
        ("deep OR year:2020", True),
    ],
)
def test_what_cannot_be_told_is_neither_true_nor_false(query, *, told):
    document = {"title": "deep nets", "abstract": None, "author": None, "venue": "", "year": None}
    assert judge(parse(query), document) is told


# --- headings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("mesh:seizures", "seizures"),
        ('mesh:"carcinoma, basal cell"', '"basal cell carcinoma"'),
        (
            'mesh:"neoplasms, cystic, mucinous, and serous"',
            '"neoplasms cystic mucinous and serous"',
        ),
        ('rain OR (mesh:bees NOT mesh:"honey, raw")', 'rain OR (bees AND (NOT "raw honey"))'),
        ("(mesh:bees NEAR/3 rain)", "bees NEAR/3 rain"),
        ('title:"a, b"', 'title:"a, b"'),
    ],
)
def test_a_heading_as_words_is_turned_round(query, plain):
    assert render(headings_as_words(parse(query))).replace(",", "") == plain.replace(",", "")


def test_a_heading_is_written_as_it_is_read():
    tree = parse('MESH:"Carcinoma, Basal Cell"')
    assert tree == Phrase(("Carcinoma,", "Basal", "Cell"), "mesh")
    assert parse(render(tree)) == tree


def test_a_heading_matches_where_its_words_stand():
    tree = parse('mesh:"carcinoma, basal cell"')
    assert evaluate(tree, {"title": "On basal cell carcinoma", "abstract": ""})
    assert not evaluate(tree, {"title": "Carcinoma, basal or cell", "abstract": ""})


def test_whether_a_paper_has_a_heading_that_its_words_do_not_say_cannot_be_told():
    tree = parse('mesh:"heart failure"')
    known = {"title": "Pump failure", "abstract": "None."}
    assert judge(tree, known) is None
    assert judge(tree, {"title": "Heart failure", "abstract": "None."}) is True
    assert judge(parse('rain AND mesh:"heart failure"'), known) is False


@pytest.mark.parametrize(
    ("text", "title", "is_match"),
    [
        ("wom?n", "women", True),
        ("wom?n", "womn", False),
        ("wom?n", "womaan", False),
        ("colo$r", "color", True),
        ("colo$r", "colour", True),
        ("colo$r", "colouur", False),
        ("tum*r", "tumour", True),
        ("tum*r", "tumours", False),
        ("*cillin", "amoxicillin", True),
        ('"tolu?dine blue"', "Toluidine Blue", True),
        ("h$emorrhag*", "Haemorrhagic", True),
        ("blue PRE/1 dye", "blue old dye", True),
        ("blue PRE/1 dye", "dye blue", False),
        ("blue NEAR/1 dye", "dye blue", True),
        ('mesh:"Diabetes Mellitus, Type 2"', "type 2 diabetes mellitus", True),
        ("tiab:dye", "dye", True),
    ],
)
def test_wildcards_order_and_headings_mean(text, title, is_match):
    assert evaluate(parse(text), {"title": title, "keywords": ""}) is is_match


def test_what_only_indexers_know_cannot_be_told():
    assert judge(parse("type:review"), {"title": "A review", "abstract": ""}) is None
    assert judge(parse("tiab:dye"), {"title": "Blue", "abstract": None}) is None
    assert judge(parse("title:dye"), {"title": "Blue", "abstract": None}) is False


def test_a_missing_abstract_does_not_hold_the_word_none():
    assert judge(Term("none"), {"title": "Moss", "abstract": None}) is None


@pytest.mark.parametrize(
    ("field", "is_match"),
    [("title", True), ("abstract", True), ("keyword 1", True), ("heading 1", False)],
)
def test_words_of_authors_are_in_no_heading(field, is_match):
    assert evaluate(parse('tiabkw:"deep learning"'), {field: "Deep learning"}) is is_match


def test_unknown_keywords_may_hold_a_word_of_authors():
    assert judge(parse("tiabkw:dye"), {"title": "Moss", "abstract": "", "keywords": None}) is None
    assert judge(parse("tiabkw:dye"), {"title": "Moss", "abstract": "", "keywords": ""}) is False


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ('mesh:"Cataract/su"', True),
        ('mesh:"Cataract/dt"', False),
        ('mesh:"day surgery"', False),
        ("mesh:cataract AND NOT mesh:animals", True),
        ('type:"journal article" AND language:english', True),
        ("entered:2020-03-01/2020-12-31", True),
        ("entered:2021", False),
    ],
)
def test_what_an_index_says_is_known_of_a_document_that_has_it(query, is_match):
    document = {
        "title": "Day surgery", "heading 0": "Cataract/surgery", "type": "Journal Article",
        "language": "English", "entered": "2020-03-04",
    }  # fmt: skip
    assert evaluate(parse(query), document) is is_match


def test_words_of_a_text_say_nothing_of_a_subheading():
    document = {"title": "Surgery for cataract", "abstract": ""}
    assert evaluate(parse("mesh:cataract"), document)
    assert not evaluate(parse('mesh:"Cataract/su"'), document)
    assert judge(parse('mesh:"Cataract/su"'), document) is None
    assert judge(parse('surgery AND NOT mesh:"Cataract/dt"'), document) is None
