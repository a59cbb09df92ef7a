"""What nobody can mean is one clear error at the command line, and starts nothing."""

import pytest
from tests.cli.test_graph import EXAMPLES, QUESTION

from paper_search.models.paper import DECISIONS

FIND, REPORT = ("find", "graphs", "--yes"), ("report", "protein folding", "--yes")
GRAPH = ("graph", "run", "paper_search", "--input", QUESTION)
LOOP = ("graph", "run", "confidence_loop", "--in", EXAMPLES)
BUDGET = (*FIND, "--source", "sample")
LARGE = str(10**20)
DECIDED = (*DECISIONS, "all")
MISTAKES: list[tuple[tuple[str, ...], int, str]] = [
    (("fnid",), 2, "No such command"),
    (("find", "--yes"), 2, "give either QUESTION or --strategy FILE"),
    ((*FIND, "--strategy", "missing.txt"), 2, "give either QUESTION or --strategy FILE"),
    (("find", "--strategy", "missing.txt"), 2, "cannot be read"),
    (("find", "  \t\n ", "--yes"), 2, "empty"),
    (("find", "x" * 10_001, "--yes"), 2, "10,001"),
    ((*FIND, "--source", "nowhere"), 2, "library, openalex"),
    ((*FIND, "--source", ""), 2, "none is named"),
    ((*FIND, "--source", "serpapi_scholar"), 1, "SERPAPI_API_KEY"),
    ((*FIND, "--max", "0"), 2, "--max"),
    ((*FIND, "--max", LARGE), 2, "less than or equal to"),
    ((*FIND, "--format", "docx"), 2, "bibtex"),
    ((*FIND, "--output", "papers.docx"), 2, ".bib"),
    ((*FIND, "--output", "no/such/papers.bib"), 2, "does not exist"),
    ((*FIND, "--output", "."), 2, "'.' is a directory; name a file in it"),
    ((*FIND, "--format", "ris", "--output", "."), 2, "directory"),
    ((*FIND, "--json", "--format", "ris"), 2, "--output"),
    ((*FIND, "--format", "table", "--output", "a.txt"), 2, "for the terminal"),
    ((*FIND, "--force"), 2, "--output"),
    ((*BUDGET, "--budget=much"), 2, "is not a budget"),
    ((*BUDGET, "--budget=-3"), 2, "is not a budget"),
    ((*BUDGET, "--budget=3 apples"), 2, "200k tokens"),
    ((*BUDGET, "--budget=$3 calls"), 2, "is not a budget"),
    ((*BUDGET, "--budget=1 call, 2 calls"), 2, "twice"),
    ((*FIND, "--format", "nowhere.csl"), 2, "no reference style 'nowhere.csl'"),
    ((*REPORT, "--references", "nowhere.csl"), 2, "no reference style 'nowhere.csl'"),
    (("report",), 2, "give QUESTION or --from THREAD"),
    (("report", "short"), 2, "10 to 2,000"),
    ((*REPORT, "--approve"), 2, "--approve"),
    ((*REPORT, "--format", "pdf"), 2, "pdf"),
    ((*REPORT, "--output", "."), 2, "'.' is a directory; name a file in it"),
    ((*REPORT, "--depth", "bottomless"), 2, "depth"),
    ((*REPORT, "--set", "colour=red"), 2, "a report has no setting colour"),
    (("threads", "--limit", LARGE), 2, "less than or equal to"),
    (("threads", "--offset", LARGE), 2, "less than or equal to"),
    (("export", "any", "--decision", "maybe"), 2, f"not one of {', '.join(map(repr, DECIDED))}."),
    (("screen",), 2, "give THREAD, or --import FILE with --question TEXT"),
    (("screen", "--question", "livers"), 2, "give THREAD, or --import FILE"),
    (("screen", "thread", "--question", "livers"), 2, "give THREAD, or --import FILE"),
    (("screen", "--import", "no.ris"), 2, "give THREAD, or --import FILE"),
    (("config", "set", "colour", "red"), 2, "domain"),
    (("config", "set", "sources", "wob"), 2, "web"),
    (("config", "set", "report_pages", "many"), 2, "report_pages"),
    (("config", "set", "enrichers", "openalex,wob"), 2, "crossref"),
    (("config", "set", "report", "colour=x"), 2, "depth"),
    (("config", "set", "report", "max_pages=999"), 2, "less than or equal to 100"),
    (("config", "set", "domain", "medicin"), 2, "general, materials_science"),
    (("config", "set", "sources", " "), 2, "the value is empty"),
    (("config", "set", "sources", " , "), 2, "the value is empty"),
    (("config", "unset", "colour"), 2, "sources"),
    (("config", "set", "domain"), 2, "VALUE"),
    (("share", "any", "--as", "reader"), 2, "--with ACCOUNT"),
    (("share", "any", "--as", "reviewer"), 2, "--with ACCOUNT"),
    (("restore", "nowhere.db"), 2, "no backup 'nowhere.db'"),
    (("eval",), 2, "give either LABELS or --thread THREAD"),
    (("eval", "labels.csv", "--thread", "x"), 2, "give either LABELS or --thread THREAD"),
    (("eval", "nowhere.csv"), 2, "nowhere.csv"),
    (("library", "search", "(graph AND"), 2, "expected"),
    (("library", "search", ""), 2, "the query is empty"),
    (("graph", "list", "--in", "no_such_package"), 2, "no_such_package"),
    (("graph", "check", "--langgraph-json", "none.json"), 2, "none.json"),
    (("graph", "--json", "list"), 2, "put --json after 'list'"),
    (("graph", "show", "nope"), 2, "nope"),
    ((*LOOP, "--param", "max_iterations=9"), 2, "less than or equal to 5"),
    ((*LOOP, "--param", "max_iterations"), 2, "name=value"),
    ((*LOOP, "--param", "colour=red"), 2, "known: max_iterations, wanted"),
    ((*LOOP, "--input", "{"), 2, "--input '{' is not JSON"),
    ((*LOOP, "--input", "[]"), 2, "not a JSON object"),
    ((*LOOP, "--input", '{"shelf": 3}'), 2, "shelf"),
    ((*LOOP, "--answer", "no"), 2, "--answer 'no' is not JSON"),
    ((*GRAPH, "--param", 'sources=["scopus"]'), 2, "unknown source 'scopus'; known: library"),
    ((*GRAPH, "--answer", '"perhaps"'), 2, "perhaps"),
]


@pytest.mark.parametrize(
    ("words", "code", "reason"), MISTAKES, ids=[f"{n}-{m[0][0]}" for n, m in enumerate(MISTAKES)]
)
def test_a_mistake_is_one_clear_error_and_starts_nothing(cli, home, words, code, reason):
    ended = cli(*words, code=code)
    assert (reason in ended.stderr, ended.stdout) == (True, ""), ended.stderr
    assert cli("threads", "--json").document == []
    assert not (home / "config.toml").exists()
