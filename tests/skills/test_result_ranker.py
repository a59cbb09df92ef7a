from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from paper_search.models import MarkedPaper, RawPaper, ScoredPaper, Sighting
from paper_search.skills.result_ranker import COMPARED, ResultRanker, by_grades


def paper(name: str, score: float = 0.5, title: str = "", **ranks: int) -> ScoredPaper:
    seen = [Sighting(source=source, query="q", rank=rank) for source, rank in ranks.items()]
    raw = RawPaper(id=name, title=title or name, source="test", sightings=seen)
    return ScoredPaper(paper=raw, relevance_score=score, relevance_reason="")


def mark(name: str, *, is_relevant: bool, title: str = "") -> MarkedPaper:
    return MarkedPaper(id=name, title=title or name, is_relevant=is_relevant)


def names(papers: list[ScoredPaper]) -> list[str]:
    return [judged_paper.paper.id for judged_paper in papers]


def test_the_order_of_a_single_source_is_kept():
    papers = [paper(f"p{n}", library=n) for n in range(4, 0, -1)]
    assert names(ResultRanker().order(papers)) == ["p1", "p2", "p3", "p4"]


def test_what_two_sources_agree_on_comes_before_what_one_has_a_little_higher():
    papers = [paper("one", openalex=2), paper("both", openalex=3, crossref=4)]
    assert names(ResultRanker().order(papers)) == ["both", "one"]


def test_words_do_not_touch_the_order_of_a_single_source():
    papers = [paper("first", 0.0, library=1), paper("second", 1.0, library=2)]
    assert names(ResultRanker().order(papers)) == ["first", "second"]


def test_likeness_to_the_question_does_not_touch_the_order_of_a_single_source():
    papers = [paper(f"p{n}", title=f"Rivers {n}", library=n) for n in range(1, 8)]
    papers.append(paper("meant", title="Bees", library=8))
    for ranker in (ResultRanker(), ResultRanker(lambda _, titles: [*range(len(titles))])):
        assert names(ranker.order(papers, question="bees"))[-1] == "meant"


def test_the_meaning_of_titles_votes_where_several_sources_answered():
    asked: list[tuple[str, Sequence[str]]] = []

    def likeness(question: str, titles: Sequence[str]) -> list[float]:
        asked.append((question, titles))
        return [float("hives" in title) for title in titles]

    papers = [paper(f"p{n}", title=f"Rivers of sand {n}", openalex=n) for n in range(1, 7)]
    papers += [paper("other", title="Sand", crossref=1), paper("meant", title="hives", crossref=2)]
    without = ResultRanker().order(papers, question="sand")
    ordered = ResultRanker(likeness).order(papers, question="sand")
    assert names(ordered).index("meant") < names(without).index("meant")
    assert asked == [("sand", [judged_paper.paper.title for judged_paper in without])]
    assert names(ResultRanker(lambda *_: ()).order(papers, question="sand")) == names(without)
    ResultRanker(likeness).order(papers)
    assert len(asked) == 1  # there is nothing to compare titles with


def test_the_first_hundred_titles_are_compared_and_the_order_below_them_stays():
    compared: list[str] = []

    def likeness(_: str, titles: Sequence[str]) -> list[float]:
        compared.extend(titles)
        return [float(place) for place in range(len(titles))]

    papers = [paper(f"p{n}", openalex=n) for n in range(1, COMPARED + 20)]
    papers.append(paper("other", crossref=500))
    without = names(ResultRanker().order(papers, question="sand"))
    ordered = names(ResultRanker(likeness).order(papers, question="sand"))
    assert len(compared) == COMPARED
    assert set(ordered[:COMPARED]) == set(without[:COMPARED])
    assert ordered[:COMPARED] != without[:COMPARED]
    assert ordered[COMPARED:] == without[COMPARED:]


def test_several_queries_to_one_source_are_no_agreement():
    twice = paper("twice", library=5)
    twice.paper.sightings.append(Sighting(source="library", query="other", rank=6))
    assert names(ResultRanker().order([twice, paper("once", library=4)])) == ["once", "twice"]


def test_without_ranks_the_score_by_words_orders():
    papers = [paper("low", 0.2), paper("high", 0.9)]
    assert names(ResultRanker().order(papers)) == ["high", "low"]


def test_only_ranks_for_what_was_asked_in_this_round_count():
    papers = [paper("then", library=1), paper("now", library=2)]
    papers[1].paper.sightings[0].query = "edited"
    asked = {("library", "edited")}
    assert names(ResultRanker().order(papers, asked=asked)) == ["now", "then"]


def graded(*scores: float) -> list[ScoredPaper]:
    return [paper(str(place), score) for place, score in enumerate(scores, start=1)]


def test_a_judge_that_grades_few_papers_high_moves_them_further_than_one_that_grades_most():
    assert names(by_grades(graded(*[0.0] * 9, 1.0, *[0.0] * 10)))[:2] == ["10", "1"]
    assert names(by_grades(graded(0.0, *[1.0] * 19)))[:2] == ["1", "2"]
    assert names(by_grades(graded(0.4, 0.4, 0.4, 0.4))) == ["1", "2", "3", "4"]
    assert names(by_grades(graded(0.0, 0.0, 0.5, 0.0, 0.0, 1.0))) == ["1", "3", "6", "2", "4", "5"]


def test_a_paper_without_a_grade_keeps_its_place_among_the_others():
    papers = graded(0.0, 1.0, 0.0, 1.0, 0.0)
    papers[1].is_judged = False
    assert names(by_grades(papers)) == ["1", "4", "2", "3", "5"]
    for verdict in papers:
        verdict.is_judged = False
    assert names(by_grades(papers)) == ["1", "2", "3", "4", "5"]


def test_marks_count_more_than_grades():
    marks = [mark("low", is_relevant=True), mark("best", is_relevant=False)]
    papers = [paper("best", 1.0), paper("middle", 0.0), paper("low", 0.0)]
    assert names(by_grades(papers, marks)) == ["low", "middle", "best"]


def test_marked_papers_stand_first_and_last():
    papers = [paper(f"p{n}", library=n) for n in range(1, 5)]
    marks = [mark("p4", is_relevant=True), mark("p1", is_relevant=False)]
    found = names(ResultRanker().order(papers, marks))
    assert found[0] == "p4"
    assert found[-1] == "p1"


def test_a_mark_on_a_merged_record_is_a_mark_on_the_paper():
    papers = [paper("one", library=1), paper("work", library=2)]
    papers[1].paper.merged_from = ["work", "record"]
    found = ResultRanker().order(papers, [mark("record", is_relevant=True)])
    assert names(found) == ["work", "one"]


def alike(prefix: str, words: str, first: int) -> list[ScoredPaper]:
    return [paper(f"{prefix}{n}", title=f"{words} part {n}", library=first + n) for n in range(6)]


def test_what_resembles_papers_marked_relevant_moves_up():
    papers = [*alike("soil", "soil erosion in vineyards", 1), *alike("bee", "honey bee dance", 7)]
    marks = [mark("bee0", is_relevant=True), mark("soil0", is_relevant=False)]
    unmarked = names(ResultRanker().order(papers, marks))[1:-1]
    assert all(name.startswith("bee") for name in unmarked[:5])


def test_a_mark_on_a_paper_that_is_not_among_these_is_learned_from():
    papers = [*alike("soil", "soil erosion in vineyards", 1), *alike("bee", "honey bee dance", 7)]
    marks = [
        mark("gone", is_relevant=True, title="honey bee dance language"),
        mark("other", is_relevant=False, title="soil erosion in hills"),
    ]
    assert names(ResultRanker().order(papers, marks))[0].startswith("bee")


def test_before_any_mark_what_resembles_the_first_papers_moves_up_a_little():
    first = alike("bee", "honey bee dance", 1)
    rest = [paper(f"x{n}", title=f"topic{n} matter{n % 7}", library=n) for n in range(7, 47)]
    like_the_first = paper("late", title="honey bee dance again", library=47)
    found = names(ResultRanker().order([*first, *rest, like_the_first]))
    assert found.index("late") < found.index("x46")
    assert found[0] == "bee0"


@given(st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), max_size=12), st.data())
def test_every_paper_comes_out_once(ranks, data):
    papers = [paper(f"p{n}", score, library=rank) for n, (rank, score) in enumerate(ranks)]
    marks = [
        mark(judged_paper.paper.id, is_relevant=data.draw(st.booleans()))
        for judged_paper in papers
        if data.draw(st.booleans())
    ]
    found = ResultRanker().order(papers, marks)
    assert sorted(names(found)) == sorted(names(papers))
