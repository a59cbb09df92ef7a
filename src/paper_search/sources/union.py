"""Split a query into several whose union finds the same records.

For services without truncation, words with `*` are replaced by known words. Queries are split at
ORs if they are too long for one request, or mix fields that the service searches separately. What
is still too long is widened, and checked in the results.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from gzip import decompress
from itertools import product

from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import And, Near, Node, Not, Or, Phrase, Term, normalise, parse, render
from paper_search.query.ast import (
    all_leaves,
    conjuncts,
    is_pattern,
    join,
    leaf_of,
    rebuild,
    words_of,
)
from paper_search.resources import PackageFiles
from paper_search.sources.adapter import Adapter, Translated

_FEWEST_ENDINGS = 12
_MOST_PHRASES = 24
_LONGEST_SHOWN = 80
Endings = Mapping[str, Sequence[str]]
"""Words seen in a library or in first results, by the truncated word that they match."""


def union(
    adapter: Adapter, tree: Node, filters: SearchConstraints, endings: Endings
) -> list[Translated]:
    """Return the queries to send for one.

    `endings` come before the words of the vocabulary; fewer words are used if the query would
    otherwise have to be widened.
    """
    parts, is_whole = _union(adapter, tree, filters, endings, adapter.most_endings)
    if not is_whole and adapter.most_endings > _FEWEST_ENDINGS:
        parts, _ = _union(adapter, tree, filters, endings, _FEWEST_ENDINGS)
    return parts


def _union(
    adapter: Adapter, tree: Node, filters: SearchConstraints, endings: Endings, most: int
) -> tuple[list[Translated], bool]:
    """Return the queries, and whether none of them had to be widened."""
    writable, notes, unchecked, is_whole = tree, list[str](), None, True
    if not adapter.truncates:
        expansion = _WildcardExpansion(adapter.title, most, endings)
        writable, notes = expansion.of(tree), expansion.notes
        unchecked = _excluded_stems(tree)
    pending = deque(_split_by_field(writable, adapter.fields_apart))
    parts: list[Translated] = []
    while pending:
        node = pending.popleft()
        translation = _translate(adapter, node, filters)
        if not adapter.takes(translation, filters):
            halves = _halves(node)
            is_room = len(parts) + len(pending) + len(halves) <= adapter.most_parts
            wider = None if halves and is_room else _widened(adapter, node, translation, filters)
            if halves and (wider is None or not adapter.takes(wider, filters)):
                pending.extendleft(reversed(halves))
                continue
            is_whole = False
            translation = wider or translation
        for place, part in enumerate(parts):
            if (both := part.merge(translation)) is not None:
                parts[place] = both
                break
        else:
            parts.append(translation)
    return [_with_notes(part, notes, len(parts), unchecked) for part in parts], is_whole


def expand_conditions(
    adapter: Adapter, filters: SearchConstraints, endings: Endings
) -> SearchConstraints:
    """Replace truncated words in conditions, if the service has no truncation."""
    if adapter.truncates or not filters.conditions:
        return filters
    expansion = _WildcardExpansion(adapter.title, adapter.most_endings, endings)
    conditions = [render(expansion.of(parse(condition))) for condition in filters.conditions]
    return filters.model_copy(update={"conditions": conditions})


def _with_notes(
    part: Translated, notes: Sequence[str], count: int, unchecked: Node | None
) -> Translated:
    split = (f"sent as {count} queries, whose results are merged",) if count > 1 else ()
    checks = tuple(node for node in (part.remainder, unchecked) if node is not None)
    return replace(
        part,
        notes=tuple(dict.fromkeys((*split, *notes, *part.notes))),
        remainder=normalise(And(checks)) if checks else None,
    )


def _translate(adapter: Adapter, tree: Node, filters: SearchConstraints) -> Translated:
    """Translate a query; of an OR with inexpressible alternatives, only the others are sent."""
    try:
        return adapter.translate(tree, filters)
    except InputError:
        parts = conjuncts(tree)
        either = next((part for part in parts if isinstance(part, Or)), None)
        if either is None or any(isinstance(child, Not) for child in either.children):
            raise
        expressible = [
            child for child in either.children if _is_expressible(adapter, child, filters)
        ]
        if not expressible or len(expressible) == len(either.children):
            raise
    missing = " OR ".join(render(child) for child in either.children if child not in expressible)
    note = (
        f"{adapter.title} cannot search for {missing[:_LONGEST_SHOWN]}:"
        " records that match nothing else are missing"
    )
    rest = [part for part in parts if part is not either]
    translation = _translate(adapter, _with(rest, Or(tuple(expressible))), filters)
    return replace(translation, notes=(note, *translation.notes))


def _is_expressible(adapter: Adapter, tree: Node, filters: SearchConstraints) -> bool:
    try:
        adapter.translate(tree, filters)
    except InputError:
        return False
    return True


def _with(rest: Sequence[Node], part: Node) -> Node:
    return normalise(And((*rest, part)))


def _split_by_field(tree: Node, fields: frozenset[str]) -> list[Node]:
    parts = conjuncts(tree)
    for part in parts:
        if not isinstance(part, Or):
            continue
        kinds = [(_is_of(child, fields), child) for child in part.children]
        if len({kind for kind, _ in kinds}) == 1 and kinds[0][0] is not None:
            continue
        rest = [other for other in parts if other is not part]
        pure = (tuple(child for kind, child in kinds if kind is which) for which in (False, True))
        groups = [*map(Or, filter(None, pure)), *(child for kind, child in kinds if kind is None)]
        return [arm for group in groups for arm in _split_by_field(_with(rest, group), fields)]
    return [tree]


def _is_of(node: Node, fields: frozenset[str]) -> bool | None:
    """Return whether all words are in those fields, or none (False); None if only some are."""
    kinds = {leaf.field in fields for leaf in all_leaves(node)}
    return None if len(kinds) > 1 else True in kinds


def _halves(tree: Node) -> list[Node]:
    """Split a query at its longest OR into two; return none if it has no OR."""
    parts = conjuncts(tree)
    splits = [part for part in parts if len(_alternatives(part)) > 1]
    if not splits:
        return []
    longest = max(splits, key=lambda part: len(render(part)))
    rest = [part for part in parts if part is not longest]
    children = _alternatives(longest)
    middle = (len(children) + 1) // 2
    return [_with(rest, _some(longest, half)) for half in (children[:middle], children[middle:])]


def _alternatives(part: Node) -> tuple[Node, ...]:
    match part:
        case Or(children):
            return children
        case Near(left, right):
            return max(_alternatives(left), _alternatives(right), key=len)
        case _:
            return ()


def _some(part: Node, children: tuple[Node, ...]) -> Node:
    if not isinstance(part, Near):
        return Or(children)
    if len(_alternatives(part.left)) >= len(_alternatives(part.right)):
        return replace(part, left=Or(children))
    return replace(part, right=Or(children))


def _widened(
    adapter: Adapter, tree: Node, translation: Translated, filters: SearchConstraints
) -> Translated:
    """Drop the longest parts until the query is short enough; they are checked in the results."""
    parts, left_out, whole = list(conjuncts(tree)), list[Node](), translation
    while not adapter.takes(translation, filters):
        by_length = sorted(parts, key=lambda part: len(render(part)), reverse=True)
        longest = by_length[: max(1, len(parts) // 8)]
        if all(isinstance(part, Not) or part in longest for part in parts):
            return whole
        parts = [part for part in parts if part not in longest]
        left_out += longest
        try:
            translation = adapter.translate(normalise(And(tuple(parts))), filters)
        except InputError:
            return whole
    if not left_out:
        return translation
    checks = (*([translation.remainder] if translation.remainder else []), *left_out)
    note = f"{render(And(tuple(left_out)))[:_LONGEST_SHOWN]}... is checked in the results"
    return replace(
        translation,
        notes=(f"too long for {adapter.title}: {note}", *translation.notes),
        remainder=normalise(And(checks)),
    )


class _WildcardExpansion:
    def __init__(self, service: str, most: int, endings: Endings) -> None:
        self.service, self.most, self.endings = service, most, endings
        self.notes = list[str]()

    def of(self, node: Node) -> Node:
        if isinstance(node, Term | Phrase):
            return self._leaf(node)
        result = rebuild(node, self.of)
        return normalise(result) if isinstance(result, And | Or) else result

    def _leaf(self, leaf: Term | Phrase) -> Node:
        truncated = sum(map(_is_cut, words_of(leaf)))
        if not truncated:
            return leaf
        # Several in a phrase share the limit, so that all words named in a note are sent.
        most = int(max(self.most, _MOST_PHRASES if truncated > 1 else 0) ** (1 / truncated))
        forms = [self._words(word, most) for word in words_of(leaf)]
        return join(Or, [leaf_of(tuple(words), leaf.field) for words in product(*forms)])

    def _words(self, word: str, most: int) -> list[str]:
        if not _is_cut(word):
            return [word]
        before, hyphen, last = word.lower().rpartition("-")
        known = [f"{before}{hyphen}{form}" for form in _vocabulary(last)] if last != "*" else []
        words = [*self.endings.get(word.lower(), ()), *known]
        forms = list(dict.fromkeys(words))[: max(most, 1)]
        instead = ", ".join(forms) or f"{word.rstrip('*')}, because no matching word is known"
        self.notes.append(f"{word!r} is sent as {instead}: {self.service} has no '*'")
        return forms or [re.sub(r"[*?$].*", "", word) or word]


def _is_cut(word: str) -> bool:
    return word.endswith("*") or is_pattern(word)


def _excluded_stems(tree: Node) -> Node | None:
    """Return exclusions with truncated words: the words sent for them exclude too little."""
    parts = [
        part
        for part in conjuncts(tree)
        if isinstance(part, Not)
        and any(_is_cut(word) for leaf in all_leaves(part) for word in words_of(leaf))
    ]
    return join(And, parts) if parts else None


@lru_cache(maxsize=1024)
def _vocabulary(pattern: str) -> tuple[str, ...]:
    signs = {"*": "[a-z]*", "?": "[a-z]", "$": "[a-z]?"}
    expression = "".join(signs.get(sign, re.escape(sign)) for sign in pattern)
    return tuple(re.findall(rf"^{expression}$", _table(), re.MULTILINE))


@cache
def _table() -> str:
    packed = PackageFiles("paper_search.bibliography").read("words.txt.gz")
    return decompress(packed).decode("ascii")
