"""Which words of a plain question are sent, and what each service is asked for it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.adapters import ADAPTERS

from paper_search.errors import InputError
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import judge
from paper_search.sources.adapter import Adapter
from paper_search.sources.ranked_text import (
    MOST_WORDS,
    author_names,
    content_words,
    rarest_words,
    words_of,
)
from paper_search.sources.translation import translate_question

WORD = r'(?:[^\W_]+(?:-[^\W_]+)*|"[^\W_]+(?:-[^\W_]+)*")'
ANY = {name: rf"\(?{word}(?: OR {word})*\)?" for name, word in {
    "openalex": WORD, "pubmed": rf"{WORD}\[tiab\]", "arxiv": f"all:{WORD}",
    "europe_pmc": f"TITLE_ABS:{WORD}", "doaj": WORD, "core": WORD,
    "datacite": f"{WORD}(?:~0)?",
}.items()}  # fmt: skip
LANGUAGES = {
    **ANY,
    "datacite": rf"\({ANY['datacite']} AND NOT types\.resourceTypeGeneral:\([A-Za-z ]+\)\)",
    **dict.fromkeys(
        ("crossref", "semantic_scholar", "dblp", "serpapi_scholar", "serper_scholar"),
        rf"{WORD}(?: {WORD})*",
    ),
}
"""What a question without a condition looks like at each service: words, and no operator of it."""
QUESTION = "How do wild pollinators affect apple yields?"
NOT_HONEY = 'NOT "honey bees"'


each_service = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)


def asked(adapter: Adapter, text: str = QUESTION, condition: str = "") -> list[str]:
    query, limits = RankedQuery(text=text), SearchConstraints(conditions=[condition])
    return [found.text for found in adapter.translate_ranked(query, limits)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What works explored video textures?", ["explored", "video", "textures"]),
        ("few-shot object detection", ["few-shot", "object", "detection"]),
        ("state-of-the-art zero\u2010shot models of x-y", ["zero-shot", "models"]),
        ("the add-on -therapy- of self-", ["add-on", "therapy", "self"]),
        ("Rückenmark: e.g. 3D-Modelle (n=5)", ["rückenmark", "3d-modelle"]),
        ("who finds issues with bees", ["bees"]),
        ("what is it", ["what", "is", "it"]),
        ("naïve 注意力机制", ["naïve", "注意力机制"]),
        ("?!", []),
    ],
)
def test_the_words_that_speak_of_the_subject_are_sent(text, words):
    assert content_words(text) == words


@each_service
def test_each_part_of_a_compound_is_sent(adapter):
    texts = asked(adapter, "few-shot object detection")
    assert re.search(r"few[- ]shot", texts[0]), texts
    assert not re.search(r"(?<!few[- ])shot", " ".join(texts))


def test_semantic_scholar_is_sent_the_parts_of_compounds_apart():
    assert asked(ADAPTERS["semantic_scholar"], "few-shot detection")[0] == "few shot detection"


def test_a_long_text_is_cut_to_its_rarest_words():
    common = " ".join(f"network{number} model system data" for number in range(MOST_WORDS - 1))
    assert len(content_words(f"{common} and zzyzx qwxyz")) == MOST_WORDS
    assert "model" not in content_words(f"{common} and zzyzx qwxyz")


def test_the_rarest_word_is_left_out_of_what_is_asked_next():
    words = content_words("attention models for lazygnn graph training")
    assert rarest_words(words, 3) == [["attention", "lazygnn", "graph"], ["attention", "graph"]]


def test_what_is_left_of_two_words_is_not_asked():
    assert rarest_words(["attention", "lazygnn"], 3) == [["attention", "lazygnn"]]


def test_the_strongest_further_terms_are_sent_and_unwanted_ones_are_not():
    terms = {"orchard": 0.2, "mason bees": 2.0, "desk": -1.0, "the": 3.0, "apple": 1.0}
    weak = {f"weak{number}": 0.1 for number in range(9)}
    query = RankedQuery(text="apple yields", terms={**weak, **terms})
    assert words_of(query) == ["apple", "yields", "mason", "bees", "orchard", "weak0", "weak1"]


def test_an_unwanted_term_is_not_sent_where_there_is_room_for_it():
    assert words_of(RankedQuery(text="apple", terms={"desk": -1.0, "chair": 0.0})) == ["apple"]


def test_the_words_of_a_further_term_follow_each_other():
    [openalex] = ADAPTERS["openalex"].translate_ranked(
        RankedQuery(text="apple", terms={"mason bees": 1.0}), SearchConstraints()
    )
    assert openalex.text == '(apple OR "mason bees")'


@each_service
def test_a_question_is_asked_by_its_words_in_the_language_of_the_service(adapter):
    first = asked(adapter)[0]
    words = ["wild", "pollinators", "apple", "yields"]
    assert re.findall("|".join(words), first) == words[: 3 if adapter.name == "dblp" else 4]
    assert re.fullmatch(LANGUAGES[adapter.name], first)


@each_service
def test_a_service_that_wants_most_words_is_asked_fewer_next(adapter):
    wants_most = {"semantic_scholar", "dblp", "serpapi_scholar", "serper_scholar"}
    first, *later = asked(adapter)
    assert len(later) == (adapter.name in wants_most)
    assert all(len(text.split()) == len(first.split()) - 1 for text in later)


@each_service
@given(text=st.text(max_size=60))
def test_nothing_in_a_question_is_an_operator(adapter, text):
    for operators in (f"{text} apple", f"apple AND -{text}| NOT bees OR title:(x", f"not {text}"):
        for sent in asked(adapter, operators):
            assert re.fullmatch(LANGUAGES[adapter.name], sent)
            words = re.sub(r" OR (?=[^ ])|types\.\S+ .*|AND NOT", " ", sent)
            assert not {"AND", "OR", "NOT", "ANDNOT", "TO"} & set(re.findall(r"\w+", words))


SAID_BY_THEMSELVES = {
    "pubmed": ' NOT "honey bees"[tiab])',
    "doaj": ' AND NOT "honey bees")',
    "datacite": ' AND NOT "honey bees"~0)',
    "serpapi_scholar": ' -"honey bees"',
    "serper_scholar": ' -"honey bees"',
}


@each_service
def test_what_is_not_wanted_is_left_out_by_the_service_or_by_us(adapter):
    query, limits = RankedQuery(text=QUESTION), SearchConstraints(conditions=[NOT_HONEY])
    bees = {"title": "Honey bees and apple", "abstract": "", "author": "A. Maker", "venue": "J"}
    for found in adapter.translate_ranked(query, limits):
        if adapter.name in SAID_BY_THEMSELVES:
            assert SAID_BY_THEMSELVES[adapter.name] in found.text
            assert found.remainder is None
        else:
            assert "honey" not in found.text
            assert judge(found.remainder, bees) is False
            assert judge(found.remainder, {**bees, "title": "Apple trees"}) is True


AUTHORS = {
    "openalex": " raw_author_name.search:garibaldi",
    "crossref": " query.author=garibaldi",
    "arxiv": " AND au:garibaldi",
    "pubmed": " AND garibaldi[au]",
    "europe_pmc": " AND AUTH:garibaldi",
    "dblp": " garibaldi",
    "doaj": " AND bibjson.author.name:garibaldi",
    "datacite": " AND creators.name:garibaldi",
    "core": " AND authors:garibaldi",
    "serpapi_scholar": " author:garibaldi",
    "serper_scholar": " author:garibaldi",
}


@each_service
def test_an_author_is_asked_for_or_checked(adapter):
    query, limits = RankedQuery(text=QUESTION), SearchConstraints(conditions=["author:garibaldi"])
    [found, *_] = adapter.translate_ranked(query, limits)
    assert AUTHORS.get(adapter.name, "") in found.text
    if adapter.name in {"crossref", "semantic_scholar", "dblp"}:
        other = {"title": "Apple", "abstract": "", "author": "Ada Maker", "venue": ""}
        assert judge(found.remainder, other) is False
        assert judge(found.remainder, {**other, "author": "L. Garibaldi"}) is True


def test_crossref_looks_for_authors_among_names():
    crossref = ADAPTERS["crossref"]
    names = ['author:"Lucas Garibaldi" AND NOT author:Maker']
    limits = SearchConstraints(year_from=2010, conditions=names)
    [found] = crossref.translate_ranked(RankedQuery(text=QUESTION), limits)
    params = crossref.first(found, limits, 100).params
    assert params["query"] == "wild pollinators apple yields"
    assert params["query.author"] == "Lucas Garibaldi"
    assert "from-pub-date:2010-01-01" in str(params["filter"])


@pytest.mark.parametrize("condition", ["NOT author:x", "author:x OR title:y", "title:y", ""])
def test_only_wanted_authors_are_names(condition):
    assert author_names(SearchConstraints(conditions=[condition])) == []


@each_service
def test_without_words_the_condition_alone_is_asked(adapter):
    [found] = asked(adapter, "?", "author:garibaldi")
    assert "garibaldi" in found


@each_service
def test_a_question_without_words_is_refused(adapter):
    with pytest.raises(InputError, match="contains no searchable words"):
        asked(adapter, "?!")


@each_service
def test_a_condition_that_cannot_be_read_is_refused(adapter):
    with pytest.raises(InputError, match="column"):
        asked(adapter, QUESTION, "NOT (bees")


def test_years_of_a_condition_and_of_the_filters_hold_together():
    limits = SearchConstraints(year_from=2018, language="en", conditions=["year:2015-2020"])
    query = RankedQuery(text=QUESTION)
    [found, *_] = ADAPTERS["semantic_scholar"].translate_ranked(query, limits)
    assert (found.year_from, found.year_to, found.language) == (2018, 2020, "en")
    assert found.remainder is None


@each_service
def test_a_boolean_query_is_asked_within_the_conditions_too(adapter):
    limits = SearchConstraints(conditions=[NOT_HONEY])
    bees = {"title": "Honey bees and apple", "abstract": "", "author": "A. Maker", "venue": "J"}
    [found] = translate_question(adapter, "apple OR pear", limits, {})
    if found.remainder is None:
        assert "honey" in found.text
    else:
        assert judge(found.remainder, bees) is False
        assert judge(found.remainder, {**bees, "title": "Apple trees"}) is True
