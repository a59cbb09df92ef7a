"""What is written for a database reads back as the same tree, and never finds more than it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.errors import InputError, UnknownNameError
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, YearRange, evaluate, parse
from paper_search.query.ast import HEADINGS as HEADING_FIELDS
from paper_search.query.ast import leaf_of, rebuild
from paper_search.query.dialects import DIALECTS
from paper_search.query.evaluation import heading_words
from paper_search.query.normal_form import normalise
from paper_search.query.writer import write_strategy

TREE = parse(
    '(mesh:Asthma OR tiab:(wheez* OR "short of breath")) AND (title:(school NEAR/3 child*))'
    " AND year:2010-2020 AND entered:2019-01-01/2019-06-30 AND NOT type:letter"
)
WORDS = st.sampled_from(
    ["asthma", "child", "school", "yoga", "covid-19", "heart", "wom?n", "colo$r"]
)
FIELDS = st.sampled_from([None, "title", "abstract", "tiab", "tiab"])
HEADINGS = st.builds(
    lambda words, field: Phrase(words, field) if len(words) > 1 else Term(words[0], field),
    st.sampled_from([("Asthma",), ("Heart", "Failure"), ("Diabetes", "Mellitus,", "Type", "2")]),
    st.sampled_from(["mesh", "mesh-only", "majr"]),
)
LEAVES = st.one_of(
    st.builds(Term, WORDS, FIELDS, st.booleans()),
    st.builds(Phrase, st.lists(WORDS, min_size=2, max_size=3).map(tuple), FIELDS),
)


def one_field(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(Near, parts, parts, st.integers(0, 5), st.booleans())


CONCEPTS = st.lists(st.one_of(HEADINGS, LEAVES, one_field(LEAVES)), min_size=1, max_size=4).map(
    lambda parts: Or(tuple(parts))
)
LIMITS = st.sampled_from(
    [
        YearRange(2010, 2020),
        YearRange(2010, None),
        YearRange(None, 2015),
        Term("english", "language"),
        Term("2019-01-01/2019-06-30", "entered"),
        Term("2019-02-01/", "entered"),
        Term("review", "type"),
    ]
)
TREES = st.builds(
    lambda concepts, limits, excluded: normalise(
        And((*concepts, *limits, *(Not(part) for part in excluded)))
    ),
    st.lists(CONCEPTS, min_size=1, max_size=3),
    st.lists(LIMITS, max_size=2),
    st.lists(CONCEPTS, max_size=1),
)
SENTENCES = st.lists(
    st.sampled_from(
        ["asthma", "child", "school", "yoga", "covid-19", "heart", "failure", "women", "colour"]
    ),
    max_size=7,
).map(" ".join)
DOCUMENTS = st.fixed_dictionaries(
    {
        "title": SENTENCES,
        "abstract": SENTENCES,
        "keywords": st.sampled_from(["", "heart failure", "type 2 diabetes mellitus"]),
        "year": st.sampled_from([2008, 2012, 2022]),
        "language": st.sampled_from(["english", "french"]),
        "type": st.sampled_from(["review", "letter"]),
        "entered": st.sampled_from(["2018-12-31", "2019-02-01", "2019-06-30", "2020-01-01"]),
    }
)


def with_words_of_the_index(node: Node) -> Node:
    """Return the tree as Scopus can mean it: a heading is in the index, not in a text."""
    if isinstance(node, Term | Phrase):
        return leaf_of(heading_words(node), "keyword") if node.field in HEADING_FIELDS else node
    return rebuild(node, with_words_of_the_index)


@pytest.mark.parametrize("database", DIALECTS)
@examples(60)
@given(tree=TREES, documents=st.lists(DOCUMENTS, min_size=20, max_size=20))
def test_what_is_written_finds_nothing_that_the_tree_excludes(database, tree, documents):
    try:
        written = write_strategy(tree, database)
    except InputError:
        return  # refused as a whole
    tree = with_words_of_the_index(tree) if database == "scopus" else tree
    back = parse(written.text)
    asked = And((back, *written.left_out))
    for document in documents:
        is_wanted = evaluate(tree, document)
        is_found = evaluate(asked, document)
        assert is_wanted or not is_found
        if not written.notes:
            assert is_found == is_wanted


@pytest.mark.parametrize("database", ["ovid", "pubmed", "ebsco"])
def test_a_plain_strategy_reads_back_as_its_tree(database):
    plain = parse(
        '(mesh:Asthma OR tiab:(wheez* OR "short of breath")) AND (title:(school OR child*))'
        " AND year:2010-2020 AND entered:2019-01-01/2019-06-30 AND NOT type:letter"
    )
    written = write_strategy(plain, database)
    assert written.notes == ()
    assert parse(written.text) == plain


def test_ovid_gets_a_line_for_each_part_of_a_concept_and_limits_by_line():
    assert write_strategy(TREE, "ovid").text.split("\n") == [
        '1. exp "Asthma"/',
        '2. (wheez* or "short of breath").ti,ab.',
        "3. or/1-2",
        "4. (school adj4 child*).ti.",
        "5. and/3-4",
        '6. limit 5 to yr="2010 -2020"',
        "7. limit 6 to ed=20190101-20190630",
        '8. "letter".pt.',
        "9. 7 not 8",
    ]


def test_what_a_database_has_no_counterpart_of_is_named():
    written = write_strategy(parse("asthma AND entered:2019-01-01/"), "proquest")
    assert written.text == "noft(asthma)"
    assert written.left_out == (Term("2019-01-01/", "entered"),)
    assert written.notes == ("left out: entered:2019-01-01/: there is no such field",)


@pytest.mark.parametrize(
    ("database", "line"),
    [
        ("ovid", '"deep learning".ti,ab,kf.'),
        ("pubmed", '"deep learning"[tiab] OR "deep learning"[ot]'),
        ("embase", "'deep learning':ti,ab,kw"),
        ("wos", 'TI=("deep learning") OR AB=("deep learning") OR AK=("deep learning")'),
        ("scopus", 'TITLE-ABS("deep learning") OR AUTHKEY("deep learning")'),
        ("proquest", 'ti,ab,if("deep learning")'),
    ],
)
def test_keywords_of_authors_are_not_those_of_an_index(database, line):
    written = write_strategy(parse("deep learning.ti,ab,kf."), database)
    assert (written.text, written.notes) == (line, ())
    if database != "scopus":
        assert parse(line) == parse('tiabkw:"deep learning"')


def test_words_anywhere_are_looked_for_among_the_index_terms_of_embase():
    written = write_strategy(parse('"deep learning"'), "embase")
    assert written.text == "'deep learning':ti,ab,kw,de"
    assert parse(written.text) == parse('"deep learning"')


@pytest.mark.parametrize("database", ["cochrane", "ebsco"])
def test_a_database_without_keywords_of_authors_says_that_it_finds_more(database):
    written = write_strategy(parse("tiabkw:moss NOT tiabkw:rat"), database)
    assert [note.rpartition(": ")[2] for note in written.notes] == [
        "both are searched, so more is found",
        "the exclusion uses title and abstract only, so more is found",
    ]
    assert parse("NOT tiab:rat") in parse(written.text).children


def test_a_distance_in_the_words_of_authors_excludes_nothing_in_pubmed():
    written = write_strategy(parse("moss NOT (tiabkw:rat NEAR/3 tiabkw:dye)"), "pubmed")
    assert written.text == "moss[tw]"
    assert "distances only in title and abstract" in written.notes[0]


def test_a_distance_that_cannot_be_written_becomes_phrases_that_find_less():
    written = write_strategy(parse("tiab:(heart* NEAR/3 failure)"), "pubmed")
    assert written.text == '"heart* failure"[tiab] OR "failure heart*"[tiab]'
    assert "find less" in written.notes[0]


def test_a_strategy_that_only_excludes_is_refused():
    with pytest.raises(InputError, match="Ovid cannot express this strategy: it has only"):
        write_strategy(parse("NOT asthma"), "ovid")


def test_an_alternative_that_only_excludes_is_named_as_left_out():
    written = write_strategy(parse("asthma AND (child OR NOT school)"), "ovid")
    assert "this alternative is left out" in written.notes[0]


def test_an_unknown_database_is_refused_with_those_that_are_known():
    with pytest.raises(UnknownNameError, match="proquest"):
        write_strategy(TREE, "dialog")
