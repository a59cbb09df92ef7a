"""What ASReview and Rayyan read, with the decisions that were made here."""

import csv
import io

from tests.exports import bees

from paper_search.exports import export
from paper_search.models import Author, Paper, ScreeningDecision
from paper_search.testing.exporters import collection_of


def paper(number: int, decision: str | None = None, **said: str) -> Paper:
    return bees.paper(
        title=f"Bees {number}",
        authors=[Author(name="Ada Lovelace"), Author(name="Bo Li")],
        pmcid="PMC3",
        language="en",
        note=said.pop("note", None),
        screening=ScreeningDecision(decision=decision, **said) if decision else None,
    )


SCREENED = collection_of(
    paper(1, "include", decided_by="ada", note="see table 2"),
    paper(2, "exclude", decided_by='bo "b"', reason="no control group"),
    paper(3),
)


def rows(name: str) -> list[dict[str, str]]:
    text = export(SCREENED, name)
    assert isinstance(text, str)
    return list(csv.DictReader(io.StringIO(text)))


def test_rayyan_gets_decisions_as_it_writes_them_itself():
    first, second, third = rows("rayyan")
    assert first == {
        "key": "1", "title": "Bees 1", "year": "2020", "journal": "J. Bees", "issn": "1234-5679",
        "volume": "4", "issue": "2", "pages": "1-9", "authors": "Ada Lovelace and Bo Li",
        "url": "", "language": "en", "publisher": "Hive",
        "abstract": "They dance.", "notes": 'RAYYAN-INCLUSION: {"ada"=>"Included"} | see table 2',
        "doi": "10.1000/bees", "keywords": "bees, dance", "pubmed_id": "12", "pmc_id": "PMC3",
    }  # fmt: skip
    assert second["notes"] == (
        r'RAYYAN-INCLUSION: {"bo \"b\""=>"Excluded"} | '
        "RAYYAN-EXCLUSION-REASONS: no control group"
    )
    assert third["notes"] == ""


def test_labels_stand_where_each_program_looks_for_them():
    labelled = paper(1, "include", decided_by="ada").model_copy(
        update={"labels": ["for chapter 2", "follow up"]}
    )
    [asreview], [rayyan] = (
        list(csv.DictReader(io.StringIO(str(export(collection_of(labelled), name)))))
        for name in ("asreview", "rayyan")
    )
    assert asreview["keywords"] == "for chapter 2;follow up;bees;dance"
    assert rayyan["notes"] == (
        'RAYYAN-INCLUSION: {"ada"=>"Included"} | RAYYAN-LABELS: for chapter 2,follow up'
    )
    assert rayyan["keywords"] == "bees, dance"
