"""What a search is begun with: its question and the name of its thread, checked."""

from __future__ import annotations

import re
import uuid

from paper_search.errors import InputError, QuestionError

MAX_QUESTION_CHARS = 10_000
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_THREAD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")


def checked_question(text: str) -> str:
    """Return the question.

    Raises:
        QuestionError: it is blank, too long, or no text.
    """
    if not text.strip():
        raise QuestionError("the question is empty; say in a sentence what literature is needed")
    if not any(character.isalnum() for character in text):
        raise QuestionError(f"the question {text!r} holds no word; say what literature is needed")
    if _SURROGATE.search(text):
        raise QuestionError(
            "the question has half characters in it, which no text has; give it as UTF-8"
        )
    if len(text) > MAX_QUESTION_CHARS:
        raise QuestionError(
            f"the question has {len(text):,} characters, at most {MAX_QUESTION_CHARS:,} are read; "
            "shorten it to what is needed"
        )
    return text


def checked_thread(thread_id: str | None) -> str:
    """Return the id; for None, a new UUID.

    Raises:
        InputError: it cannot name a thread.
    """
    if thread_id is None:
        return str(uuid.uuid4())
    if not _THREAD_ID.fullmatch(thread_id):
        raise InputError(
            f"{thread_id!r} cannot name a thread; use 1 to 128 letters, digits, '_', '.', ':' or "
            "'-', the first a letter or a digit"
        )
    return thread_id
