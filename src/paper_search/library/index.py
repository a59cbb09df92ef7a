"""The full-text index of a library in tantivy, which can be rebuilt from the records."""

from __future__ import annotations

import json
import os
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from paper_search.errors import LibraryError
from paper_search.library.lexicon import EXACT, READY, analysers, prepare, ranked_text
from paper_search.private_files import make_private, private_directory

if TYPE_CHECKING:
    import tantivy


_SUFFIXES = (".term", ".idx", ".pos", ".fast", ".store", ".fieldnorm")
"""The files of every segment."""
_MAGIC = 1337
"""End of a tantivy footer, after its length: https://docs.rs/tantivy, `directory::footer`."""
_TAIL = struct.Struct("<II")
_CHUNK = 1 << 20


def _has_its_checksum(path: Path) -> bool:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read())
        file.seek(size - _TAIL.size - length)
        checksum = json.loads(file.read(length))["crc"]
        file.seek(0)
        rest, crc = size - _TAIL.size - length, 0
        while rest > 0 and (chunk := file.read(min(_CHUNK, rest))):
            crc = zlib.crc32(chunk, crc)
            rest -= len(chunk)
    return magic == _MAGIC and bool(crc == checksum)


FORMAT = 4
"""To be increased with every change of fields or analysers; other formats are rebuilt."""
UNKNOWN_LANGUAGE = "und"
_STATE = "paper_search.json"
_HEAP_BYTES = 100_000_000
"""Memory for indexing; fewer and larger segments are smaller and faster to search."""
POSITIONED = ("title", "abstract", "venue", "author", "keywords")
"""Fields of unstemmed words with positions, named as in queries."""
RANKED = "ranked"
"""The field for ranking, with the words of `lexicon.ranked_text`."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """The library, and its last write that is indexed."""

    key: str
    generation: int
    format: int = FORMAT


class TextIndex:
    """A tantivy index in its own directory, with one writer at a time and many readers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index: tantivy.Index | None = None
        self._mirror: tempfile.TemporaryDirectory[str] | None = None

    @property
    def schema(self) -> tantivy.Schema:
        return self._open_index().schema

    def state(self) -> IndexState | None:
        """Return the indexed state; None if the index is missing or of another format."""
        try:
            note = json.loads((self._path / _STATE).read_text("utf-8"))
            state = IndexState(str(note["key"]), int(note["generation"]), int(note["format"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return state if state.format == FORMAT else None

    def size_bytes(self) -> int:
        return sum(file.stat().st_size for file in self._path.glob("*") if file.is_file())

    def searcher(self) -> tantivy.Searcher:
        index = self._open_index()
        index.reload()
        return index.searcher()

    def is_damaged(self) -> bool:
        """Whether a file of the index is missing or has a wrong checksum.

        It reads the whole index (about a second per gigabyte), so only call it after an error.
        """
        try:
            segments = json.loads((self._path / "meta.json").read_bytes())["segments"]
            names = [str(segment["segment_id"]).replace("-", "") for segment in segments]
            files = [self._path / f"{name}{suffix}" for name in names for suffix in _SUFFIXES]
            return not all(map(_has_its_checksum, files))
        except (OSError, ValueError, KeyError, TypeError, struct.error):
            return True

    def close(self) -> None:
        self._index = None
        if self._mirror is not None:
            self._mirror.cleanup()
            self._mirror = None

    def clear(self) -> None:
        self.close()
        shutil.rmtree(self._path, ignore_errors=True)

    def write(self, records: Iterable[tuple[int, Mapping[str, Any]]], state: IndexState) -> None:
        """Add or replace the records by row number, commit, and save the state."""
        import tantivy  # noqa: PLC0415  # heavy: only when something is indexed

        try:
            private_directory(self._path)
            index = self._open_index(may_create=True)
            index.reload()  # searchers see the last loaded commit, not the last one
            query = tantivy.Query.term_query
            is_empty = index.searcher().num_docs == 0
            writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
            try:
                for row, fields in records:
                    if not is_empty:
                        # Deletion by term would use another number type and find nothing.
                        writer.delete_documents_by_query(query(index.schema, "row", row))
                    writer.add_document(_document(tantivy, row, fields))
                writer.commit()
            finally:
                # Releases tantivy's lock now instead of at garbage collection.
                writer.wait_merging_threads()
            self._note(state)
            make_private(self._path)
        except (OSError, ValueError) as error:
            raise LibraryError(
                f"the index {str(self._path)!r} cannot be written: {error}"
            ) from error

    def _note(self, state: IndexState) -> None:
        note = {"key": state.key, "generation": state.generation, "format": state.format}
        draft = self._path / f"{_STATE}.new"
        draft.write_text(json.dumps(note), "utf-8")
        draft.replace(self._path / _STATE)

    def _open_index(self, *, may_create: bool = False) -> tantivy.Index:
        if self._index is not None:
            return self._index
        import tantivy  # noqa: PLC0415  # heavy: only when something is searched

        try:
            if may_create:
                index = tantivy.Index(_schema(tantivy), path=str(self._path), reuse=True)
            else:
                index = tantivy.Index.open(str(self._readable()))
        except (OSError, ValueError) as error:
            raise LibraryError(
                f"the index {str(self._path)!r} cannot be read: {error}; delete it, "
                "and it is rebuilt from the records"
            ) from error
        for name, analyser in analysers().items():
            index.register_tokenizer(name, analyser)
        self._index = index
        return index

    def _readable(self) -> Path:
        """Return a directory to read from; tantivy needs a lock file, so it must be writable."""
        if os.access(self._path, os.W_OK) or not self._path.is_dir():
            return self._path
        # A thread of the engine may still write into it at the end.
        self._mirror = tempfile.TemporaryDirectory(
            prefix="paper-search-index-", ignore_cleanup_errors=True
        )
        place = Path(self._mirror.name)
        for file in self._path.iterdir():
            if not file.name.endswith(".lock"):
                (place / file.name).symlink_to(file.resolve())
        return place


def _schema(engine: Any) -> tantivy.Schema:
    builder = engine.SchemaBuilder()
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_integer_field("year", indexed=True, fast=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    for name in POSITIONED:
        builder.add_text_field(name, tokenizer_name=EXACT)
    builder.add_text_field(RANKED, tokenizer_name=READY, index_option="freq")
    return cast("tantivy.Schema", builder.build())


def _document(engine: Any, row: int, fields: Mapping[str, Any]) -> tantivy.Document:
    document: tantivy.Document = engine.Document()
    document.add_unsigned("row", row)
    if (year := fields.get("year")) is not None:
        document.add_integer("year", year)
    document.add_text("language", fields.get("language") or UNKNOWN_LANGUAGE)
    names = "\n".join(author["name"] for author in fields.get("authors", ()))
    document.add_text("author", prepare(names))
    texts = {
        "title": fields.get("title"),
        "abstract": fields.get("abstract") or fields.get("snippet"),
        "venue": fields.get("venue"),
        "keywords": "\n".join(fields.get("keywords", ())),
    }
    for name, text in texts.items():
        if text:
            document.add_text(name, prepare(text))
    document.add_text(RANKED, ranked_text(fields))
    return document
