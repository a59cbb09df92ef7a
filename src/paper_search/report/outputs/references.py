"""The references of a report: plainly, or in any CSL style."""

from __future__ import annotations

import html
import json
import re
import warnings
from pathlib import Path
from typing import Any

from paper_search.errors import ConfigError
from paper_search.exports.json_formats import export_csl_json
from paper_search.models import Facets, Paper, PaperCollection, SearchConstraints, SearchMetadata
from paper_search.models import SearchStrategy as Strategy
from paper_search.report.document import Report
from paper_search.report.evidence import paper_of
from paper_search.report.writer import reference

DEFAULT_STYLE = "plain"
_TAG = re.compile(r"<[^<>]+>")


def references(report: Report, style: str = DEFAULT_STYLE) -> dict[str, str]:
    """Return the reference of every cited source by key, in order of their keys.

    Args:
        report: whose.
        style: `plain`, or the path of a .csl file, which needs citeproc-py (the extra `cite`). It
            follows APA, IEEE and NLM well, MLA and Chicago less.

    Raises:
        ConfigError: the style cannot be used.
    """
    keys = sorted(report.cited)
    if style == DEFAULT_STYLE:
        return {key: reference(report.evidence.by_key[key]) for key in keys}
    items = [{**item, "id": key} for key, item in _csl_items(report).items() if key in keys]
    return _by_citeproc(items, style) if items else {}


def cited_collection(report: Report) -> PaperCollection:
    """Return the cited sources as a collection, for what exports papers; keys are set anew."""
    return _collection([paper_of(report.evidence.by_key[key]) for key in sorted(report.cited)])


def _csl_items(report: Report) -> dict[str, dict[str, Any]]:
    """Return every source as CSL-JSON, under the keys that the report uses."""
    papers = [paper_of(source) for source in report.sources]
    items: list[dict[str, Any]] = json.loads(export_csl_json(_collection(papers)))
    return dict(zip(report.evidence.by_key, items, strict=True))


def csl_items(report: Report) -> list[dict[str, Any]]:
    """Return the cited sources as CSL-JSON with the keys of the report."""
    cited = set(report.cited)
    return [{**i, "id": k} for k, i in _csl_items(report).items() if k in cited]


def _collection(papers: list[Paper]) -> PaperCollection:
    nothing = Strategy(queries=[], sources=[], filters=SearchConstraints())
    about = SearchMetadata(query="", search_strategy=nothing, total_found=len(papers))
    return PaperCollection(metadata=about, papers=papers, facets=Facets())


def _by_citeproc(items: list[dict[str, Any]], style: str) -> dict[str, str]:
    try:
        from citeproc import (  # noqa: PLC0415  # an extra
            Citation,
            CitationItem,
            CitationStylesBibliography,
            CitationStylesStyle,
            formatter,
        )
        from citeproc.source.json import CiteProcJSON  # noqa: PLC0415  # an extra
    except ImportError:
        raise ConfigError(
            f"the reference style {style!r} needs citeproc-py: pip install 'paper-search[cite]', "
            f"or use {DEFAULT_STYLE!r}"
        ) from None
    if not Path(style).is_file():
        raise ConfigError(
            f"no reference style {style!r}: give {DEFAULT_STYLE!r}, or the path of a .csl file"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every field that it does not know
        try:
            loaded = CitationStylesStyle(style, validate=False)
            book = CitationStylesBibliography(loaded, CiteProcJSON(items), formatter.html)
            for item in items:
                book.register(Citation([CitationItem(item["id"])]))
            keys = [key.lower() for key in book.keys]
            lines = [_plain(str(entry)) for entry in book.bibliography()]
        except (ValueError, OSError, AttributeError, KeyError, TypeError) as error:
            raise ConfigError(f"the reference style {style!r} cannot be used: {error}") from None
    return dict(sorted(zip(keys, lines, strict=False)))


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", line)).split())
