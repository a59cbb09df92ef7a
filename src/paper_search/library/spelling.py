"""Unifies British and American spellings."""

from __future__ import annotations

import re

_NOT_FROM_GREEK = (
    "adv|adverti|circumc|compr|comprom|conc|dev|disgu|enterpr|exc|exerc|expert|fran|fraud|improv"
    "|merchand|parad|prec|prem|prom|rev|superv|surm|surpr|telev|treat"
)
"""What stands before `-ise` in words that are written so everywhere (exercise, promise)."""
_ONE_L = "cancel|channel|fuel|label|level|marvel|model|panel|signal|tot|travel|tunnel"
_ISE = rf"^(?!(?:{_NOT_FROM_GREEK})is)([a-z]{{3,}})is(e|ed|es|ing|ers?|ations?|ational)$"
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (_ISE, r"\1iz\2"),
        (r"lys(e|ed|es|ing|ers?)$", r"lyz\1"),
        (r"^(behavi|col|fav|flav|harb|hon|hum|lab|neighb|od|rum|tum|vap)our", r"\1or"),
        (r"^(calib|cent|fib|lit|met|theat)re(s?)$", r"\1er\2"),
        (r"^(anal|catal|dial|epil|monol|prol)ogue(s?)$", r"\1og\2"),
        (rf"^({_ONE_L})l(ing|ings|ed|ers?)$", r"\1\2"),
        (r"^(an|gyn|h|leuk|orthop|p)ae", r"\1e"),
        (r"^oe(?=[dst])", "e"),
        (r"^programme(s?)$", r"program\1"),
        (r"^(defen|licen|offen)ce", r"\1se"),
    )
)  # fmt: skip
_MAYBE = re.compile(r"is[aei]|lys|our|re|logue|l[ei]|ae|oe|programme|ence")


def one_spelling(word: str) -> str:
    """Return the American spelling of a lower-case word that has one, else the word."""
    if _MAYBE.search(word):
        for pattern, replacement in _RULES:
            word = pattern.sub(replacement, word)
    return word
