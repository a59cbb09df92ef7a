"""Recorded answers, broken in every way that chance finds: one bad entry never loses the others."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples, times
from tests.recorded import FETCH, request_of
from tests.sources.adapters import ADAPTERS

from paper_search.errors import PaperSearchError
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpBodyError
from paper_search.models import RawPaper
from paper_search.sources.adapter import Page, Request

ROUNDS = 150
STRANGE: list[Any] = [
    None, "", 0, -1, 1e999, True, [], {}, [None], [[]], {"a": 1}, "x" * 5000, "20O1", "\ud800\x00",
    ["a", 1, None], {"text": None}, 10**30, "<b>", "$\\frac{", "10.", "https://", [{"name": None}],
]  # fmt: skip
_ORCID = {"type": "ORCID", "value": "0"}
_OPEN = {"availabilityCode": "OA", "documentStyle": "pdf", "url": "https://x.org/a"}
_WORK = {
    "source": "MED",
    "doi": "10.1000/1",
    "title": "Title.",
    "authorList": {"author": [{"firstName": "A", "lastName": "B", "authorId": _ORCID}]},
    "journalInfo": {"volume": "1", "journal": {"title": "J", "issn": "1234-5678"}},
    "pubYear": "2020",
    "abstractText": "<h4>Aim</h4>Text",
    "pubTypeList": {"pubType": ["research-article"]},
    "commentCorrectionList": {"commentCorrection": [{"type": "Retraction in"}]},
    "fullTextUrlList": {"fullTextUrl": [_OPEN]},
    "keywordList": {"keyword": ["k"]},
    "citedByCount": 3,
}
EUROPE_PMC = {
    "hitCount": 2,
    "nextCursorMark": "abc",
    "resultList": {"result": [_WORK | {"id": str(n), "pmid": str(n)} for n in range(1, 4)]},
}
SERPER = {
    "organic": [
        {
            "title": f"Title {number}",
            "link": "https://doi.org/10.1000/1",
            "publicationInfo": "A Author - Venue, 2019 - x.org",
            "snippet": "s",
            "year": 2019,
            "citedBy": 4,
            "pdfUrl": "https://arxiv.org/pdf/2001.00001",
            "id": str(number),
        }
        for number in range(4)
    ]
}


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  # the same damage in every run


def read(service: str, body: bytes, request: Request | None = None) -> Page | None:
    """Return the page, or None where it is refused by an error of ours."""
    adapter = ADAPTERS[service]
    try:
        page = adapter.read(HttpAnswer(200, "", body, 1), request or request_of(adapter))
    except PaperSearchError:
        return None
    for paper in page.papers:
        assert paper.title.strip()
        assert paper.id.startswith(f"{adapter.record_prefix or adapter.name}:")
        assert paper.citation_count >= 0
        assert RawPaper.model_validate_json(paper.model_dump_json()) is not None
    return page


def broken(value: Any, chance: random.Random, rate: float) -> Any:
    """Return a copy in which some values are something else, or gone."""
    if chance.random() < rate:
        return chance.choice(STRANGE)
    if isinstance(value, dict):
        kept = {name: broken(item, chance, rate) for name, item in value.items()}
        return {name: item for name, item in kept.items() if chance.random() > rate}
    if isinstance(value, list):
        return [broken(inner, chance, rate) for inner in value]
    return value


CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u202e\U000e0041]")


def with_controls(value: Any) -> Any:
    """Return a copy with a bell, CSI, an override and an invisible letter in every text."""
    if isinstance(value, str):
        return f"{value}\x1b]0;x\x07 \x9b31m\u061c\u202eab\U000e0041"
    if isinstance(value, list):
        return [with_controls(item) for item in value]
    if isinstance(value, dict):
        return {name: with_controls(item) for name, item in value.items()}
    return value


def texts_of(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        items = value if isinstance(value, list) else [*value, *value.values()]
        return [text for item in items for text in texts_of(item)]
    return [value] if isinstance(value, str) else []


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("service", "file", "path"),
    [
        ("dblp", "dblp/libgen-mcp__dblp_search.json", ("result", "hits", "hit")),
        ("core", "core/v3_search_works_flutter.json", ("results",)),
        ("europe_pmc", None, ("resultList", "result")),
        ("serper_scholar", None, ("organic",)),
        ("openalex", "openalex/openalexPro__pro_snowball__02.json", ("results",)),
        ("crossref", "crossref/habanero__test_cursor_max__01.json", ("message", "items")),
        ("semantic_scholar", "semantic_scholar/litstudy__245f82b3fd.json", ("data",)),
        ("doaj", "doaj/jaod__jaod_article_search__00.json", ("results",)),
        ("datacite", "datacite/DSpace__dataCite-test.json", ("data",)),
    ],
)
class TestJson:
    def whole(self, recorded: Path, service: str, file: str | None) -> Any:
        if file is None:
            return json.loads(json.dumps(EUROPE_PMC if service == "europe_pmc" else SERPER))
        return json.loads((recorded / file).read_bytes())

    def test_a_broken_entry_loses_none_of_the_others(self, recorded, service, file, path):
        """API-13, API-14."""
        chance = seeded(7)
        whole = self.whole(recorded, service, file)
        sound = read(service, as_json(whole))
        for _ in range(times(ROUNDS)):
            body = holder = json.loads(json.dumps(whole))
            for name in path[:-1]:
                holder = holder[name]
            entries = holder[path[-1]]
            place = chance.randrange(len(entries))
            entries[place] = broken(entries[place], chance, 0.3)
            page = read(service, as_json(body))
            assert len({one.id for one in sound.papers} - {one.id for one in page.papers}) <= 1
            assert len(page.papers) + page.dropped == len(entries)

    def test_no_text_of_an_answer_controls_a_terminal(self, recorded, service, file, path):
        """API-20."""
        holder = whole = self.whole(recorded, service, file)
        for name in path[:-1]:
            holder = holder[name]
        holder[path[-1]] = with_controls(holder[path[-1]])
        page = read(service, as_json(whole))
        assert page.papers
        texts = texts_of([paper.model_dump(mode="json") for paper in page.papers])
        assert [text for text in texts if CONTROLS.search(text)] == []

    def test_a_broken_body_is_read_or_refused(self, recorded, service, file, path):
        """API-13."""
        del path
        chance = seeded(11)
        whole = self.whole(recorded, service, file)
        for _ in range(times(ROUNDS)):
            read(service, as_json(broken(whole, chance, 0.1)))

    def test_a_cut_body_is_refused(self, recorded, service, file, path):
        """API-09."""
        del path
        text = as_json(self.whole(recorded, service, file))
        chance = seeded(13)
        for _ in range(20):
            cut = text[: chance.randrange(1, len(text) - 1)]
            assert read(service, cut) is None


XML = [
    ("arxiv", "arxiv/arxiv.py__q_testing_s0_m10_bc5a6c384fe9.xml", "entry"),
    ("arxiv", "arxiv/findpapers__arxiv-api-search.xml", "entry"),
    ("pubmed", "pubmed/fatcat_sample__medline_date.xml", "PubmedArticle"),
    ("pubmed", "pubmed/biopython__pubmed2.xml", "PubmedArticle"),
    ("pubmed", "pubmed/jabref__MedlineImporterTestPubmedBook.xml", "PubmedBookArticle"),
    ("pubmed", "pubmed/jabref__MedlineImporterTestMathML.xml", "PubmedArticle"),
]


def without_elements(text: str, chance: random.Random) -> str:
    """Return the document without a few of its elements, or with nothing in them."""
    for _ in range(chance.randrange(1, 6)):
        found = list(re.finditer(r"<([\w:]+)((?: [^<>]*)?)>[^<>]*</\1>", text))
        if not found:
            return text
        gone = chance.choice(found)
        stand_in = chance.choice(
            ["", f"<{gone[1]}{gone[2]}/>", f"<{gone[1]}{gone[2]}> 20O1 </{gone[1]}>"]
        )
        text = text[: gone.start()] + stand_in + text[gone.end() :]
    return text


@pytest.mark.parametrize(("service", "file", "element"), XML, ids=lambda value: value[-25:])
class TestXml:
    def test_missing_elements_lose_no_other_entry(self, recorded, service, file, element):
        """API-13, API-14."""
        chance = seeded(17)
        text = (recorded / file).read_text(encoding="utf-8")
        pattern = re.compile(rf"<{element}(?: [^>]*)?>.*?</{element}>", re.DOTALL)
        entries = pattern.findall(text)
        for _ in range(times(ROUNDS // 3)):
            chosen = chance.choice(entries)
            changed = text.replace(chosen, without_elements(chosen, chance), 1)
            page = read(service, changed.encode(), FETCH)
            assert len(page.papers) + page.dropped == len(entries)
            assert len(page.papers) >= len(entries) - 1

    def test_a_cut_document_is_refused(self, recorded, service, file, element):
        """API-09."""
        del element
        body = (recorded / file).read_bytes().strip()
        chance = seeded(19)
        for _ in range(20):
            cut = body[: chance.randrange(1, len(body) - 8)]
            assert read(service, cut, FETCH) is None

    def test_another_root_is_refused(self, recorded, service, file, element):
        del element
        text = (recorded / file).read_text(encoding="utf-8")
        text = re.sub(r"<[?!][^>]*>", "", text, count=2)
        body = f"<other>{text}</other>".encode()
        assert read(service, body, FETCH) is None

    def test_damaged_bytes_are_read_or_refused(self, recorded, service, file, element):
        """API-20."""
        del element
        body = bytearray((recorded / file).read_bytes())
        chance = seeded(23)
        for _ in range(times(ROUNDS // 3)):
            damaged = bytearray(body)
            for _ in range(chance.randrange(1, 4)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            read(service, bytes(damaged), FETCH)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "dblp": lambda entry: {"result": {"hits": {"hit": [entry]}}},
    "core": lambda entry: {"results": [entry]},
    "europe_pmc": lambda entry: {"resultList": {"result": [entry]}},
    "serper_scholar": lambda entry: {"organic": [entry]},
    "pubmed": lambda entry: {"esearchresult": {"idlist": entry}},
}


@pytest.mark.parametrize("service", ENTRIES)
@examples(50)
@given(entry=JSON_VALUES)
def test_no_value_at_all_is_an_exception(service, entry):
    assert read(service, as_json(ENTRIES[service](entry))) is not None


def test_a_refusal_of_xml_does_not_show_the_document():
    with pytest.raises(HttpBodyError) as told:
        ADAPTERS["arxiv"].read(HttpAnswer(200, "", b"<feed>secret text", 1), FETCH)
    assert "secret" not in str(told.value)
