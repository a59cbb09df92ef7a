"""Records of a library, and what is found of them."""

from paper_search.library import Library
from paper_search.models import RawPaper, SearchConstraints


def paper(title: str = "A Title", **fields: object) -> RawPaper:
    return RawPaper.model_validate({"id": "", "title": title, "source": "library", **fields})


def titles(library: Library, query: str, **limits: object) -> list[str]:
    """Return the titles that words find within limits, best first."""
    hits = library.search(query, filters=SearchConstraints.model_validate(limits))
    return [hit.title for hit in hits.papers]
