"""No text keeps a key."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.http.redaction import LOGGERS, REDACTED, redact, redact_logs


def test_a_secret_is_redacted_in_every_encoding():
    text = 'ab/c "d" ab%2Fc%20%22d%22 ab%2Fc+%22d%22 {"k": "ab/c \\"d\\""}'
    assert redact(text, ['ab/c "d"']) == f'{REDACTED} {REDACTED} {REDACTED} {{"k": "{REDACTED}"}}'
    assert redact(repr("é/d".encode()), ["é/d"]) == f"b'{REDACTED}'"


def test_a_secret_that_holds_another_is_redacted_whole():
    """Else the rest of it would be left, whichever of the two is asked about first."""
    secrets = ["of", "a-token-of-ada", "token"]
    for order in (secrets, secrets[::-1]):
        assert redact("Bearer a-token-of-ada, token", order) == f"Bearer {REDACTED}, {REDACTED}"


@pytest.mark.parametrize(
    "text", ["https://x.org/?q=1&api_key=SECRET&n=2", "apikey=SECRET", "?access_token=SECRET"]
)
def test_parameters_named_like_a_key_are_redacted_unasked(text):
    assert "SECRET" not in redact(text)
    assert REDACTED in redact(text)


def test_an_empty_secret_redacts_nothing():
    assert redact("text", [""]) == "text"


@given(st.text(min_size=1, max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_no_text_keeps_the_secret(secret, before, after):
    secret = f"K{secret}9"
    assert secret not in redact(before + secret + after, [secret]).replace(REDACTED, "\x00")


def test_every_library_that_sends_logs_without_the_keys(caplog):
    redact_logs(["CANARY-1", ""])
    with caplog.at_level(logging.DEBUG):
        for name in LOGGERS:
            logging.getLogger(name).debug("sent to %s", "https://x.org/?k=CANARY-1")
    assert caplog.messages == [f"sent to https://x.org/?k={REDACTED}"] * len(LOGGERS)


def test_the_same_keys_are_kept_out_of_logs_once(caplog):
    for secrets in (
        ["CANARY-1", "CANARY-2"],
        ["CANARY-2", "CANARY-1"],
        ("CANARY-1", "CANARY-2", ""),
    ):
        redact_logs(secrets)
    assert len(logging.getLogger("httpx").filters) == 1
    with caplog.at_level(logging.INFO):
        logging.getLogger("httpx").info("CANARY-2, CANARY-1")
    assert caplog.messages == [f"{REDACTED}, {REDACTED}"]


def test_a_word_that_is_too_short_for_a_key_stays_in_logs():
    redact_logs(["x", "key"])
    assert logging.getLogger("httpx").filters == []


@pytest.mark.parametrize("spelled", ["my key-of-mine 42", "my-keyof-mine-42", "MY_KEY_OF_MINE_42"])
def test_a_secret_is_redacted_in_other_spellings_of_its_words(spelled):
    """A question that holds a key is asked in its spellings, and traced."""
    assert redact(f'"{spelled}" OR graphs', ["my-key-of-mine-42"]) == '"[redacted]" OR graphs'


def test_words_that_are_only_part_of_a_secret_stay():
    assert redact("my key is mine", ["my-key-of-mine-42", "my-key"]) == "my key is mine"
