"""Semantic Scholar (https://api.semanticscholar.org/api-docs/graph): relevance and bulk search.

Callers without a key share one pool, which is mostly exhausted. In the bulk search, `+` is AND,
`|` is OR and `-` excludes a word, phrase or group; words match by stem in title and abstract.
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
from paper_search.sources.ranked_text import author_names, content_words, rarest_words
from paper_search.sources.record import Entry, People, Table, first, texts

_BULK = "/paper/search/bulk"
_MOST_RANKED = 1000
_MOST_WORDS = 5
"""Words of a question to send: most of them must occur, so that more words find less."""
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
"""CSL types, the most specific first."""


def graph_name(s2_id: str | None, **ids: str | None) -> str | None:
    """Return the identifier to look up: the service's own, or the first of the others."""
    return s2_id or next((f"{kind.upper()}:{name}" for kind, name in ids.items() if name), None)


def _type(entry: Entry) -> str | None:
    """Return the CSL type; the service calls preprints journal articles."""
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
"""Entries of `data`, and citing or cited papers; `paperId` is null for works known only from
references."""


class SemanticScholar(Adapter):
    """Plain words by relevance, at most 1000; boolean queries in bulk, by citations."""

    name: ClassVar[str] = "semantic_scholar"
    title: ClassVar[str] = "Semantic Scholar"
    key_variable: ClassVar[str | None] = "SEMANTIC_SCHOLAR_API_KEY"
    key_page: ClassVar[str | None] = "https://www.semanticscholar.org/product/api#api-key-form"
    key_header = ("x-api-key", "{}")
    caveat: ClassVar[str] = "refuses most requests without a key"
    longest_line: ClassVar[int] = 8190
    interval_s = 1.0
    """For all paths together; the limit of a key."""
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
            notes=("sent to the bulk search, most cited first", *translation.notes),
            language=language_code(filters.language),
            params={"sort": "citationCount:desc"},
        )

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return the rarest words of the question, then one fewer.

        Compounds are split, because words with a hyphen find nothing.
        """
        words = content_words(query.text) or author_names(filters)
        tries = rarest_words(words, _MOST_WORDS)
        apart = ([part for word in words for part in WORD.findall(word)] for words in tries)
        return tuple(to_ranked_text(words, query, filters) for words in apart)

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        del filters  # the years are in the query; a type filter would drop untyped records
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
        """Return the papers of a page; the last page of the thousand must be shorter."""
        page = super().read(answer, request)
        if page.next is None or "limit" not in request.params:
            return page
        offset = int(page.next.params["offset"])
        size = min(int(request.params["limit"]), _MOST_RANKED - offset)
        return replace(page, next=page.next.turned(offset=offset, limit=size) if size > 0 else None)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Without a key, 403 is a temporary refusal, not an invalid key."""
        if error.status == 403 and not self.key:  # noqa: PLR2004  # Forbidden
            return SourceStatus.RATE_LIMITED
        return None


class BulkDialect(TextDialect):
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
