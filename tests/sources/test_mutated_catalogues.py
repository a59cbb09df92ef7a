"""Answers of five services with anything missing, null or of a wrong type, or cut off."""

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.errors import PaperSearchError
from paper_search.http.body import HttpAnswer
from paper_search.models import SearchConstraints
from paper_search.query import parse
from paper_search.sources.adapter import Adapter, Page
from paper_search.sources.crossref import Crossref
from paper_search.sources.datacite import Datacite
from paper_search.sources.doaj import Doaj
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.semantic_scholar import SemanticScholar


@dataclass(frozen=True)
class Case:
    """An adapter, a recorded body of its service, and the way to its entries."""

    adapter: Adapter
    body: Any = field(repr=False)
    keys: tuple[str, ...]


JUNK: tuple[Any, ...] = (
    None,
    "",
    "x" * 3000,
    "20O1",
    "10.",
    "\ud800<p>$\\frac{",
    -1,
    10**400,
    float("nan"),
    True,
    [],
    {},
    [None],
    [[]],
    [[None]],
    {"a": None},
    ["10.1/x", 7],
)
CASES: list[tuple[Adapter, str, tuple[str, ...]]] = [
    (OpenAlex(), "openalex/openalexPro__pro_snowball__02.json", ("results",)),
    (OpenAlex(), "openalex/openalexPro__oa_snowball__03.json", ("results",)),
    (Crossref(), "crossref/habanero__test_cursor_max__01.json", ("message", "items")),
    (Crossref(), "crossref/habanero__test_random_dois_sample_param__01.json", ("message", "items")),
    (SemanticScholar(), "semantic_scholar/litstudy__245f82b3fd.json", ("data",)),
    (SemanticScholar(), "semantic_scholar/litstudy__78a2bca757.json", ("data",)),
    (Doaj(), "doaj/jaod__jaod_article_search__00.json", ("results",)),
    (Datacite(), "datacite/DSpace__dataCite-test.json", ("data",)),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].name}-{Path(case[1]).stem}")
def case(request: pytest.FixtureRequest, recorded: Path) -> Case:
    adapter, path, keys = request.param
    return Case(adapter, json.loads((recorded / path).read_text(encoding="utf-8")), keys)


def read(adapter: Adapter, body: Any) -> Page | None:
    """Return the page; None: it is refused with an error of ours."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    limits = SearchConstraints()
    request = adapter.first(adapter.translate(parse("graph"), limits), limits, 100)
    try:
        page = adapter.read(HttpAnswer(200, "application/json", content, 1), request)
    except PaperSearchError:
        return None
    for paper in page.papers:
        json.dumps(paper.model_dump(mode="json"), allow_nan=False).encode()
        assert paper.title.strip()
        assert paper.citation_count >= 0
    return page


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value."""
    if path:
        yield path
    inner: Any = value.items() if isinstance(value, dict) else ()
    for name, item in enumerate(value) if isinstance(value, list) else inner:
        yield from places(item, (*path, name))


def mutate(value: Any, chance: random.Random) -> Any:
    """Return a copy in which one to three values are gone, or are something else."""
    changed = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        found = list(places(changed)) if isinstance(changed, dict | list) else []
        if not found:
            return changed
        *way, last = chance.choice(found)
        parent = changed
        for name in way:
            parent = parent[name]
        if chance.random() < 0.3 and isinstance(parent, dict):
            del parent[last]
        else:
            parent[last] = copy.deepcopy(chance.choice(JUNK))
    return changed


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  # no secret is made of it


quick = examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(seed=st.integers(0, 2**32))
def test_one_bad_record_never_loses_the_others(case: Case, seed: int) -> None:
    """API-13, API-14."""
    chance = seeded(seed)
    changed = copy.deepcopy(case.body)
    entries = changed
    for key in case.keys:
        entries = entries[key]
    before = read(case.adapter, changed)
    assert before is not None
    bad = chance.randrange(len(entries))
    entries[bad] = chance.choice([mutate(entries[bad], chance), chance.choice(JUNK)])
    after = read(case.adapter, changed)
    assert after is not None
    assert len(after.papers) + after.dropped == len(entries)
    lost = [paper.id for paper in before.papers]
    for paper in after.papers:
        if paper.id in lost:
            lost.remove(paper.id)
    assert len(lost) <= 1


@quick
@given(seed=st.integers(0, 2**32))
def test_a_page_with_anything_wrong_is_read_or_refused(case: Case, seed: int) -> None:
    """API-13, API-21."""
    read(case.adapter, mutate(case.body, seeded(seed)))


@quick
@given(seed=st.integers(0, 2**32))
def test_a_page_that_is_cut_off_is_refused(case: Case, seed: int) -> None:
    """API-09."""
    content = json.dumps(case.body).encode()
    assert read(case.adapter, content[: seeded(seed).randrange(1, len(content))]) is None
