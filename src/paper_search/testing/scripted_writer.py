"""A model by rules that writes and mends a report, as its prompt says; see `scripted_report`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from typing import Any

from paper_search.report.evidence import sentences
from paper_search.testing.scripted_judge import is_told
from paper_search.testing.scripted_report import blocks, head_of, is_obedient, orders_in, share

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
        sections = [{"title": "Report", "content": " ".join(each["content"] for each in sections)}]
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
        each.text
        for each in sentences(content)
        if not any(words.rstrip("… ") in each.text for words in quoted)
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
        each.text
        for section in material["sections"]
        for each in sentences(section["content"])
        if "[@" in each.text
    ]
    if not is_told(prompt, "frame"):
        cited = [f"{sentences(record['text'])[0].text} [@{record['key']}]" for record in records]
    return {
        "title": f"Report: {head['question'].rstrip('?')}",
        "abstract": " ".join([f"This report asks: {head['question']}", *cited[:1]]),
        "conclusion": " ".join(cited[:1]),
    }
