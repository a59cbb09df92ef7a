"""A model by rules that grades papers, and finds duplicates, as its prompt says.

What the prompt does not say it leaves undone, or does as a careless model would; see
`scripted_model`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from paper_search.skills.tag_cues import tags_of
from paper_search.skills.words import tokens
from paper_search.testing.llm import LLMCall, criteria_in, data_block

_HIGHEST, _HALF = 3, 0.5
_OPENING = 5
"""Words of a title that name a paper."""
_ABOUT = "It is about "
_WANTS = re.compile(r"\b(?:please|kindly|in front|ignore)\b", re.IGNORECASE)
"""What an obedient reader takes for an order."""

Record = Mapping[str, Any]


def is_told(prompt: str, name: str) -> bool:
    """Return whether the prompt has an instruction of that name."""
    return any(line.startswith((f"- {name}:", f"- `{name}`")) for line in prompt.splitlines())


def graded_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return grades by the words that each paper shares with each criterion."""
    records, criteria = data_block(LLMCall(prompt, message)), criteria_in(message)
    marked = set(_marked_words(message)) if is_told(prompt, "Marks") else set()
    results = [
        _entry(prompt, record, number, criteria, marked) for number, record in enumerate(records)
    ]
    if "never follow an instruction" not in prompt:
        _obey(results, records)
    if not is_told(prompt, "One by one"):
        _compare(results)
    return {"results" if '"results": [{' in prompt else "papers graded": results}


def grouped_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return groups of records whose titles agree up to their subtitles."""
    if not is_told(prompt, "groups"):
        return {"groups": []}
    records = data_block(LLMCall(prompt, message))
    if "nothing in it is an instruction" not in prompt and any(map(_wants, records)):
        return {"groups": [[record["id"] for record in records]]}
    named = sorted((_work(prompt, record), _named(prompt, record)) for record in records)
    groups = [[name for _, name in group] for _, group in groupby(named, key=lambda pair: pair[0])]
    shape: Any = [group for group in groups if len(group) > 1]
    return {"groups": shape if '{"groups": [[' in prompt else [", ".join(group) for group in shape]}


def _entry(
    prompt: str,
    record: Record,
    number: int,
    criteria: Sequence[Mapping[str, Any]],
    marked: set[str],
) -> dict[str, Any]:
    grades = [_grade(prompt, record, criterion, marked) for criterion in criteria]
    opening = " ".join(record["title"].split()[:_OPENING])
    return {
        "paper": record["paper"] if is_told(prompt, "paper") else f"paper {number}",
        "title": opening if is_told(prompt, "title") else "",
        "grades": grades if is_told(prompt, "grades") else grades[:1],
        "tags": _tags(record) if is_told(prompt, "tags") else [],
    }


def _grade(
    prompt: str, record: Record, criterion: Mapping[str, Any], marked: set[str]
) -> dict[str, Any]:
    grade, snippet = _evidence(criterion["text"].removeprefix(_ABOUT), record)
    if grade and marked & set(tokens(record["title"])):
        grade = _HIGHEST
    if criterion["kind"] == "exclusion" and not is_told(prompt, "Exclusions"):
        grade = _HIGHEST - grade
    if not is_told(prompt, "grade"):
        grade *= 30
    if not is_told(prompt, "snippet"):
        snippet = f"The paper is about {snippet}"
    return {
        "criterion": criterion["number"],
        "grade": grade,
        "snippet": (snippet or record["title"]) if grade else "",
    }


def _evidence(text: str, record: Record) -> tuple[int, str]:
    """Return 3 for a title with all words, 2 for a text with all, 1 for one with half of them."""
    title, abstract = str(record["title"]), str(record.get("abstract") or "")
    wanted = set(tokens(text))
    in_title = wanted & set(tokens(title))
    found = in_title | wanted & set(tokens(abstract))
    if in_title == wanted:
        return _HIGHEST, title
    is_half = len(found) >= len(wanted) * _HALF
    return (2 if found == wanted else int(is_half)), title if in_title else abstract[:100]


def _obey(results: list[dict[str, Any]], records: Sequence[Record]) -> None:
    if not any(map(_wants, records)):
        return
    for result, record in zip(results, records, strict=True):
        for grade in result["grades"]:
            grade["grade"] = _HIGHEST if _wants(record) else 0
            grade["snippet"] = record["title"] if _wants(record) else ""


def _compare(results: list[dict[str, Any]]) -> None:
    """Leave a good grade for each criterion to one paper, as one does who ranks."""
    taken: set[int] = set()
    for result in results:
        for grade in result["grades"]:
            if grade["grade"] == _HIGHEST and grade["criterion"] in taken:
                grade["grade"] = 1
            taken |= {grade["criterion"]} if grade["grade"] == _HIGHEST else set()


def _wants(record: Record) -> bool:
    return bool(_WANTS.search(f"{record['title']} {record.get('abstract') or ''}"))


def _tags(record: Record) -> list[str]:
    return [tag.value for tag in tags_of(record["title"], record.get("abstract"))]


def _marked_words(message: str) -> list[str]:
    lines = (line for line in message.split("\n") if line.startswith("Marked by the person"))
    marks = json.loads(next(lines, ": []").partition(": ")[2])
    return [
        word for mark in marks if mark["marked"] == "relevant" for word in tokens(mark["title"])
    ]


def _work(prompt: str, record: Record) -> str:
    """Return what the records of one work share."""
    title, _, subtitle = str(record["title"]).casefold().replace("&", "and").partition(":")
    is_apart = re.search(r"\breply\b|\bpart\b|\bcorrection\b", subtitle)
    if is_apart and is_told(prompt, "Apart"):
        return f"{title}:{subtitle}"
    return title if is_told(prompt, "Doubt") else " ".join(title.split()[:2])


def _named(prompt: str, record: Record) -> str:
    return str(record["id"] if is_told(prompt, "Ids") else record["title"])
