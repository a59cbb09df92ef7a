"""How the graph has pages read: so many as the settings allow, and never without them."""

import itertools
from dataclasses import replace

import pytest

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import UnknownNameError
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.assembly import assemble_report
from paper_search.testing.reports import QUESTION, report_services


@pytest.mark.parametrize(
    ("web", "sources", "kinds"),
    [
        ([], None, ["academic"]),
        (["tavily"], None, ["academic", "web"]),
        (["newsapi", "serper"], None, ["academic", "web", "news"]),
        (["tavily", "newsapi"], ["sample"], ["academic"]),
        (["tavily", "newsapi"], ["sample", "tavily"], ["academic", "web"]),
        (["tavily"], ["tavily"], ["web"]),
    ],
)
def test_the_kinds_of_search_are_those_that_are_set_up_and_named(web, sources, kinds):
    config = AppConfig(
        sources={"sample": SearchSourceConfig(name="sample")},
        web={item: SearchSourceConfig(name=item, api_key="KEY-of-a-test") for item in web},
    )
    services = assemble_report(config, sources)
    assert services.searcher(None, sources).search_types == kinds


def test_a_source_that_is_not_there_is_not_replaced_by_those_that_are():
    services = assemble_report(AppConfig(sources={"sample": SearchSourceConfig(name="sample")}))
    with pytest.raises(UnknownNameError, match="source 'library'; known: sample"):
        services.searcher(None, ["sample", "library"])


async def test_a_source_that_is_gone_when_it_is_searched_costs_no_search():
    services = report_services()
    times = itertools.count(1)

    def searcher(llm, only):
        if next(times) == 2:  # after the planner asked what can be searched
            raise UnknownNameError("source", "library", ["sample"])
        return services.searcher(llm, only)

    flow = ReportWorkflow(replace(services, searcher=searcher))
    with pytest.raises(UnknownNameError):
        await flow.run(QUESTION, thread_id="t")
    assert (await flow.proceed("t")).metadata["sources_collected"] > 0


def test_the_settings_can_switch_reading_off_and_a_run_on_again():
    off = AppConfig(report_pages=0, sources={"sample": SearchSourceConfig(name="sample")})
    assert assemble_report(off).pages is None
    assert assemble_report(AppConfig()).pages is not None
    assert ReportWorkflow.from_config(off)._services.pages is None
    assert ReportWorkflow.from_config(off, max_pages=3)._services.pages is not None
    assert ReportWorkflow.from_config(AppConfig(), max_pages=0)._services.pages is None
