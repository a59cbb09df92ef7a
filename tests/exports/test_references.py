"""References in any CSL style."""

import pytest

from paper_search.errors import InputError
from paper_search.exports import export
from paper_search.models import Author, Paper
from paper_search.testing.exporters import collection_of

STYLE = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>t</title><id>t</id><updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation><layout><text variable="title"/></layout></citation>
  <bibliography><sort><key variable="title"/></sort>
    <layout><group delimiter=". "><names variable="author"><name form="short"/></names>
      <text variable="title"/><text variable="container-title" font-style="italic"/></group>
    </layout>
  </bibliography>
</style>
"""

PAPERS = collection_of(
    Paper(id="1", title="Wasps & bees", authors=[Author(name="Ada Lovelace")], source="s"),
    Paper(id="2", title="Ants", authors=[Author(name="Bo Li")], venue="J. Ants", source="s"),
)


def test_papers_are_formatted_and_sorted_as_the_style_says(tmp_path):
    style = tmp_path / "short.csl"
    style.write_text(STYLE)
    assert export(PAPERS, str(style)) == "Li. Ants. J. Ants\nLovelace. Wasps & bees\n"
    assert export(collection_of(), str(style)) == ""


NAMING_ITSELF = STYLE.replace("<citation>", '<macro name="a"><text macro="a"/></macro><citation>')


@pytest.mark.parametrize(
    "content",
    [
        *("<style/>", "no XML"),
        NAMING_ITSELF.replace('variable="title"', 'macro="a"'),
        STYLE.replace('variable="title"', 'macro="none"'),
    ],
)
def test_a_style_that_cannot_be_used_is_refused(tmp_path, content):
    with pytest.raises(InputError, match=r"no reference style .*nowhere\.csl"):
        export(PAPERS, str(tmp_path / "nowhere.csl"))
    broken = tmp_path / "broken.csl"
    broken.write_text(content)
    with pytest.raises(InputError, match="cannot be used"):
        export(PAPERS, str(broken))
