# ruff: noqa: INP001  # a script, not a package
"""Break the program on purpose, one mutant at a time, and count what the tests notice.

`python scripts/mutants.py --random SEED` draws 61 of all modules and one mutant of each, made by
mutmut, and runs the tests of the module's package against it: first those in the file with the
module's name, which notice most. Where one fails, its file has to pass without the mutant, or the
mutant does not count. With names of modules in place of `--random` it takes 40 mutants of each. It
works in a copy of the repository, so the working tree is never changed. It prints a line of a
Markdown table for each module, and with `--show` what the survivors change; tests of other packages
may still notice those.
"""

from __future__ import annotations

import argparse
import difflib
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import libcst as cst
from mutmut.mutation.diff_apply import read_mutant_function
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

ROOT = Path(__file__).parents[1]
SOURCE = Path("src", "paper_search")
SAMPLE = 40
DRAWN = 61
"""How many modules a random sample has."""
_TIMEOUT_S = 900


def main() -> None:
    """Run the modules that the command line names, or a random sample of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as http.client")
    parser.add_argument("--random", type=int, metavar="SEED", help="draw modules and mutants")
    parser.add_argument("--count", type=int, default=DRAWN, help="random modules (%(default)s)")
    parser.add_argument("--show", action="store_true", help="print what the survivors change")
    options = parser.parse_args()
    if bool(options.modules) is (options.random is not None):
        parser.error("name modules, or give --random SEED")
    every = modules()
    if unknown := sorted(set(options.modules) - set(every)):
        parser.error(f"no such module: {', '.join(unknown)}")
    generator = random.Random(options.random or 0)  # noqa: S311  # not for secrets
    sequence = options.modules or generator.sample(every, len(every))
    size, count = (SAMPLE, len(sequence)) if options.modules else (1, options.count)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder, "copy")
        _copy_repository(copy)
        _create_environment(copy)
        _write("| module | mutants | sample | killed |\n|---|---|---|---|\n")
        done = killed = total = 0
        for module in sequence:
            tried, noticed = _try_module(copy, module, generator, size, shows=options.show)
            done, total, killed = done + bool(tried), total + tried, killed + noticed
            if done == count:
                break
        _write(f"| {done} modules | | {total} | {killed} ({killed / max(total, 1):.0%}) |\n")


def modules() -> list[str]:
    """Return the dotted names of all modules, without that of the package."""
    paths = (path.relative_to(ROOT / SOURCE) for path in (ROOT / SOURCE).rglob("*.py"))
    return sorted(".".join(path.with_suffix("").parts) for path in paths if path.stem != "__init__")


def nearest_tests(module: str) -> list[str]:
    """Return the tests of a module's package, or those beside them for a module that is in none."""
    package, _, name = module.partition(".")
    if name:
        return [f"tests/{package}"]
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob("test_*.py"))


def own_tests(module: str) -> list[str]:
    """Return the file of tests with a module's name, which notices most mutants soonest."""
    *folders, name = module.split(".")
    path = Path("tests", *folders, f"test_{name}.py")
    return [str(path)] if (ROOT / path).is_file() else []


def _try_module(
    copy: Path, module: str, generator: random.Random, size: int, *, shows: bool
) -> tuple[int, int]:
    """Print the line of one module; return how many mutants were tried, and how many noticed."""
    path = copy / SOURCE / Path(*module.split(".")).with_suffix(".py")
    original = path.read_text("utf-8")
    mutated = mutate_file_contents(str(path), original)
    names = sorted(mutated.mutant_names)
    sample = generator.sample(names, min(size, len(names)))
    tests = nearest_tests(module)
    survivors, killed = [], 0
    for name in sample:
        mutant = _apply(original, mutated.code, name)
        path.write_text(mutant, "utf-8")
        noticed_by = _failing_file(copy, own_tests(module)) or _failing_file(copy, tests)
        path.write_text(original, "utf-8")
        if not noticed_by:
            survivors.append(_difference(original, mutant, module))
        elif _failing_file(copy, [noticed_by]):
            sys.stderr.write(f"{name} does not count: {noticed_by} fails without it\n")
        else:
            killed += 1
    tried = killed + len(survivors)
    if tried:
        _write(f"| `{module}` | {len(names)} | {tried} | {killed} ({killed / tried:.0%}) |\n")
    if shows:
        _write("".join(survivors))
    return tried, killed


def _apply(original: str, mutated: str, name: str) -> str:
    """Return a module with the one function that a mutant changes."""
    function, owner = orig_function_and_class_names_from_key(name)
    module = cst.parse_module(original)
    body = module.body
    if owner:
        owners = [node for node in body if isinstance(node, cst.ClassDef)]
        body = next(node for node in owners if node.name.value == owner).body.body
    functions = [node for node in body if isinstance(node, cst.FunctionDef)]
    bare = function.rpartition(".")[-1]
    target = [node for node in functions if node.name.value == bare][-1]
    mutant = read_mutant_function(cst.parse_module(mutated), name)
    changed = target.with_changes(body=mutant.body, params=mutant.params)
    return module.deep_replace(target, changed).code  # type: ignore[union-attr]  # a module


def _failing_file(copy: Path, tests: list[str]) -> str:
    """Run tests until one fails, against the package as it is in the copy; return its file."""
    words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", "--timeout", "120"]
    if not tests:
        return ""
    try:
        finished = subprocess.run(  # noqa: S603  # our own words
            [copy.parent / "venv" / "bin" / "python", "-m", "pytest", *words, *tests],
            cwd=copy,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return tests[0]
    if finished.returncode == 0:
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (\S+?\.py)\b", finished.stdout, re.MULTILINE)
    return named[1] if named else tests[0]


def _difference(original: str, mutant: str, module: str) -> str:
    lines = difflib.unified_diff(
        original.splitlines(keepends=True), mutant.splitlines(keepends=True), module, module, n=1
    )
    return "\n" + "".join(lines) + "\n"


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
    (copy.parent / "shared").symlink_to(ROOT.parent / "shared")  # recorded answers


def _create_environment(copy: Path) -> None:
    """Make a Python that finds the copy's package first, also in the processes that tests start."""
    environment = copy.parent / "venv"
    venv.create(environment)
    packages = sysconfig.get_path("purelib")
    target = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    (target / "copy.pth").write_text(f"{copy / 'src'}\n{packages}\n", "utf-8")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
