"""Learning from a person's labels: the order of unlabelled papers, and the stopping estimate."""

from paper_search.skills.screening.ranking import Ranker
from paper_search.skills.screening.stopping_estimate import StoppingEstimate, stopping_estimate

__all__ = ["Ranker", "StoppingEstimate", "stopping_estimate"]
