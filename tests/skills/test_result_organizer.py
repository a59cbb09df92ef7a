import random
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search import models
from paper_search.skills import ResultOrganizer
from paper_search.skills.result_organizer import concept_counts

STRATEGY = models.SearchStrategy(queries=[], sources=["s"], filters=models.SearchConstraints())


def scored(name: str, score: float, *, is_judged: bool = True, **rest: Any) -> models.ScoredPaper:
    values = {"title": name, "source": "s"} | rest
    return models.ScoredPaper(
        paper=models.RawPaper(id=name, **values),
        relevance_score=score,
        relevance_reason="r",
        is_judged=is_judged,
    )


async def organized(*papers: models.ScoredPaper) -> models.PaperCollection:
    return await ResultOrganizer().organize(list(papers), STRATEGY, "why?")


async def test_irrelevant_papers_go_and_unjudged_ones_stay():
    found = await organized(
        scored("low", 0.29), scored("edge", 0.3), scored("unjudged", 0.0, is_judged=False)
    )
    assert [paper.id for paper in found.papers] == ["edge", "unjudged"]
    assert [paper.id for paper in found.set_aside] == ["low"]
    assert found.papers[1].is_judged is False
    assert found.metadata.total_found == 3
    assert (found.metadata.query, found.metadata.search_strategy) == ("why?", STRATEGY)
    assert datetime.fromisoformat(found.metadata.timestamp).tzinfo is not None


async def test_facets_count_the_kept():
    ada = [models.Author(name="ada lovelace")]
    authors = [
        models.Author(name="Ada  Lovelace"),
        models.Author(name="B"),
        models.Author(name="B"),
    ]
    by = {"authors": authors}
    found = await organized(
        scored("1", 0.9, title="Ox: graph networks for graphs", year=2020, venue="Nature", **by),
        scored("2", 0.8, title="An ox: networks of the graph", year=2020, venue="nature"),
        scored("3", 0.4, title="Cells", year=2019, venue="Nature ", authors=ada),
        scored("4", 0.1, title="Gone", year=1999, venue="Gone"),
    )  # fmt: skip
    facets = found.facets
    assert facets.by_year == {2019: 1, 2020: 2}
    assert facets.by_venue == {"Nature": 3}
    assert facets.top_authors == ["Ada Lovelace", "B"]
    assert facets.key_themes == ["graph", "networks", "graphs"]


async def test_facets_name_ten_authors_and_eight_themes_at_most():
    title = "alpha beta gamma delta epsilon zeta theta iota kappa"
    authors = [models.Author(name=f"A{number}") for number in range(11)]
    facets = (await organized(scored("1", 0.9, title=title, authors=authors))).facets
    assert (len(facets.top_authors), len(facets.key_themes)) == (10, 8)


async def test_papers_stand_by_score_then_citations_then_year_then_title():
    rows = [
        ("low", 0.5, 9, 2021, "A"),
        ("old b", 0.9, 1, 2020, "B"),
        ("old a", 0.9, 1, 2020, "a"),
        ("new", 0.9, 1, 2021, "Z"),
        ("cited", 0.9, 5, 2000, "Z"),
    ]
    papers = [
        scored(name, score, citation_count=cited, year=year, title=title)
        for name, score, cited, year, title in rows
    ]
    order = [paper.id for paper in (await organized(*papers)).papers]
    assert order == ["cited", "new", "old a", "old b", "low"]


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 3), st.sampled_from([None, 2000, 2001])),
        max_size=8,
    ),
    st.integers(),
)
@examples(60)
async def test_the_order_of_papers_does_not_matter(values, seed):
    papers = [
        scored(str(n), score, citation_count=cited, year=year, title="T")
        for n, (score, cited, year) in enumerate(values)
    ]
    shuffled = random.Random(seed).sample(papers, len(papers))  # noqa: S311  # no secret
    one, other = await organized(*papers), await organized(*shuffled)
    assert (one.papers, one.facets) == (other.papers, other.facets)
    assert len(one.papers) == sum(score >= 0.3 for score, _, _ in values)


def placed(
    name: str, score: float, place: int, whole: int | None, *, blocks: int = 3, **rest: Any
) -> models.ScoredPaper:
    update = {"place": place, "whole_concepts": whole, "blocks": blocks}
    return scored(name, score, **rest).model_copy(update=update)


async def test_where_nothing_fits_the_question_papers_without_a_concept_are_set_aside():
    def poor(source: str = "library", blocks: int = 3) -> list[models.ScoredPaper]:
        rows = (("none", 0.1, 1, 0), ("one", 0.19, 2, 1), ("unknown", 0.0, 3, None))
        return [placed(*row, blocks=blocks, source=source) for row in rows]

    assert len((await organized(*poor("s"))).papers) == 3  # a web service may know better
    found = await organized(*poor())
    assert [paper.id for paper in found.papers] == ["one", "unknown"]
    assert [paper.id for paper in found.set_aside] == ["none"]
    found = await organized(*poor(), placed("fits", 0.2, 4, 1))
    assert [paper.id for paper in found.papers] == ["none", "one", "unknown", "fits"]
    failed = placed("failed", 0.0, 5, 0, source="library", is_judged=False)
    assert (await organized(*poor(), failed)).papers[-1].id == "failed"  # nobody judged it
    long = await organized(*poor(blocks=4))
    assert len(long.papers) == 3  # of a long question words can be enough


async def test_where_no_paper_has_half_of_a_short_question_those_without_a_word_are_set_aside():
    part, every = ["one", "part"], ["one", "part", "none"]
    for best, whole, blocks, names in (
        (0.3, 1, 3, part),
        (0.3, 2, 3, every),
        (0.3, 0, 4, every),  # of a long question words can be enough
        (0.1, 0, 4, part),
    ):
        rows = (("one", best, whole), ("part", 0.1, 0), ("none", 0.0, 0))
        poor = [placed(*row[:2], 1, row[2], blocks=blocks, source="library") for row in rows]
        assert [paper.id for paper in (await organized(*poor)).papers] == names


def test_the_head_of_a_result_says_how_many_papers_have_the_concepts():
    papers = [placed(str(n), 0.5, n + 1, n) for n in range(4)]
    line = "of 4 papers, 1 with all 3 concepts of the question, 2 with some, 1 without"
    assert concept_counts(papers, 3) == line
    one = "of 2 papers, 1 with the concept of the question, 1 without"
    assert concept_counts(papers[:2], 1) == one
    assert concept_counts([scored("x", 0.5)], 3) == concept_counts(papers, 0) == ""
    limits = ["years 2020-", 'author:"Ada Nobody"']
    nothing = 'no paper was found within the limits (years 2020-; author:"Ada Nobody")'
    assert concept_counts([], 3, limits) == f"{nothing}: remove one for more"
    assert (concept_counts(papers, 3, limits), concept_counts([], 3)) == (line, "")
