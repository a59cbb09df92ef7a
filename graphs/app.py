"""The guard that every request to the server passes."""

from paper_search.server import doors

app = doors.app
