"""What a good model answers in each role of a report, from the sources that it is shown."""

import json
from typing import Any

from paper_search.testing.llm import LLMCall, blocks, data_block


def good_answer(call: LLMCall) -> dict[str, Any]:
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
