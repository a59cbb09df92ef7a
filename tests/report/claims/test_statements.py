"""Statements on 110 studies: no false one passes, and hardly a true one is called wrong."""

import functools
import json
import re
from pathlib import Path

import pytest
from tests.report.claims.test_verdicts import sentences_of_sections

from paper_search.models import Author, Paper
from paper_search.report.evidence import Evidence, result_of

FILES = (
    "statements.json",
    "statements_of_six_fields.json",
    "statements_of_sciences.json",
    "statements_of_trials.json",
    "statements_of_fields.json",
    "statements_of_surveys.json",
    "statements_of_interventions.json",
    "statements_of_measures.json",
    "statements_of_rates.json",
    "statements_of_ten_studies.json",
    "statements_of_readers.json",
    "statements_of_careful_readers.json",
    "statements_of_twelve_studies.json",
)
CITED = re.compile(r"\[([A-L](?:; [A-L])*)\]")


class Studies:
    """Studies, and statements on them that were written before any was checked."""

    def __init__(self, file: str) -> None:
        data = json.loads((Path(__file__).parents[2] / "data" / file).read_text("utf-8"))
        self.true: list[str] = data["true"]
        self.false: list[str] = data["false"]
        self.sources = [
            result_of(
                Paper(
                    id=name,
                    title=source["title"],
                    authors=[Author(name=author) for author in source["authors"]],
                    abstract=source["text"],
                    year=source["year"],
                    venue=source["venue"],
                    source="fake",
                    relevance_score=0.9,
                    is_retracted=True if name in data["retracted"] else None,
                ),
                "q1",
            )
            for name, source in data["sources"].items()
        ]
        self.keys = dict(zip(data["sources"], Evidence(self.sources).by_key, strict=True))

    @functools.cached_property
    def statuses(self) -> dict[str, set[str]]:
        """What each statement is called, by the statement; all are checked in one draft."""

        def cite(match: re.Match[str]) -> str:
            return f"[{'; '.join('@' + self.keys[name] for name in match[1].split('; '))}]"

        places = {f"s{n}": text for n, text in enumerate([*self.true, *self.false], 1)}
        cited = [CITED.sub(cite, text) for text in places.values()]
        statuses: dict[str, set[str]] = {text: set() for text in places.values()}
        for sentence in sentences_of_sections(cited, self.sources):
            if sentence.place in places:
                statuses[places[sentence.place]].add(sentence.status)
        return statuses


STUDIES = list(map(Studies, FILES))


def test_no_statement_of_these_is_called_wrong():
    told = Studies("statements_that_are_true.json")
    assert len(told.true) >= 60
    for text in told.true:
        assert set() < told.statuses[text] <= {"supported", "not_checked"}, text


def test_at_most_one_true_statement_in_sixty_is_called_wrong():
    wrong = [text for one in STUDIES for text in one.true if "unsupported" in one.statuses[text]]
    assert len(wrong) <= sum(len(one.true) for one in STUDIES) // 60, wrong


@pytest.mark.parametrize("studies", STUDIES, ids=FILES)
def test_no_false_statement_passes_as_checked(studies):
    assert [text for text in studies.false if "supported" in studies.statuses[text]] == []


def test_a_third_of_the_false_statements_is_called_wrong_by_code_alone():
    false = [(studies, text) for studies in STUDIES for text in studies.false]
    wrong = sum("unsupported" in studies.statuses[text] for studies, text in false)
    assert wrong >= len(false) // 3
