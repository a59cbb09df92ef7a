"""The first queries for a question: boolean, with a block of names per concept, and ranked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from paper_search.bibliography.languages import language_name
from paper_search.errors import InputError
from paper_search.models import ParsedIntent, RankedQuery, SearchQuery, SearchStrategy, SynonymMap
from paper_search.models.query import PUBLICATION_TYPES
from paper_search.query import (
    HEADING,
    HEADINGS,
    And,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    normalise,
    parse,
    with_conditions,
)
from paper_search.query.ast import leaf_of, positive_leaves
from paper_search.query.dialects import DIALECTS
from paper_search.query.writer import WrittenStrategy, write_strategy
from paper_search.skills.intent.boolean_question import CSL_TYPES
from paper_search.skills.intent.concepts import pieces
from paper_search.skills.phrases import Phrase as NounPhrase
from paper_search.skills.strategy.trees import (
    all_of,
    any_name,
    any_of,
    clean,
    is_short,
    leaf,
    query_text,
    tree_of,
)
from paper_search.skills.untrusted import visible
from paper_search.skills.variants import (
    APART,
    equivalents,
    heading,
    is_heading,
    is_known_term,
    is_telling_name,
    is_topic,
    spelling_reasons,
    spellings,
    synonym_reasons,
    synonyms,
)
from paper_search.skills.words import tokens, word_table

_MOST_FORMS = 3
"""Inflected forms and spellings of one name in a query."""
_MOST_SYNONYMS = 6
_FEW = 3
"""Other names per concept in a query that would be too long with all of them."""
_OWN = "as the question was read"
_LONG = 3
_WITHOUT_SUBJECT = word_table("no subject beside a name")
_WHOEVER = word_table("whoever")

_ABBREVIATION = re.compile(r"(?=.*[A-Z].*[A-Z])[\w-]+")


@dataclass(frozen=True)
class Block:
    """A concept, its other names with the reason for each, and its subject heading."""

    concept: str
    reasons: dict[str, str]
    heading: Node | None

    @property
    def synonym_map(self) -> SynonymMap:
        names = list(self.reasons)
        return SynonymMap(keyword=self.concept, synonyms=names, reasons=self.reasons)

    def shorten(self) -> "Block":
        """Return the block with the question's own names and the first few others."""
        others = [name for name, why in self.reasons.items() if why != _OWN][:_FEW]
        names = {n: why for n, why in self.reasons.items() if why == _OWN or n in others}
        return replace(self, reasons=names)

    @property
    def node(self) -> Node | None:
        """The query for any of the names; None if none is searchable."""
        names = [leaf(name) for name in (self.concept, *self.reasons)]
        return any_of(node for node in (*names, self.heading) if node is not None)


def blocks_of(intent: ParsedIntent, *, has_headings: bool) -> list[Block]:
    """Return a block per searchable concept or, if there is none, for the topic."""
    names: list[str] = []
    for concept in intent.concepts:
        is_whole = intent.alternatives.get(concept) or f'"{concept}"' in intent.question
        names += [concept] if is_whole else names_of(concept)
    concepts = [name for name in dict.fromkeys(names) if leaf(name)]
    if not concepts and leaf(intent.topic) and not intent.authors:
        concepts = [intent.topic]
    return [
        block_of(
            concept,
            intent.alternatives.get(concept, ()),
            excluded=intent.excluded,
            has_headings=has_headings,
        )
        for concept in concepts
    ]


def names_of(concept: str) -> list[str]:
    """Split a concept that is not a known name into the names and words in it.

    Few records have the exact phrase "heritage speaker fluency" or "teacher burnout". Two words
    stay together if neither is a name, or if they are one of a person or a work. Where names
    overlap, as in "food supply chains", our list takes precedence over subject headings, which may
    be of another field.
    """
    words = concept.split()
    if len(clean(concept).split()) < _LONG:
        return _with_subject(words) if _is_apart(words) else [concept]
    ends = ((words[:n], pieces(words[n:], is_list=True)) for n in range(1, len(words) - 1))
    splits = [pieces(words, is_list=True)]
    splits += [[*pieces(first, is_list=True), *end] for first, end in ends if len(end) == 1]
    return _with_subject(max(splits, key=lambda names: sum(map(is_known_term, names))))


def _is_apart(words: Sequence[str]) -> bool:
    """Whether one of two words is a name or says nothing, and both together are no name."""
    whole = " ".join(words)
    is_name = len(words) == 1 or is_known_term(whole) or is_heading(whole)
    is_title = all(word[:1].isupper() or word.isdigit() for word in words)
    is_listed = is_topic(whole)
    return not (is_name or is_title) and any(
        is_telling_name(word, is_listed=is_listed)
        or (word.casefold() in _WHOEVER and not is_listed)
        for word in words
    )


def _with_subject(names: Sequence[str]) -> list[str]:
    """Return the names without empty words, if others are left."""
    solid = [name for name in names if not NounPhrase(name, 0, 0).is_empty]
    return [name for name in solid if name.casefold() not in _WITHOUT_SUBJECT] or list(names)


def block_of(
    concept: str,
    alternatives: Sequence[str] = (),
    *,
    excluded: Sequence[str] = (),
    has_headings: bool = False,
) -> Block:
    """Return a concept's block; names from our tables must not contain an excluded term."""
    reasons: dict[str, str] = {}
    for name in (concept, *alternatives):
        others = _first(synonym_reasons(name), _MOST_SYNONYMS, excluded)
        for other, why in ({name: _OWN} | others).items():
            reasons.setdefault(other, why)
            for form, difference in _first(spelling_reasons(other), _MOST_FORMS, excluded).items():
                if why == _OWN or difference != APART:
                    reasons.setdefault(form, difference)
    distinct = {clean(name).casefold(): name for name in reversed(reasons)}
    distinct.pop(clean(concept).casefold(), None)
    names = {name: reasons[name] for name in reversed(distinct.values())}
    subject = None
    given = [name for each in (concept, *alternatives) for name in equivalents(each)]
    if has_headings and (subject_heading := heading(given)):
        for name in _without_excluded([subject_heading], excluded):
            subject = Phrase(tuple(name.split()), HEADING)
    return Block(concept, names, subject)


def _first(reasons: Mapping[str, str], most: int, excluded: Iterable[str]) -> dict[str, str]:
    return {name: reasons[name] for name in _without_excluded(reasons, excluded)[:most]}


def _without_excluded(names: Iterable[str], excluded: Iterable[str]) -> list[str]:
    terms = [stems for term in excluded if (stems := {*tokens(term)})]
    return [name for name in names if not any(stems.issubset(tokens(name)) for stems in terms)]


def first_queries(intent: ParsedIntent, *, has_headings: bool = False) -> list[SearchQuery]:
    """Return the blocks of all concepts joined by AND, or a boolean question as it is."""
    if intent.boolean_query is not None:
        return [SearchQuery(keywords=intent.concepts, boolean_query=intent.boolean_query)]
    if intent.identifiers and not intent.question:
        return []  # identifiers are looked up or ranked, not searched by boolean queries
    blocks = blocks_of(intent, has_headings=has_headings)
    for some in (blocks, [block.shorten() for block in blocks]):
        tree = all_of(block.node for block in some if block.node is not None)
        if tree is not None and is_short(text := query_text(tree)):
            keywords = [name for block in some if (name := clean(block.concept))]
            names = [block.synonym_map for block in some if block.reasons]
            return [SearchQuery(keywords=keywords, synonym_map=names, boolean_query=text)]
    if any(block.node is not None for block in blocks):
        return plain_queries(intent)
    authors = any_name(intent.authors, "author")
    if authors is None:
        return []
    return [SearchQuery(keywords=intent.authors, boolean_query=query_text(authors))]


def first_ranked(intent: ParsedIntent) -> list[RankedQuery]:
    """Return the ranked query for a question; none for a boolean query."""
    if intent.boolean_query is not None:
        return []
    identifiers = " ".join(name.partition(":")[2] for name in intent.identifiers)
    text = " ".join(visible(intent.question or identifiers or intent.topic).split())
    short = [concept for concept in intent.concepts if _ABBREVIATION.fullmatch(concept)]
    others = (_without_excluded(synonyms(concept), intent.excluded) for concept in short)
    names = dict.fromkeys(name for each in others for name in each[:_MOST_SYNONYMS])
    return [RankedQuery(text=text, long_forms=list(names))] if text else []


def plain_queries(intent: ParsedIntent) -> list[SearchQuery]:
    """Return the concepts joined by AND, without other names."""
    if intent.boolean_query is not None:
        return first_queries(intent)
    names = [name for name in map(clean, intent.concepts) if name]
    text = " AND ".join(dict.fromkeys(names or [clean(intent.topic)]))
    if tree_of(text) is None:
        return []
    return [SearchQuery(keywords=names or [text], boolean_query=text)]


_TYPES = {csl: name for name, csl in CSL_TYPES.items()}


def _of_types(kinds: Sequence[str]) -> Node:
    names = (_TYPES.get(kind, kind.replace("-", " ")) for kind in kinds)
    return Or(tuple(leaf_of(tuple(name.split()), "type") for name in names))


def database_text(strategy: SearchStrategy, database: str) -> WrittenStrategy:
    queries = [parse(query.boolean_query) for query in strategy.queries]
    if not queries:
        raise InputError("the strategy has no boolean query: only words for sources that rank")
    limits: list[Node] = []
    filters = strategy.filters
    if filters.year_from or filters.year_to:
        limits.append(YearRange(filters.year_from, filters.year_to))
    if filters.language:
        limits.append(Term(language_name(filters.language) or filters.language, "language"))
    if filters.publication_types:
        limits.append(_of_types(filters.publication_types))
    if unwanted := [kind for kind in filters.excluded_types if kind in PUBLICATION_TYPES]:
        limits.append(Not(_of_types(unwanted)))
    tree = Or(tuple(queries)) if len(queries) > 1 else queries[0]
    whole = normalise(with_conditions(And((tree, *limits)), filters.every_condition))
    written = write_strategy(whole, database)
    keywords = (keyword for query in strategy.queries for keyword in query.keywords)
    headings = filter(None, (heading([keyword, *spellings(keyword)]) for keyword in keywords))
    fitting = ", ".join(dict.fromkeys(headings))
    is_mesh = bool(DIALECTS[database].headings) and not DIALECTS[database].heading_note
    if not fitting or not is_mesh or any(leaf.field in HEADINGS for leaf in positive_leaves(tree)):
        return written
    note = f"MeSH headings that the strategy does not ask for: {fitting}"
    return replace(written, notes=(*written.notes, note))
