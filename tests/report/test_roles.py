"""Planner, analyst and writer on their own."""

from json import JSONDecoder

import pytest
from tests.report.answers import good_answer

from paper_search.report.analyst import Analyst
from paper_search.report.claims.citations import locate
from paper_search.report.evidence import Evidence
from paper_search.report.models import (
    AnalystInput,
    Critique,
    CritiqueItem,
    PlannerInput,
    ResearchDraft,
    ResearchPlan,
    WriterInput,
)
from paper_search.report.planner import Planner, validate_research_plan
from paper_search.report.writer import Writer
from paper_search.testing.llm import FakeLLM, blocks, data_block
from paper_search.testing.reports import QUESTION, report_sources

PLAN = ResearchPlan(
    original_query=QUESTION,
    decomposed_questions=[QUESTION, "How do quantum computers factor integers?"],
    expected_sections=["Introduction", "Shade", "Computers"],
)


async def analysed(llm=None, **changes: object):
    given = AnalystInput(search_results=report_sources(), research_plan=PLAN)
    return await Analyst(llm).analyse(given.model_copy(update=changes))


@pytest.mark.parametrize(
    ("depth", "questions", "usual"),
    [
        ("quick", 3, {"academic"}),
        ("standard", 5, {"academic", "web"}),
        ("comprehensive", 7, {"academic", "web", "news"}),
    ],
)
@pytest.mark.parametrize("kinds", [["academic"], ["academic", "web"], ["academic", "web", "news"]])
async def test_a_plan_has_the_questions_of_its_depth_and_at_most_15_queries(
    depth, questions, usual, kinds
):
    asked = {"original_query": QUESTION, "depth": depth, "domain_hints": ["botany"]}
    plan = (await Planner().plan(PlannerInput(search_types=kinds, **asked))).research_plan
    assert len(plan.decomposed_questions) == questions
    assert 1 <= len(plan.search_queries) <= 15
    assert {query.search_type for query in plan.search_queries} == usual & set(kinds)
    assert len({(q.query_text, q.search_type) for q in plan.search_queries}) == len(
        plan.search_queries
    )
    assert validate_research_plan(plan) == (True, [])


async def test_every_concept_of_the_question_is_in_a_sub_question():
    given = PlannerInput(original_query="exercise and depression in older adults", depth="standard")
    text = " ".join((await Planner().plan(given)).research_plan.decomposed_questions)
    assert all(word in text for word in ("exercise", "depression", "older adults"))


async def test_a_models_plan_is_brought_within_the_limits():
    answer = {
        "decomposed_questions": ["One?"],
        "search_queries": [
            {"query_text": f"q {n}", "search_type": "gopher", "priority": 99} for n in range(40)
        ],
        "confidence": 7,
    }
    given = PlannerInput(original_query=QUESTION, search_types=["academic"])
    output = await Planner(FakeLLM(answer)).plan(given)
    assert len(output.research_plan.decomposed_questions) == 3
    assert len(output.research_plan.search_queries) == 15
    assert {q.search_type for q in output.research_plan.search_queries} == {"academic"}
    assert output.confidence == 1.0
    assert output.warnings


@pytest.mark.parametrize(
    ("questions", "lack"), [([], "No decomposed questions generated"), (["why"], None)]
)
def test_a_plan_that_cannot_be_carried_out_says_what_it_lacks(questions, lack):
    plan = ResearchPlan(original_query="q", decomposed_questions=questions)
    lacks = [
        "Insufficient question decomposition (minimum 2)",
        "No search queries generated",
        "No expected output sections defined",
    ]
    assert validate_research_plan(plan) == (False, [lack, *lacks] if lack else lacks)


@pytest.mark.parametrize(
    ("gaps", "sufficiency"),
    [(0, "sufficient"), (1, "gaps_minor"), (2, "gaps_minor"), (3, "gaps_major"), (4, "gaps_major")],
)
async def test_more_than_two_gaps_are_major_and_three_are_searched(gaps, sufficiency):
    answered = [QUESTION, *PLAN.decomposed_questions]  # by the model's three findings
    asked = [*answered, *(f"How do computers add {number} bits?" for number in range(gaps))]
    plan = PLAN.model_copy(update={"decomposed_questions": asked})
    output = await analysed(FakeLLM(good_answer), research_plan=plan)
    assert (output.data_sufficiency, len(output.analysis.gaps)) == (sufficiency, gaps)
    assert len(output.recommended_searches) == min(gaps, 3)
    assert (await analysed()).data_sufficiency is None


async def test_every_finding_is_tied_to_a_quote_that_is_where_it_says():
    analysis = (await analysed(FakeLLM(good_answer))).analysis
    sources = {source.result_id: source for source in report_sources()}
    assert analysis.findings
    for quote in (q for finding in analysis.findings for q in finding.quotes):
        text = sources[quote.result_id].text
        assert text[quote.start : quote.end] == quote.text


async def test_a_theme_and_a_contradiction_have_two_sources():
    def answer(call):
        given = good_answer(call)
        keys = given["themes"][0]["sources"]
        alone = {"label": "Alone", "sources": keys[:1]}
        [one, other] = [finding["quotes"][0] for finding in given["findings"][:2]]
        disputes = [
            {"topic": topic, "one": one, "other": against, "note": "by the hour"}
            for topic, against in (
                ("Itself", one),
                ("Night", other),
                ("Lie", {**other, "text": "x"}),
            )
        ]
        return {**given, "themes": [*given["themes"], alone], "contradictions": disputes}

    analysis = (await analysed(FakeLLM(answer))).analysis
    assert analysis.themes == ["Shade by day (3 sources)"]
    [dispute] = analysis.contradictions
    assert dispute.startswith("Night: “")
    assert dispute.endswith("] (by the hour)")


async def test_findings_of_a_model_without_a_quote_that_exists_are_thrown_away():
    def answer(call):
        given = good_answer(call)
        given["findings"] = [
            {
                "text": "Trees sing.",
                "question": 1,
                "grade": "strong",
                "quotes": [{"source": "rowan_2019_shade", "text": "trees sing loudly at noon"}],
            },
            {
                "text": "All trees cool all streets.",
                "question": 1,
                "grade": "strong",
                "quotes": [{"source": "rowan_2019_shade", "text": "shade trees"}],
            },
            {
                "text": "Trees cool streets.",
                "question": 1,
                "grade": "strong",
                "quotes": [
                    {"source": "[@rowan_2019_shade]", "text": "the effect is small at night"}
                ],
            },
        ]
        return given

    analysis = (await analysed(FakeLLM(answer))).analysis
    texts = [finding.text for finding in analysis.findings]
    assert "Trees sing." not in texts
    assert "All trees cool all streets." not in texts
    assert "Trees cool streets." in texts
    kept = next(finding for finding in analysis.findings if finding.text == "Trees cool streets.")
    assert kept.grade == "weak"  # one source, whatever the model says


async def test_a_title_of_two_words_bears_a_finding_that_copies_it():
    sources = report_sources()
    sources[0].title = "Quiet streets"
    short = {"text": "They are.", "question": 1, "grade": "weak"}

    def answer(call):
        key = data_block(call)[0]["key"]
        return {"findings": [{**short, "quotes": [{"source": key, "text": "Quiet streets"}]}]}

    analysis = (await analysed(FakeLLM(answer), search_results=sources)).analysis
    assert [finding.text for finding in analysis.findings] == ["They are."]


def test_words_are_found_in_a_source_whatever_their_marks():
    source = report_sources()[0]
    source.full_content = "They call it “the shade effect” — and it’s small."
    quote = locate("they call it 'the shade effect' - and it's small", source)
    assert source.text[quote.start : quote.end].startswith("They call it")
    assert Evidence([source]).usable


@pytest.mark.parametrize(
    ("authors", "grade"),
    [
        (["Ash, A", "Birch, B", "Cedar, C"], "strong"),
        (["Ash, A", "Birch, B"], "moderate"),
        (["Ash, A", "Birch, B", "Ash, A"], "moderate"),
        (["Ash, A"], "weak"),
    ],
)
async def test_a_grade_counts_sources_that_share_no_author(authors, grade):
    sources = report_sources()[: len(authors)]
    for source, author in zip(sources, authors, strict=True):
        source.metadata["authors"] = [author]

    def answer(call):
        keys = {record["key"]: record["text"] for record in data_block(call)}
        quotes = [{"source": key, "text": text.split(". ")[0]} for key, text in keys.items()]
        return {"findings": [{"text": "x", "question": 1, "grade": "strong", "quotes": quotes}]}

    [finding] = (await analysed(FakeLLM(answer), search_results=sources)).analysis.findings
    assert finding.grade == grade


SHADE_PLAN = ResearchPlan(
    original_query=QUESTION,
    decomposed_questions=[
        "Which limits do studies of shade trees and city streets name?",
        "Do shade trees lower the temperature of city streets at night?",
        "Do shade trees lower the temperature of city streets?",
    ],
    expected_sections=["Introduction", "Shade trees in city streets", "By day", "Limits", "Night"],
)


async def written_in_sections(**changes: object) -> list[tuple[dict, list, dict]]:
    """Return what each question to the writer asks for, its sources, and its material."""
    analysis = (await analysed(FakeLLM(good_answer), research_plan=SHADE_PLAN)).analysis
    given = WriterInput(
        analysis=analysis,
        research_plan=SHADE_PLAN,
        search_results=report_sources(),
        target_length=3000,
    )
    await Writer(llm := FakeLLM(good_answer)).write(given.model_copy(update=changes))
    parts = ((call.user_message, blocks(call.user_message)) for call in llm.calls)
    return [
        (JSONDecoder().raw_decode(text)[0]["write"], *two[:1], two[1][0]) for text, two in parts
    ]


async def test_a_sub_question_is_answered_where_the_title_has_what_tells_it_from_the_others():
    asked = [part["section"] for part, *_ in await written_in_sections() if "section" in part]
    answers = {one["title"]: one["answers"] for one in asked if "answers" in one}
    limits, night, whole = SHADE_PLAN.decomposed_questions
    assert answers == {"Limits": [limits, whole], "Night": [night]}


async def test_a_section_has_its_findings_with_the_words_and_keys_to_cite_and_only_their_sources():
    for part, sources, material in await written_in_sections():
        keys = {quote["key"] for one in material.get("findings", []) for quote in one["quotes"]}
        assert {source["key"] for source in sources} == keys
        assert bool(keys) is ("section" in part)
        for quote in (quote for one in material.get("findings", []) for quote in one["quotes"]):
            assert any(quote["text"] in source["text"] for source in sources)


async def test_a_frame_is_revised_from_what_it_was():
    before = ResearchDraft(title="Old", abstract="Shade cools.", conclusion="Plant trees.")
    *_, (part, _, material) = await written_in_sections(previous_draft=before, critique=Critique())
    assert "frame" in part
    assert material["previous_frame"] == {
        "title": "Old",
        "abstract": "Shade cools.",
        "conclusion": "Plant trees.",
    }


async def test_a_plan_for_papers_that_are_there_is_asked_for_no_searches_and_warns_of_none():
    llm = FakeLLM(good_answer)
    given = PlannerInput(original_query=QUESTION, search_types=["academic"], papers=12)
    output = await Planner(llm).plan(given)
    assert JSONDecoder().raw_decode(llm.calls[0].user_message)[0]["papers"] == 12
    assert output.warnings == []


async def test_what_was_done_about_an_item_is_told_whichever_piece_of_a_section_did_it():
    def answer(call):
        said = good_answer(call)
        piece = JSONDecoder().raw_decode(call.user_message)[0].get("write", {}).get("section")
        return {**said, "changes": [f"item {piece['piece'][0]}: done"]} if piece else said

    analysis = (await analysed(FakeLLM(good_answer))).analysis
    given = WriterInput(
        analysis=analysis,
        research_plan=PLAN.model_copy(update={"expected_sections": ["By day", "At night"]}),
        search_results=report_sources(),
        target_length=3000,
    )
    before = (await Writer().write(given)).draft
    critique = Critique(
        items=[
            CritiqueItem(
                critique_id=f"item {number}",
                category="completeness",
                severity="minor",
                location="By day",
                description="say it",
                found_by="person",
            )
            for number in (1, 2)
        ]
    )
    again = given.model_copy(update={"previous_draft": before, "critique": critique})
    written = await Writer(FakeLLM(answer)).write(again)
    assert written.revision_notes == ["done (say it)", "done (say it)"]
