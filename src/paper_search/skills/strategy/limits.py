"""Limits of a strategy, and conditions from the terms of an intent or a note."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import WORD
from paper_search.models import ParsedIntent, RankedQuery, SearchConstraints
from paper_search.models.query import MOST_RESULTS
from paper_search.query import And, Node, Not, Or, Phrase, Term, YearRange, alternatives
from paper_search.query.ast import conjuncts
from paper_search.skills.intent.forms import CUT, without_cuts, without_spans
from paper_search.skills.intent.notes import Note
from paper_search.skills.strategy.booleans import names_of
from paper_search.skills.strategy.trees import all_of, any_name, any_of, query_text, tree_of
from paper_search.skills.variants import spellings, variants
from paper_search.skills.words import term_table, tokens

_MOST_NAMES = 6


def limits_of_intent(intent: ParsedIntent) -> SearchConstraints:
    conditions = [*_names(intent.authors, intent.venues), *_exclusions(intent.excluded)]
    return _with_conditions(intent.constraints, conditions)


def next_limits(limits: SearchConstraints, note: Note) -> SearchConstraints:
    before = (changed_by(note, condition) for condition in limits.conditions)
    names = (any_name((term, *_names_of_limit(term))) for term in note.required)
    required = [query_text(group) for group in names if group is not None]
    people = _names(note.authors, note.venues)
    conditions = [*filter(None, before), *people, *required, *_exclusions(note.excluded)]
    return _with_conditions(note.with_limits(limits), conditions)


def _names_of_limit(term: str) -> Sequence[str]:
    for group in term_table("designs"):
        if tuple(tokens(term)) in {tuple(tokens(name)) for name in group}:
            return [name for name in group if " " not in name]  # few papers say "randomised trial"
    return variants(term)[:_MOST_NAMES]


def changed_by(terms: Note, query: str) -> str:
    """Remove exclusions of terms that a note adds, and terms that it excludes, from a query."""
    tree = tree_of(query)
    if tree is None:
        return query
    terms_to_add = (*terms.added, *terms.instead, *terms.required)
    welcome = {tuple(tokens(term)) for term in terms_to_add}
    remainder = [node for part in conjuncts(tree) if (node := _without_exclusions(part, welcome))]
    remaining = all_of(remainder)
    dropped = [name for term in terms.dropped for name in (term, *names_of(term))]
    if remaining is not None and (unwanted := (*terms.excluded, *dropped)):
        remaining = _without(remaining, {tuple(tokens(term)) for term in unwanted})
    if remaining == tree:
        return query
    return "" if remaining is None else query_text(remaining)


def without_unwanted(ranked: Sequence[RankedQuery], limits: SearchConstraints) -> list[RankedQuery]:
    """Remove excluded terms from ranked queries, including learned terms."""
    unwanted = unwanted_stems(limits)
    return [
        query.model_copy(
            update={
                "text": text,
                "terms": {
                    word: weight
                    for word, weight in query.terms.items()
                    if tuple(tokens(word)) not in unwanted
                },
            }
        )
        for query in ranked
        if (text := without_terms(query.text, unwanted))
    ]


def unwanted_stems(limits: SearchConstraints) -> set[tuple[str, ...]]:
    return _stems_of(part.child for part in _conditions(limits) if isinstance(part, Not))


def required_stems(limits: SearchConstraints) -> set[tuple[str, ...]]:
    return _stems_of(part for part in _conditions(limits) if not isinstance(part, Not))


def _conditions(limits: SearchConstraints) -> Iterator[Node]:
    trees = [tree for text in limits.conditions if (tree := tree_of(text)) is not None]
    return (part for tree in trees for part in conjuncts(tree))


def _stems_of(nodes: Iterable[Node]) -> set[tuple[str, ...]]:
    return set(filter(None, (_stems(term) for node in nodes for term in alternatives(node))))


def without_terms(text: str, unwanted: set[tuple[str, ...]]) -> str:
    words = [*WORD.finditer(text)]
    longest = max(map(len, unwanted), default=0)
    for start, word in enumerate(words):
        stems: tuple[str, ...] = ()
        for last in words[start:]:
            stems += tuple(tokens(last[0]))
            if stems in unwanted:
                rest = without_spans(text, (word.start(), last.end()))
                return without_terms(rest, unwanted)
            if len(stems) >= longest:
                break
    return " ".join(without_cuts(text).split()) if CUT in text else text


def _with_conditions(limits: SearchConstraints, conditions: Iterable[str]) -> SearchConstraints:
    return limits.model_copy(update={"conditions": list(dict.fromkeys(conditions))})


def _names(authors: Iterable[str], venues: Iterable[str]) -> list[str]:
    return [
        query_text(names)
        for field, wanted in (("author", authors), ("venue", venues))
        if (names := any_name(wanted, field)) is not None
    ]


def _exclusions(terms: Iterable[str]) -> list[str]:
    groups = (any_name((term, *spellings(term)[:2])) for term in terms)
    return [query_text(Not(group)) for group in groups if group is not None]


def _without_exclusions(part: Node, welcome: set[tuple[str, ...]]) -> Node | None:
    if not isinstance(part, Not):
        return part
    remainder = any_of(node for node in alternatives(part.child) if _stems(node) not in welcome)
    return None if remainder is None else Not(remainder)


def _without(node: Node, unwanted: set[tuple[str, ...]]) -> Node | None:
    """Remove terms from a tree; None if only exclusions and years are left."""
    match node:
        case Term() | Phrase():
            return None if _stems(node) in unwanted else node
        case And(children):
            remainder = [part for child in children if (part := _without(child, unwanted))]
            is_empty = all(isinstance(part, Not | YearRange) for part in remainder)
            return None if is_empty else all_of(remainder)
        case Or(children):
            return any_of(part for child in children if (part := _without(child, unwanted)))
        case _:
            return node


def _stems(node: Node) -> tuple[str, ...]:
    match node:
        case Term(text):
            return tuple(tokens(text))
        case Phrase(words):
            return tuple(tokens(" ".join(words)))
        case _:
            return ()


FIRST_YEAR = 1500
"""Nothing that is indexed is older."""
_YEARS_AHEAD = 1
"""Issues may be dated next year."""


def sane_limits(limits: SearchConstraints, *, today: date) -> tuple[SearchConstraints, list[str]]:
    """Return valid limits, and notes on what was left out or changed."""
    last_year, notes = today.year + _YEARS_AHEAD, []
    years = {"year_from": limits.year_from, "year_to": limits.year_to}
    for name, year in years.items():
        if year is not None and not FIRST_YEAR <= year <= last_year:
            notes.append(f"left out: the year {year}, which is not in {FIRST_YEAR} to {last_year}")
            years[name] = None
    first, last = years["year_from"], years["year_to"]
    if first is not None and last is not None and first > last:
        first, last = last, first
        backwards = "the model gave them in reverse order"
        notes.append(f"the years are read as {first} to {last}: {backwards}")
    name, language = (limits.language or "").strip(), language_code(limits.language)
    if name and language is None:
        notes.append(f"left out: the language {name[:20]!r}, which is unknown")
    most = min(max(limits.max_results, 1), MOST_RESULTS)
    update = {"year_from": first, "year_to": last, "language": language, "max_results": most}
    return limits.model_copy(update=update), notes
