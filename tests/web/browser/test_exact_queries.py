"""What each source will be sent, on the page, before anything is searched."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.web.browser.conftest import beside_the_browser

from paper_search.models import QueryBuilderInput, RankedQuery, SearchStrategy
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

pytestmark = pytest.mark.slow
SOURCES = ["pubmed", "openalex", "dblp", "serpapi_scholar", "library"]
QUERY = '("graph neural network*" OR gnn*) AND protein'


class OfServices(FakeSkills):
    """Writes a strategy for web services, which nobody asks."""

    async def build(self, request: QueryBuilderInput) -> SearchStrategy:
        plain = await super().build(request)
        query = plain.queries[0].model_copy(update={"boolean_query": QUERY})
        ranked = [RankedQuery(text="graph neural networks for proteins")]
        return plain.model_copy(update={"queries": [query], "sources": SOURCES, "ranked": ranked})


async def waiting(folder: Path) -> str:
    """Make a thread that waits with its strategy; return its path."""
    async with open_persistence(f"sqlite:///{folder / 'home' / 'threads.db'}") as persistence:
        workflow = SearchWorkflow(*[OfServices()] * 6, persistence=persistence)
        return f"/threads/{(await workflow.start('graphs')).run_id}"


def test_the_exact_string_for_each_source_is_folded_under_its_query_also_when_changed(reviewer):
    page = reviewer.page
    reviewer.open(f"{beside_the_browser(waiting(reviewer.folder))}/strategy")
    query = page.locator("section.query .sent").first
    expect(query.locator("dd").first).not_to_be_visible()
    query.locator("summary").first.click()
    expect(query.locator("dt")).to_have_text(["PubMed", "OpenAlex", "DBLP", "Your library"])
    pubmed = query.locator("dd").first
    expect(pubmed.locator("pre").first).to_contain_text("gnn[tiab] OR gnna*[tiab] OR")
    expect(pubmed).to_contain_text("'gnn*' is sent with each next letter")
    question = page.locator("section:has(#ranked-0-head) .sent")
    question.locator("summary").first.click()
    expect(question.locator("dt")).to_have_text(["PubMed", "OpenAlex", "DBLP", "Your library"])
    openalex = question.locator("dd").nth(1)
    openalex.get_by_text("Request").click()
    expect(openalex.locator("pre").nth(1)).to_contain_text("https://api.openalex.org/works?search")
    expect(question.locator("dd").nth(3)).to_contain_text("Searched on this machine")
    expect(page.locator("section:has(#where)")).to_contain_text("set SERPAPI_API_KEY")

    page.fill("textarea[name=group-0-0-0]", "graph")
    page.fill("textarea[name=group-0-0-1]", "neural")
    page.click("button[value=preview]")
    assert not page.locator("p.problem[role=alert]").all_inner_texts()
    query.locator("summary").first.click()
    expect(query.locator("pre").first).to_contain_text("graph[tiab] AND neural[tiab]")
