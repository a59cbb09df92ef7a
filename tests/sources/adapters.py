"""The adapters of all services: an adapter of each source of papers, and the classes of all."""

from paper_search.sources.base import known_sources, service_of
from paper_search.sources.web import web_search_names, web_service_of

OF_PAPERS = {name: service for name in known_sources() if (service := service_of(name)) is not None}
SERVICES = [
    *OF_PAPERS.values(),
    *(service for service in map(web_service_of, web_search_names()) if service is not None),
]
ADAPTERS = {name: kind("key" if kind.needs_key else "") for name, kind in OF_PAPERS.items()}
"""By name; with a key where it is needed."""
