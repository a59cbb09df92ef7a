"""Papers, verdicts and collections."""

import math
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from paper_search import models

STRATEGY = models.SearchStrategy(queries=[], sources=[], filters=models.SearchConstraints())


def paper(**fields: Any) -> models.Paper:
    return models.Paper(**{"id": "i", "title": "t", "source": "s", "authors": [], **fields})


def record(**fields: Any) -> models.RawPaper:
    return models.RawPaper(**{"id": "r", "title": "t", "source": "s", **fields})


def verdict(score: Any, known: models.RawPaper | None = None, **fields: Any) -> models.ScoredPaper:
    scored = {"paper": known or record(), "relevance_score": score, "relevance_reason": "r"}
    return models.ScoredPaper(**scored, **fields)


def test_tags_are_those_of_the_interface():
    tags = "method review empirical theoretical dataset"
    assert [member.value for member in models.PaperTag] == tags.split()


def test_a_record_needs_title_and_source_only():
    record = models.RawPaper(title="t", source="s")
    assert str(uuid.UUID(record.id)) == record.id
    assert record.id != models.RawPaper(title="t", source="s").id
    assert (record.authors, record.citation_count, record.raw_data) == ([], 0, {})
    for name in ("doi", "abstract", "snippet", "year", "venue", "full_text_url", "bibtex"):
        assert getattr(record, name) is None
    for model, fields in (
        (models.RawPaper, {"title": "t"}),
        (models.RawPaper, {"source": "s"}),
        (models.Paper, {"id": "i", "title": "t", "source": "s"}),
    ):
        with pytest.raises(ValidationError):
            model(**fields)


@pytest.mark.parametrize("model", [models.RawPaper, models.Paper])
def test_unknown_fields_are_ignored(model):
    each = model(id="i", title="t", source="s", authors=[], surprise=1)
    assert not hasattr(each, "surprise")


@pytest.mark.parametrize("score", [0, 1, 0.5])
def test_a_score_is_between_zero_and_one(score):
    assert verdict(score).relevance_score == score


@pytest.mark.parametrize("score", [-0.01, 1.01, math.nan, math.inf, -math.inf, None, "high"])
def test_what_is_no_score_is_refused(score):
    with pytest.raises(ValidationError):
        verdict(score)
    with pytest.raises(ValidationError):
        paper(relevance_score=score)


def test_a_paper_has_all_of_its_record_and_its_verdict():
    known = record(
        doi="10.1/x", authors=[models.Author(name="n", author_id="1")], year=2020, citation_count=3,
        arxiv_id="2001.00001", merged_from=["a", "b"], is_retracted=True,
    )  # fmt: skip
    whole = models.Paper.from_scored(
        verdict(0.5, known, tags=[models.PaperTag.REVIEW], is_judged=False)
    )
    for name in models.BibliographicRecord.model_fields:
        assert getattr(whole, name) == getattr(known, name)
    assert (whole.id, whole.relevance_score, whole.relevance_reason) == ("r", 0.5, "r")
    assert (whole.tags, whole.is_judged) == ([models.PaperTag.REVIEW], False)


def test_metadata_is_stamped_with_the_time_in_utc():
    metadata = models.SearchMetadata(query="q", search_strategy=STRATEGY, total_found=0)
    assert datetime.fromisoformat(metadata.timestamp).utcoffset() == timedelta(0)


def _collection(**fields: Any):
    metadata = models.SearchMetadata(
        query="q", search_strategy=STRATEGY, total_found=0, timestamp="now"
    )
    return models.PaperCollection(
        **{"metadata": metadata, "papers": [], "facets": models.Facets()} | fields
    )


def test_how_a_run_ended_is_not_content():
    assert _collection(ended_by=models.EndReason.APPROVED) == _collection()
    assert _collection(papers=[paper()]) != _collection()
    assert _collection() != "a collection"


def test_the_text_of_a_record_is_its_abstract_and_its_keywords():
    known = record(snippet="short", keywords=["graphs", "trees"])
    assert known.text == "short\ngraphs; trees"
    assert known.model_copy(update={"abstract": "long"}).text == "long\ngraphs; trees"
    assert record().text is None
    assert paper(keywords=["graphs"]).text == "graphs"


@pytest.mark.parametrize("make", [record, paper])
def test_a_count_that_no_source_says_is_unknown_and_stays_so(make):
    unknown, zero = make(id="1"), make(id="1", citation_count=0)
    assert (unknown.citation_count, unknown.known_citation_count) == (0, None)
    assert (zero.citation_count, zero.known_citation_count) == (0, 0)
    assert unknown.model_dump(mode="json")["citation_count"] is None
    assert zero.model_dump(mode="json")["citation_count"] == 0
    for model in (unknown, zero):
        for again in (
            type(model).model_validate_json(model.model_dump_json()),
            type(model).model_validate(model.set_fields() | {"id": "1"} | {"authors": []}),
            model.model_copy(update={"year": 2020}),
        ):
            assert again.known_citation_count == model.known_citation_count


def test_a_scored_paper_knows_what_its_record_knows_of_citations():
    for count in (None, 0, 3):
        scored = verdict(0.5, record(citation_count=count))
        assert models.Paper.from_scored(scored).known_citation_count == count


@pytest.mark.parametrize(
    "given",
    [
        record(),
        record(title="", source="", citation_count=0, authors=[models.Author(name="A")]),
        record(citation_count=7, is_retracted=False, year=0),
        record(raw_data={"a": None, "b": []}, abstract=""),
        record(versions=[models.Version(ids=["r"], year=1999)]),
        record(sightings=[models.Sighting(source="s", rank=1)]),
        paper(screening=models.ScreeningDecision(reason="x")),
        paper(authors=[models.Author(name="A", given="B")], is_judged=False),
    ],
)
def test_what_is_said_of_a_record_is_what_is_not_at_its_default(given):
    said = given.model_dump(mode="json", exclude_defaults=True)
    said.pop("citation_count", None)
    if given.known_citation_count is not None:
        said["citation_count"] = given.known_citation_count
    assert {"authors": [], **given.set_fields()} == {"authors": [], **said}
    assert type(given).model_validate({"authors": []} | given.set_fields()) == given


def test_an_order_is_called_after_its_scores_only_if_they_fall():
    def order(*scores: float, **rest: Any) -> str:
        papers = [paper(id=str(n), relevance_score=s, **rest) for n, s in enumerate(scores)]
        return str(_collection(papers=papers).order)

    assert order(0.9, 0.4, 0.4) == "highest score first"
    assert order(0.7, 0.3, 0.6) == "by rank and similarity"
    grades = [models.Grade(criterion=models.Criterion(text="c"), grade=2)]
    assert order(0.7, 0.3, 0.6, grades=grades) == "by rank and grades"
