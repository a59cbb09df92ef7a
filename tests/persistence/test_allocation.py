"""The garbage collector waits while many objects are made, and not a moment longer."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from paper_search.persistence.allocation import making_many


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    yield
    gc.enable()


def test_it_waits_and_goes_on_also_after_an_error():
    was_enabled: list[bool] = []

    def make() -> None:
        with making_many():
            was_enabled.append(gc.isenabled())
            raise KeyError

    with pytest.raises(KeyError):
        make()
    assert was_enabled == [False]
    assert gc.isenabled()


def test_it_waits_for_the_last_of_several():
    with making_many():
        with making_many():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_program_that_switched_it_off_keeps_it_off():
    gc.disable()
    with making_many():
        pass
    assert not gc.isenabled()
