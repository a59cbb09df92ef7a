"""A finished report with its references, the input of every output format."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from paper_search.exports.json_formats import export_csl_json, format_items
from paper_search.exports.text import identifier, web_address
from paper_search.models import (
    Facets,
    Paper,
    PaperCollection,
    SearchConstraints,
    SearchMetadata,
    SourceReport,
)
from paper_search.models import SearchStrategy as Strategy
from paper_search.report.claims.citations import cited_keys
from paper_search.report.evidence import Evidence, paper_of, plain_reference
from paper_search.report.models import (
    AnalysisResult,
    CheckedSentence,
    Critique,
    DraftSection,
    SearchResult,
    Study,
    Support,
    support_counts,
)

MARKS: Mapping[Support, str] = MappingProxyType(
    {
        "partly": "partly supported",
        "contradicted": "contradicted by its source",
        "unsupported": "not supported",
        "not_checked": "not checked",
    }
)
"""Marks after sentences; supported ones have none."""
MARK = rf"\[(?:{'|'.join(map(re.escape, MARKS.values()))})\]"


NO_ANSWER = "No answer found"
"""Reason of a partial report whose sources answer no sub-question."""


_SHOWN = {"status", "confidence", "caveats", "reason", "metadata", "provenance"}
"""Fields of the graph's output that a report has, too."""


class Approval(BaseModel):
    by: str
    at: str
    """UTC, ISO 8601."""


class Report(BaseModel):
    status: str = "partial"
    """complete, or partial."""
    confidence: str = "low"
    title: str = ""
    abstract: str = ""
    sections: list[DraftSection] = Field(default_factory=list)
    conclusion: str = ""
    caveats: list[str] = Field(default_factory=list)
    reason: str | None = None
    """Why it is partial."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    provenance: dict[str, Any] = Field(default_factory=dict)
    sources: list[SearchResult] = Field(default_factory=list)
    """All collected sources, in the order that determines the citation keys."""
    analysis: AnalysisResult | None = None
    critique: Critique | None = None
    approval: Approval | None = None
    """None if no person approved it."""
    output: dict[str, Any] = Field(default_factory=dict)
    """The graph's output."""

    @classmethod
    def of(
        cls,
        output: Mapping[str, Any],
        sources: Sequence[SearchResult],
        analysis: AnalysisResult | None = None,
        critique: Critique | None = None,
    ) -> "Report":
        content = output.get("content") or {}
        sections = [
            DraftSection.model_validate({**section, "section_id": section["id"]})
            for section in content.get("sections", [])
        ]
        if content.get("type") == "analysis_only":
            sections = [_listing("Findings", content["key_findings"])]
        elif content.get("type") == "search_results_only":
            titles = [source["title"] for source in content["search_results"]]
            sections = [_listing("Sources", titles)]
        provenance = output.get("provenance", {})
        return cls(
            **{name: value for name, value in output.items() if name in _SHOWN},
            title=content.get("title") or str(provenance.get("original_query", "")),
            abstract=content.get("abstract", ""),
            sections=sections,
            conclusion=content.get("conclusion", ""),
            sources=list(sources),
            analysis=analysis,
            critique=critique,
            output=dict(output),
        )

    @property
    def is_without_answer(self) -> bool:
        return self.reason == NO_ANSWER

    @property
    def is_failure(self) -> bool:
        """Whether it answers nothing or is unfinished; a person's rejection is no failure."""
        ended_by = self.provenance.get("ended_by")
        return self.is_without_answer or (
            self.status != "complete" and (ended_by != "rejected_by_person" or not self.sections)
        )

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.sources)

    @property
    def sentences(self) -> list[CheckedSentence]:
        return self.critique.sentences if self.critique is not None else []

    @property
    def support(self) -> dict[str, int]:
        return support_counts(self.sentences)

    def with_marks(self, place: str, text: str) -> str:
        """Insert a mark after each sentence of a text that has one."""
        position, parts = 0, []
        for sentence in self.sentences:
            if sentence.place == place and sentence.status in MARKS:
                parts += [text[position : sentence.end], f" [{MARKS[sentence.status]}]"]
                position = sentence.end
        return "".join([*parts, text[position:]])

    @property
    def studies(self) -> list[Study]:
        rows = self.analysis.studies if self.analysis is not None else []
        return [study for study in rows if study.result_id in self.evidence.by_id]

    @property
    def is_table(self) -> bool:
        """Whether the report is only the table of evidence, without a written text."""
        return not self.metadata.get("is_by_model") and not self.metadata.get("is_by_person")

    @property
    def place_of_sources(self) -> str:
        cited = "in the table or cited" if self.studies else "cited"
        return "in the table" if self.is_table else cited

    @cached_property
    def journal(self) -> list[SourceReport]:
        """The search log: all queries and pages requested, in the order of the plan."""
        queries = self.provenance.get("search_queries") or []
        rows = [row for query in queries for row in query.get("runs") or []]
        pages = self.provenance.get("pages") or []
        return [SourceReport.model_validate(row) for row in [*rows, *pages]]

    @property
    def searches(self) -> list[SourceReport]:
        """The rows of the log that are searches, not counts or pages."""
        return [row for row in self.journal if row.purpose.is_search]

    @property
    def headline(self) -> CheckedSentence | None:
        """The first supported sentence of the abstract, or None."""
        supported = (s for s in self.sentences if s.place == "abstract" and s.status == "supported")
        return next(supported, None)

    @cached_property
    def cited(self) -> list[str]:
        """The keys of cited sources that exist, those in the text first."""
        texts = [self.abstract, *(section.content for section in self.sections), self.conclusion]
        keys = dict.fromkeys(key for text in texts for key in cited_keys(text))
        keys |= dict.fromkeys(self.evidence.key_of(study.result_id) for study in self.studies)
        return [key for key in keys if key in self.evidence.by_key]


def _listing(title: str, lines: Sequence[str]) -> DraftSection:
    content = "\n".join(f"- {line}" for line in lines)
    return DraftSection(section_id="s1", title=title, content=content)


def render_json(report: Report) -> str:
    whole = {name: value for name, value in report.output.items() if name != "confidence"}
    whole |= report.model_dump(mode="json", include={"approval", "analysis", "critique", "sources"})
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


DEFAULT_STYLE = "plain"


def references(report: Report, style: str = DEFAULT_STYLE) -> dict[str, str]:
    """Return the references of all cited sources, ordered by key.

    `style`: `plain`, or the path of a .csl file, which needs citeproc-py (the extra `cite`). It
    formats APA, IEEE and NLM well, MLA and Chicago less so.
    """
    keys = sorted(report.cited)
    if style == DEFAULT_STYLE:
        return {key: plain_reference(report.evidence.by_key[key]) for key in keys}
    items = csl_items(report)
    return dict(sorted(format_items(items, style))) if items else {}


def link_of(result: SearchResult) -> str:
    """Return the URL of a source by DOI, PMID or arXiv id, else its web page; or ""."""
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
    """Return the cited sources as a collection for the exporters of papers.

    Sources with a DOI have no other URL.
    """
    papers = [paper_of(report.evidence.by_key[key]) for key in sorted(report.cited)]
    return _collection(
        [paper.model_copy(update={"url": None}) if paper.doi else paper for paper in papers]
    )


def csl_items(report: Report) -> list[dict[str, Any]]:
    papers, cited = [paper_of(source) for source in report.sources], set(report.cited)
    items: list[dict[str, Any]] = json.loads(export_csl_json(_collection(papers)))
    pairs = zip(report.evidence.by_key, items, strict=True)
    return [{**item, "id": key} for key, item in pairs if key in cited]


def _collection(papers: list[Paper]) -> PaperCollection:
    nothing = Strategy(queries=[], sources=[], filters=SearchConstraints())
    about = SearchMetadata(query="", search_strategy=nothing, total_found=len(papers))
    return PaperCollection(metadata=about, papers=papers, facets=Facets())
