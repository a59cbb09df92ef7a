"""The page, and the guard that every request to the server passes."""

from paper_search.web import routes

app = routes.app
