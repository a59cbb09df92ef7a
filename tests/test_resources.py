"""Things are read by name in one way, wherever they lie."""

import gzip
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

import pytest

from paper_search.errors import InputError, UnknownNameError
from paper_search.library.samples import shipped_sample
from paper_search.prompts import load_prompt, shipped_prompts
from paper_search.resources import (
    Conventions,
    DirectoryFiles,
    EntryPoints,
    PackageFiles,
    ResourceProvider,
)
from paper_search.steps import discover_workflows


def providers(folder: Path) -> dict[str, ResourceProvider[object]]:
    """Return one for each way to get at something, those of the specification among them."""
    (folder / "a.md").write_text(" text \n")
    return {
        "conventions": Conventions(DirectoryFiles(folder)),
        "files": DirectoryFiles(folder),
        "package resources": PackageFiles("paper_search.prompts"),
        "workflows": discover_workflows("paper_search"),
        "entry points": EntryPoints("paper_search.embeddings", "embedding"),
    }


@pytest.mark.parametrize(
    "kind", ["conventions", "files", "package resources", "workflows", "entry points"]
)
def test_each_has_sorted_names_all_of_which_can_be_read(tmp_path, kind):
    """INVARIANT 4 of the specification."""
    provider = providers(tmp_path)[kind]
    names = provider.names()
    assert names == sorted(names)
    assert names
    for name in names:
        assert provider.read(name)
    with pytest.raises(UnknownNameError, match=names[0]):
        provider.read("no such name")


def test_a_persons_own_text_goes_before_the_one_that_ships(tmp_path):
    (tmp_path / "intent_parser.md").write_text("Mine.\n")
    own = Conventions(DirectoryFiles(tmp_path), PackageFiles("paper_search.prompts"), kind="prompt")
    assert own.read("intent_parser") == "Mine."
    assert own.read("query_builder") == load_prompt("query_builder")
    assert own.names() == shipped_prompts().names()


def test_the_sample_library_is_a_resource_of_its_package():
    provider = PackageFiles("paper_search.library.sample")
    assert provider.names() == ["records.jsonl.gz", "vectors.bin"]
    data = provider.read("records.jsonl.gz")
    assert shipped_sample().read_bytes() == data
    assert gzip.decompress(data)[:1] == b"{"


@pytest.mark.parametrize(
    "name", ["../secret.txt", "inner/../../secret.txt", "/etc/hostname", "link.txt"]
)
def test_nothing_outside_of_a_directory_can_be_read_by_path_or_link(tmp_path, name):
    (tmp_path / "secret.txt").write_text("s")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InputError, match="is outside the directory"):
        DirectoryFiles(tmp_path / "root").read(name)


def test_files_lie_in_directories_of_the_directory_too(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.bin").write_bytes(b"\0\1")
    assert DirectoryFiles(tmp_path).names() == ["inner/b.bin"]
    assert DirectoryFiles(tmp_path).read("inner/b.bin") == b"\0\1"
    assert DirectoryFiles(tmp_path / "absent").names() == []


def test_modules_are_no_resources_and_cannot_be_read():
    provider = PackageFiles("paper_search.prompts")
    assert not [name for name in provider.names() if name.endswith(".py")]
    with pytest.raises(UnknownNameError):
        provider.read("__init__.py")


class CountingFinder(DistributionFinder):
    """Counts how often the installed packages are looked for; finds none."""

    def __init__(self) -> None:
        self.calls = 0

    def find_spec(self, *_: object) -> ModuleSpec | None:
        return None

    def find_distributions(self, *_: object) -> Iterator[Distribution]:
        self.calls += 1
        return iter(())


def test_installed_packages_are_looked_for_once(tmp_path, monkeypatch):
    finder = CountingFinder()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.syspath_prepend(str(tmp_path))
    models: EntryPoints[object] = EntryPoints("paper_search.embeddings", "embedding")
    assert "minilm" in models.names()
    assert "openai" in models.names()
    assert callable(models.read("openai"))
    assert finder.calls == 1
