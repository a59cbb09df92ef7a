"""Citations by Semantic Scholar: two requests for every seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from paper_search.models import SearchConstraints, Seed, SourceStatus
from paper_search.sources import values
from paper_search.sources.adapter import Page, Request
from paper_search.sources.semantic_scholar import ENDPOINT, SemanticScholarAdapter, checked
from paper_search.sources.semantic_scholar_record import FIELDS, read_paper
from paper_search.sources.snowballing.tracker import SOURCE, Tracker, Trail

if TYPE_CHECKING:
    from paper_search.http.body import HttpAnswer
    from paper_search.http.errors import HttpStatusError

_LARGEST_PAGE = 1000
_WAYS = (("references", "citedPaper"), ("citations", "citingPaper"))


class SemanticScholarTracker(Tracker):
    """The references and citations of the graph, the newest first.

    Args:
        key: as for the source `semantic_scholar`; empty: ask without.
        endpoint: where the graph is.
    """

    name: ClassVar[str] = SOURCE
    title: ClassVar[str] = "Semantic Scholar"
    key_variable: ClassVar[str | None] = SemanticScholarAdapter.key_variable
    key_page: ClassVar[str | None] = SemanticScholarAdapter.key_page

    interval_s = 1.0

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.key = key.strip()
        self._endpoint = endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The key, if there is one."""
        return {"x-api-key": self.key} if self.key else {}

    def trails(self, seeds: Sequence[Seed], filters: SearchConstraints, wanted: int) -> list[Trail]:
        """Return two trails for every seed; years and language are checked locally."""
        del filters
        known = [(seed, name) for seed in seeds if (name := _name(seed))]
        size = min(_LARGEST_PAGE, max(wanted, 1))
        return [
            Trail(
                f"Semantic Scholar {way} of {name}",
                Request(
                    f"{self._endpoint}/paper/{quote(name, safe=':')}/{way}",
                    {"fields": ",".join(FIELDS), "offset": 0, "limit": size},
                ),
                (seed,),
            )
            for seed, name in known
            for way, _ in _WAYS
        ]

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the papers of a page; what has no title is counted, references often lack one."""
        body = checked(answer.json())
        inner = next(name for way, name in _WAYS if request.url.endswith(way))
        entries = values.items(body.get("data"))  # null where a publisher withholds references
        papers = [
            paper
            for each in entries
            if (paper := read_paper(values.mapping(each).get(inner), SOURCE))
        ]
        offset = values.number(body.get("next"))
        return Page(
            papers=papers,
            dropped=len(entries) - len(papers),
            next=request.turned(offset=offset) if offset and entries else None,
        )

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Tell what 403 means, and that a paper may be unknown."""
        if error.status == 404:  # noqa: PLR2004  # Not Found
            return SourceStatus.EMPTY
        return SourceStatus.RATE_LIMITED if error.status == 403 and not self.key else None  # noqa: PLR2004  # Forbidden


def _name(seed: Seed) -> str | None:
    """Return what the graph calls a seed, the surest id first."""
    if seed.s2_id:
        return seed.s2_id
    for kind, value in (("DOI", seed.doi), ("ARXIV", seed.arxiv_id), ("PMID", seed.pmid)):
        if value:
            return f"{kind}:{value}"
    return None
