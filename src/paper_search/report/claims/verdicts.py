"""Verdicts of code on each sentence of a draft: supported, unsupported or not checked.

A sentence is supported if it consists of quotations. It is unsupported if a source, quotation,
quantity or name is missing from the cited sources. Judging its meaning is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from paper_search.bibliography.text import normalised_title
from paper_search.report.claims.bearing import bearing
from paper_search.report.claims.citations import (
    Foreign,
    cited_keys,
    closest_quote,
    foreign_citations,
    locate,
    locate_sentences,
    quotations,
    sources_saying,
    without_citations,
    without_quotations,
)
from paper_search.report.claims.numbers import quantities
from paper_search.report.evidence import Evidence, family_names, sentences
from paper_search.report.models import (
    Category,
    CheckedSentence,
    CritiqueItem,
    Quote,
    ResearchDraft,
    ReviewerInput,
    SearchResult,
    Severity,
)
from paper_search.skills.words import tokens, word_table

_SHOWN = 160
_TERM = 3
"""Maximum words of a quoted term, which may be in another form: “responders”, “responder”."""
_AROUND_QUOTATIONS = word_table("around quotations")
"""Words around a quotation that add no claim."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_RETRACTION = re.compile(r"retract|withdr[ae]w|fabricat|fraudulent|misconduct", re.IGNORECASE)
_NAME = r"[A-ZÀ-ÞŁŚŽČ][\w’'-]*\w"
_AUTHOR = re.compile(
    rf"\b({_NAME})(?: et al\b| and (?:colleagues|others)\b"
    r"|['’]s (?:team|group|trial|study|review)\b"
    r"| (?:argue|compare|conclude|demonstrate|examine|find|found|measure|note|observe|report|review"
    r"|say|said|show|state|studied|suggest|test|write|wrote)(?:e?[ds]|n)?\b)"
)
"""A name to which a claim is attributed."""
_PERSON = re.compile(rf"\b(?:Dr|Prof|Professor)\b\.? ({_NAME}(?: {_NAME}){{0,2}})")


@dataclass(frozen=True)
class Fault:
    statement: Statement
    category: Category
    severity: Severity
    reason: str
    """For readers of the sentence."""
    advice: str
    quoted: str = ""
    """Part of the sentence to repeat in the item; empty if the reason names it."""

    @property
    def item(self) -> CritiqueItem:
        reason = f"{self.reason}: “{excerpt(self.quoted)}”" if self.quoted else f"{self.reason}."
        return critique_item(
            self.category, self.severity, self.statement.place.location, reason, self.advice
        )


class Subject:
    def __init__(self, request: ReviewerInput) -> None:
        self.request = request
        self.evidence = Evidence(request.search_results)
        self.statements = list(statements(request.draft))

    @cached_property
    def plan_texts(self) -> list[str]:
        plan = self.request.research_plan
        queries = [query.query_text for query in plan.search_queries]
        texts = [plan.original_query, *plan.decomposed_questions]
        return [*texts, *plan.expected_sections, *queries]

    @cached_property
    def collected(self) -> list[str]:
        by_source = self.evidence.sentences.values()
        return [sentence.text for sentences in by_source for sentence in sentences]

    def cited(self, statement: Statement) -> list[SearchResult]:
        by_key = self.evidence.by_key
        return [by_key[key] for key in statement.keys if key in by_key]

    @cached_property
    def own_words(self) -> dict[Statement, str]:
        """Each sentence without its citations and without quotations from sources."""
        return {one: self._own_words(one.text) for one in self.statements}

    def _own_words(self, text: str) -> str:
        for quotation in reversed(quotations(text)):
            if sources_saying(quotation.text, self.evidence):
                blank = " " * (quotation.end - quotation.start)
                text = text[: quotation.start] + blank + text[quotation.end :]
        return without_citations(text)

    @cached_property
    def foreign(self) -> dict[Statement, list[Foreign]]:
        return {
            one: foreign_citations(own, self.evidence, self.cited(one))
            for one, own in self.own_words.items()
        }


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def faults(subject: Subject) -> list[Fault]:
    return [
        fault
        for statement in subject.statements
        for check in CHECKS
        for fault in check(statement, subject)
    ]


def verdicts(subject: Subject, findings: Sequence[Fault]) -> list[CheckedSentence]:
    by_statement: dict[Statement, list[Fault]] = {}
    for fault in findings:
        if fault.severity in {"critical", "major"}:  # others concern only the form
            by_statement.setdefault(fault.statement, []).append(fault)
    return [_verdict(one, subject, by_statement.get(one, [])) for one in subject.statements]


def _verdict(statement: Statement, subject: Subject, blocking: Sequence[Fault]) -> CheckedSentence:
    cited = subject.cited(statement)
    sentence = CheckedSentence(
        place=statement.place.name,
        start=statement.start,
        end=statement.end,
        text=statement.place.text[statement.start : statement.end],
        keys=list(statement.keys),
        checked_by="code",
        snippet=closest_quote(without_citations(statement.text), cited, subject.evidence),
    )
    if blocking:
        reasons = "; ".join(dict.fromkeys(fault.reason for fault in blocking))
        return sentence.model_copy(update={"status": "unsupported", "reason": reasons})
    is_repeatable = statement.is_heading or statement.text.endswith("?")
    if is_repeatable and _plain(statement.text) in set(map(_plain, subject.plan_texts)):
        return sentence.model_copy(update={"status": "of_the_report"})
    quote = word_for_word(statement, cited)
    if quote is not None:
        changes = {"status": "supported", "reason": "quoted word for word from the source"}
        return sentence.model_copy(update={**changes, "snippet": quote})
    reason = "not compared with its source" if cited else "it cites no source"
    return sentence.model_copy(update={"checked_by": "nobody", "reason": reason})


def word_for_word(statement: Statement, cited: Sequence[SearchResult]) -> Quote | None:
    """Return the place of a sentence that consists of whole sentences of all cited sources."""
    if not cited or any(result.is_retracted for result in cited):
        return None
    quoted = [quotation.text for quotation in quotations(statement.text)]
    names = [name for result in cited for name in (*result.authors, str(result.year or ""))]
    allowed_words = _AROUND_QUOTATIONS | {word for name in names for word in _plain(name).split()}
    plain = without_citations(statement.text)
    if quoted and not set(_plain(without_quotations(plain)).split()) <= allowed_words:
        return None
    places = [locate_sentences(words, result) for words in quoted or [plain] for result in cited]
    return places[0] if all(places) else None


def unresolved_citations(statement: Statement, subject: Subject) -> Iterator[Fault]:
    """Find citations of sources that were not collected, and citations in other formats."""
    advice = "Cite a source that exists."
    for key in statement.keys:
        if key not in subject.evidence.by_key:
            reason = f"Invented citation [@{key}]: no source of that key was collected"
            yield Fault(statement, "citation", "critical", reason, advice)
    for citation in subject.foreign[statement]:
        words = f"“{excerpt(citation.text)}”"
        if not citation.keys:
            reason = f"Invented citation {words}: no collected source matches it"
            yield Fault(statement, "citation", "critical", reason, advice)
        else:
            reason = f"{words} is not written as [@{citation.keys[0]}]"
            yield Fault(statement, "citation", "minor", reason, "Use this format.")


def retracted_sources(statement: Statement, subject: Subject) -> Iterator[Fault]:
    """Find citations of retracted works in sentences that do not mention the retraction."""
    if _RETRACTION.search(without_citations(statement.text)):
        return
    for key in statement.keys:
        result = subject.evidence.by_key.get(key)
        if result is not None and result.is_retracted:
            advice = "Remove claims that rest on it, or say that it is retracted."
            yield Fault(statement, "accuracy", "critical", f"[@{key}] is retracted", advice)


def unfound_quotations(statement: Statement, subject: Subject) -> Iterator[Fault]:
    """Find quotations that do not occur in the cited sources."""
    cited = subject.cited(statement)
    plan_words = " | ".join(map(_plain, subject.plan_texts))
    for quotation in quotations(statement.text):
        words = quotation.text
        stems = f" {' '.join(tokens(words))} "
        is_term = len(words.split()) <= _TERM and (
            not cited or any(stems in f" {' '.join(tokens(_source_text(one)))} " for one in cited)
        )
        if is_term or _plain(words) in plan_words:
            continue
        if any(locate(words, result) for result in cited):
            continue
        elsewhere = sources_saying(words, subject.evidence)
        if elsewhere and statement.keys:
            keys = ", ".join(f"[@{subject.evidence.key_of(i)}]" for i in elsewhere[:3])
            reason = f"A quotation is from another source than the cited one ({keys})"
            yield Fault(statement, "accuracy", "major", reason, "Cite that source.", words)
        elif not elsewhere:
            reason, advice = "A quotation is in no source", "Quote the source's own words."
            yield Fault(statement, "accuracy", "critical", reason, advice, words)


def unfound_numbers(statement: Statement, subject: Subject) -> Iterator[Fault]:
    """Find quantities and years that the cited sources neither state nor imply.

    Sources without a text are not checked. Sentences that cite only unknown sources are compared
    with all collected ones.
    """
    cited = subject.cited(statement)
    texts = list(map(_source_text, cited))
    if not cited and (statement.keys or subject.foreign[statement]):
        texts = subject.collected
    if not texts or not all(result.text for result in cited):
        return
    own = subject.own_words[statement]
    for citation in subject.foreign[statement]:
        own = own.replace(citation.text, " ")
    for quantity in quantities(own):
        if quantity.is_open or bearing(quantity, own, [*texts, *subject.plan_texts]) != "absent":
            continue
        if bearing(quantity, "", subject.collected) == "stated":
            reason = f"The cited source does not state {quantity.text}"
            advice = "Cite the source that states it."
            yield Fault(statement, "accuracy", "major", reason, advice, statement.text)
        else:
            reason, advice = f"No source states {quantity.text}", "Give the number of the source."
            yield Fault(statement, "accuracy", "critical", reason, advice, statement.text)


def misattributed_names(statement: Statement, subject: Subject) -> Iterator[Fault]:
    """Find people to whom a sentence attributes the work of the cited authors."""
    cited = subject.cited(statement)
    if not cited:
        return
    own = subject.own_words[statement]
    source_words = {
        normalised_title(word)
        for result in cited
        for text in (_source_text(result), *result.authors, str(result.metadata.get("venue") or ""))
        for word in _WORD.findall(text)
    }
    authors = {name for result in cited for name in family_names(result)}
    others = subject.evidence.families - authors
    if any(normalised_title(name) in authors for name in re.findall(_NAME, own)):
        return  # the sentence compares them
    strangers = [m[1] for m in _AUTHOR.finditer(own) if normalised_title(m[1]) in others]
    strangers += [word for m in _PERSON.finditer(own) for word in m[1].split()[-1:]]
    for name in dict.fromkeys(strangers):
        if normalised_title(name) not in source_words:
            reason = f"The cited source is not by “{name}”"
            advice = "Cite the source of what is attributed to them."
            yield Fault(statement, "accuracy", "major", reason, advice, statement.text)


CHECKS: tuple[Callable[[Statement, Subject], Iterator[Fault]], ...] = (
    unresolved_citations,
    retracted_sources,
    unfound_quotations,
    unfound_numbers,
    misattributed_names,
)


def _source_text(result: SearchResult) -> str:
    return f"{result.title}. {result.text} {result.year or ''}"


def critique_item(
    category: Category, severity: Severity, location: str, description: str, fix: str
) -> CritiqueItem:
    return CritiqueItem(
        category=category,
        severity=severity,
        location=location,
        description=description,
        suggested_fix=fix,
    )


def excerpt(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


_MARKER = re.compile(r"[ \t]*(?:[-*•+]|\d+[.)])[ \t]+")
_LINE = re.compile(
    r"(?m)^(?:[ \t]*(?:[-*•+]|\d+[.)])[ \t]+|#{1,6}[ \t]|\||>|\*\*[^*\n]+\*\*[.:]?$)"
)
"""Start of a list item, heading, table row or block quotation."""
_HEADING = re.compile(
    r"#{1,6}[ \t]|\*\*[^*\n]+\*\*[.:]?(?:\n|$)|\|[^\n]{0,600}\n\|(?:[ \t]*:?-+:?[ \t]*\|)+"
)
"""A heading inside a section, or the header of a table."""


@dataclass(frozen=True)
class Place:
    name: str
    """See `CheckedSentence.place`."""
    location: str
    """Name for people."""
    text: str


@dataclass(frozen=True)
class Statement:
    text: str
    place: Place
    start: int
    end: int
    keys: tuple[str, ...]
    is_heading: bool


def places(draft: ResearchDraft) -> list[Place]:
    """Return the texts of a draft in order, including section headings."""
    texts = [Place("title", "title", draft.title), Place("abstract", "abstract", draft.abstract)]
    for part in draft.sections:
        texts.append(Place(f"{part.section_id}.title", part.title, part.title))
        texts.append(Place(part.section_id, part.title, part.content))
    texts.append(Place("conclusion", "conclusion", draft.conclusion))
    return [place for place in texts if place.text]


def statements(draft: ResearchDraft) -> Iterator[Statement]:
    """Yield the sentences of a draft in order; headings and table rows count as sentences."""
    for place in places(draft):
        is_title = place.name.endswith("title")
        for start, end in [(0, len(place.text))] if is_title else _sentences(place.text):
            text = " ".join(place.text[start:end].split())
            is_heading = is_title or bool(_HEADING.match(place.text[start:]))
            yield Statement(text, place, start, end, tuple(cited_keys(text)), is_heading)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences; a quotation never ends one, and a list item begins one."""
    masked = list(text)
    for quoted in quotations(text):
        first = next(filter(str.isalnum, quoted.text))
        begins_one = first.isupper() or first.isdigit()
        masked[quoted.start : quoted.end] = "q" * (quoted.end - quoted.start)
        masked[quoted.start] = "Q" if begins_one else "q"
    plain = "".join(masked)
    own = {match.start() for match in _LINE.finditer(text)}
    after = {text.find("\n", start) + 1 for start in own if text[start] in "#|>*"} - {0}
    starts = sorted({0, *own, *after})
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        marker = _MARKER.match(plain, start)
        begin = marker.end() if marker else start
        for sentence in sentences(plain[begin:end]):
            yield begin + sentence.start, begin + sentence.end
