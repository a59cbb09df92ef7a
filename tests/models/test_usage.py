"""What models cost, as people read it."""

import pytest

from paper_search.models.usage import money_in_words


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, "price unknown"),
        (0, "$0.00"),
        (0.00005, "under $0.0001"),
        (0.0183, "$0.0183"),
        (0.5, "$0.50"),
        (0.99999, "$1.00"),
        (1234.5, "$1,234.50"),
    ],
)
def test_money_has_cents_and_as_many_decimals_as_it_needs(dollars, shown):
    assert money_in_words(dollars) == shown
