"""The skill that turns scored papers into a collection."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from paper_search.models import (
    NOT_NEEDED,
    Facets,
    Paper,
    PaperCollection,
    RawPaper,
    ScoredPaper,
    SearchMetadata,
    SearchStrategy,
)
from paper_search.models.source_report import LOCAL, quantity
from paper_search.skills.lexical import FEW_CONCEPTS
from paper_search.skills.untrusted import visible
from paper_search.skills.words import STOP_WORDS

MOST_SHOWN = 100
"""Papers at the top of an ordered result that stay whatever their scores."""
FITS = 0.2
"""If no paper has this score, nothing fits the question, and papers without a whole concept are set
aside (decision 0015)."""
MAX_AUTHORS = 10
MAX_THEMES = 8
_THEME_SCORE = 0.5
_SHORTEST_THEME = 3
_WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]")


class ResultOrganizer:
    def __init__(self, min_relevance: float = 0.3) -> None:
        self._min_relevance = min_relevance

    async def organize(
        self, papers: list[ScoredPaper], strategy: SearchStrategy, original_query: str
    ) -> PaperCollection:
        """Return relevant and unjudged papers, best first; set the others aside.

        If all papers come from a library and none of them fits the question, those without any
        concept (or, for a long question, any of its words) are set aside, too; likewise those
        without any word of a short question if no paper has half of it. A web service may match
        other words.

        Papers with a place are ordered by it, and the first `MOST_SHOWN` of them stay. The others
        are ordered by score, citations and year (descending), then by title and id.
        """
        shown_papers: list[Paper] = []
        set_aside: list[Paper] = []
        is_off = _off_topic(papers)
        for scored in sorted(papers, key=_order):
            is_open = not scored.is_judged and scored.unjudged_because != NOT_NEEDED
            stays = is_open or (self._stays(scored) and not is_off(scored))
            (shown_papers if stays else set_aside).append(Paper.from_scored(scored))
        return PaperCollection(
            metadata=SearchMetadata(
                query=original_query, search_strategy=strategy, total_found=len(papers)
            ),
            papers=shown_papers,
            facets=facets_of(shown_papers),
            set_aside=set_aside,
        )

    def _stays(self, scored: ScoredPaper) -> bool:
        if scored.place is not None and scored.place <= MOST_SHOWN:
            return True
        return scored.relevance_score >= self._min_relevance


def _off_topic(papers: Sequence[ScoredPaper]) -> Callable[[ScoredPaper], bool]:
    if any(scored.paper.source not in LOCAL for scored in papers):
        return lambda _: False
    blocks = max((scored.blocks or 0 for scored in papers), default=0)
    is_long = blocks > FEW_CONCEPTS
    if all(scored.relevance_score < FITS for scored in papers):
        return lambda scored: (
            scored.whole_concepts == 0 and not (is_long and scored.relevance_score)
        )
    has_half = is_long or any((scored.whole_concepts or 0) * 2 >= blocks for scored in papers)
    return lambda scored: scored.relevance_score == 0 and not has_half


_EVERY = {1: "the concept", 2: "both concepts"}


def concept_counts(papers: Sequence[ScoredPaper], concepts: int, limits: Sequence[str] = ()) -> str:
    """Say how many papers have all, some or none of the concepts.

    Without papers, name the limits, such as an unknown author. Empty if there are no concepts or
    they were not looked for.
    """
    if limits and not papers:
        return f"no paper was found within the limits ({'; '.join(limits)}): remove one for more"
    counts = [paper.whole_concepts for paper in papers if paper.whole_concepts is not None]
    if not counts or not concepts:
        return ""
    every, none = sum(count >= concepts for count in counts), counts.count(0)
    every_one = _EVERY.get(concepts, f"all {concepts} concepts")
    some = f", {len(counts) - every - none:,} with some" if concepts > 1 else ""
    whole = f"{every:,} with {every_one} of the question"
    return f"of {quantity(len(counts), 'paper')}, {whole}{some}, {none:,} without"


def by_score(paper: Paper) -> tuple[float, float, int, str, str]:
    return _key(paper, paper.relevance_score)


def _order(scored: ScoredPaper) -> tuple[float, tuple[float, float, int, str, str]]:
    place = math.inf if scored.place is None else scored.place
    return place, _key(scored.paper, scored.relevance_score)


def _key(paper: RawPaper | Paper, score: float) -> tuple[float, float, int, str, str]:
    # An unknown count sorts between 0 and 1.
    count = paper.known_citation_count
    return (
        -score,
        -(0.5 if count is None else count),
        -paper.year if paper.year is not None else 1,
        paper.title.casefold(),
        paper.id,
    )


def facets_of(papers: Sequence[Paper]) -> Facets:
    years = Counter(paper.year for paper in papers if paper.year is not None)
    venues = _count_names(paper.venue for paper in papers if paper.venue)
    authors = _count_names(
        name for paper in papers for name in dict.fromkeys(author.name for author in paper.authors)
    )
    return Facets(
        by_year=dict(sorted(years.items())),
        by_venue=dict(venues),
        top_authors=[name for name, _ in authors[:MAX_AUTHORS]],
        key_themes=_themes(papers),
    )


def _count_names(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return names in their commonest spelling with their counts, most frequent first."""
    spelling_counts = Counter(" ".join(name.split()) for name in names)
    spellings: dict[str, list[str]] = defaultdict(list)
    for spelling in spelling_counts:
        if spelling:
            spellings[spelling.casefold()].append(spelling)
    name_counts = [
        (
            min(alike, key=lambda word: (-spelling_counts[word], word)),
            sum(spelling_counts[name] for name in alike),
        )
        for alike in spellings.values()
    ]
    return sorted(name_counts, key=lambda pair: (-pair[1], pair[0].casefold(), pair[0]))


def _themes(papers: Sequence[Paper]) -> list[str]:
    words: Counter[str] = Counter()
    for paper in papers:
        if paper.relevance_score >= _THEME_SCORE:
            words.update(set(_WORD.findall(visible(paper.title).casefold())))
    common = sorted(words, key=lambda word: (-words[word], word))
    themes = (word for word in common if word not in STOP_WORDS and len(word) >= _SHORTEST_THEME)
    return list(islice(themes, MAX_THEMES))
