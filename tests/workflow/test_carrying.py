"""A round's result is what it found and what was marked; the skills are the real ones."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.workflow.doubles import with_real_skills

from paper_search import workflow
from paper_search.models import Paper, PaperCollection, RawPaper, SearchStrategy
from paper_search.testing.sources import FakeSource

TOPICS = (
    "moss on castle walls",
    "peptides against bacteria",
    "sleep of night nurses",
    "harbour noise and whales",
    "glass from volcanic sand",
    "pensions in small towns",
    "lichen as food of reindeer",
    "errors of railway clocks",
)
"""Of one work each, far enough from each other that none is taken for another."""
APPROVE = workflow.Decision(action=workflow.DecisionAction.APPROVE)


def record(number: int, provider: int = 0) -> RawPaper:
    """Return a record of a work; each provider has one of its own."""
    return RawPaper(
        id=f"{provider}:{number}",
        doi=f"10.5555/{number}",
        title=f"A study of {TOPICS[number]}",
        abstract=f"We looked at {TOPICS[number]} and report what we saw in the year 2020.",
        source="fake",
        year=2020,
    )


@dataclass
class Round:
    """What one round finds, and what a person says of it."""

    found: dict[int, int]
    """By number of a work: who provides the record."""
    is_rejected: bool
    marks: dict[int, bool]


@dataclass
class Expectation:
    """What the person has seen and said so far, by numbers of works."""

    pool: set[int] = field(default_factory=set)
    marks: dict[int, bool] = field(default_factory=dict)

    def check(self, collection: PaperCollection, found: set[int]) -> None:
        """Compare the parts of a result with what they have to be."""
        relevant = {number for number, mark in self.marks.items() if mark}
        irrelevant = {number for number, mark in self.marks.items() if not mark}
        assert numbers(collection.papers) | numbers(collection.set_aside) == (
            found | relevant | irrelevant
        )
        assert numbers(collection.papers) >= relevant
        assert numbers(collection.earlier) == self.pool - found - self.marks.keys()
        assert collection.metadata.total_found == len(found)

    def end(self, found: set[int], *, is_rejected: bool) -> None:
        """Take the answer to a round in."""
        self.pool = self.pool - found if is_rejected else self.pool | found


def numbers(papers: list[Paper]) -> set[int]:
    every = [int(paper.id.partition(":")[2]) for paper in papers]
    assert len(every) == len(set(every))
    return set(every)


class Person:
    """Answers each round as it is told to, and compares what is shown."""

    def __init__(self, rounds: list[Round]) -> None:
        self.expected = Expectation()
        self._rounds = iter(rounds)

    async def handle(self, checkpoint: workflow.Checkpoint) -> workflow.Decision:
        if checkpoint.kind is workflow.CheckpointKind.STRATEGY_CONFIRMATION:
            return APPROVE
        shown: Any = checkpoint.payload
        collection, now = shown.collection, next(self._rounds)
        found = set(now.found)
        self.expected.check(collection, found)
        assert shown.set_aside == len(collection.set_aside)
        assert shown.earlier == len(collection.earlier)
        listed = {p.id: n for p in collection.every_paper for n in numbers([p])}
        marks = {i: now.marks[n] for i, n in listed.items() if n in now.marks}
        self.expected.marks |= {listed[i]: mark for i, mark in marks.items()}
        self.expected.end(found, is_rejected=now.is_rejected)
        return workflow.Decision(
            action=workflow.DecisionAction.REJECT
            if now.is_rejected
            else workflow.DecisionAction.EDIT,
            revised_data={
                "marked_relevant": [i for i, mark in marks.items() if mark],
                "marked_irrelevant": [i for i, mark in marks.items() if not mark],
            },
        )


def flow_of(rounds: list[Round], handler: Any) -> workflow.SearchWorkflow:
    answers = iter(rounds)

    def found(_strategy: SearchStrategy) -> list[RawPaper]:
        return [record(number, provider) for number, provider in next(answers).found.items()]

    source = FakeSource(papers=found)
    return with_real_skills(source, handler=handler, max_iterations=len(rounds))


works = st.sampled_from(range(len(TOPICS)))
rounds_st = st.lists(
    st.builds(
        Round,
        found=st.dictionaries(works, st.integers(0, 1)),
        is_rejected=st.booleans(),
        marks=st.dictionaries(works, st.booleans(), max_size=4),
    ),
    min_size=2,
    max_size=4,
)


@examples(25)
@given(rounds_st)
def test_a_result_is_what_its_round_found_and_what_was_marked(rounds):
    person = Person(rounds)
    ended = asyncio.run(flow_of(rounds, person).run("a study of moss"))
    marks = person.expected.marks
    relevant = {number for number, mark in marks.items() if mark}
    irrelevant = {number for number, mark in marks.items() if not mark}
    assert numbers(ended.papers) >= relevant
    assert not numbers(ended.papers) & irrelevant
    assert irrelevant <= numbers(ended.set_aside)
    assert ended.metadata.total_found == len(rounds[-1].found)
