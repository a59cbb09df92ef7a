from paper_search.models.query import Criterion, CriterionKind, Grade


def test_a_criterion_in_words_says_what_it_excludes_and_how_much_it_counts():
    surveys = {"text": "is a survey"}
    assert str(Criterion(**surveys)) == "is a survey"
    assert str(Criterion(**surveys, kind=CriterionKind.EXCLUSION)) == "not: is a survey"
    assert str(Criterion(**surveys, weight=2)) == "is a survey (weight 2)"
    assert str(Grade(criterion=Criterion(**surveys), grade=0)) == "0/3 is a survey"
