"""Key phrases of a question: the chunks between its function words."""

from __future__ import annotations

import re

from paper_search.skills.stop_words import (
    BREAKS,
    COMMANDS,
    EDGES,
    FIXED_TERMS,
    GENERIC,
    OTHER_LANGUAGES,
)
from paper_search.skills.words import is_unspaced

MAX_CONCEPTS = 8
_LONGEST = 5
"""Words of a chunk; a longer one is a sentence without function words, not a term."""

_QUOTED = re.compile(r"[\"“”„«»「」『』]([^\"“”„«»「」『』]{2,80})[\"“”„«»「」『』]")
_TOKEN = re.compile(r"[^\W_](?:[\w+#./'’-]*[\w+#])?")
_HYPHENLIKE = re.compile("[\u2010-\u2015\u2212]")
_GLUE = "\ua78f"
"""Stands for the spaces of a fixed term while the text is cut: a letter that nobody writes."""
_FIXED = re.compile(rf"\b(?:{'|'.join(map(re.escape, FIXED_TERMS))})\b", re.IGNORECASE)

_LEAD = re.compile(
    r"^(?:(?:(?:can|could) you\b|help me\b"
    r"|i(?: am|'m)?(?: would)? (?:want|need|look\w*|like|interested)\b|we need\b"
    r"|what (?:is|are)\b|are there\b|is there\b|tell me\b|how (?:do|does|can|to)\b|which\b"
    r"|(?:search(?:ing)?|look(?:ing)?) (?:for|up)\b|research (?:on|about|into|in)\b|an overview\b"
    r"|(?:work|works) (?:on|about)\b|(?:journal|conference|research)(?= (?:papers?|articles?)\b)"
    r"|(?:me|us|for|to|in|some|any|all|the|a|an|of|on|about|and|at least|that|these)\b"
    r"|(?:ich )?(?:finde|suche|zeige(?: mir)?|artikel|studien|literatur|über|zu)\b"
    r"|(?:busca|encuentra|artículos|estudios|sobre|cherche|études|sur)\b"
    r"|(?:请|帮我|帮忙|我想|我要|我需要|查找|寻找|搜索|检索|查询|推荐|给我|找到?|列出|了解|关于|有关)"
    rf"|(?:{'|'.join(re.escape(word) for word in sorted(COMMANDS, key=len, reverse=True))})\b)"
    r"(?![-'’])(?:[\s,:]*))+",
    re.IGNORECASE,
)

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
_PUNCTUATION = re.compile(r"[^\w\s+#./'’-]+|(?<!\w)[./'’-]+|[./'’-]+(?!\w)")


def without_request(text: str) -> str:
    """Return the text without the words of the request that it begins with."""
    return _LEAD.sub("", text)


def key_phrases(text: str) -> list[str]:
    """Return the key phrases of `text` in order, each once, at most `MAX_CONCEPTS`.

    Quoted text is one phrase as it stands. English is cut at function and command words, Chinese
    at its function words, Japanese at hiragana, everything at punctuation. Generic nouns
    ("effect", "method") are left out where something else is left.
    """
    text = without_request(_HYPHENLIKE.sub("-", text))
    quoted = [phrase.strip() for phrase in _QUOTED.findall(text)]
    text = _QUOTED.sub(" , ", text)
    chunks = [*quoted, *_chunks(text)]
    solid = [chunk for chunk in chunks if _is_solid(chunk)]
    return list({chunk.casefold(): chunk for chunk in reversed(solid or chunks)}.values())[::-1][
        :MAX_CONCEPTS
    ]


def _chunks(text: str) -> list[str]:
    text = _FIXED.sub(lambda match: match.group().replace(" ", _GLUE), text)
    chunks: list[str] = []
    for clause in _PUNCTUATION.split(text):
        if _is_unspaced_clause(clause):
            chunks += _cut_unspaced(clause)
        else:
            chunks += _cut_words(clause, _breaks(text))
    return [chunk.replace(_GLUE, " ") for chunk in chunks]


def _is_unspaced_clause(clause: str) -> bool:
    return is_unspaced(clause) or re.search("[\u3041-\u30ff\u4e00-\u9fff]", clause) is not None


def _cut_unspaced(clause: str) -> list[str]:
    pattern = _JAPANESE_BREAK if _HIRAGANA.search(clause) else _CHINESE_BREAK
    parts = (part.strip() for part in pattern.split(clause))
    return [part for part in parts if len(part) > 1 and not part.isdigit()]


def _breaks(text: str) -> frozenset[str]:
    """Return the words to cut at: English ones, and those of another language if it is one.

    Short words mean different things in different languages ("die", "des"), so a list counts
    only where it explains more of the text than the English one does.
    """
    words = [word.casefold() for word in _TOKEN.findall(text)]
    english = sum(word in BREAKS for word in words)
    scores = {name: sum(word in own for word in words) for name, own in OTHER_LANGUAGES.items()}
    best = max(scores, key=lambda name: (scores[name], name))
    if scores[best] >= 2 and scores[best] > english:  # noqa: PLR2004  # one may be chance
        return OTHER_LANGUAGES[best]
    return BREAKS


def _cut_words(clause: str, breaks: frozenset[str]) -> list[str]:
    chunks: list[list[str]] = [[]]
    is_shouted = clause.isupper()
    for word in _TOKEN.findall(clause):
        # "US", "WHO" and "IT" are names, unless everything is in capitals.
        is_name = word.isupper() and len(word) > 1 and not is_shouted
        is_break = word.casefold() in breaks and not is_name
        if is_break or (word.isdigit() and not chunks[-1]):
            chunks.append([])
        else:
            chunks[-1].append(word)
    trimmed = (_trimmed(chunk) for chunk in chunks)
    return [" ".join(chunk[:_LONGEST]) for chunk in trimmed if chunk]


def _trimmed(chunk: list[str]) -> list[str]:
    """Return the chunk without generic nouns at its ends and a number at its end."""
    start, end = 0, len(chunk)
    while end - start > 1 and (chunk[end - 1].casefold() in EDGES or chunk[end - 1].isdigit()):
        end -= 1
    while end - start > 1 and chunk[start].casefold() in EDGES:
        start += 1
    return chunk[start:end]


def _is_solid(chunk: str) -> bool:
    if chunk.casefold() in GENERIC or chunk.isdigit():
        return False
    return len(chunk) > 1
