"""The person's own editor, opened on a form."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path

from paper_search.errors import PaperSearchError


class EditorError(PaperSearchError):
    """The editor cannot be started or failed."""


def edited(form: str, command: str) -> str:
    """Return the form as the person left it.

    Args:
        form: what stands in the file that is opened.
        command: the editor with its options, as VISUAL and EDITOR have it.

    Raises:
        EditorError: it cannot be started, failed, or left something that is not UTF-8.
    """
    with tempfile.TemporaryDirectory(prefix="paper-search-") as directory:
        path = Path(directory) / "strategy.toml"
        path.write_text(form, encoding="utf-8")
        try:
            words = [*shlex.split(command), str(path)]
            ended = subprocess.run(words, check=False)  # noqa: S603  # the person's own editor
            if ended.returncode:
                raise EditorError(
                    f"the editor {command!r} failed with code {ended.returncode}; nothing changed"
                )
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise EditorError(f"the editor {command!r} cannot be used: {error}") from error
