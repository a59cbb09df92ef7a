"""Noun phrases of a text: the runs between function words, verbs and punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from paper_search.skills.intent.cutting import CUT, GLUE
from paper_search.skills.intent.languages import language_of
from paper_search.skills.intent.phrase_words import (
    ALONE,
    EMPTY_ADJECTIVES,
    GERUNDS,
    INFINITIVES,
    LIGHT_NOUNS,
    NAMES_IN_ING,
    PARTICIPLES,
    PHRASE_BREAKS,
    SUBJECTS,
    TRAILING,
    TRAILING_OF_LONG,
    is_adjective,
    is_adverb,
)
from paper_search.skills.stop_words import COMMANDS, FIXED_TERMS, GENERIC, OTHER_LANGUAGES
from paper_search.skills.words import is_unspaced

_PAPERS = (
    r"(?:papers?|articles?|publications?|stud(?:y|ies)|works?|research(?: papers?)?|literature"
    r"|surveys?)"
)
_LEAD = re.compile(
    r"^(?:(?:(?:can|could|would) you(?: please)?(?: (?:tell|show|give|find|list|name|recommend"
    r"|suggest|provide))?\b"
    r"|help me\b|i(?: am|'m)?(?: would)? (?:want|need|look\w*|like|interested)\b|we need\b"
    r"|i'?d like\b|i would be (?:interested|pleased|grateful)\b"
    r"|what (?:is|are|was|were)(?: known about)?\b|are there\b|is there\b|tell me\b"
    r"|how (?:do|does|can|to|much is known about)\b"
    rf"|(?:which|what) {_PAPERS} (?:have|has|had|are|were|is|was|can|could|first|deal with"
    rf"|focus on|talk about)\b"
    rf"|(?:which|what) {_PAPERS}(?: (?:that|which))?\b|which\b|(?:has|have|did) anyone\b"
    r"|(?:search(?:ing)?|look(?:ing)?) (?:for|up)\b|research (?:on|about|into|in)\b|an overview\b"
    r"|(?:work|works) (?:on|about|by|from)\b|(?:journal|conference|research)(?= (?:papers?"
    r"|articles?)\b)"
    r"|(?:considered|known as|said to be) (?:as )?(?:the )?(?:first|pioneering)\b|the first\b"
    r"|(?:me|us|for|to|in|some|any|all|the|a|an|of|on|about|and|at least|that|these)\b"
    r"|(?:ich )?(?:finde|suche|zeige(?: mir)?|artikel|studien|literatur|arbeiten|über|zu)\b"
    r"|(?:busca|encuentra|artículos|estudios|sobre|cherche|études|articles sur|sur)\b"
    r"|(?:请|帮我|帮忙|我想|我要|我需要|查找|寻找|搜索|检索|查询|推荐|给我|找到?|列出|了解|关于|有关)"
    rf"|(?:{'|'.join(re.escape(word) for word in sorted(COMMANDS, key=len, reverse=True))})\b)"
    r"(?![-'’])(?:[\s,:]*))+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?<![\s,;:.?!，。？！、])(?:[\s,;:.?!，。？！、]|\b(?:papers?|articles?|publications?|studies|please"
    r"|published|in|on|of"
    r"|for|from|and|with|the|only)\b|论文|文献|文章|研究|的)+$",
    re.IGNORECASE,
)
_MOST = 8
_LONGEST = 5
"""Words of a phrase; a longer one is a sentence without function words, not a term."""
_CHINESE_BREAK = re.compile(
    r"(?:请|帮我|帮忙|我想|我要|我需要|查找|寻找|搜索|检索|查询|推荐|给我|找到?|列出|了解"
    r"|关于|有关|相关|针对|基于|利用|使用|采用|通过|用于|应用于|应用|对于|由于|以及|或者?|还是"
    r"|论文|文献|文章|资料|研究|方法|技术|问题|影响|作用|进展|现状|综合|最新|最近|近期|主要"
    r"|哪些|什么|如何|怎么|怎样|有没有|是否|的|了|吗|呢|与|及|跟|从|被|把|是|之间"
    r"|在|(?<=\w)[中上下里](?=的|[，。,、\s]|$)|(?<=\w)中(?![国药医心枢风子性草期学])|方面|领域"
    r"|和(?![谐平])|对(?![比抗话称齐象数偶流]))"
)
_JAPANESE_BREAK = re.compile(r"[\u3041-\u309f]+|論文|文献|研究|最近")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_LETTERS = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")


def is_unspaced_clause(clause: str) -> bool:
    """Return whether a clause is to be cut as Chinese or Japanese."""
    return is_unspaced(clause) or _LETTERS.search(clause) is not None


def cut_unspaced(clause: str) -> list[str]:
    """Return the key phrases of a clause: Chinese between function words, Japanese as Kanji."""
    pattern = _JAPANESE_BREAK if _HIRAGANA.search(clause) else _CHINESE_BREAK
    parts = (part.strip() for part in pattern.split(clause))
    return [part for part in parts if len(part) > 1 and not part.isdigit()]


_QUOTED = re.compile(r"[\"“”„«»「」『』]([^\"“”„«»「」『』]{2,80})[\"“”„«»「」『』]")
_CLAUSE = re.compile(r"(?:[\w\s+#]|(?<=\w)[./'’*\u2010-\u2015\u2212-](?=\w))+")
_TOKEN = re.compile(r"[^\W_](?:[\w+#./'’\u2010-\u2015\u2212*-]*[\w+#])?")
_TOKEN_OF_ELISIONS = re.compile(r"[^\W_](?:[\w+#./\u2010-\u2015\u2212*-]*[\w+#])?")
_FIXED = re.compile(rf"\b(?:{'|'.join(map(re.escape, FIXED_TERMS))})\b", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]?")
_NUMBER = re.compile(r"\d{3,}(?:[-–/]\d+)*")
"""Years and other numbers at the end of a phrase; "type 2" and "Web 2" keep theirs."""
_MARKS = f"[{GLUE}{CUT}]"
_WITH_ELISIONS = ("fr", "it")
_ASKING = frozenset({"do", "does", "did", "can", "could", "may", "might", "will", "would"})
"""The first word of a question in which the words of `_ASKED` are verbs."""
_ASKED = frozenset({"cause", "lead", "contribute"})
"""Verbs that are nouns elsewhere ("cause of death") or have no object of their own."""
_EMPTY = EMPTY_ADJECTIVES | ALONE | LIGHT_NOUNS | GENERIC


@dataclass(frozen=True)
class Phrase:
    """A noun phrase at its place.

    Attributes:
        text: as it is written.
        start: its offset in the text.
        end: the offset behind it.
        joint: what stands between the phrase before and this one.
        is_quoted: whether it stood in quotes, and is not to be taken apart.
    """

    text: str
    start: int
    end: int
    joint: str = ""
    is_quoted: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether none of its words is a subject."""
        if self.is_quoted:
            return False
        words = [word.casefold() for word in self.text.split()]
        return (
            len(self.text) == 1
            or _INITIALS.fullmatch(self.text) is not None
            or all(_is_empty_word(word) for word in words)
        )  # a letter


def phrases(text: str, language: str | None = None) -> list[Phrase]:
    """Return the noun phrases of a text in order, each as it is written.

    English is cut at function words, verbs and adverbs, Chinese at its function words, Japanese
    at hiragana, everything at punctuation; other languages at their own function words.
    """
    glued = _FIXED.sub(lambda match: match[0].replace(" ", GLUE), text)
    found: list[Phrase] = []
    for start, end, is_quoted in sorted(_spans(glued, language)):
        written = " ".join(re.sub(_MARKS, " ", glued[start:end]).split())
        behind = found[-1].end if found else 0
        found.append(Phrase(written, start, end, text[behind:start], is_quoted))
    return found


def phrase_at(text: str, start: int) -> Phrase | None:
    """Return the noun phrase that begins at an offset; None: something else does."""
    clause = _CLAUSE.match(text, start)
    if clause is None:
        quoted = _QUOTED.match(text, start)
        return Phrase(quoted[1], quoted.start(1), quoted.end(), is_quoted=True) if quoted else None
    found = next(_cut(text, start, clause.end()), None)
    if found is None or not _is_lost(text[start : found[0]]):
        return None
    return Phrase(text[found[0] : found[1]], found[0], found[1])


def _is_lost(text: str) -> bool:
    """Return whether the text holds only what a phrase loses at its beginning."""
    return all(_is_loose_at_start(word.casefold()) for word in text.split())


def _spans(text: str, language: str | None) -> Iterator[tuple[int, int, bool]]:
    """Yield start, end and whether it was quoted, of all noun phrases."""
    quoted = [match for match in _QUOTED.finditer(text) if re.search(r"\w", match[1])]
    yield from ((match.start(1), match.end(1), True) for match in quoted)
    taken = [match.span() for match in quoted]
    for clause in _CLAUSE.finditer(_blanked(text, taken)):
        start, end = clause.span()
        if is_unspaced_clause(clause[0]):
            place = start
            for part in cut_unspaced(clause[0]):
                place = text.index(part, place)
                yield place, place + len(part), False
                place += len(part)
        else:
            yield from ((first, last, False) for first, last in _cut(text, start, end, language))


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{',' * (end - start)}{text[end:]}"
    return text


def _cut(text: str, start: int, end: int, language: str | None = None) -> Iterator[tuple[int, int]]:
    """Yield start and end of the noun phrases of a clause."""
    language = language or language_of(text)
    is_english = language not in OTHER_LANGUAGES
    breaks = PHRASE_BREAKS if is_english else OTHER_LANGUAGES[language]
    token = _TOKEN_OF_ELISIONS if language in _WITH_ELISIONS else _TOKEN
    is_shouted = text[start:end].isupper()
    words: list[re.Match[str]] = []
    before = ""
    found = list(token.finditer(text, start, end))
    if is_english and found and found[0][0].casefold() in _ASKING:
        breaks = breaks | _ASKED
    for match, following in zip_longest(found, found[1:]):
        word = match[0]
        behind = following[0].casefold() if following else ""
        # "US", "WHO" and "IT" are names, unless everything is in capitals.
        is_name = word.isupper() and len(word) > 1 and not is_shouted
        is_break = word.casefold() in breaks or (
            is_english and _is_verbal(before, word.casefold(), behind)
        )
        if (is_break and not is_name) or (word.isdigit() and not words):
            yield from _trimmed(words, is_english=is_english)
            words = []
        else:
            words.append(match)
        before = word.casefold()
    yield from _trimmed(words, is_english=is_english)


def _is_verbal(before: str, word: str, behind: str) -> bool:
    """Return whether an English word is a verb or an adverb where it stands."""
    is_infinitive = before == "to" and word in INFINITIVES and bool(behind)
    return is_infinitive or (before in SUBJECTS and word in PARTICIPLES) or is_adverb(word, behind)


def _trimmed(words: list[re.Match[str]], *, is_english: bool) -> Iterator[tuple[int, int]]:
    """Yield the phrase without what says nothing at its ends, if anything is left."""
    first, last = 0, len(words)
    lowered = [match[0].casefold() for match in words]
    while last - first > 1 and _is_loose_at_end(lowered[first:last], is_english=is_english):
        last -= 1
    while last - first > 1 and is_english and _is_loose_at_start(lowered[first]):
        first += 1
    left = lowered[first:last]
    if len(left) == 1 and is_english and (_is_verb_form(left[0])):
        return
    if left:
        yield words[first].start(), words[last - 1].end()


def _is_loose_at_start(word: str) -> bool:
    return word in EMPTY_ADJECTIVES or (word in GERUNDS and word not in NAMES_IN_ING)


def _is_loose_at_end(words: list[str], *, is_english: bool) -> bool:
    word = words[-1]
    if _NUMBER.fullmatch(word):
        return True
    if not is_english:
        return False
    if word in PARTICIPLES or word in EMPTY_ADJECTIVES:
        return True
    if word in TRAILING:
        # "asymptotic methods" stays: an adjective alone is no subject.
        return len(words) > 2 or not is_adjective(words[0])  # noqa: PLR2004  # it and another
    return len(words) > 2 and word in TRAILING_OF_LONG  # noqa: PLR2004  # "side effects" stays


def _is_verb_form(word: str) -> bool:
    return word in PARTICIPLES or (word in GERUNDS and word not in NAMES_IN_ING)


def _is_empty_word(word: str) -> bool:
    return word in _EMPTY or word.isdigit() or is_adverb(word) or _is_verb_form(word)


def key_phrases(text: str) -> list[str]:
    """Return the key phrases of `text`, quoted ones first, each once, at most eight.

    Nouns that say nothing alone ("effect", "method") are left out where something else is left.
    """
    found = phrases(without_request(text))
    found.sort(key=lambda phrase: not phrase.is_quoted)
    solid = [phrase for phrase in found if not phrase.is_empty] or found
    names = [phrase.text if phrase.is_quoted else _shortened(phrase.text) for phrase in solid]
    return list({name.casefold(): name for name in reversed(names)}.values())[::-1][:_MOST]


def _shortened(name: str) -> str:
    return name if is_unspaced(name) else " ".join(name.split()[:_LONGEST])


def without_request(text: str) -> str:
    """Return the text without the words of the request that it begins and ends with."""
    return _TAIL.sub("", _LEAD.sub("", text))
