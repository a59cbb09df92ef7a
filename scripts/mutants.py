# ruff: noqa: INP001  # a script, not a package
"""Break the core modules on purpose, one mutant at a time, and count what the tests notice.

`python scripts/mutants.py` takes a sample of the mutants of each module in `NEAREST_TESTS` and runs
the tests named there against each of them with mutmut. `python scripts/mutants.py http.client`
takes one module. It works in a copy of the repository, so the working tree is never changed. It
prints one line of a Markdown table for each module, and the mutants that survive with `--show`.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SAMPLE = 40
SEED = 14

NEAREST_TESTS = {
    "exports.bibtex": ["tests/exports/test_bibtex.py"],
    "exports.files": ["tests/exports/test_files.py"],
    "http.client": ["tests/http"],
    "http.network": [
        "tests/http/test_network.py",
        "tests/http/test_routes.py",
        "tests/http/test_client.py",
        "tests/http/test_cache.py",
    ],
    "http.redaction": ["tests/http/test_redaction.py"],
    "library.retrieval": [
        "tests/library/test_ranking.py",
        "tests/library/test_source.py",
        "tests/library/test_embedded.py",
    ],
    "pages.network": ["tests/pages/test_network.py", "tests/pages/test_fetching.py"],
    "persistence.encryption": ["tests/persistence/test_encryption.py"],
    "persistence.leases": [
        "tests/persistence/test_leases.py",
        "tests/persistence/test_work_locks.py",
    ],
    "persistence.ledger": [
        "tests/persistence/test_ledger.py",
        "tests/workflow/test_ledger.py",
    ],
    "persistence.sqlite_saver": [
        "tests/persistence/test_sqlite.py",
        "tests/persistence/test_listing.py",
        "tests/persistence/test_stock_threads.py",
        "tests/persistence/test_conformance.py",
        "tests/persistence/test_faults.py",
        "tests/persistence/test_opening.py",
    ],
    "query.parser": ["tests/query/test_parser.py", "tests/query/test_linter.py"],
    "report.checks": ["tests/report/test_checks.py"],
    "report.claims.numbers": ["tests/report/claims"],
    "report.claims.verdicts": ["tests/report/claims", "tests/report/test_checks.py"],
    "server.admission": ["tests/server/test_admission.py", "tests/server/test_reports.py"],
    "server.guard": ["tests/server"],
    "skills.deduplication.comparison": [
        "tests/skills/deduplication",
        "tests/skills/test_deduplicator.py",
    ],
    "skills.deduplication.conflicts": [
        "tests/skills/deduplication",
        "tests/skills/test_deduplicator.py",
    ],
    "skills.relevance_scorer": ["tests/skills/test_relevance_scorer.py", "tests/skills/judging"],
    "skills.judging.answer": ["tests/skills/judging"],
    "skills.judging.run": ["tests/skills/judging"],
    "skills.searcher": ["tests/skills/test_searcher.py"],
    "skills.untrusted": ["tests/skills/test_untrusted.py"],
    "sources.http_source": ["tests/sources/test_http_source.py", "tests/sources/test_faults.py"],
    "threads.decisions": [
        "tests/threads/test_decisions.py",
        "tests/threads/test_question_names.py",
        "tests/workflow/test_decisions.py",
        "tests/workflow/test_answer_shapes.py",
    ],
    "threads.session": [
        "tests/threads",
        "tests/workflow/test_threads.py",
        "tests/workflow/test_ledger.py",
        "tests/workflow/test_forks.py",
        "tests/workflow/test_durability.py",
    ],
    "workflow.decisions": [
        "tests/workflow/test_decisions.py",
        "tests/workflow/test_answer_shapes.py",
    ],
    "workflow.marks": [
        "tests/workflow/test_screening.py",
        "tests/workflow/test_results.py",
        "tests/workflow/test_reviewers.py",
        "tests/workflow/test_same_work.py",
        "tests/workflow/test_waiting.py",
    ],
    "workflow.nodes": [
        "tests/workflow/test_nodes.py",
        "tests/workflow/test_paths.py",
        "tests/workflow/test_scoping.py",
        "tests/workflow/test_search_report.py",
        "tests/workflow/test_snowballing.py",
        "tests/workflow/test_engine.py",
        "tests/workflow/test_enrichment.py",
        "tests/workflow/test_ledger.py",
        "tests/workflow/test_results.py",
        "tests/workflow/test_round_changes.py",
        "tests/workflow/test_screening.py",
        "tests/workflow/test_waiting.py",
    ],
    "workflow.results": [
        "tests/workflow/test_results.py",
        "tests/workflow/test_screening.py",
        "tests/workflow/test_round_changes.py",
        "tests/workflow/test_same_work.py",
        "tests/workflow/test_engine.py",
    ],
    "workflow.rounds": ["tests/workflow/test_waiting.py", "tests/workflow/test_carrying.py"],
}
"""The modules, by their name in `paper_search`, and the tests that each is run against."""

_NOTICED = {"killed", "timeout", "segfault", "caught by type check"}


def main() -> None:
    """Run the modules that the command line names, or all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="one of: " + ", ".join(NEAREST_TESTS)
    )
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, help="mutants of a module (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="which mutants (%(default)s)")
    parser.add_argument("--show", action="store_true", help="print the mutants that survive")
    given = parser.parse_args()
    unknown = sorted(set(given.modules) - set(NEAREST_TESTS))
    if unknown:
        parser.error(f"no such module: {', '.join(unknown)}; known: {', '.join(NEAREST_TESTS)}")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "copy"
        _copy_repository(copy)
        _write("| module | mutants | sample | killed |\n|---|---|---|---|\n")
        for module in given.modules or NEAREST_TESTS:
            _run_module(copy, module, given.sample, given.seed, shows=given.show)


def _run_module(copy: Path, module: str, size: int, seed: int, *, shows: bool) -> None:
    path = Path("src", "paper_search", *module.split(".")).with_suffix(".py")
    mutants = _names(copy, path)
    sample = random.Random(f"{seed} {module}").sample(mutants, min(size, len(mutants)))  # noqa: S311  # not for secrets
    shutil.rmtree(copy / "mutants", ignore_errors=True)
    (copy / "setup.cfg").write_text(_configuration(copy, path, NEAREST_TESTS[module]), "utf-8")
    finished = _mutmut(copy, "run", "--max-children", "1", *sample)
    statuses = _statuses(copy, set(sample))
    if len(statuses) < len(sample):
        sys.exit(
            f"{module}: mutmut stopped early\n{finished.stdout[-3000:]}{finished.stderr[-3000:]}"
        )
    killed = sum(status in _NOTICED for status in statuses.values())
    _write(
        f"| `{module}` | {len(mutants)} | {len(sample)} | {killed} ({killed / len(sample):.0%}) |\n"
    )
    for name in sample if shows else ():
        if statuses[name] not in _NOTICED:
            _write(f"\n{statuses[name]}: {_mutmut(copy, 'show', name).stdout}\n")


def _copy_repository(copy: Path) -> None:
    """Copy the files that git tracks or would track, as they are in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # git is where it is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)


def _names(copy: Path, path: Path) -> list[str]:
    """Return the names of all mutants of a module."""
    from mutmut.mutation.file_mutation import mutate_file_contents  # noqa: PLC0415  # slow
    from mutmut.utils.format_utils import get_mutant_name  # noqa: PLC0415  # as above

    mutated = mutate_file_contents(str(path), (copy / path).read_text("utf-8"))
    return sorted(get_mutant_name(path, name) for name in mutated.mutant_names)


def _configuration(copy: Path, path: Path, tests: list[str]) -> str:
    rest = sorted(entry.name for entry in copy.iterdir() if entry.name not in {"src", "tests"})
    return "\n".join(
        [
            "[mutmut]",
            "source_paths = src",
            f"only_mutate = {path}",
            "pytest_add_cli_args =",
            *("  -p\n  no:cacheprovider", "  -m\n  not slow"),
            "pytest_add_cli_args_test_selection =",
            *(f"  {test}" for test in tests),
            "also_copy =",
            *(f"  {name}" for name in rest if name != "setup.cfg"),
            "",
        ]
    )


def _statuses(copy: Path, names: set[str]) -> dict[str, str]:
    """Return what became of each of these mutants: killed, survived, timeout and so on."""
    lines = _mutmut(copy, "results", "--all", "true").stdout.splitlines()
    pairs = [line.strip().rpartition(": ") for line in lines]
    return {name: status for name, _, status in pairs if name in names and status != "not checked"}


def _mutmut(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-m", "mutmut", *words],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
