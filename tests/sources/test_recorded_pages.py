"""Every recorded answer of OpenAlex, Crossref, Semantic Scholar, DOAJ and DataCite is read."""

import json
from typing import Any

import pytest
from tests.recorded import RecordedAnswer, request_of

from paper_search.errors import PaperSearchError
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import SourceStatus
from paper_search.sources.adapter import Adapter, Page
from paper_search.sources.client import explained
from paper_search.sources.crossref import Crossref
from paper_search.sources.datacite import Datacite
from paper_search.sources.doaj import Doaj
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.semantic_scholar import SemanticScholar

SUCCESS = range(200, 300)


def entries_of(content: bytes, *path: str) -> list[Any] | None:
    """Return the entries of a list of works; None: the body is none."""
    try:
        body = json.loads(content)
    except ValueError:
        return None
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body if isinstance(body, list) else None


def check(adapter: Adapter, given: RecordedAnswer, *path: str) -> Page | None:
    """Read the answer; whatever it is, nothing of it is lost without being counted."""
    if given.status not in SUCCESS:
        check_failure(adapter, given)
        return None
    entries = entries_of(given.content, *path)
    try:
        page = adapter.read(given.answer, request_of(adapter))
    except PaperSearchError as error:
        if entries is not None:
            raise AssertionError(f"a list of works is refused: {error}") from error
        return None
    ids = [paper.id for paper in page.papers]
    assert all(paper.title.strip() for paper in page.papers)
    assert ids == [paper.id for paper in adapter.read(given.answer, request_of(adapter)).papers]
    if entries is not None:
        assert len(page.papers) + page.dropped == len(entries)
        assert page.next is None or page.next != request_of(adapter)
    return page


def check_failure(adapter: Adapter, given: RecordedAnswer) -> None:
    """A refusal is explained, with the service's own words where it has any."""
    body = given.content.decode("utf-8", "replace").strip()
    error = HttpStatusError(
        "refused", status=given.status, body="" if body.startswith("<") else body
    )
    told = explained(error, adapter, patience_s=80)
    expected = {
        400: SourceStatus.BAD_RESPONSE,
        404: SourceStatus.BAD_RESPONSE,
        500: SourceStatus.BAD_RESPONSE,
        504: SourceStatus.TIMEOUT if "query_timeout" in body else SourceStatus.BAD_RESPONSE,
        301: SourceStatus.BAD_RESPONSE,
        403: SourceStatus.UNAUTHORISED if adapter.key else SourceStatus.RATE_LIMITED,
        429: SourceStatus.EXHAUSTED if "budget" in body else SourceStatus.RATE_LIMITED,
    }
    assert told.status is expected[given.status]
    assert adapter.title in str(told)


@pytest.mark.parametrize(
    ("adapter", "path"),
    [
        pytest.param(adapter, path, marks=pytest.mark.recorded(adapter.name))
        for adapter, path in (
            (OpenAlex(), ("results",)),
            (Crossref(), ("message", "items")),
            (SemanticScholar(), ("data",)),
            (SemanticScholar("key"), ("data",)),
            (Doaj(), ("results",)),
            (Datacite(), ("data",)),
        )
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_every_answer_is_read(adapter, path, recorded_of):
    for row in recorded_of:
        try:
            check(adapter, row, *path)
        except Exception as error:
            error.add_note(f"in {row}")
            raise


@pytest.mark.parametrize(
    "adapter",
    [OpenAlex(), Crossref(), SemanticScholar(), Doaj(), Datacite()],
    ids=lambda adapter: adapter.name,
)
@pytest.mark.parametrize("body", ['{"error": "out of order"}', "[]", '"soon"', "17", "{}"])
def test_an_error_in_disguise_is_no_page(adapter, body):
    """API-11."""
    answer = HttpAnswer(200, "application/json", body.encode(), 1)
    with pytest.raises(PaperSearchError, match=adapter.title.split()[0]):
        adapter.read(answer, request_of(adapter))
