"""What leaves for each service, for each kind of request: where the key is, and how long it is."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.adapters import OF_PAPERS, SERVICES
from werkzeug import Request, Response

from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpBodyError
from paper_search.models import RawPaper, SearchConstraints, SearchStrategy, Seed, SourceStatus
from paper_search.query import parse
from paper_search.sources.adapter import Adapter, Page, Service
from paper_search.sources.adapter import Request as Asked
from paper_search.sources.client import SourceSettings
from paper_search.sources.enrichment import HttpEnricher
from paper_search.sources.enrichment.services import (
    CrossrefLookup,
    OpenAlexLookup,
    SemanticScholarLookup,
    UnpaywallLookup,
)
from paper_search.sources.http_source import HttpSource
from paper_search.sources.pubmed import Pubmed
from paper_search.sources.snowballing import SnowballSource
from paper_search.sources.snowballing.services import (
    OpenAlexCitations,
    OpenCitations,
    SemanticScholarCitations,
)
from paper_search.testing.skills import fake_strategy

KEY = "CANARY-key-of-a-service"
SETTINGS = SourceSettings(interval_s=0, max_retries=0)
IDS = [str(39_000_000 + number) for number in range(200)]
_BEARER = {"authorization": f"Bearer {KEY}"}

KEYS = {
    "openalex": _BEARER,
    "semantic_scholar": {"x-api-key": KEY},
    "opencitations": {"authorization": KEY},
    "core": _BEARER,
    "pubmed": {"api_key": KEY},
    "serpapi_scholar": {"api_key": KEY},
    "serper_scholar": {"x-api-key": KEY},
    "serper": {"x-api-key": KEY},
    "newsapi": {"x-api-key": KEY},
    "tavily": _BEARER,
}
"""Of each service that takes keys: the header or parameter, and what is in it."""
FORMS = {"pubmed", "arxiv", "europe_pmc"}
"""Services that take long requests as forms."""

CITATION_SERVICES = (OpenAlexCitations, SemanticScholarCitations, OpenCitations)
LOOKUPS = (OpenAlexLookup, SemanticScholarLookup, CrossrefLookup, UnpaywallLookup)
CONTACT = "somebody@university.edu"


@dataclass
class Recorder:
    """A server that notes every request, and knows enough to be asked the next one."""

    url: str = ""
    asked: list[Request] = field(default_factory=list)

    def answer(self, request: Request) -> Response:
        request.get_data()
        self.asked.append(request)
        return Response(json.dumps(self._body(request)), content_type="application/json")

    @staticmethod
    def _body(request: Request) -> object:
        if request.path.endswith("esearch.fcgi"):
            return {"esearchresult": {"count": "200", "idlist": IDS}}
        if "/index/" in request.path:
            side = "cited" if "/references/" in request.path else "citing"
            return [{side: f"omid:br/{n} doi:10.1000/journal.of.{n}"} for n in range(30)]
        return {}

    def lines(self) -> list[str]:
        """The first lines of the requests, as they arrived."""
        return [f"{asked.method} {asked.environ['REQUEST_URI']} HTTP/1.1" for asked in self.asked]


@pytest.fixture
def recorder(httpserver: HTTPServer) -> Recorder:
    found = Recorder(httpserver.url_for("/service").rstrip("/"))
    httpserver.expect_request(re.compile(".*")).respond_with_handler(found.answer)
    return found


def strategy(query: str, most: int = 200) -> SearchStrategy:
    return fake_strategy(query, sources=(), max_results=most)


def check_form(recorder: Recorder, service: Service) -> None:
    """Every request came with the key where the service takes it, and no longer than it takes."""
    assert recorder.asked
    for request, line in zip(recorder.asked, recorder.lines(), strict=True):
        sent = {name.lower(): value for name, value in request.headers.items()}
        sent |= request.args.to_dict()
        assert {name: x for name, x in sent.items() if KEY in x} == KEYS.get(service.name, {})
        assert KEY not in request.get_data(as_text=True)
        assert len(line) <= service.longest_line
        assert not request.form or service.name in FORMS


@pytest.mark.parametrize("made", SERVICES)
@pytest.mark.parametrize("words", [1, 70, 300])
async def test_searches_and_counts_come_as_the_service_takes_them(made, words, recorder):
    adapter = made(KEY, endpoint=recorder.url)
    query = " OR ".join(f"Größe{number}" for number in range(words))
    source = HttpSource(adapter, SETTINGS)
    answer = await source.report(strategy(query))
    if recorder.asked:
        check_form(recorder, adapter)
    else:
        assert "takes requests of" in str(answer.sources[0].error)
        assert words == 300
        assert adapter.name not in FORMS


async def test_pubmed_is_asked_for_two_hundred_records_at_once(recorder):
    adapter = Pubmed(KEY, contact=CONTACT, endpoint=recorder.url)
    await HttpSource(adapter, SETTINGS).report(strategy("visual slam"))
    fetched = next(asked for asked in recorder.asked if asked.path.endswith("efetch.fcgi"))
    assert fetched.values["id"].split(",") == IDS
    check_form(recorder, adapter)


async def test_records_that_are_checked_are_asked_for_in_full_pages(recorder):
    await HttpSource(Pubmed(endpoint=recorder.url), SETTINGS).report(
        strategy("abstract:robot AND navigation")
    )
    assert [it.path.rpartition("/")[2] for it in recorder.asked] == ["esearch.fcgi", "efetch.fcgi"]


@pytest.mark.parametrize("made", CITATION_SERVICES)
async def test_citations_are_asked_for_as_the_service_takes_it(made, recorder):
    service = made(KEY, endpoint=recorder.url)
    doi = "10.1000/a.rather.long.name.of.a.journal.and.the.number.of.an.article."
    seeds = [Seed(doi=f"{doi}{number}") for number in range(10)]
    seeds += [Seed(openalex_id=f"W{number}", doi=f"{doi}{number}") for number in range(10, 20)]
    source = SnowballSource([service], SETTINGS)
    await source.report(
        SearchStrategy.model_validate(
            {"queries": [], "sources": [], "seeds": seeds, "filters": {"max_results": 1000}}
        )
    )
    check_form(recorder, service)
    kinds = {re.sub(r"/(?:doi|DOI):.*|10\.1000.*", "", asked.path) for asked in recorder.asked}
    expected = {
        "openalex": {"/service"},
        "semantic_scholar": {"/service/paper"},
        "opencitations": {
            "/service/index/v2/references",
            "/service/index/v2/citations",
            "/service/meta/v1/metadata",
        },
    }
    assert kinds == expected[service.name]


@pytest.mark.parametrize("made", LOOKUPS)
async def test_missing_fields_are_asked_for_as_the_service_takes_it(made, recorder):
    adapter = made(KEY, contact=CONTACT, endpoint=recorder.url)
    works = [
        RawPaper(
            id=f"t:{n}", title=f"A title of work {n}", source="t", doi=f"10.1000/{'x' * 40}{n}"
        )
        for n in range(200)
    ]
    works.append(RawPaper(id="t", title="Without any identifier at all", source="t"))
    await HttpEnricher(adapter, SETTINGS).look_up(works)
    check_form(recorder, adapter)


@pytest.mark.parametrize("name", ["doaj", "datacite", "arxiv", "pubmed"])
async def test_the_limit_holds_for_the_bytes_that_arrive(name, recorder):
    adapter = OF_PAPERS[name](endpoint=recorder.url)
    sizes = range(1, 700)
    words = bisect_left(sizes, 1, key=lambda size: not _fits(adapter, size))
    await HttpSource(adapter, SETTINGS).report(strategy(_words(words), most=10))
    [first, *_] = recorder.lines()
    assert first.startswith("GET ")
    assert adapter.longest_line - 200 < len(first) <= adapter.longest_line


def _words(size: int) -> str:
    return " OR ".join(f"é{number}" for number in range(size))


def _fits(adapter: Adapter, size: int) -> bool:
    """Whether a query of so many words goes into a URL."""
    limits = SearchConstraints(max_results=10)
    query = adapter.translate(parse(_words(size)), limits)
    if adapter.form_suffix is None:
        return adapter.takes(query, limits)
    return adapter.as_sent(adapter.first(query, limits, 10)).form is None


READERS: dict[str, Callable[[HttpAnswer, Asked], Page]] = {
    **{made.name: made().read for made in SERVICES},
    **{made.__name__: made().read for made in CITATION_SERVICES},
}


@pytest.mark.parametrize("content", [b"", b" \n", b"null"])
@pytest.mark.parametrize("reader", READERS)
def test_an_answer_without_content_is_no_empty_page(reader, content):
    """API-12."""
    asked = Asked("https://a.org/references", {"limit": 1})
    with pytest.raises(HttpBodyError, match=r"without content|is not XML"):
        READERS[reader](HttpAnswer(200, "application/json", content, 1), asked)


@pytest.mark.parametrize("made", LOOKUPS)
@pytest.mark.parametrize("content", [b"", b"null"])
async def test_a_look_up_without_content_is_a_failure(made, content, httpserver):
    httpserver.expect_request(re.compile(".*")).respond_with_data(content)
    works = [RawPaper(id="t:1", title="A title", source="t", doi="10.1000/1")]
    enricher = HttpEnricher(made(contact=CONTACT, endpoint=httpserver.url_for("/x")), SETTINGS)
    found = await enricher.look_up(works)
    assert found.report.status is SourceStatus.BAD_RESPONSE
    assert "without content" in (found.report.error or "")
