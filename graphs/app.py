"""The guard that every request to the server passes."""

from paper_search.server import app_factory

app = app_factory.app
