"""A library is filled, searched and repaired."""

import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from tests.library.papers import paper, titles

from paper_search.errors import InputError, LibraryError
from paper_search.library import Library
from paper_search.library.index import TextIndex
from paper_search.models import Author, RankedQuery, RawPaper, SearchConstraints

TITLES = [
    "Graph neural networks for drug toxicity",
    "Neural networks",
    "Drug policy",
    "Graph theory",
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library") as opened:
        opened.add(paper(title, year=2000 + n) for n, title in enumerate(TITLES))
        yield opened


def test_plain_words_find_any_of_them_and_rank_all_of_them_first(library):
    found = titles(library, "graph neural networks drug toxicity")
    assert found[0] == TITLES[0]
    assert set(found) == set(TITLES)


def test_a_question_is_ranked_by_its_telling_words(library):
    assert titles(library, "What is the policy on this?") == ["Drug policy"]


def test_operators_make_the_query_strict(library):
    assert titles(library, "graph AND drug") == [TITLES[0]]
    assert library.search_boolean("graph drug").total == 1
    assert library.search("graph drug").total == 3


def test_chinese_words_without_spaces_are_ranked_too(library):
    library.add([paper("深度学习在医学图像中的应用"), paper("图论")])
    assert titles(library, "医学图像分析")[0] == "深度学习在医学图像中的应用"


def test_a_record_without_a_year_may_be_of_any(library):
    library.add([paper("Graph undated")])
    assert "Graph undated" in titles(library, "graph", year_from=2003)
    assert "Graph undated" in titles(library, "graph", year_to=1980)


def ranked(library: Library, text: str, **given: object) -> list[str]:
    limits = SearchConstraints.model_validate({"conditions": given.pop("conditions", [])})
    query = RankedQuery.model_validate({"text": text, **given})
    return [hit.title for hit in library.search_ranked(query, limit=10, filters=limits).papers]


def test_a_condition_alone_is_a_query(library):
    assert ranked(library, "", conditions=["policy"]) == ["Drug policy"]


def test_learned_terms_bring_in_and_raise_what_has_them(library):
    assert "Drug policy" not in ranked(library, "theory of networks")
    assert ranked(library, "theory of networks", terms={"policy": 3.0})[0] == "Drug policy"


def test_equal_scores_come_in_the_order_of_import(tmp_path):
    with Library.open(tmp_path) as library:
        library.add(paper(f"Same words {n:03}") for n in range(30))
        expected = [f"Same words {n:03}" for n in range(10)]
        assert [hit.title for hit in library.search("same words", limit=10).papers] == expected


@pytest.mark.parametrize("query", ["", "???", "the", "&"])
def test_words_that_say_nothing_find_nothing_and_raise_nothing(library, query):
    assert library.search(query).papers == []


def test_a_changed_record_is_found_by_its_new_words_only(library):
    library.add([paper("Words of yesteryear", doi="10.1000/x")])
    library.add([paper("Words of yesterday", doi="10.1000/x")])
    assert titles(library, "title:yesterday") == ["Words of yesterday"]
    assert titles(library, "title:yesteryear") == []


def test_the_index_of_another_library_is_not_trusted(library, tmp_path):
    with Library.open(tmp_path / "other") as other:
        other.add([paper("Zebra")])
    shutil.rmtree(library.path / "index")
    shutil.copytree(tmp_path / "other" / "index", library.path / "index")
    with Library.open(library.path) as again:
        assert titles(again, "zebra") == []
        assert titles(again, "policy") == ["Drug policy"]


def test_records_that_a_crash_left_out_of_the_index_are_caught_up(library):
    """PER-01"""
    library._records.upsert([paper("Written just before the crash")])
    with Library.open(library.path) as again:
        assert titles(again, "crash") == ["Written just before the crash"]


def test_a_search_does_not_wait_for_another_writer(library):
    with FileLock(library.path / "writer.lock"), Library.open(library.path, wait_s=0.1) as reader:
        reader._records.upsert([paper("Not indexed yet")])
        assert titles(reader, "policy") == ["Drug policy"]


def test_a_second_writer_waits_and_then_says_so(library):
    """PER-11"""
    with (
        FileLock(library.path / "writer.lock"),
        Library.open(library.path, wait_s=0.1) as other,
        pytest.raises(LibraryError, match="another process is writing"),
    ):
        other.add([paper("Too early")])
    assert library.add([paper("In time")]).added == 1


def test_progress_is_told_batch_by_batch(tmp_path):
    told: list[tuple[int, int | None]] = []
    with Library.open(tmp_path) as library:
        library.add(
            (paper(f"Title {n}") for n in range(2_500)),
            total=2_500,
            on_progress=lambda done, total: told.append((done, total)),
        )
    assert told == [(1_000, 2_500), (2_000, 2_500), (2_500, 2_500)]


def test_info_says_what_there_is(library):
    info = library.info()
    assert (info.records, info.first_year, info.last_year) == (4, 2000, 2003)
    assert info.records_bytes > 0
    assert info.index_bytes > 0
    assert info.path == library.path


def test_an_empty_library_finds_nothing(tmp_path):
    with Library.open(tmp_path) as library:
        assert library.search("anything").papers == []
        assert library.info().records == 0


def test_whether_there_is_a_library_can_be_asked_without_making_one(tmp_path):
    assert not Library.exists(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_damaged_gzip_keeps_what_came_before_the_damage(tmp_path):
    chance = random.Random(1)  # noqa: S311  # incompressible text, the same every time
    lines = [json.dumps({"title": f"Title {chance.random()}"}) for _ in range(6_000)]
    file = tmp_path / "cut.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode())[:-20_000])
    with Library.open(tmp_path / "library") as library:
        with pytest.raises(InputError, match="damaged"):
            library.import_file(file)
        kept = len(library)
        assert kept > 100
        assert library.search("title").total == kept


def test_a_file_without_any_record_is_an_error(tmp_path):
    file = tmp_path / "notes.bib"
    file.write_text("just some words\n", "utf-8")
    with Library.open(tmp_path / "library") as library, pytest.raises(InputError, match="no rec"):
        library.import_file(file)


def test_a_full_disk_is_a_named_error(library):
    """PER-07"""
    shutil.rmtree(library.path / "index")
    (library.path / "index").touch()
    with pytest.raises(LibraryError, match="index"):
        library.add([paper("Nowhere to go")])


def test_the_index_says_what_cannot_be_read(tmp_path):
    with pytest.raises(LibraryError, match="it is rebuilt"):
        TextIndex(tmp_path / "nothing").searcher()


def test_authors_are_found_unstemmed(library):
    library.add([paper("Title", authors=[Author(name="Networks, Anna")])])
    assert library.search_boolean("author:networks").total == 1
    assert library.search_boolean("author:network").total == 0


def test_an_inverted_heading_finds_its_natural_form_and_its_own(library):
    library.add(
        [
            RawPaper(id="1", title="On type 2 diabetes mellitus", source="x"),
            RawPaper(id="2", title="Old", keywords=["Diabetes Mellitus, Type 2"], source="x"),
            RawPaper(id="3", title="Diabetes mellitus of type 1", source="x"),
        ]
    )
    found = library.search_boolean('mesh-only:"Diabetes Mellitus, Type 2/drug therapy"').papers
    assert sorted(paper.title for paper in found) == ["Old", "On type 2 diabetes mellitus"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("wom?n", ["women"]),
        ("colo$r", ["colour", "color"]),
        ("h$emorrhag*", ["haemorrhagic"]),
        ("b*k", ["back"]),
        ('"wom?n with"', ["women"]),
        ("women PRE/1 colour", ["women"]),
        ("colour PRE/1 women", []),
        ("tiab:women NOT type:review", ["women"]),
    ],
)
def test_wildcards_inside_words_and_the_order_of_a_distance_are_obeyed(library, query, found):
    titles = ["women with colour", "wooden color", "haemorrhagic fever", "back"]
    library.add([RawPaper(id=f"{n}", title=title, source="x") for n, title in enumerate(titles)])
    matched = [paper.title for paper in library.search_boolean(query).papers]
    wanted = [title for title in titles if any(word in title.split() for word in found)]
    assert sorted(matched) == sorted(wanted)
