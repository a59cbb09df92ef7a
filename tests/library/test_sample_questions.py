"""Ordinary questions to the sample that ships, judged by hand, find what fits them.

`sample_questions.json` names all records that fit a question, with their titles. They were marked
by reading what several wordings of the question and the words of titles and keywords find.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

import paper_search
from paper_search.config import AppConfig, load_config
from paper_search.library.samples import open_sample

FIRST, ENOUGH, PAGE = 10, 8, 20

Search = Callable[[str], Sequence[str]]
"""Returns the ids of the papers for a question, best first."""

MISSED_BY_WORDS = {
    "machine translation for low-resource languages",  # a title names a language of few speakers
    "heart disease of dogs",  # titles say mitral valve, and name the breed
    "Does GLP-1 protect the heart or the blood vessels?",  # titles say ischaemia, cardiac, plaque
    "Does cognitive behavioural therapy help children with anxiety?",  # adults come first
    "Markov chain Monte Carlo",  # titles say MCMC, Metropolis, Langevin; others quantum Monte Carlo
    "proof assistants such as Coq and Isabelle",  # others are in Agda, or mechanised
}
"""Questions that the library alone, which knows no synonyms, does not answer as it should."""


class Question(BaseModel):
    """A question as a user types it, and the titles of what fits it by id."""

    field: str
    question: str
    fits: dict[str, str]


QUESTIONS = [
    Question.model_validate(given)
    for given in json.loads(Path(__file__).with_name("sample_questions.json").read_text("utf-8"))
]


def shortfalls(search: Search) -> dict[str, str]:
    """Return the questions that are not answered as they must be, with what is wrong.

    Of eight fitting records or more eight must be among the first ten papers, of fewer all among
    the first twenty.
    """
    found = {}
    for question in QUESTIONS:
        shown = search(question.question)
        first = sum(paper in question.fits for paper in shown[:FIRST])
        page = sum(paper in question.fits for paper in shown[:PAGE])
        is_enough = first >= ENOUGH if len(question.fits) >= ENOUGH else page == len(question.fits)
        if not is_enough:
            found[question.question] = (
                f"{first} of the first {FIRST} and {page} of the first {PAGE} fit, "
                f"of {len(question.fits)} in the sample"
            )
    return found


@pytest.fixture(scope="module")
def home(unpacked_sample: Path) -> Path:
    return unpacked_sample.parent


def test_every_record_that_fits_is_in_the_sample_under_its_title(home):
    wanted = {paper: title for question in QUESTIONS for paper, title in question.fits.items()}
    with open_sample(home) as sample:
        assert {i: paper.title for i, paper in sample.get(wanted).items()} == wanted
    assert len(QUESTIONS) >= 30
    assert len({question.field for question in QUESTIONS}) >= 8


def test_the_library_answers_all_questions_but_those_that_need_synonyms(home):
    with open_sample(home) as sample:
        found = shortfalls(
            lambda question: [paper.id for paper in sample.search(question, limit=PAGE).papers]
        )
    unexpected = {asked: said for asked, said in found.items() if asked not in MISSED_BY_WORDS}
    assert unexpected == {}


@pytest.mark.slow
def test_find_answers_what_the_library_answers(home):
    config = load_config(home=home)
    found = shortfalls(lambda question: _found(question, config))
    assert {asked: said for asked, said in found.items() if asked not in MISSED_BY_WORDS} == {}


def _found(question: str, config: AppConfig) -> list[str]:
    """Return what a search without a model and without reviews shows."""
    collection = asyncio.run(paper_search.search(question, sources=["sample"], config=config))
    return [paper.id for paper in collection.papers]
