"""References of tagged text formats: runs of `TAG value` lines, continued by indented ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Reference:
    """One reference: where it begins, and its values by tag, in order."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *tags: str) -> list[str]:
        """Return the values of the first of these tags that has any."""
        return next((self.values[tag] for tag in tags if self.values.get(tag)), [])

    def first(self, *tags: str) -> str | None:
        """Return the first value of the first of these tags that has one."""
        return next(iter(self.all(*tags)), None)

    def joined(self, *tags: str) -> str | None:
        """Return all values of the first of these tags that has any, as one text."""
        return " ".join(self.all(*tags)) or None


@dataclass(frozen=True, slots=True)
class Layout:
    """How a format writes its references."""

    tagged: re.Pattern[str]
    """A line with a tag (group 1) and a value (group 2)."""
    first_tags: frozenset[str]
    """Tags that begin a reference."""
    last_tags: frozenset[str] = frozenset()
    """Tags that end one."""
    listed: frozenset[str] = frozenset()
    """Tags whose continued lines are values of their own: one author a line."""
    is_ended_by_blank: bool = False

    def begins(self, tag: str) -> bool:
        """Return whether a reference may begin with the tag."""
        return tag in self.first_tags or (self.is_ended_by_blank and tag not in self.last_tags)


def references(lines: Iterable[str], layout: Layout) -> Iterator[Reference]:
    """Yield the references one at a time; what stands before the first one is left out."""
    current: Reference | None = None
    tag = ""
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        found = layout.tagged.match(text)
        tag = found.group(1) if found else tag
        is_blank = not text.strip()
        if current is not None and (
            tag in layout.first_tags | layout.last_tags
            if found
            else is_blank and layout.is_ended_by_blank
        ):
            yield current
            current = None
        if found and current is None and layout.begins(tag):
            current = Reference(number)
        if current is None or is_blank:
            continue
        if found:
            current.values.setdefault(tag, []).append((found.group(2) or "").strip())
        else:
            _go_on(current.values[tag], text.strip(), is_listed=tag in layout.listed)
    if current is not None:
        yield current


def _go_on(values: list[str], text: str, *, is_listed: bool) -> None:
    if is_listed:
        values.append(text)
    else:
        values[-1] = f"{values[-1]} {text}".strip()
