from __future__ import annotations

import pytest

from paper_search.models import MarkedPaper
from paper_search.skills.feedback_terms import FeedbackTerms, terms_of_marks, terms_of_text


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (None, FeedbackTerms()),
        ("", FeedbackTerms()),
        ("good", FeedbackTerms()),
        ("too broad, try again please", FeedbackTerms()),
        ("only randomised trials", FeedbackTerms(required=("randomised trials",))),
        ("exclude animal studies", FeedbackTerms(excluded=("animal",))),
        ("more about toxicity", FeedbackTerms(added=("toxicity",))),
        (
            "exclude mice and rats; only children, more about toxicity",
            FeedbackTerms(required=("children",), excluded=("mice", "rats"), added=("toxicity",)),
        ),
        ("more on mice but not mice", FeedbackTerms(excluded=("mice",))),
        ("只要儿童，不要动物", FeedbackTerms(required=("儿童",), excluded=("动物",))),
    ],
)
def test_clauses_say_what_to_do_with_their_terms(text: str | None, terms: FeedbackTerms) -> None:
    assert terms_of_text(text) == terms


def mark(title: str, *, is_relevant: bool, abstract: str | None = None) -> MarkedPaper:
    return MarkedPaper(id=title, title=title, abstract=abstract, is_relevant=is_relevant)


def test_shared_terms_need_two_relevant_papers() -> None:
    marks = [
        mark("Quantum dots in solar cells", is_relevant=True),
        mark("Lead-free quantum dots", is_relevant=True),
    ]
    assert terms_of_marks(marks) == ["quantum dots"]


def test_terms_of_irrelevant_papers_and_known_concepts_are_left_out() -> None:
    marks = [
        mark("Quantum dots for perovskite stability", is_relevant=True),
        mark("Perovskite stability with quantum dots", is_relevant=True),
        mark("Quantum dots in displays", is_relevant=False),
    ]
    assert terms_of_marks(marks, ["stability"]) == ["perovskite stability"]


def test_without_relevant_marks_nothing_is_learnt() -> None:
    assert terms_of_marks([mark("Quantum dots", is_relevant=False)]) == []
    assert terms_of_marks([]) == []
