"""The paper-search graph for the server, which brings saver and store itself."""

from paper_search.server.doors import graph as search

graph = search()
