"""Entity resolution: from records to clusters, works and uncertain pairs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rapidfuzz.fuzz import ratio

from paper_search.garbage_collection import fewer_collections
from paper_search.models import (
    Cluster,
    Clustering,
    MergeDecision,
    MergeReason,
    PairEvidence,
    RawPaper,
)
from paper_search.skills.deduplication.blocking import candidate_pairs
from paper_search.skills.deduplication.clustering import (
    Linkage,
    Pair,
    ambiguous,
    best_first,
    join_best,
)
from paper_search.skills.deduplication.comparison import (
    FIELDS,
    Comparison,
    compare,
    log_odds,
    probability,
)
from paper_search.skills.deduplication.conflicts import CERTAIN, DOUBTFUL, adjust
from paper_search.skills.deduplication.merging import are_versions, by_content, rank
from paper_search.skills.deduplication.profiles import Profile, profile

T = TypeVar("T")

_LOOKED_AT = 60
_FEWEST = 3
_SHORT_TITLE = 4
_OTHER_TITLE = 65.0


def recurring_titles(profiles: Sequence[Profile]) -> frozenset[str]:
    """Return the keys of titles that three or more works seem to have.

    Three records of the title have no author in common, are in three issues or, if the title has at
    most four words, are from three years. Two such records may be one work with an error.
    """
    groups: dict[str, list[Profile]] = defaultdict(list)
    for record in profiles:
        if record.key:
            groups[record.key].append(record)
    return frozenset(
        key
        for key, group in groups.items()
        if len(group) >= _FEWEST and _are_several(group[:_LOOKED_AT])
    )


def _are_several(group: list[Profile]) -> bool:
    is_short = len(group[0].words) <= _SHORT_TITLE
    places = {
        # A column may be on the same page of every issue; a long title on one page is one work.
        (item.volume, "", item.issue)
        if is_short or not item.first_page
        else (item.volume, item.first_page, "")
        for item in group
        if item.volume and item.issue
    }
    if max(Counter(bool(page) for _, page, _ in places).values(), default=0) >= _FEWEST:
        return True
    years = {record.year for record in group if record.year is not None}
    if len(years) >= _FEWEST and is_short:
        return True
    crowds = [set(record.people.names) for record in group if record.people.names]
    return _has_several(crowds, set.isdisjoint)


def _has_several(items: Iterable[T], are_apart: Callable[[T, T], bool]) -> bool:
    several: list[T] = []
    for item in items:
        if all(are_apart(item, other) for other in several):
            several.append(item)
    return len(several) >= _FEWEST


def identifiers_of_several(profiles: Sequence[Profile]) -> frozenset[tuple[str, str]]:
    """Return the DOIs and URLs, with their kinds, of three or more titles.

    Abstracts in a supplement often have the DOI or URL of the whole, which identifies none of them.
    """
    groups: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for record in profiles:
        if record.doi:
            groups["doi", record.doi].append(record)
        for kind, value in record.ids:
            if kind == "url":
                groups[kind, value].append(record)
    return frozenset(
        name
        for name, group in groups.items()
        if len(group) >= _FEWEST
        and _has_several(
            [record.title for record in group[:_LOOKED_AT] if record.title],
            lambda one, other: ratio(one, other) < _OTHER_TITLE,
        )
    )


def without_ids(profile: Profile, shared: Collection[tuple[str, str]]) -> Profile:
    ids = tuple(name for name in profile.ids if name not in shared)
    return profile if len(ids) == len(profile.ids) else replace(profile, ids=ids)


_SILENT = frozenset({"missing", "both missing", "unknown", "none"})
_DERIVED = frozenset({"difference", "title_length", "numerals", "role", "kind", "place"})


_NO_AUTHOR = ("authors", "none")
"""For authors, "none" is evidence: no name is shared."""


def shared_identifiers(one: Profile, other: Profile) -> list[str]:
    identifiers = [f"doi:{one.doi}"] if one.doi and one.doi == other.doi else []
    if one.arxiv and one.arxiv == other.arxiv:
        identifiers.append(f"arxiv:{one.arxiv}")
    kinds = set(one.ids) & set(other.ids)
    return identifiers + [f"{kind.removesuffix('_id')}:{value}" for kind, value in sorted(kinds)]


def _share(value: float) -> float | None:
    return round(value, 3) if value >= 0 else None


LEAST = 1.0
"""Log-odds from which a pair is merged: a probability of .73."""
LEAST_MEAN = 0.0
UNCERTAIN = -1.0
"""Log-odds from which a pair is uncertain: a probability of .27."""


class Resolution:
    """The compared records of one batch; more joins may follow before `clustering`.

    Args:
        papers: records, whose order does not affect the outcome.
        decisions: a person's decisions on pairs, by the id of a record or of one merged into it.
            If decisions contradict each other, a split wins.
    """

    @fewer_collections()
    def __init__(self, papers: Sequence[RawPaper], decisions: Iterable[MergeDecision]) -> None:
        self._papers = papers
        profiles = [profile(paper) for paper in papers]
        self._places = sorted(range(len(papers)), key=lambda n: by_content(papers[n], profiles[n]))
        self._numbers = sorted(range(len(papers)), key=self._places.__getitem__)
        self._shared = identifiers_of_several(profiles)
        self._profiles = [without_ids(profiles[place], self._shared) for place in self._places]
        self._recurring = recurring_titles(self._profiles)
        self._levels: dict[Pair, Comparison] = {}
        self._scores = self._score_pairs()
        same, apart = self._pairs_of_decisions(decisions)
        self._linkage = Linkage(len(papers), self._scores, apart)
        self._reasons: dict[Pair, MergeReason] = {}
        self._joining: list[Pair] = []
        for pair in same:
            self._join(pair, MergeReason.PERSON)
        for pair in self._repetitions():
            self._join(pair, MergeReason.RECORD)
        for pair in ambiguous(self._scores, LEAST):
            self._scores[pair] = DOUBTFUL
        self._joining += join_best(self._linkage, self._scores, least=LEAST, least_mean=LEAST_MEAN)
        self._linkage.drop_means()

    def join(self, one: int, other: int, reason: MergeReason) -> bool:
        """Join two records' clusters unless a person split them; return whether they are one."""
        first, second = sorted((self._numbers[one], self._numbers[other]))
        return self._join((first, second), reason)

    def comparison(self, one: int, other: int) -> Comparison:
        first, second = sorted((self._numbers[one], self._numbers[other]))
        return self._levels_of((first, second))

    @fewer_collections()
    def clustering(self) -> Clustering:
        clusters, cluster_of = self._clusters()
        apart = {(cluster_of[one], cluster_of[other]) for one, other in self._linkage.apart()}
        works = Linkage(len(clusters), {}, apart)
        versions = self._versions(works, cluster_of)
        pairs: set[Pair] = set()
        uncertain: list[PairEvidence] = []
        for pair in best_first(self._scores, UNCERTAIN):
            one, other = sorted(works.root(cluster_of[number]) for number in pair)
            if one != other and (one, other) not in pairs and not self._linkage.is_apart(*pair):
                pairs.add((one, other))
                uncertain.append(self._evidence(pair))
        return Clustering(clusters, self._ranked_works(works, cluster_of), versions, uncertain)

    def _score_pairs(self) -> dict[Pair, float]:
        scores: dict[Pair, float] = {}
        for pair in candidate_pairs(self._profiles):
            one, other = self._profiles[pair[0]], self._profiles[pair[1]]
            levels = compare(one, other, self._recurring)
            odds = adjust(levels, log_odds(levels), is_doi_shared=("doi", one.doi) in self._shared)
            scores[pair] = odds
            if odds >= UNCERTAIN or are_versions(one, other, levels):
                self._levels[pair] = levels
        return scores

    def _pairs_of_decisions(
        self, decisions: Iterable[MergeDecision]
    ) -> tuple[list[Pair], list[Pair]]:
        numbers: dict[str, int] = {}
        by_pair = {frozenset((decision.one, decision.other)): decision for decision in decisions}
        if not by_pair:
            return [], []
        for number in reversed(range(len(self._places))):
            paper = self._papers[self._places[number]]
            numbers.update(dict.fromkeys((*paper.merged_from, paper.id), number))
        same: list[Pair] = []
        apart: list[Pair] = []
        for decision in by_pair.values():
            one, other = numbers.get(decision.one), numbers.get(decision.other)
            if one is not None and other is not None and one != other:
                pair = (min(one, other), max(one, other))
                (same if decision.is_same else apart).append(pair)
        return sorted(same), sorted(apart)

    def _repetitions(self) -> list[Pair]:
        last: dict[str, dict[str, int]] = defaultdict(dict)
        pairs: list[Pair] = []
        for number, place in enumerate(self._places):
            paper = self._papers[place]
            if (before := last[paper.source].get(paper.id)) is not None:
                pairs.append((before, number))
            last[paper.source][paper.id] = number
        return pairs

    def _join(self, pair: Pair, reason: MergeReason) -> bool:
        is_new = self._linkage.root(pair[0]) != self._linkage.root(pair[1])
        is_joined = self._linkage.join(*pair)
        if is_new and is_joined:
            self._reasons[pair] = reason
            self._joining.append(pair)
        return is_joined

    def _levels_of(self, pair: Pair) -> Comparison:
        if pair not in self._levels:
            one, other = self._profiles[pair[0]], self._profiles[pair[1]]
            self._levels[pair] = compare(one, other, self._recurring)
        return self._levels[pair]

    def _evidence(self, pair: Pair, reason: MergeReason | None = None) -> PairEvidence:
        one, other = self._profiles[pair[0]], self._profiles[pair[1]]
        reason = reason or self._reasons.get(pair)
        odds = self._scores.get(pair, DOUBTFUL)
        if reason is None:
            is_named = bool(shared_identifiers(one, other)) and odds >= CERTAIN
            reason = MergeReason.IDENTIFIER if is_named else MergeReason.CONTENT
        elif reason is MergeReason.RECORD:
            odds = CERTAIN
        elif reason in {MergeReason.VERSION, MergeReason.MODEL}:
            odds = max(odds, LEAST)
        levels = self._levels_of(pair)
        return PairEvidence(
            one=self._papers[self._places[pair[0]]].id,
            other=self._papers[self._places[pair[1]]].id,
            reason=reason,
            confidence=1.0 if reason is MergeReason.PERSON else round(probability(odds), 4),
            identifiers=shared_identifiers(one, other),
            title_similarity=_share(levels.title_similarity),
            author_overlap=_share(levels.author_overlap),
            abstract_overlap=_share(levels.abstract_overlap),
            fields={
                field: level
                for field, level in zip(FIELDS, levels, strict=False)
                if field not in _DERIVED and (level not in _SILENT or (field, level) == _NO_AUTHOR)
            },
        )

    def _clusters(self) -> tuple[list[Cluster], list[int]]:
        merges: Mapping[int, list[PairEvidence]] = defaultdict(list)
        for pair in self._joining:
            merges[self._linkage.root(pair[0])].append(self._evidence(pair))
        clusters: list[Cluster] = []
        cluster_of = [0] * len(self._places)
        sets = (sorted(self._places[number] for number in one) for one in self._linkage.sets())
        for place, members in enumerate(sorted(sets)):
            reasons = merges.get(self._linkage.root(self._numbers[members[0]]), [])
            clusters.append(
                Cluster(
                    members=members,
                    ids=[self._papers[member].id for member in members],
                    merges=reasons,
                    confidence=min((version.confidence for version in reasons), default=1.0),
                )
            )
            for member in members:
                cluster_of[self._numbers[member]] = place
        return clusters, cluster_of

    def _versions(self, works: Linkage, cluster_of: Sequence[int]) -> list[PairEvidence]:
        links: list[PairEvidence] = []
        for pair in sorted(self._levels):
            one, other = cluster_of[pair[0]], cluster_of[pair[1]]
            if works.root(one) == works.root(other) or not are_versions(
                self._profiles[pair[0]], self._profiles[pair[1]], self._levels[pair]
            ):
                continue
            if works.join(one, other):
                links.append(self._evidence(pair, MergeReason.VERSION))
        return links

    def _ranked_works(self, works: Linkage, cluster_of: Sequence[int]) -> list[list[int]]:
        ranks = [9] * len(cluster_of)
        for number, cluster in enumerate(cluster_of):
            ranks[cluster] = min(ranks[cluster], rank(self._profiles[number]))
        sets = works.sets()
        for work in sets:
            work.sort(key=lambda cluster: (ranks[cluster], cluster))
        return sets
