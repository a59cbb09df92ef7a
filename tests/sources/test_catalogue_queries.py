"""Queries in the languages of OpenAlex, Semantic Scholar, DOAJ and DataCite, and as plain words."""

import pytest

from paper_search.errors import InputError
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import evaluate, parse
from paper_search.sources.adapter import Translated
from paper_search.sources.arxiv import ArxivDialect
from paper_search.sources.core_works import CoreDialect
from paper_search.sources.crossref import Crossref
from paper_search.sources.datacite import DataciteDialect
from paper_search.sources.doaj import Doaj, DoajDialect
from paper_search.sources.europe_pmc import EuropePmcDialect
from paper_search.sources.free_text import lenient
from paper_search.sources.openalex import OpenAlex, to_openalex
from paper_search.sources.semantic_scholar import BulkDialect, SemanticScholar

NO_LIMITS = SearchConstraints()


def openalex(query: str) -> Translated:
    return to_openalex(parse(query), NO_LIMITS)


def bulk(query: str) -> Translated:
    return BulkDialect().translate(parse(query))


def doaj(query: str) -> Translated:
    return DoajDialect().translate(parse(query))


def datacite(query: str) -> Translated:
    return DataciteDialect().translate(parse(query))


REVIEWED = '("graph net" OR gnn) AND (drug OR molecule) NOT (survey OR "a study")'
LIMITED = "(bibjson.title:learning AND bibjson.year:[2015 TO 3000])"
NAMED = "(bibjson.author.name:smith OR bibjson.journal.title:nature)"


@pytest.mark.parametrize(
    ("write", "query", "text"),
    [
        (openalex, REVIEWED, '(("graph net" OR gnn) AND (drug OR molecule))'),
        (bulk, REVIEWED, '(("graph net" | gnn) + (drug | molecule))'),
        (
            doaj,
            REVIEWED,
            '((("graph net" OR gnn) AND (drug OR molecule)) AND NOT (survey OR "a study"))',
        ),
        # A word that ends in "and" would lose its end: nothing but a group or a phrase is sent.
        (openalex, "brand", "(brand)"),
        (openalex, "covid-19", '"covid-19"'),
        (openalex, '"AND" c++', '("and" AND "c++")'),
        (openalex, "drug NEAR/3 graph", '("drug graph"~5)'),
        (openalex, "neuro* brand", "(neuro* AND brand)"),
        (bulk, "covid-19 neuro*", '("covid-19" + neuro*)'),
        (bulk, "drug NEAR/2 graph", '"drug graph"~4'),
        (doaj, "title:learning year:2015-", LIMITED),
        (doaj, "author:smith OR venue:nature", NAMED),
        (doaj, "10.1000/x(1)", '"10.1000/x(1)"'),
        (datacite, "neuro* abstract:mouse", "(neuro* AND descriptions.description:mouse)"),
    ],
)
def test_a_query_is_written_with_all_its_parentheses(write, query, text):
    assert write(query).text == text


def test_openalex_searches_titles_alone_if_all_of_the_query_does():
    found = to_openalex(parse('title:"deep learning" title:survey'), NO_LIMITS)
    assert found.params == {"search.title": '("deep learning" AND survey)'}
    assert found.remainder is None


def test_openalex_matches_words_as_written_where_one_is_cut():
    found = to_openalex(parse("neuro* mice"), NO_LIMITS)
    assert list(found.params) == ["search.title_and_abstract.exact"]
    assert "words are matched exactly" in found.notes[0]


def test_openalex_takes_authors_as_a_filter():
    found = to_openalex(parse('learning author:"jane smith" year:2015-2019'), NO_LIMITS)
    assert found.params == {
        "search.title_and_abstract": "(learning)",
        "filter": 'raw_author_name.search:"jane smith"',
    }
    request = OpenAlex().first(found, NO_LIMITS, 10)
    assert request.params["filter"] == (
        'publication_year:2015-2019,raw_author_name.search:"jane smith"'
    )


@pytest.mark.parametrize(
    ("query", "span"),
    [
        ("learning year:2015", "publication_year:2015"),
        ("learning year:2015-", "publication_year:>2014"),
        ("learning year:-2015", "publication_year:<2016"),
        ("author:smith year:2015-2016", "publication_year:2015-2016,raw_author_name.search:smith"),
    ],
)
def test_openalex_takes_years_as_a_filter(query, span):
    found = to_openalex(parse(query), NO_LIMITS)
    assert OpenAlex().first(found, NO_LIMITS, 10).params["filter"] == span


def test_types_go_to_who_has_a_filter_for_them():
    limits = SearchConstraints(publication_types=["paper-conference", "book"])
    openalex_filter = OpenAlex().first(openalex("learning"), limits, 10).params["filter"]
    assert isinstance(openalex_filter, str)
    assert {"book", "article", "conference-paper"} <= set(openalex_filter[5:].split("|"))
    assert "dataset" not in openalex_filter
    crossref = Crossref()
    crossref_filter = str(crossref.first(openalex("learning"), limits, 10).params["filter"])
    assert "type:proceedings-article" in crossref_filter
    assert "type:monograph" in crossref_filter
    assert "type:journal-article" not in crossref_filter


def test_what_openalex_cannot_say_is_checked_on_our_side():
    found = openalex("(title:mouse OR abstract:rat) venue:nature learning")
    assert found.text == "((mouse OR rat) AND learning)"
    assert found.remainder == parse("(title:mouse OR abstract:rat) venue:nature")
    assert len(found.notes) == 3


def test_doaj_takes_the_query_as_one_part_of_the_path():
    request = Doaj().first(doaj("10.1000/x OR b?"), NO_LIMITS, 10)
    assert request.url.endswith("/articles/(%2210.1000%2Fx%22%20OR%20b)")


def test_plain_words_leave_out_what_is_not_wanted():
    found = Crossref().translate(parse(f"({REVIEWED}) year:2015-"), NO_LIMITS)
    assert found.text == "graph net gnn drug molecule"
    assert found.year_from == 2015
    assert found.remainder is not None


def test_answers_to_one_plain_word_are_taken_as_they_come():
    assert Crossref().translate(parse("moss"), NO_LIMITS).remainder is None


def test_semantic_scholar_is_asked_boolean_queries_in_bulk_and_plain_words_by_relevance():
    adapter = SemanticScholar()
    boolean = adapter.translate(parse("girl AND migraine"), NO_LIMITS)
    assert adapter.first(boolean, NO_LIMITS, 10).url.endswith("/paper/search/bulk")
    [plain, *_] = adapter.translate_ranked(RankedQuery(text="girl migraine"), NO_LIMITS)
    assert adapter.first(plain, NO_LIMITS, 10).url.endswith("/paper/search")


@pytest.mark.parametrize("dialect", [ArxivDialect, BulkDialect, CoreDialect, EuropePmcDialect])
def test_a_service_that_compares_stems_is_not_sent_what_is_unwanted(dialect):
    """It would leave out papers on "robotics" where only "robot" is unwanted."""
    found = dialect().translate(parse("slam NOT robot"))
    assert "robot" not in found.text
    assert found.remainder == parse("NOT robot")


@pytest.mark.parametrize("query", ["NOT graph", "NOT (a OR b)", "year:2015"])
def test_a_query_without_anything_wanted_is_refused(query):
    for adapter in (OpenAlex(), Crossref(), SemanticScholar(), Doaj()):
        with pytest.raises(InputError, match="only excludes"):
            adapter.translate(parse(query), NO_LIMITS)


@pytest.mark.parametrize("query", ["graph year:2015", "author:smith"])
def test_years_that_exclude_each_other_are_refused(query):
    limits = SearchConstraints(year_from=2020, year_to=2010)
    for adapter in (OpenAlex(), Crossref(), SemanticScholar()):
        with pytest.raises(InputError, match=r"widen the years|in order"):
            adapter.translate(parse(query), limits)


@pytest.mark.parametrize(
    ("query", "title", "is_match"),
    [
        ('"neural network"', "Neural networks for drugs", True),
        ("gnn", "GNNs in practice", True),
        ("study", "Studies of glass", True),
        ("studies", "A study of glass", True),
        ("analysis", "Analyses of glass", False),
        ("drug NOT survey", "Drugs: a survey", False),
        ("drug NOT survey", "Drugs: some surveys", True),
        ("drug NEAR/1 graph", "Drugs and graphs", True),
        ("drug NOT (graph NEAR/1 net)", "Drugs on a graph of nets", True),
    ],
)
def test_answers_are_checked_for_inflections_too(query, title, is_match):
    assert evaluate(lenient(parse(query)), {"title": title}) is is_match
