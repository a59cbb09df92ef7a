"""A paper on bees, with what reference managers and screening tools read of one."""

from typing import Any

from paper_search.models import Author, Paper

FIELDS: dict[str, Any] = {
    "id": "1", "title": "Bees", "abstract": "They dance.", "keywords": ["bees", "dance"],
    "year": 2020, "venue": "J. Bees", "volume": "4", "issue": "2", "pages": "1-9",
    "doi": "10.1000/bees", "issn": "1234-5679", "pmid": "12", "publisher": "Hive",
    "publication_type": "article-journal", "source": "s",
}  # fmt: skip
VAN_DYK = Author(name="Carla van Dyk", family="Dyk", given="Carla", particle="van")


def paper(**fields: Any) -> Paper:
    return Paper(**FIELDS | fields)
