"""Translate a strategy into the queries of a web service, before anything is sent."""

import json
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from paper_search.bibliography.identifiers import parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.errors import InputError
from paper_search.models import RankedQuery, SearchConstraints, SearchStrategy
from paper_search.models.scope import Translation
from paper_search.query import And, Node, Term, YearRange, normalise, parse, with_conditions
from paper_search.sources.adapter import Adapter, Request, Translated
from paper_search.sources.client import explain_bug
from paper_search.sources.errors import ServiceError
from paper_search.sources.query_run import NativeQuery, Question, text_of
from paper_search.sources.union import Endings, expand_conditions, union

WORK_LIMITS = SearchConstraints(max_results=5)
"""Limits for looking up a work by its identifier; the strategy's limits do not apply."""


_CHECKED = "sent unchanged; limits that it may lack are checked in the results"
_SENT_ONCE = "the same as an earlier query, and sent only once"


def not_yet_sent(
    earlier: list[Translated], query: Question, tries: Sequence[Translated]
) -> list[Translated]:
    """Return the translations not in `earlier`, and add them to it.

    Of a ranked query, only the first is certain to be sent.
    """
    is_ranked = isinstance(query, RankedQuery)
    bare = [replace(translation, notes=()) for translation in tries]
    new = [tries[place] for place, one in enumerate(bare) if is_ranked or one not in earlier]
    earlier += bare[:1] if is_ranked else bare
    return new


def questions_of(strategy: SearchStrategy, adapter: Adapter) -> list[Question]:
    """Return the questions to a service: the named works, then a native query or all queries."""
    if native := strategy.native.get(adapter.name):
        return [*_works(strategy, adapter).values(), NativeQuery(native)]
    queries = [query.boolean_query for query in strategy.queries]
    texts = strategy.plain() if adapter.ranks_text else []
    return [*_works(strategy, adapter).values(), *texts, *queries]


def _works(strategy: SearchStrategy, adapter: Adapter) -> dict[str, Translated]:
    queries = {name: adapter.translate_work(*name.split(":", 1)) for name in strategy.works}
    return {name: work for name, work in queries.items() if work is not None}


def translate_question(
    adapter: Adapter, query: Question, filters: SearchConstraints, endings: Endings
) -> Sequence[Translated]:
    """Translate a query: plain text into alternatives to try, a boolean query into parts to send.

    Raises:
        InputError: the query cannot be read, or the service can express no part of it.
    """
    if (work := work_of(adapter, query)) is not None:
        return (work,)
    if isinstance(query, NativeQuery):
        return (_native(adapter, query.text, filters),)
    if isinstance(query, RankedQuery):
        return adapter.translate_ranked(query, expand_conditions(adapter, filters, endings))
    tree = with_conditions(parse(text_of(query)), filters.every_condition)
    return union(adapter, tree, filters, endings)


def _native(adapter: Adapter, text: str, filters: SearchConstraints) -> Translated:
    """Return a person's own string unchanged, with limits.

    Years are sent if the service has parameters for them; otherwise they are checked in the
    results, as conditions and language are.
    """
    bare = replace(adapter.translate_native(text), language=language_code(filters.language))
    years = YearRange(filters.year_from, filters.year_to)
    within = replace(bare, year_from=years.first, year_to=years.last)
    checks: list[Node] = [parse(condition) for condition in filters.every_condition]
    has_years = (years.first, years.last) != (None, None)
    if has_years and adapter.first(within, filters, 1) == adapter.first(bare, filters, 1):
        checks.append(years)
    if not checks:
        return within
    rest = normalise(And(tuple(checks)))
    return replace(within, notes=(*bare.notes, _CHECKED), remainder=rest)


def work_of(adapter: Adapter, query: Question) -> Translated | None:
    """Return the query for the work that a question names, unless it names none or several."""
    if not isinstance(query, str):
        return query if isinstance(query, Translated) else None
    tree = parse(query)
    doi = parse_doi(tree.text) if isinstance(tree, Term) and not tree.is_prefix else None
    return adapter.translate_work("doi", doi) if doi else None


def translations_of(
    adapter: Adapter, strategy: SearchStrategy, contact: str | None = None
) -> list[Translation]:
    """Return every query of a strategy as it would be sent, without the contact address."""
    names = list(_works(strategy, adapter))
    earlier = list[Translated]()
    translations = [
        _translation(adapter, query, strategy, contact, earlier)
        for query in questions_of(strategy, adapter)
    ]
    pairs = zip(names, translations, strict=False)
    return [
        *(translation.model_copy(update={"query": name}) for name, translation in pairs),
        *translations[len(names) :],
    ]


def _translation(
    adapter: Adapter,
    query: Question,
    strategy: SearchStrategy,
    contact: str | None,
    earlier: list[Translated],
) -> Translation:
    outline = Translation(
        source=adapter.name, query=text_of(query), is_ranked=isinstance(query, RankedQuery)
    )
    try:
        filters = WORK_LIMITS if work_of(adapter, query) else strategy.filters
        limit = max(1, min(filters.max_results, adapter.most_results))
        tries = translate_question(adapter, query, filters, strategy.endings)
        new = not_yet_sent(earlier, query, tries)
        firsts = [adapter.first(translation, filters, limit) for translation in new]
    except InputError as error:
        return outline.model_copy(update={"error": str(error)})
    except Exception as error:  # noqa: BLE001  # an adapter is foreign code; its bug becomes data
        return outline.model_copy(update={"error": str(explain_bug(error, adapter))})
    requests, faults = list[str](), list[str]()
    for request in firsts:
        try:
            requests.append(request_text(adapter.as_sent(request), contact))
        except ServiceError as error:
            faults.append(str(error))
    return outline.model_copy(
        update={
            "texts": [part.text for part in tries],
            "requests": requests,
            "notes": [
                *dict.fromkeys(note for part in tries for note in part.notes),
                *([_SENT_ONCE] if len(new) < len(tries) else []),
            ],
            "error": next(iter(faults), None),
        }
    )


def request_text(request: Request, contact: str | None) -> str:
    """Return the URL and body of a request, without the contact address."""
    params = {name: value for name, value in request.params.items() if value != contact}
    url = f"{request.url}?{urlencode(params)}" if params else request.url
    body = request.json if request.json is not None else request.form
    if body is None:
        return url
    fields = {name: value for name, value in body.items() if value != contact}
    return f"{url} {json.dumps(fields, ensure_ascii=False)}"
