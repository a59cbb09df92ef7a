"""The names that services give in parts stay in parts; one string is split once."""

import json

import pytest

from paper_search.exports.json_formats import export_csl_json
from paper_search.http.body import parse_xml
from paper_search.models import Author, Paper, RawPaper, ScoredPaper
from paper_search.sources import crossref, datacite, europe_pmc, openalex_record
from paper_search.sources.pubmed_record import citation_of
from paper_search.testing.exporters import collection_of

PUBMED = b"""<PubmedArticle><MedlineCitation><PMID>1</PMID><Article>
<ArticleTitle>On names</ArticleTitle><AuthorList>
<Author><LastName>White</LastName><Initials>JR</Initials></Author>
<Author><LastName>King</LastName><ForeName>Martin Luther</ForeName><Suffix>Jr</Suffix></Author>
<Author><LastName>van der Berg</LastName><ForeName>Jan</ForeName></Author>
<Author><CollectiveName>The RECOVERY Group</CollectiveName></Author>
</AuthorList></Article></MedlineCitation></PubmedArticle>"""
CROSSREF = {
    "DOI": "10.1000/1",
    "title": ["On names"],
    "author": [
        {"family": "White", "given": "JR"},
        {"family": "King", "given": "Martin Luther", "suffix": "Jr"},
        {"family": "van der Berg", "given": "Jan"},
        {"name": "The RECOVERY Group"},
    ],
}
EUROPE_PMC = {
    "id": "1",
    "source": "MED",
    "title": "On names",
    "authorList": {
        "author": [
            {"lastName": "White", "firstName": "JR", "fullName": "White JR"},
            {"lastName": "King", "firstName": "Martin Luther", "suffix": "Jr"},
            {"lastName": "van der Berg", "firstName": "Jan"},
            {"collectiveName": "The RECOVERY Group"},
        ]
    },
}
DATACITE = {
    "id": "10.1000/1",
    "attributes": {
        "titles": [{"title": "On names"}],
        "creators": [
            {"name": "White, JR", "nameType": "Personal"},
            {"name": "King, Martin Luther, Jr"},
            {"name": "van der Berg, Jan", "givenName": "Jan", "familyName": "van der Berg"},
            {"name": "The RECOVERY Group", "nameType": "Organizational"},
        ],
    },
}
OPENALEX = {
    "id": "https://openalex.org/W1",
    "title": "On names",
    "authorships": [
        {"author": {"display_name": name}}
        for name in ("White JR", "Martin Luther King Jr", "Jan van der Berg", "The RECOVERY Group")
    ],
}

EXPECTED = [
    {"family": "White", "given": "JR"},
    {"family": "King", "given": "Martin Luther", "suffix": "Jr"},
    {"family": "van der Berg", "given": "Jan"},
    {"literal": "The RECOVERY Group"},
]


def exported(record: RawPaper | None) -> list[dict[str, str]]:
    assert record is not None
    scored = ScoredPaper(paper=record, relevance_score=1.0, relevance_reason="")
    (item,) = json.loads(export_csl_json(collection_of(Paper.from_scored(scored))))
    return [whole(author) for author in item["author"]]


def whole(name: dict[str, str]) -> dict[str, str]:
    """Return the name with the particle in the family name, as most services have it."""
    rest = {part: value for part, value in name.items() if part != "non-dropping-particle"}
    particle = name.get("non-dropping-particle")
    return rest | ({"family": f"{particle} {name['family']}"} if particle else {})


@pytest.mark.parametrize(
    "record",
    [
        citation_of(parse_xml(PUBMED)),
        crossref.read_item(CROSSREF),
        europe_pmc.read_result(EUROPE_PMC),
        datacite.record_of_doi(DATACITE),
        openalex_record.read_work(OPENALEX),
    ],
    ids=["pubmed", "crossref", "europe_pmc", "datacite", "openalex"],
)
def test_a_name_leaves_as_the_service_gave_it(record):
    assert exported(record) == EXPECTED


def test_the_name_of_an_author_in_parts_reads_as_it_is_said():
    record = crossref.read_item(CROSSREF)
    assert record.authors[1] == Author(
        name="Martin Luther King Jr", family="King", given="Martin Luther", suffix="Jr"
    )
