"""Kinds of publication, the number and the language of papers, and wishes without effect."""

from __future__ import annotations

import re

from paper_search.models import IntentType
from paper_search.skills.intent.cutting import PAPERS, STOP, cut, forms, is_quoted

_OF_REVIEWS = r"systematic|literature|scoping|narrative|umbrella|critical"
_KINDS = {
    "review": (
        rf"(?:(?:{_OF_REVIEWS})\s+)?(?:reviews?|surveys?|overviews?)(?:\s+(?:papers?"
        rf"|articles?))?"
    ),
    "article-journal": r"(?:peer[- ]reviewed\s+)?journal\s+(?:articles?|papers?)",
    "article": r"pre-?prints?|arxiv\s+papers?|unpublished\s+(?:papers?|manuscripts?)",
    "thesis": r"(?:(?:phd|doctoral|master['’]?s?)\s+)?(?:theses|thesis|dissertations?)",
    "chapter": r"book\s+chapters?|chapters",
    "book": r"books?|monographs?|textbooks?",
    "paper-conference": (
        r"conference\s+(?:papers?|abstracts?|proceedings)|proceedings(?:\s+papers?)?"
    ),
    "report": r"(?:technical\s+|working\s+)?reports|working\s+papers?|white\s+papers?",
    "dataset": r"data\s?sets?",
    "case report": r"case\s+(?:reports?|stud(?:y|ies)|series)",
    "editorial": (
        r"editorials?|commentar(?:y|ies)|letters(?:\s+to\s+the\s+editor)?|opinion\s+pieces?"
    ),
}
_NAMED = tuple(
    (kind, re.compile(rf"\b(?:{pattern})(?![\w-])", re.IGNORECASE))
    for kind, pattern in _KINDS.items()
)
_WANTED = re.compile(
    r"^\W*(?:(?:find|show|give|me|list|get|please|need|want|only|some|the|all|recent)\s+)*",
    re.IGNORECASE,
)
_LEAD = (
    r"^(?:\W*(?:find|show|give|me|a|an|the|some|any|all|only|good|recent|latest|new|open|public"
    r"|need"
    r"|want|please|i|looking\s+for|list|get)\b)*\s*"
)
_SURVEYS = re.compile(
    rf"\b(?:{_OF_REVIEWS})\s+(?:reviews?|surveys?|overviews?)\b|\bmeta-?\s?analys[ei]s\b"
    r"|\b(?:reviews?|surveys?)\s+(?:papers|articles|literature)\b"
    rf"|{_LEAD}(?:surveys?|reviews?|overviews?)(?=\s+(?:of|on|about)\s)"
    r"|:\s+an?\s+(?:review|survey|overview)\s*$|\b(?:reviews?|surveys?)\s+only\b"
    r"|\bonly\s+(?:reviews|surveys)\b",
    re.IGNORECASE,
)
_DATASETS = re.compile(
    rf"{_LEAD}(?:data\s?sets?|benchmarks?|corpora)"
    r"(?=\s+(?:of|on|for)\s)|\b(?:data\s?sets|benchmarks|corpora)\s*$",
    re.IGNORECASE,
)
_BASELINES = re.compile(
    r"\b(?:baselines?|state[- ]of[- ]the[- ]art\s+(?:in|for|on)|sota|leaderboards?)\b"
    r"|^\W*compare\b",
    re.IGNORECASE,
)

_NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "a dozen": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "a hundred": 100, "hundred": 100,
}  # fmt: skip
_N = rf"(?P<n>\d{{1,4}}|{'|'.join(_NUMBERS)})"
_THINGS = (
    r"(?:papers?|articles?|publications?|studies|works|results?|references?|trials|reviews"
    r"|preprints|hits|records)"
)
_ADJECTIVES = (
    r"(?:most|recent|relevant|cited|best|good|gd|great|new|newest|latest|key|important|different"
    r"|main|major|top|useful|classic|peer-reviewed"
    r"|scientific|academic|research|review|survey|seminal|influential|english|journal|conference"
    r"|empirical|or\s+so|solid|decent)"
)
_NOT_RATE = r"(?!\s+(?:a|per|each|every)\s)"
_COUNTS = tuple(
    forms(
        "count",
        {"ADJECTIVES": _ADJECTIVES, "N": _N, "NOT_RATE": _NOT_RATE, "THINGS": _THINGS},
    )
)
_MOST_RESULTS = 1900

_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it",
    "portuguese": "pt", "dutch": "nl", "russian": "ru", "chinese": "zh", "mandarin": "zh",
    "japanese": "ja", "korean": "ko", "arabic": "ar", "turkish": "tr", "polish": "pl",
    "swedish": "sv", "norwegian": "no", "danish": "da", "finnish": "fi", "czech": "cs",
    "hungarian": "hu", "greek": "el", "hebrew": "he", "hindi": "hi", "persian": "fa",
    "ukrainian": "uk", "romanian": "ro", "indonesian": "id", "vietnamese": "vi", "thai": "th",
}  # fmt: skip
_NAMES = rf"(?P<name>{'|'.join(_LANGUAGES)})"
_LANGUAGE = tuple(
    forms(
        "language",
        {"LANGUAGES": "|".join(_LANGUAGES), "NAMES": _NAMES, "PAPERS": PAPERS, "STOP": STOP},
    )
)
_WISHES = re.compile("|".join(pattern.pattern for _, pattern in forms("wish", {})), re.IGNORECASE)


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, and where its name ends; None: none."""
    for kind, pattern in _NAMED:
        if match := pattern.match(text, start):
            return kind, match.end()
    return None


def read_kinds(text: str) -> tuple[str, list[str]]:
    """Return the text without the kind of publication it begins with, and that kind.

    Surveys and data sets are the type of an intent (`read_type`); other words are the subject.
    """
    start = _WANTED.match(text).end()  # type: ignore[union-attr]  # matches anything
    kind = kind_at(text, start)
    goes_on = kind and re.match(r"\s+(?:on|about)\s", text[kind[1] :], re.IGNORECASE)
    if kind is None or not goes_on or kind[0] in {"review", "dataset", "case report", "editorial"}:
        return text, []
    return cut(text, start, kind[1]), [kind[0]]


def read_type(text: str) -> tuple[str, IntentType]:
    """Return the text that concepts are read from, without the words that tell the type."""
    for cue, kind in (
        (_SURVEYS, IntentType.SURVEY),
        (_DATASETS, IntentType.DATASET),
        (_BASELINES, IntentType.BASELINE),
    ):
        if (match := cue.search(text)) and not is_quoted(text, match.start()):
            return cut(text, match.start(), match.end()), kind
    return text, IntentType.METHOD


def read_count(text: str) -> tuple[str, int | None]:
    """Return the text without the number of papers that is asked for, and that number."""
    for _, pattern in _COUNTS:
        for match in pattern.finditer(text):
            number = match["n"].lower()
            count = int(number) if number.isdigit() else _NUMBERS[number]
            if 0 < count <= _MOST_RESULTS and not is_quoted(text, match.start()):
                wishes = "".join(f" {wish[0]} papers" for wish in _WISHES.finditer(match[0]))
                return f"{text[: match.start()]}\ue000{wishes} {text[match.end() :]}", count
    return text, None


def read_language(text: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the text without the language of the papers, that language, and notes."""
    for kind, pattern in _LANGUAGE:
        match = pattern.search(text)
        if match is None or is_quoted(text, match.start()):
            continue
        wording = match[0].strip(" ,;-–—()")
        name = next(name for name in match.groupdict().values() if name)
        rest = cut(text, match.start(), match.end())
        if kind == "limit":
            return rest, _LANGUAGES[name.casefold()], ()
        note = f"not acted on: {wording!r}; for the language of papers, write 'papers in {name}'"
        return (text if kind == "subject" else rest), None, (note,)
    return text, None, ()


def read_wishes(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without wishes that no search can meet, such as "most cited", and notes."""
    notes = []
    for match in reversed(list(_WISHES.finditer(text))):
        if not is_quoted(text, match.start()):
            notes.append(f"not acted on: {match[0].strip()}")
            text = cut(text, match.start(), match.end())
    return text, tuple(reversed(notes))
