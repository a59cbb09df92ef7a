"""Which pairs of sentences are put to the reader as opposed."""

import pytest
from tests.report.sources import evidence, source

from paper_search.report.answering import contradictions
from paper_search.report.passages import PassageFinder, content_stems

SUBJECT = "zinc and colds"


def opposed(one: str, other: str) -> list[tuple[str, str]]:
    finder = PassageFinder(evidence(source("Rowan", one), source("Birch", other)))
    found = contradictions(finder.passages(f"What is known on {SUBJECT}?"), content_stems(SUBJECT))
    return [(hit.one.text, hit.other.text) for hit in found]


@pytest.mark.parametrize(
    ("affirmed", "denied"),
    [
        ("Zinc is effective in colds.", "Neither zinc nor honey outperformed water in colds."),
        ("Zinc was superior to sugar in colds.", "Zinc had no effect on colds."),
        ("Zinc reduces the length of colds.", "Zinc did not reduce the length of colds."),
        ("Zinc was associated with shorter colds.", "Zinc was not associated with shorter colds."),
        ("Zinc prevents colds in winter.", "There is no evidence that zinc prevents winter colds."),
        (
            "Zinc increased the fever of children with colds.",
            "Zinc decreased the fever of children with colds.",
        ),
    ],
)
def test_opposite_verdicts_on_one_subject_are_named_the_affirming_one_first(affirmed, denied):
    assert opposed(affirmed, denied) == [(affirmed, denied)]
    assert opposed(denied, affirmed) == [(affirmed, denied)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zinc increased the price of colds.", "Zinc decreased the sleep of people with colds."),
        ("Zinc is effective in colds.", "The aim was to show that zinc is not effective in colds."),
        ("Zinc improves the taste in colds.", "Zinc did not reduce the length of colds."),
        ("Zinc is effective in colds.", "Zinc was given to people with colds."),
        (
            "Zinc reduced fever in colds.",
            "Zinc reduced fever in colds but did not reduce the cough of colds.",
        ),
        ("Zinc is effective in adults with colds.", "Zinc is not effective in infants with colds."),
    ],
    ids=[
        "of different things",
        "why it was studied",
        "another verb",
        "no verdict",
        "its own negation",
        "other people",
    ],
)
def test_sentences_that_are_not_opposed_are_not_named(one, other):
    assert opposed(one, other) == []


def test_a_sentence_is_named_in_one_pair_only():
    one = source("Rowan", "Zinc is effective in colds.")
    others = [source(n, f"Zinc had no effect on colds of {n}.") for n in ("Birch", "Hazel", "Yew")]
    found = contradictions(PassageFinder(evidence(one, *others)).passages("Zinc and colds?"))
    assert len(found) == 1
