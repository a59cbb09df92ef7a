"""A library: records in SQLite with a full-text index."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from paper_search.errors import InputError, QuerySyntaxError
from paper_search.library.current_index import CurrentIndex, LibraryLocks, batches
from paper_search.library.embedded import EmbeddedInfo, EmbeddedRecords, EmbeddingSummary, Progress
from paper_search.library.importers.files import ACCEPTED, Imported, Rejected, parse_file
from paper_search.library.index import TextIndex
from paper_search.library.records import Changes, RecordStore
from paper_search.library.retrieval import Ranking, Retrieval
from paper_search.llm.embeddings import Embedder
from paper_search.models import RankedQuery, RawPaper, SearchConstraints, UserFeedback
from paper_search.query import Node, parse
from paper_search.query.ast import positive_leaves, words_of
from paper_search.query.prose import is_prose
from paper_search.query.widening import expressible_part

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from paper_search.library.vectors import Neighbourhood

RECORDS_FILE = "records.db"
INDEX_DIRECTORY = "index"
_INDEXED_AT_ONCE = 60_000
"""Records between two commits of the index: the most that a killed import has to repeat."""
_MOST_LISTED, _MOST_NAMED = 1_000, 5
_OPERATORS = re.compile(
    r'\b(?:AND|OR|NOT|NEAR/\d+|ADJ\d*|W/\d+)\b|["“”*\[]|(?:title|abstract|author|venue|tiab(?:kw)?|year):'
    r"|(?<![A-Z])[A-Z]-?[A-Z]+\("
)


@dataclass(frozen=True, slots=True)
class Hits:
    papers: list[RawPaper]
    total: int
    note: str | None = None
    """For the person, such as why vectors were not used."""
    by_meaning: bool = False
    """Whether vectors influenced the order."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    path: Path
    changes: Changes
    rejected: list[Rejected]
    """The first thousand unusable records."""
    rejected_count: int

    @property
    def record_count(self) -> int:
        return self.changes.added + self.changes.updated + self.changes.unchanged


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    path: Path
    records: int
    first_year: int | None
    last_year: int | None
    records_bytes: int
    index_bytes: int
    is_index_current: bool
    vectors: EmbeddedInfo = field(default_factory=EmbeddedInfo)
    damage: str = ""
    """Message about unreadable records, or empty."""


class Library:
    """Records in one directory that can be extended and searched; see `Library.open`.

    It is thread-safe. Several processes may import at once, taking turns batch by batch, while
    others search the records indexed so far. A search updates the index unless an import is
    running. Invalid queries raise `QuerySyntaxError`; disk errors raise `LibraryError`.
    """

    def __init__(self, path: Path, wait_s: float, embedder: Embedder | Embeddings | None) -> None:
        self.path = path
        self._records = records = RecordStore(path / RECORDS_FILE, timeout_s=wait_s)
        self._index = TextIndex(path / INDEX_DIRECTORY)
        self._locks = LibraryLocks(path, is_read_only=records.is_read_only)
        self._wait_s = wait_s
        self._vectors = EmbeddedRecords(path, embedder, wait_s)
        self._current = CurrentIndex(path, records, self._index, self._locks, wait_s)
        self._threads = threading.RLock()

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        wait_s: float = 30.0,
        embedder: Embedder | Embeddings | None = None,
    ) -> Library:
        """Open the library in a directory, which is created if necessary.

        Args:
            path: the directory, such as `<home>/library`.
            wait_s: how long to wait for another process that writes.
            embedder: any langchain-core `Embeddings`, to rank records with vectors (see `embed`)
                by similarity, too; None to rank by words only.

        Raises:
            LibraryError: the directory cannot be written, or holds a file that is not a library.
        """
        return cls(Path(path), wait_s, embedder)

    @staticmethod
    def exists(path: Path | str) -> bool:
        return (Path(path) / RECORDS_FILE).exists()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._threads:
            return self._records.count()

    def __iter__(self) -> Iterator[RawPaper]:
        return iter(self._records)

    @property
    def is_empty(self) -> bool:
        """Whether there is no record; faster than counting."""
        with self._threads:
            return self._records.is_empty()

    def close(self) -> None:
        with self._threads:
            self._records.close()
            self._index.close()

    def add(
        self,
        papers: Iterable[RawPaper],
        *,
        on_progress: Progress | None = None,
        total: int | None = None,
    ) -> Changes:
        """Add or update the papers.

        Papers are read in batches, so that memory does not grow with their number. Each batch is
        a transaction, and an interrupted import can simply be repeated.
        """
        changes, count, pending = Changes(), 0, 0
        with self._locks.importing():
            for batch in batches(papers):
                with self._threads, self._locks.lock(self._wait_s):
                    step = self._records.upsert(batch)
                    pending += step.added + step.updated
                    # The first batch is indexed at once so that it can be searched.
                    if pending >= _INDEXED_AT_ONCE or self._current.lag() is None:
                        self._current.catch_up()
                        pending = 0
                changes += step
                count += len(batch)
                if on_progress is not None:
                    on_progress(count, total)
            with self._threads, self._locks.lock(self._wait_s):
                self._current.catch_up()
        return changes

    def import_file(
        self,
        path: Path | str,
        *,
        format_name: str | None = None,
        on_progress: Progress | None = None,
    ) -> ImportSummary:
        """Add the records of a file; unusable ones are listed in the summary.

        Args:
            path: a file in one of `paper_search.library.importers.FORMATS`, possibly gzipped.
            format_name: by default, suffix and content decide.
            on_progress: called repeatedly with the number of records so far.

        Raises:
            InputError: the file cannot be read, is empty or binary, or has no records; records
                before a damaged part have been added.
            LibraryError: the library cannot be written.
        """
        rejected: list[Rejected] = []
        count = 0

        def good() -> Iterator[RawPaper]:
            nonlocal count
            for entry in parse_file(path, format_name=format_name):
                if isinstance(entry, Imported):
                    yield entry.record
                    continue
                count += 1
                if len(rejected) < _MOST_LISTED:
                    rejected.append(entry)

        changes = self.add(good(), on_progress=on_progress)
        summary = ImportSummary(Path(path), changes, rejected, count)
        if not summary.record_count and not count:
            raise InputError(f"no record found in {str(path)!r}; accepted: {ACCEPTED}")
        return summary

    def embed(self, *, anew: bool = False, on_progress: Progress | None = None) -> EmbeddingSummary:
        """Create the missing vectors, or replace all; an interrupted run can be repeated.

        Raises:
            EmbeddingError: no model is set, it failed, or the vectors come from another one.
            LibraryError: another process is at it, or the disk cannot be read or written.
        """
        path = self._records.path
        return self._vectors.bring_up_to_date(path, anew=anew, on_progress=on_progress)

    def get(self, ids: Iterable[str]) -> dict[str, RawPaper]:
        with self._threads:
            return self._records.get(ids)

    def search(
        self,
        text: str,
        *,
        limit: int = 20,
        filters: SearchConstraints | None = None,
        feedback: UserFeedback | None = None,
    ) -> Hits:
        """Return the best papers for words or a boolean query.

        Words match any record that has one of them. Text with an operator, a quote, a `*` or a
        field prefix is a boolean query with exact matches, unless it is a question in whole
        sentences. With vectors, the papers marked in `feedback` adjust the question.
        """
        if _OPERATORS.search(text) and not is_prose(text):
            return self.search_boolean(text, limit=limit, filters=filters, feedback=feedback)
        return self.search_ranked(_question_of(text, feedback), limit=limit, filters=filters)

    def search_boolean(
        self,
        text: str,
        *,
        limit: int = 20,
        filters: SearchConstraints | None = None,
        feedback: UserFeedback | None = None,
    ) -> Hits:
        """Return the best papers that match a boolean query; adjacent words mean AND."""
        tree = _tree_of(text)
        words = (word for leaf in positive_leaves(tree) for word in words_of(leaf))
        bounds = filters or SearchConstraints()
        meaning = _question_of(" ".join(words).replace("*", ""), feedback)
        return self._answer(lambda one: one.boolean(tree, max(0, limit), bounds), meaning)

    def search_ranked(
        self, query: RankedQuery, *, limit: int = 20, filters: SearchConstraints | None = None
    ) -> Hits:
        bounds = filters or SearchConstraints()
        return self._answer(lambda one: one.words(query, max(0, limit), bounds), query)

    def count_boolean(self, text: str, *, filters: SearchConstraints | None = None) -> int:
        tree, limits = _tree_of(text), filters or SearchConstraints()
        with self._threads:
            return self._current.ask(lambda: self._retrieval(None).count(tree, limits))

    @property
    def has_all_vectors(self) -> bool:
        with self._threads:
            return self._vectors.info(self._version()).is_current

    def info(self) -> LibraryInfo:
        with self._threads:
            self._records.check()
            first, last = self._records.years()
            return LibraryInfo(
                path=self.path,
                records=self._records.count(),
                first_year=first,
                last_year=last,
                records_bytes=self._records.size_bytes(),
                index_bytes=self._index.size_bytes(),
                is_index_current=self._current.lag() == 0,
                vectors=self._vectors.info(self._version()),
                damage=self._damage(),
            )

    def _answer(self, ask: Callable[[Retrieval], Ranking], meaning: RankedQuery) -> Hits:
        near, note = self._vectors.neighbourhood(
            ", ".join([meaning.text, *meaning.long_forms]),
            self._version,
            relevant=self._rows(meaning.like),
            irrelevant=self._rows(meaning.unlike),
        )
        with self._threads:
            ranking = self._current.ask(lambda: ask(self._retrieval(near)))
            papers = self._records.get_rows(ranking.rows)
            notes = "; ".join(filter(None, (note, self._damage()))) or None
            return Hits(papers, ranking.total, notes, by_meaning=near is not None)

    def _damage(self) -> str:
        ids = sorted(self._records.damaged)
        what = "record is" if len(ids) == 1 else "records are"
        names = ", ".join(ids[:_MOST_NAMED])
        again = f"left out ({names}): add the file that had them again"
        return f"{len(ids)} damaged {what} {again}" if ids else ""

    def _rows(self, ids: Iterable[str]) -> list[int]:
        with self._threads:
            return self._records.rows_of(ids)

    def _version(self) -> tuple[str, int]:
        with self._threads:
            return self._records.key, self._records.generation

    def _retrieval(self, near: Neighbourhood | None) -> Retrieval:
        searcher = self._current.searcher()
        return Retrieval(searcher, self._index.schema, self._records, near)


def _question_of(text: str, feedback: UserFeedback | None) -> RankedQuery:
    marks = feedback or UserFeedback()
    return RankedQuery(text=text, like=marks.marked_relevant, unlike=marks.marked_irrelevant)


def _tree_of(text: str) -> Node:
    """Parse a query, leaving out fields that only databases have, such as headings."""
    part = expressible_part(parse(text), fields=("tiab", "keyword"), is_full=True)
    if part.tree is None:
        raise QuerySyntaxError("; ".join(part.notes), query=text, column=1)
    return part.tree
