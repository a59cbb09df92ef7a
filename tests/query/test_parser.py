"""What a query text means, and how it is refused."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import examples
from tests.work import counted

from paper_search.errors import InputError, QuerySyntaxError
from paper_search.query import (
    And,
    Near,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    lint,
    normalise,
    parse,
    render,
)
from paper_search.query.parser import MAX_LENGTH, analyse

A, B, C = Term("aa"), Term("bb"), Term("cc")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("aa", A),
        ("aa bb", And((A, B))),
        ("aa AND bb OR cc", Or((And((A, B)), C))),
        ("aa AND (bb OR cc)", And((A, Or((B, C))))),
        ("aa NOT bb", And((A, Not(B)))),
        ("aa AND NOT bb", And((A, Not(B)))),
        ("aa NOT bb cc", And((A, Not(And((B, C)))))),
        ("aa AND NOT bb cc OR bb", Or((And((A, Not(And((B, C))))), B))),
        ("aa NOT (bb) cc", And((A, Not(B), C))),
        ("NOT NOT aa", A),
        ("NOT aa NEAR/2 bb", Not(Near(A, B, 2))),
        ("aa NEAR/3 bb NEAR/0 cc", Near(Near(A, B, 3), C, 0)),
        ('"deep learning"', Phrase(("deep", "learning"))),
        ('"deep"', Term("deep")),
        ('"AND" "year:2015"', And((Term("AND"), Term("year:2015")))),
        ("graph*", Term("graph", is_prefix=True)),
        ('"neural net*"', Phrase(("neural", "net*"))),
        ("title:aa", Term("aa", "title")),
        ("Title: aa", Term("aa", "title")),
        ("title:(aa OR abstract:bb)", Or((Term("aa", "title"), Term("bb", "abstract")))),
        ("title:(aa NOT bb)", And((Term("aa", "title"), Not(Term("bb", "title"))))),
        ("title:(aa NEAR/2 bb)", Near(Term("aa", "title"), Term("bb", "title"), 2)),
        ("title:(aa year:2015)", And((Term("aa", "title"), YearRange(2015, 2015)))),
        ("tiab:aa", Term("aa", "tiab")),
        ("aa PRE/2 bb", Near(A, B, 2, is_ordered=True)),
        ("wom?n colo$r tum*r", And((Term("wom?n"), Term("colo$r"), Term("tum*r")))),
        ("*cillin", Term("*cillin")),
        ('"is it so?" who?', And((Phrase(("is", "it", "so")), Term("who")))),
        ("type:review", Term("review", "type")),
        ("author:TI", Term("TI", "author")),
        ('mesh-only:"aa, bb"', Phrase(("aa,", "bb"), "mesh-only")),
        ('venue:"Nature Methods"', Phrase(("Nature", "Methods"), "venue")),
        ("year:2015", YearRange(2015, 2015)),
        ("year:2015-2019", YearRange(2015, 2019)),
        ("year: 2015 - 2019", YearRange(2015, 2019)),
        ("year:2015-", YearRange(2015, None)),
        ("year:-2019", YearRange(None, 2019)),
        ("aa year:2015- bb", And((A, YearRange(2015, None), B))),
        ("ANDROID ORacle NOTe", And((Term("ANDROID"), Term("ORacle"), Term("NOTe")))),
        (
            "COVID-19 α/β O'Brien naïve",
            And(tuple(map(Term, ("COVID-19", "α/β", "O'Brien", "naïve")))),
        ),
        ("深度学习 （图 OR 网络）", And((Term("深度学习"), Or((Term("图"), Term("网络")))))),
        ("10.1016/S0140-6736(05)67889-0", Term("10.1016/S0140-6736(05)67889-0")),
        ("(10.1000/xyz)", Term("10.1000/xyz")),
        ("“deep learning”", Phrase(("deep", "learning"))),
        ("research & development, 2nd", And(tuple(map(Term, ("research", "development", "2nd"))))),
        ("BERT: pre-training", And((Term("BERT"), Term("pre-training")))),
        ("benzo[a]pyrene p=0.05", And((Term("benzo[a]pyrene"), Term("p=0.05")))),
        ("aa AA Aa bb", And((A, B))),
        ("aa && bb", And((A, B))),
    ],
)
def test_a_query_means(text, tree):
    assert parse(text) == tree


WORD = "expected a word, a \"phrase\" or '('"
A_YEAR = "expected a year as in 2015, 2015-2019, 2015- or -2019 but found"
NO_OPERATOR = "is not an operator here: write NOT, or quote the word"


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("aa AND (bb OR )", 15, f"{WORD} but found ')'"),
        ("()", 2, f"{WORD} but found ')'"),
        ("OR aa", 1, f"{WORD} but found 'OR'"),
        ('""', 1, "the phrase is empty: put words between the quotes"),
        ('aa "***"', 4, "the phrase is empty: put words between the quotes"),
        ("aa foo:bar", 4, "unknown field 'foo:':"),
        ("doi:10.1000/1", 1, "unknown field 'doi:':"),
        (f"aa NEAR/{'9' * 5_000} bb", 4, "expected NEAR/n with n from 0 to 100, as in NEAR/3"),
        ("aa year:20", 4, f"{A_YEAR} '20'"),
        ("year:2019-2015", 1, "the years run backwards: write 2015-2019"),
        ("year:20152019", 1, "expected a year of four digits but found '20152019'"),
        ("year:", 1, f"{A_YEAR} ''"),
        ("aa -bb", 4, f"'-' {NO_OPERATOR}"),
        ("aa !bb", 4, f"'!' {NO_OPERATOR}"),
        ('aa -"bb cc"', 4, f"'-' {NO_OPERATOR}"),
        ("aa | bb", 4, "'|' is not an operator here: write OR"),
        ("aa NEAR bb", 4, "expected NEAR/n with n from 0 to 100, as in NEAR/3"),
        ("title:", 7, f"{WORD} but found the end"),
        ("", 1, f"the query is empty: {WORD}"),
        ("  ", 1, f"the query is empty: {WORD}"),
        ("a" * 50_001, 50_001, "the query is longer than 50,000 characters"),
        ("a (b", 5, "expected ')' for the '(' in column 3 but found the end"),
        ("a )", 3, "expected AND, OR or the end but found ')', which closes nothing"),
        ("a AND", 6, f"{WORD} but found the end"),
        ('a "b', 3, "this quote is never closed"),
        ("a NEAR/x b", 3, "expected NEAR/n with n from 0 to 100, as in NEAR/3"),
        ("a NEAR/101 b", 3, "expected NEAR/n with n from 0 to 100, as in NEAR/3"),
        ("a NEAR/2 (b AND c)", 3, "NEAR/2 joins words, phrases or OR-groups of them"),
        ("(" * 101 + "a", 101, "parentheses are nested deeper than 100"),
        ("a" + " NEAR/1 a" * 101, 903, "more than 100 NEAR in a row"),
    ],
)
def test_a_query_is_refused_with_the_column(text, column, said):
    """The known fields follow one that is unknown."""
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    told, message = str(caught.value), f"column {column}: {said}"
    assert told == message or (said.endswith(":") and told.startswith(message))
    assert (caught.value.column, caught.value.query) == (column, text)


def test_many_nots_and_parentheses_do_not_overflow():
    assert parse("NOT " * 2001 + "aa") == Not(A)
    assert parse("(" * 100 + "aa" + ")" * 100) == A
    assert parse("title:" * 1000 + "aa") == Term("aa", "title")


def test_parts_nested_deeper_than_a_hundred_are_refused():
    text = "aa"
    for number in range(99):
        text = f"NOT (b{number} AND {text})"
    with pytest.raises(QuerySyntaxError, match="deeper than 100"):
        parse(text)


def test_the_deepest_query_does_not_overflow():
    text = "a" + " NEAR/1 b" * 100
    for number in range(99):
        text = f"title:(x{number} OR y AND NOT ({text}))" if number < 40 else f"({text})"
    with pytest.raises(QuerySyntaxError, match="deeper than 100"):
        parse(text)


PIECES = [
    *"aZ0é学 \t\n()\"“*:/-'[]={}|&!?.,;#\x00\ud800",
    *(" AND ", " OR ", " NOT ", " NEAR/2 ", "title:", "year:", "2015", "-2019", "[tiab]", "[dp]"),
    *("TI=", "TITLE-ABS-KEY(", "PUBYEAR > ", "10.1000/a(b)", "[au]", "W/3", "[tiab:~2]", "AU="),
    *("PY=", "PY=2015-2019", "{", "}", "SO=", "TITLE(", "smith j"),
    *("exp ", "Asthma/", ".ti,ab.", ".au.", ".yr.", " adj3 ", "$", "$3", "#1", "{or #1-#2}"),
    *("[mh ", "MeSH descriptor: [", ":ti,ab", ":py", "/exp", "[english]/lim", " N3 ", " NEXT "),
    *("MH ", "TI ", "limit 1 to ", "or/1-2", "LIMIT-TO(DOCTYPE, ar)", "TI,AB(", "NOFT(", "\n1. "),
    *("\n2 ", " 1 or 2"),
    *(" PRE/2 ", "type:", "*", "[mh]", "[la]", "aa", "S1 AND S2", "\n#3 ", "\r\n"),
]


@examples(400)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_text_is_read_or_refused_as_a_query(text):
    """INP-FUZZ: nothing but QuerySyntaxError comes out, and what is read can be written again."""
    column = 1
    try:
        tree = parse(text)
    except QuerySyntaxError as error:
        column = error.column
    else:
        assert parse(render(tree)) == tree
    assert 1 <= column <= len(text) + 1


WORDS = st.one_of(
    st.sampled_from(["AND", "OR", "NOT", "NEAR", "NEAR/3", "title:x", "year:2015", "foo[tiab]"]),
    st.sampled_from(["TI=x", "TITLE", "10.1/a(b)", "O'Brien", "学习", "a.b.", "-x", "a*b", "(x)"]),
    st.text(min_size=1, max_size=6),
)
FIELDS = st.sampled_from([None, None, "title", "abstract", "author", "venue"])
LEAVES = st.one_of(
    st.builds(Term, WORDS, FIELDS, st.booleans()),
    st.builds(Phrase, st.lists(WORDS, min_size=1, max_size=3).map(tuple), FIELDS),
)
YEARS = st.one_of(
    st.builds(YearRange, st.integers(1900, 1999), st.none() | st.integers(2000, 2030)),
    st.builds(YearRange, st.none(), st.integers(1900, 2030)),
)


def _near(parts: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(
        st.builds(Near, parts, parts, st.integers(0, 100)),
        st.builds(Or, st.lists(parts, min_size=1, max_size=3).map(tuple)),
    )


def _groups(parts: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    several = st.lists(parts, min_size=1, max_size=4).map(tuple)
    return st.one_of(st.builds(And, several), st.builds(Or, several), st.builds(Not, parts))


CLOSE = st.recursive(LEAVES, _near, max_leaves=4)
TREES = st.recursive(st.one_of(LEAVES, YEARS, CLOSE), _groups, max_leaves=12)


def has_words(tree: object) -> bool:
    """Whether every leaf has a letter or digit to search for."""
    match tree:
        case Term(text):
            return bool(re.search(r"\w", text))
        case Phrase(words):
            return bool(re.search(r"\w", " ".join(words)))
        case And(children) | Or(children):
            return all(map(has_words, children))
        case Not(child):
            return has_words(child)
        case Near(left, right):
            return has_words(left) and has_words(right)
    return True


@examples(250)
@given(TREES)
def test_a_rendered_tree_reads_back_as_its_normal_form(tree):
    try:
        normal = normalise(tree)
    except InputError:
        assume(has_words(tree))
        raise
    assert parse(render(tree)) == normal
    assert normalise(normal) == normal


@pytest.mark.parametrize(
    "text",
    [
        "cancer[ti] 2015" + " " * 9_900,
        "cancer[ti] " + "2015:" * 1_900,
        "cancer[ti] 2015" + "/" * 9_900,
        "TI=x PY=" + " " * 9_900,
        "TI=x PY=(2015" + " OR 2015" * 1_200,
        "PUBYEAR >" + " " * 9_900,
        "TITLE(" * 90 + "a" * 9_000,
        "10.1000/" + "(" * 9_900,
        "year:" + "1" * 9_900,
        "year:1" + " " * 9_900,
        ".-" * 4_900 + "x",
        "a" * 9_999 + "*",
        "a." * 4_999,
        '"' * 9_999,
        "[" * 5_000 + "a]" * 2_400,
        "a:~" * 3_300 + "[tiab:~3]",
        "smith j.-" * 1_100 + "[au]",
        "aa NEAR/" * 1_200,
        "title:" * 1_600,
        "TI a " * 5_000,
        "a.ti. " + "a/ " * 5_000,
        "a.ti. " + "exp a " * 4_000,
        "'a'/exp " + "\n1 a" * 5_000,
        "NOFT(x) " + "AB,TI(" * 4_000,
        "1 or " * 5_000,
        "\n1. a adj3 (" * 2_000,
        "S1 AND S2 " * 2_500,
        "a.ti.\n2. limit 1 to " + "a or " * 4_000,
    ],
)
@pytest.mark.timeout(60)  # 0.4 s at most as it is
def test_any_text_is_read_or_refused_in_the_end(text):
    """SEC-17"""
    lint(text)


def test_a_query_twice_as_long_takes_twice_the_work():
    parts = [f'(title:word{n} AND "phrase number {n}")' for n in range(60)]
    parse(parts[0])
    with counted() as half:
        parse(" OR ".join(parts[:30]))
    with counted() as whole:
        parse(" OR ".join(parts))
    assert whole.lines < 2.5 * half.lines


def test_a_mix_without_parentheses_is_noted_at_its_first_word():
    [(column, note)] = analyse("  aa AND bb OR cc").notes
    assert column == 3
    assert note.endswith("read as (aa AND bb) OR cc")


def test_a_reading_has_the_columns_of_words_and_years_and_the_system():
    own = analyse("aa AND year:2020")
    assert own.system is None
    assert sorted(own.columns.values()) == [1, 8]
    assert analyse("exp Neoplasms/ and mice.ti,ab.").system == "Ovid"


def test_a_query_of_the_greatest_length_is_read():
    assert parse("aa".ljust(MAX_LENGTH)) == A


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1. deep learning.ti,ab,kf.", "deep learning.ti,ab,kf."),
        ("1 deep learning.ti,ab,kf.", "deep learning.ti,ab,kf."),
        ("1\tdeep learning.ti,ab,kf.\t25310", "deep learning.ti,ab,kf."),
        ("No.\tSearches\tResults\n1\tdeep learning.ti.\t25310\n", "deep learning.ti."),
        ("12\tasthma:ti,ab,kw\t1,200", "asthma:ti,ab,kw"),
        ("3. tesla mri.ti,ab. (512)", "tesla mri.ti,ab."),
        ("#1 asthma[tiab] AND covid 19", "asthma[tiab] AND covid 19"),
        ("S1 TI asthma AND AB child*", "TI asthma AND AB child*"),
        ("1 exp Asthma/", "exp Asthma/"),
    ],
)
def test_the_number_of_one_line_and_the_count_of_its_hits_are_no_words(text, plain):
    assert parse(text) == parse(plain)
    column, note = analyse(text).notes[0]
    assert column == 1
    assert note.endswith("' before the query is read as its line number")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("1 deep learning", "1 AND deep AND learning"),
        ("3 Tesla MRI AND brain", "3 AND Tesla AND MRI AND brain"),
        ("3 tesla mri.ti,ab.", 'tiab:"3 tesla mri"'),
        ("10.1000/182[doi]", '"10.1000/182"'),
    ],
)
def test_a_number_that_may_be_a_word_is_one(text, own):
    assert render(parse(text)) == own
    assert analyse(text).notes == ()


def test_an_exploded_heading_is_read_behind_blanks():
    assert parse("  exp Asthma/ or  *Wheezing/") == parse("mesh:Asthma OR majr-only:Wheezing")


@pytest.mark.parametrize(("tags", "is_said"), [("kf", True), ("ti,kf", True), ("ti,ab,kf", False)])
def test_keywords_of_authors_that_are_read_as_all_keywords_are_remarked_on(tags, is_said):
    notes = [note for _, note in analyse(f"deep learning.{tags}.").notes]
    note = f".{tags}.: author keywords are searched together with subject headings"
    assert notes == [note] * is_said
