"""A search that its owner lets others see."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.workflow.doubles import with_real_skills

from paper_search.errors import InputError
from paper_search.models import RawPaper
from paper_search.persistence import Persistence, open_persistence
from paper_search.review.sharing import share_thread
from paper_search.testing.sources import FakeSource
from paper_search.workflow import ThreadCatalog
from paper_search.workflow.reviewers import status_of


@pytest.fixture
async def persistence(tmp_path: Path) -> AsyncIterator[Persistence]:
    async with open_persistence(f"sqlite:///{tmp_path / 'threads.db'}") as opened:
        source = FakeSource(papers=[RawPaper(id="fake:1", title="Bees dance", source="fake")])
        await with_real_skills(source, persistence=opened).start("dances of bees", thread_id="t")
        yield opened


async def test_a_reviewer_is_waited_for_until_they_leave_and_all_of_it_is_in_the_audit(persistence):
    accounts = ("ada", "bo")

    async def share(account: str, role: str, **options: Any) -> tuple[Any, Any]:
        await share_thread(persistence, "t", account, role, accounts=accounts, **options)
        catalog = ThreadCatalog(persistence)
        ownership = await catalog.ownership("t")
        return await status_of(catalog.session("t").records, account), ownership

    waited_for, shared = await share("bo", "reviewer", by="ada")
    assert (waited_for, shared) == (False, shared)
    again, _ = await share("bo", "reviewer", by="ada")
    reading, _ = await share("bo", "reader", by="ada")
    left, ended = await share("bo", "none", by="ada")
    assert (again, reading, left) == (False, None, None)
    assert ended != shared
    notes = [(each.event, each.by, each.detail) for each in await persistence.ledger.audit("t")]
    roles = ("reviewer", "reviewer", "reader", "none")
    assert notes == [("shared", "ada", {"with": "bo", "as": role}) for role in roles]
    for account, role, words in [
        ("bo", "boss", "'boss' is not a role; accepted: reviewer, reader, none"),
        ("eve", "reader", "there is no account 'eve'; PAPER_SEARCH_TOKENS has ada, bo"),
        (" ", "reader", "there is no account ' '"),
        ("ada", "reader", "'ada' owns this search"),
    ]:
        with pytest.raises(InputError, match=words):
            await share(account, role)
