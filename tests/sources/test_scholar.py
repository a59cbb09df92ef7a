"""How a tree is said in Scholar's language, and what is read from one of its results."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.models import SearchConstraints
from paper_search.query import parse, render
from paper_search.sources.adapter import Translated
from paper_search.sources.scholar import ScholarDialect, Summary, parse_summary, read_result

RECORDED = Path(__file__).parents[2] / "../shared/data/recorded/serpapi"


# --- queries --------------------------------------------------------------------------------------


def to_scholar(query: str, **filters: int | None) -> Translated:
    return ScholarDialect().translate_within(
        parse(query), SearchConstraints.model_validate(filters)
    )


@pytest.mark.parametrize(
    ("query", "sent", "note"),
    [
        ("graph*", "graph", "'*'"),
        ('"deep learn*"', '"deep learn"', "'*'"),
        ("deep NEAR/3 graph", "(deep graph)", "NEAR"),
        ("abstract:graph", "graph", "abstract:"),
        ("deep NOT (graph AND tree)", "deep", "NOT of a group"),
        ("deep (graph OR year:2015)", "deep", "a year inside a group"),
        ("deep (graph OR NOT tree)", "deep", "NOT of a group"),
        ("deep NOT abstract:graph", "deep", "abstract:"),
        (" OR ".join(f"synonym{number}" for number in range(40)), None, "256"),
    ],
)
def test_what_scholar_cannot_say_is_widened_and_noted(query, sent, note):
    scholar = to_scholar(query)
    assert sent is None or scholar.text == sent
    assert any(note in item for item in scholar.notes)


@pytest.mark.parametrize(
    ("query", "remainder"),
    [
        ("deep AND learning", None),
        ("graph*", None),
        ("deep NEAR/3 graph", "deep NEAR/3 graph"),
        ("deep NOT (graph AND tree)", "NOT (graph AND tree)"),
        ("deep AND (graph OR year:2015) AND tree", "graph OR year:2015"),
    ],
)
def test_what_was_widened_is_left_for_our_side(query, remainder):
    left = to_scholar(query).remainder
    assert left == (parse(remainder) if remainder else None), left and render(left)


# --- records --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "summary"),
    [
        (
            "GJ Rodrigo, JA Castro-Rodriguez - Thorax, 2005 - thorax.bmj.com",
            Summary(("GJ Rodrigo", "JA Castro-Rodriguez"), "Thorax", 2005),
        ),
        (
            "BA Nosek, MR Banaji… - Journal of personality and …, 2002 - psycnet.apa.org",
            Summary(("BA Nosek", "MR Banaji"), "Journal of personality and …", 2002),
        ),
        ("JC Robinson, VG Saúco - 2010 - x.org", Summary(("JC Robinson", "VG Saúco"), None, 2010)),
        (
            "S Nebel - Journal of Technology & …, 2016 - JSTOR",
            Summary(("S Nebel",), "Journal of Technology & …", 2016),
        ),
        ("A One\xa0- My venue, 1999\xa0- Taylor & Francis", Summary(("A One",), "My venue", 1999)),
        ("A One - Ecology - Theory, 2001 - x.org", Summary(("A One",), "Ecology - Theory", 2001)),
        ("A One - Acts of CVPR 2016, 2017 - x.org", Summary(("A One",), "Acts of CVPR 2016", 2017)),
        (
            "A One - arXiv preprint arXiv:1706.03762, 2017",
            Summary(("A One",), "arXiv preprint arXiv:1706.03762", 2017),
        ),
        ("A One - stanford.edu", Summary(("A One",))),
        ("A One - Nature - nature.com", Summary(("A One",), "Nature")),
        ("Some report, 2003 - Elsevier", Summary((), "Some report", 2003)),
        ("2019 - Elsevier", Summary((), None, 2019)),
        ("Some report, 2003", Summary((), "Some report", 2003)),
        ("A One, B Two", Summary(("A One", "B Two"))),
        ("A One - 20O1 - x.org", Summary(("A One",), "20O1")),
        ("A One - Visions of 9999, 2999 - x.org", Summary(("A One",), "Visions of 9999, 2999")),
        ("", Summary()),
        (" - ", Summary()),
    ],
)
def test_the_line_under_a_title_is_read(line, summary):
    assert parse_summary(line) == summary


@given(st.text(max_size=80))
def test_no_summary_is_an_exception(line):
    """API-13"""
    year = parse_summary(line).year
    assert year is None or 1500 <= year <= 2100


FULL: dict[str, Any] = {
    "position": 0,
    "title": "[PDF] Deep <b>learning</b> of &amp; from graphs",
    "result_id": "AbC1",
    "type": "Pdf",
    "link": "https://onlinelibrary.example.org/doi/abs/10.1000/XYZ.12?x=1",
    "snippet": "… a snippet …",
    "publication_info": {
        "summary": "J Smith, X Li - Nature Methods, 2019 - nature.com",
        "authors": [{"name": "X Li", "author_id": "id-li"}],
    },
    "resources": [
        {"title": "x.org", "file_format": "PDF", "link": "https://arxiv.org/pdf/1706.03762v5"}
    ],
    "inline_links": {"cited_by": {"total": 12, "cites_id": "9"}, "versions": {"cluster_id": "77"}},
}


def test_a_full_result_becomes_a_record():
    paper = read_result(FULL)
    assert paper.id == "serpapi_scholar:AbC1"
    assert paper.title == "Deep learning of & from graphs"
    assert [(a.name, a.author_id) for a in paper.authors] == [("J Smith", None), ("X Li", "id-li")]
    assert (paper.venue, paper.year, paper.citation_count) == ("Nature Methods", 2019, 12)
    assert (paper.doi, paper.arxiv_id) == ("10.1000/xyz.12", "1706.03762")
    assert paper.full_text_url == "https://arxiv.org/pdf/1706.03762v5"
    assert paper.url == FULL["link"]
    assert paper.snippet == "… a snippet …"
    assert paper.abstract is None
    assert paper.raw_data["result_id"] == "AbC1"


@pytest.mark.parametrize(
    ("without", "expected"),
    [({"result_id"}, "serpapi_scholar:77"), ({"result_id", "versions"}, "serpapi_scholar:9")],
)
def test_the_id_falls_back_to_the_cluster(without, expected):
    entry = {key: value for key, value in FULL.items() if key not in without}
    entry["inline_links"] = {k: v for k, v in FULL["inline_links"].items() if k not in without}
    paper = read_result(entry)
    assert paper.id == expected


def test_without_any_id_the_same_content_has_the_same_id():
    first, again, other = (
        read_result({"title": title, "publication_info": {"summary": "A One - V, 2001 - x.org"}})
        for title in ("Some title", "SOME  title", "Another title")
    )
    assert first.id == again.id != other.id


@pytest.mark.parametrize(
    "entry", [None, [], "x", 7, {}, {"title": None}, {"title": " "}, {"title": []}]
)
def test_what_has_no_title_is_no_record(entry):
    """API-13"""
    assert read_result(entry) is None


@pytest.mark.parametrize(
    ("field", "values"),
    [
        (
            "publication_info",
            [None, [], "x", {"summary": None}, {"authors": {"a": 1}}, {"authors": [None, 3]}],
        ),
        ("inline_links", [None, [], {"cited_by": []}, {"cited_by": {"total": "many"}}]),
        ("resources", [None, "x", [None], [{"link": "javascript:alert(1)"}], {"link": "x"}]),
        ("link", [None, 5, "ftp://x.org", "javascript:alert(1)", ""]),
        ("snippet", [None, 5, []]),
        ("type", [None, 5, []]),
        ("result_id", [None, 5, {}]),
    ],
)
def test_a_field_of_another_shape_loses_only_itself(field, values):
    """API-13"""
    for value in values:
        paper = read_result({**FULL, field: value})
        assert paper.title == "Deep learning of & from graphs"
        for url in (paper.url, paper.full_text_url):
            assert url is None or url.startswith("http")
        assert json.loads(paper.model_dump_json())


@pytest.mark.parametrize(
    ("total", "count"),
    [(0, 0), (12, 12), ("12", 12), (-3, 0), (True, 0), (1.5, 0), (10**12, 0), (None, 0), ("x", 0)],
)
def test_citation_counts_are_numbers_that_can_be(total, count):
    """API-21"""
    paper = read_result({**FULL, "inline_links": {"cited_by": {"total": total}}})
    assert paper.citation_count == count


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recorded answers are not here")
@pytest.mark.parametrize(
    ("name", "index", "title", "year", "authors", "citations", "doi"),
    [
        ("docs__first_result_biology", 0, "Population biology of plants.", 1977, 1, 14003, None),
        ("scholar_bananas_num2", 0, "Bananas and plantains", 2010, 2, 1179, None),
        ("scholar_math_num20", 4, "A meta-analysis", 2021, 4, 189, "10.1037/bul0000307"),
        ("scholar_math_num20", 14, "Winning at math", 1997, 1, 111, None),
        ("scholar_minecraft_organic_results_only", 1, "Minecraft, beyond", 2011, 1, 288, None),
        ("scholar_or_query_start10_num1_as_ylo", 0, "The influence", 2018, 3, 46, None),
    ],
)
def test_recorded_results_say(  # noqa: PLR0913, PLR0917  # one expected fact each
    name, index, title, year, authors, citations, doi
):
    body = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    paper = read_result(body["organic_results"][index])
    assert paper.title.startswith(title)
    assert (paper.year, len(paper.authors), paper.citation_count) == (year, authors, citations)
    assert paper.doi == doi
