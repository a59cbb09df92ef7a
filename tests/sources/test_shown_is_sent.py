"""What the first checkpoint shows of a strategy is what each service is sent, and nothing else."""

import json
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.sources.adapters import SERVICES

from paper_search.models import RankedQuery, SearchConstraints, SearchQuery, SearchStrategy
from paper_search.sources.base import translations
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource

KEY, CONTACT = "CANARY-key", "someone@university.edu"
SETTINGS = SourceSettings(interval_s=0, max_retries=0, contact=CONTACT)
FEED = '<feed xmlns="http://www.w3.org/2005/Atom"></feed>'
NOTHING: dict[str, Any] = {
    "results": [],
    "result": {"hits": {"@total": "0"}},
    "message": {"items": []},
    "data": [],
    "esearchresult": {"idlist": [], "count": "0"},
    "articles": [],
    "organic": [],
    "resultList": {"result": []},
    "organic_results": [],
    "status": "ok",
}
"""An answer without records, in the words of all services that answer in JSON."""

Sent = tuple[str, tuple[tuple[str, str], ...], dict[str, str]]

NATIVE = 'title.search:"graph  nets"|[dp] & (x)'
LONG = [f"protein{number}" for number in range(150)]
words = st.sampled_from(
    ["slam", "few-shot", "comput*", "behavio?r", "größe", "OR", "robot", "10.1/x"]
)
leaves = words.filter(lambda word: word != "OR") | st.sampled_from(
    ['"visual slam"', '"neural network*"', "title:graph", "author:smith", "tiab:ant"]
)  # fmt: skip
groups = st.lists(leaves, min_size=1, max_size=4).map(lambda parts: f"({' OR '.join(parts)})")
booleans = st.builds(
    lambda parts, last: " AND ".join(parts) + last,
    st.lists(groups, min_size=1, max_size=3),
    st.sampled_from(["", " NOT survey*", " NOT (review OR author:doe)", " AND year:2015-2020"]),
) | st.sampled_from(
    ["graph NEAR/3 bees", "year:2020", "NOT bees", "((", "mesh:Asthma", "", " OR ".join(LONG)]
)
strategies = st.builds(
    SearchStrategy,
    queries=st.lists(
        st.builds(SearchQuery, keywords=st.just([]), boolean_query=booleans), max_size=3
    ),
    ranked=st.lists(
        st.builds(RankedQuery, text=st.lists(words, min_size=1).map(" ".join)), max_size=2
    ),
    sources=st.just(["any"]),
    works=st.lists(st.sampled_from(["doi:10.1000/a", "arxiv:2001.00001", "pmid:7", "pmcid:PMC7"])),
    filters=st.builds(
        SearchConstraints,
        year_from=st.none() | st.integers(1990, 2010),
        year_to=st.none() | st.integers(2011, 2024),
        language=st.sampled_from([None, "en", "de"]),
        publication_types=st.sampled_from([[], ["article"], ["article-journal"]]),
        conditions=st.sampled_from([[], ["author:smith"], ["NOT survey*"]]),
        max_results=st.integers(1, 2000),
    ),
)  # fmt: skip


def shown(written: str) -> Sent:
    """Return the parts of a request as a checkpoint writes it."""
    url, _, body = written.partition(" {")
    parts = urlsplit(url)
    posted = json.loads("{" + body) if body else {}
    address = unquote(parts._replace(query="").geturl())
    params = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return address, params, {name: str(value) for name, value in posted.items()}


def arrived(request: httpx.Request) -> Sent:
    """Return the parts of a request that came, without key and contact."""
    content = request.content.decode()
    is_json = "json" in request.headers.get("content-type", "")
    pairs = json.loads(content).items() if is_json else parse_qsl(content, keep_blank_values=True)
    private = (KEY, CONTACT)
    params = [pair for pair in request.url.params.multi_items() if pair[1] not in private]
    address = unquote(str(request.url.copy_with(query=None)))
    posted = {name: str(value) for name, value in pairs if value not in private}
    return address, tuple(sorted(params)), posted


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@given(strategy=strategies, is_native=st.booleans())
@examples(8)
async def test_a_service_is_sent_what_the_checkpoint_showed(service, strategy, is_native):
    native = {service.name: NATIVE} if is_native else {}
    strategy = strategy.model_copy(update={"native": native})
    came: list[Sent] = []

    def answer(request: httpx.Request) -> httpx.Response:
        came.append(arrived(request))
        if "arxiv" in request.url.host:
            return httpx.Response(200, text=FEED, headers={"content-type": "application/atom+xml"})
        return httpx.Response(200, json=NOTHING)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        endpoint = service.endpoint or "https://engine.example/search"
        adapter = service(KEY, contact=CONTACT, endpoint=endpoint)
        source = HttpSource(adapter, SETTINGS, client=client)
        said = translations(source, strategy)
        await source.report(strategy)
    assert came == [shown(request) for translation in said for request in translation.requests]
    assert KEY not in str(said)
    assert CONTACT not in str(said)
    if is_native:
        assert NATIVE in said[-1].texts
        address, params, posted = came[-1]
        assert any(NATIVE in part for part in (address, *dict(params).values(), *posted.values()))
