"""Everything a report needs, without a network, a model or a person."""

import json
from collections.abc import Sequence
from typing import Any

from paper_search.llm.provider import LLMProvider
from paper_search.models import Author, Paper, PaperCollection
from paper_search.report.evidence import result_of
from paper_search.report.models import SearcherInput, SearchQuery, SearchResult
from paper_search.report.searcher import KindAnswer, ReportSearcher
from paper_search.report_workflow.context import ReportServices
from paper_search.testing.llm import LLMCall, blocks, data_block

QUESTION = "Do shade trees lower the temperature of city streets?"


_PAPERS = (
    ("Shade trees and street temperature", "Rowan, Ada", 2019,
     ("We measured shade trees in 40 city streets. Shade trees lower the temperature of city "
     "streets by 2.5 degrees on summer days. The effect is small at night.")),
    ("Street trees in dry cities", "Birch, Ben", 2021,
     ("Street trees need water that dry cities lack. In dry cities, shade trees lower the "
     "temperature of streets by 1.2 degrees. However, the cost of water remains unclear.")),
    ("A review of urban shade", "Linden, Cleo", 2020,
     ("We review 31 studies of shade trees in cities. Most studies report that shade trees improve "
     "comfort in city streets. Methods differ between studies and limit comparison.")),
    ("Night temperatures under trees", "Alder, Dov", 2022,
     ("Shade trees did not lower the temperature of city streets at night. We used sensors in 12 "
     "streets for one year.")),
    ("Planting plans for streets", "Hazel, Eve", 2018,
     ("Planting plans choose where trees stand in a street. A model of shade predicts the "
     "temperature of city streets from tree height.")),
    ("Shade trees cure everything", "Yew, Finn", 2023,
     "Shade trees lower the temperature of city streets by 25 degrees in every season."),
)  # fmt: skip


def report_papers() -> list[Paper]:
    """Return six papers on one question, with abstracts; one of them is retracted."""
    return [
        Paper(
            id=f"paper-{number}",
            title=title,
            authors=[Author(name=author)],
            abstract=abstract,
            year=year,
            venue="Journal of Shade",
            doi=f"10.5555/shade.{number}",
            source="fake",
            relevance_score=round(0.9 - number / 20, 2),
            is_retracted=True if author.startswith("Yew") else None,
        )
        for number, (title, author, year, abstract) in enumerate(_PAPERS, 1)
    ]


def report_sources() -> list[SearchResult]:
    return [result_of(paper, "q1") for paper in report_papers()]


class FakeSearch:
    """A kind of search that gives the same sources to the first query that asks."""

    def __init__(self, sources: Sequence[SearchResult] | None = None) -> None:
        self._sources = list(report_sources() if sources is None else sources)
        self.asked: list[str] = []

    async def find(
        self, queries: Sequence[SearchQuery], request: SearcherInput, before: Sequence[SearchResult]
    ) -> KindAnswer:
        del request  # whatever is asked
        self.asked += [query.query_text for query in queries]
        earlier_ids = {source.result_id for source in before}
        fresh = [source for source in self._sources if source.result_id not in earlier_ids]
        hits = dict.fromkeys((query.query_id for query in queries), len(self._sources))
        return KindAnswer(fresh, hits)


def report_services(
    llm: LLMProvider | None = None,
    *,
    search: FakeSearch | None = None,
    collection: PaperCollection | None = None,
) -> ReportServices:
    """Return services that search in memory, wait for nothing, and ask this model, if any."""
    source_search = search or FakeSearch()

    async def load(thread_id: str) -> PaperCollection:
        if collection is None:
            raise AssertionError(f"no collection for {thread_id!r}")
        return collection

    async def sleep(_seconds: float) -> None:
        return None

    return ReportServices(
        searcher=lambda _llm, _sources: ReportSearcher({"academic": source_search}),
        collection=load,
        model=lambda _name: llm,
        sleep=sleep,
    )


def good_answer(call: LLMCall) -> dict[str, Any]:
    """Return what a good model answers in each role, from what it is shown."""
    title = (call.schema or {}).get("title")
    if title == "PlanAnswer":
        return {
            "decomposed_questions": [
                "Do shade trees lower the temperature of city streets by day?",
                "Do shade trees lower the temperature of city streets at night?",
                "Which limits do studies of shade trees name?",
            ],
            "search_queries": [
                {"query_text": f"shade trees {word}", "search_type": "academic", "priority": 1}
                for word in ("temperature", "streets", "night", "cities", "limits")
            ],
            "methodology": "Search, read, compare.",
            "expected_sections": ["Introduction", "By day", "At night", "Limitations"],
            "reasoning_trace": "the question has a day and a night",
            "confidence": 0.9,
        }
    records = data_block(call)
    if title == "AnalysisAnswer":
        return _analysis(records)
    if title == "DraftAnswer":
        return _draft(records, call.user_message)
    if title in {"SectionAnswer", "FrameAnswer"}:
        return _piece(records, call.user_message)
    if title == "SupportAnswer":
        return {"verdict": "supported", "words": records[1]["words"], "reason": "it says so"}
    return {
        "scores": dict.fromkeys(
            ["accuracy", "completeness", "coherence", "citation", "methodology", "style"], 9
        ),
        "items": [],
        "summary": "A sound report.",
    }


_TITLES = ("Plan", "Analysis", "Draft", "Section", "Frame", "Support", "Review")
REPORT_ANSWERS = {f"{title}Answer": good_answer for title in _TITLES}
"""The same by the title of the schema, as `run_model_server` takes them."""


def _result(record: dict[str, Any]) -> str:
    """Return the second sentence of a text, or the first where the second says how; or a title."""
    if ". " not in record["text"]:
        return str(record["text"] or record["title"])
    first, second, *_ = str(record["text"]).split(". ")
    return first if second.startswith("We ") else second.rstrip(".")


_ANSWERED = (1, 1, 3, 2, 1)
"""Which sub-question each source answers, in the order of their relevance."""


def _analysis(records: list[dict[str, Any]]) -> dict[str, Any]:
    findings = [
        {
            "text": (sentence := _result(record)),
            "question": _ANSWERED[number % len(_ANSWERED)],
            "grade": "strong",
            "quotes": [{"source": record["key"], "text": sentence}],
        }
        for number, record in enumerate(records)
    ]
    keys = [record["key"] for record in records[:3]]
    return {"findings": findings, "themes": [{"label": "Shade by day", "sources": keys}]}


def _draft(records: list[dict[str, Any]], message: str) -> dict[str, Any]:
    day, night = _by_word(records, "2.5 degrees"), _by_word(records, "did not lower")
    review = _by_word(records, "31 studies")
    sentence = f"Shade trees lower the temperature of city streets by 2.5 degrees [@{day}]."
    dark = f"Shade trees did not lower the temperature of city streets at night [@{night}]."
    limits = f"Methods differ between the 31 studies, which limits comparison [@{review}]."
    titles: list[str] = json.JSONDecoder().raw_decode(message)[0]["sections"]
    contents = [f"This report reads the studies. {limits}", sentence, dark, f"{limits} {_LIMITS}"]
    sections = [{"title": t, "content": contents[min(n, 3)]} for n, t in enumerate(titles)]
    return {**_frame(sections), "sections": sections, "changes": []}


def _frame(sections: list[dict[str, str]]) -> dict[str, Any]:
    answer = " ".join(section["content"] for section in sections[1:3])
    return {
        "title": "Shade trees and the temperature of streets",
        "abstract": f"This report asks whether shade trees cool streets. {answer}",
        "conclusion": answer,
    }


def _piece(records: list[dict[str, Any]], message: str) -> dict[str, Any]:
    """Return a section, or what stands around the sections, as `write` in the message asks."""
    piece = json.JSONDecoder().raw_decode(message)[0]["write"]
    if "frame" in piece:
        return _frame(blocks(message)[-1][0]["sections"])
    title = piece["section"]["title"]
    return next(one for one in _draft(records, message)["sections"] if one["title"] == title)


_LIMITS = "This search was small, and cannot say what other studies found."


def _by_word(records: list[dict[str, Any]], words: str) -> str:
    return next((str(r["key"]) for r in records if words in r["text"]), str(records[0]["key"]))
