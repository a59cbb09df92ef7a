"""A review on a thread: added files, updates and sharing."""

from paper_search.review.arrivals import add_files, update_review
from paper_search.review.files import DatabaseSearch
from paper_search.review.sharing import share_thread

__all__ = ["DatabaseSearch", "add_files", "share_thread", "update_review"]
