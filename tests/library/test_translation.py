"""A translated query finds exactly what its tree means."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.errors import InputError
from paper_search.library import Library
from paper_search.library.lexicon import EXACT, words
from paper_search.models import Author, RawPaper
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, YearRange, evaluate, render

VOCABULARY = ["alpha", "alphabet", "beta", "betatron", "gamma", "delta", "omega", "图", "é", "x2"]
"""Words that no stemmer shortens, some of them beginnings of others."""


def corpus() -> list[RawPaper]:
    chance = random.Random(7)  # noqa: S311  # the same corpus every time

    def text(longest: int) -> str:
        return " ".join(chance.choices(VOCABULARY, k=chance.randint(1, longest)))

    return [
        RawPaper(
            id="",
            title=f"{text(6)} n{number}",
            abstract=text(12) if chance.random() < 0.6 else None,
            authors=[Author(name=text(2))],
            venue=text(2) if chance.random() < 0.5 else None,
            keywords=[text(2)] if chance.random() < 0.3 else [],
            year=chance.choice([None, 2000, 2010, 2020]),
            source="test",
        )
        for number in range(60)
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("library")) as opened:
        opened.add(corpus())
        yield opened


def documents() -> dict[str, dict[str, str | int | None]]:
    return {
        paper.title: {
            "title": paper.title,
            "abstract": paper.abstract or "",
            "author": paper.authors[0].name,
            "venue": paper.venue or "",
            "keywords": "\n".join(paper.keywords),
            "year": paper.year,
        }
        for paper in corpus()
    }


FIELDS = st.sampled_from([None, None, "title", "abstract", "author", "venue", "keyword"])
WORDS = st.sampled_from(VOCABULARY)
TERMS = st.builds(Term, WORDS, FIELDS)
PREFIXES = st.builds(Term, st.sampled_from(["alph", "bet", "g", "x"]), FIELDS, st.just(value=True))
PHRASES = st.builds(Phrase, st.lists(WORDS, min_size=2, max_size=3).map(tuple), FIELDS)
SIDES = st.one_of(TERMS, PREFIXES, PHRASES, st.lists(TERMS, min_size=2, max_size=2).map(
    lambda pair: Or(tuple(pair))
))  # fmt: skip
NEARS = st.builds(Near, SIDES, SIDES, st.integers(0, 4))
YEARS = st.builds(YearRange, st.sampled_from([None, 2000, 2005]), st.sampled_from([2010, 2015]))
LEAVES = st.one_of(TERMS, PREFIXES, PHRASES, NEARS, YEARS)


def grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(And), several.map(Or), inner.map(Not))


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=st.recursive(LEAVES, grown, max_leaves=5))
def test_a_query_finds_what_direct_evaluation_finds(library, tree):
    expected = {
        title
        for title, document in documents().items()
        if evaluate(tree, document, tokeniser=lambda text: words(text, EXACT))
    }
    hits = library.search_boolean(render(tree), limit=1000)
    assert {paper.title for paper in hits.papers} == expected
    assert hits.total == len(expected)


@pytest.fixture
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    titles = [
        "Graph neural networks predict toxicity",
        "A neural model of graphs",
        "Toxic effects of drugs",
        "State-of-the-art property prediction",
        "深度学习在医学图像中的应用",
        "Schrödinger operators on graphs",
        "Ｆｕｌｌｗｉｄｔｈ letters",
    ]
    with Library.open(tmp_path_factory.mktemp("small")) as opened:
        opened.add(RawPaper(id="", title=title, source="x") for title in titles)
        yield opened


@pytest.mark.parametrize(
    ("query", "beginnings"),
    [
        ('"graph neural network"', ["Graph neural"]),
        ("title:toxici*", ["Graph neural"]),
        ("toxic*", ["Graph neural", "Toxic eff"]),
        ('"neural network*"', ["Graph neural"]),
        ("graph NEAR/2 neural", ["A neural", "Graph neural"]),
        ("graph NEAR/0 neural", ["Graph neural"]),
        ("graph NOT neural", ["Schrödinger"]),
        ('"state of the art"', ["State-of"]),
        ("state-of-the-ar*", ["State-of"]),
        ("学习", ["深度"]),
        ("医学图像", ["深度"]),
        ("医像", []),
        ("schrodinger", ["Schrödinger"]),
        ("fullwidth", ["Ｆｕｌｌ"]),
        ('mesh:"drugs, toxic effects of"', ["Toxic eff"]),
        ('"&&" OR art', None),
    ],
)
def test_queries_as_people_write_them(small, query, beginnings):
    if beginnings is None:
        with pytest.raises(InputError):
            small.search_boolean(query)
        return
    found = sorted(paper.title for paper in small.search_boolean(query).papers)
    assert len(found) == len(beginnings)
    assert all(map(str.startswith, found, sorted(beginnings)))


def test_a_near_over_huge_groups_is_refused_with_advice(small):
    group = " OR ".join(f"w{n}" for n in range(40))
    with pytest.raises(InputError, match="smaller distance"):
        small.search_boolean(f"({group}) NEAR/50 ({group})")
