"""A report as JSON: what the graph gave, with the analysis, the review and every source."""

from __future__ import annotations

import json

from paper_search.report.document import Report


def render_json(report: Report, indent: int = 2) -> str:
    """Return the report with everything that it was made from, for machines."""
    document = {
        **report.output,
        "analysis": report.analysis.model_dump(mode="json") if report.analysis else None,
        "critique": report.critique.model_dump(mode="json") if report.critique else None,
        "sources": [each.model_dump(mode="json") for each in report.sources],
    }
    return json.dumps(document, ensure_ascii=False, indent=indent) + "\n"
