"""The skill that scores the relevance of papers to an intent."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from paper_search.llm.provider import LLMProvider, name_of
from paper_search.models import (
    NOT_NEEDED,
    MarkedPaper,
    PaperTag,
    ParsedIntent,
    RawPaper,
    ScoredPaper,
)
from paper_search.skills.judging.judgement import (
    Judgement,
    JudgementCache,
    from_row,
    key_of,
    model_name,
    to_row,
)
from paper_search.skills.judging.question import PromptPaper, criteria_of
from paper_search.skills.judging.run import Entry, Judging, prompt_digest
from paper_search.skills.known_papers import is_named
from paper_search.skills.lexical import Verdict, documents_of, verdicts
from paper_search.skills.untrusted import SUSPICIOUS, is_suspicious

RELEVANT_FLOOR, IRRELEVANT_CEILING = 0.95, 0.05
"""Scores of papers that a person marked; those that the question names get the first, too."""

_TAG_CUES: dict[PaperTag, re.Pattern[str]] = {
    PaperTag.METHOD: re.compile(
        r"\b(?:methods?|approach(?:es)?|frameworks?|models?|algorithms?|architectures?|techniques?"
        r"|procedure|pipeline|system|toolkit|software)\b",
        re.IGNORECASE,
    ),
    PaperTag.REVIEW: re.compile(
        r"\b(?:surveys?|(?<!peer )(?<!peer-)reviews?|overview|meta-?analys[ei]s"
        r"|state[- ]of[- ]the[- ]art|tutorial|primer|roadmap|perspectives?)\b",
        re.IGNORECASE,
    ),
    PaperTag.EMPIRICAL: re.compile(
        r"\b(?:trials?|experiments?|experimental|empirical(?:ly)?|cohorts?|case[- ]control"
        r"|randomi[sz]ed|cross-sectional|longitudinal|observational|field study|user study"
        r"|interviews?|questionnaires?|participants|patients)\b",
        re.IGNORECASE,
    ),
    PaperTag.THEORETICAL: re.compile(
        r"\b(?:theorems?|(?:lower|upper|error|generali[sz]ation) bounds?|bounds? (?:on|for)|proofs?"
        r"|theory|theoretical|convergence|axioms?|lemma|conjecture|complexity of)\b",
        re.IGNORECASE,
    ),
    PaperTag.DATASET: re.compile(
        r"\b(?:data ?sets?|data-sets?|benchmarks?|corpora"
        r"|corpus(?! (?:callosum|luteum|striatum|cavernosum))|database)\b",
        re.IGNORECASE,
    ),
}
_TAG_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_ABSTRACT_WORDS: dict[PaperTag, frozenset[str]] = {
    PaperTag.METHOD: frozenset(("method", "approach", "framework", "algorithm", "architecture")),
    PaperTag.REVIEW: frozenset(
        ("survey", "review", "reviews", "overview", "meta-analysis", "tutorial")
    ),
    PaperTag.EMPIRICAL: frozenset(
        (
            *("trial", "trials", "experiments", "empirical", "empirically", "cohort"),
            *("randomised", "randomized", "cross-sectional", "longitudinal", "interviews"),
        )
    ),
    PaperTag.THEORETICAL: frozenset(("theorem", "theorems", "proof", "lemma", "conjecture")),
    PaperTag.DATASET: frozenset(("dataset", "datasets", "benchmark", "corpus", "corpora")),
}
"""Fewer cues than for titles: abstracts of every kind of paper speak of models and systems."""


class RelevanceScorer:
    """Judges papers, by a model if there is one, else by their words.

    Args:
        llm: None: by algorithm.
        batch_size: papers in one question; those of a question may steer each other's grades.
        max_concurrency: questions at once.
    """

    def __init__(
        self, llm: LLMProvider | None = None, batch_size: int = 10, max_concurrency: int = 5
    ) -> None:
        self._llm = llm
        self._batch_size = max(1, batch_size)
        self._max_concurrency = max(1, max_concurrency)

    @property
    def model(self) -> str | None:
        return name_of(self._llm)

    @property
    def uses_model(self) -> bool:
        return self._llm is not None

    def by_words(
        self, papers: Sequence[RawPaper], intent: ParsedIntent, marked: Sequence[MarkedPaper] = ()
    ) -> list[ScoredPaper]:
        lexical = verdicts(papers, documents_of(papers), intent)
        by_person = with_marks(papers, _with_named(papers, lexical, intent), marked)
        return [_by_words(paper, verdict) for paper, verdict in zip(papers, by_person, strict=True)]

    async def score(
        self,
        papers: list[RawPaper],
        intent: ParsedIntent,
        marked: Sequence[MarkedPaper] = (),
        *,
        cache: JudgementCache | None = None,
        most: int | None = None,
    ) -> list[ScoredPaper]:
        """Return every paper with its score in [0, 1] and a reason that a person can check.

        As many as given, in the same order, in which a model judges them, too. A paper that the
        model did not judge is unjudged: it keeps the score by its words, and the reason begins
        "Scoring unavailable" and says why.

        `marked`: papers that a person marked: they get what the person said. `cache`: of judgements
        that were paid for before. `most`: judge so many at most, the first ones; None for all.
        """
        if self._llm is None or not papers:
            return self.by_words(papers, intent, marked)
        lexical = verdicts(papers, documents_of(papers), intent)
        marked_ids = {mark.id for mark in marked}
        entries = [
            Entry(number, PromptPaper.of(paper))
            for number, paper in enumerate(papers)
            if not marked_ids & {paper.id, *paper.merged_from}
            and not is_named(paper, intent.identifiers)
        ]
        entries, rest = entries[:most], entries[most:] if most is not None else []
        cached = _Cached(self._llm, intent, cache)
        judging = Judging(
            self._llm,
            cached.question,
            cached.criteria,
            marked,
            self._batch_size,
            self._max_concurrency,
            store=cached.store,
            judgements=await cached.judgements(entries),
            reasons={entry.number: NOT_NEEDED for entry in rest},
        )
        await judging.judge([e for e in entries if e.number not in judging.judgements])
        by_person = with_marks(papers, _with_named(papers, lexical, intent), marked)
        scored = [_by_words(*pair) for pair in zip(papers, by_person, strict=True)]
        for number in (entry.number for entry in (*entries, *rest)):
            judgement, reason = judging.judgements.get(number), judging.reasons.get(number, "")
            scored[number] = _combined(papers[number], lexical[number], judgement, reason)
        return scored


class _Cached:
    """The cached judgements of one call, and those that it adds."""

    def __init__(
        self, llm: LLMProvider, intent: ParsedIntent, cache: JudgementCache | None
    ) -> None:
        self.question = intent.question or intent.topic
        self.criteria = criteria_of(intent)
        self._cache = cache
        self._model, self._prompt = model_name(llm), prompt_digest()
        self._keys: dict[int, str] = {}

    async def judgements(self, entries: Sequence[Entry]) -> dict[int, Judgement]:
        if self._cache is None:
            return {}
        about = (self.question, self.criteria, self._model, self._prompt)
        self._keys = {entry.number: key_of(entry.paper, *about) for entry in entries}
        rows = await self._cache.get(list(self._keys.values()))
        by_number = {n: from_row(rows.get(key), self.criteria) for n, key in self._keys.items()}
        return {
            number: judgement for number, judgement in by_number.items() if judgement is not None
        }

    async def store(self, judgements: Mapping[int, Judgement | None]) -> None:
        if self._cache is not None and judgements:
            rows = {self._keys[n]: to_row(j) if j else {} for n, j in judgements.items()}
            await self._cache.put(rows)


def _by_words(paper: RawPaper, verdict: Verdict) -> ScoredPaper:
    return ScoredPaper(
        paper=paper,
        relevance_score=verdict.score,
        relevance_reason=_flagged(verdict.reason, is_flagged=is_suspicious(*_texts(paper))),
        tags=tags_of(paper.title, paper.abstract),
        whole_concepts=verdict.whole_concepts,
    )


def _combined(
    paper: RawPaper, by_words: Verdict, judgement: Judgement | None, failure: str
) -> ScoredPaper:
    is_flagged = is_suspicious(*_texts(paper))
    if judgement is None:
        return ScoredPaper(
            paper=paper,
            relevance_score=by_words.score,
            relevance_reason=_flagged(
                f"Scoring unavailable: {failure}; {by_words.reason}", is_flagged=is_flagged
            ),
            tags=tags_of(paper.title, paper.abstract),
            is_judged=False,
            unjudged_because=failure,
            whole_concepts=by_words.whole_concepts,
        )
    score = by_words.limited * judgement.score
    reason = "; ".join(filter(None, [judgement.reason, by_words.outside]))
    return ScoredPaper(
        paper=paper,
        # A text that gives orders to a model gets no more than its words earn.
        relevance_score=min(score, by_words.score) if is_flagged else score,
        relevance_reason=_flagged(reason, is_flagged=is_flagged),
        tags=judgement.tags,
        grades=judgement.grades,
        whole_concepts=by_words.whole_concepts,
    )


def _texts(paper: RawPaper) -> list[str | None]:
    return [paper.title, paper.abstract, paper.snippet, paper.venue, *paper.keywords]


def _flagged(reason: str, *, is_flagged: bool) -> str:
    if not is_flagged:
        return reason
    instructions = "the record seems to contain instructions to the program; read it yourself"
    return f"{reason} [{SUSPICIOUS}: {instructions}]"


def _with_named(
    papers: Sequence[RawPaper], lexical: Sequence[Verdict], intent: ParsedIntent
) -> list[Verdict]:
    """Return the verdicts; a paper that the question names is what it asks for."""
    reason = "the question names this paper"
    return [
        replace(verdict, score=RELEVANT_FLOOR, reason=reason)
        if is_named(paper, intent.identifiers)
        else verdict
        for paper, verdict in zip(papers, lexical, strict=True)
    ]


def with_marks(
    papers: Sequence[RawPaper], lexical: Sequence[Verdict], marked: Sequence[MarkedPaper]
) -> list[Verdict]:
    """Return the verdicts, those of marked papers as the person said; the latest mark counts.

    A mark changes no other paper's score: what resembles it is moved in the order of the result.
    """
    marks = {mark.id: mark.is_relevant for mark in marked}
    return [
        next(
            (
                _as_marked(verdict, is_relevant=marks[name])
                for name in (paper.id, *paper.merged_from)
                if name in marks
            ),
            verdict,
        )
        for paper, verdict in zip(papers, lexical, strict=True)
    ]


def _as_marked(verdict: Verdict, *, is_relevant: bool) -> Verdict:
    if is_relevant:
        score, note = max(verdict.score, RELEVANT_FLOOR), "marked relevant by you"
    else:
        score, note = min(verdict.score, IRRELEVANT_CEILING), "marked irrelevant by you"
    reason = f"{note}; {verdict.reason}" if verdict.reason else note
    return replace(verdict, score=score, reason=reason)


def tags_of(title: str, abstract: str | None) -> list[PaperTag]:
    """Return the tags whose cue words stand in the title, or plainly in the abstract.

    The title decides if it says anything; else the first third of the abstract does, where papers
    say what they are.
    """
    tags = [tag for tag, cue in _TAG_CUES.items() if cue.search(title)]
    if tags or not abstract:
        return tags
    opening = abstract[: max(len(abstract) // 3, 300)].lower()
    words = set(_TAG_WORD.findall(opening))
    return [tag for tag, cues in _ABSTRACT_WORDS.items() if not words.isdisjoint(cues)]
