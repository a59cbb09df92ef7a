"""Scores, thresholds and the decision rules."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper_search.report import models
from paper_search.report.criteria import (
    REVIEW_CRITERIA,
    coverage_items,
    criterion_scores,
    improvement_potential,
    overall_score,
    recommendation,
)
from paper_search.report.evidence import Evidence
from paper_search.testing.reports import report_sources

SEVERITIES = ("critical", "major", "minor", "suggestion")


def item(severity: str, category: str = "accuracy") -> models.CritiqueItem:
    return models.CritiqueItem(category=category, severity=severity, location="x", description="y")


def critique(score: float | None, **counts: int) -> models.Critique:
    items = [item(severity) for severity, count in counts.items() for _ in range(count)]
    return models.Critique(overall_score=score, items=items)


def test_the_weights_of_the_six_criteria_make_one():
    assert len(REVIEW_CRITERIA) == 6
    assert sum(criterion["weight"] for criterion in REVIEW_CRITERIA.values()) == pytest.approx(1.0)


def test_a_draft_passes_with_enough_points_and_an_approval():
    verdicts: list[tuple[float, models.Recommendation]]
    verdicts = [(7.5, "approve"), (7.4, "approve"), (7.5, "revise"), (9.9, "reject")]
    given = [
        critique(score).model_copy(update={"recommendation": verdict})
        for score, verdict in verdicts
    ]
    assert [one.passes_review for one in given] == [True, False, False, False]


@pytest.mark.parametrize(
    ("given", "can_iterate", "verdict"),
    [
        (critique(7.5), False, "approve"),
        (critique(7.5, major=3), False, "approve"),
        (critique(7.5, major=4), True, "revise"),
        (critique(9.9, critical=1), True, "revise"),
        (critique(9.9, critical=1), False, "revise"),
        (critique(7.4), False, "revise"),
        (critique(5.0), False, "revise"),
        (critique(4.9), True, "revise"),
        (critique(4.9), False, "reject"),
        (critique(None, major=3), False, None),
        (critique(None, critical=1), False, "revise"),
    ],
)
def test_the_rules_decide(given, can_iterate, verdict):
    assert recommendation(given, can_iterate=can_iterate) == verdict


@pytest.mark.parametrize(
    ("given", "potential"),
    [
        (critique(None), 0.0),
        (critique(10.0), 0.0),
        (critique(5.0, suggestion=9), 0.5),
        (critique(5.0, minor=2), 0.6),
        (critique(9.0, minor=9), 0.8),
        (critique(5.0, major=2), 0.2),
        (critique(5.0, major=9, minor=9), 0.3),
        (critique(5.0, critical=1), 0.35),
        (critique(5.0, critical=4), 0.0),
    ],
)
def test_a_revision_may_bring_more_the_easier_the_items_are_to_mend(given, potential):
    assert improvement_potential(given) == pytest.approx(potential)


def test_a_model_can_lower_a_criterion_and_raise_none():
    items = [item("major", "style")]
    assert criterion_scores(items, {"style": 10, "accuracy": 3})["style"] == 8.0
    assert criterion_scores(items, {"style": 10, "accuracy": 3})["accuracy"] == 3.0
    odd = {"style": math.nan, "accuracy": 11.0, "coherence": -math.inf, "charm": 1.0}
    assert criterion_scores(items, odd) == criterion_scores(items) | {"coherence": 0.0}


ITEMS = st.lists(
    st.builds(item, st.sampled_from(SEVERITIES), st.sampled_from(sorted(REVIEW_CRITERIA))),
    max_size=30,
)


@given(ITEMS, st.dictionaries(st.sampled_from(sorted(REVIEW_CRITERIA)), st.floats(0, 10)))
def test_a_score_is_within_its_bounds_and_no_more_items_make_it_better(items, scores):
    whole = overall_score(criterion_scores(items, scores))
    assert 0 <= whole <= 10
    assert whole <= overall_score(criterion_scores(items[1:], scores))
    assert whole <= overall_score(criterion_scores(items))
    assert 0 <= improvement_potential(models.Critique(items=items, overall_score=whole)) <= 1


def covered(*answered: int, cited: int) -> list[models.CritiqueItem]:
    """Return what is lacking of five answers, with findings on some, the first of them cited."""
    sources = report_sources()[:5]
    evidence = Evidence(sources)
    findings = [
        models.Finding(
            text="x",
            question=index,
            grade="weak",
            quotes=[models.Quote(result_id=sources[index].result_id, text="x")],
        )
        for index in answered
    ]
    keys = [evidence.key_of(finding.sources[0]) for finding in findings[:cited]]
    part = models.DraftSection(section_id="s1", title="x", content="x", citations=keys)
    gaps = [index for index in range(5) if index not in answered]
    analysis = models.AnalysisResult(findings=findings, gap_questions=gaps)
    questions = [f"question {index}" for index in range(5)]
    return coverage_items(models.ResearchDraft(sections=[part]), analysis, questions, evidence)


def test_each_sub_question_that_is_not_answered_from_a_cited_source_costs_completeness():
    found = covered(0, 1, 3, cited=2)
    assert [part.description for part in found] == [
        "Not answered: question 2",
        "Not answered: question 3",
        "Not answered: question 4",
    ]
    assert {(part.category, part.severity) for part in found} == {("completeness", "major")}
    assert criterion_scores(found)["completeness"] == 4.0
    assert covered(0, 1, 2, 3, 4, cited=5) == []


@pytest.mark.parametrize("answered", [(), (0, 1)])
def test_a_draft_that_answers_nothing_cannot_pass(answered):
    found = covered(*answered, cited=0)
    scores = criterion_scores(found)
    assert scores["completeness"] == 0.0
    judged = models.Critique(items=found, overall_score=overall_score(scores))
    assert judged.critical_count == 1
    assert recommendation(judged, can_iterate=False) == "revise"
