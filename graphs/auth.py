"""Who may use the server: the owners of tokens; without tokens, everybody on this machine."""

from paper_search.server import app_factory

auth = app_factory.auth
