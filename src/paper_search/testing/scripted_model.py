"""A model by rules that does what its prompt says, and leaves undone what the prompt does not say.

It stands in for a language model where there is no key: in the tests of the prompts, which take one
instruction out and look at what changes, in the notebook and in `paper-search eval`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from paper_search.skills.intent.by_cues import intent_by_cues
from paper_search.skills.strategy.free_text import terms_of_text
from paper_search.skills.strategy.text import quoted
from paper_search.skills.variants import synonyms
from paper_search.testing.scripted_judge import graded_by_prompt, grouped_by_prompt, is_told
from paper_search.testing.scripted_report import (
    analysed_by_prompt,
    planned_by_prompt,
    reviewed_by_prompt,
    supported_by_prompt,
)
from paper_search.testing.scripted_writer import (
    drafted_by_prompt,
    frame_by_prompt,
    section_by_prompt,
)

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
        """Return the answer to one question.

        Args:
            title: of the schema that is to be answered in; it says which skill asks.
            prompt: the system prompt.
            message: the user message.
        """
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
    found = re.search(r"^<data-(\w+)>\n(.*)\n</data-\1>$", message, re.DOTALL | re.MULTILINE)
    records: list[dict[str, Any]] = json.loads(found[2]) if found else []
    return records


def _relevant_titles(message: str) -> list[str]:
    return [each["title"] for each in _records(message) if each.get("marked") == "relevant"]


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
