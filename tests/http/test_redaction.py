"""No text keeps a key."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.http.redaction import REDACTED, RedactingFilter, redact


def test_a_secret_is_redacted_in_every_encoding() -> None:
    text = 'ab/c "d" ab%2Fc%20%22d%22 ab%2Fc+%22d%22 {"k": "ab/c \\"d\\""}'
    assert redact(text, ['ab/c "d"']) == f'{REDACTED} {REDACTED} {REDACTED} {{"k": "{REDACTED}"}}'
    assert redact(repr("é/d".encode()), ["é/d"]) == f"b'{REDACTED}'"


@pytest.mark.parametrize(
    "text", ["https://x.org/?q=1&api_key=SECRET&n=2", "apikey=SECRET", "?access_token=SECRET"]
)
def test_parameters_named_like_a_key_are_redacted_unasked(text: str) -> None:
    assert "SECRET" not in redact(text)
    assert REDACTED in redact(text)


def test_an_empty_secret_redacts_nothing() -> None:
    assert redact("text", [""]) == "text"


@given(st.text(min_size=1, max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_no_text_keeps_the_secret(secret: str, before: str, after: str) -> None:
    secret = f"K{secret}9"
    assert secret not in redact(before + secret + after, [secret]).replace(REDACTED, "\x00")


def test_log_lines_are_redacted(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("test.redaction")
    redacting = RedactingFilter(["CANARY"])
    logger.addFilter(redacting)
    try:
        with caplog.at_level(logging.INFO):
            logger.info("asking %s %d", "https://x.org/?k=CANARY", 7)
    finally:
        logger.removeFilter(redacting)
    assert caplog.messages == [f"asking https://x.org/?k={REDACTED} 7"]
