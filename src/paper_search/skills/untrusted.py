"""Handles text from strangers: shows hidden parts, detects tricks, fences it off as data."""

import base64
import binascii
import json
import re
import secrets
import unicodedata
from collections.abc import Sequence
from typing import Any

SUSPICIOUS = "suspicious_text"
"""The flag in a reason for text that talks to the program instead of the reader."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_HIDDEN_IN_WORDS = re.compile(
    "[A-Za-z][\u200b\u200c\u200d\u2060\ufeff][A-Za-z]|[\u202d\u202e]|[\U000e0000-\U000e007f]"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_BLOB = 24
"""Letters of base64 that can hold an order."""
_BASE64 = re.compile(rf"[A-Za-z0-9+/]{{{_BLOB},}}={{0,2}}")
_LOOKALIKES = str.maketrans("аеорсухіјѕԁɡ", "aeopcyxijsdg")
_GAP = r"\b.{0,40}\b"


def _cue(pattern: str, *anchors: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Return a cue and the texts without one of which it need not be looked for."""
    return anchors, re.compile(pattern, re.IGNORECASE | re.DOTALL)


_CUES = (
    _cue(
        rf"\b(?:ignore|disregard|forget|override|bypass){_GAP}"
        rf"(?:previous|prior|above|earlier|all|any|your|the system){_GAP}"
        r"(?:instructions?|prompts?|rules?|directions?|guidelines?)\b",
        *("ignore", "disregard", "forget", "override", "bypass"),
    ),
    _cue(
        r"\b(?:give|assign|rate|award)\b[^.;]{0,40}\b"
        r"(?:1\.0|10/10|highest|maximum|max|full|top)\b.{0,30}\b(?:scores?|marks?|relevance|rating)\b"
        r"|\bscore\s*(?:=|:|of|is)?\s*1\.0\b",
        *("score", "marks", "relevance", "rating"),
    ),
    _cue(r"\brelevance_score\b", "relevance_score"),
    _cue(
        r"\b(?:positive|favou?rable) reviews? only\b|\bmention any negatives?\b"
        r"|\bhighlight any negatives?\b",
        *("only", "negative"),
    ),
    _cue(
        r"\byou are (?:now )?(?:an? )?(?:ai|llm|language model|assistant|reviewer|helpful)\b"
        r"|\b(?:as|if you are) an? (?:ai|llm|(?:large )?language model)(?: \w+)?,? "
        r"(?:you|please|say|give|rate|rank|score)\b",
        *("you are", "as an ai", "as an llm", "as a large language", "as a language"),
    ),
    _cue(
        r"\b(?:as the|your) (?:system|developer) (?:prompt|message|instruction)s?\b",
        *("system", "developer"),
    ),
    _cue(r"<\|?(?:im_start|system|endoftext)|\[/?INST\]", "im_start", "<", "inst]"),
    _cue(r"\bnew instructions?:|\bas instructed above\b", "instruct"),
    _cue(r"!\[[^\]]*\]\(https?://", "]("),
    _cue(r"\"action\"\s*:\s*\"(?:approve|reject|edit)\"|\"lc\"\s*:\s*[12]", '"action"', '"lc"'),
    _cue(r"</?(?:data-|system>|instructions?>)", "<"),
    _cue(r"忽略.{0,10}(?:指令|提示|说明|要求)|给.{0,6}(?:最高|满)分", "忽略", "分"),
)


def visible(text: str) -> str:
    """Return what a reader of `text` sees: no zero-width, bidi or control characters."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub("", text)


def is_suspicious(*texts: str | None) -> bool:
    """Whether one of the texts seems to give orders to the program, openly or hidden.

    Looked at as written, after undoing lookalike letters and compatibility forms, inside HTML
    comments and inside base64. It is narrow: an abstract about prompts gives no orders.
    """
    return any(_gives_orders(text) for text in texts if text)


def _gives_orders(text: str) -> bool:
    if "<!--" in text or (not text.isascii() and _HIDDEN_IN_WORDS.search(text)):
        return True
    visible_text = visible(text).replace("\u200c", "").replace("\u200d", "")
    if not visible_text.isascii():
        visible_text = unicodedata.normalize("NFKC", visible_text).casefold().translate(_LOOKALIKES)
    if _has_cue(visible_text):
        return True
    if max(map(len, visible_text.split()), default=0) < _BLOB:
        return False
    return any(_has_cue(_decoded(blob)) for blob in _BASE64.findall(visible_text))


def _has_cue(text: str) -> bool:
    lowered = text.lower()
    for anchors, cue in _CUES:
        for anchor in anchors:
            if anchor in lowered:
                if cue.search(text):
                    return True
                break
    return False


def _decoded(blob: str) -> str:
    try:
        return base64.b64decode(blob + "=" * (-len(blob) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def data_block(records: Sequence[dict[str, Any]], boundary: str | None = None) -> str:
    """Return the records as JSON between two lines that text inside cannot guess.

    The JSON is on one line and holds no raw line break, so nothing in it can be a closing line.
    """
    mark = boundary or secrets.token_hex(8)
    inside = json.dumps(list(records), ensure_ascii=False)
    inside = re.sub("[<\x85\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", inside)
    return f"<data-{mark}>\n{inside}\n</data-{mark}>"


def shown_to_model(text: str | None, limit: int) -> str | None:
    """Return the text as a model may see it: visible characters, no comments, cut to `limit`."""
    if text is None:
        return None
    return " ".join(visible(_COMMENT.sub(" ", text)).split())[:limit]
