"""The research-report graph for the server, which brings saver and store itself."""

from paper_search.server import doors

graph = doors.report_graph()
