"""Whole strategies as databases print them: lines, counts, headings; and what is wrong in them."""

import os
import re
import time
from pathlib import Path

import pytest

from paper_search.errors import QuerySyntaxError
from paper_search.query import evaluate, lint, parse, render
from paper_search.query.ast import straighten
from paper_search.query.strategy import parse_strategy

OURS = render(parse("(mesh:Asthma OR tiab:wheez*) AND tiab:child*"))

OVID = ("exp Asthma/", "wheez$.ti,ab.", "1 or 2", "child$.ti,ab.", "3 and 4")
OVID_BY_RANGE = (*OVID[:2], "or/1-2", OVID[3], "and/3-4")
PUBMED = ("Asthma[mh]", "wheez*[tiab]", "#1 OR #2", "child*[tiab]", "#3 AND #4")
COCHRANE = (
    *("MeSH descriptor: [Asthma] explode all trees", "(wheez*):ti,ab", "{or #1-#2}"),
    *("(child*):ti,ab (Word variations have been searched)", "#3 and #4"),
)
EBSCO = (
    '(MH "Asthma+")',
    "TI wheez* OR AB wheez*",
    "S1 OR S2",
    "TI child* OR AB child*",
    "S3 AND S4",
)
EMBASE = ("'asthma'/exp", "wheez*:ti,ab", "#1 OR #2", "child*:ti,ab", "#3 AND #4")
WOS = ("TS=(asthma)", "TI=wheez* OR AB=wheez*", "#1 OR #2", "TI=child* OR AB=child*", "#3 AND #4")
PROQUEST = (
    *('MESH.EXACT.EXPLODE("Asthma")', "TI,AB(wheez*)", "S1 OR S2", "TI,AB(child*)", "S3 AND S4"),
)
HITS = ("146,293", "20331", "158,204", "1500000", "34,567")


def printed(
    lines: tuple[str, ...], row: str, head: str = "", *, is_newest_first: bool = False
) -> str:
    """Return a strategy as a system prints it: each line with its number and its hits."""
    rows = [row.format(n=n, line=line, hits=HITS[n - 1]) for n, line in enumerate(lines, start=1)]
    return head + "\n".join(rows[::-1] if is_newest_first else rows) + "\n"


OVID_EXPORT = printed(
    OVID,
    "{n}     {line} ({hits})",
    "Database: Ovid MEDLINE(R) ALL <1946 to November 20, 2026>\nSearch Strategy:\n--------\n",
)
OVID_TABLE = printed(OVID_BY_RANGE, "{n}\t{line}\t{hits}", "#\tSearches\tResults\n")
OVID_WORD = """\
Population\r
1. exp Asthma/ \r
2. “wheez*”.ti,ab. \r
3. 1 OR 2\r
\r
Age\r
4. child*.ti,ab.\r
5. 3 AND 4 \r
"""
PUBMED_HISTORY = printed(
    PUBMED, "#{n}\t{line}\t{hits}", "Search\tQuery\tItems found\n", is_newest_first=True
)
COCHRANE_LINES = printed(COCHRANE, "#{n}\t{line}\t{hits}", "ID\tSearch\tHits\n")
EBSCO_HISTORY = printed(
    EBSCO,
    "S{n}\t{line}\tSearch modes - Boolean/Phrase\t{hits}",
    "#\tQuery\tLimiters/Expanders\tResults\n",
    is_newest_first=True,
)
PROQUEST_LINES = printed(PROQUEST, "S{n} {line}")


def texts(text: str) -> list[str]:
    strategy = parse_strategy(text)
    return [read.line.text for read in strategy.lines]


@pytest.mark.parametrize(
    "text",
    [
        *(OVID_EXPORT, OVID_TABLE, OVID_WORD, PUBMED_HISTORY, COCHRANE_LINES, PROQUEST_LINES),
        printed(OVID_BY_RANGE, "{line}"),
        printed(OVID, "{n}\n{line}\n{hits}"),
    ],
)
def test_a_strategy_means_what_its_last_line_finds(text):
    assert render(parse(text)) == OURS
    assert len(texts(text)) == 5
    remarks = lint(text.replace("“", '"').replace("”", '"'))
    assert all("left out" in remark.message for remark in remarks)


COPYING = {
    "a mark of a file's start": lambda text: f"\ufeff{text}",
    "places where a line may break": lambda text: text.replace(" ", " \u200b"),
    "hyphens where a line may break": lambda text: text.replace("-", "-\u00ad"),
    "spaces that keep a line together": lambda text: text.replace(" ", "\u00a0"),
    "hyphens that keep a line together": lambda text: text.replace("-", "\u2011"),
    "dashes between numbers": lambda text: re.sub(r"(\d)-(\d)", "\\1–\\2", text),
    "wide spaces": lambda text: text.replace(" ", "  "),
}


@pytest.mark.parametrize("copy", COPYING.values(), ids=COPYING)
@pytest.mark.parametrize(
    "text",
    [
        OVID_EXPORT,
        OVID_TABLE,
        COCHRANE_LINES.replace(" (Word variations have been searched)", ""),
        PROQUEST_LINES,
        'TITLE-ABS-KEY ( "shift work" ) AND NOT TITLE ( nurse* ) AND PUBYEAR > 2009',
        "TS = (heat island) AND vegetation (Title) AND 2018 (Publication Years)",
        "asthma [tiab] AND 2010:2015 [dp] AND x-ray [ti]",
        "noft(asthma) AND ti,ab (wheeze)",
    ],
)
def test_what_copying_does_to_a_text_changes_nothing(text, copy):
    assert render(parse(copy(text))) == render(parse(text))


def test_a_field_without_its_sign_is_refused():
    with pytest.raises(QuerySyntaxError, match="'PUBYEAR' is not valid in Scopus"):
        parse("TITLE-ABS-KEY(drone) AND PUBYEAR")


def test_strategies_of_ebsco_embase_and_web_of_science_are_read():
    ours = "(mesh:Asthma OR tiab:wheez*) AND tiab:child*"
    assert render(parse(EBSCO_HISTORY)) == render(parse(ours))
    assert render(parse(printed(EMBASE, "#{n} {line} {hits}"))) == render(
        parse("(asthma OR tiab:wheez*) AND tiab:child*")
    )
    assert render(parse(printed(WOS, "#{n} {line}"))) == render(
        parse("(asthma OR tiab:wheez*) AND tiab:child*")
    )


def test_headings_parts_and_wrapped_lines_are_told_from_queries():
    text = """\
1 Index test: tests of reflexes
1a
reflex*[tw] OR knee[tw]
1b
"physical examination"[tw]
OR sign[tw]
2 Population: low-back pain and its place
back pain[mesh] OR sciatica[tw]
Searches (combinations)
A. 1a and 2
B. 1b and (1a or 2)
Final search: A or B
"""
    assert render(parse(text)) == render(
        parse(
            '((reflex* OR knee) AND (mesh:"back pain" OR sciatica)) OR (("physical examination"'
            ' OR sign) AND (reflex* OR knee OR mesh:"back pain" OR sciatica))'
        )
    )


def test_limits_of_lines_become_conditions():
    text = """\
1. asthma.ti.
2. limit 1 to (english language and yr="2000 -Current")
3. limit 2 to humans
4. remove duplicates from 3
"""
    assert render(parse(text)) == (
        "title:asthma AND language:english AND year:2000- AND subset:humans"
    )
    ebsco = """\
S1 TI asthma AND AB child*
S2 S1 AND TX school  Limiters - Published Date: 20000101-20101231; English Language
"""
    assert render(parse(ebsco)) == (
        "title:asthma AND abstract:child* AND school AND year:2000-2010 AND language:english"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. exp Asthma/\n2. (wheez$ or cough.ti.\n3. 1 and 2", "line 2, column 24: expected ')'"),
        ("1. exp Asthma/\n2. 1 and 4\n3. 1 and 2", "line 2, column 10: there is no line 4"),
        ("1. exp Asthma/\n2. 1 and 3\n3. 1 and 2", "line 2, column 10: line 3 is not before"),
        ("1. exp Asthma/\n2. 1 and 2\n3. 1 or 2", "line 2, column 10: line 2 is not before"),
        ("1. exp Asthma/\n1. wheez$.ti.\n3. 1 and 2", "two lines are numbered 1"),
        ("1. exp Asthma/\n2. wheez$.zz.\n3. 1 and 2", "line 2, column 10: the tag .zz. of Ovid"),
        ("1. exp Asthma/\n2. wheez$.ti.\n3. child$.ab.", "line 3, column 4: no line combines"),
        ("exp Asthma/\nwheez$.ti.", "line 2, column 1: no line combines the others"),
        ("1. aa.ti.\n2. bb.ti.\n   or cc.zz.\n3. 1 or 2", "line 3, column 9: the tag .zz."),
        ("1. aa.ti.\n2. limit 1 to pigeons", "line 2, column 15: the limit 'pigeons'"),
        ("1. aa.ti.\n2. or/1-999999999", "line 2, column 4: line 2 is not before"),
        (f"1. aa.ti.\n2. or/1-{'9' * 5_000}", "line 2, column 4: line 2 is not before"),
        ("1. aa.ti.\n2. or/3-1", "line 2, column 4: the lines run backwards"),
        ("#1 asthma[tiab]\n#2 #1 AND #7", "line 2, column 11: there is no line 7"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_with_its_place(text, said):
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert said in str(caught.value)
    assert caught.value.line is not None
    row = text.split("\n")[caught.value.line - 1]
    assert 1 <= caught.value.column <= len(row) + 1


@pytest.mark.parametrize("letter", ["*", "(", "a"])
def test_a_long_word_is_straightened_in_time_linear_to_its_length(letter):
    start = time.process_time()
    assert straighten(letter * 100_000) == letter * 100_000
    assert time.process_time() - start < 1
    assert straighten("x a*bc\u00ad\nde\u00ad\nf g") == "x \na*bc\ndef g"


def test_text_with_a_carriage_return_in_a_line_is_no_table_of_a_history():
    assert parse_strategy(",,\r0") is None


def test_a_line_that_no_line_names_is_remarked_on():
    found = lint("1. exp Asthma/\n2. wheez$.ti.\n3. child$.ti.\n4. 1 and 3")
    assert [one.message for one in found] == ["no line refers to line 2: it is not searched"]


def test_a_mixture_names_its_line():
    [finding] = lint("1. exp Asthma/\n2. wheez$.ti. or aa.ti. and bb.ti.\n3. 1 and 2")
    assert finding.message.startswith("line 2: AND and OR are mixed without parentheses: read as")


def test_a_query_over_several_lines_is_no_strategy():
    assert parse_strategy("asthma AND\n(child* OR\nschool)") is None
    assert parse_strategy("what is known about\ntype 1 and type 2 diabetes?") is None
    assert render(parse("asthma[ti] AND\n(child*[ti] OR\nschool[ti])")) == (
        "title:asthma AND (title:child* OR title:school)"
    )


CORPUS = (
    Path(os.environ.get("PAPER_SEARCH_SHARED", Path(__file__).parents[3] / "shared"))
    / "data"
    / "clef_tar"
    / "2017-TAR"
)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the strategies of CLEF TAR are not here")
def test_every_line_of_real_reviews_is_understood_or_refused_with_a_true_reason():
    lines = understood = 0
    refused: list[str] = []
    for path in sorted(CORPUS.glob("*/*/*")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "Query:" not in text:
            continue
        query = text.split("Query:")[1].split("Pids:")[0]
        strategy = parse_strategy(query)
        if strategy is None:
            parse(query)
            continue
        titles = text.split("Title:")[1].split("Query:")[0]
        lines += len(strategy.lines)
        for read in strategy.lines:
            if read.error is None:
                assert parse(render(read.node)) == read.node
                evaluate(read.node, {"title": titles, "abstract": ""})
                understood += 1
            else:
                refused.append(str(read.error))
    assert lines > 1_300
    assert understood >= lines - 4
    assert all(
        "quote is never closed" in reason or "could not be read: correct it" in reason
        for reason in refused
    )


NUMBERED = """\
Database: Ovid MEDLINE(R)
Search Strategy:

1. Population: patients
2. exp Deep Learning/
3. (asthma or wheez$ and child$).ti,ab.
4. 2 and 3
5. remove duplicates from 4
"""


def test_remarks_number_lines_as_the_strategy_does():
    strategy = parse_strategy(NUMBERED)
    numbers = [note.partition(": ")[0] for _, note in strategy.remarks()]
    assert numbers == ["line 3", "line 5", "read as a heading and left out"]
    assert [entry.line.label for entry in strategy.lines] == ["2", "3", "4", "5"]
