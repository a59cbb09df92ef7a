"""Saver and store for the server: the same SQLite file that the command line uses."""

from paper_search.server import app_factory

checkpointer = app_factory.checkpointer
store = app_factory.store
