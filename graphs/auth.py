"""Who may use the server: the owners of tokens; without tokens, everybody on this machine."""

from paper_search.config import load_config
from paper_search.server.authentication import create_auth

auth = create_auth(load_config())
