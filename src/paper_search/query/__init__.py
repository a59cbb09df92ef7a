"""The boolean query language: its tree, parser, renderer and linter."""

from paper_search.query.ast import (
    FIELDS,
    HEADINGS,
    INDEXED,
    OPERATORS,
    OWN_WORDS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    alternatives,
)
from paper_search.query.evaluation import (
    HEADING,
    evaluate,
    heading_words,
    headings_as_words,
    judge,
    tokenise,
)
from paper_search.query.linter import Finding, lint
from paper_search.query.normal_form import normalise, render
from paper_search.query.parser import conditions_in, parse, with_conditions

__all__ = [
    "FIELDS", "HEADING", "HEADINGS", "INDEXED", "OPERATORS", "OWN_WORDS", "And", "Finding", "Near",
    "Node", "Not", "Or", "Phrase", "Term", "YearRange", "alternatives", "conditions_in", "evaluate",
    "heading_words", "headings_as_words", "judge", "lint", "normalise", "parse", "render",
    "tokenise", "with_conditions",
]  # fmt: skip
