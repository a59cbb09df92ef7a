"""The research-report graph for the server, which brings saver and store itself."""

from paper_search.server import app_factory

graph = app_factory.report_graph()
