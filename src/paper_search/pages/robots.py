"""What a host wants programs to leave alone: its robots.txt (RFC 9309)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

_MOST_BYTES = 500_000
_MOST_RULES = 5000


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a group."""

    path: str
    is_allowed: bool


def parse_robots(content: bytes, agent: str) -> list[Rule]:
    """Return the rules for a program: those of its own groups, else those for all.

    Args:
        content: of robots.txt; what is no rule is passed over.
        agent: the program's name, without version.
    """
    groups: dict[str, list[Rule]] = {}
    named: list[str] = []
    has_rules = False
    for line in content[:_MOST_BYTES].decode("utf-8-sig", "replace").splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            named = [] if has_rules else named
            has_rules = False
            named.append(value.split("/")[0].strip().lower())
            groups.setdefault(named[-1], [])
        elif field in {"allow", "disallow"}:
            has_rules = True
            for name in named if value else []:
                groups[name].append(Rule(_plain(value), field == "allow"))
    return groups.get(agent.lower(), groups.get("*", []))[:_MOST_RULES]


def may_read(rules: list[Rule], path: str) -> bool:
    """Return whether a path, with its query, may be asked for: the longest rule decides."""
    wanted = _plain(path)
    fitting = [each for each in rules if _fits(each.path, wanted)]
    best = max(fitting, key=lambda each: (len(each.path), each.is_allowed), default=None)
    return best is None or best.is_allowed


def _fits(pattern: str, path: str) -> bool:
    """Return whether a path begins as a pattern says; `*` is anything, `$` at its end the end.

    The pieces between the stars are looked for from left to right, so that a pattern costs no more
    than its length times that of the path.
    """
    is_whole = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return not is_whole or at == len(path)
    for piece in rest[:-1]:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if is_whole:
        return len(path) - len(rest[-1]) >= at and path.endswith(rest[-1])
    return path.find(rest[-1], at) >= 0


def _plain(path: str) -> str:
    """Return a path in the one form in which two of them are the same."""
    return quote(unquote(path, errors="replace"), safe="/?&=*$:@!,;~+'()[]")
