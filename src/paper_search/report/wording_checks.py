"""What code can say of the words of a sentence: names, kinds of evidence, certainty, direction."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache

from paper_search.report.claims import Claim
from paper_search.report.models import SearchResult
from paper_search.report.numbers import quantities
from paper_search.report.passages import WORD
from paper_search.report.polarity import clauses, denies, direction, groups
from paper_search.report.subject import PLAIN, Fault, Subject, said_by, telling, words_of
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.words import tokens

_TITLED = r"(?:Dr|Prof|Professor|Sir|Mr|Mrs|Ms)\.? "
_CAPITALS = re.compile(
    rf"(?:{_TITLED})?\b[A-ZÀ-Þ][\w'’&-]*"
    r"(?: (?:of the |of |for |and |de |van |von )?[A-ZÀ-Þ][\w'’&-]*)*"
)
_SHORT = re.compile(r"[A-ZÀ-Þ]{3,6}")
"""A name in initials, such as WHO, which may spell a common word."""
_SAYING = re.compile(
    r"^,? ?(?:['’]s)? ?(?:(?:team|group|(?:and )?colleagues|researchers?|University|trial|study"
    r"|review|guidelines?) )?(?:show|find|found|says?|said|argue|write|wrote|report|confirm"
    r"|conclude|recommend|warn|ban|approv|claim|demonstrat|prove|state|suggest|declar|advis"
    r"|announc|endors)"
)
_KINDS = (
    r"meta[- ]?analys[ie]s", r"(?:systematic|umbrella|scoping|cochrane) reviews?",
    r"(?<!under )reviews?", r"randomi[sz]ed", r"double[- ]blind\w*", r"placebo[- ]controlled",
    r"guidelines?", r"consensus", r"longitudinal", r"cohorts?", r"experts?", r"surveys?",
    r"statistically significant", r"significant(?:ly)?",
)  # fmt: skip
_KIND = re.compile("|".join(rf"\b{kind}\b" for kind in _KINDS), re.IGNORECASE)
_CERTAIN = re.compile(
    r"\b(?:always|never|every(?:one|body)?|all|prov(?:e|es|ed|en)|guarante\w+|certain(?:ly)?|undoubtedly"
    r"|cur(?:e|es|ed|ing)|kill(?:s|ed)?|lethal|deadly|fatal|eliminat\w+|eradicat\w+|ban(?:s|ned)?"
    r"|miracl\w+|impossible|must|universal\w*|no doubt|invariably|completely|perfect\w*)\b",
    re.IGNORECASE,
)
_TITLES = frozenset({"dr", "prof", "professor", "sir", "mr", "mrs", "ms"})
_NO_NAMES = frozenset(
    WORD.findall(
        "january february march april may june july august september october november december "
        "table figure section question overall summary finally first second third fig"
    )
)
_MOSTLY = 0.5
_ALIKE = 0.6
"""Share of a clause's words that the clause of a source has which is about the same."""


def unknown_names(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find persons, organisations and works that the cited source does not name."""
    if claim.is_heading:
        return
    text = subject.own_words(claim)
    cited = subject.cited(claim) or (subject.evidence.results if not claim.is_claim else [])
    planned = words_of(subject.planned)
    for name in _names(text, subject.evidence.families):
        if _is_named(name, _words(cited) | planned, cited):
            continue
        everywhere = subject.evidence.results
        if _is_named(name, _words(everywhere), everywhere):
            reason = f"The cited source does not name “{name}”"
            yield Fault(claim, "accuracy", "major", reason, "Cite the source that names it.")
        else:
            reason = f"No source names “{name}”"
            yield Fault(claim, "accuracy", "critical", reason, "Leave out what no source names.")


def _names(text: str, families: Collection[str]) -> Iterator[str]:
    """Return what is written with capitals, without the first word of the sentence.

    That counts, too, if it is in capitals only, an author's name, or says or does something.
    """
    for match in _CAPITALS.finditer(text):
        words = match.group().split()
        is_short = len(words) == 1 and _SHORT.fullmatch(words[0]) is not None
        while not is_short and words and words[0].casefold() in STOP_WORDS | _NO_NAMES:
            words.pop(0)
        name = " ".join(words).rstrip("'’-&")
        if len(name) < 2 or set(tokens(name)) <= PLAIN:  # noqa: PLR2004  # a letter is no name
            continue
        is_first = not any(character.isalnum() for character in text[: match.start()])
        is_plain = len(words) == 1 == len(match.group().split()) and not name[1:2].isupper()
        is_telling = name.casefold() in families or _SAYING.match(text[match.end() :])
        if not (is_first and is_plain) or is_telling:
            yield name


def _is_named(name: str, words: set[str], results: Sequence[SearchResult]) -> bool:
    """Whether all words of a name are among these, or it is short for words of the sources."""
    parts = [part.casefold() for part in WORD.findall(re.sub(r"['’]s\b", "", name))]
    known = words | _TITLES | (frozenset() if _SHORT.fullmatch(name) else STOP_WORDS)
    if all(part in known for part in parts):
        return True
    letters = name.rstrip("s")
    if not letters.isupper():
        return all(set(tokens(part)) <= words for part in parts)
    said = (WORD.findall(said_by(result).casefold()) for result in results)
    initials = (
        "".join(word[0] for word in text if word.casefold() not in STOP_WORDS) for text in said
    )
    return any(letters.casefold() in text.casefold() for text in initials)


def _words(results: Sequence[SearchResult]) -> set[str]:
    """Return the words by which sources and their authors can be named, and their stems."""
    texts = [
        f"{said_by(result)} {' '.join(result.authors)} {result.metadata.get('venue') or ''}"
        for result in results
    ]
    words = words_of(texts)
    return (
        words
        | {part for word in words for part in word.split("-")}
        | {stem for text in texts for stem in tokens(text)}
    )


def _folded(text: str) -> str:
    return re.sub(r"[-\s]+", " ", text.casefold()).replace("randomis", "randomiz")


def _overlap(subjects: Collection[str], text: str) -> float:
    """Return the share of what a clause is about that a text has."""
    return len(set(subjects) & _subjects(text)) / max(1, len(subjects))


def unknown_kinds(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find kinds of study and of evidence that the cited source does not speak of."""
    cited = subject.cited(claim)
    if not cited or not claim.is_claim:
        return
    said = _folded(" ".join(said_by(result) for result in cited))
    for match in _KIND.finditer(subject.own_words(claim)):
        kind = match.group()
        if _folded(kind).rstrip("s")[:_KIND_CHARS] not in said:
            reason = f"The cited source says nothing of “{kind}”"
            yield Fault(claim, "accuracy", "major", reason, "Name the kind of study that it is.")


_KIND_CHARS = 11
"""By which "randomised" and "randomized", "significantly" and "significant" are the same."""


def overstated(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find words of certainty or finality that the cited source does not use."""
    cited = subject.cited(claim)
    if not cited or not claim.is_claim:
        return
    said = {stem for result in cited for stem in tokens(said_by(result))}
    for match in _CERTAIN.finditer(subject.own_words(claim)):
        if not set(tokens(match.group())) <= said:
            reason = f"The cited source does not say “{match.group()}”"
            yield Fault(claim, "accuracy", "major", reason, "Say it as the source does.")


def other_groups(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find people that a sentence is about and its source is not."""
    cited = subject.cited(claim)
    if not cited or not claim.is_claim:
        return
    there = groups(" ".join(said_by(result) for result in cited))
    for group in sorted(groups(subject.own_words(claim)) - there):
        reason = f"The cited source does not speak of {group}"
        yield Fault(claim, "accuracy", "major", reason, "Say of whom the source speaks.")


def reversed_claims(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find sentences that deny what their source says, or say what it denies."""
    cited = subject.cited(claim)
    if not cited or not claim.is_claim:
        return
    said = [
        clause
        for result in cited
        for sentence in subject.evidence.sentences.get(result.result_id, [])
        for clause in clauses(sentence.text)
    ]
    for own in clauses(subject.own_words(claim)):
        subjects = _subjects(own)
        alike = [other for other in said if _overlap(subjects, other) >= _ALIKE]
        if alike and subjects and all(_is_opposite(own, other) for other in alike):
            reason = "The source says the opposite"
            advice = "Say it as the source does."
            yield Fault(claim, "accuracy", "critical", reason, advice, status="contradicted")
            return


def _is_opposite(one: str, other: str) -> bool:
    return denies(one) is not denies(other) or direction(one) * direction(other) < 0


@lru_cache(maxsize=32768)
def _subjects(text: str) -> frozenset[str]:
    """Return the stems of what a clause is about: without which way it goes, with its numbers."""
    stems = frozenset(stem for stem, word in telling(text).items() if not direction(word))
    return stems | {str(quantity.value) for quantity in quantities(text)}


def absent_words(claim: Claim, subject: Subject) -> Iterator[Fault]:
    """Find sentences most of whose words the cited source does not have."""
    missing = subject.missing_words(claim)
    count = len(telling(subject.own_words(claim)))
    if missing and len(missing) > _MOSTLY * count:
        named = ", ".join(missing[:5])
        reason = f"The cited source does not have the words: {named}"
        yield Fault(claim, "accuracy", "major", reason, "Say what the source says.")


WORDING_CHECKS: tuple[Callable[[Claim, Subject], Iterator[Fault]], ...] = (
    unknown_names,
    unknown_kinds,
    overstated,
    other_groups,
    reversed_claims,
    absent_words,
)
