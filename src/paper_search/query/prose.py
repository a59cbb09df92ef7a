"""Distinguishes sentences and titles from boolean queries."""

import re

from paper_search.query.systems import count_tags

_SMALL_WORDS = """
a about above after again against all am an and any are as at be because been before being
below between both but by can could d did do does doing down during each few for from further
had has have having he her here hers him his how i if in into is it its itself ll m me more
most my no nor not of off on once only or other our ours out over own re s same she should so
some such t than that the their them then there these they this those through to too under
until up ve very was we were what when where which while who whom why will with would you your
"""
SMALL_WORDS = frozenset(_SMALL_WORDS.split())

STOP_WORDS = frozenset(word for word in SMALL_WORDS - {"and", "or", "not"} if len(word) > 1)
"""Without operators, and without single letters, which may name a vitamin."""
_QUOTED = re.compile(r'["“”][^"“”]*["“”]')
_LONGEST_PHRASE = 12
"""In words; a longer text between quotes is a quotation, not a search phrase."""
_OPERATOR = re.compile(
    r"(?<![\w/])(?:AND|OR|NOT|NEAR/\d+|ADJ\d*|W/\d+)\b(?!/)|\w\["
    r"|(?:title|abstract|author|venue|tiab(?:kw)?):\S|year:\s?\d|\b(?:TI|AB|AU|SO|TS|TITLE|TITLE-ABS(?:-KEY)?)\("
)
_MATH = re.compile(r"\$[^$]*\\[^$]*\$")
"""TeX in a pasted title; otherwise a dollar sign is a wildcard."""
_TRUNCATED = re.compile(r"\w\*")
_CUT = re.compile(r"\b(?:AND|OR|NOT)\b|[()\[\]\n]")
_SIGN = re.compile(r"""["“”()\[\]*\n]|\w:\S|/(?!\w)|\b(?:NEAR|ADJ|W/\d)""")
"""Syntax other than AND, OR and NOT, which is rare in sentences."""
_JOINED = re.compile(r'[)"“”*]\s*(?:AND|OR|NOT)\b|\b(?:AND|OR|NOT)\s*[("“”]')
"""An operator beside other query syntax, which does not occur in sentences in capitals."""
_ASKING = re.compile(
    r"\s*(?:(?:what|which|who|whose|when|where|why|how|whether|is|are|was|were|do|does|did|has|have"
    r"|can|could|would|please|i|i'm|we|find|show|give|list|papers?|articles?|studies|literature)\s)",
    re.IGNORECASE,
)
_SMALL_WORDS_OF_A_SENTENCE = 3
_SMALL_WORDS_OF_A_CLAUSE = 2
_WORDS_OF_A_TITLE = 5
_WORDS_FOR_A_TAG = 20
"""In a sentence, marks of other systems count only if there is at least one for so many words:
`and/or` or `SU(3)` in an abstract is not syntax."""
_CAPITALS = 0.8
"""The share of capitals among the letters from which AND is an ordinary word."""


def is_prose(text: str) -> bool:
    """Whether the text is a sentence or a title rather than a query with operators.

    A sentence has clauses with function words, or begins or ends like a question, or has at least
    five words and no operator; in a clause with function words, an asterisk is not an operator. AND
    in capitals does not make a query of a text with function words and no other syntax ("fish in
    rivers AND lakes"), nor of a text in capitals unless it is beside brackets or quotes. Field tags
    of other systems occur only in queries.
    """
    text = _MATH.sub("x", text)
    outside = _QUOTED.sub(
        lambda it: " " if len(it[0].split()) <= _LONGEST_PHRASE else it[0][1:-1], text
    )
    words = outside.split()
    clauses = [len(_small_words(clause)) for clause in _CUT.split(outside)]
    small = sum(count for count in clauses if count >= _SMALL_WORDS_OF_A_CLAUSE)
    if small >= _SMALL_WORDS_OF_A_SENTENCE:
        return _is_capital(text) or count_tags(text) * _WORDS_FOR_A_TAG < len(words)
    if count_tags(text):
        return False
    if any(clauses) and (outside.rstrip().endswith("?") or _ASKING.match(outside)):
        return True
    if not SMALL_WORDS.isdisjoint(words) and not _SIGN.search(text):
        return True
    if len(words) < _WORDS_OF_A_TITLE or (_TRUNCATED.search(outside) and not any(clauses)):
        return False
    return not _OPERATOR.search(outside) or (_is_capital(text) and not _JOINED.search(text))


def _small_words(clause: str) -> list[str]:
    words = (word.strip(".,;:!?'’").casefold() for word in clause.split())
    return [word for word in words if word in SMALL_WORDS and word not in {"and", "or", "not"}]


def _is_capital(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return sum(map(str.isupper, letters)) > _CAPITALS * len(letters)
