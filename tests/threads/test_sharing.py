"""Whose a thread is, and what others are to it."""

import pytest

from paper_search.threads.sharing import Ownership, Role


@pytest.mark.parametrize(
    ("begun_by", "person", "accounts", "role"),
    [
        ("ada", "ada", ["bob", "ada"], Role.OWNER),
        ("ada", "bob", ["bob", "ada"], Role.READER),
        ("gone", "bob", ["bob", "ada"], Role.OWNER),
        (None, "ada", ["bob", "ada"], None),
        (None, "anybody", [], Role.OWNER),
    ],
)
def test_a_thread_is_whose_it_was_begun_by_or_the_first_accounts(begun_by, person, accounts, role):
    ownership = Ownership(begun_by=begun_by, shared_with={"bob": Role.READER, "cy": Role.READER})
    assert ownership.role_of(person, accounts) is role
    assert ownership.role_of("cy", accounts) is (None if accounts else Role.OWNER)
