"""The references of a report: plainly, or in any CSL style."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from paper_search.exports.json_formats import export_csl_json, formatted
from paper_search.exports.text import identifier, web_address
from paper_search.models import Facets, Paper, PaperCollection, SearchConstraints, SearchMetadata
from paper_search.models import SearchStrategy as Strategy
from paper_search.report.document import Report
from paper_search.report.evidence import paper_of
from paper_search.report.models import SearchResult
from paper_search.report.writer import described

DEFAULT_STYLE = "plain"


def references(report: Report, style: str = DEFAULT_STYLE) -> dict[str, str]:
    """Return the reference of every cited source by key, in order of their keys.

    `style`: `plain`, or the path of a .csl file, which needs citeproc-py (the extra `cite`); it
    follows APA, IEEE and NLM well, MLA and Chicago less.

    Raises:
        ConfigError: the style cannot be used.
    """
    keys = sorted(report.cited)
    if style == DEFAULT_STYLE:
        return {key: described(report.evidence.by_key[key]) for key in keys}
    items = [{**item, "id": key} for key, item in _csl_items(report).items() if key in keys]
    return dict(sorted(formatted(items, style))) if items else {}


def link_of(result: SearchResult) -> str:
    """Return the one address of a source: by DOI, PMID or arXiv number, else its page; or ""."""
    paper = paper_of(result)
    identifiers = {
        "https://doi.org/": paper.doi,
        "https://pubmed.ncbi.nlm.nih.gov/": paper.pmid,
        "https://arxiv.org/abs/": paper.arxiv_id,
    }
    for base, name in identifiers.items():
        if name:
            return base + quote(identifier(name), safe="/:;()%._-")
    address = web_address(paper)
    return address if address.lower().startswith(("http://", "https://")) else ""


def cited_collection(report: Report) -> PaperCollection:
    """Return the cited sources as a collection, for what exports papers; keys are set anew.

    Each has one address: with a DOI, no other.
    """
    papers = [paper_of(report.evidence.by_key[key]) for key in sorted(report.cited)]
    return _collection(
        [paper.model_copy(update={"url": None}) if paper.doi else paper for paper in papers]
    )


def _csl_items(report: Report) -> dict[str, dict[str, Any]]:
    papers = [paper_of(source) for source in report.sources]
    items: list[dict[str, Any]] = json.loads(export_csl_json(_collection(papers)))
    return dict(zip(report.evidence.by_key, items, strict=True))


def csl_items(report: Report) -> list[dict[str, Any]]:
    cited = set(report.cited)
    return [{**i, "id": k} for k, i in _csl_items(report).items() if k in cited]


def _collection(papers: list[Paper]) -> PaperCollection:
    nothing = Strategy(queries=[], sources=[], filters=SearchConstraints())
    about = SearchMetadata(query="", search_strategy=nothing, total_found=len(papers))
    return PaperCollection(metadata=about, papers=papers, facets=Facets())
