"""Write an export to a file, completely or not at all; overwrite only on request."""

import errno
import os
import secrets
import stat
from pathlib import Path

from paper_search.errors import ExportError

# Windows opens a device for these names with any suffix, and files move between machines.
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
    """Write an export, text as UTF-8 with its own line endings, and return the path of the file.

    It is written to a temporary file and moved when complete, so a crash or a full disk leaves the
    old file or none. Without `overwrite`, any existing name, even a dangling link, is refused; with
    it, a regular file is replaced and keeps its mode, and a link is followed.

    Raises:
        ExportError: the file exists, or cannot be written.
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
            f"{str(path)!r} already exists and was not changed; "
            "give another name, or allow overwriting (overwrite=True)"
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"cannot write {_quote(path)}: {reason}") from error
    except ValueError as error:  # lone surrogates, or NUL in the path
        raise ExportError(f"cannot write {_quote(path)}: {error}") from error
    return Path(path)


def _check_target(path: Path, *, overwrite: bool, within: str | Path | None) -> Path:
    """Return the path to write to, after all checks that are possible beforehand."""
    if path.name.split(".")[0].strip().lower() in _DEVICES:
        raise ExportError(f"{path.name!r} is the name of a device on Windows; give another name")
    # Links are followed only if overwriting is allowed.
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
    """Return the path without links; unlike Path.resolve, without RuntimeError for a loop."""
    return Path(os.path.realpath(path))


def _write_new(content: bytes, path: Path) -> None:
    """Write a new file; a failed write leaves nothing."""
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
    """Give a finished draft its name by a link, which unlike a rename never replaces a file."""
    try:
        target.hardlink_to(draft)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        _write_new(content, target)


def _quote(path: str | Path) -> str:
    text, limit = repr(str(path)), 120
    return text if len(text) <= limit else f"{text[:60]}...{text[-40:]}"
