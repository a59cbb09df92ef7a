"""What of a paper speaks of the subject of a search."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from paper_search.models import Criterion, ParsedIntent
from paper_search.skills.judging.question import Shown
from paper_search.skills.judging.speech import SPEECH_WORDS
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.variants import variants
from paper_search.skills.words import stem_set, tokens, words_in

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|(?<=[。！？；])")
_PART_OF_TITLE = re.compile(r"(?<=[.:;!?])\s+|\s(?=[-\u2013\u2014|]\s)|(?<=[。！？；：])")
_OF_MATCHES = frozenset(
    words_in(
        """
    answer answered answers answering asked asks company companions criterion criteria fit fits
    group groups happy kind match matched matches meet meets met one person reader sought surrounds
    two three whatever
    """
    )
)
"""Words of texts that claim to be what is wanted."""
_STOPS = stem_set(STOP_WORDS)
_SPEECH = stem_set(SPEECH_WORDS | _OF_MATCHES) | _STOPS


@dataclass(frozen=True)
class Subject:
    """The words of a search.

    Attributes:
        stems: a sentence with one of them speaks of the subject.
    """

    stems: frozenset[str]

    @classmethod
    def of(cls, intent: ParsedIntent, criteria: Sequence[Criterion]) -> Subject:
        """Return the words of the concepts, of their other names and of the criteria."""
        concepts = [
            *intent.concepts,
            *itertools.chain(*intent.alternatives.values()),
        ]
        names = [*concepts, *(name for concept in concepts for name in variants(concept))]
        said = [intent.question or "", intent.topic, *(criterion.text for criterion in criteria)]
        return cls(stem_set(names) - _STOPS | stem_set(said) - _SPEECH)

    def part_of(self, shown: Shown) -> Shown:
        """Return a paper without the sentences that name nothing of the subject or its title.

        Parts of the title count as sentences, unless nothing would be left of it. The venue goes
        with them: no grade may rest on it.
        """
        parts = _PART_OF_TITLE.split(shown.title)
        title = " ".join(part for part in parts if self._names(part)) or shown.title
        by_title = Subject(self.stems | stem_set([title]) - _SPEECH)
        sentences = _SENTENCE.split(shown.abstract or "")
        abstract = " ".join(sentence for sentence in sentences if by_title._names(sentence)) or None
        return replace(shown, title=title, abstract=abstract, venue=None)

    def is_whole(self, shown: Shown) -> bool:
        """Whether every sentence of a paper speaks of the subject."""
        part = self.part_of(shown)
        return (part.title, part.abstract) == (shown.title, shown.abstract)

    def _names(self, text: str) -> bool:
        return not self.stems.isdisjoint(tokens(text))
