"""Learning from a person's marks: what comes first, and how much is left to find."""

from paper_search.skills.screening.outlook import Outlook, outlook
from paper_search.skills.screening.ranking import Ranker

__all__ = ["Outlook", "Ranker", "outlook"]
