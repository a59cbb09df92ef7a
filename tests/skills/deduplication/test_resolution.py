"""Which records become one work, by what they say, by what a person says, and what is asked."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.skills.obedience import obedient_answer

from paper_search.models import Author, MergeDecision, MergeReason, RawPaper
from paper_search.skills import Deduplicator
from paper_search.testing.llm import FakeLLM

TITLE = "Learning molecular representations with message passing networks"
ABSTRACT = (
    "We study how messages that atoms pass along chemical bonds describe a molecule as a whole. "
    * 3
)
OTHER_ABSTRACT = "Tractors compact wet soil; early ploughing in winter costs some harvest. " * 3


def paper(name: str, **rest: Any) -> RawPaper:
    authors = rest.pop("authors", ["Ada Smith", "Bo Jensen", "Carla Meyer"])
    values = {"title": TITLE, "year": 2020, "source": "s"} | rest
    return RawPaper(id=name, authors=[Author(name=author) for author in authors], **values)


def is_one(first: dict[str, Any], second: dict[str, Any]) -> bool:
    found = Deduplicator().cluster([paper("1", **first), paper("2", **second)])
    return len(found.works) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"doi": "10.1000/abc"}, {"doi": "https://doi.org/10.1000/ABC.", "title": "Molecules"}),
        ({"title": TITLE.upper()}, {"authors": ["SMITH A", "JENSEN B", "MEYER C"]}),
        ({"title": TITLE.replace("molecular", "moleculer")}, {}),
        ({"title": f"<b>{TITLE}</b>"}, {}),
        ({"title": f"{TITLE}: a study of ten benchmarks"}, {}),
        ({"authors": ["Smith, A.", "Jensen, B.", "Meyer, C."]}, {}),
        ({"authors": ["Smith A, Jensen B, Meyer C"]}, {}),
        ({"authors": []}, {}),
        ({"year": None}, {}),
        ({"venue": "J. Chem. Phys.", "volume": "3", "pages": "11-9"},
         {"venue": "Journal of Chemical Physics", "volume": "3", "pages": "11--19", "year": 2021}),
        ({"doi": "10.1000/a", "venue": "V", "volume": "2", "pages": "5-9"},
         {"doi": "10.2000/b", "venue": "V", "volume": "2", "pages": "5-9"}),
        ({"title": "Editorial", "venue": "Nature", "volume": "3", "issue": "4", "pages": "1-2"},
         {"title": "Editorial", "venue": "Nature", "volume": "3", "issue": "4", "pages": "1-2"}),
        ({"venue": "PLoS ONE", "volume": "13", "issue": "10", "pages": "e0204991"},
         {"venue": "PLOS ONE", "volume": "13", "issue": "10", "pages": "1-14"}),
        ({"title": "Quiet rivers", "authors": ["D Olsen"]},
         {"title": "Quiet rivers: mills and trade in a northern valley since the great flood",
          "authors": ["Olsen, Dora"]}),
        ({"title": f"{TITLE} [version 1; peer review: 1 approved]"}, {"title": TITLE}),
        ({"title": f"{TITLE} at (2)center dot 3H(2)"}, {"title": f"{TITLE} at 2·3H2"}),
    ],
)  # fmt: skip
def test_records_of_one_work_are_one(first, second):
    assert is_one(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"title": f"{TITLE}, part 1"}, {"title": f"{TITLE}, part 2"}),
        ({"title": f"{TITLE}. I"}, {"title": f"{TITLE}. II"}),
        ({"title": f"{TITLE} 2019"}, {"title": f"{TITLE} 2020", "year": 2021}),
        ({"title": f"Erratum: {TITLE}"}, {}),
        ({"title": f"Reply to: {TITLE}"}, {}),
        ({"title": f"Comment on {TITLE}", "authors": ["Dora Olsen"]}, {}),
        ({"title": "Editorial", "year": 2019}, {"title": "Editorial"}),
        ({"title": "Introduction", "authors": []}, {"title": "Introduction", "authors": []}),
        ({"title": "Annual report", "year": 2019}, {"title": "Annual report"}),
        ({"authors": ["Dora Olsen", "Per Holm"]}, {}),
        ({"venue": "Heart", "volume": "3", "issue": "1", "pages": "10-19"},
         {"venue": "Heart", "volume": "3", "issue": "6", "pages": "616"}),
        ({"venue": "Diabetologia", "volume": "53", "pages": "S72", "abstract": ABSTRACT},
         {"venue": "Diabetes", "volume": "59", "pages": "A254", "abstract": ABSTRACT}),
        ({"doi": "10.1000/s1", "title": "Ploughing in winter", "authors": ["Dora Olsen"]},
         {"doi": "10.1000/s1"}),
        ({"doi": "10.1000/s1", "title": "Ploughing in winter", "volume": "3", "pages": "S8",
          "authors": ["Ada Smith", "Dora Olsen"]},
         {"doi": "10.1000/s1", "volume": "3", "pages": "S9"}),
        ({"title": "Quiet rivers: mills and trade in a northern valley since the great flood"},
         {"title": "Quiet rivers: an atlas"}),
        ({"title": "", "authors": []}, {"title": "", "authors": []}),
        ({"title": "???", "authors": []}, {"title": "...", "authors": []}),
    ],
)  # fmt: skip
def test_works_that_only_look_alike_stay_apart(first, second):
    assert not is_one(first, second)


def test_a_record_with_the_doi_of_its_neighbour_does_not_join_the_two():
    there = {"venue": "Heart", "volume": "3", "issue": "1"}
    one = paper("1", doi="10.1000/s1", pages="10-19", **there)
    same = paper("2", doi="10.1000/s2", pages="10-19", **there)
    ploughing = {"title": "Ploughing in winter", "authors": ["Ada Smith", "Dora Olsen"]}
    other = paper("3", doi="10.1000/s2", pages="20-29", **there, **ploughing)
    assert Deduplicator().cluster([one, same, other]).works == [[0], [1]]
    assert Deduplicator().cluster([one, same, other]).clusters[0].ids == ["1", "2"]


def test_every_merge_says_why():
    one = paper("1", doi="10.1000/abc", pmid="7", abstract=ABSTRACT, venue="V")
    other = paper("2", doi="10.1000/ABC", pmid="7", abstract=ABSTRACT, venue="V")
    [cluster] = Deduplicator().cluster([one, other]).clusters
    [merge] = cluster.merges
    assert (merge.reason, cluster.members, cluster.ids) == (
        MergeReason.IDENTIFIER,
        [0, 1],
        ["1", "2"],
    )
    assert merge.identifiers == ["doi:10.1000/abc", "pmid:7"]
    assert merge.title_similarity == merge.author_overlap == merge.abstract_overlap == 1.0
    assert merge.fields["year"] == merge.fields["venue"] == "same"
    renamed = other.model_copy(update={"title": f"{other.title}: a reprint"})
    [cluster_of_renamed] = Deduplicator().cluster([one, renamed]).clusters
    assert 0 < cluster_of_renamed.merges[0].title_similarity < 1
    assert cluster.confidence == merge.confidence > 0.99
    [again] = Deduplicator().cluster([one, other.model_copy(update={"doi": "10.2000/x"})]).clusters
    assert again.merges[0].identifiers == ["pmid:7"]
    assert merge.summary.startswith("same doi:10.1000/abc; same pmid:7; title 100% alike")
    [by_content] = Deduplicator().cluster([paper("1"), paper("2")]).clusters[0].merges
    assert by_content.reason is MergeReason.CONTENT
    assert 0.7 < by_content.confidence < 0.999


def decision(one: str, other: str, *, is_same: bool) -> MergeDecision:
    return MergeDecision(one=one, other=other, is_same=is_same)


def test_a_person_splits_what_would_be_merged_and_is_not_asked_again():
    papers = [paper("1", doi="10.1000/abc"), paper("2", doi="10.1000/abc")]
    found = Deduplicator().cluster(papers, [decision("2", "1", is_same=False)])
    assert found.works == [[0], [1]]
    assert found.uncertain == []


def test_a_person_merges_what_nothing_speaks_for():
    papers = [paper("1"), paper("2", title="Ploughing in winter", authors=["Dora Olsen"], year=1)]
    found = Deduplicator().cluster(papers, [decision("1", "2", is_same=True)])
    assert found.clusters[0].merges[0].reason is MergeReason.PERSON
    assert found.clusters[0].confidence == 1.0


def test_a_later_decision_undoes_an_earlier_one():
    papers = [paper("1"), paper("2")]
    said = [decision("1", "2", is_same=False), decision("2", "1", is_same=True)]
    assert len(Deduplicator().cluster(papers, said).works) == 1
    assert len(Deduplicator().cluster(papers, said[::-1]).works) == 2


def test_a_decision_holds_for_what_was_merged_into_a_record_and_unknown_ids_are_ignored():
    papers = [paper("new", merged_from=["old", "new"]), paper("2")]
    said = [decision("old", "2", is_same=False), decision("ghost", "2", is_same=True)]
    assert len(Deduplicator().cluster(papers, said).works) == 2


ARTICLE = {"venue": "Journal of Physics", "year": 2021, "volume": "3", "pages": "110-139"}
REVERSED = ["Carla Meyer", "Bo Jensen", "Ada Smith"]
LONG = f"{TITLE} in the frozen north"
BY_PUBLISHERS = (
    {"title": LONG, "venue": "Proceedings of the Congress on Shade", "doi": "10.1109/a"},
    {"title": LONG, "venue": "Journal of Shade", "doi": "10.1016/b"},
)


@pytest.mark.parametrize(
    ("early", "late", "are_versions"),
    [
        ({"venue": "arXiv", "doi": "10.48550/arXiv.1901.00001", "year": 2018},
         {"venue": "J. Chemical Physics", "doi": "10.1063/1.5", "volume": "3"}, True),
        ({"venue": "Proceedings of the Conference on Chemistry", "year": 2019, "pages": "1-9"},
         ARTICLE, True),
        ({"venue": "Proceedings of the Annual Meeting", "year": 2019, "pages": "A77"},
         ARTICLE, False),
        (*BY_PUBLISHERS, True),
        (*({**one, "abstract": ABSTRACT} for one in BY_PUBLISHERS), True),
        ({"venue": "NBER Working Papers", "doi": "10.3386/w25", "year": 2018},
         {**ARTICLE, "doi": "10.1257/5"}, True),
        ({"publication_type": "report", "year": 2018}, ARTICLE, True),
        ({"publication_type": "preprint", "year": 2018}, ARTICLE, True),
        ({"publication_type": "preprint", "year": 2017}, ARTICLE, True),
        ({"publication_type": "preprint", "year": 2016}, ARTICLE, False),
        ({"doi": "10.2139/ssrn.5", "year": 2015, "abstract": ABSTRACT, "authors": REVERSED},
         {**ARTICLE, "doi": "10.1257/5", "abstract": ABSTRACT}, True),
        ({"doi": "10.1101/2020.01.02.345"}, {"doi": "10.1101/gr.345.1"}, True),
    ],
)  # fmt: skip
def test_a_preprint_or_a_talk_is_a_version_of_its_article_which_stands_in_front(
    early, late, are_versions
):
    found = Deduplicator().cluster([paper("1", **early), paper("2", **late)])
    assert found.works == ([[1, 0]] if are_versions else [[0], [1]])
    assert [link.reason for link in found.versions] == [MergeReason.VERSION] * are_versions
    assert not (are_versions and found.uncertain)


DATA = {"title": LONG, "publication_type": "dataset"}


@pytest.mark.parametrize(
    ("one", "other", "are_versions"),
    [
        ({"year": 2018, "abstract": ABSTRACT, "authors": REVERSED},
         {**ARTICLE, "abstract": ABSTRACT}, True),
        ({"year": 2018}, ARTICLE, False),
        ({**DATA, "title": f"{LONG} (v1.0)", "doi": "10.5281/zenodo.51"},
         {**DATA, "title": f"{LONG}, version 2", "doi": "10.5281/zenodo.66", "year": 2022}, True),
        ({**DATA, "doi": "10.5281/zenodo.51"}, {"title": LONG, "doi": "10.5281/zenodo.66"}, False),
        ({**DATA, "doi": "10.5281/zenodo.51"},
         {**DATA, "doi": "10.5281/zenodo.66", "year": 2022}, False),  # one each year
        ({**DATA, "title": f"{LONG} 1990", "doi": "10.5281/zenodo.51"},
         {**DATA, "title": f"{LONG} 1991", "doi": "10.5281/zenodo.66"}, False),
        ({"title": f"{LONG} (v1)", "doi": "10.5281/a"}, {"title": f"{LONG} (v2)"}, False),
        ({"doi": "10.12688/f1000research.52.1"}, {"doi": "10.12688/f1000research.52.2"}, True),
        ({"doi": "10.21203/rs.3.rs-52/v1"}, {"doi": "10.21203/rs.3.rs-52/v2"}, True),
        ({"doi": "10.21203/rs.3.rs-52/v1"}, {"doi": "10.21203/rs.3.rs-53/v1"}, False),
        ({"doi": "10.1000/s.52.1"}, {"doi": "10.1000/s.52.2"}, False),
    ],
)  # fmt: skip
def test_copies_of_an_article_and_numbered_versions_are_one_work(one, other, are_versions):
    found = Deduplicator().cluster([paper("1", **one), paper("2", **other)])
    assert len(found.works) == 2 - are_versions
    assert len(found.versions) == are_versions


def test_a_long_title_with_a_page_an_issue_and_a_length_is_not_a_column():
    there = {"venue": "PLoS ONE", "volume": "13", "issue": "10"}
    places = [{"pages": "e0204991"}, {"pages": "1-14"}, {}]
    papers = [paper(str(n), **there, **place) for n, place in enumerate(places)]
    assert len(Deduplicator().cluster(papers).works) == 1
    issues = [{**there, "issue": str(n)} for n in range(1, 4)]
    papers = [paper(str(n), **issue) for n, issue in enumerate(issues)]
    assert len(Deduplicator().cluster(papers).works) == 3


async def test_the_record_of_a_work_describes_its_best_version_and_lists_all():
    preprint = paper(
        "1", venue="arXiv", doi="10.48550/arXiv.1901.00001", arxiv_id="1901.00001", year=2018,
        abstract=ABSTRACT, full_text_url="https://arxiv.org/pdf/1901.00001",
    )  # fmt: skip
    article = paper("2", venue="Journal of Chemical Physics", doi="10.1063/1.5", volume="3")
    [whole] = await Deduplicator().deduplicate([preprint, article])
    assert (whole.doi, whole.year, whole.venue) == ("10.1063/1.5", 2020, article.venue)
    assert (whole.arxiv_id, whole.abstract) == ("1901.00001", ABSTRACT)
    assert [version.ids for version in whole.versions] == [["2"], ["1"]]
    assert whole.versions[1].doi == preprint.doi
    assert whole.merged_from == ["1", "2"]


NASTY_TITLES = st.one_of(
    st.sampled_from(
        [
            "", " ", "Editorial", TITLE, TITLE.upper(), f"<i>{TITLE}</i>", "图神经网络的研究",
            r"$\frac{a}{b}$ \unknown{", "x" * 5_000, "((((", "[Erratum", "a\x00b", "10.1000/a", "1",
            "GÃ¶del", "\ufffd\ud800",
        ]
    ),
    st.text(max_size=20),
)  # fmt: skip
NASTY = st.builds(
    RawPaper,
    id=st.sampled_from("abcdef"),
    title=NASTY_TITLES,
    authors=st.lists(
        st.builds(Author, name=st.sampled_from(["", ",", "Ada Smith", "Smith, A", "王伟", "?sa"])),
        max_size=3,
    ),
    year=st.sampled_from([None, -5, 0, 2019, 2020, 99999]),
    source=st.sampled_from(["s", "t"]),
    doi=st.sampled_from(
        [None, "", "10.1000/a", "doi:10.1000/A.", "10.1000/b", "??", "10.48550/arXiv.2101.00001v2"]
    ),
    arxiv_id=st.sampled_from([None, "2101.00001", "arXiv:2101.00001v3", "??"]),
    pmid=st.sampled_from([None, "5", "x"]),
    url=st.sampled_from([None, "https://a.org/x", "http://[broken"]),
    pages=st.sampled_from([None, "", "1-9", "S12", "-", "9" * 50]),
    volume=st.sampled_from([None, "1", "v)", "²"]),
    issue=st.sampled_from([None, "²", "Suppl 1", "000"]),
    venue=st.sampled_from([None, "", "arXiv", "Proc. of", "Nature", ":"]),
    abstract=st.sampled_from([None, "", ABSTRACT, OTHER_ABSTRACT]),
)  # fmt: skip


@given(st.lists(NASTY, max_size=9), st.integers())
@examples(150)
def test_no_record_is_lost_and_order_changes_no_cluster(papers, seed):
    places = random.Random(seed).sample(range(len(papers)), len(papers))  # noqa: S311  # no secret

    def content(members: list[int], batch: list[RawPaper]) -> list[str]:
        return sorted(repr(batch[member]) for member in members)

    found = Deduplicator().cluster(papers)
    again = Deduplicator().cluster(shuffled := [papers[place] for place in places])
    assert sorted(place for cluster in found.clusters for place in cluster.members) == sorted(
        places
    )
    assert sorted(place for work in found.works for place in work) == list(
        range(len(found.clusters))
    )
    assert all(len(cluster.merges) == len(cluster.members) - 1 for cluster in found.clusters)
    assert sorted(content(work, papers) for work in found.works_by_members()) == sorted(
        content(work, shuffled) for work in again.works_by_members()
    )


@given(st.lists(NASTY, max_size=7), st.lists(st.tuples(*[st.sampled_from("abcdef")] * 2)))
@examples(60)
def test_a_persons_splits_always_hold(papers, pairs):
    papers = list({work.id: work for work in papers}.values())
    said = [decision(one, other, is_same=False) for one, other in pairs if one != other]
    found = Deduplicator().cluster(papers, said)
    work_of = {papers[p].id: n for n, work in enumerate(found.works_by_members()) for p in work}
    for message in said:
        if message.one in work_of and message.other in work_of:
            assert work_of[message.one] != work_of[message.other]


@given(st.lists(NASTY, min_size=2, max_size=7), st.randoms())
@examples(100)
async def test_every_record_is_named_in_what_comes_out_whatever_their_order(papers, chance):
    """Also where a model joins all that it is asked about."""
    found = await Deduplicator().deduplicate(papers)
    for works in (found, await Deduplicator(FakeLLM(obedient_answer)).deduplicate(papers)):
        named = {name for work in works for name in (work.id, *work.merged_from)}
        assert {work.id for work in papers} <= named
        assert len({work.id for work in works}) == len(works) <= len(papers)
    again = await Deduplicator().deduplicate(chance.sample(papers, len(papers)))
    assert sorted(map(repr, found)) == sorted(map(repr, again))


async def test_five_thousand_authors_and_records_of_one_title_take_no_long_time():
    crowd = [f"Author{number} Name" for number in range(5_000)]
    papers = [paper("1", authors=crowd), paper("2", authors=crowd)]
    papers += [paper(f"e{n}", title="Editorial", authors=[], year=None) for n in range(2_000)]
    found = await Deduplicator().deduplicate(papers)
    assert len(found) == 2_001
