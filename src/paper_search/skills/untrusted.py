"""Untrusted text: removes hidden characters, detects instructions to a model, delimits data."""

import base64
import binascii
import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple

from paper_search.bibliography.text import remove_invisible
from paper_search.models import MarkedPaper
from paper_search.resources import PackageFiles

LONGEST_TITLE = 300
SUSPICIOUS = "suspicious_text"
"""The flag in a reason for text that seems to address the program."""

_HIDDEN_IN_WORDS = re.compile(
    "[\u200b-\u200d\u202d\u202e\u2060\ufeff\U000e0000-\U000e007f]"
    "(?:(?<=[A-Za-z].)(?=[A-Za-z])|(?<=[\u202d\u202e\U000e0000-\U000e007f]))"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_BLOB = 24  # characters of base64 that can hold an order
_BASE64 = re.compile(rf"[A-Za-z0-9+/]{{{_BLOB},}}={{0,2}}")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_NO_LETTER = re.compile("[\u0300-\u036f\u200c\u200d]")
_LOOKALIKES = str.maketrans("аеорсухіјѕԁɡοαντ“”„«»‘’–—。！？：", 'aeopcyxijsdgoavt"""""""||.!?:')
_DIGIT_IN_WORD = re.compile(r"[0134578@$](?=[a-z])")
_DIGITS = str.maketrans("0134578@$", "oieastbas")
_IS_SPACED = re.compile(r" \w \w \w \w ")
_SPACED = re.compile(r"(?<!\w)\w(?: \w(?!\w)){4,}")
_HAN = re.compile("[\u4e00-\u9fff]")
_CLAUSE = re.compile(r"[.,:;!?()\[\]{}\"'|=*/>#\n] ?([a-z0-9]+)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?])(?=[\u4e00-\u9fff])")
_LONG = 6  # letters from which a word is recognized with one missing
_TOKEN = re.compile(r"[a-z]+(?:'t)?|\d+(?:[./]\d+)*|[^\w\s]|\n|[^\W\d_]+")
_SIGNS = {
    **dict.fromkeys("()[]{}\"';|/#%`<>\\.!?", "|"),
    **dict.fromkeys("-*", ""),
    **dict(zip(",\n:=", ",,:=", strict=True)),
}
_THIS = re.compile(
    r" this (?<!in this )(?<!of this )(?<![.,:;] this )(?:paper|article|abstract|record|study|trial"
    r"|entry|submission|item|document|manuscript|publication|work|text|one)\b"
)
"""A cue for orders without an opener or a verb at the beginning of a clause."""


class _Form(NamedTuple):
    """A form of an order: its pattern, and how many kinds of evidence a sentence needs."""

    pattern: re.Pattern[str]
    needed: int
    evidence: list[re.Pattern[str]]


class _Orders:
    def __init__(self) -> None:
        self.letters = dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "e") | _SIGNS
        self.marks: list[tuple[str, re.Pattern[str]]] = []
        self.forms: list[_Form] = []
        self._parts: dict[str, str] = {}
        table = PackageFiles("paper_search.skills").read("orders.txt").decode("utf-8")
        for line in filter(None, table.splitlines()):
            kind, rest = line.split(" ", 1)
            if kind == "mark":
                anchor, pattern = rest.split(" : ", 1)
                self.marks.append((anchor, re.compile(pattern, re.DOTALL)))
            elif kind == "part":
                name, pattern = rest.split(" ", 1)
                self._parts[name] = self._whole(pattern)
            elif kind == "form":
                pattern, needs = rest.rsplit(" : ", 1)
                needed, *evidence = needs.split()
                parts = [re.compile(self._parts[name]) for name in evidence]
                self.forms.append(_Form(re.compile(self._whole(pattern)), int(needed), parts))
            elif kind == "open":
                self.openers = frozenset(rest.split())
            elif kind != "#":
                self.letters.update(dict.fromkeys(rest.split(), kind))
        self.needed = re.compile(self._parts["NEEDED"])
        words = sorted(filter(str.isalpha, self.letters), key=len, reverse=True)
        self.han_words = re.compile("|".join(filter(_HAN.match, words)))
        self.latin_words = re.compile("|".join(w for w in words if w.isascii() and len(w) > 1))
        for word in words:
            for place in range(len(word)) if len(word) >= _LONG else ():
                self.letters.setdefault(word[:place] + word[place + 1 :], self.letters[word])
        self.verbs = {word for word, letter in self.letters.items() if letter in "vWJxnCEsahg"}

    def _whole(self, pattern: str) -> str:
        return re.sub(r"<<(\w+)>>", lambda name: self._parts[name[1]], pattern)


_orders = cache(_Orders)


def visible(text: str) -> str:
    """Return the text without what a person would not see."""
    return remove_invisible(text)


def is_suspicious(*texts: str | None) -> bool:
    """Whether one of the texts seems to give orders to a model.

    Lookalike letters, compatibility forms, digits for letters, spaced letters and base64 are
    decoded first, and quotation marks are ignored. The detector is narrow: a text about prompts,
    graders or criteria is not an order.
    """
    return any(_gives_orders(text) for text in texts if text)


def _gives_orders(text: str) -> bool:
    if "<!--" in text or (not text.isascii() and _HIDDEN_IN_WORDS.search(text)):
        return True
    plain = visible(text)
    if _has_order(_simplify(plain)):
        return True
    has_blob = max(map(len, plain.split()), default=0) >= _BLOB
    return has_blob and any(_has_order(_simplify(_decode(blob))) for blob in _BASE64.findall(plain))


def _simplify(text: str) -> str:
    """Return the text in lower case, with each letter in its simplest form."""
    text = text.lower()
    return text if text.isascii() else _NOT_ASCII.sub(_simplest, text)


def _simplest(run: re.Match[str]) -> str:
    letters = unicodedata.normalize("NFKD", run[0].translate(_LOOKALIKES)).casefold()
    return _NO_LETTER.sub("", letters).translate(_LOOKALIKES)


def _has_order(text: str) -> bool:
    for anchor, mark in _orders().marks:
        if anchor in text and mark.search(text):
            return True
    return any(map(_is_order, _candidates(text)))


def _candidates(text: str) -> list[str]:
    """Return the sentences that may be orders; most texts have none."""
    orders, verbs = _orders(), _orders().verbs
    is_unclear = False  # whether sentence boundaries are unclear
    if _IS_SPACED.search(text):
        text, is_unclear = _SPACED.sub(_join_letters, text), True
    if not text.isascii() and _HAN.search(text):
        text, is_unclear = orders.han_words.sub(r" \g<0> ", text), True
    cues = _THIS.findall(text)
    words = text.split()
    if not orders.openers.isdisjoint(words):
        cues += orders.openers.intersection(words)
    cues += [
        word
        for word in _CLAUSE.findall("." + text)
        if word in verbs or (not word.isalpha() and word.translate(_DIGITS) in verbs)
    ]
    if not cues and not is_unclear:
        return []
    sentences = _SENTENCE_END.split(text)
    return [s for s in sentences if is_unclear or any(cue in s for cue in cues)]


def _join_letters(run: re.Match[str]) -> str:
    return _orders().latin_words.sub(r" \g<0> ", run[0].replace(" ", ""))


def _is_order(sentence: str) -> bool:
    orders = _orders()
    written = _DIGIT_IN_WORD.sub(lambda digit: digit[0].translate(_DIGITS), sentence)
    letters = "".join(map(orders.letters.get, _TOKEN.findall(written), repeat(".")))
    is_possible = orders.needed.search(letters) is not None
    return is_possible and any(_fits(form, letters) for form in orders.forms)


def _fits(form: _Form, letters: str) -> bool:
    """Whether a sentence has the form; its verb does not also count as evidence of a grade."""
    for match in form.pattern.finditer(letters):
        if not form.needed:
            return True
        start, end = match.span("verb")
        rest = letters[:start] + "v" + letters[end:] if end > start else letters
        if sum(bool(part.search(rest)) for part in form.evidence) >= form.needed:
            return True
    return False


def _decode(blob: str) -> str:
    try:
        return base64.b64decode(blob + "=" * (-len(blob) % 4)).decode("utf-8", "ignore")
    except (binascii.Error, ValueError):
        return ""


def data_block(records: Sequence[dict[str, Any]], boundary: str | None = None) -> str:
    """Return the records as JSON on one line, between two lines with a random boundary."""
    mark = boundary or secrets.token_hex(8)
    inside = json.dumps(list(records), ensure_ascii=False)
    inside = re.sub("[<\x85\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", inside)
    return f"<data-{mark}>\n{inside}\n</data-{mark}>"


def titles_of_marks(marks: Iterable[MarkedPaper]) -> list[dict[str, Any]]:
    return [
        {
            "title": shown_to_model(mark.title, LONGEST_TITLE),
            "marked": "relevant" if mark.is_relevant else "irrelevant",
        }
        for mark in marks
    ]


def inline_json(value: object) -> str:
    """Return JSON on one line that cannot open a data block."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def shown_to_model(text: str | None, limit: int) -> str | None:
    """Return visible characters of a text, without comments, up to `limit`."""
    if text is None:
        return None
    return " ".join(visible(_COMMENT.sub(" ", text)).split())[:limit]
