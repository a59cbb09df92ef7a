"""Works that are nearly alike stay two, and damaged records of one work become one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.skills.deduplication.test_conflicts import LEVELS as ALL_LEVELS
from tests.skills.deduplication.test_conflicts import PLAIN

from paper_search.models import Author, Clustering, RawPaper
from paper_search.skills import Deduplicator
from paper_search.skills.deduplication.comparison import Comparison, log_odds
from paper_search.skills.deduplication.conflicts import adjust

TEAM = ["Ada Smith", "Bo Jensen", "Carla Meyer"]


def paper(name: str, title: str, **rest: Any) -> RawPaper:
    authors = [Author(name=item) for item in rest.pop("authors", TEAM)]
    values = {"year": 2012, "venue": "Journal of Shade", "source": "s"} | rest
    return RawPaper(id=name, title=title, authors=authors, **values)


def resolved(*papers: RawPaper) -> Clustering:
    return Deduplicator().cluster(papers)


def are_one(one: RawPaper, other: RawPaper) -> bool:
    return len(resolved(one, other).works) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anaemia of the newborn in tropical centres", "Anemia of the newborn in tropical centers"),
        ("Modelling behaviour of colour vision", "Modeling behavior of color vision"),
        ("Data base systems for on-line queries", "Database systems for online queries"),
        ("Prognosis of bleomycin lung", "Prognosis of bleomycoin lung"),
        ("Judgement of distance in birds", "Judgment of distances in birds"),
        ("Modern networks of learning machines", "Modem networks of leaming machines"),
        ("The development of infant vision", "The developmoent of infant vision"),
        ("Nonlinear waves in shallow channels", "Non-linear waves in shallow channels"),
        ("Godel numbering of formal systems", "Gödel numbering of formal systems"),
    ],
)
def test_a_slip_or_another_spelling_is_no_other_work(one, other):
    assert are_one(paper("1", one), paper("2", other))


@pytest.mark.parametrize("abstract", [None, "Maples shade more than limes do. " * 20])
def test_records_of_nothing_but_one_title_and_one_abstract_are_one(abstract):
    bare = {"authors": [], "year": None, "venue": None, "abstract": abstract}
    title = "What canopies do for pavements in towns"
    assert are_one(paper("1", title, **bare), paper("2", title, **bare))
    assert not are_one(paper("1", "Editorial", **bare), paper("2", "Sleep", **bare))


# --- a closer title never scores lower ------------------------------------------------------------

CLOSEST_FIRST = {
    "title": ["identical", "near", "close", "similar", "weak", "different"],
    "difference": ["spelling", "added", "replaced", "opposed"],
    "numerals": ["same", "one", "different"],
    "role": ["same", "different"],
    "abstract": ["identical", "same", "near", "similar", "related", "different"],
}
KINDS = ["journal", "conference-journal", "journal-report", "report", "unknown"]
LEVELS = {**ALL_LEVELS, **CLOSEST_FIRST, "kind": KINDS}
PAIRS = st.fixed_dictionaries({field: st.sampled_from(item) for field, item in LEVELS.items()})


def score(levels: dict[str, str]) -> float:
    if levels["title"] == "identical":
        levels = {**levels, "difference": "none", "numerals": "same"}
    given = Comparison(**levels, title_similarity=0, author_overlap=0, abstract_overlap=0)
    return adjust(given, log_odds(given), is_doi_shared=False)


@given(PAIRS, st.sampled_from(sorted(CLOSEST_FIRST)))
@examples(400)
def test_a_closer_field_never_scores_lower_all_else_equal(levels, field):
    closest_first = CLOSEST_FIRST[field]
    if field == "difference" and levels["numerals"] == "one":
        # A number that is added to the same words names a part; in other words it need not.
        closest_first = [level for level in closest_first if level != "added"]
    scores = [score({**levels, field: level}) for level in closest_first]
    assert scores == sorted(scores, reverse=True)


def test_a_number_added_to_a_title_names_a_part_and_a_number_in_a_new_title_need_not():
    plain = {field: str(level) for field, level in PLAIN._asdict().items() if field in LEVELS}
    renamed = {**plain, "difference": "replaced", "numerals": "one", "abstract": "same"}
    assert score(renamed) > 0 > score({**renamed, "difference": "added"})


@given(st.permutations(range(6)), st.integers(1, 6))
@examples(60)
def test_each_further_slip_in_a_title_lowers_the_score_or_leaves_it(order, most):
    words = ["Temperature", "measurements", "beneath", "planted", "canopies", "downtown"]
    last = 1.0
    for number in range(most):
        word = words[order[number]]
        words[order[number]] = f"{word[:3]}{word[4:]}"
        found = resolved(paper("1", "Temperature measurements beneath planted canopies downtown"),
                         paper("2", " ".join(words)))  # fmt: skip
        pairs = [
            *(merge for cluster in found.clusters for merge in cluster.merges),
            *found.uncertain,
        ]
        confidence = pairs[0].confidence if pairs else 0.0
        assert confidence <= last
        last = confidence
