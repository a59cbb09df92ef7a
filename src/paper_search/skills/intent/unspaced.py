"""Key phrases of Chinese and Japanese text, which has no spaces between words."""

from __future__ import annotations

import re

from paper_search.skills.words import is_unspaced

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
