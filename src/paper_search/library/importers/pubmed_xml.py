"""Importer of PubMed's XML, as its website, E-utilities and baseline files have it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import SOURCE
from paper_search.library.importers.xml_records import records
from paper_search.sources.pubmed_record import read_citation

_RECORDS = {"PubmedArticle", "PubmedBookArticle"}


def read(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every article and book; the line is its number in the file.

    Raises:
        InputError: the XML is broken or unsafe; what came before was yielded.
    """
    for number, element in records(file, _RECORDS):
        record = read_citation(element)
        if record is None:
            yield Rejected(number, "the title is missing")
        else:
            update = {"id": "", "source": SOURCE, "raw_data": {}}
            yield Imported(record.model_copy(update=update), number)
