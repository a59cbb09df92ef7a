"""How often a reading changes where the wording changes and the meaning does not.

    python benchmarks/wordings.py QUESTIONS STRATEGIES [--show]

QUESTIONS holds `questions.jsonl` (see readings.py), STRATEGIES `strategies.jsonl` (see
strategies.py). A question gets words of courtesy or one limit more; of its limits, all others must
stay. A strategy gets what copying does to a text; it must mean the same. "other" is what is read
otherwise without a word, "refused" what has to be mended by hand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from readings import read

from paper_search.errors import QuerySyntaxError
from paper_search.query import render
from paper_search.query.parser import analyse

Change = Callable[[str], str]
LIMITS = (
    "year_from", "year_to", "excluded", "types", "types_excluded", "authors", "venues", "language",
    "max_results", "seeds", "is_boolean", "refused",
)  # fmt: skip
_ASKING = re.compile(
    r"(?i)(?:i|please|find|can|could|give|show|hi|hello|hey|dear|what|how|do|does|is|are|who|which"
    r"|why|where|when|will|should|for|we|my|need|any|has|have|tell|list|get|search|looking)\b"
)
_DATED = re.compile(r"(?i)\d{4}|['’]\d\d|year|yrs|month|decade|\d0s|recent|since|new")


def _end(text: str) -> str:
    return text.rstrip(" .?!")


QUESTIONS: dict[str, tuple[Change, dict[str, Any]]] = {
    "please find": (lambda it: f"Please find {it}", {}),
    "I am looking for": (lambda it: f"I am looking for {it}", {}),
    "can you find me ... ?": (lambda it: f"Can you find me {_end(it)}?", {}),
    "for my thesis:": (lambda it: f"For my thesis: {it}", {}),
    "a full stop": (lambda it: f"{_end(it)}.", {}),
    "thanks behind": (lambda it: f"{_end(it)}. Thanks!", {}),
    "spaces doubled": (lambda it: it.replace(" ", "  "), {}),
    "unbreakable spaces": (lambda it: it.replace(" ", "\u00a0"), {}),
    ", since 2015": (lambda it: f"{_end(it)}, since 2015", {"year_from": 2015}),
    ", in English": (lambda it: f"{_end(it)}, in English", {"language": "en"}),
    ", but not mice": (lambda it: f"{_end(it)}, but not mice", {"excluded": ["mice"]}),
}
STRATEGIES: dict[str, Change] = {
    "line ends of Windows": lambda it: it.replace("\n", "\r\n"),
    "spaces behind lines": lambda it: it.replace("\n", "  \n"),
    "blank lines": lambda it: it.replace("\n", "\n\n"),
    "curly quotes": lambda it: re.sub(r'"([^"\n]*)"', "\u201c\\1\u201d", it),
    "unbreakable spaces": lambda it: it.replace(" ", "\u00a0"),
    "spaces doubled": lambda it: it.replace(" ", "  "),
    "a mark of a file's start": lambda it: f"\ufeff{it}",
    "places where a line may break": lambda it: it.replace(" ", " \u200b"),
    "hyphens where a line may break": lambda it: it.replace("-", "-\u00ad"),
    "hyphens of another kind": lambda it: re.sub(r"(?<=\w)-(?=\w)", "\u2010", it),
    "dashes between numbers": lambda it: re.sub(r"(\d)-(\d)", "\\1\u2013\\2", it),
    "lines broken at 40": lambda it: re.sub(r"(.{20,40}) (?=\S)", "\\1\n", it),
}


def _limits(reading: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    limits = {name: reading.get(name) or None for name in LIMITS}
    for name, value in more.items():
        limits[name] = [*(limits[name] or []), *value] if isinstance(value, list) else value
    return {
        name: sorted(map(str.casefold, value)) if isinstance(value, list) else value
        for name, value in limits.items()
    }


def questions(texts: list[str], *, show: bool) -> None:
    """Print how many questions are read otherwise after each change."""
    print("| change | questions | read otherwise |\n|---|--:|--:|")
    for name, (change, more) in QUESTIONS.items():
        begins = name in {"please find", "I am looking for", "can you find me ... ?"}
        chosen = [text for text in texts if not (begins and _ASKING.match(text))]
        if "year_from" in more:
            chosen = [text for text in chosen if not _DATED.search(text)]
        if "language" in more:
            chosen = [text for text in chosen if "language" not in text and "nglish" not in text]
        others = [
            text for text in chosen if _limits(read(text), more) != _limits(read(change(text)), {})
        ]
        print(f"| {name} | {len(chosen)} | {len(others)} |")
        for text in others if show else ():
            print(f"    {change(text)!r}")


def _meaning(text: str) -> str | None:
    try:
        return render(analyse(text).node)
    except QuerySyntaxError:
        return None


def strategies(texts: list[str], *, show: bool) -> None:
    """Print how many strategies mean something else, or are refused, after each change."""
    print("| change | strategies | same | refused | other |\n|---|--:|--:|--:|--:|")
    for name, change in STRATEGIES.items():
        chosen = [text for text in texts if _meaning(text) and change(text) != text]
        after = {text: _meaning(change(text)) for text in chosen}
        refused = sum(meaning is None for meaning in after.values())
        others = [text for text, it in after.items() if it not in {None, _meaning(text)}]
        same = len(chosen) - refused - len(others)
        print(f"| {name} | {len(chosen)} | {same} | {refused} | {len(others)} |")
        for text in others if show else ():
            print(f"    {change(text)!r}\n    {after[text]}")


def _texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("strategies", type=Path)
    parser.add_argument("--show", action="store_true", help="print what is read otherwise")
    arguments = parser.parse_args()
    questions(_texts(arguments.questions / "questions.jsonl"), show=arguments.show)
    print()
    strategies(_texts(arguments.strategies / "strategies.jsonl"), show=arguments.show)


if __name__ == "__main__":
    main()
