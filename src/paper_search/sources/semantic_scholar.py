"""Semantic Scholar (https://api.semanticscholar.org/api-docs/graph): by relevance, and in bulk.

Without a key all callers of the world share one pool, and it is mostly empty. In the bulk search
`+` is AND, `|` is OR, `-` in front of a word, phrase or group excludes it; words are compared by
stem, in title and abstract.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import ClassVar

from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import WORD
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import RankedQuery, SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import Adapter, Page, Paging, Request, Translated
from paper_search.sources.dialect import TextDialect
from paper_search.sources.free_text import to_ranked_text
from paper_search.sources.ranked_text import author_names, content_words, telling_words
from paper_search.sources.record import Entry, People, Table, first, texts

_BULK = "/paper/search/bulk"
_MOST_RANKED = 1000
_MOST_WORDS = 5
"""Words of a question that are asked: most of them have to occur, so more find less."""
FIELDS = (
    "title", "abstract", "year", "venue", "publicationVenue", "journal", "authors", "externalIds",
    "citationCount", "isOpenAccess", "openAccessPdf", "publicationTypes", "publicationDate", "url",
)  # fmt: skip
_TYPES = {
    "Book": "book", "BookSection": "chapter", "Conference": "paper-conference",
    "Dataset": "dataset", "Thesis": "thesis", "JournalArticle": "article-journal",
    "LettersAndComments": "article-journal", "Editorial": "article-journal",
    "Review": "article-journal",
}  # fmt: skip
"""To the types of CSL, the telling ones first."""


def graph_name(s2_id: str | None, **ids: str | None) -> str | None:
    """Return what a paper is asked for by: the service's own id, or the first of others."""
    return s2_id or next((f"{kind.upper()}:{name}" for kind, name in ids.items() if name), None)


def _type(entry: Entry) -> str | None:
    """Return the type; preprints are articles of journals to the service."""
    if first(entry, "venue") == "arXiv.org":
        return "article"
    own = texts(entry, "publicationTypes")
    return next((csl for name, csl in _TYPES.items() if name in own), None)


read_paper = Table(
    prefix="s2",
    source="semantic_scholar",
    key=("paperId", str.lower),
    fields={
        "title": "title",
        "doi": "externalIds.DOI",
        "authors": People("authors", name="name", id="authorId"),
        "abstract": "abstract",
        "snippet": "tldr.text",
        "year": "year|publicationDate",
        "venue": "venue|journal.name|publicationVenue.name",
        "issn": "publicationVenue.issn",
        "volume": "journal.volume",
        "pages": ("journal.pages", lambda pages: "".join(pages.split())),
        "citation_count": "citationCount",
        "full_text_url": "openAccessPdf.url",
        "url": "url",
        "arxiv_id": "externalIds.ArXiv|externalIds.DOI",
        "pmid": "externalIds.PubMed",
        "pmcid": "externalIds.PubMedCentral",
        "s2_id": ("paperId", str.lower),
        "publication_type": _type,
    },
).read
"""Of an entry of `data`, or of a citing or cited paper: `paperId` is null for works that the graph
only knows from references."""


class SemanticScholar(Adapter):
    """Plain words by relevance, at most the first 1000; boolean queries in bulk, by citations."""

    name: ClassVar[str] = "semantic_scholar"
    title: ClassVar[str] = "Semantic Scholar"
    key_variable: ClassVar[str | None] = "SEMANTIC_SCHOLAR_API_KEY"
    key_page: ClassVar[str | None] = "https://www.semanticscholar.org/product/api#api-key-form"
    key_header = ("x-api-key", "{}")
    caveat: ClassVar[str] = "refuses most requests without a key"
    longest_line: ClassVar[int] = 8190
    interval_s = 1.0
    """Over all of its paths together, as a key allows."""
    endpoint = "https://api.semanticscholar.org/graph/v1"
    record_prefix: ClassVar[str | None] = "s2"
    says_open: ClassVar[bool] = True
    ranks_text: ClassVar[bool] = True
    first_look: ClassVar[int] = 1
    page_size = 100
    most_results = 10_000
    entries: ClassVar[str] = "data"
    answered: ClassVar[str] = "data|total"
    faults: ClassVar[str] = "error|message"
    record = staticmethod(read_paper)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        translation = BulkDialect().translate(tree, filters)
        return replace(
            translation,
            notes=("asked of the bulk search, the most cited first", *translation.notes),
            language=language_code(filters.language),
            params={"sort": "citationCount:desc"},
        )

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return the most telling words of the question, then one fewer.

        The parts of compounds are sent apart: a word with a hyphen finds nothing there.
        """
        words = content_words(query.text) or author_names(filters)
        tries = telling_words(words, _MOST_WORDS)
        apart = ([part for word in words for part in WORD.findall(word)] for words in tries)
        return tuple(to_ranked_text(words, query, filters) for words in apart)

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        del filters  # the years are in the query; a filter on types would drop what has none
        params: dict[str, str | int] = {"query": query.text, "fields": ",".join(FIELDS)}
        first, last = query.year_from, query.year_to
        if first is not None or last is not None:
            params["year"] = str(first) if first == last else f"{first or ''}-{last or ''}"
        if query.params:
            return Request(f"{self.endpoint}{_BULK}", {**params, **query.params})
        page = {"offset": 0, "limit": self.size(query, limit)}
        return Request(f"{self.endpoint}/paper/search", {**params, **page})

    def paging_of(self, request: Request) -> Paging:
        return Paging("token", "token") if _BULK in request.url else Paging("offset", "next")

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the papers of a page; the last records of the thousand need a shorter one."""
        page = super().read(answer, request)
        if page.next is None or "limit" not in request.params:
            return page
        offset = int(page.next.params["offset"])
        size = min(int(request.params["limit"]), _MOST_RANKED - offset)
        return replace(page, next=page.next.turned(offset=offset, limit=size) if size > 0 else None)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Tell what 403 means: without a key it is a refusal for now, not a wrong key."""
        if error.status == 403 and not self.key:  # noqa: PLR2004  # Forbidden
            return SourceStatus.RATE_LIMITED
        return None


class BulkDialect(TextDialect):
    """Words of titles and abstracts, joined by the signs of the bulk search."""

    negation: ClassVar[str] = "+ -"
    service: ClassVar[str] = "Semantic Scholar"
    loose_in: ClassVar[Collection[str | None]] = (None,)

    def both(self, texts: Sequence[str]) -> str:
        return f"({' + '.join(texts)})"

    def either(self, texts: Sequence[str]) -> str:
        return f"({' | '.join(texts)})"

    def quoted_words(self, texts: tuple[str, ...]) -> str | None:
        line = "".join(c if c.isalnum() or c in "-.'’" else " " for c in " ".join(texts))
        cleaned = " ".join(line.split())
        if not WORD.search(cleaned):
            return None
        return cleaned if WORD.fullmatch(cleaned) else f'"{cleaned}"'
