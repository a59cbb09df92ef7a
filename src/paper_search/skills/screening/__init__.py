"""Learns from a person's labels: the order of the rest, and the stopping estimate."""

from paper_search.skills.screening.outlook import Outlook, outlook
from paper_search.skills.screening.ranking import Ranker

__all__ = ["Outlook", "Ranker", "outlook"]
