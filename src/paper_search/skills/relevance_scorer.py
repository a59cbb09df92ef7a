"""The skill that scores the relevance of papers to an intent."""

import re
from collections.abc import Iterator, Sequence
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
from paper_search.skills.judging.judgement import Judgement, JudgementCache
from paper_search.skills.judging.question import PromptPaper, criteria_of
from paper_search.skills.judging.run import Judging
from paper_search.skills.known_papers import is_named
from paper_search.skills.lexical import Verdict, verdicts
from paper_search.skills.untrusted import SUSPICIOUS, is_suspicious

RELEVANT_FLOOR, IRRELEVANT_CEILING = 0.95, 0.05
"""Scores of papers marked relevant (or named in the question) and irrelevant."""

_TAG_CUES = {
    tag: re.compile(rf"\b(?:{cues})\b", re.IGNORECASE)
    for tag, cues in {
        PaperTag.METHOD: r"methods?|approach(?:es)?|frameworks?|models?|algorithms?|architectures?"
        r"|techniques?|procedure|pipeline|system|toolkit|software",
        PaperTag.REVIEW: r"surveys?|(?<!peer )(?<!peer-)reviews?|overview|meta-?analys[ei]s"
        r"|state[- ]of[- ]the[- ]art|tutorial|primer|roadmap|perspectives?",
        PaperTag.EMPIRICAL: r"trials?|experiments?|experimental|empirical(?:ly)?|cohorts?"
        r"|case[- ]control|randomi[sz]ed|cross-sectional|longitudinal|observational|field study"
        r"|user study|interviews?|questionnaires?|participants|patients",
        PaperTag.THEORETICAL: r"theorems?|(?:lower|upper|error|generali[sz]ation) bounds?"
        r"|bounds? (?:on|for)|proofs?|theory|theoretical|convergence|axioms?|lemma|conjecture"
        r"|complexity of",
        PaperTag.DATASET: r"data ?sets?|data-sets?|benchmarks?|corpora"
        r"|corpus(?! (?:callosum|luteum|striatum|cavernosum))|database",
    }.items()
}
_TAG_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_ABSTRACT_WORDS = {
    tag: frozenset(words.split())
    for tag, words in {
        PaperTag.METHOD: "method approach framework algorithm architecture",
        PaperTag.REVIEW: "survey review reviews overview meta-analysis tutorial",
        PaperTag.EMPIRICAL: "trial trials experiments empirical empirically cohort randomised"
        " randomized cross-sectional longitudinal interviews",
        PaperTag.THEORETICAL: "theorem theorems proof lemma conjecture",
        PaperTag.DATASET: "dataset datasets benchmark corpus corpora",
    }.items()
}
"""Fewer cues than for titles, since any abstract may mention models and systems."""


class RelevanceScorer:
    """Scores papers with a model, `batch_size` per request, or by their words if there is none."""

    def __init__(
        self, llm: LLMProvider | None = None, batch_size: int = 10, max_concurrency: int = 5
    ) -> None:
        self._llm = llm
        self._batch_size = max(1, batch_size)
        self._max_concurrency = max(1, max_concurrency)

    @property
    def model(self) -> str | None:
        return name_of(self._llm)

    def by_words(
        self, papers: Sequence[RawPaper], intent: ParsedIntent, marked: Sequence[MarkedPaper] = ()
    ) -> list[ScoredPaper]:
        by_person = _by_person(papers, verdicts(papers, intent), intent, marked)
        return list(map(_scored_paper, papers, by_person))

    def unjudged(
        self, papers: Sequence[RawPaper], intent: ParsedIntent, reason: str
    ) -> list[ScoredPaper]:
        """Return papers with their score by words, and why they have no other."""
        lexical = verdicts(papers, intent)
        return [_scored_paper(*pair, failure=reason) for pair in zip(papers, lexical, strict=True)]

    async def score(
        self,
        papers: list[RawPaper],
        intent: ParsedIntent,
        marked: Sequence[MarkedPaper] = (),
        *,
        cache: JudgementCache | None = None,
        most: int | None = None,
    ) -> list[ScoredPaper]:
        """Return every paper, in the same order, with a score in [0, 1] and a reason.

        A paper that the model failed to judge keeps its score by words and is marked as unjudged;
        its reason begins with "Scoring unavailable". Only the first `most` papers are judged.
        """
        if self._llm is None or not papers:
            return self.by_words(papers, intent, marked)
        lexical = verdicts(papers, intent)
        marked_ids = {mark.id for mark in marked}
        numbers = [
            number
            for number, paper in enumerate(papers)
            if not marked_ids & {paper.id, *paper.merged_from}
            and not is_named(paper, intent.identifiers)
        ]
        first = numbers[:most]
        judging = Judging(
            self._llm,
            intent.question or intent.topic,
            criteria_of(intent),
            marked,
            self._batch_size,
            self._max_concurrency,
            cache,
            reasons=dict.fromkeys(numbers[len(first) :], NOT_NEEDED),
        )
        await judging.judge({number: PromptPaper.of(papers[number]) for number in first})
        scored = list(map(_scored_paper, papers, _by_person(papers, lexical, intent, marked)))
        for number in numbers:
            judgement, reason = judging.judgements.get(number), judging.reasons.get(number, "")
            scored[number] = _scored_paper(papers[number], lexical[number], judgement, reason)
        return scored


def _scored_paper(
    paper: RawPaper,
    by_words: Verdict,
    judgement: Judgement | None = None,
    failure: str | None = None,
) -> ScoredPaper:
    is_flagged = is_suspicious(
        paper.title, paper.abstract, paper.snippet, paper.venue, *paper.keywords
    )
    score, reason = by_words.score, by_words.reason
    if judgement is not None:
        failure = None
        score = by_words.limited * judgement.score
        # A text with instructions to a model gets at most its score by words.
        score = min(score, by_words.score) if is_flagged else score
        reason = "; ".join(filter(None, [judgement.reason, by_words.outside]))
    elif failure is not None:
        reason = f"Scoring unavailable: {failure}; {reason}"
    if is_flagged:
        instructions = "the record seems to contain instructions to the program; read it yourself"
        reason = f"{reason} [{SUSPICIOUS}: {instructions}]"
    return ScoredPaper(
        paper=paper,
        relevance_score=score,
        relevance_reason=reason,
        tags=judgement.tags if judgement else tags_of(paper.title, paper.abstract),
        is_judged=failure is None,
        unjudged_because=failure,
        grades=judgement.grades if judgement else [],
        whole_concepts=by_words.whole_concepts,
        blocks=by_words.blocks,
    )


def _by_person(
    papers: Sequence[RawPaper],
    lexical: Sequence[Verdict],
    intent: ParsedIntent,
    marked: Sequence[MarkedPaper],
) -> Iterator[Verdict]:
    """Yield the verdicts, adjusted for papers that the person named or marked.

    The latest mark counts. A mark does not change the scores of similar papers, only their order.
    """
    marks = {mark.id: mark.is_relevant for mark in marked}
    for paper, verdict in zip(papers, lexical, strict=True):
        score, reason = verdict.score, verdict.reason
        if is_named(paper, intent.identifiers):
            score, reason = RELEVANT_FLOOR, "the question names this paper"
        names = (paper.id, *paper.merged_from)
        if (mark := next((marks[name] for name in names if name in marks), None)) is not None:
            score = max(score, RELEVANT_FLOOR) if mark else min(score, IRRELEVANT_CEILING)
            note = f"marked {'relevant' if mark else 'irrelevant'}"
            reason = f"{note}; {reason}" if reason else note
        yield replace(verdict, score=score, reason=reason)


def tags_of(title: str, abstract: str | None) -> list[PaperTag]:
    """Return the tags with cues in the title or, failing that, in a third of the abstract."""
    tags = [tag for tag, cue in _TAG_CUES.items() if cue.search(title)]
    if tags or not abstract:
        return tags
    opening = abstract[: max(len(abstract) // 3, 300)].lower()
    words = set(_TAG_WORD.findall(opening))
    return [tag for tag, cues in _ABSTRACT_WORDS.items() if not words.isdisjoint(cues)]
