# ruff: noqa: INP001  # a script, not a package
"""Writes docs/report-requirements.md: each requirement of the report's specification and its tests.

`scripts/traceability.py` writes it, `scripts/traceability.py --check` says whether it is current.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "report-requirements.md"
CODE = "src/paper_search/report"
FLOW = "src/paper_search/report_workflow"
GRAPH = "tests/report_workflow/test_graph.py"
LEDGER = "tests/report_workflow/test_ledger.py"
CRASHES = "tests/report_workflow/test_records.py"
KILLS = "tests/report_workflow/test_kills.py"
MACHINE = "tests/report_workflow/test_machine.py"
BUDGETS = "tests/report_workflow/test_budgets.py"
ROUTING = "tests/report_workflow/test_routing.py"
QUERIES = "tests/report/test_planner.py"
ROLES = "tests/report/test_roles.py"
CHECKS = "tests/report/test_checks.py"
CRITERIA = "tests/report/test_criteria.py"
ASKED = "tests/report_workflow/test_requirements.py"
ACADEMIC = "tests/report/test_academic.py"
PROMPTS = "tests/prompts/test_rendered.py"
SUPPORT = "tests/report/test_support.py"

WEB = "src/paper_search/sources/web"
SEARCHES = "tests/sources/web/test_web_searches.py"
PAGES = "tests/end_to_end/test_report_pages.py"

REQUIREMENTS: tuple[tuple[str, str, str, str], ...] = (
    ("1 State schema", f"{FLOW}/state.py", CRASHES, "checkpoint_holds_no_text"),
    ("1 Field `messages`", f"{FLOW}/state.py", ASKED, "leaves_a_message"),
    ("1 Field `research_plan`", f"{CODE}/models.py", ROLES, "questions_of_its_depth"),
    ("1 Field `collected_data`", f"{FLOW}/products.py", ASKED, "collected_data_hold"),
    ("1 Field `critique`", f"{CODE}/models.py", ASKED, "judges_every_sentence"),
    ("1 Field `iteration_count`", f"{FLOW}/state.py", GRAPH, "revised_until_the_limit"),
    ("1 Topology", f"{FLOW}/graph.py", GRAPH, "planned_searched_analysed"),
    ("1 Node: Planner", f"{CODE}/planner.py", ROLES, "brought_within_the_limits"),
    ("1 Node: Searcher", f"{CODE}/searcher.py", ASKED, "answers_each_query"),
    ("1 Node: Analyst", f"{CODE}/analyst.py", ROLES, "tied_to_a_quote"),
    ("1 Node: Writer", f"{CODE}/writer.py", ASKED, "takes_the_text_of_the_model"),
    ("1 Node: Reviewer", f"{CODE}/reviewer.py", SUPPORT, "cannot_raise"),
    ("2 Planner schema", f"{CODE}/models.py", ROLES, "questions_of_its_depth"),
    ("2 Planner logic", "src/paper_search/prompts/report_planner.md", PROMPTS, "is_sent"),
    ("2 Searcher schema", f"{CODE}/models.py", ASKED, "answers_each_query"),
    ("2 Searcher logic, adaptive", f"{CODE}/planner.py", QUERIES, "reformulated_once"),
    ("2 Tool: web search", WEB, SEARCHES, "keeps_the_contract"),
    ("2 Tool: academic search", f"{CODE}/searcher.py", ACADEMIC, "asked_of_every_source"),
    ("2 Tool: news search", f"{WEB}/newsapi.py", SEARCHES, "news_are_asked"),
    ("2 Tool: content parser", "src/paper_search/pages", PAGES, "quotes_what_stands_in_pages"),
    ("3 Analyst synthesis", f"{CODE}/analyst.py", ROLES, "share_no_author"),
    ("3 Writer generation", f"{CODE}/writer.py", ASKED, "nothing_but_sentences"),
    ("3 Critique criteria", f"{CODE}/criteria.py", CRITERIA, "weights"),
    ("3 Reviewer prompt", "src/paper_search/prompts/report_reviewer.md", ASKED, "shows_the_model"),
    ("3 Decision rules", f"{CODE}/criteria.py", CRITERIA, "rules_decide"),
    ("4 Conditional routing", f"{FLOW}/drafting.py", ROUTING, "after_the_reviewer"),
    ("4 `should_continue` logic", f"{FLOW}/state.py", ROUTING, "until_a_limit"),
    ("4 Loop-breaking conditions", f"{FLOW}/nodes.py", BUDGETS, "errors_are_borne"),
    ("4 HITL breakpoints", f"{FLOW}/reviews.py", MACHINE, "stands_where"),
    ("4 HITL time limits", f"{FLOW}/engine.py", LEDGER, "in_the_ledger_as_silence"),
    ("4 Thread state saving", f"{FLOW}/engine.py", KILLS, "process_was_killed"),
    ("4 Context window fallback", f"{CODE}/recovery.py", GRAPH, "asked_with_less"),
    ("4 Error handling", f"{CODE}/recovery.py", GRAPH, "done_by_algorithm"),
)
"""Requirement with its phase, where it is met, the file of its test, part of the test's name."""

HEAD = (
    "# Requirements of the report\n\n"
    "Appendix A of the report's specification, line by line: where each is met, and the test that "
    "would fail if it were not. Written by `scripts/traceability.py`, which looks the tests up; do "
    "not edit. A line without a test is not met.\n\n"
    "| phase and requirement | met in | test |\n|---|---|---|\n"
)


def tests_in(path: str) -> list[str]:
    """Return the names of the tests of a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [e.name for e in tree.body if isinstance(e, kinds) and e.name.startswith("test_")]


def page() -> str:
    """Return the page; a test that is named here and does not exist is an error."""
    lines = []
    for requirement, place, path, part in REQUIREMENTS:
        found = [name for name in tests_in(path) if part in name] if path else []
        if path and not found:
            raise SystemExit(f"{path} has no test with {part!r} in its name")
        shown = f"`{path}`: {found[0].replace('_', ' ')}" if found else "**none: not built**"
        where = f"`{place}`" if place else "not built"
        lines.append(f"| {requirement} | {where} | {shown} |\n")
    return HEAD + "".join(lines)


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" in sys.argv:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
