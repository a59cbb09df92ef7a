"""A model by rules that does what its prompt says, and leaves undone what the prompt does not say.

It stands in for a language model where there is no key: in the tests of the prompts, which take one
instruction out and look at what changes, in the notebook and in `paper-search eval`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import cycle, islice
from types import MappingProxyType
from typing import Any

from paper_search.report.evidence import sentences
from paper_search.skills.intent.by_cues import intent_by_cues
from paper_search.skills.strategy.free_text import terms_of_text
from paper_search.skills.strategy.text import quoted
from paper_search.skills.variants import synonyms
from paper_search.testing.llm import blocks
from paper_search.testing.scripted_judge import graded_by_prompt, grouped_by_prompt, is_told
from paper_search.testing.scripted_report import (
    analysed_by_prompt,
    head_of,
    is_obedient,
    orders_in,
    planned_by_prompt,
    reviewed_by_prompt,
    share,
    supported_by_prompt,
)

_KEY = re.compile(r"\[@([^\];]+)[^\]]*\]")
_GRADE = re.compile(r"^\[\w+\] ")
_WORDS_OF_A_FACT = 100
_QUOTED = re.compile(r"“([^“”]+)”")

Fact = tuple[str, str]
"""What a source says, and its key."""


def drafted_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return a report whose sections state the findings in turn."""
    head, [records, [material]] = head_of(message), blocks(message)
    facts = _facts(material["findings"], records)
    if is_told(prompt, "target_length"):
        facts = facts[: max(1, head["target_length"] // _WORDS_OF_A_FACT)]
    texts = _written(prompt, facts)
    titles: list[str] = head["sections"]
    contents = [[f"This section is about {title}."] for title in titles]
    places = range(1, max(2, len(titles) - 1)) if len(titles) > 1 else range(1)
    for place, text in zip(cycle(places), texts, strict=False):
        contents[place].append(text)
    contents[-1] += _gaps(prompt, head["gaps"])
    if head["style"] == "executive" and is_told(prompt, "style"):
        contents[0] = [*texts[:1], *contents[0]]
    sections = [
        {"title": title, "content": " ".join(said)}
        for title, said in zip(titles, contents, strict=True)
    ]
    if not is_told(prompt, "sections"):
        sections = [
            {"title": "Report", "content": " ".join(section["content"] for section in sections)}
        ]
    said: dict[str, Any] = {"title": "Report", "sections": sections}
    if is_told(prompt, "title"):
        said["title"] = f"Report: {head['question'].rstrip('?')}"
    if is_told(prompt, "abstract"):
        said["abstract"] = " ".join([f"This report asks: {head['question']}", *texts[:1]])
    if is_told(prompt, "conclusion"):
        said["conclusion"] = " ".join(texts[:1]) or "The sources do not answer this."
    orders = orders_in(record["text"] for record in records) if is_obedient(prompt) else []
    if orders:
        said["title"] = orders[0]
    said = _revised(prompt, head, material, said) if "revision" in head else said
    return said if '{"title": ' in prompt else {"report": said}


def _facts(findings: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """Return the findings with the keys they carry, or those of the sources closest to them."""
    facts = []
    for finding in findings:
        text = _KEY.sub("", _GRADE.sub("", finding)).strip().rstrip(".")
        keys = _KEY.findall(finding)
        closest = max(records, key=lambda record: share(text, record["text"]), default=None)
        key = keys[0] if keys else closest["key"] if closest else ""
        if text and key:
            facts.append((text.removeprefix("Yes: ").removeprefix("No: "), key))
    return facts


def _written(prompt: str, facts: Sequence[Fact]) -> list[str]:
    """Return a sentence for each fact, with the faults of a model that was not told better."""
    texts = []
    for text, key in facts:
        said = text if is_told(prompt, "Numbers") else re.sub(r"\d+(?:\.\d+)?", "99", text)
        if not is_told(prompt, "Certainty"):
            said = f"It is certain that {said}"
        texts.append(f"{said} {_cited(prompt, key)}.")
    if facts:
        cited = _cited(prompt, facts[0][1])
        texts += [] if is_told(prompt, "Sources") else ["Merlin (1985) agrees."]
        texts += [] if is_told(prompt, "Findings") else [f"Trees sing at dawn {cited}."]
        texts += [] if is_told(prompt, "Quotations") else [f"It is “cool as a cave” {cited}."]
        texts += [] if is_told(prompt, "Plain words") else [f"This is crucial {cited}."]
    return texts


def _cited(prompt: str, key: str) -> str:
    return f"[@{key}]" if is_told(prompt, "Citations") else f"(see {key})"


def _gaps(prompt: str, gaps: Sequence[str]) -> list[str]:
    return [f"The sources do not answer this. {gap}" for gap in gaps if is_told(prompt, "Gaps")]


def _revised(
    prompt: str, head: Mapping[str, Any], material: Mapping[str, Any], fresh: dict[str, Any]
) -> dict[str, Any]:
    """Return the draft before, mended; without being told, another one."""
    before, items = material["revision"]["previous_draft"], material["revision"]["items"]
    said = {**before} if is_told(prompt, "Faultless") else {**fresh}
    if is_told(prompt, "items"):
        said["sections"] = [
            {**section, "content": _mended(section["content"], items)}
            for section in said["sections"]
        ]
    asked = head["revision"]["a_person_asks"]
    if asked and is_told(prompt, "a_person_asks"):
        wish = asked[0].partition(": ")[2]
        said["abstract"] = f"This report was asked to say {wish}. {said['abstract']}"
    if is_told(prompt, "changes"):
        said["changes"] = [f"{item['id']}: done" for item in items]
    return said


def _mended(content: str, items: Sequence[Mapping[str, Any]]) -> str:
    """Return a text without the sentences that a critique quotes."""
    quoted = [words for item in items for words in _QUOTED.findall(item["description"])]
    kept = [
        sentence.text
        for sentence in sentences(content)
        if not any(words.rstrip("… ") in sentence.text for words in quoted)
    ]
    return " ".join(kept)


def section_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return one section, or a piece of one."""
    head, [records, [material]] = head_of(message), blocks(message)
    wanted = head["write"]["section"]
    texts = _written(prompt, _facts(material["findings"], records))
    number = int(wanted["piece"].partition(" ")[0]) - 1
    before = material["written_before"]
    if is_told(prompt, "piece"):
        fresh = [text for text in texts if text not in before] or texts[:1]
        texts = list(islice(fresh, 1))
    elif before:
        texts = [before, *texts]
    if not is_told(prompt, "section"):
        texts = [f"This report has {len(head['sections'])} sections.", *texts]
    opening = [f"This section is about {wanted['title']}."] if number == 0 else []
    items = material.get("items") or []
    content = " ".join([*opening, *texts])
    if items and is_told(prompt, "items"):
        content = _mended(content, items)
    return {"title": wanted["title"], "content": content}


def frame_by_prompt(prompt: str, message: str) -> dict[str, Any]:
    """Return what stands around sections that are written."""
    head, [records, [material]] = head_of(message), blocks(message)
    cited = [
        sentence.text
        for section in material["sections"]
        for sentence in sentences(section["content"])
        if "[@" in sentence.text
    ]
    if not is_told(prompt, "frame"):
        cited = [f"{sentences(record['text'])[0].text} [@{record['key']}]" for record in records]
    return {
        "title": f"Report: {head['question'].rstrip('?')}",
        "abstract": " ".join([f"This report asks: {head['question']}", *cited[:1]]),
        "conclusion": " ".join(cited[:1]),
    }


_ENGLISH = {
    "schlaganfällen": "stroke",
    "statine": "statins",
    "vorbeugung": "prevention",
    "graphneuronale": "graph neural",
    "moleküle": "molecules",
    "netze": "networks",
}
"""The words of other languages that it knows."""
_MOST_NAMES = 3


class ScriptedModel:
    """Answers questions by their schema's title; see the module."""

    def answer(self, title: str, prompt: str, message: str) -> dict[str, Any]:
        """Return the answer to one question; the title of its schema says which skill asks."""
        rule = _RULES.get(title)
        return rule(prompt, message) if rule else {}


def _intent(prompt: str, message: str) -> dict[str, Any]:
    question = json.loads(message.partition("\n")[0])
    read = intent_by_cues(question, date(2026, 1, 1), 100)
    is_english = "In English, whatever the language" in prompt
    limits = read.constraints
    concepts = [_in_english(name) if is_english else name for name in read.concepts]
    criteria = [
        {"text": f"It is about {name}", "kind": "inclusion", "weight": 2} for name in concepts
    ]
    said: dict[str, Any] = {
        "concepts": concepts,
        "alternatives": read.alternatives,
        "excluded": read.excluded,
        "authors": read.authors,
        "criteria": criteria,
        "constraints": {
            "year_from": limits.year_from,
            "year_to": limits.year_to,
            "language": limits.language,
            "max_results": None,
            "excluded_types": limits.excluded_types,
        },
    }
    known = {name: value for name, value in said.items() if is_told(prompt, name)}
    kind = read.intent_type.value if is_told(prompt, "intent_type") else "method"
    topic = read.topic if is_told(prompt, "topic") else question
    return {"topic": topic, "intent_type": kind, **known}


def _strategy(prompt: str, message: str) -> dict[str, Any]:
    concepts: list[str] = _line(message, "Concepts") or []
    names = [_in_english(name) if is_told(prompt, "Language") else name for name in concepts]
    has_keywords = is_told(prompt, "keywords")
    synonym_map = {name: synonyms(name)[:_MOST_NAMES] for name in names} if has_keywords else {}
    keywords = names if has_keywords else []
    texts = _queries(prompt, message, names)
    if "nothing written there is an instruction" not in prompt and "IGNORE" in message:
        texts = ["as told"]
    available = _line(message, "available_sources") or []
    limits = _line(message, "Constraints") if is_told(prompt, "filters") else {"year_from": 1}
    note = _text(message, "Feedback of the person")
    followed = ", ".join(terms_of_text(note).added) or note
    reason = f"It follows your note: {followed}" if note and is_told(prompt, "reason") else None
    said = {
        "sources": available if is_told(prompt, "sources") else [*available, "everywhere"],
        "filters": limits,
        "ranked_text": " ".join(names) if is_told(prompt, "ranked_text") else None,
        "reason": reason,
    }
    queries = [
        {"keywords": keywords, "synonym_map": synonym_map, "boolean_query": text} for text in texts
    ]
    return {"queries": queries, **said}


def _queries(prompt: str, message: str, names: list[str]) -> list[str]:
    groups = [_group(name, has_synonyms=is_told(prompt, "Synonyms")) for name in names]
    if not is_told(prompt, "Grammar"):
        groups = [f"{group}[tiab]" for group in groups]
    texts = [" AND ".join(groups)]
    if is_told(prompt, "Breadth"):
        texts.append(" OR ".join(groups))
    if is_told(prompt, "Feedback"):
        said = terms_of_text(_text(message, "Feedback of the person"))
        texts = [_obeying(text, said.required, said.excluded) for text in texts]
        texts += [quoted(term) for term in said.added]
    if is_told(prompt, "Marks"):
        texts += [quoted(title) for title in _relevant_titles(message)[:1]]
    earlier = re.findall(r"^\d+\. (.+)$", message, re.MULTILINE)
    if is_told(prompt, "Repetition"):
        texts = [text for text in texts if text not in earlier] or [f"title:({texts[0]})"]
    return texts


def _group(name: str, *, has_synonyms: bool) -> str:
    names = [name, *(synonyms(name)[:_MOST_NAMES] if has_synonyms else [])]
    texts = list(dict.fromkeys(filter(None, map(quoted, names))))
    return f"({' OR '.join(texts)})" if len(texts) > 1 else texts[0]


def _obeying(text: str, required: tuple[str, ...], excluded: tuple[str, ...]) -> str:
    joined = " AND ".join([f"({text})", *map(quoted, required)]) if required else text
    barred = " OR ".join(map(quoted, excluded))
    return f"({joined}) NOT ({barred})" if barred else joined


def _in_english(name: str) -> str:
    return " ".join(_ENGLISH.get(word.casefold(), word) for word in name.split())


def _text(message: str, name: str) -> str:
    found = re.search(rf"^{name}: (.*)$", message, re.MULTILINE)
    return found[1] if found else ""


def _line(message: str, name: str) -> Any:
    """Return the JSON of a line of a message; None: there is no such line."""
    text = _text(message, name)
    return json.loads(text) if text else None


def _records(message: str) -> list[dict[str, Any]]:
    return next(iter(blocks(message)), [])


def _relevant_titles(message: str) -> list[str]:
    return [record["title"] for record in _records(message) if record.get("marked") == "relevant"]


_RULES: Mapping[str, Callable[[str, str], dict[str, Any]]] = MappingProxyType(
    {
        "IntentAnswer": _intent,
        "StrategyAnswer": _strategy,
        "BatchAnswer": graded_by_prompt,
        "GroupsAnswer": grouped_by_prompt,
        "PlanAnswer": planned_by_prompt,
        "AnalysisAnswer": analysed_by_prompt,
        "SupportAnswer": supported_by_prompt,
        "ReviewAnswer": reviewed_by_prompt,
        "DraftAnswer": drafted_by_prompt,
        "SectionAnswer": section_by_prompt,
        "FrameAnswer": frame_by_prompt,
    }
)
