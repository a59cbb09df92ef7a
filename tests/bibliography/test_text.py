"""Text of sources becomes readable, and titles comparable."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.bibliography.text import clean, normalised_title, plain


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"Schr{\"o}dinger and R\&D", "Schrödinger and R&D"),
        (r"na\"{\i}ve {\L}ukasz", "naïve Łukasz"),
        (r"The $\alpha$-helix of {GNN}s", "The α-helix of GNNs"),
        (r"\emph{in vivo} \textit{study}", "in vivo study"),
        ("costs 50% of {A}", "costs 50% of A"),
        (r"see \href{https://x.y/a_b%20}{the code} now", "see the code now"),
        (r"no word \after a backslash is lost", "no word after a backslash is lost"),
        (r"{\it Type} \xspace and \unknown{its words}", "Type and its words"),
    ],
)
def test_latex_is_decoded(latex, expected):
    assert plain(latex) == expected


JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
XML_TEXT = re.compile(r">([^<>]*)<")


def test_every_recorded_text_becomes_readable(recorded):
    """Of all answers that services once gave: none raises, none vanishes."""
    texts = set[str]()
    for path in recorded.rglob("*.json"):
        texts.update(json.loads(found) for found in JSON_TEXT.findall(path.read_text("utf-8")))
    for path in recorded.rglob("*.xml"):
        texts.update(XML_TEXT.findall(path.read_text("utf-8", "replace")))
    written_in_latex = [text for text in texts if "\\" in text]
    assert len(written_in_latex) > 20
    for text in written_in_latex:
        assert plain(text) or not re.search(r"\w", clean(text)), text


@pytest.mark.parametrize("text", ["US$5 and $10 a day", "C# or F#", "a_b and x^2", "50% of 3"])
def test_what_is_not_latex_stays(text):
    assert plain(text) == text


@pytest.mark.parametrize("text", ["{" * 5000, "\\" * 5000, "$x", "}{", "\\frac{", "$a" * 10_000])
def test_broken_latex_raises_nothing(text):
    assert isinstance(plain(text), str)


@pytest.mark.parametrize("command", [r"\sqrt", r"\href", r"\verb", r"\begin{array}"])
def test_a_command_without_what_belongs_to_it_stays(command):
    assert plain(f"Trees {command}") == f"Trees {command}"


def test_known_tags_and_entities_go_and_comparisons_stay():
    given_text = "<jats:p>If <i>p</i>&lt;0.05</jats:p> and a<b, c>d &amp; <5 mg"
    assert clean(given_text) == "If p<0.05 and a<b, c>d & <5 mg"


def test_entities_that_are_escaped_twice_are_resolved():
    assert clean("Cu(&amp;#956;-OH) &amp;amp; AT&amp;T at &amp;lt;5 K") == "Cu(μ-OH) & AT&T at <5 K"


def test_invisible_and_unstorable_characters_go():
    """API-20"""
    cleaned = clean("a\u200bb\x00c\u202ed\ud800 \n\t e\u00ad")
    assert cleaned == "abcd\ufffd e"
    assert clean("\u061cread\U000e0041\U000e0042 on") == "read on"
    cleaned.encode("utf-8")


def test_titles_agree_across_case_accents_and_punctuation_and_keep_letters_of_any_script():
    assert normalised_title("Naïve Bayes: A Re-view!") == normalised_title("NAIVE BAYES — a review")
    assert normalised_title("深度学习：综述") == "深度学习综述"
    assert normalised_title("Ёлка") == normalised_title("елка")
    assert normalised_title("がく") != normalised_title("かく")
    assert normalised_title("हिन्दी") != normalised_title("हनद")


@given(st.text())
def test_cleaning_twice_changes_nothing_that_once_did_not_unless_markup_was_nested(text):
    once = clean(text.replace("&", "").replace("<", ""))
    assert clean(once) == once


@given(st.text())
def test_a_normalised_title_is_its_own(text):
    once = normalised_title(text.replace("&", "").replace("<", ""))
    assert normalised_title(once) == once


@pytest.mark.parametrize(
    "text",
    ["<a " * 200_000, "<i x=" * 150_000, "&" * 500_000, "$" * 500_000, "<i x= " * 100_000 + ">"],
)
@pytest.mark.timeout(30)  # a tenth of a second as it is, a minute at least were it quadratic
def test_hostile_text_without_end_is_read(text):
    """SEC-17"""
    assert len(clean(text)) <= len(text)
