"""A question counts as answered only by a sentence that says what it asks."""

from tests.report.sources import report_on, source

from paper_search.report.analyst import Analyst
from paper_search.report.exchange import AnalystInput
from paper_search.report.models import AnalysisResult, ResearchPlan, SearchResult
from paper_search.testing.llm import FakeLLM, data_block

DRUG = (
    "Methylphenidate reduced the symptoms of ADHD in teenagers in 61% of cases. "
    "Methylphenidate raised the blood pressure of teenagers."
)
QUESTION = "Does methylphenidate cause cancer in teenagers?"


async def analysed(*sources: SearchResult, question: str = QUESTION) -> AnalysisResult:
    plan = ResearchPlan(original_query=question, decomposed_questions=[question])
    given = AnalystInput(search_results=list(sources), research_plan=plan)
    return (await Analyst().analyse(given)).analysis


async def test_papers_that_never_name_cancer_do_not_answer_a_question_on_cancer():
    report = await report_on(
        QUESTION,
        source("Rowan", DRUG, title="Methylphenidate in teenagers"),
        source("Birch", DRUG.replace("61", "54"), title="Methylphenidate for ADHD"),
    )
    assert report.analysis.findings == []
    assert not any(answer.is_answered for answer in report.analysis.answers)
    assert report.analysis.answers[0].missing == ["cancer"]
    assert "symptoms of ADHD" in report.analysis.answers[0].nearest[0].text
    text = "\n".join(part.content for part in report.sections)
    assert "The sources found do not answer this" in text
    assert report.metadata["word_count"] < 700


async def test_a_title_on_one_concept_does_not_answer_a_question_on_two():
    report = await report_on(
        "How do generative adversarial networks help graph neural networks?",
        source("Li", "", title="A generative adversarial network to generate desired molecules"),
    )
    assert report.analysis.gap_questions == list(range(len(report.analysis.answers)))


async def test_the_title_may_name_what_its_sentence_leaves_out():
    text = "Zinc shortened colds by two days."
    for title, is_answered in (("Zinc in adolescents", True), ("Zinc in adults", False)):
        found = await analysed(
            source("Rowan", text, title=title), question="What does zinc do to colds in teenagers?"
        )
        assert found.answers[0].is_answered is is_answered


async def test_why_and_how_a_study_was_made_is_no_finding():
    aims = (
        "The aim of this study was to assess whether zinc shortens colds.",
        "We randomised 40 people with colds to zinc or placebo.",
        "Zinc and colds were studied in a trial of 40 people.",
    )
    found = await analysed(
        *(source(f"Rowan{n}", text) for n, text in enumerate(aims)),
        question="What is the effect of zinc on colds?",
    )
    assert found.findings == []
    asked = "Which methods and data are used to study zinc and colds?"
    found = await analysed(
        *(source(f"Rowan{n}", text) for n, text in enumerate(aims)), question=asked
    )
    assert {(finding.grade, finding.is_design) for finding in found.findings} == {("weak", True)}
    assert found.key_findings == []


async def test_a_grade_counts_independent_studies_that_say_the_same():
    def zinc(name: str, text: str, title: str = "On zinc") -> SearchResult:
        return source(name, text, title=title)

    asked = "What is the effect of zinc on colds?"
    said = "Zinc shortened the colds of people by {} days."
    three = [zinc(name, said.format(n)) for n, name in enumerate(("Ash", "Birch", "Cedar"), 2)]

    async def grade(*sources: SearchResult) -> str:
        found = await analysed(*sources, question=asked)
        return next(finding.grade for finding in found.findings if "shortened" in finding.text)

    assert await grade(*three) == "strong"
    assert await grade(*three[:2]) == "moderate"
    assert await grade(*three[:2], zinc("Ash", said.format(9), "Ash again")) == "moderate"
    denied = zinc("Dogwood", "Zinc did not shorten the colds of people.")
    assert await grade(*three[:2], denied) == "moderate"
    children = zinc("Elm", "Zinc shortened the colds of people by 5 days.", "Zinc in children")
    adult = zinc("Ash", said.format(2), "Zinc in adults")
    assert await grade(adult, children) == "weak"


async def test_adults_and_children_do_not_contradict_each_other():
    yes = "Zinc shortened colds and was effective in {}."
    no = "Zinc did not shorten colds and was not effective in {}."
    asked = "Is zinc effective in colds?"
    apart = await analysed(
        source("Ash", yes.format("adults")), source("Elm", no.format("children")), question=asked
    )
    together = await analysed(
        source("Ash", yes.format("adults")), source("Elm", no.format("adults")), question=asked
    )
    assert apart.contradiction_details == []
    assert len(together.contradiction_details) == 1


async def test_a_models_finding_stands_only_on_a_source_that_names_what_is_asked():
    risk = "Cancer was not more frequent with methylphenidate in adolescents."
    asked = [QUESTION, "How safe is methylphenidate in long-term use?"]
    sources = [source("Rowan", DRUG, title="Methylphenidate"), source("Birch", risk, title="Risks")]

    def answer(call):
        keys = {record["text"]: record["key"] for record in data_block(call)}
        quotes = [{"source": keys[text], "text": text} for text in (DRUG, risk)]
        return {
            "findings": [
                {"text": "It causes cancer.", "question": 1, "quotes": quotes[:1]},
                {"text": "It does not cause cancer.", "question": 1, "quotes": quotes[1:]},
                {"text": "It raises blood pressure.", "question": 2, "quotes": quotes[:1]},
            ]
        }

    plan = ResearchPlan(original_query=QUESTION, decomposed_questions=asked)
    given = AnalystInput(search_results=sources, research_plan=plan)
    found = (await Analyst(FakeLLM(answer)).analyse(given)).analysis
    assert [finding.text for finding in found.findings] == [
        "It does not cause cancer.",
        "It raises blood pressure.",
    ]
    assert found.gap_questions == []
