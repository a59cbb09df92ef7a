from __future__ import annotations

import pytest

from paper_search.skills.strategy.free_text import FeedbackTerms, terms_of_text


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
        ("focus on toxicity", FeedbackTerms(added=("toxicity",))),
    ],
)
def test_clauses_say_what_to_do_with_their_terms(text: str | None, terms: FeedbackTerms) -> None:
    assert terms_of_text(text) == terms
