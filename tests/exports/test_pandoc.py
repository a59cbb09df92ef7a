"""What pandoc, which has readers of its own, makes of our exports."""

import json

import pypandoc
import pytest
from tests.exports.bees import VAN_DYK, paper

from paper_search.exports import export
from paper_search.models import Author
from paper_search.testing.exporters import collection_of

PAPER = paper(
    title="Bees & wasps: 100% of <dances>",
    authors=[VAN_DYK, Author(name="Bo Li", family="Li", given="Bo")],
    doi="10.1000/bees_1",
    keywords=[],
)


@pytest.mark.parametrize(
    ("name", "reader"),
    [("bibtex", "bibtex"), ("biblatex", "biblatex"), ("csl-json", "csljson"), ("ris", "ris")],
)
def test_pandoc_reads_the_same_reference(name, reader):
    text = export(collection_of(PAPER), name)
    assert isinstance(text, str)
    [item] = json.loads(pypandoc.convert_text(text, "csljson", format=reader))
    assert item["type"] == "article-journal"
    assert item["title"].replace('<span class="nocase">', "").replace("</span>", "") in {
        "Bees & wasps: 100% of <dances>",
        "Bees & wasps: 100% of &lt;dances&gt;",
    }
    assert [author["family"] for author in item["author"]] == ["Dyk", "Li"]
    assert item["issued"]["date-parts"][0][0] == 2020
    assert (item["container-title"], item["volume"]) == ("J. Bees", "4")
    assert item["DOI"] == "10.1000/bees_1"
