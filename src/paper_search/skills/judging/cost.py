"""What judging papers costs, before it is done, and when more of it is not worth its price."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paper_search.models.usage import Tokens

ALWAYS_JUDGED = 100
"""Papers that are judged whatever comes of it: those that a result shows first."""
STOP_AFTER_IRRELEVANT = 30
"""Papers in a row without a relevant one after which no more are judged."""
RELEVANT = 0.5
"""The score from which on a paper counts as relevant here."""
_PROMPT_TOKENS = 1_200
"""Of the judge's instructions, with the criteria and the schema of the answer."""
_PAPER_TOKENS = 400
"""Of a title and an abstract, with their JSON."""
_NAMING_TOKENS, _GRADE_TOKENS = 30, 50
"""Of what an answer says of one paper besides, and of one grade with its snippet."""


def cost_of_judging(papers: int, batch_size: int, criteria: int) -> Tokens:
    """Return the calls that judge so many papers, and about their tokens."""
    calls = math.ceil(papers / batch_size)
    question_tokens = calls * _PROMPT_TOKENS + papers * _PAPER_TOKENS
    return Tokens(calls, question_tokens, papers * (_NAMING_TOKENS + criteria * _GRADE_TOKENS))


def is_enough(scores: Sequence[float]) -> bool:
    """Return whether the next papers, which rank lower, can be expected to hold nothing."""
    return len(scores) >= ALWAYS_JUDGED and max(scores[-STOP_AFTER_IRRELEVANT:]) < RELEVANT
