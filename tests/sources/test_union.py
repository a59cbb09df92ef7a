"""What a service cannot be asked as one query is asked as several that find the same."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.sources.adapters import ADAPTERS
from tests.sources.cards import URL, Cards, source_of, strategy

from paper_search import models
from paper_search.query import Node, evaluate, parse, render
from paper_search.query.strategy import parse_strategy
from paper_search.sources.adapter import Adapter, Translated
from paper_search.sources.crossref import Crossref
from paper_search.sources.doaj import Doaj
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.query_run import QueryRun, keep_best
from paper_search.sources.semantic_scholar import SemanticScholar
from paper_search.sources.serper import SerperScholar
from paper_search.sources.translation import translations_of
from paper_search.sources.union import union

SHARED = Path(os.environ.get("PAPER_SEARCH_SHARED", Path(__file__).parents[3] / "shared"))
NO_LIMITS = models.SearchConstraints()
WORDS = [f"{letter * 9}" for letter in "abcdefgh"]


class Short(Cards):
    """Takes any tree, in few characters."""

    name = "short"

    def __init__(self, most: int = 12, parts: int = Cards.most_parts) -> None:
        super().__init__(URL)
        self.longest_text, self.most_parts = most, parts

    def translate(self, tree: Node, filters: models.SearchConstraints) -> Translated:
        del filters
        return Translated(render(tree))


groups = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8, unique=True).map(" OR ".join)
queries = st.lists(groups, min_size=1, max_size=3).map(
    lambda parts: " AND ".join(f"({part})" for part in parts)
)
documents = st.lists(st.sampled_from(WORDS), max_size=6).map(lambda some: {"title": " ".join(some)})


def wanted(part: Translated, document: dict[str, str]) -> bool:
    """Whether a part finds a document, and its check lets it through."""
    is_found = evaluate(parse(part.text), document)
    return is_found and (part.remainder is None or evaluate(part.remainder, document))


def test_crossref_is_asked_once_for_a_query_with_all_of_its_words():
    query = parse('("language models" OR LLM OR chatbot) AND "few shot" AND (setting OR task)')
    [part] = union(Crossref(), query, NO_LIMITS, {})
    assert {"models", "LLM", "chatbot", "few", "setting", "task"} < set(part.text.split())
    assert part.remainder is not None


@given(query=queries, document=documents, most=st.integers(30, 120), parts=st.integers(1, 40))
@examples(100)
def test_the_parts_of_a_query_find_what_it_finds(query, document, most, parts):
    tree = parse(query)
    said = union(Short(most, parts), tree, NO_LIMITS, {})
    assert any(wanted(part, document) for part in said) == evaluate(tree, document)


@given(query=queries, most=st.integers(60, 120), parts=st.integers(1, 40))
@examples(50)
def test_each_part_is_short_enough_even_if_that_takes_more_parts(query, most, parts):
    said = union(Short(most, parts), parse(query), NO_LIMITS, {})
    assert all(len(part.text) <= most for part in said)
    assert len({part.text for part in said}) == len(said)


def test_what_cannot_be_made_short_enough_is_not_asked_for_a_part_of_it_alone():
    query = f"{'a' * 40} AND {'b' * 40}"
    assert [part.text for part in union(Short(20, 1000), parse(query), NO_LIMITS, {})] == [query]


TOPICS = SHARED / "data" / "clef_tar" / "2017-TAR"


@pytest.mark.skipif(not TOPICS.is_dir(), reason="the strategies of CLEF TAR are not here")
@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_no_service_refuses_a_published_strategy_and_no_page_of_it_is_too_long(adapter):
    for query in published_queries():
        strategy = models.SearchStrategy(queries=[query], sources=[adapter.name])
        [sent] = translations_of(adapter, strategy)
        assert sent.error is None, f"{sent.error}: {query.boolean_query[:200]}"
        assert len(sent.requests) == len(sent.texts) >= 1


@cache
def published_queries() -> list[models.SearchQuery]:
    """Return the longest of the published strategies."""
    texts = set()
    for path in TOPICS.glob("*/*/*"):
        text = path.read_text(encoding="utf-8", errors="replace")
        if printed := text.partition("Query:")[2].partition("Pids:")[0]:
            strategy = parse_strategy(printed)
            tree = strategy.lines[-1].node if strategy else parse(printed)
            texts |= {render(tree)} if tree is not None else set()
    longest = sorted(texts, key=len)[-5:]
    return [models.SearchQuery(keywords=[], boolean_query=text) for text in longest]


def said(adapter: Adapter, query: str, **endings: list[str]) -> list[Translated]:
    return union(adapter, parse(query), NO_LIMITS, {f"{stem}*": e for stem, e in endings.items()})


@pytest.mark.parametrize("adapter", [Doaj(), SerperScholar("key")], ids=lambda a: a.name)
def test_a_truncated_word_is_sent_as_words_where_nothing_is_truncated(adapter):
    [asked] = said(adapter, "vision comput*")
    assert {"computer", "computing", "compute"} <= set(asked.text.split())
    assert "(comput)" not in f"({asked.text})"
    assert any("computer, " in note and "no '*'" in note for note in asked.notes)


def test_a_truncated_word_is_asked_of_doaj_as_all_the_words_that_are_known():
    [asked] = said(Doaj(), "trans*")
    assert asked.text.count(" OR ") > 100
    assert "transplantation" in asked.text


def test_fewer_words_are_sent_where_all_of_them_are_more_than_can_be_asked():
    stems = ("inter", "multi", "trans", "micro", "super")
    parts = said(Doaj(), " AND ".join(f"{stem}*" for stem in stems))
    assert len(parts) <= Doaj.most_parts
    assert not any("too long" in note for part in parts for note in part.notes)
    assert all(f"{stem}* is sent" in " ".join(parts[0].notes).replace("'", "") for stem in stems)


@pytest.mark.parametrize("adapter", [Doaj(), SerperScholar("key")], ids=lambda a: a.name)
def test_every_word_that_a_note_names_is_sent_also_of_a_phrase_of_two_truncated_ones(adapter):
    parts = said(adapter, '"inter* trans*"')
    notes = [note for note in parts[0].notes if " is sent as " in note]
    named = [note.partition(" is sent as ")[2].partition(":")[0] for note in notes]
    text = " ".join(part.text for part in parts)
    for first in named[0].split(", "):
        for second in named[1].split(", "):
            assert f'"{first} {second}"' in text


def test_phrases_and_wildcards_inside_of_words_are_written_out():
    [asked] = said(Doaj(), '"neural network*" AND behavio?r AND re-identif*')
    assert '"re-identification"' in asked.text
    assert '("neural network" OR "neural networks"' in asked.text
    assert "behaviour" in asked.text


def test_an_or_of_words_and_authors_is_asked_of_openalex_in_two_queries():
    texts = [part.text for part in said(OpenAlex(), "robot AND (slam OR grasp OR author:smith)")]
    assert texts == ["(robot AND (slam OR grasp))", "(robot) raw_author_name.search:smith"]


def test_what_a_service_can_say_of_an_or_is_asked_and_the_rest_is_named():
    [asked] = said(SemanticScholar(), "slam OR author:smith")
    assert asked.text == "slam"
    assert any("author:smith" in note and "missing" in note for note in asked.notes)


def answers(*ids: str) -> Iterator[QueryRun]:
    for names in ids:
        papers = [models.RawPaper(id=name, title=name, source="x") for name in names]
        rows = [models.Arrival(source="x", record=name) for name in names]
        yield QueryRun("", papers=papers, arrivals=rows)


def test_of_joined_answers_the_best_of_each_are_kept():
    parts = list(answers("abcd", "bxyz"))
    keep_best(parts, 4)
    assert ["".join(paper.id for paper in part.papers) for part in parts] == ["abc", "bx"]
    assert [part.losses["beyond_limit"] for part in parts] == [1, 2]


def test_the_condition_of_a_question_has_no_truncated_words_where_nothing_is_truncated():
    limits = models.SearchConstraints(conditions=["comput* AND NOT survey*"])
    question = models.RankedQuery(text="vision")
    strategy = models.SearchStrategy(
        queries=[], ranked=[question], sources=["doaj"], filters=limits
    )
    [asked] = translations_of(Doaj(), strategy)
    assert "*" not in asked.texts[0]
    assert "computer" in asked.texts[0]


async def test_parts_of_the_same_request_are_sent_once_and_checked_for_either():
    asked: list[str] = []
    words = [letter * 9 for letter in "abcd"]

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params["q"])
        titles = [f"slam {word}" for word in words]
        cards = [{"id": title, "title": title, "abstract": "-"} for title in titles]
        return httpx.Response(200, json={"papers": cards, "total": 4})

    query = f"slam AND ({' OR '.join(words[:3])})"
    report = await source_of(answer, Short(parts=2)).report(strategy(query))
    assert asked == ["slam"]
    assert [row.removed is None for row in report.arrivals] == [True, True, True, False]
    assert report.arrivals[3].id == f"cards:slam {words[3]}"
    assert [paper.title for paper in report.papers] == [f"slam {word}" for word in words[:3]]
