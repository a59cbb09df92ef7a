"""Tells whole sentences and titles from boolean queries."""

from __future__ import annotations

import re

from paper_search.query.systems import is_tagged

_SMALL_WORDS = """
a about above after again against all am an and any are as at be because been before being
below between both but by can could d did do does doing down during each few for from further
had has have having he her here hers him his how i if in into is it its itself ll m me more
most my no nor not of off on once only or other our ours out over own re s same she should so
some such t than that the their them then there these they this those through to too under
until up ve very was we were what when where which while who whom why will with would you your
"""
SMALL_WORDS = frozenset(_SMALL_WORDS.split())
"""English words that say nothing by themselves."""

_QUOTE = re.compile(r'["“”]')
_BRACKET = re.compile(r'["“”(\[*:]')
_OPERATOR = re.compile(
    r"\b(?:AND|OR|NOT|NEAR/\d+|ADJ\d*|W/\d+)\b|\w\*|\w\["
    r"|(?:title|abstract|author|venue|tiab|year):|\b(?:TI|AB|AU|SO|TS|TITLE|TITLE-ABS(?:-KEY)?)\("
)
_ASKING = re.compile(
    r"\s*(?:(?:what|which|who|whose|when|where|why|how|whether|is|are|was|were|do|does|did|has|have"
    r"|can|could|would|please|i|i'm|we|find|show|give|list|papers?|articles?|studies|literature)\s)",
    re.IGNORECASE,
)
_SMALL_WORDS_OF_A_SENTENCE = 3
_WORDS_OF_A_TITLE = 5


def is_prose(text: str) -> bool:
    """Return whether the text is a sentence or a title rather than a query with operators.

    A sentence has three small words at least outside of quotes, or begins or ends as a question
    does, or has five words and no operator. In a text all in capitals AND is no operator, unless
    it is short or has quotes or brackets. Field tags of other systems are
    only in queries.
    """
    pieces = _QUOTE.split(text)
    outside = " ".join(pieces[::2])
    count = len(outside.split())
    small = sum(word in SMALL_WORDS for word in outside.split())
    if is_tagged(text):
        return False
    if small >= _SMALL_WORDS_OF_A_SENTENCE:
        return True
    if small and (outside.rstrip().endswith("?") or _ASKING.match(outside)):
        return True
    is_plain = not _OPERATOR.search(outside) or (text.isupper() and not _BRACKET.search(text))
    return is_plain and count >= _WORDS_OF_A_TITLE
