"""The year limits in a text that is not a question, such as a note."""

from __future__ import annotations

from datetime import date

from paper_search.skills.intent.cutting import CUT
from paper_search.skills.intent.years import years_in


def read_years(text: str, today: date) -> tuple[str, int | None, int | None]:
    """Return the text without its year limits, the first year and the last (both inclusive).

    What is no limit, and what contradicts itself, stays in the text (`intent.years`).
    """
    years = years_in(text, today)
    return years.rest.replace(CUT, ","), years.first, years.last
