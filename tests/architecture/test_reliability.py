"""Every case of reliability is carried by a test, or says why not."""

from scripts.reliability import PAGE, carriers, cases, reasons, reliability_page
from tests.architecture.tree import text_of


def test_the_page_on_reliability_is_what_the_tests_say():
    assert text_of(PAGE) == reliability_page(), "run scripts/docs.py"


def test_every_case_has_a_test_or_a_reason():
    assert [case for case in cases() if case not in carriers() and case not in reasons()] == []


def test_no_test_carries_a_case_that_there_is_not():
    assert sorted(set(carriers()) - set(cases())) == []


def test_no_reason_is_given_for_a_case_that_there_is_not():
    assert sorted(set(reasons()) - set(cases())) == []
