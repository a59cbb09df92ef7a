"""Files: whole or not at all, nothing overwritten unasked."""

import errno
import os
import resource
import stat
import threading
from pathlib import Path

import pytest

from paper_search.errors import ExportError
from paper_search.exports import write_export


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_new_file_holds_the_text_as_it_is(tmp_path):
    (tmp_path / "plain").touch()
    path = write_export("é图\n1,2\r\n", tmp_path / "a.csv")
    assert path == tmp_path / "a.csv"
    assert path.read_bytes() == "é图\n1,2\r\n".encode()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert names_in(tmp_path) == ["a.csv", "plain"]


def test_an_existing_file_stays_as_it_is(tmp_path):
    """SEC-12"""
    path = tmp_path / "a.bib"
    path.write_text("old")
    with pytest.raises(ExportError, match=r"a\.bib' already exists.*overwrit"):
        write_export("new", path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["a.bib"]


def test_an_existing_file_is_replaced_when_that_is_allowed(tmp_path):
    path = tmp_path / "a.bib"
    path.write_text("old and longer")
    path.chmod(0o640)
    write_export("new", path, overwrite=True)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["a.bib"]


@pytest.mark.parametrize("exists", [True, False])
def test_no_link_is_followed_unasked_and_one_that_is_keeps_pointing(tmp_path, exists):
    """SEC-12"""
    target, link = tmp_path / "target", tmp_path / "a.bib"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    with pytest.raises(ExportError, match="already exists"):
        write_export("new", link)
    assert target.exists() == exists
    assert not exists or target.read_text() == "old"
    assert link.is_symlink()
    write_export("new", link, overwrite=True)
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_loop_of_links_is_an_error(tmp_path):
    link = tmp_path / "a.bib"
    link.symlink_to(link)
    for overwrite in (False, True):
        with pytest.raises(ExportError):
            write_export("new", link, overwrite=overwrite)


def test_what_is_not_a_regular_file_is_never_overwritten(tmp_path):
    """SEC-12"""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ExportError, match="not a regular file"):
        write_export("new", pipe, overwrite=True)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is a directory"),
        (".", "is a directory"),
        ("missing/a.bib", "does not exist; create it"),
        ("file/a.bib", "does not exist; create it"),
        ("a\x00b.bib", "null"),
        ("x" * 300 + ".bib", "too long"),
        ("\ud800.bib", "surrogates"),
        ("CON", "device on Windows"),
        ("nul.bib", "device on Windows"),
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_path_that_cannot_be_is_refused_with_its_reason(tmp_path, name, reason, overwrite):
    """SEC-12"""
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match=f"(?i){reason}") as caught:
        write_export("new", tmp_path / name, overwrite=overwrite)
    assert len(str(caught.value)) < 400
    assert names_in(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["../a.bib", "sub/../../a.bib", "/a.bib", "link/a.bib"])
def test_a_name_from_elsewhere_stays_inside(tmp_path, name):
    """SEC-12"""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    with pytest.raises(ExportError, match="is outside of"):
        write_export("new", inside / name, within=inside)
    assert list(outside.iterdir()) == []
    assert names_in(tmp_path) == ["inside", "outside"]


def test_a_name_inside_is_written(tmp_path):
    (tmp_path / "sub").mkdir()
    write_export("new", tmp_path / "sub" / ".." / "a.bib", within=tmp_path)
    assert (tmp_path / "a.bib").read_text() == "new"


def test_overwriting_through_a_link_does_not_leave_the_directory(tmp_path):
    """SEC-12"""
    inside, secret = tmp_path / "inside", tmp_path / "secret"
    inside.mkdir()
    secret.write_text("old")
    (inside / "a.bib").symlink_to(secret)
    with pytest.raises(ExportError, match="is outside of"):
        write_export("new", inside / "a.bib", overwrite=True, within=inside)
    assert secret.read_text() == "old"


def test_text_that_no_file_can_hold_is_refused_before_anything_is_touched(tmp_path):
    path = tmp_path / "a.bib"
    path.write_text("old")
    with pytest.raises(ExportError, match="surrogates"):
        write_export("\ud800", path, overwrite=True)
    assert path.read_text() == "old"


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_the_old_file_or_none(tmp_path, overwrite):
    path = tmp_path / "a.bib"
    if overwrite:
        path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(ExportError, match=r"cannot write .*a\.bib"):
            write_export("x" * 100_000, path, overwrite=overwrite)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names_in(tmp_path) == (["a.bib"] if overwrite else [])
    assert not overwrite or path.read_text() == "old"


def test_without_hard_links_nothing_is_overwritten_either(tmp_path, monkeypatch):
    def refuse(_link: Path, _target: Path) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / "a.bib"
    write_export("first", path)
    with pytest.raises(ExportError, match="already exists"):
        write_export("second", path)
    assert path.read_text() == "first"
    assert names_in(tmp_path) == ["a.bib"]


def test_of_many_writers_at_once_exactly_one_wins(tmp_path):
    """SEC-12"""
    path, winners, refused = tmp_path / "a.bib", [], []
    start = threading.Barrier(8)

    def write(text: str) -> None:
        start.wait()
        try:
            write_export(text * 50_000, path)
            winners.append(text)
        except ExportError:
            refused.append(text)

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(winners), len(refused)) == (1, 7)
    assert path.read_text() == winners[0] * 50_000
    assert names_in(tmp_path) == ["a.bib"]
