"""The sample ships with vectors, and a result keeps the order that they give."""

from paper_search.library import Embedder
from paper_search.library.samples import SampleVectors, open_sample
from paper_search.models import RankedQuery, RawPaper, ScoredPaper, Sighting
from paper_search.skills.result_ranker import ResultRanker


def test_every_record_of_the_sample_has_its_vector(tmp_path):
    with open_sample(tmp_path, Embedder(SampleVectors(), model="minilm")) as sample:
        info = sample.info()
        assert (info.vectors.records, info.vectors.is_current) == (info.records, True)
        assert sample.embed().made == 0


def test_what_an_abbreviation_stands_for_is_ranked_by(tmp_path):
    with open_sample(tmp_path) as sample:
        query = RankedQuery(text="T2DM", long_forms=["type 2 diabetes"])
        titles = [paper.title.lower() for paper in sample.search_ranked(query, limit=5).papers]
    assert len(titles) == 5
    assert all("diabet" in title for title in titles)


def test_the_first_twenty_keep_an_order_by_vectors_and_words_order_the_rest():
    ships = [f"ships {n}" for n in range(20)]
    titles = [f"moss and peat {letter}" for letter in "abcde"]
    titles += [*ships[:10], "moss on peat", *ships[10:], "peat and moss"]

    def result(*, by_meaning: bool) -> list[str]:
        papers = []
        for rank, title in enumerate(titles, start=1):
            seen = Sighting(source="library", query="q", rank=rank, by_meaning=by_meaning)
            paper = RawPaper(id=title, title=title, source="library", sightings=[seen])
            papers.append(ScoredPaper(paper=paper, relevance_score=0.5, relevance_reason=""))
        ordered = ResultRanker().order(papers, question="moss on peat")
        return [scored.paper.title for scored in ordered]

    ordered = result(by_meaning=True)
    assert ordered[:20] == titles[:20]
    assert ordered.index("peat and moss") < titles.index("peat and moss")
    assert result(by_meaning=False).index("moss on peat") < titles.index("moss on peat")
