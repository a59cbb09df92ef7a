"""What is known of one paper, written out for a person."""

import io

import pytest
from rich.console import Console

from paper_search.cli.views import show_paper
from paper_search.models import Paper

KEYWORDS = ["statistics", "Markov chains"]


@pytest.mark.parametrize(
    ("abstract", "is_shown"), [(None, True), ("", True), ("We count chains.", False)]
)
def test_keywords_are_shown_where_there_is_no_abstract(abstract, *, is_shown):
    written = io.StringIO()
    paper = Paper(
        id="1", title="On chains", authors=[], source="s", abstract=abstract, keywords=KEYWORDS
    )
    show_paper(Console(file=written, width=100), 1, paper)
    assert ("keywords  statistics, Markov chains" in written.getvalue()) is is_shown
