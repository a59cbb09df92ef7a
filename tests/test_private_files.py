"""What is in the home is for its owner alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from paper_search.config import remember_setting
from paper_search.http.cache import AnswerCache
from paper_search.library import Library
from paper_search.llm.usage_log import BudgetSet, UsageLog
from paper_search.models import RawPaper
from paper_search.models.usage import Budget
from paper_search.persistence import open_persistence
from paper_search.private_files import private_directory, private_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture(autouse=True)
def _an_open_umask() -> Iterator[None]:
    """Let whoever is careless be found out."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_directories_that_are_missing_are_made_for_their_owner_alone(tmp_path):
    made = private_directory(tmp_path / "home" / "usage")
    assert {mode(made), mode(made.parent)} == {0o700}


def test_a_directory_and_a_file_that_are_there_stay_as_they_are(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (shared / "notes").write_text("mine")
    assert private_file(private_directory(shared) / "notes").read_text() == "mine"
    assert mode(shared) == 0o755


async def test_library_index_usage_settings_and_threads_are_private(tmp_path):
    home = tmp_path / "home"
    remember_setting("default_max_results", "7", home=home)
    with Library.open(home / "library") as library:
        library.add([RawPaper(id="a", title="Protein folding", source="local_library")])
        library.search("folding")
    UsageLog(home / "usage", "t").append(BudgetSet(budget=Budget(calls=1)))
    cache = AnswerCache(home / "cache" / "http.db")
    async with open_persistence(f"sqlite:///{home}/threads.db"), cache:
        pass
    found = [home, *home.rglob("*")]
    assert {"library", "usage", "threads.db", "config.toml"} <= {path.name for path in found}
    assert [path for path in found if path.is_dir() and mode(path) != 0o700] == []
    assert [path for path in found if path.is_file() and mode(path) != 0o600] == []


def test_what_others_could_read_of_an_older_index_is_private_after_the_next_write(tmp_path):
    with Library.open(tmp_path / "library") as library:
        library.add([RawPaper(id="a", title="Protein folding", source="local_library")])
        for path in (tmp_path / "library" / "index").iterdir():
            path.chmod(0o644)
        library.add([RawPaper(id="b", title="Protein design", source="local_library")])
        library.search("design")
    inside = [*(tmp_path / "library" / "index").iterdir()]
    assert {mode(path) for path in inside} == {0o600}
