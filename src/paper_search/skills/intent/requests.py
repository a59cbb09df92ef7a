"""The polite words around a question ("please find papers on")."""

from __future__ import annotations

import re

from paper_search.skills.stop_words import COMMANDS

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


def without_request(text: str) -> str:
    """Return the text without the words of the request that it begins and ends with."""
    return _TAIL.sub("", _LEAD.sub("", text))
