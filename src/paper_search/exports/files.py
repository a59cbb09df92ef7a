"""Writing an export to a file: whole or not at all, and nothing overwritten unasked."""

import errno
import os
import secrets
import stat
from pathlib import Path

from paper_search.errors import ExportError

# Windows opens a device under these names, whatever the suffix; files move between machines.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)]
)
_NO_HARD_LINKS = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
)
_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


def write_export(
    export: str | bytes,
    path: str | Path,
    *,
    overwrite: bool = False,
    within: str | Path | None = None,
) -> Path:
    """Write an export, text as UTF-8 with its own line ends, and return the path of the file.

    The text is written beside the target and moved there when complete, so a crash or a full disk
    leaves the old file or none. Without `overwrite`, whatever has the name (a dangling link too)
    is refused; with it, a regular file is replaced and keeps its mode, a link keeps pointing.

    Raises:
        ExportError: the file exists, or cannot be written; says why and what to do.
    """
    try:
        content = export.encode("utf-8") if isinstance(export, str) else export
        target = _check_target(Path(path), overwrite=overwrite, within=within)
        draft = target.parent / f".{secrets.token_hex(8)}.tmp"
        try:
            _write_new(content, draft)
            if overwrite:
                if target.exists():
                    draft.chmod(stat.S_IMODE(target.stat().st_mode))
                draft.replace(target)
            else:
                _publish_new(content, draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError as error:
        raise ExportError(
            f"{str(path)!r} exists already and stays as it is; "
            "give another name, or allow overwriting (overwrite=True)"
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"cannot write {_quote(path)}: {reason}") from error
    except ValueError as error:  # lone surrogates, or NUL in the path
        raise ExportError(f"cannot write {_quote(path)}: {error}") from error
    return Path(path)


def _check_target(path: Path, *, overwrite: bool, within: str | Path | None) -> Path:
    """Return the path to write to, after everything that can be known beforehand was checked."""
    if path.name.split(".")[0].strip().lower() in _DEVICES:
        raise ExportError(f"{path.name!r} is the name of a device on Windows; give another name")
    # Only who allows overwriting may reach what a link points to.
    target = _real(path) if overwrite else _real(path.parent) / path.name
    if within is not None and not target.is_relative_to(_real(Path(within))):
        raise ExportError(f"{_quote(path)} is outside of {_quote(within)}; give a name inside")
    if path.is_dir():
        raise ExportError(f"{_quote(path)} is a directory; give the name of a file in it")
    if not target.parent.is_dir():
        raise ExportError(f"the directory {_quote(target.parent)} does not exist; create it first")
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return target
    if not overwrite:
        raise FileExistsError(target)
    if not stat.S_ISREG(mode):
        raise ExportError(f"{_quote(path)} is not a regular file and is never overwritten")
    return target


def _real(path: Path) -> Path:
    """Return the path without links; unlike Path.resolve, a loop of links is no RuntimeError."""
    return Path(os.path.realpath(path))


def _write_new(content: bytes, path: Path) -> None:
    """Write a file that is not there yet; a failed write leaves nothing."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _O_NOFOLLOW | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            path.unlink(missing_ok=True)
            raise


def _publish_new(content: bytes, draft: Path, target: Path) -> None:
    """Give a finished draft its name; unlike a rename, a link never replaces anything."""
    try:
        target.hardlink_to(draft)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        _write_new(content, target)


def _quote(path: str | Path) -> str:
    text, limit = repr(str(path)), 120
    return text if len(text) <= limit else f"{text[:60]}...{text[-40:]}"
