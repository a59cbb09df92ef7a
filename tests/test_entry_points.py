"""Broken packages of other people are named, and break nothing else."""

from pathlib import Path

import pytest

from paper_search.cli.sources import source_entries
from paper_search.config import load_config
from paper_search.errors import ConfigError
from paper_search.exports import get_exporter
from paper_search.llm.embeddings import create_embedder
from paper_search.models.settings import EmbeddingsConfig
from paper_search.resources import EntryPoints
from paper_search.sources import create_source
from paper_search.sources.base import service_of
from paper_search.sources.enrichment import create_enrichers, says_open, title_of
from paper_search.testing.exporters import collection_of

CODE = """
class Named:
    source_name = "other"

def named(config, settings): return Named()
def nothing(*_): return None
def failing(*_): raise OSError("no licence")
"""
BROKEN = {
    "nothing": "TypeError: <function nothing at 0x",
    "failing": "OSError: no licence",
    "missing": "AttributeError: module 'broken_package' has no attribute 'missing'",
    "absent": "ModuleNotFoundError: No module named 'absent_package'",
}
GROUPS = ["sources", "enrichers", "embeddings", "exporters", "web_searches", "chat_models"]


@pytest.fixture(autouse=True)
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "broken_package-1.dist-info"
    about.mkdir()
    (tmp_path / "broken_package.py").write_text(CODE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-package\nVersion: 1\n")
    names = {name: f"broken_package:{name}" for name in ("nothing", "failing", "missing", "named")}
    lines = [f"{name} = {where}" for name, where in names.items()] + ["absent = absent_package:x"]
    groups = [f"[paper_search.{group}]\n" + "\n".join(lines) for group in GROUPS]
    (about / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(("name", "reason"), BROKEN.items())
def test_the_error_names_the_entry_point_and_its_group(name, reason):
    points: EntryPoints[object] = EntryPoints("paper_search.sources", "source")
    with pytest.raises(ConfigError) as error:
        points.call(name, None, None)
    words = f"the source {name!r} (entry point group paper_search.sources) failed: {reason}"
    assert str(error.value).startswith(words)


@pytest.mark.parametrize("name", BROKEN)
def test_sources_embeddings_enrichers_and_formats_are_refused_alike(tmp_path, name):
    config = load_config(home=tmp_path)
    for make in (
        lambda: create_source(name, config),
        lambda: create_enrichers(config.model_copy(update={"enrichers": [name]})),
        lambda: create_embedder(EmbeddingsConfig(name=f"{name}:small")),
        lambda: get_exporter(name)(collection_of()),
    ):
        with pytest.raises(ConfigError, match=rf"{name!r} \(entry point group"):
            make()


def test_the_list_of_sources_has_them_with_the_reason_and_all_others(tmp_path):
    entries = {(e["kind"], e["name"]): e for e in source_entries(load_config(home=tmp_path))}
    for kind in ("papers", "pages"):
        for name, reason in BROKEN.items():
            assert reason in entries[kind, name]["needs"]
    assert entries["papers", "arxiv"]["needs"] is None


def test_facts_about_services_are_known_without_them():
    assert service_of("absent") is None
    assert title_of("absent") == "absent"
    assert says_open("arxiv")


def test_a_source_with_another_name_than_its_entry_point_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="the source 'named' has the source_name 'other': rename"):
        create_source("named", load_config(home=tmp_path))
