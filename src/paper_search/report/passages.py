"""The sentences of the sources that best match a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from paper_search.report.evidence import LONGEST, Evidence, Sentence
from paper_search.report.models import Quote, SearchResult
from paper_search.report.polarity import groups
from paper_search.skills.intent.phrases import key_phrases
from paper_search.skills.stop_words import GENERIC, STOP_WORDS
from paper_search.skills.variants import variants
from paper_search.skills.words import tokens

VERBS = frozenset(
    tokens(
        "affect alleviate cause detect determine enable enhance explain improve increase influence "
        "lead learn predict prevent promote reduce relieve replace solve"
    )
)
"""What stands between two things in a question; no part of the name of either."""
_AT_THE_END = frozenset(
    tokens(
        "better change differ effective effectively help lower name safe superior treat work worse"
    )
)
"""What is said of a thing when it stands behind it; in front it may be part of its name."""
_ONLY_VERBS = frozenset({"help", "helps", "treat", "treats"})
_COMPARING = frozenset({"better", "fewer", "less", "more", "other", "worse"})
_ING = ("ing", "ion")
"""Nouns that have the stems of verbs: "learning", "prediction"."""


def without_verbs(concept: str) -> list[str]:
    """Return the parts of a phrase between its verbs: "trees lower heat" is "trees" and "heat"."""
    parts: list[list[str]] = [[]]
    for word in concept.split():
        if _is_of(word, VERBS) or word.casefold() in _ONLY_VERBS:
            parts.append([])
        else:
            parts[-1].append(word)
    for part in parts:
        while len(part) > 1 and _is_of(part[-1], _AT_THE_END):
            part.pop()
        while len(part) > 1 and part[0].casefold() in _COMPARING:
            del part[0]
    kept = [" ".join(part) for part in parts if part]
    return kept or [concept]


def _is_of(word: str, stems: frozenset[str]) -> bool:
    return not word.casefold().endswith(_ING) and bool(stems.intersection(tokens(word)))


WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
"""A word as a sentence spells it, with its hyphens and apostrophes."""
MIN_MATCH = 0.3
"""Of the weight of the question's concepts that a sentence and its title have to cover."""
_SHORTEST = 5
"""Words of a sentence that says something."""
_IN_TITLE_ONLY = 0.45
"""What a concept counts that only the title of the source has."""
_RELEVANCE = 0.25
"""Share of the source's own relevance in the rank of its sentence."""
_ASPECT = 0.2
"""What a sentence gains that has the aspect that is asked for."""

_BACKGROUND = -0.3
"""What a sentence loses that says why or how a study was done, where it is asked what came out."""
_CONCLUDING = 0.1
"""What a sentence gains there in the last third of its text."""
_LAST_THIRD = 2 / 3
_TITLE_MATCH = 0.5
"""As `MIN_MATCH`, where there is nothing but a title."""
_RESULTS = re.compile(r"\b(?:report|results?|effects?|outcomes?|benefits?)\b", re.IGNORECASE)
_AIM = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|hypothesi[sz]ed?|in order to|goal|to (?:assess"
    r"|determine|evaluate|examine|investigate|study|test|compare|explore))\b"
    r"|^(?:in this (?:paper|article|study|work)|this (?:paper|article|study|open trial)) ",
    re.IGNORECASE,
)
_NO_RESULT = re.compile(
    r"\b(?:few|paucity|little is known|despite the|has been less|crucial|is used (?:for|in|to)"
    r"|is common|(?:was|were|are) (?:conducted|designed|undertaken|carried out|compared|studied"
    r"|randomi[sz]ed|enrolled|recruited|assessed|measured|included|searched|reviewed|analy[sz]ed)"
    r"|we (?:conducted|enrolled|assigned|randomi[sz]ed|gave|measured?|examined?|investigated?"
    r"|stud(?:y|ied)|compared?|review(?:ed)?"
    r"|searched|used?|propose|present|introduce|develop(?:ed)?|describe|recruited|evaluated?"
    r"|tested|analy[sz]ed?|collected|included))\b|^to ",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"\b(?:found|finds?|show(?:s|ed|n)?|demonstrate[ds]?|conclude[ds]?|reveal(?:s|ed)|outperform\w*"
    r"|improv\w+|increas\w+|decreas\w+|reduc\w+|lower(?:s|ed)?|reliev\w+|caus\w+|prevent\w*"
    r"|significant\w*|associated with|superior|inferior|better|worse|higher|achiev\w+|effective"
    r"|(?:is|are|was|were|does|do|did|can) not)\b|\d\s?%|\bp\s?[<=]",
    re.IGNORECASE,
)
"""Of a sentence that says what came out, even if it begins with how it was studied."""
_ASKING = frozenset(
    tokens(
        "applications approaches aspects changed comparisons concluded data developed effects "
        "limitations methods open problems reported research results reviews settings sources "
        "states study studied techniques years work used"
    )
)
"""Stems by which a sub-question asks; the subject is in its other words."""

_ASPECTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(said, re.IGNORECASE))
    for asked, said in (
        (
            r"\b(?:methods?|data|approach|techniques?|studied|designs?)\b",
            (
                r"\b(?:methods?|approach|model|algorithm|data(?:set|sets)?|sample|trial|cohort|survey"
                r"|experiment|we (?:propose|develop|introduce|use|used|present)|randomi[sz]ed)\b"
            ),
        ),
        (
            r"\b(?:results?|effects?|outcomes?|impacts?|benefits?|findings?|reported)\b",
            (
                r"\b(?:results?|show(?:s|ed|n)?|found|improv\w+|increas\w+|decreas\w+|reduc\w+"
                r"|outperform\w*|effects?|associat\w+|significant\w*|conclu\w+)\b|\d\s?%|\bp\s?[<=]"
            ),
        ),
        (
            r"\b(?:limit\w*|open problems?|challenges?|risks?|barriers?|gaps?)\b",
            (
                r"\b(?:limit\w*|however|challeng\w+|lack\w*|remain\w*|unclear|unknown|future|difficult\w*"
                r"|fail\w*|despite|although|risk|bias)\b"
            ),
        ),
        (
            r"\b(?:reviews?|comparisons?|compare)\b",
            r"\b(?:review\w*|survey|meta-analys\w+|compar\w+|systematic|overview)\b",
        ),
        (
            r"\b(?:applications?|settings?|practice|uses?)\b",
            r"\b(?:appl\w+|used (?:for|in|to)|setting|practice|real-world|deploy\w*|case study)\b",
        ),
        (
            r"\b(?:years?|change|trend|history|develop\w*)\b",
            r"\b(?:(?:19|20)\d\d|recent\w*|trend|since|decade|emerg\w+|growing)\b",
        ),
    )
)


@dataclass(frozen=True)
class Passage:
    """A sentence of a source, or its title where it has no text."""

    result: SearchResult
    sentence: Sentence
    part: str
    match: float
    """Share of the question's concepts that it covers."""
    rank: float
    missing: tuple[str, ...] = ()
    """Concepts of the question that neither the sentence nor its title names."""
    is_answer: bool = False
    """Whether it names all concepts and has the aspect that is asked for."""

    @property
    def is_background(self) -> bool:
        """Whether it says why or how a study was made rather than what it found."""
        return is_background(self.sentence.text)

    @property
    def quote(self) -> Quote:
        """Return the passage with its place."""
        return Quote.model_validate(
            {
                "result_id": self.result.result_id,
                "text": self.sentence.text,
                "part": self.part,
                "start": self.sentence.start,
                "end": self.sentence.end,
            }
        )


class PassageFinder:
    """Ranks sentences by how much of a question they cover, rare words first.

    `focus`: words that a person wants to read more of; they count like those of a question.
    """

    def __init__(self, evidence: Evidence, focus: str = "") -> None:
        self._evidence = evidence
        self._focus = frozenset(content_stems(focus))

    def passages(self, question: str, shared: Sequence[str] = ()) -> list[Passage]:
        """Return the passages that match a question, best first.

        `shared`: concepts of the whole, which count where the question names none itself.
        """
        wanted = _Wanted.of(question, shared, self._weights)
        found: list[Passage] = []
        for result in self._evidence.relevant:
            found += self._of(result, wanted)
        found.sort(
            key=lambda passage: (-passage.rank, passage.result.result_id, passage.sentence.start)
        )
        return found

    def names_all(self, question: str, shared: Sequence[str], quote: Quote) -> bool:
        """Whether a source names all that a sub-question has of the question itself.

        What a sub-question adds ("long-term safety") may be said in other words.
        """
        wanted = _Wanted.of(question, shared, self._weights)
        result = self._evidence.by_id[quote.result_id]
        missing = wanted.missing(f"{result.title}. {result.text}", "")
        whole = set(content_stems(" ".join(shared)))
        quoted = f" {' '.join(tokens(f'{quote.text} {result.title}'))} "
        lacking = [name for name in missing if whole & set(content_stems(name))]
        return not lacking and wanted.has_own(quoted)

    def _of(self, result: SearchResult, wanted: _Wanted) -> list[Passage]:
        title = " ".join(tokens(result.title))
        own = self._evidence.sentences.get(result.result_id, [])
        if not own and not result.metadata.get("is_suspicious"):
            plain = Sentence(result.title, 0, len(result.title))
            match = wanted.cover(f" {title} ", "")
            if match < _TITLE_MATCH:
                return []
            missing = wanted.missing(result.title, "")
            is_answer = not missing and wanted.is_answered_by(result.title)
            is_answer = is_answer and _FOUND.search(result.title) is not None
            return [Passage(result, plain, "title", match, match, missing, is_answer)]
        found = []
        for sentence in own:
            if len(sentence.text) > LONGEST or len(sentence.text.split()) < _SHORTEST:
                continue
            text = f" {' '.join(tokens(sentence.text))} "
            match = wanted.cover(text, f" {title} ")
            if match < MIN_MATCH or not wanted.has_own(text):
                continue
            rank = match + _RELEVANCE * result.relevance_score
            rank += _ASPECT if wanted.has_aspect(sentence.text) else 0.0
            rank += _ASPECT if self._focus & sentence.stems else 0.0
            if wanted.is_after_results:
                rank += _BACKGROUND if is_background(sentence.text) else 0.0
                rank += _CONCLUDING if sentence.start > _LAST_THIRD * len(result.text) else 0.0
            missing = wanted.missing(sentence.text, result.title)
            is_answer = not missing and wanted.is_answered_by(sentence.text)
            found.append(Passage(result, sentence, "text", match, rank, missing, is_answer))
        return found

    @cached_property
    def _weights(self) -> dict[str, float]:
        """Return the weight of each stem: the rarer among the sources, the more."""
        counts: Counter[str] = Counter()
        for source in self._evidence.usable:
            counts.update(set(tokens(f"{source.title} {source.text}")))
        total = len(self._evidence.usable) + 1
        return {stem: math.log(1 + total / (0.5 + count)) for stem, count in counts.items()}


@dataclass(frozen=True)
class _Wanted:
    """What a question asks for."""

    concepts: tuple[tuple[tuple[str, ...], float], ...]
    """For each concept its forms, as " a b c ", and its weight."""
    aspect: re.Pattern[str] | None
    is_after_results: bool = False
    """Whether it asks what came out of studies, not how or why they were made."""
    names: tuple[str, ...] = ()
    """Of the concepts, as they are asked for."""

    @classmethod
    def of(cls, question: str, shared: Sequence[str], weights: dict[str, float]) -> _Wanted:
        named = _concepts(key_phrases(question))
        own = named or _concepts(shared)
        concepts = []
        for name in own:
            stems = content_stems(name)
            forms = dict.fromkeys(
                f" {' '.join(tokens(form))} " for form in (name, *variants(name)) if tokens(form)
            )
            weight = sum(weights.get(stem, 1.0) for stem in stems) / max(1, len(stems))
            concepts.append((tuple(forms), weight))
        aspects = [said for asked, said in _ASPECTS if asked.search(question)]
        first = aspects[0] if aspects else None
        is_after_results = first is None or _RESULTS.search(question) is not None
        return cls(tuple(concepts), first, is_after_results, tuple(own))

    def missing(self, text: str, title: str) -> tuple[str, ...]:
        """Return the concepts that a sentence and its title do not name; all, if it has few.

        The title may name what the sentence leaves out, but not more than half of it.
        """
        in_text = [self._names(index, text) for index in range(len(self.names))]
        either = [is_in or self._names(n, title) for n, is_in in enumerate(in_text)]
        is_enough = 2 * sum(in_text) >= len(in_text)
        return tuple(
            name
            for name, is_in, is_either in zip(self.names, in_text, either, strict=True)
            if not (is_either if is_enough else is_in)
        )

    def _names(self, index: int, text: str) -> bool:
        forms, _ = self.concepts[index]
        plain = f" {' '.join(tokens(text))} "
        if any(form in plain for form in forms) or groups(self.names[index]) & groups(text):
            return True
        words = [word for word in forms[0].split() if word not in STOP_WORDS] if forms else []
        return bool(words) and all(f" {word} " in plain for word in words)

    def is_answered_by(self, text: str) -> bool:
        """Whether a sentence has the aspect that is asked for, or says what came out."""
        if self.is_after_results:
            return not is_background(text)
        return self.has_aspect(text)

    def cover(self, text: str, title: str) -> float:
        """Return the share of the concepts' weight that text, and less so title, have."""
        total = sum(weight for _, weight in self.concepts)
        if not total:
            return 0.0
        have = 0.0
        for forms, weight in self.concepts:
            have += weight * max(_cover(forms, text), _IN_TITLE_ONLY * _cover(forms, title))
        return have / total

    def has_own(self, text: str) -> bool:
        """Whether the sentence itself has part of a concept."""
        return any(_cover(forms, text) > 0 for forms, _ in self.concepts)

    def has_aspect(self, text: str) -> bool:
        """Whether the sentence is on what is asked about the concepts."""
        return self.aspect is not None and self.aspect.search(text) is not None


def _concepts(phrases: Sequence[str]) -> list[str]:
    """Return what is asked about: without verbs, and without the words in which it is asked."""
    parts = (part for phrase in phrases for part in without_verbs(phrase))
    return [part for part in parts if set(content_stems(part)) - _ASKING]


def _cover(forms: Sequence[str], text: str) -> float:
    """Return how much of a concept a text has: a form of it whole, or some of its words."""
    if any(form in text for form in forms):
        return 1.0
    words = [word for word in forms[0].split() if word not in STOP_WORDS] if forms else []
    having = sum(f" {word} " in text for word in words)
    return 0.8 * having / len(words) if len(words) > 1 else 0.0


def by_source(passages: Iterable[Passage]) -> list[Passage]:
    """Return the first passage of each source."""
    best: dict[str, Passage] = {}
    for passage in passages:
        best.setdefault(passage.result.result_id, passage)
    return list(best.values())


def is_background(text: str) -> bool:
    """Whether a sentence says why or how a study was made rather than what came out."""
    is_design = _NO_RESULT.search(text) is not None and not _FOUND.search(text)
    return is_design or _AIM.search(text) is not None


def content_stems(text: str) -> list[str]:
    """Return the stems of a text's words that mean something."""
    skipped = STOP_WORDS | GENERIC
    words = WORD.findall(text.casefold())
    kept = [word for word in words if word not in skipped and len(word) > 1]
    return list(dict.fromkeys(stem for word in kept for stem in tokens(word)))
