"""Fakes for tests of a workflow: six skills, and scripted decisions instead of a person."""

from collections.abc import Callable, Iterable, Sequence

from paper_search.models import (
    Facets,
    IntentType,
    Paper,
    PaperCollection,
    ParsedIntent,
    QueryBuilderInput,
    RawPaper,
    ScoredPaper,
    SearchConstraints,
    SearchMetadata,
    SearchQuery,
    SearchStrategy,
)
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind, Decision, DecisionAction
from paper_search.workflow.skills import Skills

Records = Callable[[SearchStrategy], Sequence[RawPaper]]


class FakeSkills:
    """Six deterministic, offline skills in one object.

    The query of round n is `round_<n>`; the records depend only on the strategy. By default a
    search finds two papers, one of which is new in every strategy.
    """

    def __init__(self, records: Records | None = None) -> None:
        self.calls: list[str] = []
        """Names of the methods called, in order."""
        self.requests: list[QueryBuilderInput] = []
        self.searched: list[SearchStrategy] = []
        self._records = records or two_papers

    async def parse(self, user_input: str) -> ParsedIntent:
        self.calls.append("parse")
        return ParsedIntent(
            topic=user_input,
            concepts=[user_input],
            intent_type=IntentType.SURVEY,
            constraints=SearchConstraints(),
        )

    async def build(self, request: QueryBuilderInput) -> SearchStrategy:
        self.calls.append("build")
        self.requests.append(request)
        return fake_strategy(f"round_{len(request.previous_strategies)}")

    async def search(self, strategy: SearchStrategy) -> list[RawPaper]:
        self.calls.append("search")
        self.searched.append(strategy)
        return list(self._records(strategy))

    async def deduplicate(self, papers: list[RawPaper]) -> list[RawPaper]:
        self.calls.append("deduplicate")
        return list({paper.id: paper for paper in papers}.values())

    async def score(self, papers: list[RawPaper], intent: ParsedIntent) -> list[ScoredPaper]:
        self.calls.append("score")
        return [
            ScoredPaper(paper=paper, relevance_score=0.8, relevance_reason=f"on {intent.topic}")
            for paper in papers
        ]

    async def organize(
        self, papers: list[ScoredPaper], strategy: SearchStrategy, original_query: str
    ) -> PaperCollection:
        self.calls.append("organize")
        return PaperCollection(
            metadata=SearchMetadata(
                query=original_query,
                search_strategy=strategy,
                total_found=len(papers),
                timestamp="2026-01-01T00:00:00+00:00",
            ),
            papers=[Paper.from_scored(paper) for paper in papers],
            facets=Facets(),
        )

    @property
    def skills(self) -> Skills:
        return Skills(self, self, self, self, self, self)


def fake_strategy(
    *texts: str, sources: Sequence[str] = ("fake",), **limits: object
) -> SearchStrategy:
    queries = [SearchQuery(keywords=[text], boolean_query=text) for text in texts]
    filters = SearchConstraints.model_validate(limits)
    return SearchStrategy(queries=queries, sources=list(sources), filters=filters)


def two_papers(strategy: SearchStrategy) -> list[RawPaper]:
    """Return one paper that every strategy finds, and one that only this strategy finds."""
    query = strategy.queries[0].boolean_query if strategy.queries else "nothing"
    return [
        RawPaper(id="always", title="Found every time", source="fake", year=2020),
        RawPaper(id=f"only-{query}", title=f"Found by {query}", source="fake", year=2021),
    ]


Reply = Decision | str | Callable[[Checkpoint], Decision]


class ScriptedHandler:
    """Answers checkpoints from a script and records them.

    Args:
        replies: for the checkpoints in order: a decision, the name of an action, or a function of
            the checkpoint.
        otherwise: the reply after the end of the script; by default an AssertionError.
    """

    def __init__(self, replies: Iterable[Reply] = (), otherwise: Reply | None = None) -> None:
        self.asked: list[Checkpoint] = []
        self._replies = iter(replies)
        self._otherwise = otherwise

    @property
    def kinds(self) -> list[CheckpointKind]:
        return [checkpoint.kind for checkpoint in self.asked]

    async def handle(self, checkpoint: Checkpoint) -> Decision:
        self.asked.append(checkpoint)
        reply = next(self._replies, self._otherwise)
        if reply is None:
            raise AssertionError(f"the script has no reply to {checkpoint.kind.value}")
        if isinstance(reply, str):
            return Decision(action=DecisionAction(reply))
        return reply if isinstance(reply, Decision) else reply(checkpoint)
