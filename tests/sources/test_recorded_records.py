"""Every recorded answer of every service is read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.recorded import FETCH, RecordedAnswer, request_of
from tests.sources.adapters import ADAPTERS

from paper_search.errors import PaperSearchError
from paper_search.http.body import HttpAnswer, parse_xml
from paper_search.http.errors import HttpStatusError
from paper_search.models import RawPaper, SourceStatus
from paper_search.sources.adapter import Adapter, Page, Request
from paper_search.sources.client import explained
from paper_search.sources.core_works import read_work
from paper_search.sources.errors import ServiceError
from paper_search.sources.europe_pmc import read_result


def read(service: str, body: bytes, request: Request | None = None) -> Page:
    adapter = ADAPTERS[service]
    return adapter.read(HttpAnswer(200, "", body, 1), request or request_of(adapter))


def test_more_that_arxiv_says(recorded):
    path = recorded / "arxiv" / "arxiv.py__id_quant-ph_0201082v1_s0_m100_86989fe779ef.xml"
    [paper] = read("arxiv", path.read_bytes()).papers
    assert paper.arxiv_id == "quant-ph/0201082"
    assert (paper.full_text_url or "").startswith("https://arxiv.org/pdf/")
    assert paper.abstract


def test_what_the_old_arxiv_said(recorded):
    body = (recorded / "arxiv" / "findpapers__arxiv-api-search.xml").read_bytes()
    page = read("arxiv", body)
    assert (len(page.papers), page.hits) == (20, 21)
    first, last = page.papers[0], page.papers[-1]
    assert (
        first.title
        == "A Multitask Deep Learning Approach for User Depression Detection on Sina Weibo"
    )
    assert (first.year, len(first.authors)) == (2020, 5)
    assert (last.doi, last.year, len(last.authors)) == ("10.1016/j.isprsjprs.2020.07.002", 2020, 7)
    assert last.venue == "ISPRS Journal of Photogrammetry and Remote Sensing"


def pubmed_record(recorded: Path, file: str) -> RawPaper:
    return read("pubmed", (recorded / "pubmed" / f"{file}.xml").read_bytes(), FETCH).papers[0]


def test_more_that_pubmed_says(recorded):
    human_genome = pubmed_record(recorded, "fatcat_sample__collective")
    assert human_genome.pmid == "11237011"
    assert human_genome.authors[-1].name == "International Human Genome Sequencing Consortium"
    assert human_genome.authors[0].name == "E S Lander"
    retracted = pubmed_record(recorded, "fatcat_sample__retracted")
    assert (retracted.is_retracted, retracted.language) == (True, "pl")
    imaging = pubmed_record(recorded, "biopython__pubmed7")
    assert (imaging.pmcid, imaging.is_retracted) == ("PMC6022861", False)
    assert imaging.keywords[0] == "asthma"
    assert {"Humans", "Chromosome Mapping"} <= set(human_genome.keywords)
    assert (imaging.full_text_url or "").endswith("PMC6022861/")
    pesticides = pubmed_record(recorded, "biopython__pubmed5")
    assert (pesticides.abstract or "").startswith("Objectives: ")
    assert " Conclusions: " in (pesticides.abstract or "")


def test_books_of_pubmed(recorded):
    book = pubmed_record(recorded, "jabref__MedlineImporterTestPubmedBook")
    assert book.title == (
        "Rheumatoid Arthritis: National Clinical Guideline for Management and Treatment in Adults"
    )
    assert (book.year, book.isbn, book.publication_type) == (2009, "9781860163593", "book")
    assert [author.name for author in book.authors] == [
        "National Collaborating Centre for Chronic Conditions (UK)",
        "Darlisha A Williams",
    ]


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


def test_what_europe_pmc_says_in_short(recorded):
    entry = json.loads((recorded / "europe_pmc" / "json_lite_one_result.json").read_bytes())
    paper = read_result(entry)
    assert (paper.id, paper.year) == ("europe_pmc:MED/23372985", 2012)
    assert paper.title == "Custom software development for use in a clinical laboratory"
    assert paper.doi == "10.4103/2153-3539.104906"
    assert [author.name for author in paper.authors] == ["Sinard JH", "Gershkovich P"]
    assert (paper.venue, paper.citation_count) == ("J Pathol Inform", 2)
    assert paper.full_text_url == "https://europepmc.org/articles/PMC3551490?pdf=render"


@pytest.mark.parametrize(
    ("file", "pmid", "doi", "has_text"),
    [
        ("indexed_not_oa", "31000000", "10.9999/indexed.but.not.oa", False),
        ("no_oa", "21376230", "10.1016/j.cell.2011.02.013", False),
        ("oa", "27541692", "10.1371/journal.pbio.1002533", True),
    ],
)
def test_which_texts_europe_pmc_opens(recorded, file, pmid, doi, *, has_text):
    body = (recorded / "europe_pmc" / f"libgen-mcp__europepmc_{file}.json").read_bytes()
    [paper] = read("europe_pmc", body).papers
    assert (paper.pmid, paper.doi, bool(paper.full_text_url)) == (pmid, doi, has_text)


def test_more_that_dblp_says(recorded):
    page = read("dblp", (recorded / "dblp" / "libgen-mcp__dblp_search.json").read_bytes())
    conference, preprint, journal = page.papers
    assert page.hits == 114
    assert conference.authors[0].name == "Xiaopeng Zhang"
    assert (conference.venue, conference.pages) == ("DAC", "169-174")
    assert preprint.arxiv_id == "2407.15516"
    assert [paper.publication_type for paper in page.papers] == [
        "paper-conference",
        "article",
        "article-journal",
    ]
    assert (journal.volume, journal.venue) == ("13", "IEEE Access")


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


def test_what_core_says(recorded):
    page = read("core", (recorded / "core" / "v3_search_works_flutter.json").read_bytes())
    first, second = page.papers
    assert page.hits == 23027
    assert (first.id, first.doi) == ("core:722934", "10.1016/j.jmps.2006.05.005")
    assert first.title == "A dynamical interpretation of flutter instability in a continuous medium"
    assert [author.name for author in first.authors].count("Davide Bigoni") == 1
    assert "Bigoni" not in {author.name for author in first.authors}
    assert (first.arxiv_id, first.publisher, first.language) == ("1010.1833", "Elsevier BV", "en")
    assert first.full_text_url == "https://arxiv.org/pdf/1010.1833"
    assert not (first.abstract or "").endswith("figure")
    assert (
        second.title
        == "Supersonic flutter analysis of flat composite panels by unified formulation"
    )
    assert (second.year, len(second.authors)) == (2013, 4)
    single = json.loads((recorded / "core" / "v3_work_with_fulltext.json").read_bytes())
    paper = read_work(single)
    assert (paper.year, paper.doi, paper.publisher) == (
        2024,
        "10.59324/ejtas.2024.2(2).44",
        "AMO Publisher",
    )


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
    told = explained(error, adapter, patience_s=80)
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


@pytest.mark.parametrize(
    ("service", "status", "body", "expected"),
    [
        ("pubmed", 400, '{"error":"API key invalid"}', SourceStatus.UNAUTHORISED),
        ("pubmed", 429, '{"error":"API rate limit exceeded"}', SourceStatus.RATE_LIMITED),
        ("serper_scholar", 400, '{"message":"Not enough credits"}', SourceStatus.EXHAUSTED),
        ("serper_scholar", 403, '{"message":"Unauthorized."}', SourceStatus.UNAUTHORISED),
        ("arxiv", 429, "Rate exceeded.", SourceStatus.RATE_LIMITED),
    ],
)
def test_a_refusal_means(service, status, body, expected):
    error = HttpStatusError("refused", status=status, body=body)
    assert explained(error, ADAPTERS[service], patience_s=80).status is expected
