"""A library is ranked by nearness, too, and goes on by words where there is none."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock
from tests.library.papers import paper, titles

from paper_search.errors import EmbeddingError, LibraryError
from paper_search.library import Embedder, Library
from paper_search.library.embedded import embedded_text
from paper_search.testing.llm import FakeEmbeddings

MEANINGS = {"automobile": "car", "vehicles": "car"}


PAPERS = [
    paper("The car of tomorrow", year=2001, doi="10.1000/1"),
    paper("Vehicles", year=2002, doi="10.1000/2"),
    paper("Automobile history", year=2003, doi="10.1000/3"),
    paper("On glass", year=2004, doi="10.1000/4"),
]


def fake(**options: object) -> FakeEmbeddings:
    return FakeEmbeddings(meanings=MEANINGS, **options)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path, embedder=fake()) as opened:
        opened.add(PAPERS)
        yield opened


def test_a_boolean_query_finds_exactly_what_it_means(library):
    library.embed()
    assert sorted(titles(library, "automobile OR glass")) == ["Automobile history", "On glass"]
    assert titles(library, "NOT automobile")[0] != "Automobile history"
    assert library.search("automobile AND tomorrow").papers == []


def test_the_first_places_do_not_depend_on_how_many_are_wanted(tmp_path):
    with Library.open(tmp_path, embedder=FakeEmbeddings(8)) as library:
        words = ("tree", "river", "engine", "glass", "bee", "star", "cell")
        titles = [f"Graph {' '.join(words[: n % 8])} {n}" for n in range(600)]
        library.add([paper(title) for title in titles])
        library.embed()
        few = [hit.title for hit in library.search("graph engine", limit=100).papers]
        many = [hit.title for hit in library.search("graph engine", limit=500).papers]
        assert many[:100] == few
        assert len(many) == 500


def test_a_changed_text_gets_a_new_vector_and_any_other_change_does_not(tmp_path):
    model = fake()
    with Library.open(tmp_path, embedder=model) as library:
        library.add(PAPERS)
        library.embed()
        library.add([paper("On glass", venue="Nature", doi="10.1000/4")])
        assert library.embed().made == 0
        library.add([paper("On glass", abstract="automobile", doi="10.1000/4")])
        summary = library.embed()
        assert (summary.made, summary.total) == (1, 4)
        assert model.asked[-1] == "On glass\nautomobile"
        assert "On glass" in titles(library, "vehicles")


def test_an_embedder_costs_nothing_where_there_is_none(tmp_path):
    script = (
        "import sys\nfrom paper_search.library import Library\n"
        "from paper_search.models import RawPaper\n"
        "library = Library.open(sys.argv[1])\n"
        "library.add([RawPaper(id='', title='On glass', source='x')])\n"
        "assert library.search('glass').papers\n"
        "print([m for m in ('numpy', 'langchain_core') if m in sys.modules])"
    )
    ended = subprocess.run(  # noqa: S603  # this program
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"
    assert not (tmp_path / "vectors.db").exists()
    with Library.open(tmp_path) as library, pytest.raises(EmbeddingError, match="is set"):
        library.embed()


def test_a_model_that_fails_half_way_keeps_what_was_made(tmp_path):
    model = fake(fails_after=2)
    with Library.open(tmp_path, embedder=Embedder(model, batch_size=2)) as library:
        library.add(PAPERS)
        with pytest.raises(EmbeddingError, match="ConnectionError"):
            library.embed()
        assert library.info().vectors.records == 2
        hits = library.search("glass")
        assert [hit.title for hit in hits.papers] == ["On glass"]
        assert "ranked by words only" in str(hits.note)
        model.fails_after = None
        assert library.embed().made == 2
        assert titles(library, "vehicles")[0] == "Vehicles"


def test_vectors_of_another_model_are_not_mixed_and_not_thrown_away(library, tmp_path):
    library.embed()
    with Library.open(tmp_path, embedder=fake(model="other")) as changed:
        hits = changed.search("automobile")
        assert [hit.title for hit in hits.papers] == ["Automobile history"]
        assert "'FakeEmbeddings:fake'" in str(hits.note)
        with pytest.raises(EmbeddingError, match="--again"):
            changed.embed()
        assert changed.info().vectors.model == "FakeEmbeddings:fake"
        assert changed.embed(anew=True).made == 4
        assert changed.info().vectors.model == "FakeEmbeddings:other"
        assert changed.search("automobile").note is None


def test_another_dimension_under_the_same_name_is_refused(library, tmp_path):
    library.embed()
    with Library.open(tmp_path, embedder=fake(dimension=32)) as changed:
        assert "32 numbers" in str(changed.search("automobile").note)
        changed.add([paper("New", doi="10.1000/7")])
        with pytest.raises(EmbeddingError, match="32 numbers"):
            changed.embed()
    assert library.search("automobile").papers


@pytest.mark.parametrize("damage", ["cut", "gone", "noise", "scale"])
def test_damaged_vectors_are_told_and_made_again(library, tmp_path, damage):
    library.embed()
    file = tmp_path / "vectors.db"
    match damage:
        case "cut":
            file.write_bytes(file.read_bytes()[:5000])
        case "gone":
            file.unlink()
        case "noise":
            file.write_bytes(b"\xff" * file.stat().st_size)
        case _:
            with closing(sqlite3.connect(file)) as connection, connection:
                connection.execute("UPDATE vectors SET scale = -1")
    with Library.open(tmp_path, embedder=fake()) as opened:
        hits = opened.search("automobile")
        assert [hit.title for hit in hits.papers] == ["Automobile history"]
        assert "library embed" in str(hits.note)
        assert opened.embed().made == 4
        assert opened.search("automobile").note is None


def test_a_second_writer_of_vectors_waits_and_is_told(tmp_path):
    with Library.open(tmp_path, embedder=fake(), wait_s=0.05) as library:
        library.add(PAPERS)
        with (
            FileLock(tmp_path / "vectors.lock"),
            pytest.raises(LibraryError, match="another process is creating vectors"),
        ):
            library.embed()


def test_a_full_disk_is_said_and_leaves_what_was_there(library, tmp_path):
    library.embed()
    library.add([paper("Automobile repair", doi="10.1000/5")])
    file = tmp_path / "vectors.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON state BEGIN SELECT RAISE(ABORT, 'no space'); END"
        )
    with pytest.raises(LibraryError, match="no space"):
        library.embed()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TRIGGER full")
    with Library.open(tmp_path, embedder=fake()) as opened:
        assert opened.info().vectors.records == 4
        assert titles(opened, "vehicles")[0] == "Vehicles"
        assert opened.embed().made == 1


def test_progress_is_told_before_the_first_batch_and_after_each(library):
    seen: list[tuple[int, int | None]] = []
    library.embed(on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (4, 4)]


CHILD = """
import sys, time
from paper_search.library import Embedder, Library
from paper_search.testing import llm

class FakeEmbeddings(llm.FakeEmbeddings):
    batches = 0
    def embed_documents(self, texts):
        self.batches += 1
        print("asked", flush=True)
        if self.batches == 12:
            time.sleep(3600)  # so that it is killed, however late
        return super().embed_documents(texts)

with Library.open(sys.argv[1], embedder=Embedder(FakeEmbeddings(), batch_size=5)) as library:
    library.embed()
"""


@pytest.mark.slow
def test_kill_9_while_vectors_are_made_loses_none_that_was_there(tmp_path):
    """PER-01"""
    records = 300
    with Library.open(tmp_path) as library:
        library.add(paper(f"Title {n}", abstract=f"alpha word{n}") for n in range(records))
    before = 0
    for batches in (2, 5, 8, 11):
        with subprocess.Popen(  # noqa: S603  # our own interpreter and script
            [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as child:
            for _ in range(batches):
                assert child.stdout.readline() == "asked\n"
            child.kill()
            assert child.wait() < 0
        model = FakeEmbeddings()
        with Library.open(tmp_path, embedder=model) as library:
            held = library.info().vectors.records
            assert held >= before
            assert library.search("alpha", limit=1).total == records
        before = held
    assert before > 0
    with Library.open(tmp_path, embedder=model) as library:
        summary = library.embed()
        assert (summary.made, summary.total) == (records - before, records)
        assert library.search("word7 title").note is None


def test_a_record_is_embedded_by_title_and_abstract():
    assert embedded_text({"title": "T", "abstract": "A", "venue": "V"}) == "T\nA"
    assert embedded_text({"title": "T", "snippet": "S"}) == "T\nS"
    assert embedded_text({"title": " "}) == "-"
