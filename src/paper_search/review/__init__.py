"""A review on a thread: records of files that join it, and updates."""

from paper_search.review.arrivals import add_files
from paper_search.review.files import DatabaseSearch
from paper_search.review.sharing import share_thread
from paper_search.review.updates import update_review

__all__ = ["DatabaseSearch", "add_files", "share_thread", "update_review"]
