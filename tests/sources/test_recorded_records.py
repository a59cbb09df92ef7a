"""Every recorded answer of every service is read."""

import json
import re
from typing import Any

import pytest
from tests.recorded import FETCH, RecordedAnswer, request_of
from tests.sources.adapters import ADAPTERS

from paper_search.errors import PaperSearchError
from paper_search.http.body import HttpAnswer, parse_xml
from paper_search.http.errors import HttpStatusError
from paper_search.models import RawPaper, SourceStatus
from paper_search.sources.adapter import Adapter, Page, Request
from paper_search.sources.client import explain_failure
from paper_search.sources.errors import ServiceError
from paper_search.sources.europe_pmc import read_result


def read(service: str, body: bytes, request: Request | None = None) -> Page:
    adapter = ADAPTERS[service]
    return adapter.read(HttpAnswer(200, "", body, 1), request or request_of(adapter))


def _as_json(result: Any) -> dict[str, Any]:
    """Return a result of Europe PMC's XML as its JSON has it: same names, lists in place."""
    many = {"author", "pubType", "fullTextUrl", "keyword"}
    entry: dict[str, Any] = {}
    for child in result:
        value = _as_json(child) if len(child) else (child.text or "")
        if child.get("type"):
            value = {"type": child.get("type"), "value": child.text}
        if child.tag in many:
            entry.setdefault(child.tag, []).append(value)
        else:
            entry[child.tag] = value
    return entry


def test_what_europe_pmc_says_in_full(recorded):
    """The one recorded core answer is XML; the JSON has the same names."""
    body = (recorded / "europe_pmc" / "DSpace__pubmedeurope-test.xml").read_bytes()
    found = [read_result(_as_json(item)) for item in parse_xml(body).iter("result")]
    article, patent, other = (paper for paper in found if paper)
    assert (article.id, article.year) == ("europe_pmc:MED/21733903", 2012)
    assert article.title == (
        "First record of preserved soft parts in a Palaeozoic podocopid (Metacopina) ostracod,"
        " Cytherellina submagna: phylogenetic implications"
    )
    assert (len(article.authors), article.doi) == (3, "10.1098/rspb.2011.0943")
    assert article.authors[0].model_dump() == {
        "name": "E Olempska",
        "author_id": "0000-0003-0310-3876",
        "family": "Olempska",
        "given": "E",
    }
    assert (article.pmcid, article.language, article.citation_count) == ("PMC3234553", "en", 2)
    assert (article.volume, article.issue, article.pages) == ("279", "1728", "564-570")
    assert article.venue == "Proceedings. Biological sciences"
    assert (article.full_text_url or "").endswith("PMC3234553?pdf=render")
    assert (article.abstract or "").startswith("The metacopines represent")
    assert (patent.title, patent.year, len(patent.authors)) == ("VODKA SYNEVIR", 2004, 4)
    assert (other.title, other.year, other.publication_type) == ("A VODKA CHARKA", 2005, "patent")


@pytest.mark.parametrize(
    ("key", "kind", "expected"),
    [
        ("phd/dnb/Jones20", "Books and Theses", "thesis"),
        ("books/sp/Jones20", "Books and Theses", "book"),
        ("data/10/Jones20", "Data and Artifacts", "dataset"),
        ("x/Jones20", "Something new", None),
    ],
)
def test_what_kinds_of_works_dblp_has(key, kind, expected):
    hit = {"info": {"title": "On types.", "key": key, "type": kind}}
    body = json.dumps({"result": {"hits": {"hit": hit}}}).encode()
    [paper] = read("dblp", body).papers
    assert paper.publication_type == expected


@pytest.mark.parametrize(
    ("service", "file", "works", "hits"),
    [
        ("arxiv", "findpapers__arxiv-api-search.xml", 20, 21),
        ("dblp", "libgen-mcp__dblp_search.json", 3, 114),
        ("core", "v3_search_works_flutter.json", 2, 23027),
    ],
)
def test_a_page_says_how_many_works_there_are(recorded, service, file, works, hits):
    page = read(service, (recorded / service / file).read_bytes())
    assert (len(page.papers), page.hits) == (works, hits)


def entries_in(content: bytes, *path: str) -> list[Any] | None:
    """Return the entries of a body, read in the plainest way; None: it is no page."""
    text = content.decode("utf-8", "replace")
    if not path or text.startswith("<"):
        return re.findall(r"<(?:entry|Pubmed(?:Book)?Article)[> ]", text) or None
    try:
        body = json.loads(content)
    except ValueError:
        return None
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body if isinstance(body, list) else None


PATHS: dict[str, tuple[str, ...]] = {
    "arxiv": (),
    "pubmed": (),
    "europe_pmc": ("resultList", "result"),
    "dblp": ("result", "hits", "hit"),
    "core": ("results",),
    "serper_scholar": ("organic",),
    "serpapi_scholar": ("organic_results",),
    "openalex": ("results",),
    "crossref": ("message", "items"),
    "semantic_scholar": ("data",),
    "doaj": ("results",),
    "datacite": ("data",),
}
"""Where the answers of a service list works; empty: they are XML."""
EACH = [
    pytest.param(name, marks=pytest.mark.recorded(re.sub("(ser.*)_scholar", r"\1", name)))
    for name in PATHS
]


@pytest.mark.parametrize("key", ["", "key"])
@pytest.mark.parametrize("service", EACH)
def test_every_answer_is_read_or_refused(service, key, recorded_of):
    adapter = type(ADAPTERS[service])(key)
    for item in recorded_of:
        try:
            check_answer(adapter, item, *PATHS[service])
        except Exception as error:
            error.add_note(f"in {item}")
            raise


def check_answer(adapter: Adapter, given: RecordedAnswer, *path: str) -> None:
    """Whatever the answer is, nothing of it is lost without being counted."""
    if given.status >= 300:
        check_failure(adapter, given)
        return
    entries = entries_in(given.content, *path)
    is_text = given.path.suffix in {".xml", ".html"}
    request = FETCH if adapter.name == "pubmed" and is_text else request_of(adapter)
    try:
        page = adapter.read(given.answer, request)
    except PaperSearchError as error:
        if entries is not None:
            raise AssertionError(f"a list of works is refused: {error}") from error
        return
    assert all(paper.title.strip() and paper.source == adapter.name for paper in page.papers)
    assert page.papers == adapter.read(given.answer, request).papers
    assert page.next is None or page.next != request
    if entries is not None:
        assert len(page.papers) + page.dropped == len(entries)
    for paper in page.papers:
        assert RawPaper.model_validate_json(paper.model_dump_json()) == paper


def check_failure(adapter: Adapter, given: RecordedAnswer) -> None:
    """A refusal is explained, with the service's own words where it has any."""
    body = given.content.decode("utf-8", "replace").strip()
    error = HttpStatusError(
        "refused", status=given.status, body="" if body.startswith("<") else body
    )
    told = explain_failure(error, adapter, patience_s=80)
    expected = {
        401: SourceStatus.UNAUTHORISED,
        403: SourceStatus.UNAUTHORISED if adapter.key else SourceStatus.RATE_LIMITED,
        429: SourceStatus.EXHAUSTED if "budget" in body else SourceStatus.RATE_LIMITED,
        504: SourceStatus.TIMEOUT if "query_timeout" in body else SourceStatus.BAD_RESPONSE,
    }
    assert told.status is expected.get(given.status, SourceStatus.BAD_RESPONSE)
    assert adapter.title in str(told)


def test_errors_in_disguise_say_what_they_are(recorded):
    """API-11."""
    folder = recorded / "arxiv"
    body = (folder / "arxiv.py__id_abc_s0_m100_b79c8dcf6bc3__http400.xml").read_bytes()
    with pytest.raises(ServiceError, match="incorrect id format for abc"):
        read("arxiv", body)
    with pytest.raises(ServiceError, match="every three seconds") as told:
        read("arxiv", (folder / "error_429__http429.txt").read_bytes())
    assert told.value.status is SourceStatus.RATE_LIMITED
    with pytest.raises(ServiceError, match="Invalid db name specified"):
        read("pubmed", (recorded / "pubmed" / "biopython__epost2.xml").read_bytes(), FETCH)


@pytest.mark.parametrize(
    ("service", "body", "reason", "status"),
    [
        ("pubmed", {"error": "API rate limit exceeded"}, "too many requests", "rate_limited"),
        ("pubmed", {"error": "API key invalid: k1"}, "NCBI_API_KEY", "unauthorised"),
        ("pubmed", {"esearchresult": {"ERROR": "Search failed"}}, "failed", "bad_response"),
        ("pubmed", {"header": {}}, "without a list", "bad_response"),
        ("europe_pmc", {"errCode": 404, "errMsg": "bad query"}, "bad query", "bad_response"),
        ("dblp", {"result": {"status": {"@code": "429"}}}, "could not answer", "rate_limited"),
        ("core", {"message": "unwell"}, "unwell", "bad_response"),
        ("serper_scholar", {"message": "Not enough credits"}, "credits", "exhausted"),
        ("serper_scholar", {"message": "Unauthorized."}, "Unauthorized", "unauthorised"),
        *(
            (service, body, ".", "bad_response")
            for service in sorted(ADAPTERS.keys() - {"arxiv", "pubmed", "serpapi_scholar"})
            for body in ({"error": "out of order"}, [], "soon", 17, {})
        ),
    ],
)
def test_an_error_with_status_200_is_an_error(service, body, reason, status):
    """API-11."""
    adapter = type(ADAPTERS[service])("k1")
    with pytest.raises(ServiceError, match=reason) as told:
        adapter.read(HttpAnswer(200, "", json.dumps(body).encode(), 1), request_of(adapter))
    assert told.value.status.value == status
    assert adapter.title.split()[0] in str(told.value)
    assert "k1" not in str(told.value)
