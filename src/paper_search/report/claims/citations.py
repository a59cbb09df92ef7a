"""Citations in a text, as `[@key]` and in all other formats that a model may use."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from paper_search.bibliography.text import normalised_title
from paper_search.report.evidence import Evidence, sentences
from paper_search.report.models import Quote, SearchResult
from paper_search.skills.words import STOP_WORDS, tokens

_KEY = r"@[A-Za-z0-9_:.#$%&+?<>~/-]*[A-Za-z0-9_]"
_CITED = re.compile(rf"\[\s*({_KEY}(?:\s*[;,]\s*{_KEY})*)\s*\]")
_AMONG_WORDS = rf"\[(?=[^\[\]]*+\](?!\())[^\[\]]*(?<!\w){_KEY}[^\[\]]*+\]"
"""Keys in brackets, possibly with other words; e-mail addresses do not match."""
_MIXED = re.compile(rf"((?<=[\w\])%”\"’])[ \t]+)?({_AMONG_WORDS})")
_KEYS = re.compile(rf"{_KEY}(?:\s*[;,]\s*{_KEY})*")
_PAGES = re.compile(
    rf"({_KEY})\s*,\s*(?:pp?\b|pages?|ch\b|chap|chapter|sec|section|figs?\b|figure|tab|table|§)"
    r"?\.?\s*\d[\d\s,–-]*(?=;|$)"
)
"""A key with a page or section: "@rowan_2019, p. 5"."""
_BEHIND = re.compile(
    r"(?m:^[ \t>#]*(?:\d+|\w)\.(?=[ \t]))"
    r"|(?<![.!?])(?<!\b(?:al|cf|vs))(?<!\b(?:e\.g|i\.e|[Ff]ig))([.!?]++)([\"”’*_]*)[ \t]*"
    rf"({_AMONG_WORDS}(?:[ \t]*{_AMONG_WORDS})*)(?=\s+[\"“(*_]*[A-ZÀ-Þ0-9]|\s*(?:\n|$))"
)
"""Citations after the end of their sentence; or the number of a list item, which must not match as
the end of a sentence."""
_RAISED = re.compile(
    rf"(?<![ \t])[ \t]*(?:<sup>|\^)\s*({_AMONG_WORDS})(?:\s*</sup>|\^)?"
    r"|([.,;:!?])(?:<sup>([\d\s,;–-]*+)</sup>|([⁰¹²³⁴-⁹]+(?:[,˒⁻–-][⁰¹²³⁴-⁹]+)*))(?![\w/⁄⁻⁺])"
)
"""Superscripts: keys, or numbers after punctuation, but not powers or isotopes ("U,²³⁵U")."""
_IN_BOTH = re.compile(rf"\(\s*{_CITED.pattern}(?:\s*[;,]\s*{_CITED.pattern})*\s*\)")
"""Citations in parentheses, which remain of "(Rowan, 2019; Birch, 2021)"."""
_BRACKETS = re.compile(r"[\[(【]([^\[\]()【】\n]{3,600})[\])】](?!\()")
_BARE_KEY = re.compile(rf"(?<![\w\[;,@])({_KEY})(?![\w@])")
_NAME = r"[A-ZÀ-ÞŁŚŽČ][\w'’-]+"
_WHO = rf"{_NAME}(?:\s+(?:et\s+al\.?|(?:and|&)\s+{_NAME}|(?:and|&)\s+(?:colleagues|others)))?"
_YEAR = r"(?:1[4-9]|20)\d{2}[a-z]?"
_IN_PARENTHESES = re.compile(r"\(([^()]{6,600})\)")
_ONE_OF_THEM = re.compile(rf"(?<![\w'’-])({_NAME})(?![\w'’-])[^;()\d]{{0,80}}?,?\s+({_YEAR})")
_NARRATIVE = re.compile(rf"\b({_WHO})(?:['’]s)?,?\s+[\[(]({_YEAR})[\])]")
_BARE = re.compile(rf"\b({_WHO}),?\s+({_YEAR})\b")
_ET_AL = re.compile(rf"\b({_NAME})\s+(?:et\s+al\b\.?|and\s+colleagues\b)")
_AUTHOR_YEAR = re.compile(rf"\s*{_WHO},?\s+{_YEAR}\s*")
_NUMBERED = re.compile(r"\[\s*\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*\s*\]")
_TITLED = re.compile(r"\[([A-ZÀ-Þ][^\[\]@]{7,300})\](?!\()")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>)\]},;]+")
_ARXIV = re.compile(r"\barXiv:\s*(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE)
_PMID = re.compile(r"\bPMID:?\s*(\d{4,9})")
_URL = re.compile(r"\b(?:https?|ftp)://[^\s\"'<>)\]}]+|\bwww\.[^\s\"'<>)\]}]+")
_LABEL = re.compile(rf"{_NAME} \({_YEAR}\)")
_INTERVAL = re.compile(r"\b(?:CI|IQR|interval|range)[:,=]?\s*$", re.IGNORECASE)
_TEX = re.compile(r"\\(?:auto|paren|text|foot)?cite[a-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}")
_NOT_NAMES = frozenset((
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "since", "between", "until", "before", "after", "during",
    "from", "by", "in", "of", "and", "to", "the", "around", "circa", "year", "early", "late", "mid",
    "summer", "winter", "spring", "autumn", "fall", "only", "about", "over", "under", "for", "with",
    "as", "at", "on", "version", "section", "figure", "table", "part", "phase", "chapter", "covid",
))  # fmt: skip


@dataclass(frozen=True)
class Foreign:
    text: str
    keys: tuple[str, ...]
    """Keys of the sources that it may mean; empty if none was collected."""
    start: int
    """Offset in the text."""


def cited_keys(text: str) -> list[str]:
    """Return the distinct keys cited in a text, in order, whether they exist or not."""
    keys = (key for cited in _CITED.findall(text) for key in re.findall(_KEY, cited))
    return list(dict.fromkeys(key.lstrip("@") for key in keys))


def without_citations(text: str) -> str:
    return re.sub(r"(?<!\s)\s+([.,;:!?])", r"\1", _CITED.sub("", text)).strip()


def cite(keys: Iterable[str]) -> str:
    sources = "; ".join(f"@{key}" for key in dict.fromkeys(keys))
    return f"[{sources}]" if sources else ""


def foreign_citations(
    text: str, evidence: Evidence, cited: Sequence[SearchResult] = ()
) -> list[Foreign]:
    """Return every citation that is not `[@key]`, with the sources that it may mean.

    These are (Smith, 2020; Lee et al., 2021), Smith (2020), Smith et al. 2020, Smith et al., [3],
    [Title of a source], DOIs, arXiv ids, PMIDs, URLs, LaTeX's cite commands, and keys outside
    brackets. Text that the source `cited` with it has itself is no citation.
    """
    rest = _CITED.sub(lambda match: " " * len(match.group()), text)
    citations: list[Foreign] = []
    rest = _take(rest, _TEX, citations, lambda m: _by_keys(m.group(1), evidence))
    rest = _take(rest, _DOI, citations, lambda m: _by_field(evidence, "doi", m.group()))
    rest = _take(rest, _ARXIV, citations, lambda m: _by_field(evidence, "arxiv_id", m.group(1)))
    rest = _take(rest, _PMID, citations, lambda m: _by_field(evidence, "pmid", m.group(1)))
    rest = _take(rest, _URL, citations, lambda m: _by_address(evidence, m.group()))
    rest = _take(rest, _NUMBERED, citations, lambda _m: ())
    rest = _take(rest, _TITLED, citations, lambda m: _by_title(evidence, m.group(1)))
    rest = _take(rest, _BARE_KEY, citations, lambda m: _by_keys(m.group(1), evidence))
    rest = _in_parentheses(rest, evidence, citations)
    for pattern in (_NARRATIVE, _BARE):
        rest = _take(rest, pattern, citations, lambda m: _by_name(evidence, m.group(1), m.group(2)))
    authors = evidence.families  # these are mentioned, not cited
    _take(rest, _ET_AL, citations, lambda m: None if normalised_title(m[1]) in authors else ())
    return [
        citation
        for citation in citations
        if citation.keys or not _is_in_sources(citation, text, evidence, cited)
    ]


def normalised(text: str, evidence: Evidence) -> str:
    """Rewrite every unambiguous citation as `[@key]`.

    "Smith (2020) shows" keeps the name, and "[see @key, p. 5]" keeps "see". Citations after a full
    stop are moved into their sentence.
    """
    text = _BRACKETS.sub(lambda match: _in_our_brackets(match, evidence), text)
    text = _RAISED.sub(_from_superscript, text)
    text = _BEHIND.sub(lambda m: f"{m[2]} {m[3]}{m[1]}" if m[3] else m[0], text)
    text = _MIXED.sub(_keys_alone, text)
    for citation in foreign_citations(text, evidence):
        if len(citation.keys) == 1:
            key = cite(citation.keys)
            named = _NARRATIVE.fullmatch(citation.text)
            words = f"{citation.text[: named.start(2) - 1].rstrip(', ')} {key}" if named else key
            is_in_parentheses = f"({citation.text})" in text
            old = f"({citation.text})" if is_in_parentheses else citation.text
            text = text.replace(old, key if is_in_parentheses else words, 1)
    return _IN_BOTH.sub(lambda match: cite(cited_keys(match[0])), text)


def _in_our_brackets(match: re.Match[str], evidence: Evidence) -> str:
    """Write keys in any brackets as `[@key]`, and author-year citations in parentheses."""
    parts = [part.strip().removeprefix("@") for part in re.split(r"[;,]", match[1])]
    if all(part in evidence.by_key for part in parts):
        return cite(parts)
    is_author_year = all(map(_AUTHOR_YEAR.fullmatch, match[1].split(";")))
    return f"({match[1]})" if is_author_year else match[0]


def _from_superscript(match: re.Match[str]) -> str:
    """Write a superscript as a normal citation before the punctuation."""
    if match[1]:
        return f" {match[1]}"
    number = unicodedata.normalize("NFKC", match[3] or match[4]).replace("˒", ",").strip()
    return f" [{number.replace('−', '–')}]{match[2]}" if number else match[0]


def _keys_alone(match: re.Match[str]) -> str:
    """Put keys into brackets of their own, and other words of the brackets into the sentence.

    Page numbers and Pandoc's mark for suppressed authors are removed.
    """
    gap, inner = match[1] or "", match[2][1:-1].replace("-@", "@")
    inner = _PAGES.sub(r"\1", inner).strip()
    if _CITED.fullmatch(f"[{inner}]"):
        return f"{gap}[{inner}]"
    words = _KEYS.sub(lambda keys: f"[{keys[0]}]", inner)
    return f", {words}" if gap and not words.startswith("[") else f"{gap}{words}"


def _take(text: str, pattern: re.Pattern[str], citations: list[Foreign], keys: object) -> str:
    def one(match: re.Match[str]) -> str:
        sources = keys(match)  # type: ignore[operator]  # a function of the match
        if sources is not None:
            citations.append(Foreign(match.group(), tuple(sources), match.start()))
        return " " * len(match.group())

    return pattern.sub(one, text)


def _in_parentheses(text: str, evidence: Evidence, citations: list[Foreign]) -> str:
    def one(match: re.Match[str]) -> str:
        is_citation = False
        for part in re.finditer(r"[^;]+", match.group(1)):
            citation = _ONE_OF_THEM.search(part.group())
            if citation is None or citation.group(1).casefold() in _NOT_NAMES:
                continue
            is_citation = True
            keys = evidence.by_author_year(citation.group(1), citation.group(2))
            start = match.start(1) + part.start()
            citations.append(Foreign(part.group().strip(), tuple(keys), start))
        return " " * len(match.group()) if is_citation else match.group()

    return _IN_PARENTHESES.sub(one, text)


def _by_name(evidence: Evidence, who: str, year: str) -> tuple[str, ...] | None:
    name = re.sub(r"['’]s$", "", re.split(r"\s+", who)[0])
    is_name = name.casefold() not in _NOT_NAMES
    return tuple(evidence.by_author_year(name, year)) if is_name else None


def _by_keys(names: str, evidence: Evidence) -> tuple[str, ...]:
    keys = [part.strip().lstrip("@") for part in names.split(",")]
    return tuple(keys) if all(key in evidence.by_key for key in keys) else ()


def _keys(evidence: Evidence, is_meant: Callable[[SearchResult], bool]) -> tuple[str, ...]:
    return tuple(key for key, source in evidence.by_key.items() if is_meant(source))


def _by_field(evidence: Evidence, field: str, value: str) -> tuple[str, ...]:
    name = value.rstrip(".").casefold()
    return _keys(evidence, lambda source: str(source.metadata.get(field, "")).casefold() == name)


def _by_address(evidence: Evidence, address: str) -> tuple[str, ...]:
    plain = address.rstrip(".,;").rstrip("/")

    def is_meant(source: SearchResult) -> bool:
        own = source.source_url, str(source.metadata.get("url", ""))
        return plain in {one.rstrip("/") for one in own}

    return _keys(evidence, is_meant)


def _by_title(evidence: Evidence, title: str) -> tuple[str, ...] | None:
    """Return the keys of the sources with this title; None if it is too short for a title."""
    plain = " ".join(title.casefold().split())
    keys = _keys(
        evidence, lambda source: " ".join(source.title.casefold().split()).startswith(plain)
    )
    return keys if keys or len(plain.split()) > 2 else None  # noqa: PLR2004  # "[Emphasis added]"


def _is_in_sources(
    citation: Foreign, text: str, evidence: Evidence, cited: Sequence[SearchResult]
) -> bool:
    """Whether the text occurs in a source, so that it is no citation, or a second-hand one.

    For a name with a year ("Norway, 2010"), it is enough that a source has both, or that a cited
    source has that year ("BERT (2019)"). Text in the form of a citation must occur in a source
    cited with it.
    """
    before = text[max(0, citation.start - 100) : citation.start].rstrip()
    if _NUMBERED.fullmatch(citation.text):  # may be the bounds of an interval
        return _INTERVAL.search(before) is not None
    if _LABEL.fullmatch(citation.text) and any(str(s.year) in citation.text for s in cited):
        return True
    is_plain = _BARE.fullmatch(citation.text) and not before.endswith(("(", ";"))
    name, year = re.match(_NAME, citation.text), re.search(_YEAR, citation.text)
    for source in evidence.results if is_plain and "et al" not in citation.text else cited:
        source_text = f"{source.title}\n{source.text}\n{source.metadata.get('venue') or ''}"
        if citation.text.casefold() in source_text.casefold():
            return True
        if name and year and name[0] in source_text and year[0] in f"{source_text} {source.year}":
            return True
    return False


_QUOTED = re.compile(
    r"“([^“”]{1,2000})”|„([^“”„]{1,2000})[“”]|«([^«»]{1,2000})»|»([^«»]{1,2000})«"
    r"|‹([^‹›]{1,2000})›|[「『]([^「」『』]{1,2000})[」』]|``((?:(?!'').){1,2000})''"
    r"|\"([^\"]{1,2000})\"|‚([^‚‘]{1,2000})‘"
    r"|(?<!\w)‘([^‘’]*(?:’(?=\w)[^‘’]*)*)’(?!\w)"
    r"|(?<![\w'`])'(?=\w)([^'\n]{1,2000}?(?:(?<=\w)'(?=\w)[^'\n]*)*)'(?![\w'])"
    r"|`([^`\n]{1,2000})`|(?m:^[ \t]*>[ \t]?([^\n\[]{1,2000}))"
)
"""Words between any pair of quotation marks, and lines of block quotations."""
_LEFT_OUT = re.compile(r"\[[^\[\]]{0,200}\]|…|\.\s?\.\s?\.")
"""An ellipsis, or an insertion in brackets."""
_NEW_CASE = re.compile(r"\[(\w)\](?=\w)")
_AROUND = " .,;:!?'[]()"
_SAME = str.maketrans(
    {**dict.fromkeys('’‘“”„«»"`‹›', "'"), **dict.fromkeys("–—−‐‑", "-"), "\u00a0": " "}
)


@dataclass(frozen=True)
class Quotation:
    text: str
    start: int
    """Offset of the opening mark."""
    end: int


def quotations(text: str) -> list[Quotation]:
    quoted = ((next(filter(None, m.groups()), ""), *m.span()) for m in _QUOTED.finditer(text))
    return [Quotation(*each) for each in quoted if any(map(str.isalnum, each[0]))]


def locate(words: str, result: SearchResult) -> Quote | None:
    """Return the place of a source's words, or None.

    Case, spaces and variants of quotation marks and dashes are ignored. An ellipsis or words in
    brackets match omitted words.
    """
    for part, text in (("text", result.text), ("title", result.title)):
        pieces = _pieces(words, text)
        if pieces:
            start, end = pieces[0][0], pieces[-1][1]
            fields = {"result_id": result.result_id, "text": text[start:end], "part": part}
            return Quote.model_validate({**fields, "start": start, "end": end})
    return None


def locate_sentences(words: str, result: SearchResult) -> Quote | None:
    """Return the place of a source's words if they are whole sentences or its title."""
    quote = locate(words, result)
    if quote is None or _LEFT_OUT.search(words):
        return None
    if quote.part == "title":
        return quote if _bare(words) == _bare(result.title) else None
    own = [
        sentence.text
        for sentence in sentences(result.text)
        if sentence.start < quote.end and quote.start < sentence.end
    ]
    return quote if _bare(" ".join(own)) == _bare(words) else None


def _bare(text: str) -> str:
    return _folded(text)[0].strip(_AROUND)


def closest_quote(text: str, cited: Sequence[SearchResult], evidence: Evidence) -> Quote | None:
    """Return the words of a source that a text quotes, or the most similar sentence."""
    for quotation in quotations(text):
        for result in cited:
            if (quote := locate(quotation.text, result)) is not None:
                return quote
    stems = _stems(without_quotations(text))
    best: tuple[int, Quote] | None = None
    for result in cited:
        own = evidence.sentences.get(result.result_id, [])
        parts = [("text", sentence.text, sentence.start, sentence.end) for sentence in own]
        for part, words, start, end in [*parts, ("title", result.title, 0, len(result.title))]:
            shared = len(stems & _stems(words))
            if shared and (best is None or shared > best[0]):
                fields = {"result_id": result.result_id, "text": words, "part": part}
                best = (shared, Quote.model_validate({**fields, "start": start, "end": end}))
    return best[1] if best else None


@lru_cache(maxsize=32768)
def _stems(text: str) -> frozenset[str]:
    return frozenset(
        stem for word in text.split() if word.casefold() not in STOP_WORDS for stem in tokens(word)
    )


def sources_saying(words: str, evidence: Evidence) -> list[str]:
    return [source.result_id for source in evidence.results if locate(words, source) is not None]


def without_quotations(text: str) -> str:
    """Replace quotations by blanks."""
    letters = list(text)
    for quotation in quotations(text):
        letters[quotation.start : quotation.end] = " " * (quotation.end - quotation.start)
    return "".join(letters)


def _pieces(words: str, text: str) -> list[tuple[int, int]]:
    """Return the places of all parts of a quotation between its ellipses, or none."""
    parts = [part.strip(_AROUND) for part in _LEFT_OUT.split(_NEW_CASE.sub(r"\1", words))]
    plain, places = _folded(text)
    places_of_parts: list[tuple[int, int]] = []
    position = 0
    for part in filter(None, parts):
        folded_part = _folded(part)[0]
        if folded_part not in plain:  # true for nearly every source, and faster than a pattern
            return []
        match = re.compile(rf"(?<!\w){re.escape(folded_part)}(?!\w)").search(plain, position)
        if match is None:
            return []
        places_of_parts.append((places[match.start()], places[match.end() - 1] + 1))
        position = match.end()
    return places_of_parts


@lru_cache(maxsize=128)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text folded for comparison, and the offset of each of its characters."""
    letters: list[str] = []
    places: list[int] = []
    for index, character in enumerate(text):
        if character.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
                places.append(index)
            continue
        for folded in unicodedata.normalize("NFKC", character.translate(_SAME)).casefold():
            letters.append(folded)
            places.append(index)
    return "".join(letters), tuple(places)
