"""Files of records: what was read from each, what was rejected, and which database it is from."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from paper_search.bibliography.fields import SOURCE
from paper_search.errors import InputError
from paper_search.library.importers.files import Imported, Rejected, parse_file
from paper_search.models import Arrival, RawPaper, Sighting, SourceReport, SourceStatus

_REJECTED_SHOWN = 20


@dataclass(frozen=True)
class DatabaseSearch:
    """The search that a file was exported from; empty fields are unknown."""

    searched: str = ""
    """The day, as `2026-11-02`."""
    strategy: str = ""
    """As it was run there."""

    def __post_init__(self) -> None:
        if not self.searched:
            return
        try:
            day = date.fromisoformat(self.searched)
        except ValueError:
            raise InputError(
                f"{self.searched!r} is not a date; write year, month and day, as in 2026-11-02"
            ) from None
        if day > datetime.now(UTC).date() + timedelta(days=1):  # it may be tomorrow elsewhere
            raise InputError(f"{self.searched} is in the future; give the day of the search")


@dataclass(frozen=True)
class FileReport:
    """What was read from one file.

    Attributes:
        name: of the file, without a directory.
        records: in the order of the file; the id is the name of the file with the position, the
            source is the database.
        positions: of the records in the file, from 1, in the same order.
        rejected: what is not a record, with line and reason.
        problem: why the file was not read to its end, if so.
        digest: SHA-256 of its content.
        search: that it was exported from.
        database: that returned no record, in place of a file.
    """

    name: str
    records: list[RawPaper] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    problem: str = ""
    digest: str = ""
    search: DatabaseSearch = DatabaseSearch()
    database: str = ""

    @classmethod
    def without_records(cls, database: str, search: DatabaseSearch) -> "FileReport":
        """Return the report on a search that found nothing."""
        if not database.strip() or not search.searched:
            raise InputError(
                "no file was chosen: give one, or name the database without any record and the "
                "day on which it was searched"
            )
        name = f"{database.strip()}: no records"
        digest = digest_of(f"{name} {search.searched} {search.strategy}".encode())
        return cls(name, digest=digest, search=search, database=database.strip())

    @property
    def remarks(self) -> list[str]:
        """A line for each rejected record, and for a damaged file."""
        lines = [
            f"{self.name}, line {entry.line}: left out: {entry.reason}" for entry in self.rejected
        ]
        return [*lines, *([self.problem] if self.problem else [])]

    @property
    def databases(self) -> dict[str, int]:
        """Number of records by database, the largest first."""
        counts = Counter(record.source for record in self.records)
        return dict(counts.most_common()) or dict.fromkeys(filter(None, [self.database]), 0)

    @property
    def summary(self) -> str:
        """One line: `export.ris: 30 read, 30 of Embase, 1 rejected`."""
        if self.database:
            return self.name
        counts = [f"{n:,} of {name}" for name, n in self.databases.items() if name != self.name]
        counts += [f"{len(self.rejected):,} rejected"] if self.rejected else []
        return ", ".join([f"{self.name}: {len(self.records):,} read", *counts])

    @property
    def arrivals(self) -> list[Arrival]:
        """A row for each record, accepted or rejected."""
        main = next(iter(self.databases), self.name)
        entries = range(1, len(self.records) + len(self.rejected) + 1)
        others = [position for position in entries if position not in set(self.positions)]
        return [
            *(
                Arrival(record=record.id, source=record.source, query=self.name, position=position)
                for record, position in zip(self.records, self.positions, strict=True)
            ),
            *(
                Arrival(source=main, query=self.name, position=position, removed=entry.kind)
                for entry, position in zip(self.rejected, others, strict=True)
            ),
        ]

    @property
    def entries(self) -> list[SourceReport]:
        """A report on the file for each database, as of a source."""
        read = SourceStatus.PARTIAL if self.problem else SourceStatus.OK
        remarks = [*self.remarks[:_REJECTED_SHOWN], *self.remarks[_REJECTED_SHOWN:][-1:]]
        return [
            SourceReport(
                source=database,
                query=self.name,
                is_file=True,
                status=SourceStatus.EMPTY if self.database else read,
                hits=count + (0 if place else len(self.rejected)),
                kept=count,
                dropped=0 if place else len(self.rejected),
                note=None if place else "; ".join(remarks) or None,
                asked_at=self.search.searched,
                strategy=self.search.strategy or None,
            )
            for place, (database, count) in enumerate(self.databases.items())
        ]


def parse_files(
    files: Iterable[tuple[str, bytes]],
    databases: Sequence[str] = (),
    *,
    search: DatabaseSearch = DatabaseSearch(),  # frozen
    used_names: Collection[str] = (),
) -> list[FileReport]:
    """Read files of records, given by name and content.

    `databases`: that the records are from: one for all files, or one for each in order. If empty,
    each record's own field says, else the name of its file. `search`: that all files were exported
    from. `used_names`: of files that were read earlier, for the same review.

    Raises:
        InputError: a file cannot be read, or has no record that can be used.
    """
    contents = list(files)
    if len(databases) not in {0, 1, len(contents)}:
        raise InputError("name one database for all files, or one for each file, in order")
    if not all(map(str.strip, databases)):
        raise InputError("the name of a database is blank; give it as 'Embase (Ovid)', or none")
    names_of_databases = databases if len(databases) > 1 else [*databases, ""][:1] * len(contents)
    names = _names(contents, used_names)
    return [
        replace(_parse(name, content, database), digest=digest_of(content), search=search)
        for name, (_, content), database in zip(names, contents, names_of_databases, strict=True)
    ]


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _names(files: Sequence[tuple[str, bytes]], used_names: Collection[str]) -> list[str]:
    """Return unique names of files; equal names get a digest of the content."""
    plain = [Path(name).name for name, _ in files]
    shared = {name for name, count in Counter(plain).items() if count > 1 or name in used_names}
    names = [
        f"{name}~{hashlib.blake2b(content, digest_size=3).hexdigest()}" if name in shared else name
        for name, (_, content) in zip(plain, files, strict=True)
    ]
    twice = [plain[place] for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise InputError(f"{twice[0]!r} is given twice, with the same content")
    return names


def _parse(name: str, content: bytes, database: str) -> FileReport:
    report, problem = FileReport(name), ""
    try:
        for position, entry in enumerate(parse_file(name, data=content), start=1):
            if isinstance(entry, Rejected):
                report.rejected.append(entry)
                continue
            report.records.append(_located(entry, name, position, database))
            report.positions.append(position)
    except InputError as error:
        problem = str(error)
        if not report.records:
            raise
    if not report.records:
        sentence = f"{name!r} has no record that can be used"
        reasons = "; ".join(report.remarks[:3]) or (
            "if the search found none, enter its database and its day without a file"
        )
        raise InputError(f"{sentence}: {reasons}")
    return FileReport(name, report.records, report.positions, report.rejected, problem)


def _located(entry: Imported, name: str, position: int, database: str) -> RawPaper:
    own = entry.record.source if entry.record.source != SOURCE else ""
    source = database.strip() or own or name
    update = {
        "id": f"{name}#{position}",
        "source": source,
        "sightings": [Sighting(source=source, query=name)],
    }
    return entry.record.model_copy(update=update)
