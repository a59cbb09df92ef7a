"""Reporting of a search in a published review: methods, PRISMA-S, PRISMA-ScR, strings as sent.

Items are filled in as far as the thread knows; the rest is marked for the authors.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from paper_search import __version__
from paper_search.audit.flow import PrismaFlow
from paper_search.audit.logs import strategies
from paper_search.audit.reading import ReviewThread, names_of_sources
from paper_search.audit.sections import Section
from paper_search.models import Purpose, SourceReport
from paper_search.models.source_report import quantity
from paper_search.threads.records import NOBODY
from paper_search.workflow.full_texts import FullTextFlow

TITLE = "Reporting of the search"


@dataclass(frozen=True)
class SearchFacts:
    """What a thread knows for the items of both checklists; an empty text if nothing."""

    thread: ReviewThread
    flow: PrismaFlow

    @cached_property
    def searches(self) -> list[SourceReport]:
        """Rows of the journal that could bring records, without those that were never sent."""
        rows = [row for row in self.thread.reports if row.purpose.is_search and row.is_asked]
        names = names_of_sources(row.source for row in rows)
        return [
            row.model_copy(update={"source": names[row.source]})
            for row in rows
            if row.requests or row.received or not row.status.is_failure
        ]

    @cached_property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(row.source for row in self.searches))

    def opening(self) -> str:
        """Return where the records are from, and which sources did not answer."""
        answered = [row for row in self.searches if row.received or not row.status.is_failure]
        online = [row for row in answered if not row.is_file]
        names = {row.source for row in answered}
        kinds = {
            "We searched {}.": [row for row in online if row.purpose is not Purpose.CITATION],
            "We imported records of {}.": [r for r in answered if r.is_file and r.received],
            "No records were found in {}.": [r for r in answered if r.is_file and not r.received],
            "We followed citations ({}).": [r for r in online if r.purpose is Purpose.CITATION],
            "No answer came from {}.": [row for row in self.searches if row.source not in names],
        }
        return " ".join(
            words.format(", ".join(dict.fromkeys(row.source for row in rows)))
            for words, rows in kinds.items()
            if rows
        )

    def databases(self) -> str:
        online = {row.source for row in self.searches if row.requests}
        files = {row.source for row in self.searches if row.is_file}
        ways = ((online, "by its web interface"), (files, "files"))
        names = []
        for name in self.sources:
            own = [way for sources, way in ways if name in sources] or ["on this machine"]
            names.append(f"{name} ({' and '.join(own)})")
        problems = dict.fromkeys(
            f"{row.source} in round {row.iteration + 1} ({row.status.value.replace('_', ' ')})"
            for row in self.searches
            if row.is_failure
        )
        lines = [f"{', '.join(names)}."] if names else []
        lines += [f"Not answered in full: {', '.join(problems)}."] if problems else []
        return " ".join(lines)

    def citations(self) -> str:
        rows = [row for row in self.searches if row.purpose is Purpose.CITATION]
        sources = ", ".join(dict.fromkeys(row.source for row in rows))
        return f"{quantity(len(rows), 'look-up')} at {sources}; see the appendix." if rows else ""

    def strings(self) -> str:
        unknown = dict.fromkeys(r.source for r in self.searches if r.is_file and not r.strategy)
        where = "The appendix shows what was sent to each source, and the strategies of files."
        gaps = f" Not known: the strategies of {', '.join(unknown)}." if unknown else ""
        return f"{where}{gaps}" if self.searches else ""

    def limits(self) -> str:
        filters = (strategy.filters for strategy in strategies(self.thread))
        limits = dict.fromkeys(words for one in filters for words in one.in_words)
        most = {row.limit for row in self.searches if row.limit is not None}
        numbers = [f"at most {quantity(limit, 'record')} a query" for limit in sorted(most)]
        return f"{'; '.join([*limits, *numbers])}." if limits or numbers else "None."

    def updates(self) -> str:
        starts = {update.iteration for update in self.thread.state.updates}
        days = [one.searched_at[:10] for one in self.thread.rounds if one.iteration in starts]
        return f"The approved strategy was searched again on {', '.join(days)}." if days else ""

    def dates(self) -> str:
        days = {name: sorted(set(self._days(name))) for name in self.sources}
        return "; ".join(f"{name}: {', '.join(own) or 'not known'}" for name, own in days.items())

    def _days(self, source: str) -> Iterator[str]:
        for row in self.searches:
            if row.source == source:
                moments = [request.at for request in row.requests] or [row.asked_at]
                yield from (moment[:10] for moment in moments if moment)

    def approvals(self) -> str:
        rows = (row for row in self.searches if not row.is_file)
        names = dict.fromkeys(row.allowed_by for row in rows if row.allowed_by)
        unseen = ["Nobody was asked to approve them."] if NOBODY in names else []
        people = ", ".join(name for name in names if name != NOBODY)
        return " ".join([f"Approved by: {people}."] * bool(people) + unseen)

    def records(self) -> str:
        return f"{_identified(self.flow)}."

    def duplicates(self) -> str:
        return (
            f"{quantity(self.flow.duplicates, 'duplicate')} merged by paper-search {__version__}, "
            "which weighs identifiers, titles, authors, years and venues."
        )

    def question(self) -> str:
        return self.thread.info.question

    def criteria(self) -> str:
        intent = self.thread.state.intent
        criteria = [str(criterion) for criterion in intent.criteria] if intent else []
        return "; ".join([*criteria, f"limits: {self.limits()}"])

    def screening(self) -> str:
        return " ".join([_screening(self.flow), *self.independence()])

    def independence(self) -> Iterator[str]:
        """Yield who decided independently at each stage, their agreement, and who resolved it."""
        stages = {
            "Titles and abstracts were screened": self.thread.agreement,
            "Full texts were assessed": self.thread.text_agreement,
        }
        for stage, one in stages.items():
            people = [who for who in one.reviewers if who.decided]
            if one.decided_by_several:
                names = (f"{who.name} ({who.decided:,} of {who.of:,})" for who in people)
                yield " ".join([f"{stage} independently by {', '.join(names)}.", *one.lines])
            by = {conflict.settled_by for conflict in one.conflicts}
            if by and None not in by:
                yield f"Conflicts were resolved by {', '.join(sorted(map(str, by)))}."

    def selection(self) -> str:
        return " ".join(methods(self.flow)[1:])


_Facts = Callable[[SearchFacts], str]
_S: tuple[tuple[str, _Facts | None, str], ...] = (
    ("Each database, with its platform", SearchFacts.databases, "the platform of each file"),
    ("Databases searched together on one platform", None, "which; here each is asked alone"),
    ("Registers of studies", None, "which were searched, if any"),
    ("Web sites and tables of contents", None, "which were searched or browsed, if any"),
    ("Citations followed", SearchFacts.citations, "which references or citing works you followed"),
    ("People who were asked", None, "whom you asked for studies or data, if anybody"),
    ("Other ways of searching", None, "any other"),
    ("Full strategies", SearchFacts.strings, "the strategy of each database"),
    ("Limits", SearchFacts.limits, "why each limit was set"),
    ("Published search filters", None, "which were used, with references, or that none was"),
    ("Strategies of earlier reviews", None, "which were taken over, or that none was"),
    ("Updates of the search", SearchFacts.updates, "whether the search was repeated, and how"),
    ("Day of each search", SearchFacts.dates, "the day on which each was searched"),
    ("Peer review of the strategies", SearchFacts.approvals, "who reviewed them, as by PRESS"),
    ("Records in total", SearchFacts.records, "how many each database gave"),
    ("Removal of duplicates", SearchFacts.duplicates, "how they were removed"),
)
"""PRISMA-S (Rethlefsen 2021), items 1 to 16: subject, what the thread knows, what authors add."""

_SCR: tuple[tuple[str, _Facts | None, str], ...] = (
    ("Title: that it is a scoping review", None, "it in the title"),
    ("Structured abstract", None, "aims, criteria, sources, results and conclusions"),
    ("Why the review was made", None, "what is known, and why a scoping review fits"),
    ("Questions and objectives", SearchFacts.question, "population, concept and context"),
    ("Protocol and registration", None, "whether there is one, and where"),
    ("Criteria of eligibility", SearchFacts.criteria, "why each was chosen"),
    ("Sources, and when they were searched", SearchFacts.dates, "other sources, if any"),
    ("Strategy of at least one database", SearchFacts.strings, "the strategy"),
    ("How papers were selected", SearchFacts.screening, "how both stages were done"),
    ("How data were extracted", None, "forms, and who extracted"),
    ("Variables that were extracted", None, "each, with assumptions"),
    ("Appraisal of the papers (if done)", None, "how and why, or that it was not done"),
    ("How results were summarised", None, "by which methods"),
    ("Papers screened, excluded and included", SearchFacts.selection, "what was done elsewhere"),
    ("What the papers are like", None, "their characteristics, with citations"),
    ("Result of the appraisal (if done)", None, "what it showed"),
    ("Results of each paper", None, "those that bear on the questions"),
    ("Results by question", None, "a summary for each"),
    ("Summary of the evidence", None, "concepts, themes, and whom they concern"),
    ("Limits of the review", None, "those of its process"),
    ("Conclusions", None, "an answer to each question, and what follows"),
    ("Funding", None, "that of the papers and of the review, and the funders' part"),
)
"""PRISMA-ScR (Tricco 2018), items 1 to 22."""


def reporting(thread: ReviewThread, flow: PrismaFlow) -> list[Section]:
    facts = SearchFacts(thread, flow)
    columns = ["Item", "About", "Known of this search", "You must say"]
    return [
        Section(
            "Methods",
            [" ".join(filter(None, [facts.opening(), *methods(flow)])), *facts.independence()],
        ),
        Section("PRISMA-S", [], columns, list(_rows(_S, facts))),
        Section("PRISMA-ScR", [], columns, list(_rows(_SCR, facts))),
        Section(
            "Appendix: strategies as they were run",
            ["Strings that only counted hits or filled gaps in records are in search_log.csv."],
            ["Round", "Source", "When (UTC)", "Exact string", "Hits", "Received", "Status"],
            [cells for row in facts.searches for cells in _strings(row)],
        ),
    ]


def _rows(
    items: Iterable[tuple[str, _Facts | None, str]], facts: SearchFacts
) -> Iterator[Sequence[str | int]]:
    for number, (name, describe, missing) in enumerate(items, 1):
        yield number, name, describe(facts) if describe else "", missing


def _strings(row: SourceReport) -> Iterator[Sequence[str | int]]:
    """Yield the cells of a journal row; each line of a strategy has a row of its own."""
    hits = "not reported" if row.hits is None else row.hits
    first, *others = [row.query or "not reported", *(row.strategy or "").splitlines()]
    status = row.status.value.replace("_", " ")
    yield row.iteration + 1, row.source, row.day, first, hits, row.received, status
    yield from (("", "", "", line, "", "", "") for line in others if line.strip())


def methods(flow: PrismaFlow) -> list[str]:
    """Describe the flow in sentences; every number in them is one of the flow."""
    checks = [f"{why} {count:,}" for why, count in flow.removal_reasons.items()]
    others = quantity(flow.removed_by_checks, "other record")
    removed = f" and {others} ({', '.join(checks)})" if checks else ""
    duplicates = f"{quantity(flow.duplicates, 'duplicate')}{removed}"
    lines = [
        f"The searches gave {_identified(flow)}.",
        f"We removed {duplicates}, which left {quantity(flow.works, 'work')}.",
    ]
    aside = {
        "set aside by score or number": flow.set_aside,
        "of earlier rounds, which ended without a decision on them": flow.not_carried_over,
        "not processed yet": flow.pending,
    }
    for words, count in aside.items():
        lines += [f"Of these, {count:,} {'was' if count == 1 else 'were'} {words}."] * bool(count)
    return [*lines, _screening(flow), *_full_texts(flow.full_texts)]


def _identified(flow: PrismaFlow) -> str:
    by_source = ", ".join(f"{name} {count:,}" for name, count in flow.by_source.items())
    return quantity(flow.identified, "record") + (f" ({by_source})" if by_source else "")


def _full_texts(flow: FullTextFlow | None) -> Iterator[str]:
    if flow is not None:
        states = {
            "not looked for yet": flow.waiting,
            "not retrieved": flow.not_retrieved,
            "retrieved and not assessed yet": flow.unassessed,
        }
        rest = ", ".join(f"{name} {count:,}" for name, count in states.items() if count)
        sought = quantity(flow.sought, "work") + (f" ({rest})" if rest else "")
        yield f"We sought full texts of {sought} and assessed {flow.assessed:,}: {_outcome(flow)}."


def _outcome(flow: PrismaFlow | FullTextFlow) -> str:
    reasons = ", ".join(f"{why} {count:,}" for why, count in flow.exclusion_reasons.items())
    excluded = f"{flow.excluded:,} excluded" + (f" ({reasons})" if reasons else "")
    return f"{excluded} and {flow.included:,} included"


def _screening(flow: PrismaFlow) -> str:
    undecided = flow.undecided + flow.not_judged
    rest = f" Not decided yet: {undecided:,}." if undecided else ""
    works = quantity(flow.for_screening, "work")
    return f"Of {works} for screening, we screened {flow.screened:,}: {_outcome(flow)}.{rest}"
