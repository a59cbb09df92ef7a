"""The page, and the guard that every request to the server passes."""

from paper_search.web import app_factory

app = app_factory.app
