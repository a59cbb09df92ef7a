"""Recognises search strings in the style of other services and rewrites them into our language."""

from __future__ import annotations

import re

from paper_search.query import pubmed, web_of_science
from paper_search.query.rewriting import Refuse, Rewriting
from paper_search.query.typography import straighten

_QUOTED = re.compile(r'"[^"]*"')


def rewrite(text: str, refuse: Refuse) -> Rewriting:
    """Return the query in our language, whatever style it is in.

    PubMed is recognised by tags (`[tiab]`), Web of Science by `TS=`, Scopus by `TITLE-ABS-KEY(`
    or `PUBYEAR`; marks inside quotation marks do not count.

    Args:
        text: the query.
        refuse: raises for an offset in `text` and the reason why it cannot be rewritten.
    """
    bare = _blanked(text)
    if web_of_science.is_recognised(bare):
        return web_of_science.rewrite(text, refuse)
    if pubmed.is_recognised(bare):
        return pubmed.rewrite(text, refuse)
    untouched = Rewriting()
    untouched.copy(text, 0)
    return untouched


def is_tagged(text: str) -> bool:
    """Return whether the text carries a field tag that one of the services has."""
    bare = _blanked(straighten(text))
    return web_of_science.is_recognised(bare) or pubmed.has_known_tag(bare)


def _blanked(text: str) -> str:
    """Return the text of the same length with nothing but underscores between its quotes."""
    return _QUOTED.sub(lambda quoted: f'"{"_" * (len(quoted[0]) - 2)}"', text)
