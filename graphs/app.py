"""The guard that every request to the server passes."""

from paper_search.config import load_config
from paper_search.server.app import create_app

app = create_app(load_config())
