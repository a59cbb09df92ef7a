"""Commands run coroutines and get what they return."""

import asyncio

import pytest

from paper_search.cli.console import run


class Large:
    """A result that takes long to format."""

    def __repr__(self) -> str:
        pytest.fail("the result was formatted")


@pytest.mark.parametrize("has_runner", [False, True])
def test_a_result_is_returned_without_being_formatted(*, has_runner):
    large = Large()

    async def made() -> Large:
        return large

    with asyncio.Runner() as runner:
        assert run(made(), runner if has_runner else None) is large
