"""Writes a boolean tree for Google Scholar, and reports what Scholar lacks.

Scholar knows words, "phrases", OR, -word, intitle:, author: and source:; AND is a space, OR binds
tighter than it, years are parameters of their own, and nothing is truncated: it stems.
"""

from __future__ import annotations

from paper_search.errors import InputError
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import (
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    headings_as_words,
    render,
)
from paper_search.sources.adapter import Translated
from paper_search.sources.ranked_text import all_words, content_words, telling_words

MAX_LENGTH = 256
"""Characters that Scholar is said to read of a query."""

_MOST_WORDS = 8
"""Words of a question that are asked: Scholar looks for nearly all of them."""

_PREFIXES = {"title": "intitle:", "author": "author:", "venue": "source:"}


def translate(tree: Node, filters: SearchConstraints) -> Translated:
    """Return the query in Scholar's language, limited to the years of tree and filters together.

    What Scholar cannot say is widened, never narrowed, so that nothing wanted is lost.

    Raises:
        InputError: nothing is left to ask: the query only excludes.
    """
    translation = _Translation()
    text = translation.of(tree)
    if not translation.is_asking:
        raise InputError(f"the query {render(tree)!r} only excludes: add what to search for")
    notes = translation.notes
    if len(text) > MAX_LENGTH:
        notes.append(f"{len(text)} characters: Scholar reportedly accepts {MAX_LENGTH}")
    firsts = [year for year in (filters.year_from, translation.year_from) if year is not None]
    lasts = [year for year in (filters.year_to, translation.year_to) if year is not None]
    return Translated(
        text,
        tuple(dict.fromkeys(notes)),
        translation.remainder,
        year_from=max(firsts, default=None),
        year_to=min(lasts, default=None),
    )


def translate_ranked(query: RankedQuery, filters: SearchConstraints) -> tuple[Translated, ...]:
    """Return a plain question in Scholar's language: its most telling words, then one fewer.

    Raises:
        InputError: the question has no words, or its condition cannot be read.
    """
    tries = telling_words(content_words(query.text), _MOST_WORDS)
    return tuple(translate(all_words(words, query), filters) for words in tries)


class _Translation:
    """One walk over a tree."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.year_from: int | None = None
        self.year_to: int | None = None
        self.is_asking = False
        self._widenings = 0
        self.widened: list[Node] = []

    def of(self, tree: Node) -> str:
        """Return the text for a whole tree; years that all of it is limited to are taken out."""
        tree = headings_as_words(tree)
        wanted = tree.children if isinstance(tree, And) else (tree,)
        said = []
        for part in wanted:
            if isinstance(part, YearRange):
                self._limit(part)
                continue
            before = self._widenings
            if text := self._text(part):
                self.is_asking |= not isinstance(part, Not)
                said.append(text)
            if self._widenings > before:
                self.widened.append(part)
        return " ".join(said)

    @property
    def remainder(self) -> Node | None:
        """What is asked for more loosely than the tree says."""
        return And(tuple(self.widened)) if len(self.widened) > 1 else next(iter(self.widened), None)

    def _widen(self, note: str) -> None:
        self._widenings += 1
        self.notes.append(note)

    def _limit(self, years: YearRange) -> None:
        if years.first is not None:
            self.year_from = max(years.first, self.year_from or years.first)
        if years.last is not None:
            self.year_to = min(years.last, self.year_to or years.last)

    def _text(self, node: Node) -> str:
        match node:
            case Term() | Phrase():
                return self._leaf(node)
            case And(children):
                return self._group(" ", children)
            case Or(children):
                return self._group(" OR ", children)
            case Not(child):
                return self._excluded(child)
            case Near(left, right):
                self._widen("NEAR is sent as AND: Scholar has no NEAR")
                return self._group(" ", (left, right))
            case YearRange():
                self._widen("a year inside a group is ignored: Scholar accepts one range of years")
                return ""

    def _leaf(self, leaf: Term | Phrase) -> str:
        words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        if any(word.endswith("*") for word in words) or getattr(leaf, "is_prefix", False):
            self.notes.append("'*' is removed: Scholar stems words itself")
        text = " ".join(word.rstrip("*") for word in words)
        if leaf.field == "abstract":
            self._widen("abstract: is searched anywhere: Scholar has no such field")
        is_bare = isinstance(leaf, Term) and text.replace("-", "").isalnum() and text != "OR"
        return _PREFIXES.get(leaf.field or "", "") + (text if is_bare else f'"{text}"')

    def _group(self, joint: str, children: tuple[Node, ...]) -> str:
        texts = [self._text(child) for child in children]
        if joint == " OR " and ("" in texts or any(isinstance(c, Not) for c in children)):
            self._widen("an OR with a part that Scholar cannot express is dropped")
            return ""
        said = [text for text in texts if text]
        return f"({joint.join(said)})" if len(said) > 1 else "".join(said)

    def _excluded(self, child: Node) -> str:
        if isinstance(child, Or):
            return " ".join(filter(None, map(self._excluded, child.children)))
        if isinstance(child, Term | Phrase) and child.field != "abstract":
            return f"-{self._leaf(child)}"
        self._widen("NOT of a group is dropped: Scholar excludes words and phrases only")
        return ""
