"""What typographic and full-width characters mean in a query, one character for one."""

from __future__ import annotations

CURLY_QUOTES = "“”„‟«»″＂"
"""Characters that word processors put where a query needs a plain quotation mark."""

_PLAIN = str.maketrans({**dict.fromkeys(CURLY_QUOTES, '"'), "（": "(", "）": ")", "：": ":"})


def straighten(text: str) -> str:
    """Return the text of the same length with plain quotes, parentheses and colons."""
    return text.translate(_PLAIN)
