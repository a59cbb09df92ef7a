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


TWINS = [
    ("Blood pressure after exercise in old men", "Blood pressure after exercise in old women"),
    ("Management of hypotension in surgery", "Management of hypertension in surgery"),
    ("Stability of linear delay equations", "Stability of nonlinear delay equations"),
    ("Stability of linear delay equations", "Stability of non-linear delay equations"),
    ("Preoperative anxiety of cardiac patients", "Postoperative anxiety of cardiac patients"),
    ("Pre-operative anxiety of cardiac patients", "Post-operative anxiety of cardiac patients"),
    ("Malaria among children in Niger", "Malaria among children in Nigeria"),
    ("Effect of prednisone on bone density", "Effect of prednisolone on bone density"),
    ("Growth of tumour cells in vivo", "Growth of tumour cells in vitro"),
    ("Hip replacement with wound drainage", "Hip replacement without wound drainage"),
    ("Anti-inflammatory action of leptin in mice", "Pro-inflammatory action of leptin in mice"),
    ("Intracellular calcium in muscle fibres", "Intercellular calcium in muscle fibres"),
    ("Spectra of odd nuclei near closed shells", "Spectra of even nuclei near closed shells"),
    ("Outcome of upper limb fractures", "Outcome of lower limb fractures"),
    ("Infarction of the left ventricle", "Infarction of the right ventricle"),
    ("Malaria in pregnancy in rural Ghana", "Asymptomatic malaria in pregnancy in rural Ghana"),
    ("Nitrate in the groundwater of Kent", "Nitrite in the groundwater of Kent"),
    ("Oxides of cerium, part I", "Oxides of cerium, part II"),
    ("Vaccines against influenza type 1", "Vaccines against influenza type 2"),
    ("Adsorption of dyes on activated carbon", "Absorption of dyes on activated carbon"),
]
ISSUE = {"volume": "9", "issue": "2"}
PLACES: list[tuple[dict[str, str], dict[str, str]]] = [
    ({}, {}),
    (ISSUE | {"pages": "10-19"}, ISSUE | {"pages": "20-28"}),
    (ISSUE | {"pages": "S12"}, ISSUE | {"pages": "S12"}),
]  # fmt: skip


@pytest.mark.parametrize(
    "places", PLACES, ids=["no place", "another page", "one page of abstracts"]
)
@pytest.mark.parametrize(("one", "other"), TWINS)
def test_opposed_words_are_no_spelling(one, other, places):
    assert not are_one(paper("1", one, **places[0]), paper("2", other, **places[1]))


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


COMPANIONS = [
    # protocols
    "{}: study protocol",
    "{}: study protocol for a randomised controlled trial",
    "{}: protocol of a cluster-randomised trial",
    "Protocol for {}",
    "Study protocol: {}",
    "A protocol for a multicentre trial of {}",
    "{} (CANOPY): a trial protocol",
    "{}: protocol for a systematic review",
    "{}: a protocol for a feasibility study",
    "{}: Protokoll einer randomisierten Studie",
    "{} [protocol]",
    "{}: a planned multicentre trial",
    # rationale and design
    "Rationale and design of {}",
    "{}: rationale and design",
    "Rationale, design and methods of {}",
    "Design of {}",
    "Design and rationale of the CANOPY study: {}",
    "{}: study design",
    "{}: trial design and methods",
    "The design of a trial on {}",
    "{}: methods and design",
    "Design and baseline characteristics of {}",
    "{}: baseline characteristics of participants",
    "Baseline data of the CANOPY study: {}",
    "{}: study rationale",
    "{}: aims and methods",
    "{}: methods of a feasibility trial",
    # statistical plans
    "Statistical analysis plan for {}",
    "{}: statistical analysis plan",
    "{}: a statistical plan",
    "{}: the CANOPY trial. Update to the analysis plan",
    # corrections
    "{} (vol 12, pg 100, 2009)",
    "{} (vol 12, p 100, 2009)",
    "{} (volume 12, page 100, 2009)",
    "{} (vol 12, pg e100, 2009)",
    "Correction: {}",
    "Correction to: {}",
    "Author correction: {}",
    "Publisher's correction: {}",
    "Erratum: {}",
    "Erratum to: {}",
    "Corrigendum to {}",
    "{}: erratum",
    "{} [corrigendum]",
    "Addendum: {}",
    "{} [J Shade 31 (2013) 220-227]",
    "{} (Journal of Shade (2013) 31 (220-227))",
    # concern and retraction
    "Expression of concern: {}",
    "Editorial expression of concern: {}",
    "{} [expression of concern]",
    "Retraction: {}",
    "Retraction note: {}",
    "Notice of retraction: {}",
    # replies
    "{}: authors' reply",
    "Reply to: {}",
    "Re: {}",
    "Response to {}",
    "Comment on {}",
    "{}: reply",
    "In reply: {}",
    "Letter regarding {}",
]


@pytest.mark.parametrize("companion", COMPANIONS)
def test_a_companion_of_a_work_is_another_one_even_with_the_same_abstract(companion):
    title = "Shade trees and blood pressure in city streets"
    for rest in ({}, {"abstract": LONG}):
        outcome = resolved(paper("1", title, **rest), paper("2", companion.format(title), **rest))
        assert len(outcome.works) == 2
    assert len(outcome.uncertain) == 1, "one abstract: a person is asked"


# --- one page of a journal ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "numbers", [["1", "2", "3"], [None, None, None]], ids=["of issues", "of no issue"]
)
def test_editorials_on_page_5_of_every_issue_are_as_many_works(numbers):
    papers = [
        paper(str(n), "Editorial", authors=TEAM[:1], volume="12", issue=issue, pages="5-6")
        for n, issue in enumerate(numbers)
    ]
    assert len(resolved(*papers).works) == 3


# --- one text of one team -------------------------------------------------------------------------

LONG = " ".join(
    f"The {adjective} {noun} of {place} was measured with {tool} throughout one summer."
    for adjective, noun, place, tool in [
        ("mean", "temperature", "pavements", "thermometers"),
        ("daily", "humidity", "courtyards", "hygrometers"),
        ("lowest", "visibility", "avenues", "photometers"),
        ("highest", "noise", "crossings", "microphones"),
        ("weekly", "traffic", "bridges", "counters"),
        ("annual", "rainfall", "gardens", "gauges"),
    ]
)


# --- marks and notes ------------------------------------------------------------------------------

TITLE = "Gain of function in ageing mice"


@pytest.mark.parametrize(
    "noted",
    [
        f"{TITLE}1", f"{TITLE} 1", f"{TITLE}¹", f"{TITLE}*", f"{TITLE} †", f"{TITLE}. [20 refs]",
        f"{TITLE}. [Review] [20 refs]", f"{TITLE} [see comment]", f"{TITLE} [corrected]",
        f"{TITLE} [Article in German]", f"[{TITLE}] [German]", f"[{TITLE}]", f"{TITLE} [1]",
        f"{TITLE}. [Published erratum appears in J Mice 2001 May;3(2):44]",
    ],
)  # fmt: skip
def test_a_footnotes_mark_and_a_cataloguers_note_are_no_part_of_the_title(noted):
    assert are_one(paper("1", TITLE), paper("2", noted))
    for part in ("[Part 2]", "[II]", "[reply]", "2"):
        assert not are_one(paper("1", noted), paper("2", f"{TITLE} {part}"))


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
