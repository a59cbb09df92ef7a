"""PubMed, through NCBI's E-utilities (https://www.ncbi.nlm.nih.gov/books/NBK25499/); no key needed.

A search has two steps: `esearch` returns ids, `efetch` their records. PubMed evaluates from left to
right, so every group gets parentheses; every word gets a tag, because PubMed maps untagged words to
subject headings (https://pubmed.ncbi.nlm.nih.gov/help/).
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from http import HTTPStatus
from itertools import product
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from paper_search.bibliography.languages import language_name
from paper_search.http.body import HttpAnswer
from paper_search.http.redaction import redact
from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import FIELDS, OPERATORS, OWN_WORDS, Near, Node, Or, Phrase, Term, YearRange
from paper_search.query.dialects import DIALECTS
from paper_search.sources.adapter import Adapter, Page, RefusalSign, Request, Translated
from paper_search.sources.dialect import FIRST_YEAR, HYPHENATED, LAST_YEAR, Dialect, Expression
from paper_search.sources.errors import ServiceError
from paper_search.sources.pubmed_record import NAME, citation_of
from paper_search.sources.record import first
from paper_search.sources.values import items, local_name, mapping, number, quoted, text

KEY_VARIABLE = "NCBI_API_KEY"
KEY_PAGE = "https://account.ncbi.nlm.nih.gov/settings/"
_IDENTITY = {"db": "pubmed", "tool": "paper-search"}
_SETS = frozenset({"PubmedArticleSet", "PubmedBookArticleSet"})
_CITATIONS = frozenset({"PubmedArticle", "PubmedBookArticle"})
_FETCH = "/efetch.fcgi"
_SPARE = 10
"""Ids requested in addition, because records without a title are dropped."""
_TAGS = {
    "title": "ti", "abstract": "tiab", "tiab": "tiab", "keyword": "tw",
    OWN_WORDS: "tiab", "author": "au", "venue": "ta",
    "mesh": "mh", "mesh-only": "mh:noexp", "majr": "majr", "majr-only": "majr:noexp",
    "substance": "nm", "type": "pt", "language": "la", "subheading": "sh", "subset": "sb",
    None: "tiab",
}  # fmt: skip
"""PubMed's [tiab] includes authors' keywords."""
_NEAR_FIELDS = ({None}, {"title"}, {"tiab"}, {OWN_WORDS})
_SHORTEST_STEM = 4
_MOST_PAIRS = 25
"""Limit for expanding a NEAR of two groups into pairs of words."""


class PubmedDialect(Dialect):
    """`word[tiab]`, `"a phrase"[ti]`, AND, OR, NOT, `2019:2022[dp]`, `"a b"[tiab:~3]`."""

    service: ClassVar[str] = "PubMed"
    known_fields: ClassVar[Collection[str]] = FIELDS
    language: ClassVar[str] = "{}[la]"
    preprints: ClassVar[str] = "preprint[pt]"
    shortest_stem: ClassVar[int | None] = _SHORTEST_STEM

    def language_name(self, language: str) -> str | None:
        return language_name(language)

    def leaf(self, leaf: Term | Phrase) -> Expression:
        if leaf.field == "entered":
            return Expression(DIALECTS["pubmed"].index_term(leaf))
        tag = _TAGS[leaf.field]
        is_exact = leaf.field != "abstract"
        if not is_exact:
            self.note("abstract: is searched in title and abstract and checked in the results")
        if leaf.field == "keyword":
            self.note("keyword: is searched in titles, abstracts and headings as well")
        if isinstance(leaf, Term):
            if leaf.is_prefix and len(leaf.text) < _SHORTEST_STEM:
                return self.short_stem(leaf.text, lambda text: f"{_bare(text)}[{tag}]")
            word = _bare(f"{leaf.text}*" if leaf.is_prefix else leaf.text)
            return Expression(f"{word}[{tag}]", is_exact)
        *before, last = leaf.words
        is_short = last.endswith("*") and len(last.rstrip("*")) < _SHORTEST_STEM
        if is_short or any(word.endswith("*") for word in before):
            return self.word_by_word(leaf)
        return Expression(f"{quoted(' '.join(leaf.words))}[{tag}]", is_exact)

    def near(self, near: Near) -> Expression:
        """Return words within a distance; other kinds of NEAR are sent as AND."""
        lefts, rights = _plain_words(near.left), _plain_words(near.right)
        pairs = list(product(lefts, rights))
        fields = {word.field for word in (*lefts, *rights)}
        if not pairs or len(pairs) > _MOST_PAIRS or fields not in _NEAR_FIELDS:
            return super().near(near)
        tag = _TAGS[fields.pop()]
        texts = [
            f"{quoted(f'{one.text} {two.text}')}[{tag}:~{near.distance}]" for one, two in pairs
        ]
        return Expression(self._either(texts))

    def years(self, years: YearRange) -> Expression:
        return Expression(f"{years.first or FIRST_YEAR}:{years.last or LAST_YEAR}[dp]")


def _bare(text: str) -> str:
    word = text.removesuffix("*")
    is_bare = HYPHENATED.fullmatch(word) and word.upper() not in OPERATORS
    return text if is_bare else quoted(text)


def _plain_words(side: Node) -> list[Term]:
    """Return the words of a side of a NEAR, or none if it has anything but words."""
    parts = side.children if isinstance(side, Or) else (side,)
    words = [part for part in parts if isinstance(part, Term) and not part.is_prefix]
    return words if len(words) == len(parts) else []


class Pubmed(Adapter):
    """Biomedicine; three requests a second, ten with a key. NCBI asks for a contact address."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "PubMed"
    key_variable: ClassVar[str | None] = KEY_VARIABLE
    key_page: ClassVar[str | None] = KEY_PAGE
    contact_param: ClassVar[str | None] = "email"
    key_param: ClassVar[str | None] = "api_key"
    accept: ClassVar[str] = "application/json, application/xml, text/xml"
    longest_line: ClassVar[int] = 2700
    """Enough for 200 ids, NCBI's limit for a GET; it documents no limit of bytes."""
    form_suffix: ClassVar[str | None] = ""

    ranks_text: ClassVar[bool] = True
    page_size = 200
    most_results = 9999

    endpoint = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    interval_s = 0.35
    interval_with_key: ClassVar[float | None] = 0.11
    says_open: ClassVar[bool] = True
    count_rank: ClassVar[int] = 2
    has_headings: ClassVar[bool] = True
    dialect = PubmedDialect
    refusals = (RefusalSign(SourceStatus.UNAUTHORISED, "api key", HTTPStatus.BAD_REQUEST),)
    works: ClassVar[Mapping[str, str]] = {"pmid": "{}[uid]", "doi": "{}[aid]", "pmcid": "{}[pmcid]"}

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a work; a bracket of a DOI would begin a tag."""
        return super().translate_work(kind, value.replace("[", " ").replace("]", " "))

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        # Ids are cheap: if records may be removed locally, all are requested.
        is_checked = bool(query.remainder or filters.publication_types or filters.excluded_types)
        params: dict[str, str | int] = {
            **_IDENTITY,
            "term": query.text,
            "retmode": "json",
            "retmax": self.most_results if is_checked else min(limit + _SPARE, self.most_results),
            "sort": "relevance",
        }
        return Request(f"{self.endpoint}/esearch.fcgi", params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the records of `efetch`, or the next request after `esearch`."""
        if request.url.endswith(_FETCH):
            return self._read_records(answer, request)
        return self._read_ids(answer)

    def _read_ids(self, answer: HttpAnswer) -> Page:
        body = mapping(answer.json())
        result = mapping(body.get("esearchresult"))
        if wrong := text(body.get("error")) or text(result.get("ERROR")):
            raise _refusal(wrong, self.key)
        if "idlist" not in result:
            raise ServiceError("PubMed answered without a list of ids")
        pmids = tuple(
            pmid for paper_id in items(result["idlist"]) if (pmid := text(paper_id)).isdigit()
        )
        following = self._fetch(pmids) if pmids else None
        return Page(hits=number(result.get("count")), next=following, notes=_warnings(result))

    def _fetch(self, pmids: tuple[str, ...]) -> Request:
        now, later = pmids[: self.page_size], pmids[self.page_size :]
        params = {**_IDENTITY, "id": ",".join(now), "retmode": "xml"}
        return Request(f"{self.endpoint}{_FETCH}", params, later=later)

    def _read_records(self, answer: HttpAnswer, request: Request) -> Page:
        citations = self._citations(answer)
        pmids = str(request.params.get("id", "")).split(",")
        places = {pmid: place for place, pmid in enumerate(pmids)}
        missing = len(pmids) - len(citations)
        note = f"PubMed did not return {missing} of the {len(pmids)} records it had found"
        page = Page.of(
            citations,
            citation_of,
            next=self._fetch(request.later) if request.later else None,
            notes=(note,) if missing > 0 else (),
        )
        page.papers.sort(key=lambda paper: places.get(paper.pmid or "", len(places)))
        return replace(page, is_partial=missing > 0)

    def _citations(self, answer: HttpAnswer) -> list[Element]:
        root = answer.xml()
        if wrong := (first(root, "ERROR") or ""):
            raise _refusal(wrong, self.key)
        if local_name(root) in _CITATIONS:
            return [root]
        if local_name(root) not in _SETS:
            raise ServiceError(f"PubMed answered with <{local_name(root)[:40]}>, not with records")
        return [child for child in root if local_name(child) in _CITATIONS]


def _refusal(message: str, key: str) -> ServiceError:
    excerpt = redact(message, (key,))[:300]
    if "rate limit" in message.lower():
        message = f"too many requests to PubMed ({excerpt}): a key allows more, see {KEY_PAGE}"
        return ServiceError(message, status=SourceStatus.RATE_LIMITED)
    if "api key" in message.lower():
        message = f"PubMed refused the key ({excerpt}): check {KEY_VARIABLE}, see {KEY_PAGE}"
        return ServiceError(message, status=SourceStatus.UNAUTHORISED)
    return ServiceError(f"PubMed could not answer the query: {excerpt}")


_WARNINGS = {
    "PubMed does not know {}": ("phrasesnotfound", "fieldsnotfound"),
    "PubMed ignored {}": ("phrasesignored",),
    "PubMed has no phrase {} and searched for its words": ("quotedphrasesnotfound",),
}
"""Notes for the warning lists of an answer."""


def _warnings(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what PubMed changed in a query, except for the generated endings of short stems."""
    lists = {**mapping(result.get("warninglist")), **mapping(result.get("errorlist"))}
    notes = list[str]()
    for note, kinds in _WARNINGS.items():
        said = (text(value) for kind in kinds for value in items(lists.get(kind)))
        if names := [name[:100] for name in said if name and "*" not in name]:
            notes.append(note.format(", ".join(names[:10])))
    return tuple(notes)
