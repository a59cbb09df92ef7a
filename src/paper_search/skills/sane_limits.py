"""Limits that a model or a person may set, and those that nothing can be found within."""

from __future__ import annotations

import re
from datetime import date

from paper_search.models import SearchConstraints

FIRST_YEAR = 1500
"""Nothing that is indexed was printed before."""
_YEARS_AHEAD = 1
"""Issues carry the date of next year."""
_LANGUAGE = re.compile(r"[a-z]{2}")


def sane_limits(given: SearchConstraints, *, today: date) -> tuple[SearchConstraints, list[str]]:
    """Return the limits that can be searched within, and what was left out or changed."""
    last_year, notes = today.year + _YEARS_AHEAD, []
    years = {"year_from": given.year_from, "year_to": given.year_to}
    for name, year in years.items():
        if year is not None and not FIRST_YEAR <= year <= last_year:
            notes.append(f"left out: the year {year}, which is not in {FIRST_YEAR} to {last_year}")
            years[name] = None
    first, last = years["year_from"], years["year_to"]
    if first is not None and last is not None and first > last:
        first, last = last, first
        backwards = "the model gave them in reverse order"
        notes.append(f"the years are read as {first} to {last}: {backwards}")
    language = (given.language or "").strip().lower() or None
    if language is not None and not _LANGUAGE.fullmatch(language):
        notes.append(f"left out: the language {language[:20]!r}, which is no code such as en or de")
        language = None
    most = max(given.max_results, 1)
    update = {"year_from": first, "year_to": last, "language": language, "max_results": most}
    return given.model_copy(update=update), notes
