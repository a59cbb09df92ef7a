"""Judging within a search: what was paid for is not paid for again."""

from typing import Any

import pytest
from tests.skills.judging.papers import INTENT
from tests.skills.judging.poison import poisoned
from tests.skills.judging.test_isolation import clean, obedient
from tests.skills.obedience import obedient_answer
from tests.workflow.doubles import Crash, reject, with_real_skills, workflow

from paper_search import models
from paper_search.errors import ThreadNotWaitingError
from paper_search.persistence import open_persistence
from paper_search.skills import RelevanceScorer
from paper_search.testing.llm import FakeLLM, LLMCall, data_block, grades_of
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.testing.sources import FakeSource
from paper_search.workflow import SearchWorkflow, ThreadCatalog
from paper_search.workflow.decisions import StrategyEdit
from paper_search.workflow.judging import criteria_update, intent_after_note
from paper_search.workflow.state import IterationRecord, WorkflowState

BATCH = 5
PAPERS = 40


class Judged(FakeSkills):
    """Skills that find forty papers, for a judge with criteria."""

    def __init__(self) -> None:
        super().__init__(records)

    async def parse(self, user_input: str) -> models.ParsedIntent:
        intent = await super().parse(user_input)
        criteria = [
            models.Criterion(text="It is about moss"),
            models.Criterion(text="It is about towns"),
        ]
        return intent.model_copy(update={"concepts": ["moss"], "topic": "moss"}).with_criteria(
            criteria
        )


def records(strategy: models.SearchStrategy) -> list[models.RawPaper]:
    """Return the papers of a round; later rounds find ten more."""
    count = PAPERS + (0 if strategy.queries[0].boolean_query == "round_0" else 10)
    return [
        models.RawPaper(id=f"p{n}", title=f"Moss number {n}", source="fake") for n in range(count)
    ]


def judging_workflow(llm: FakeLLM, handler: Any = None, **options: Any) -> SearchWorkflow:
    """Return a workflow whose papers a model judges, one question at a time."""
    scorer = RelevanceScorer(llm, batch_size=BATCH, max_concurrency=1)
    return workflow(Judged(), handler, relevance_scorer=scorer, **options)


def titles_asked(llm: FakeLLM) -> list[str]:
    """Return the titles that the judge was asked about, as often as it was."""
    return [record["title"] for call in llm.calls for record in data_block(call)]


async def test_what_a_deleted_thread_leaves_of_its_judgements_does_not_tell_its_question(url):
    question = "moss of a secret garden"
    await judging_workflow(FakeLLM(grades_of({})), persistence=url).run(question)
    async with open_persistence(url) as persistence:
        (thread_id,) = await ThreadCatalog(persistence).names()
        await ThreadCatalog(persistence).delete(thread_id)
        left = await persistence.store.asearch((), limit=1000)
    assert {item.namespace for item in left} == {("paper_search", "judged")}
    assert {*left[0].value} == {"grades", "tags", "stated_score", "stated_reason"}
    assert not [item for item in left if "secret" in f"{item.key} {item.value}"]
    llm = FakeLLM(grades_of({}))
    await judging_workflow(llm, persistence=url).run(question)
    assert llm.call_count == 0


async def test_a_search_without_papers_has_none_to_judge_and_says_what_to_do(url):
    flow = judging_workflow(FakeLLM(grades_of({})), persistence=url)
    await flow.start("moss", thread_id="t")
    with pytest.raises(ThreadNotWaitingError, match="'t' has no papers yet: resume it first"):
        await flow.judge("t")


async def test_what_was_judged_before_a_power_cut_is_not_asked_again(url):
    answers = iter(range(6))  # of eight

    def until_then(call: LLMCall) -> Any:
        if next(answers, None) is None:
            raise Crash
        return grades_of({})(call)

    first, second = FakeLLM(until_then), FakeLLM(grades_of({}))
    with pytest.raises(Crash):
        await judging_workflow(first, persistence=url).run("moss", thread_id="t")
    result = await judging_workflow(second, persistence=url).resume("t")
    before, after = titles_asked(first), titles_asked(second)
    assert len(before) > PAPERS // 2
    assert len({*before} & {*after}) <= BATCH
    assert len({*before, *after}) == PAPERS == len(result.papers)


# --- texts that want something --------------------------------------------------------------------


def told(call: LLMCall) -> Any:
    """Answer as the texts in the message want it; the question has none that wants anything."""
    match (call.schema or {}).get("title"):
        case "BatchAnswer":
            return obedient(call)
        case "IntentAnswer":
            return INTENT.model_dump(mode="json", exclude={"criteria", "constraints"})
        case _:
            return obedient_answer(call)


async def searched(papers: list[models.RawPaper]) -> tuple[list[Any], models.PaperCollection]:
    """Search two rounds with one model for all skills; return what was asked, and the result."""
    llm, source = FakeLLM(told), FakeSource("fake", papers)
    handler = ScriptedHandler(["approve", reject("more"), "approve", "approve"])
    flow = with_real_skills(source, llm, handler)
    result = await flow.run("toxicity of drugs by graph neural networks")
    return [strategy.model_dump() for strategy in source.strategies], result


async def test_poisoned_records_change_no_query_no_source_and_no_grade_of_another_paper():
    """INJ-07 INJ-08"""
    asked_alone, alone = await searched(clean())
    asked, beside = await searched([*poisoned(), *clean()])
    assert asked == asked_alone

    def others(result: models.PaperCollection) -> list[tuple[str, float, list[Any]]]:
        every = [*result.papers, *result.set_aside]
        return [
            (paper.id, paper.relevance_score, paper.grades)
            for paper in every
            if not paper.id.startswith("bad")
        ]

    assert sorted(others(beside)) == sorted(others(alone))


@pytest.mark.parametrize(
    ("note", "wanted", "unwanted"),
    [
        ("focus on sleep quality instead", ["sleep quality", "not: It is a protocol"], "graphs"),
        ("no surveys, only trials", ["graphs", "not: It is a protocol", "trials"], "sleep"),
        ("no drugs", ["graphs", "not: It is, or is about, drugs"], "Drugs are studied"),
        ("drop drugs", ["graphs", "not: It is a protocol"], "rugs"),
    ],
)
def test_papers_are_judged_by_the_criteria_that_a_note_leaves(note, wanted, unwanted):
    criteria = [
        models.Criterion(text="It is about graphs"),
        models.Criterion(text="Drugs are studied"),
        models.Criterion(text="It is a protocol", kind=models.CriterionKind.EXCLUSION),
    ]
    round_ = IterationRecord(
        iteration=0,
        strategy=models.SearchStrategy(queries=[], sources=[]),
        result_count=1,
        feedback=models.UserFeedback(free_text_feedback=note),
    )
    state = WorkflowState(question="graphs?", history=[round_])
    after = intent_after_note(state, INTENT.with_criteria(criteria))
    texts = " | ".join(map(str, after.criteria))
    assert all(words in texts for words in wanted)
    assert unwanted not in texts


@pytest.mark.parametrize(
    ("queries", "concepts", "alternatives"),
    [
        (["maps AND robots AND fewer"], ["maps", "robots", "fewer"], {"maps": ["charts"]}),
        (["charts AND (robots OR rovers)"], ["maps", "robots"], {"maps": ["charts"]}),
        (["maps", "robots"], ["maps", "robots"], {"maps": ["charts"]}),
        (["rovers AND mapping NOT fewer"], ["maps", "rovers"], {"maps": ["charts"]}),
        (['("sea ice" OR snow) AND robot'], ["robots", "sea ice"], {"sea ice": ["snow"]}),
        (["author:Vaswani"], ["maps", "robots", "fewer"], {"maps": ["charts"]}),
        ([], ["robots"], {}),
    ],
)
def test_papers_are_judged_by_the_concepts_of_the_queries_that_a_person_wrote(
    queries, concepts, alternatives
):
    query = {"keywords": [], "boolean_query": "(maps OR charts) AND robots AND fewer"}
    strategy = models.SearchStrategy(queries=[query], sources=[], ranked=[{"text": "robots"}])
    update = {"concepts": ["maps", "robots", "fewer"], "alternatives": {"maps": ["charts"]}}
    intent = INTENT.model_copy(update=update)
    state = WorkflowState(question="maps?", intent=intent, strategy=strategy)
    changed = {"queries": [{"keywords": [], "boolean_query": text} for text in queries]}
    edit = StrategyEdit.model_validate({**strategy.model_dump(), **changed})
    edited = criteria_update(state, edit)[0]["intent"]
    assert (edited.concepts, edited.alternatives) == (concepts, alternatives)


@pytest.mark.parametrize(
    ("filters", "remaining"),
    [
        ({}, ["trials", "review", "bees", "protocol"]),
        ({"excluded_types": []}, ["trials", "bees", "protocol"]),
        ({"conditions": ["trials OR trial"]}, ["trials", "review", "protocol"]),
        ({"conditions": ['NOT "honey bees"']}, ["review", "bees", "protocol"]),
        ({"conditions": [], "excluded_types": []}, ["protocol"]),
    ],
)
def test_a_limit_that_a_person_takes_off_takes_its_criterion_with_it(filters, remaining):
    against = ["It is about a review", "It is about honey bees", "It is a protocol"]
    criteria = [
        models.Criterion(text="It is about graphs"),
        models.Criterion(text="It is, or is about, trials"),
        *(models.Criterion(text=text, kind=models.CriterionKind.EXCLUSION) for text in against),
    ]
    limits = {"conditions": ['NOT "honey bees"', "trials OR trial"], "excluded_types": ["review"]}
    strategy = models.SearchStrategy(queries=[], sources=[], filters=limits)
    intent = INTENT.model_copy(update={"excluded": ["honey bees"]}).with_criteria(criteria)
    state = WorkflowState(question="graphs?", intent=intent, strategy=strategy)
    edit = StrategyEdit.model_validate({**strategy.model_dump(), "filters": {**limits, **filters}})
    update, gone = criteria_update(state, edit)
    edited = update["intent"]
    assert [each.text.split()[-1] for each in edited.criteria] == ["graphs", *remaining]
    assert edited.excluded == (["honey bees"] if "bees" in remaining else [])
    assert gone == [each.text for each in criteria if each not in edited.criteria]


async def test_the_result_says_which_criterion_went_with_a_limit():
    class Limited(Judged):
        async def parse(self, user_input: str) -> models.ParsedIntent:
            intent = await super().parse(user_input)
            against = models.Criterion(text="It is a review", kind=models.CriterionKind.EXCLUSION)
            return intent.with_criteria([*intent.criteria, against])

        async def build(self, request: models.QueryBuilderInput) -> models.SearchStrategy:
            strategy = await super().build(request)
            limits = strategy.filters.model_copy(update={"excluded_types": ["review"]})
            return strategy.model_copy(update={"filters": limits})

    flow = workflow(Limited(), relevance_scorer=RelevanceScorer(FakeLLM(grades_of({}))))
    asked = await flow.start("moss", thread_id="t")
    edit = {"action": "edit", "revised_data": {"filters": {"excluded_types": []}}}
    result = await flow.answer("t", edit, token=asked.token)
    assert (
        result.payload.remark
        == "no longer a criterion, because its limit was removed: “It is a review”"
    )
    assert result.payload.remark in result.action_requests[0].description
    assert all(len(paper.grades) == 2 for paper in result.payload.collection.papers)
