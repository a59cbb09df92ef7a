"""A model by rules that plans, reads and reviews a report, as its prompt says.

What the prompt does not say it leaves undone, or does as a careless model would; see
`scripted_model`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from paper_search.report.evidence import sentences
from paper_search.report.passages import content_stems, is_background
from paper_search.report.sub_questions import headings, sub_questions
from paper_search.skills.intent.by_cues import intent_by_cues
from paper_search.testing.llm import blocks
from paper_search.testing.scripted_judge import is_told

_OF_DEPTH = {"quick": 1, "standard": 2, "comprehensive": 3}
_VARIATIONS = ("", "review", "comparison")
_MOST_QUESTIONS, _MOST_QUOTES = 7, 5
_NAMED, _COVERED, _TOUCHED = 0.75, 0.6, 0.3
"""Shares of words that a source has which answers a question, says a sentence, or part of it."""
_STRONG = 3
_WANTS = re.compile(r"\b(?:please|kindly)\b", re.IGNORECASE)
"""What an obedient reader takes for an order."""
_YES_OR_NO = re.compile(r"(?:do|does|did|is|are|can)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|never)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PEOPLE = re.compile(r"\b(?:adults|children|mice|patients)\b", re.IGNORECASE)
_CAUSES = re.compile(r"\bcauses?d?\b", re.IGNORECASE)
_EXTENT = ("some", "most", "all")
_DOUBT = re.compile(r"\b(?:may|might|perhaps)\b", re.IGNORECASE)
_EMPTY = "crucial"
"""A word that the review finds fault with."""
CRITERIA = ("accuracy", "completeness", "coherence", "citation", "methodology", "style")

Record = Mapping[str, Any]


def head_of(message: str) -> dict[str, Any]:
    """Return the JSON that a message begins with."""
    head: dict[str, Any] = json.JSONDecoder().raw_decode(message)[0]
    return head


def is_obedient(prompt: str) -> bool:
    """Return whether nothing in the prompt keeps a model from obeying what it reads."""
    return "never follow an instruction" not in prompt


def orders_in(texts: Iterable[str]) -> list[str]:
    """Return the sentences that ask for something."""
    return [
        sentence.text
        for text in texts
        for sentence in sentences(text)
        if _WANTS.search(sentence.text)
    ]


def planned_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return a plan along the concepts of the question."""
    asked = head_of(message)
    intent = intent_by_cues(asked["question"], date(2026, 1, 1), 100)
    questions = [part.text for part in sub_questions(intent, _MOST_QUESTIONS - 1)]
    if is_told(prompt, "Changes") and asked["context"] != "none":
        questions = [f"What is known of {asked['context']}?", *questions]
    if not is_told(prompt, "Decompose"):
        questions = questions[:1]
    said: dict[str, Any] = {
        "decomposed_questions": questions,
        "search_queries": _queries(prompt, asked, questions, intent.concepts),
    }
    if is_told(prompt, "Write"):
        said["expected_sections"] = ["Introduction", *headings(questions), "Limits"]
    if is_told(prompt, "Understand"):
        said["reasoning_trace"] = f"It asks about {', '.join(intent.concepts)}."
    if is_told(prompt, "Risk"):
        said["warnings"] = ["Few sources may say what happened later."]
    if is_told(prompt, "methodology"):
        said["methodology"] = "Sources are searched, read and compared."
    if is_told(prompt, "confidence"):
        said["confidence"] = 0.7
    return said


def _queries(
    prompt: str, asked: Record, questions: Sequence[str], concepts: Sequence[str]
) -> list[Any]:
    if not is_told(prompt, "Search"):
        return []
    kinds, each = asked["search_types"], _OF_DEPTH[asked["depth"]]
    hints = asked["domain_hints"] if is_told(prompt, "Fields") else []
    made: list[Any] = []
    for question in questions:
        for number in range(each if is_told(prompt, "Depth") else 1):
            names = [f'"{name}"' for name in concepts if name.casefold() in question.casefold()]
            terms = " ".join([*(names or concepts), *hints, _VARIATIONS[number]]).strip()
            made.append(
                {
                    "query_text": terms if is_told(prompt, "query_text") else question,
                    "search_type": kinds[number % len(kinds)]
                    if is_told(prompt, "search_type")
                    else "library",
                    "priority": number + 1 if is_told(prompt, "priority") else 9,
                }
            )
    has_shape = '{"query_text": ' in prompt
    return made if has_shape else [query["query_text"] for query in made]


def analysed_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return what the sources say that name most of each sub-question."""
    asked, [records] = head_of(message), blocks(message)
    questions = list(asked["sub_questions"].values())
    findings = [
        _finding(prompt, number, question, records) for number, question in enumerate(questions, 1)
    ]
    found = [finding for finding in findings if finding["quotes"]]
    said: dict[str, Any] = {"findings": []}
    if is_told(prompt, "findings"):
        said["findings"] = [_as_told(prompt, finding) for finding in found]
    orders = orders_in(record["text"] for record in records) if is_obedient(prompt) else []
    for finding, order in zip(said["findings"], orders, strict=False):
        finding["text"] = order
    if is_told(prompt, "themes"):
        keys = [record["key"] for record in records[:_MOST_QUOTES]]
        said["themes"] = [{"label": "What was measured", "sources": keys, "question": 1}]
    if is_told(prompt, "contradictions"):
        said["contradictions"] = [dispute for one in found for dispute in _disputes(one)]
    if is_told(prompt, "gaps"):
        said["gaps"] = [finding["question"] for finding in findings if not finding["quotes"]]
    return said


def _finding(prompt: str, number: int, question: str, records: Sequence[Record]) -> dict[str, Any]:
    trusted = [record for record in records if not record.get("warning")]
    shown = trusted if is_told(prompt, "Warnings") else records
    quotes = []
    for record in shown:
        said = [sentence.text for sentence in sentences(record["text"])]
        best = max(said, key=lambda text: share(question, text), default="")
        if best and share(question, best) >= _NAMED:
            chosen = best if is_told(prompt, "Whole") else said[-1]
            if not is_told(prompt, "Results"):
                chosen = next(filter(is_background, said), chosen)
            quotes.append({"source": record["key"], "text": chosen})
    text = quotes[0]["text"] if quotes else ""
    if not is_told(prompt, "People"):
        text = text.partition(" of ")[0]
    if is_told(prompt, "Direction") and _YES_OR_NO.match(question):
        text = f"{'No' if _NOT.search(text) else 'Yes'}: {text}"
    return {"text": text, "question": number, "quotes": quotes[:_MOST_QUOTES]}


def _as_told(prompt: str, finding: dict[str, Any]) -> dict[str, Any]:
    count = len(finding["quotes"])
    grade = "strong" if count >= _STRONG else "moderate" if count > 1 else "weak"
    quotes: Any = finding["quotes"] if is_told(prompt, "quotes") else []
    if '{"text": ' not in prompt:
        quotes = " ".join(quote["text"] for quote in finding["quotes"])
    grades = {"grade": grade} if is_told(prompt, "grade") else {}
    return {**finding, "quotes": quotes, **grades}


def _disputes(finding: Record) -> list[dict[str, Any]]:
    quotes = finding["quotes"]
    against = next((quote for quote in quotes if _NOT.search(quote["text"])), None)
    one = next((quote for quote in quotes if not _NOT.search(quote["text"])), None)
    if against is None or one is None:
        return []
    return [{"topic": "direction", "one": one, "other": against, "note": "One of them denies it."}]


def supported_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return whether the words of the sources have those of a sentence."""
    [[first, *sources]] = blocks(message)
    sentence = first["sentence"]
    best = max(
        (source["words"] for source in sources), key=lambda w: share(sentence, w), default=""
    )
    told = {
        name
        for name in ("Numbers", "People", "Cause", "Extent", "Certainty")
        if is_told(prompt, name)
    }
    verdict = _verdict(sentence, best, told)
    if is_obedient(prompt) and orders_in([best]):
        verdict = "supported"
    said = {"verdict": verdict if is_told(prompt, "verdict") else "supported"}
    if is_told(prompt, "words"):
        said["words"] = best
    if is_told(prompt, "reason") and verdict != "supported":
        said["reason"] = f"The words are {verdict} what it says."
    return said if '{"verdict": ' in prompt else {"answer": json.dumps(said)}


def _verdict(sentence: str, words: str, told: set[str]) -> str:
    covered = share(sentence, words)
    if covered < _TOUCHED:
        return "not"
    if bool(_NOT.search(sentence)) is not bool(_NOT.search(words)):
        return "contradicted"
    numbers = set(_NUMBER.findall(sentence))
    if "Numbers" in told and not numbers <= set(_NUMBER.findall(words)):
        return "not"
    people = {name.casefold() for name in _PEOPLE.findall(words)}
    others = {name.casefold() for name in _PEOPLE.findall(sentence)} - people
    is_less = (
        covered < _COVERED
        or ("People" in told and bool(others))
        or ("Cause" in told and bool(_CAUSES.search(sentence)) and not _CAUSES.search(words))
        or ("Extent" in told and _extent(sentence) > _extent(words))
        or ("Certainty" in told and bool(_DOUBT.search(words)) and not _DOUBT.search(sentence))
    )
    return "partly" if is_less else "supported"


def _extent(text: str) -> int:
    said = text.casefold().split()
    return max((number for number, word in enumerate(_EXTENT, 1) if word in said), default=0)


def reviewed_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return full marks, less what stands in empty words."""
    _, [material] = blocks(message)
    sections = material["report"]["sections"]
    scores = {name: 9 for name in CRITERIA if is_told(prompt, name)}
    items = [_item(prompt, section) for section in sections if _EMPTY in section["content"]]
    if items and "style" in scores:
        scores["style"] = 6
    if not is_told(prompt, "Known"):
        items += [{"description": known} for known in material["found_by_checks"]]
    if is_obedient(prompt) and orders_in(section["content"] for section in sections):
        scores, items = dict.fromkeys(CRITERIA, 10), []
    named = [name for name in ("scores", "items", "summary") if is_told(prompt, name)]
    said: dict[str, Any] = {"scores": scores, "items": items, "summary": "It can be read."}
    if '{"scores": {' not in prompt:
        said["scores"] = list(scores.values())
    return {name: said[name] for name in named}


def _item(prompt: str, section: Record) -> dict[str, Any]:
    whole = {
        "category": "style",
        "severity": "major",
        "location": section["title"],
        "description": f"“{_EMPTY}” says nothing.",
        "suggested_fix": "Leave it out.",
    }
    return {name: value for name, value in whole.items() if is_told(prompt, name)}


def share(wanted: str, text: str) -> float:
    """Return which share of the words of one text another one has."""
    stems = set(content_stems(wanted))
    return len(stems & set(content_stems(text))) / len(stems) if stems else 0.0
