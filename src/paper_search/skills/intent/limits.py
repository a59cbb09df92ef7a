"""The number, language and kind of papers that a question asks for."""

from __future__ import annotations

import re
from datetime import date

from paper_search.models import IntentType
from paper_search.skills.intent.cutting import cut, is_quoted

_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it",
    "portuguese": "pt", "dutch": "nl", "russian": "ru", "chinese": "zh", "mandarin": "zh",
    "japanese": "ja", "korean": "ko", "arabic": "ar", "turkish": "tr", "polish": "pl",
    "swedish": "sv", "norwegian": "no", "danish": "da", "finnish": "fi", "czech": "cs",
    "hungarian": "hu", "greek": "el", "hebrew": "he", "hindi": "hi", "persian": "fa",
    "farsi": "fa", "ukrainian": "uk", "romanian": "ro", "indonesian": "id", "vietnamese": "vi",
    "thai": "th", "catalan": "ca",
}  # fmt: skip
_NAMES = "|".join(_LANGUAGES)
_PAPERS = (
    r"(?:papers?|articles?|publications?|studies|works?|results?|references?|records?|preprints?"
    r"|documents?|hits?|reviews?|surveys?|datasets?|trials?)"
)
_END = r"(?=\s*(?:[.,;:?!)]|$|\b(?:on|about|for|since|from|after|before|between|published|that)\b))"
_LANGUAGE_CUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:written|published|available|only)\s+in\s+(?P<name>{_NAMES})\b",
        rf"\b(?P<name>{_NAMES})[\s-]language\b(?=\s+{_PAPERS}|\s+literature|\s+only)",
        rf"\b(?:in\s+)?(?P<name>{_NAMES})\s+only\b",
        rf"\bin\s+(?:the\s+)?(?P<name>{_NAMES})(?:\s+language)?{_END}",
    )
)
_NOT_IN = re.compile(
    r"\b(?:not|no|except|excluding|other than|but not)\s+(?:those\s+|papers\s+|articles\s+)?"
    rf"(?:written\s+|published\s+)?in\s+(?:{_NAMES})\b",
    re.IGNORECASE,
)
_OF_LANGUAGE = re.compile(
    r"\b(?:languages?|speech|spoken|sentiment|translation|text|parsing|linguistics?|grammar|nlp"
    r"|words?"
    r"|tweets|phonolog\w+|syntax|morpholog\w+|named entit\w+|corpus|corpora|dialects?|reading"
    r"|pronunciation|vocabular\w+|sentences?|recognition|poetry|verbs?|nouns?|summari[sz]ation)\b",
    re.IGNORECASE,
)
"""Subjects that are in a language themselves: "speech recognition in Hindi" is no limit."""
_AROUND = 30
"""Characters before "in Hindi" in which its subject stands."""
_NUMBERS = {
    "five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "hundred": 100, "a dozen": 12, "a hundred": 100, "one hundred": 100,
}  # fmt: skip
_COUNT = rf"(?P<count>\d{{1,6}}|{'|'.join(_NUMBERS)})"
_COUNT_CUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"\b(?:the\s+)?(?:top|first|best)[\s-]+{_COUNT}\b(?:\s+(?:\w+\s+)?{_PAPERS}\b"
            r"|(?=\s+(?:on|about)\b)|$)"
        ),
        (
            rf"\b(?:at\s+(?:least|most)|up\s+to|(?:a\s+)?(?:maximum|minimum)\s+of|max\.?|about"
            rf"|around"
            rf"|no\s+more\s+than)\s+{_COUNT}\s+(?:[\w-]+\s+){{0,2}}?{_PAPERS}\b"
        ),
        (
            rf"\b{_COUNT}\s+(?:(?:most|recent|relevant|cited|best|new|key|important|good|different"
            rf"|peer-reviewed|scientific|academic|research|seminal|review"
            rf"|survey)\s+){{0,4}}{_PAPERS}\b"
        ),
        r"(?:前|至少|最多|约)?(?P<count>\d{1,6})\s*(?:篇|个|条)(?:左右|以上)?",
        r"前\s*(?P<count>\d{1,6})(?=\D|$)",
        rf"\b{_COUNT}\s+(?:artikel|arbeiten|studien|artículos|estudios|études|artigos|articoli)\b",
    )
)

_KIND_CUES: tuple[tuple[IntentType, re.Pattern[str]], ...] = (
    (
        IntentType.SURVEY,
        re.compile(
            r"\b(?:(?:systematic|literature|scoping|narrative|umbrella|critical|state[- ]of[- ]the"
            r"[- ]art)\s+)?(?:surveys?|(?<!peer )(?<!peer-)(?<!customer )(?<!product )"
            r"(?<!code )(?<!online )reviews?|overviews?|tutorials?)\b(?:\s+(?:of|on|about)\b)?"
            r"(?!\s+(?:data|sampling|design|methodology|experiments?|instruments?|respondents?"
            r"|weighting|questions?|nonresponse))"
            r"|\bmeta[- ]?analys[ei]s\b|\bÜberblick\b|\bÜbersichts?\w*|\brevisión sistemática\b"
            r"|\bstate of research\b|综述|评述|述评|研究进展|进展综述|レビュー|サーベイ",
            re.IGNORECASE,
        ),
    ),
    (
        IntentType.DATASET,
        re.compile(
            r"\b(?:data ?sets?|data[- ]sets?|benchmarks?|corpora|corpus"
            r"(?!\s+(?:callosum|luteum|striatum|cavernosum|christi|linguistics))"
            r"|data collections?|test collections?|training data|open data)\b(?:\s+(?:for|of)\b)?"
            r"|\bDatensätze?n?\b|\bconjuntos? de datos\b"
            r"|数据集|语料库|基准测试|数据库|データセット|コーパス",
            re.IGNORECASE,
        ),
    ),
    (
        IntentType.BASELINE,
        re.compile(
            r"\b(?:baselines?|state[- ]of[- ]the[- ]art|sota|compar(?:e|es|ed|ing|isons?|ative)"
            r"|head[- ]to[- ]head|leaderboards?)\b(?:\s+(?:of|for|in|with|to)\b)?"
            r"|\bVergleich\w*|基线|对比|比较|最先进|比較",
            re.IGNORECASE,
        ),
    ),
)


def read_count(text: str, today: date) -> tuple[str, int | None]:
    """Return the text without the number of papers wanted, and the number."""
    for cue in _COUNT_CUES:
        for match in cue.finditer(text):
            said = match["count"].casefold()
            count = _NUMBERS[said] if said in _NUMBERS else int(said)
            is_year = len(said) == len("2020") and 1900 <= count <= today.year + 1  # noqa: PLR2004  # "2021 papers" are of that year
            if count > 0 and not is_year:
                return cut(text, match.start(), match.end()), count
    return text, None


def read_language(text: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the text without the language that papers are to be in, its code, and notes.

    The code is of ISO 639-1. A language that papers are not to be in limits nothing, with a note.
    """
    notes: list[str] = []
    while match := _NOT_IN.search(text):
        notes.append(f"excluding a language is not supported: {match[0].strip()!r}")
        text = cut(text, match.start(), match.end())
    rest, code = _wanted_language(text)
    return rest, code, tuple(notes)


def _wanted_language(text: str) -> tuple[str, str | None]:
    for number, cue in enumerate(_LANGUAGE_CUES, start=1):
        match = cue.search(text)
        is_bare = number == len(_LANGUAGE_CUES)
        before = text[max(0, match.start() - _AROUND) : match.start()] if match else ""
        if match and not (is_bare and _OF_LANGUAGE.search(before)):
            return cut(text, match.start(), match.end()), _LANGUAGES[match["name"].casefold()]
    return text, None


def read_kind(text: str) -> tuple[str, IntentType]:
    """Return the text without the words of the kind of paper, and the kind.

    The kind is that of the first cue in the order survey, dataset, baseline; without any cue,
    `method`: most questions ask how something is done.
    """
    for kind, cue in _KIND_CUES:
        found = [match for match in cue.finditer(text) if not is_quoted(text, match.start())]
        for match in reversed(found):
            text = cut(text, match.start(), match.end())
        if found:
            return text, kind
    return text, IntentType.METHOD
