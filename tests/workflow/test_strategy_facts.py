"""A strategy in words: who is asked what, with the hits."""

import io

import pytest
from rich.console import Console

from paper_search import models
from paper_search.cli.views import show_checkpoint
from paper_search.models.scope import Translation
from paper_search.workflow import Checkpoint, CheckpointKind, StrategyPayload, strategy_facts
from paper_search.workflow.questions import describe_strategy
from paper_search.workflow.strategy_facts import queries_by_source


def hits(text: str, **counts: int) -> dict[str, object]:
    """Return how often sources have a query."""
    rows = [{"source": source, "hits": count} for source, count in counts.items()]
    return {"text": text, "counts": rows}


BOTH = hits("ice AND sea", library=1234, pubmed=56)
BOTH["counts"][1]["is_at_most"] = True
BROADER = {"name": "any one of the blocks", "original": "(ice OR floe) AND sea"}
SCOPE = models.ScopeReport.model_validate(
    {
        "queries": [BOTH, hits("ice")],
        "blocks": [hits("ice OR floe", library=9) | {"terms": [hits("floe", library=2)]}],
        "steps": [hits("ice OR floe OR sea", library=77) | BROADER],
        "limits": [hits("RCT", library=0)],
        "relaxed": [{"original": "ice AND lakes", "instead": "ice", "name": "without lakes"}],
        "suggested": [{"term": "albedo", "papers": 12}, {"term": "melt", "papers": 9}],
        "first_results": 50,
        "notes": ["no answer within 5 s from dblp"],
    }
)


def strategy(**given: object) -> models.SearchStrategy:
    return models.SearchStrategy.model_validate(
        {
            "queries": [
                models.SearchQuery(keywords=[], boolean_query=query)
                for query in ("ice AND sea", "ice", "(ice OR floe) AND sea")
            ],
            "sources": ["library", "openalex", "pubmed", "dblp"],
            "filters": models.SearchConstraints(excluded_types=["review"]),
            "ranked": [models.RankedQuery(text="ice on the sea", terms={"floe": 0.5, "cream": -1})],
            **given,
        }
    )


def payload(shown: models.SearchStrategy) -> StrategyPayload:
    return StrategyPayload(
        intent=models.ParsedIntent(
            topic="ice",
            concepts=["sea ice", "winter"],
            intent_type=models.IntentType.METHOD,
            constraints=models.SearchConstraints(),
            notes=["English terms find more"],
            criteria=[
                models.Criterion(text="It is about ice", weight=2),
                models.Criterion(text="It is about cream", kind=models.CriterionKind.EXCLUSION),
            ],
        ),
        strategy=shown,
        ranking_sources=["library", "openalex"],
        scope=SCOPE,
    )


def page(shown: models.SearchStrategy) -> str:
    written = io.StringIO()
    checkpoint = Checkpoint(kind=CheckpointKind.STRATEGY_CONFIRMATION, payload=payload(shown))
    show_checkpoint(Console(file=written, width=200), checkpoint)
    return written.getvalue()


@pytest.mark.parametrize(
    "line",
    [
        "sources  library, openalex: the question and queries 1-3; pubmed, dblp: queries 1-3",
        "question  ice on the sea; also floe; less cream",
        "hits  query 1: 1,234 library, up to 56 pubmed",
        "concepts  sea ice, winter",
        "block 1  ice OR floe (2): 9 library",
        "block 2  sea",
        "joined  1 AND 2",
        "broader 1  any one of the blocks: 77 library",
        "limit  RCT: 0 library; nothing meets all limits: remove one",
        "relaxed  no hits for ice AND lakes: query 2 is without lakes",
        "also  frequent in the first 50 results that fit: albedo (12), melt (9)",
        "note  no answer within 5 s from dblp",
        "note  English terms find more",
        "criterion  1. It is about ice (weight 2)",
        "criterion  2. not: It is about cream",
        "limits  not review; at most 100 records a query",
    ],
)
def test_the_question_has_a_line_for(line):
    assert line in page(strategy())


def test_a_client_that_shows_markdown_is_told_the_same_facts():
    shown = payload(strategy())
    described = describe_strategy(shown).splitlines()
    assert {"- query 1: `ice AND sea`", "- block 2: sea"} < set(described)
    assert len(described) == 2 + len(list(strategy_facts.checkpoint_facts(shown)))


def test_a_librarys_part_is_named_only_where_a_library_is_asked():
    deep = strategy(ranked=[models.RankedQuery(text="ice", depth=500)])
    assert "question  ice; up to 500 records of a local library\n" in page(deep)
    assert "question  ice\n" in page(deep.model_copy(update={"sources": ["openalex", "pubmed"]}))


def test_the_exact_strings_stand_under_what_they_ask():
    shown = strategy()
    said = [
        Translation(
            source="dblp", query="ice on the sea", is_ranked=True, texts=["ice sea", "sea"]
        ),
        Translation(source="pubmed", query="ice", texts=["ice[tiab]"], notes=["no '*'"]),
        Translation(source="pubmed", query="ice AND sea", error="too long"),
        Translation(source="core", query="", error="core needs a key"),
    ]
    assert list(strategy_facts.translation_facts(said, shown)) == [
        ("dblp", "question: ice sea"),
        ("dblp", "question: if nothing is found, sea"),
        ("pubmed", "query 2: ice[tiab]"),
        ("note", "pubmed: no '*'"),
        ("not asked", "pubmed, query 1: too long"),
        ("not asked", "core: core needs a key"),
    ]


def test_synonyms_that_queries_share_stand_once_with_the_reason_why_they_do():
    entry = models.SynonymMap(
        keyword="cars",
        synonyms=["car", "automobile", "auto", "Kfz"],
        reasons={"car": "singular", "automobile": "MeSH", "auto": "MeSH"},
    )
    queries = [
        models.SearchQuery(keywords=["cars"], boolean_query=text, synonym_map=[entry])
        for text in ("car OR auto", "Kfz")
    ]
    line = "synonyms  cars = car (singular); automobile, auto (MeSH); Kfz\n"
    assert page(strategy(queries=queries)).count(line) == 1


def test_a_query_that_was_edited_has_no_hits_beside_it():
    edited = strategy(queries=[models.SearchQuery(keywords=[], boolean_query="snow")])
    assert "query 1: 1,234" not in page(edited)
    facts = dict(strategy_facts.scope_facts(SCOPE, edited))
    assert facts["relaxed"] == "no hits for ice AND lakes: ice is without lakes"


def test_without_queries_a_source_that_does_not_rank_is_asked_nothing():
    asked = strategy_facts.queries_by_source(strategy(queries=[]), {"library", "openalex"})
    assert asked == ["library, openalex: the question", "pubmed, dblp: nothing"]


def test_a_source_that_follows_citations_is_asked_no_query():
    shown = strategy(
        queries=[{"keywords": ["ice"], "boolean_query": "ice"}], sources=["library", "snowball"]
    )
    lines = queries_by_source(shown, ["library"])
    assert lines[-1] == "snowball: citations, no query"
