"""Works that are nearly alike stay two, and damaged records of one work become one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

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
def test_opposed_words_are_no_spelling(
    one: str, other: str, places: tuple[dict[str, str], dict[str, str]]
) -> None:
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
def test_a_slip_or_another_spelling_is_no_other_work(one: str, other: str) -> None:
    assert are_one(paper("1", one), paper("2", other))


def test_another_page_of_one_issue_is_another_work_if_the_titles_differ() -> None:
    here = {"volume": "9", "issue": "2"}
    one = paper("1", "Shade trees in city streets", pages="10-19", **here)
    other = paper("2", "Shade trees in city streets of Rome", pages="30-39", **here)
    assert not are_one(one, other)


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
def test_a_companion_of_a_work_is_another_one_even_with_the_same_abstract(companion: str) -> None:
    title = "Shade trees and blood pressure in city streets"
    for rest in ({}, {"abstract": LONG}):
        outcome = resolved(paper("1", title, **rest), paper("2", companion.format(title), **rest))
        assert len(outcome.works) == 2
    assert len(outcome.uncertain) == 1, "one abstract: a person is asked"


def test_an_equal_doi_does_not_make_one_work_of_two_parts_or_of_two_abstracts() -> None:
    title, doi = "Shade trees and blood pressure in city streets", {"doi": "10.1000/1"}
    pairs = [
        ({"title": f"{title}, part 1"}, {"title": f"{title}, part 2"}),
        ({"title": title, "abstract": LONG}, {"title": title, "abstract": WEAK}),
    ]
    for one, other in pairs:
        outcome = resolved(paper("1", **one, **doi), paper("2", **other, **doi))
        assert len(outcome.works) == 2
        assert len(outcome.uncertain) == 1


def test_one_long_abstract_wins_back_a_changed_title_of_the_same_team() -> None:
    one = paper("1", "Shade trees and blood pressure in city streets", abstract=LONG)
    other = {"year": 2013, "venue": "Heart", "authors": TEAM[:2], "abstract": LONG}
    assert are_one(one, paper("2", "What canopies do for the pavement", **other))


# --- one page of a journal ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "numbers", [["1", "2", "3"], [None, None, None]], ids=["of issues", "of no issue"]
)
def test_editorials_on_page_5_of_every_issue_are_as_many_works(numbers: list[str | None]) -> None:
    papers = [
        paper(str(n), "Editorial", authors=TEAM[:1], volume="12", issue=issue, pages="5-6")
        for n, issue in enumerate(numbers)
    ]
    assert len(resolved(*papers).works) == 3


def test_one_page_of_another_journal_is_another_page() -> None:
    place = {"volume": "12", "pages": "5"}
    one = paper("1", "News from the society", venue="Acta Botanica", **place)
    assert not are_one(one, paper("2", "News from the society", venue="Heart", **place))


def test_one_editorial_with_issue_and_venue_is_one() -> None:
    place = {"volume": "12", "issue": "3", "pages": "5-6"}
    one = paper("1", "Editorial", authors=TEAM[:1], **place)
    assert are_one(one, paper("2", "Editorial", authors=["Smith, A"], **place))


def test_two_abstracts_of_one_team_on_one_page_are_two_works() -> None:
    place = {"volume": "15", "pages": "78", "venue": "Pediatric Transplantation"}
    one = paper("1", "CD46-associated syndrome with an uncommon course", **place)
    other = paper("2", "Plasma exchange allows preservation of renal function", **place)
    assert not are_one(one, other)


# --- one text of one team -------------------------------------------------------------------------

WEAK = (
    "We prove weak convergence theorems for the partial sums of Vilenkin-Fourier series in the"
    " martingale Hardy spaces and show that the weights cannot be improved there."
)
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
OTHER_HALF = (
    " Interviews with residents described comfort. Planners then compared budgets, maintenance,"
    " irrigation, liability and species, which differed considerably between municipalities."
)


def test_abstracts_that_differ_in_the_words_of_the_titles_are_of_two_works() -> None:
    one = paper("1", "Weak convergence of partial sums of Vilenkin series", abstract=WEAK)
    strong = WEAK.replace("weak", "strong")
    other = paper("2", "Strong convergence of partial sums of Vilenkin series", abstract=strong)
    assert not are_one(one, other)
    bundle = "We study the Poisson geometry of the {} and classify its symplectic leaves."
    one = paper("1", "Geometry of the Poisson bundle", abstract=bundle.format("Poisson bundle"))
    text = bundle.format("cotangent bundle")
    assert not are_one(one, paper("2", "Geometry of the cotangent bundle", abstract=text))


def test_a_short_abstract_inside_a_long_one_is_no_proof() -> None:
    short = "The mean temperature of pavements was measured with thermometers in one summer."
    one = paper("1", "Cool pavements below planted trees", abstract=short)
    other = paper("2", "What planting does for noise and rainfall", abstract=LONG)
    assert not are_one(one, other)


@pytest.mark.parametrize("share", [0.6, 0.75])
def test_words_added_above_abstracts_that_are_half_alike_are_asked_about(share: float) -> None:
    words = LONG.split()
    text = " ".join(w if n % 20 < 20 * share else f"other{n}" for n, w in enumerate(words))
    one = paper("1", "Shade trees lower the temperature of streets", abstract=text)
    other = paper("2", "Shade trees lower the temperature of streets in dry cities", abstract=LONG)
    found = resolved(one, other)
    assert len(found.works) == 2
    assert [{item.one, item.other} for item in found.uncertain] == [{"1", "2"}]


def test_words_added_above_one_long_abstract_are_one_work() -> None:
    one = paper("1", "Shade trees lower the temperature of streets", abstract=LONG)
    longer = "Shade trees lower the temperature of streets in dry cities"
    assert are_one(one, paper("2", longer, abstract=LONG + OTHER_HALF))


def test_the_same_people_in_another_order_with_the_same_text_renamed_their_work() -> None:
    one = paper("1", "Trees cool streets", abstract=LONG)
    other = paper("2", "On the microclimate of avenues", abstract=LONG, authors=TEAM[::-1])
    assert are_one(one, other)


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
def test_a_footnotes_mark_and_a_cataloguers_note_are_no_part_of_the_title(noted: str) -> None:
    assert are_one(paper("1", TITLE), paper("2", noted))


@pytest.mark.parametrize(
    "title", [f"{TITLE} [Part 2]", f"{TITLE} [II]", f"{TITLE} [reply]", f"{TITLE} 2"]
)
def test_a_part_or_a_reply_in_brackets_is_another_work(title: str) -> None:
    assert not are_one(paper("1", TITLE), paper("2", title))


# --- reports of every year ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Annual report 2014", "Annual report 2015"),
        ("Progress in graphene electronics", "Progress in graphene electronics"),
        ("Annual report of the shade laboratory", "Annual report of the shade laboratory"),
        ("Cancer statistics for city dwellers", "Cancer statistics for city dwellers"),
    ],
)
def test_reports_of_one_team_in_two_years_are_two_works(one: str, other: str) -> None:
    assert not are_one(paper("1", one, year=2014), paper("2", other, year=2015))


def test_a_progress_report_with_a_page_in_two_years_is_one_work() -> None:
    place = {"volume": "7", "issue": "1", "pages": "11-19"}
    one = paper("1", "Progress in graphene electronics", year=2014, **place)
    assert are_one(one, paper("2", "Progress in graphene electronics", year=2015, **place))


# --- addresses ------------------------------------------------------------------------------------


def test_one_landing_page_names_no_work_and_one_file_does() -> None:
    page, file = "https://journal.org/current", "https://journal.org/files/7.pdf"
    titles = "Shade trees in streets", "The noise of crossings"
    assert not are_one(*(paper(str(n), title, url=page) for n, title in enumerate(titles)))
    assert are_one(*(paper(str(n), title, url=file) for n, title in enumerate(titles)))
    assert are_one(*(paper(str(n), title, full_text_url=page) for n, title in enumerate(titles)))


def test_a_file_of_three_titles_names_none_of_them() -> None:
    titles = "Insulin in mice at night", "Tractors and ploughs", "A history of Norwegian stamps"
    volume = "https://journal.org/proceedings.pdf"
    papers = [paper(str(n), title, full_text_url=volume) for n, title in enumerate(titles)]
    assert len(resolved(*papers).works) == 3


# --- a closer title never scores lower ------------------------------------------------------------

CLOSEST_FIRST = {
    "title": ["identical", "near", "close", "similar", "weak", "different"],
    "difference": ["spelling", "added", "replaced", "opposed"],
    "numerals": ["same", "one", "different"],
    "role": ["same", "different"],
    "abstract": ["identical", "same", "near", "similar", "related", "different"],
}
LEVELS = {
    **CLOSEST_FIRST,
    "title_length": ["long", "middle", "short", "tiny", "word", "generic"],
    "authors": ["all", "one name", "two names", "most", "some", "few", "none", "missing"],
    "first_author": ["same", "different", "missing"],
    "year": ["same", "off in one volume", "next", "near", "far", "missing", "both missing"],
    "venue": ["same", "partly", "different", "missing"],
    "kind": ["journal", "conference-journal", "journal-report", "report", "unknown"],
    "volume": ["same", "different", "missing"],
    "issue": ["same", "different", "missing"],
    "pages": ["same", "first", "last", "different", "missing"],
    "place": ["same page", "same issue", "other page", "other volume", "unknown"],
    "doi": ["same", "elsewhere", "different", "missing"],
    "ids": ["same", "different", "missing"],
}
PAIRS = st.fixed_dictionaries({field: st.sampled_from(item) for field, item in LEVELS.items()})


def score(levels: dict[str, str]) -> float:
    if levels["title"] == "identical":
        levels = {**levels, "difference": "none", "numerals": "same"}
    given = Comparison(**levels, title_similarity=0, author_overlap=0, abstract_overlap=0)
    return adjust(given, log_odds(given), is_doi_shared=False)


@given(PAIRS, st.sampled_from(sorted(CLOSEST_FIRST)))
@examples(400)
def test_a_closer_field_never_scores_lower_all_else_equal(
    levels: dict[str, str], field: str
) -> None:
    closest_first = CLOSEST_FIRST[field]
    if field == "difference" and levels["numerals"] == "one":
        # A number that is added to the same words names a part; in other words it need not.
        closest_first = [level for level in closest_first if level != "added"]
    scores = [score({**levels, field: level}) for level in closest_first]
    assert scores == sorted(scores, reverse=True)


def test_a_number_added_to_a_title_names_a_part_and_a_number_in_a_new_title_need_not() -> None:
    renamed = {
        "title": "near",
        "difference": "replaced",
        "numerals": "one",
        "role": "same",
        "abstract": "same",
        "title_length": "long",
        "authors": "all",
        "first_author": "same",
        "year": "same",
        "venue": "same",
        "kind": "journal",
        "volume": "missing",
        "issue": "missing",
        "pages": "missing",
        "place": "unknown",
        "doi": "missing",
        "ids": "missing",
    }
    assert score(renamed) > 0 > score({**renamed, "difference": "added"})


@given(st.permutations(range(6)), st.integers(1, 6))
@examples(60)
def test_each_further_slip_in_a_title_lowers_the_score_or_leaves_it(
    order: list[int], most: int
) -> None:
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
