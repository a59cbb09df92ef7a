"""A draft put together without a model: the sources' own sentences, ordered and cited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paper_search.report.claims.citations import cite
from paper_search.report.evidence import Evidence, author_year
from paper_search.report.exchange import WriterInput
from paper_search.report.models import Contradiction, Finding, Quote, ResearchDraft, Theme
from paper_search.report.opening import is_without_answer
from paper_search.report.passages import PassageFinder, by_source
from paper_search.report.phrasing import counted, joined, quoted, said_by, sentence_case
from paper_search.report.requests import Requests
from paper_search.report.sub_questions import Part, parts_of, section

_ABSTRACT_WORDS = (150, 250)
_PER_SECTION = {"academic": 8, "technical": 8, "executive": 3}
_SHARE_OF_FINDINGS = 0.6
"""Of the target length; the rest is frame."""
_LEAST_PER_SECTION = 2
_NAMED_SOURCES = 5
"""Of a theme: who wants all of them finds them in the JSON."""
_NEAREST = 5
"""Sources that are named where nothing answers the question."""
_LONG_QUOTE = 60
"""Words: a longer one is not repeated in abstract and conclusion."""


_READ = frozenset({"html", "pdf", "text"})
_HOW = (
    (
        "Sentences were chosen by the words that they share with a sub-question, rare words "
        "counting more, and by the relevance of their source."
    ),
    (
        "A finding is graded strong if at least three independent sources say the same, moderate "
        "with two, weak with one, with a title alone, or if it says how a study was made."
    ),
    (
        "Themes are shared terms, and disagreements are found by opposite words; both need the "
        "eye of a reader."
    ),
    (
        "This report cannot say more than abstracts and titles do: a full text was read only where "
        "one was fetched."
    ),
)


@dataclass(frozen=True)
class Composition:
    """Everything that a draft is put together from."""

    given: WriterInput
    evidence: Evidence
    requests: Requests

    def draft(self) -> ResearchDraft:
        """Return the draft; every sentence of a source stands in quotation marks with its key."""
        plan = self.given.research_plan
        parts = parts_of(plan.expected_sections, plan.decomposed_questions)
        if is_without_answer(self.given.analysis, plan):
            methods = next(part for part in parts if part.kind == "methods")
            parts = [Part("What came nearest", "nearest"), methods]
        sections = [
            section(number, part.title, self._content(part)) for number, part in enumerate(parts, 1)
        ]
        for wish in self.requests.wishes:
            content = self._wished(wish)
            sections.append(section(len(sections) + 1, f"Asked for: {wish[:80]}", content))
        return ResearchDraft(
            title=self._title(),
            abstract=self._abstract(),
            sections=sections,
            conclusion=self._conclusion(),
        )

    @property
    def _questions(self) -> list[str]:
        return self.given.research_plan.decomposed_questions

    def _title(self) -> str:
        topic = self.given.research_plan.original_query.strip().rstrip("?？. ")
        return f"{sentence_case(topic)}: what {counted(len(self.evidence.usable), 'source')} say"

    def _content(self, part: Part) -> str:
        writers = {
            "introduction": self._introduction,
            "themes": self._themes,
            "nearest": self._nearest,
            "disagreements": self._disagreements,
            "methods": self._methods,
        }
        if part.kind == "question" and part.question is not None:
            return self._answers(part.question)
        return writers.get(part.kind, self._introduction)()

    def _introduction(self) -> str:
        usable = self.evidence.usable
        years = sorted(source.year for source in usable if source.year is not None)
        span = ""
        if years:
            span = f", published {years[0]}" + (f" to {years[-1]}" if years[-1] > years[0] else "")
        asked = "\n".join(f"{n}. {question}" for n, question in enumerate(self._questions, 1))
        return (
            f"This report answers the question “{self.given.research_plan.original_query.strip()}” "
            f"from {counted(len(usable), 'source')}{span}. The sub-questions are:\n\n" + asked
        )

    def _nearest(self) -> str:
        """Return what came nearest, in a report that no source gave an answer for."""
        asked = "\n".join(
            f"- The sources found do not answer this: {question}" for question in self._questions
        )
        quotes = self._nearest_quotes(self.given.research_plan.original_query, _NEAREST)
        quotes = quotes or self._first_titles(_NEAREST)
        told = [quote for quote in quotes if quote.part != "title"]
        lines = "\n".join(f"- {self._written(quote)}" for quote in told)
        opening = "This section names what came nearest to an answer, and answers nothing."
        titles = self._titles([quote for quote in quotes if quote.part == "title"])
        return "\n\n".join(filter(None, [asked, opening if told else "", lines, titles]))

    def _nearest_quotes(self, question: str, count: int) -> list[Quote]:
        found = by_source(PassageFinder(self.evidence).passages(question))
        return [passage.quote for passage in found[:count]]

    def _first_titles(self, count: int) -> list[Quote]:
        """Return the titles of the best sources, where no sentence is near the question."""
        best = self.evidence.relevant[:count]
        return [Quote(result_id=s.result_id, text=s.title, part="title") for s in best]

    def _answers(self, question: int) -> str:
        found = self._findings(question)
        asked = self._questions[question]
        if not found:
            return self._unanswered(question)
        bullet = "- " if self.given.style_guide != "academic" else ""
        before = self._said_before(question)
        fresh = [finding for finding in found if finding.text not in before]
        told = [finding for finding in fresh if finding.quotes[0].part != "title"]
        lines = [f"{bullet}{self._written(finding.quotes[0])}" for finding in told]
        parts = [f"This section answers: {asked}"]
        parts.append(("\n" if bullet else "\n\n").join(lines))
        parts.append(self._titles([f.quotes[0] for f in fresh if f.quotes[0].part == "title"]))
        again = [finding for finding in found if finding.text in before]
        if again:
            keys = self._cite(finding.quotes[0] for finding in again)
            if fresh:
                parts.append(f"This section also rests on what is quoted above {keys}.")
            else:
                parts.append(
                    "This section has no sentence of its own: nothing that is not quoted above "
                    f"came closer {keys}."
                )
                return "\n\n".join(filter(None, parts))
        sources = {i for finding in found for i in finding.sources}
        grades = joined(dict.fromkeys(finding.grade for finding in found))
        parts.append(
            f"This section rests on {counted(len(sources), 'source')}; the evidence is graded "
            f"{grades}."
        )
        return "\n\n".join(filter(None, parts))

    def _unanswered(self, question: int) -> str:
        """Return that nothing answers a sub-question, and what came closest."""
        said = f"The sources found do not answer this: {self._questions[question]}"
        before = self._said_before(question)
        for earlier in self.given.analysis.answers[:question]:
            before |= {quote.text for quote in earlier.nearest}
        answers = self.given.analysis.answers[question : question + 1]
        nearest = [quote for a in answers for quote in a.nearest if quote.text not in before]
        nearest = [q for q in nearest if not self.requests.is_unwanted_text(q.text)]
        if self.given.style_guide == "executive":
            return said
        told = [quote for quote in nearest if quote.part != "title"][:1]
        if told:
            lacking = joined(answers[0].missing)
            about = f", without a word on {lacking}" if lacking else ""
            return f"{said}\n\nNearest to it{about}:\n\n{self._written(told[0])}"
        return "\n\n".join(filter(None, [said, self._titles(nearest)]))

    def _said_before(self, question: int) -> set[str]:
        """Return what the sections before this one quote: nothing is quoted twice."""
        return {finding.text for earlier in range(question) for finding in self._findings(earlier)}

    def _titles(self, quotes: Sequence[Quote]) -> str:
        """Return the sources of which nothing but the title could be read, as one list."""
        if not quotes:
            return ""
        lines = [f"- {quoted(quote.text)} {self._cite([quote])}." for quote in quotes]
        opening = "This section can name these sources only by their titles; no text was available."
        return f"{opening}\n\n" + "\n".join(lines)

    def _findings(self, question: int) -> list[Finding]:
        found = [
            finding
            for finding in self.given.analysis.findings
            if finding.question == question
            and not self.requests.is_unwanted(finding, self.evidence)
        ]
        if self.given.style_guide == "technical":
            found.sort(key=lambda finding: not any(c.isdigit() for c in finding.text))
        found.sort(key=lambda finding: not self.requests.is_preferred(finding.text))
        words = self.requests.target(self.given.target_length) * _SHARE_OF_FINDINGS
        budget = words / max(1, len(self._questions))
        kept: list[Finding] = []
        for finding in found[: _PER_SECTION[self.given.style_guide]]:
            if len(kept) >= _LEAST_PER_SECTION and budget <= 0:
                break
            kept.append(finding)
            budget -= len(finding.text.split()) + 4
        return kept

    def _written(self, quote: Quote) -> str:
        """Return a quotation with who wrote it; a source without authors speaks itself."""
        result = self.evidence.by_id[quote.result_id]
        who = said_by(author_year(result)) if result.authors else "One source says"
        return f"{who}: {quoted(quote.text)} {self._cite([quote])}."

    def _themes(self) -> str:
        themes = self._wanted_themes
        if not themes:
            return "No theme runs through two or more of the sources."
        lines = [self._theme(theme) for theme in themes]
        return "This section groups the sources by terms that they share.\n\n" + "\n".join(lines)

    @property
    def _wanted_themes(self) -> list[Theme]:
        themes = self.given.analysis.theme_details
        return [theme for theme in themes if not self.requests.is_unwanted_text(theme.label)]

    def _theme(self, theme: Theme) -> str:
        keys = cite(self.evidence.key_of(source) for source in theme.sources[:_NAMED_SOURCES])
        number = counted(len(theme.sources), "source")
        among = ", among them" if len(theme.sources) > _NAMED_SOURCES else ""
        return f"- **{sentence_case(theme.label)}** is a term of {number}{among} {keys}."

    def _disagreements(self) -> str:
        analysis = self.given.analysis
        lines = [
            self._disagreement(dispute)
            for dispute in analysis.contradiction_details
            if not self.requests.is_unwanted_text(f"{dispute.one.text} {dispute.other.text}")
        ]
        if not lines:
            lines = ["No two sources were found that contradict each other in so many words."]
        opening = "This section names what the sources dispute and what they leave open."
        gaps = [f"- No source answers: {self._questions[i]}" for i in analysis.gap_questions]
        left = "\n".join(gaps) or "Every sub-question is answered by at least one source."
        return f"{opening}\n\n" + "\n\n".join(lines) + f"\n\n{left}"

    def _disagreement(self, dispute: Contradiction) -> str:
        one = f"{quoted(dispute.one.text)} {self._cite([dispute.one])}"
        other = f"{quoted(dispute.other.text)} {self._cite([dispute.other])}"
        note = f"; {dispute.note}" if dispute.note else ""
        return (
            f"On {dispute.topic}, one source writes {one}, another {other}{note}. "
            "Whether these contradict each other is for the reader to judge."
        )

    def _methods(self) -> str:
        plan, evidence = self.given.research_plan, self.evidence
        run = [query for query in plan.search_queries if query.status == "completed"]
        retracted = len(evidence.results) - len(evidence.usable)
        read = sum(source.metadata.get("text_is") in _READ for source in evidence.usable)
        snippets = sum(source.metadata.get("text_is") == "snippet" for source in evidence.usable)
        untold = sum(not source.text for source in evidence.usable)
        suspicious = sum(bool(source.metadata.get("is_suspicious")) for source in evidence.usable)
        notes = [
            (
                f"This report is made of {counted(len(run), 'search')} that gave "
                f"{counted(len(evidence.results), 'source')}."
            ),
            *_HOW,
        ]
        if read:
            notes.append(f"Of {counted(read, 'source')}, the page or the full text was read.")
        if snippets:
            notes.append(
                f"Of {counted(snippets, 'source')}, only what a search engine shows was available."
            )
        if untold:
            notes.append(f"Of {counted(untold, 'source')}, only the title was available.")
        if retracted:
            notes.append(f"This report leaves out {counted(retracted, 'retracted source')}.")
        if suspicious:
            notes.append(
                f"In {counted(suspicious, 'source')} there is text that addresses a program "
                "instead of a reader; sentences of that kind were left out."
            )
        return f"{plan.methodology}\n\n" + " ".join(notes)

    def _abstract(self) -> str:
        analysis = self.given.analysis
        low, high = _ABSTRACT_WORDS
        text = self._scope()
        if is_without_answer(analysis, self.given.research_plan):
            return " ".join(
                [*text, "This report names what came nearest, and how it was searched."]
            )
        for finding in self._best():
            if self.requests.is_unwanted(finding, self.evidence):
                continue
            line = self._written(finding.quotes[0])
            if sum(len(t.split()) for t in text) + len(line.split()) > high - 60:
                break
            text.append(line)
        if self._wanted_themes:
            named = joined(theme.label for theme in self._wanted_themes)
            text.append(f"This report groups the sources by the terms {named}.")
        if analysis.gap_questions:
            text.append(f"It leaves {counted(len(analysis.gap_questions), 'sub-question')} open.")
        text.append(
            "This report was put together without a language model: its statements are sentences "
            "of the sources, chosen by the words they share with the question, and not judged for "
            "truth. This report cites every one of them; each stands word for word in its source."
        )
        if sum(len(t.split()) for t in text) < low:
            text.append(
                "This report follows the sub-questions, in the order of the plan; then come the "
                "terms that run through several sources, and how this report was made."
            )
        return " ".join(text)

    def _scope(self) -> list[str]:
        """Return what is asked, of how many sources, and how much of it is answered."""
        answered = {finding.question for finding in self.given.analysis.findings}
        return [
            (
                f"This report answers “{self.given.research_plan.original_query.strip()}” as far "
                "as sentences of sources can."
            ),
            (
                f"This report draws on {counted(len(self.evidence.usable), 'source')}, of which it "
                f"quotes {counted(len(self._quoted_ids()), 'one', plural='')}, for "
                f"{counted(len(self._questions), 'sub-question')}; "
                f"{counted(len(answered), 'one', plural='')} "
                f"of them {'is' if len(answered) == 1 else 'are'} answered."
            ),
        ]

    def _conclusion(self) -> str:
        """Return what stays open: what was found stands in front and in the sections."""
        told = {
            finding.question
            for finding in self.given.analysis.findings
            if any(quote.part == "text" for quote in finding.quotes)
        }
        left = [question for index, question in enumerate(self._questions) if index not in told]
        if not left:
            return "This report leaves no sub-question without a sentence of a source on it."
        open_ones = joined(f"“{question}”" for question in left)
        return f"No source answers {open_ones}; the next search should start there."

    def _wished(self, wish: str) -> str:
        passages = self.requests.passages(wish, self.evidence)
        if not passages:
            return f"No source that was collected says anything on this: {wish}."
        quotes = [passage.quote for passage in passages]
        lines = [self._written(quote) for quote in quotes]
        return "This section was asked for in the review.\n\n" + "\n\n".join(lines)

    def _best(self) -> list[Finding]:
        seen: set[int] = set()
        texts: set[str] = set()
        best = []
        for finding in sorted(self.given.analysis.findings, key=lambda f: _GRADES.index(f.grade)):
            is_short = len(finding.text.split()) <= _LONG_QUOTE
            is_new = finding.question not in seen and finding.text not in texts
            if is_new and is_short and finding.quotes[0].part == "text":
                seen.add(finding.question)
                texts.add(finding.text)
                best.append(finding)
        return best

    def _quoted_ids(self) -> set[str]:
        return {
            i for n in range(len(self._questions)) for f in self._findings(n) for i in f.sources
        }

    def _cite(self, quotes: Iterable[Quote]) -> str:
        return cite(self.evidence.key_of(quote.result_id) for quote in quotes)


_GRADES: Sequence[str] = ("strong", "moderate", "weak", "gap")
