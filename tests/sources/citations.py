"""OpenAlex, Semantic Scholar and OpenCitations on loopback, agreeing on one net of citations."""

import json
import re
from collections.abc import Iterable
from typing import Any

from pytest_httpserver import HTTPServer
from tests.sources.loopback import KEY, Asked
from werkzeug import Request, Response

from paper_search.sources.client import SourceSettings
from paper_search.sources.snowballing import SnowballSource, services

SEED = 1
REFERENCES = range(11, 17)
CITATIONS = range(21, 46)
UNKNOWN = "10.1000/900"
"""The DOI of a work that OpenAlex does not have."""
NO_WAITING = SourceSettings(interval_s=0, max_retries=0)


def doi(number: int) -> str:
    return f"10.1000/{number}"


def year(number: int) -> int:
    return 2000 + number % 10


def title(number: int) -> str:
    return f"Learning, work {number}"


class Net:
    """The three services, and what they were asked."""

    def __init__(self, server: HTTPServer) -> None:
        self.asked: list[Asked] = []
        self.refusals: dict[str, int] = {}
        self.has_gaps = False
        self.citations: Iterable[int] = CITATIONS
        self.server = server
        server.expect_request(re.compile(".*")).respond_with_handler(self._handle)

    def source(self, settings: SourceSettings = NO_WAITING) -> SnowballSource:
        at = self.server.url_for
        return SnowballSource(
            [
                services.OpenAlexCitations(KEY, endpoint=at("/works")),
                services.SemanticScholarCitations(KEY, endpoint=at("/s2")),
                services.OpenCitations(KEY, endpoint=at("/oc")),
            ],
            settings,
        )

    @property
    def paths(self) -> list[str]:
        return [request["path"] for request in self.asked]

    def _handle(self, request: Request) -> Response:
        given: Asked = {**request.args, "path": request.path}
        self.asked.append({**given, "headers": dict(request.headers)})
        service = request.path.split("/")[1]
        if service in self.refusals:
            return Response('{"message": "no"}', status=self.refusals[service])
        body = {"works": _openalex, "s2": _semantic_scholar, "oc": self._opencitations}[service](
            given
        )
        if self.has_gaps and request.path.startswith("/s2"):
            body = {"offset": 0, "data": None}
        if self.has_gaps and "/metadata/" in request.path:
            body = body[1:]
        if body is None:
            return Response('{"error": "not found"}', status=404)
        return Response(json.dumps(body), content_type="application/json")

    def _opencitations(self, given: Asked) -> Any:
        path = given["path"]
        if "/metadata/" in path:
            return list(_metadata(path.rpartition("/metadata/")[2].split("__")))
        if not path.endswith((f"doi:{doi(SEED)}", f"doi:{UNKNOWN}")):
            return []
        is_back = "/references/" in path
        found, side = (REFERENCES, "cited") if is_back else (self.citations, "citing")
        return [{side: f"omid:br/{number} doi:{doi(number)}"} for number in found]


def _openalex(given: Asked) -> Any:
    name, _, value = given["filter"].split(",")[0].partition(":")
    if name == "doi":
        wanted = [number for number in (SEED,) if doi(number) in value.split("|")]
    elif f"W{SEED}" not in value.split("|"):
        wanted = []
    else:
        wanted = list(REFERENCES if name == "cited_by" else CITATIONS)
    span = re.search(r"publication_year:(\d{4})-(\d{4})", given["filter"])
    if span:
        wanted = [n for n in wanted if int(span[1]) <= year(n) <= int(span[2])]
    start = int(given.get("cursor", "*").replace("*", "0"))
    shown = wanted[start : start + 10]
    after = str(start + 10) if start + 10 < len(wanted) else None
    results = [
        {
            "id": f"https://openalex.org/W{number}",
            "doi": f"https://doi.org/{doi(number)}",
            "title": title(number),
            "publication_year": year(number),
        }
        for number in shown
    ]
    return {"meta": {"count": len(wanted), "next_cursor": after}, "results": results}


def _semantic_scholar(given: Asked) -> Any:
    name, _, way = given["path"].rpartition("/")
    if not name.endswith((f"DOI:{doi(SEED)}", f"DOI:{UNKNOWN}")):
        return None
    if way == "references":
        cited = [{"citedPaper": _paper(number)} for number in REFERENCES]
        return {"offset": 0, "data": [*cited, {"citedPaper": {"paperId": None, "title": None}}]}
    start = int(given["offset"])
    shown = CITATIONS[start : start + 10]
    more = {"next": start + 10} if start + 10 < len(CITATIONS) else {}
    return {"offset": start, **more, "data": [{"citingPaper": _paper(n)} for n in shown]}


def _paper(number: int) -> dict[str, Any]:
    return {
        "paperId": f"{number:040x}",
        "title": title(number),
        "year": year(number),
        "externalIds": {"DOI": doi(number)},
    }


def _metadata(names: Iterable[str]) -> Iterable[dict[str, str]]:
    for name in names:
        number = int(name.rpartition("/")[2])
        yield {
            "id": f"doi:{doi(number)} omid:br/{number} openalex:W{number}",
            "title": title(number),
            "author": "Peroni, Silvio [orcid:0000-0003-0530-4305 omid:ra/1]; Shotton, D.",
            "pub_date": f"{year(number)}-05",
            "venue": "Scientometrics [issn:0138-9130 omid:br/2]",
            "type": "journal article",
        }
