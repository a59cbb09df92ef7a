"""How a tree is said to each service, and that it means the same."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.sources.adapters import ADAPTERS

from paper_search.errors import InputError
from paper_search.http.body import HttpAnswer
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import And, Near, Not, Or, Phrase, Term, evaluate, normalise, parse
from paper_search.sources.adapter import Translated
from paper_search.sources.arxiv import ArxivDialect
from paper_search.sources.core_works import CoreDialect
from paper_search.sources.europe_pmc import EuropePmcDialect
from paper_search.sources.free_text import lenient
from paper_search.sources.semantic_scholar import BulkDialect

NO_LIMITS = SearchConstraints()
MIXED = '"graph network" AND (drug OR molecule*) NOT survey'
FIELDS = "title:graph abstract:tree author:smith venue:nature"
REVIEWED = '("graph net" OR gnn) AND (drug OR molecule) NOT (survey OR "a study")'
SINCE = "bees AND entered:2026-07-01/"
HEADING = 'rain AND mesh:"carcinoma, basal cell"'
INDEXED = "asthma[majr] AND drug therapy[sh] AND pain[mh:noexp]"
LIMITED = "(bibjson.title:learning AND bibjson.year:[2015 TO 3000])"
NAMED = "(bibjson.author.name:smith OR bibjson.journal.title:nature)"


def said(service: str, query: str, **filters: int | str) -> Translated:
    limits = SearchConstraints.model_validate(filters)
    return ADAPTERS[service].translate(parse(query), limits)


@pytest.mark.parametrize(
    ("service", "query", "text"),
    [
        ("arxiv", MIXED, '(all:"graph network" AND (all:drug OR all:molecule*))'),
        (
            "pubmed",
            MIXED,
            '(("graph network"[tiab] AND (drug[tiab] OR molecule*[tiab])) NOT survey[tiab])',
        ),
        (
            "europe_pmc",
            MIXED,
            ('(TITLE_ABS:"graph network" AND (TITLE_ABS:drug OR TITLE_ABS:molecule*))'),
        ),
        ("dblp", MIXED, "graph network drug|molecule"),
        ("core", MIXED, '("graph network" AND (drug OR molecule*))'),
        ("serper_scholar", MIXED, '"graph network" (drug OR molecule) -survey'),
        ("arxiv", FIELDS, "(ti:graph AND abs:tree AND au:smith AND jr:nature)"),
        ("pubmed", FIELDS, "(graph[ti] AND tree[tiab] AND smith[au] AND nature[ta])"),
        ("europe_pmc", FIELDS, "(TITLE:graph AND ABSTRACT:tree AND AUTH:smith AND JOURNAL:nature)"),
        ("dblp", FIELDS, "graph smith nature"),
        ("core", FIELDS, "(title:graph AND abstract:tree AND authors:smith AND nature)"),
        ("openalex", REVIEWED, '(("graph net" OR gnn) AND (drug OR molecule))'),
        ("semantic_scholar", REVIEWED, '(("graph net" | gnn) + (drug | molecule))'),
        (
            "doaj",
            REVIEWED,
            '((("graph net" OR gnn) AND (drug OR molecule)) AND NOT (survey OR "a study"))',
        ),
        # A last word would lose its "and" or "not", inside of parentheses, too.
        ("openalex", "brand", '"brand"'),
        ("openalex", "author:Durand", 'raw_author_name.search:"Durand"'),
        ("openalex", "knot author:Ng", '"knot" raw_author_name.search:Ng'),
        ("openalex", "covid-19", '"covid-19"'),
        ("openalex", '"AND" c++', '("and" AND "c++")'),
        ("openalex", "drug NEAR/3 graph", '("drug graph"~5)'),
        ("openalex", "neuro* brand", "(neuro* AND brand)"),
        ("openalex", "re-iden*", "(re AND iden*)"),
        ("pubmed", "re-iden*", '"re iden*"[tiab]'),
        ("europe_pmc", "re-iden*", "(TITLE_ABS:re AND TITLE_ABS:iden*)"),
        ("core", "re-iden*", "(re AND iden*)"),
        ("semantic_scholar", "covid-19 neuro*", '("covid-19" + neuro*)'),
        ("semantic_scholar", "drug NEAR/2 graph", '"drug graph"~4'),
        ("doaj", "title:learning year:2015-", LIMITED),
        ("doaj", "author:smith OR venue:nature", NAMED),
        ("doaj", "10.1000/x(1)", '"10.1000/x(1)"'),
        # authors' keywords are among PubMed's words of title and abstract
        ("pubmed", "tiabkw:rain NOT tiabkw:mud", "(rain[tiab] NOT mud[tiab])"),
        ("pubmed", SINCE, "(bees[tiab] AND 2026/07/01:2099/12/31[edat])"),
        ("europe_pmc", SINCE, "(TITLE_ABS:bees AND CREATION_DATE:[2026-07-01 TO 2099-12-31])"),
        ("doaj", SINCE, "(bees AND created_date:[2026-07-01 TO 2099-12-31])"),
        ("core", SINCE, "(bees AND (createdDate>=2026-07-01 AND createdDate<=2099-12-31))"),
        ("pubmed", HEADING, '(rain[tiab] AND "carcinoma, basal cell"[mh])'),
        ("europe_pmc", HEADING, '(TITLE_ABS:rain AND KW:"carcinoma, basal cell")'),
        ("arxiv", HEADING, '(all:rain AND all:"basal cell carcinoma")'),
        ("serper_scholar", HEADING, 'rain "basal cell carcinoma"'),
        ("crossref", HEADING, "rain basal cell carcinoma"),
        ("semantic_scholar", HEADING, '(rain + "basal cell carcinoma")'),
        ("pubmed", "cancer[ti] AND review[pt]", "(cancer[ti] AND review[pt])"),
        ("europe_pmc", "cancer[ti] AND review[pt]", "(TITLE:cancer AND PUB_TYPE:review)"),
        ("pubmed", INDEXED, '(asthma[majr] AND "drug therapy"[sh] AND pain[mh:noexp])'),
        ("europe_pmc", INDEXED, "(KW:asthma AND KW:pain)"),
        ("europe_pmc", "wheez$.ti,ab.", "TITLE_ABS:wheez*"),
    ],
)
def test_a_query_is_said(service, query, text):
    assert said(service, query).text == text


@pytest.mark.parametrize(
    ("service", "text"),
    [
        ("pubmed", "(rain[tiab] AND snow[tw])"),
        ("europe_pmc", "(TITLE_ABS:rain AND KW:snow)"),
        ("openalex", "(rain AND snow)"),
    ],
)
def test_a_keyword_is_looked_for_where_a_service_has_it_and_excludes_nothing(service, text):
    found = said(service, "rain keyword:snow NOT keyword:mud")
    assert found.text == text
    assert any("'mud' excludes nothing here" in note for note in found.notes)


@pytest.mark.parametrize(
    ("service", "text"),
    [
        ("arxiv", "(all:x AND submittedDate:[201501010000 TO 299912312359])"),
        ("pubmed", "((x[tiab] AND 2015:3000[dp]) AND german[la])"),
        ("europe_pmc", "((TITLE_ABS:x AND PUB_YEAR:[2015 TO 3000]) AND LANG:ger)"),
        ("dblp", "x"),
        ("core", "((x AND yearPublished>=2015) AND language.code:de)"),
    ],
)
def test_years_and_language_are_said_where_there_is_a_filter(service, text):
    assert said(service, "x", year_from=2015, language="de").text == text


@pytest.mark.parametrize(
    ("types", "of_pubmed", "of_europe_pmc"),
    [
        (["article"], "(x[tiab] AND preprint[pt])", "(TITLE_ABS:x AND SRC:PPR)"),
        (["article-journal"], "(x[tiab] NOT preprint[pt])", "(TITLE_ABS:x NOT SRC:PPR)"),
        (["article", "book"], "x[tiab]", "TITLE_ABS:x"),
    ],
)
def test_preprints_are_told_from_articles(types, of_pubmed, of_europe_pmc):
    filters = SearchConstraints(publication_types=types)
    assert ADAPTERS["pubmed"].translate(parse("x"), filters).text == of_pubmed
    assert ADAPTERS["europe_pmc"].translate(parse("x"), filters).text == of_europe_pmc


@pytest.mark.parametrize("service", ["arxiv", "dblp"])
def test_a_service_without_a_filter_on_languages_says_so(service):
    assert any("no language filter" in note for note in said(service, "x", language="de").notes)


@pytest.mark.parametrize("service", ["pubmed", "europe_pmc", "core", "doaj"])
def test_an_unknown_language_is_noted_and_not_asked(service):
    query = said(service, "x", language="tlh")
    assert any("'tlh'" in note for note in query.notes)
    assert query.text == said(service, "x").text


@pytest.mark.parametrize("word", ["AND", "or", "not", "C++", "a/b"])
@pytest.mark.parametrize("service", ["arxiv", "pubmed", "europe_pmc", "core"])
def test_a_word_that_could_be_misread_is_quoted(service, word):
    tree = And((Term("x"), Term(word)))
    assert f'"{word}"' in ADAPTERS[service].translate(tree, NO_LIMITS).text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("graph NEAR/3 tree", '"graph tree"[tiab:~3]'),
        ("(title:bee OR title:net) NEAR/2 title:tree", '("bee tree"[ti:~2] OR "net tree"[ti:~2])'),
        ('"deep learn*"', '"deep learn*"[tiab]'),
    ],
)
def test_pubmed_knows_distances_and_endings(query, text):
    assert said("pubmed", query) == Translated(text)


@pytest.mark.parametrize(
    ("service", "stem", "tag"), [("pubmed", "gnn", "[tiab]"), ("openalex", "ml", "")]
)
def test_a_stem_one_letter_short_is_sent_with_each_next_letter(service, stem, tag):
    translated = said(service, f"({stem}* OR transformer) AND protein NOT {stem}*")
    sent = re.findall(rf"\b{stem}\w?\*?", translated.text)
    assert len(sent) == 2 * 37
    assert {f"{stem}", f"{stem}s*", f"{stem}2*"} <= set(sent)
    assert f" OR {stem}s*{tag} OR " in translated.text
    assert translated.remainder is None
    assert f"'{stem}*' is sent with each next letter" in translated.notes[-1]


@pytest.mark.parametrize(
    ("unknown", "notes"),
    [
        (["gnnq*[tiab]", "gnnx*"], ()),
        (["gnnq*", "gnnet", "sand castel"], ("PubMed does not know gnnet, sand castel",)),
    ],
)
def test_pubmed_does_not_report_the_next_letters_that_no_record_has(unknown, notes):
    assert notes_of_pubmed(errorlist={"phrasesnotfound": unknown}) == notes


def notes_of_pubmed(**lists: Any) -> tuple[str, ...]:
    content = json.dumps({"esearchresult": {"count": "1", "idlist": ["1"], **lists}}).encode()
    request = ADAPTERS["pubmed"].first(Translated("a"), NO_LIMITS, 10)
    page = ADAPTERS["pubmed"].read(HttpAnswer(200, "application/json", content, 1), request)
    return page.notes


def test_words_that_pubmed_ignores_and_phrases_that_it_takes_apart_are_told():
    lists = {"phrasesignored": ["the"], "quotedphrasesnotfound": ['"sand castel"[tiab]']}
    assert notes_of_pubmed(warninglist=lists) == (
        "PubMed ignored the",
        'PubMed has no phrase "sand castel"[tiab] and searched for its words',
    )


@pytest.mark.parametrize(
    ("query", "text", "rest"),
    [
        ("graph ne*", "graph[tiab]", "ne*"),
        ("graph NEAR/3 tr*", "graph[tiab]", "graph NEAR/3 tr*"),
        ('graph NEAR/3 "a tree"', '(graph[tiab] AND "a tree"[tiab])', 'graph NEAR/3 "a tree"'),
        ("abstract:graph", "graph[tiab]", "abstract:graph"),
        ('"deep* learning"', "(deep*[tiab] AND learning[tiab])", '"deep* learning"'),
    ],
)
def test_what_pubmed_cannot_say_is_checked(query, text, rest):
    translated = said("pubmed", query)
    assert (translated.text, translated.remainder) == (text, parse(rest))
    assert translated.notes


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("(graph tree) OR net", "graph|net net|tree"),
        ("(a b) OR (c d)", "a|c a|d b|c b|d"),
        ("graph AND (graph OR tree)", "graph"),
        ("graph OR year:2015", None),
        ("abstract:graph", None),
        ("tiab:(graph OR tree) net", "graph|tree net"),
        ("graph NOT tree abstract:x", "graph"),
        ("COVID-19", "covid 19"),
    ],
)
def test_dblp_is_asked_alternatives_of_words(query, text):
    if text is None:
        with pytest.raises(InputError, match="DBLP searches by words only"):
            said("dblp", query)
    else:
        assert said("dblp", query).text == text


def test_what_would_become_too_much_for_dblp_is_asked_more_loosely():
    groups = " OR ".join(f"(one{n} two{n} longest{n})" for n in range(9))
    query = said("dblp", f"graph AND ({groups})")
    assert query.text == "graph " + "|".join(f"longest{n}" for n in range(9))
    assert query.remainder is not None


WORDS = ("ant", "bee", "cat", "dog")
leaves = st.sampled_from([*map(Term, WORDS), Phrase(("ant", "bee")), Term("ca", is_prefix=True)])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda clauses: And(tuple(clauses))),
        st.lists(inner, min_size=2, max_size=3).map(lambda item: Or(tuple(item))),
        inner.map(Not),
        st.just(Near(Term("cat"), Term("dog"), 1)),
    ),
    max_leaves=8,
)
DOCUMENTS = ("ant bee", "bee ant cat", "dog", "cat dog", "ant", "bee cats dog", "", "bee")


def of_arxiv(text: str) -> str:
    return text.replace("all:", "").replace("ANDNOT", "NOT")


def of_pubmed(text: str) -> str:
    near = re.sub(r'"(\w+) (\w+)"\[tiab:~(\d+)\]', r"(\1 NEAR/\3 \2)", text)
    return near.replace("[tiab]", "")


def of_europe_pmc(text: str) -> str:
    return text.replace("TITLE_ABS:", "")


def of_core(text: str) -> str:
    return re.sub(r'"(\w+) (\w+)"~\d+', r"(\1 AND \2)", text)


def of_semantic_scholar(text: str) -> str:
    return of_core(text).replace(" + -", " NOT ").replace(" + ", " AND ").replace(" | ", " OR ")


def of_dblp(text: str) -> str:
    return " ".join(f"({' OR '.join(f'{w}*' for w in word.split('|'))})" for word in text.split())


@pytest.mark.parametrize(
    ("service", "read_back"),
    [
        ("arxiv", of_arxiv),
        ("pubmed", of_pubmed),
        ("europe_pmc", of_europe_pmc),
        ("dblp", of_dblp),
        ("core", of_core),
        ("openalex", of_core),
        ("doaj", of_core),
        ("semantic_scholar", of_semantic_scholar),
    ],
)
@examples(60)
@given(tree=trees)
def test_text_and_remainder_mean_what_the_tree_means(service, read_back, tree):
    try:
        query = ADAPTERS[service].translate(tree, NO_LIMITS)
    except InputError:
        return
    sent = parse(read_back(query.text))
    for text in DOCUMENTS:
        document: dict[str, str | int | None] = {"title": text, "author": "", "venue": ""}
        is_found = evaluate(sent, document)
        is_kept = is_found and (query.remainder is None or evaluate(query.remainder, document))
        if evaluate(tree, document):
            assert is_kept
        elif service != "dblp":  # of which "cat" finds "cats", too
            assert not is_kept


@examples(60)
@given(tree=trees)
def test_no_group_holds_two_operators(tree):
    """No two services agree on precedence: `a AND b OR c` means something else to each."""
    for service in ("arxiv", "pubmed", "europe_pmc", "core"):
        try:
            text = ADAPTERS[service].translate(tree, NO_LIMITS).text
        except InputError:
            continue
        text = re.sub(r'"[^"]*"', "q", text).replace("AND NOT", "ANDNOT")
        while inner := re.search(r"\(([^()]*)\)", text):
            assert len(set(re.findall(r"\b(AND|OR|NOT|ANDNOT)\b", inner[1]))) == 1
            text = text.replace(inner[0], "g", 1)
        assert "(" not in text
        assert not re.search(r"\b(AND|OR|NOT|ANDNOT)\b", text)


ODD = st.text(st.sampled_from('ab"”\\[](){}<>|^~*?:;+-/\t\x00é'), min_size=1, max_size=8)


@examples(80)
@given(
    words=st.lists(ODD, min_size=1, max_size=3), field=st.sampled_from([None, "title", "author"])
)
def test_no_word_gets_out_of_its_quotation_marks(words, field):
    try:
        tree = normalise(And((Term("safe"), Phrase(tuple(words), field))))
    except InputError:
        return
    for service in ("arxiv", "pubmed", "europe_pmc", "core", "dblp"):
        text = ADAPTERS[service].translate(tree, NO_LIMITS).text
        assert "\\" not in text
        assert text.count('"') % 2 == 0
        bare = re.sub(r'"[^"]*"', "q", text)
        assert not re.search(r"[{}<>^\x00\t”;?]", bare)
        assert bare.count("(") == bare.count(")")


@pytest.mark.parametrize(
    "service",
    [
        *("arxiv", "core", "crossref", "datacite", "dblp", "doaj", "europe_pmc", "openalex"),
        *("pubmed", "semantic_scholar", "serper_scholar"),
    ],
)
def test_a_wildcard_inside_a_word_is_written_out_and_nothing_is_turned_round(service):
    found = said(service, "(wom?n OR girl) AND migraine NOT (animal OR mice)")
    assert "wom n" not in found.text
    assert not re.search(r"\bwom\b|\bn\b|\?", found.text)
    if "mice" in found.text:
        assert re.search(r"NOT|-", found.text)
    else:
        assert found.remainder is not None
    women = {"title": "Migraine in women", "abstract": "", "year": 2000}
    mice = {"title": "Migraine in women and mice", "abstract": "", "year": 2000}
    rest = found.remainder
    assert rest is None or evaluate(rest, women)
    assert "mice" in found.text or not evaluate(normalise(rest or parse("x")), mice)


def test_long_phrases_beyond_what_openalex_takes_are_sent_as_words_and_checked():
    phrases = [" ".join(f"{letter}word{n}" for n in range(15)) for letter in "abcde"]
    found = said("openalex", " AND ".join(f'"{phrase}"' for phrase in phrases))
    assert [f'"{phrase}"' in found.text for phrase in phrases] == [True, True, True, False, False]
    assert "eword14" in found.text
    assert not evaluate(found.remainder, {"title": " ".join(reversed(phrases[4].split()))})
    assert evaluate(found.remainder, {"title": f"{phrases[3]} {phrases[4]}"})


def test_initials_of_authors_are_checked_where_openalex_finds_the_family_name():
    found = said("openalex", "smith j[au] AND asthma[ti]")
    assert "Smith" in found.text.title()
    assert evaluate(found.remainder, {"title": "Asthma", "author": "John Smith"})
    assert not evaluate(found.remainder, {"title": "Asthma", "author": "Mary Smith"})
    alone = said("openalex", "smith j[au]")
    assert alone.remainder is not None


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ('title:"deep learning" title:survey', {"search.title": '("deep learning" AND survey)'}),
        ("neuro* mice", {"search.title_and_abstract.exact": "(neuro* AND mice)"}),
        (
            'learning author:"jane smith" year:2015-2019',
            {
                "search.title_and_abstract": "(learning)",
                "filter": 'raw_author_name.search:"jane smith"',
            },
        ),
    ],
)
def test_openalex_searches_titles_alone_words_as_written_and_authors_by_a_filter(query, params):
    found = said("openalex", query)
    assert (found.params, found.remainder) == (params, None)
    assert ("words are matched exactly" in str(found.notes)) == ("*" in query)


def test_types_go_to_who_has_a_filter_for_them():
    limits = SearchConstraints(publication_types=["paper-conference", "book"])
    openalex_filter = (
        ADAPTERS["openalex"].first(said("openalex", "learning"), limits, 10).params["filter"]
    )
    assert {"book", "article", "conference-paper"} <= set(openalex_filter[5:].split("|"))
    assert "dataset" not in openalex_filter
    crossref = ADAPTERS["crossref"]
    crossref_filter = str(crossref.first(said("openalex", "learning"), limits, 10).params["filter"])
    assert "type:proceedings-article" in crossref_filter
    assert "type:monograph" in crossref_filter
    assert "type:journal-article" not in crossref_filter


def test_datacite_is_asked_for_phrases_without_a_word_between():
    asked = said("datacite", '"object detection" AND few-shot NOT title:"deep network"')
    for phrase in ('"object detection"~0', '"few-shot"~0', 'AND NOT titles.title:"deep network"~0'):
        assert phrase in asked.text


def test_answers_to_one_plain_word_are_taken_as_they_come():
    assert said("crossref", "moss").remainder is None


def test_semantic_scholar_is_asked_boolean_queries_in_bulk_and_plain_words_by_relevance():
    service = ADAPTERS["semantic_scholar"]
    boolean = said("semantic_scholar", "girl AND migraine")
    assert service.first(boolean, NO_LIMITS, 10).url.endswith("/paper/search/bulk")
    [plain, *_] = service.translate_ranked(RankedQuery(text="girl migraine"), NO_LIMITS)
    assert service.first(plain, NO_LIMITS, 10).url.endswith("/paper/search")


@pytest.mark.parametrize("dialect", [ArxivDialect, BulkDialect, CoreDialect, EuropePmcDialect])
def test_a_service_that_compares_stems_is_not_sent_what_is_unwanted(dialect):
    """It would leave out papers on "robotics" where only "robot" is unwanted."""
    found = dialect().translate(parse("slam NOT robot"))
    assert "robot" not in found.text
    assert found.remainder == parse("NOT robot")


@pytest.mark.parametrize("query", ["NOT graph", "NOT (a OR b)", "year:2015"])
def test_a_query_without_anything_wanted_is_refused(query):
    for service in ("openalex", "crossref", "semantic_scholar", "doaj"):
        with pytest.raises(InputError, match="only excludes"):
            said(service, query)


@pytest.mark.parametrize("query", ["graph year:2015", "author:smith"])
def test_years_that_exclude_each_other_are_refused(query):
    limits = SearchConstraints(year_from=2020, year_to=2010)
    for service in ("openalex", "crossref", "semantic_scholar"):
        with pytest.raises(InputError, match=r"widen the years|in order"):
            ADAPTERS[service].translate(parse(query), limits)


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


@pytest.mark.parametrize(
    ("word", "matching", "others"),
    [
        ("rats", ["rat", "rats"], ["rate", "ratio"]),
        ("study", ["study", "studies", "studied", "studying"], ["student", "studio"]),
        ("studies", ["study", "studies"], ["student"]),
        ("image", ["image", "images", "imaging"], ["imagery", "imagination"]),
        ("label", ["labels", "labeled", "labelled", "labelling"], ["labellum"]),
        ("analyses", ["analyses", "analysis"], ["analyst"]),
        ("class", ["class", "classes"], ["classic", "classification"]),
        ("biases", ["bias", "biases", "biased"], ["biassen"]),
        ("bias", ["bias", "biases"], ["biaxial"]),
        ("Survey", ["surveys", "surveying"], ["surveyor"]),
    ],
)
def test_answers_of_a_query_have_its_words_and_none_that_only_begins_alike(word, matching, others):
    remainder = said("crossref", f"{word} AND glass").remainder
    for forms, is_match in ((matching, True), (others, False)):
        for form in forms:
            assert evaluate(remainder, {"title": f"Glass and {form}"}) is is_match, form
