"""The skills of a search; each works without a model, and better with one."""

from paper_search.skills.deduplicator import Deduplicator
from paper_search.skills.intent_parser import MAX_QUESTION_CHARS, IntentParser
from paper_search.skills.query_builder import QueryBuilder
from paper_search.skills.relevance_scorer import RelevanceScorer
from paper_search.skills.result_organizer import ResultOrganizer
from paper_search.skills.scoper import Scoper
from paper_search.skills.searcher import Searcher

__all__ = [
    "MAX_QUESTION_CHARS", "Deduplicator", "IntentParser", "QueryBuilder", "RelevanceScorer",
    "ResultOrganizer", "Scoper", "Searcher",
]  # fmt: skip
