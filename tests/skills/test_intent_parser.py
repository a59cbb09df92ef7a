from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paper_search.errors import LLMError, LLMResponseError, QuestionError
from paper_search.models import IntentType, ParsedIntent
from paper_search.skills import MAX_QUESTION_CHARS, IntentParser
from paper_search.testing.llm import FakeLLM


async def parse(question: str) -> ParsedIntent:
    return await IntentParser(None, today=lambda: date(2026, 11, 21)).parse(question)


@pytest.mark.parametrize(
    ("question", "concepts"),
    [
        (
            "graph neural networks for molecular property prediction since 2018",
            ["graph neural networks", "molecular property prediction"],
        ),
        ("Find 10 papers on the effects of caffeine on sleep", ["caffeine", "sleep"]),
        ("How does sleep loss affect memory in teenagers?", ["sleep loss", "memory", "teenagers"]),
        ("quality of life in COVID-19 patients", ["quality of life", "COVID-19 patients"]),
        ('"deep brain stimulation" for tremor', ["deep brain stimulation", "tremor"]),
        ("neural architecture search for phones", ["neural architecture search", "phones"]),
        ("substance use disorder in US veterans", ["substance use disorder", "US veterans"]),
        ("C++ static analysis", ["C++ static analysis"]),
        ("question answering datasets", ["question answering"]),
        ("climate projections for 2050", ["climate projections"]),
        ("peer review quality", ["peer review quality"]),
        ("corpus callosum in infants", ["corpus callosum", "infants"]),
        ("2020年以来图神经网络在分子性质预测中的应用", ["图神经网络", "分子性质预测"]),
        ("大语言模型和教育", ["大语言模型", "教育"]),
        ("基于BERT的命名实体识别数据集", ["BERT", "命名实体识别"]),
        (
            "Artikel über künstliche Intelligenz in der Medizin",
            ["künstliche Intelligenz", "Medizin"],
        ),
        (
            "artículos sobre el cambio climático y la salud mental",
            ["cambio climático", "salud mental"],
        ),
        ("日本における高齢者の介護", ["日本", "高齢者", "介護"]),
        ("papers", ["papers"]),
        ("🙂🙂", ["🙂🙂"]),
    ],
)
async def test_concepts_are_the_key_phrases(question: str, concepts: list[str]) -> None:
    assert (await parse(question)).concepts == concepts


@pytest.mark.parametrize(
    ("said", "years"),
    [
        ("since 2020", (2020, None)),
        ("from 2010 onwards", (2010, None)),
        ("after 2019", (2020, None)),
        ("before 2015", (None, 2014)),
        ("until 2015", (None, 2015)),
        ("between 2015 and 2019", (2015, 2019)),
        ("between 2019 and 2015", (2015, 2019)),
        ("2015-2019", (2015, 2019)),
        ("from 2015 to 2019", (2015, 2019)),
        ("in 2021", (2021, 2021)),
        ("in the 1990s", (1990, 1999)),
        ("in the last five years", (2021, None)),
        ("over the past 3 years", (2023, None)),
        ("last decade", (2016, None)),
        ("this year", (2026, 2026)),
        ("in recent years", (2021, None)),
        ("after 2010 and before 2015", (2011, 2014)),
        ("for 2050", (None, None)),
        ("in 2050", (None, None)),
        ("", (None, None)),
        ("，2020年以来", (2020, None)),
        ("，近五年", (2021, None)),
        ("，2015年到2019年", (2015, 2019)),
        ("，2018年以前", (None, 2017)),
        ("seit 2020", (2020, None)),
        ("desde 2018", (2018, None)),
    ],
)
async def test_years_are_limits(said: str, years: tuple[int | None, int | None]) -> None:
    limits = (await parse(f"solar cells {said}")).constraints
    assert (limits.year_from, limits.year_to) == years


async def test_years_are_not_part_of_the_topic() -> None:
    intent = await parse("Find papers on solar cells since 2018")
    assert (intent.topic, intent.concepts) == ("solar cells", ["solar cells"])


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("survey of solar cells", IntentType.SURVEY),
        ("a systematic review on solar cells", IntentType.SURVEY),
        ("meta-analysis of exercise", IntentType.SURVEY),
        ("近五年太阳能电池综述", IntentType.SURVEY),
        ("benchmark for solar cells", IntentType.DATASET),
        ("speech corpora", IntentType.DATASET),
        ("语音数据集", IntentType.DATASET),
        ("compare LSTMs and transformers", IntentType.BASELINE),
        ("state of the art in parsing", IntentType.BASELINE),
        ("solar cells", IntentType.METHOD),
        ("corpus callosum", IntentType.METHOD),
        ("peer review", IntentType.METHOD),
        ("survey data", IntentType.METHOD),
    ],
)
async def test_cue_words_tell_the_kind(question: str, kind: IntentType) -> None:
    assert (await parse(question)).intent_type is kind


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("papers written in French on grammar", "fr"),
        ("solar cells, papers in German", "de"),
        ("solar cells in German", "de"),
        ("German-language papers on law", "de"),
        ("English only papers on law", "en"),
        ("关于糖尿病的英文文献", "en"),
        ("sentiment analysis of Arabic tweets", None),
        ("Chinese medicine", None),
        ("care in German hospitals", None),
    ],
)
async def test_a_language_is_a_limit_when_papers_are_in_it(
    question: str, language: str | None
) -> None:
    assert (await parse(question)).constraints.language == language


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("10 papers on dogs", 10),
        ("top 20 articles about dogs", 20),
        ("at least 50 articles on dogs", 50),
        ("dogs, no more than 30 papers", 30),
        ("ten papers about dogs", 10),
        ("关于狗的10篇论文", 10),
        ("dogs", 100),
        ("0 papers on dogs", 100),
        ("2021 papers on dogs", 100),
        ("3 legged dogs", 100),
    ],
)
async def test_a_count_is_the_number_of_results(question: str, count: int) -> None:
    assert (await parse(question)).constraints.max_results == count


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
@pytest.mark.parametrize("llm", [None, FakeLLM()])
async def test_an_empty_question_is_refused(question: str, llm: FakeLLM | None) -> None:
    with pytest.raises(QuestionError, match="empty"):
        await IntentParser(llm).parse(question)


async def test_the_longest_question_is_read_and_a_longer_one_is_not() -> None:
    longest = "dogs " * (MAX_QUESTION_CHARS // 5)
    assert (await parse(longest)).concepts
    with pytest.raises(QuestionError, match=r"10,001 characters.*10,000"):
        await parse(longest + "!")


@given(st.text(min_size=1, max_size=300))
@settings(max_examples=150, deadline=None)
async def test_any_text_gives_an_intent(text: str) -> None:
    if not text.strip():
        return
    intent = await parse(text)
    assert intent.topic.strip()
    assert intent.concepts
    assert all(concept.strip() for concept in intent.concepts)
    assert intent.constraints.max_results >= 1


CUES = """between 2015 and since 2020 last five years 10 papers in German review 近五年 的 综述 top
AND ( " for graph 0 99999 the of"""


@given(
    st.lists(
        st.sampled_from(CUES.split()),
        min_size=1,
        max_size=14,
    )
)
@settings(max_examples=150, deadline=None)
async def test_any_mixture_of_cues_gives_an_intent(words: list[str]) -> None:
    intent = await parse(" ".join(words))
    limits = intent.constraints
    assert intent.concepts
    assert limits.year_from is None or limits.year_to is None or limits.year_from <= limits.year_to


GOOD: dict[str, Any] = {
    "topic": "solar cells",
    "concepts": ["solar cell", " ", "stability"],
    "intent_type": "Survey",
    "constraints": {"year_from": 2020, "year_to": 2015, "language": "EN", "max_results": None},
}


async def test_the_model_answer_is_cleaned() -> None:
    llm = FakeLLM(GOOD)
    intent = await IntentParser(llm).parse("solar cells?")
    assert intent.concepts == ["solar cell", "stability"]
    assert intent.intent_type is IntentType.SURVEY
    limits = intent.constraints
    assert (limits.year_from, limits.year_to, limits.language) == (2015, 2020, "en")
    assert limits.max_results == 100
    assert llm.calls[0].user_message == '"solar cells?"'


async def test_a_bad_model_answer_is_repaired() -> None:
    """LLM-01, LLM-05"""
    llm = FakeLLM([GOOD | {"intent_type": "poem"}, GOOD])
    assert (await IntentParser(llm).parse("x")).topic == "solar cells"
    assert "intent_type" in llm.calls[1].user_message


@pytest.mark.parametrize(
    ("answer", "error"),
    [(LLMError("down"), LLMError), ({"topic": ""}, LLMResponseError), (KeyError("x"), KeyError)],
)
async def test_without_an_intent_nothing_goes_on(answer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        await IntentParser(FakeLLM(answer)).parse("x")


async def test_a_model_without_concepts_gives_the_topic() -> None:
    llm = FakeLLM({"topic": "dogs", "intent_type": "method", "constraints": None})
    assert (await IntentParser(llm).parse("x")).concepts == ["dogs"]


async def test_a_domain_adds_its_instructions_to_the_prompt() -> None:
    llm = FakeLLM(GOOD)
    await IntentParser(llm, domain="materials_science").parse("x")
    await IntentParser(llm, domain="unheard-of").parse("x")
    assert ["material families" in call.system_prompt for call in llm.calls] == [True, False]


async def test_the_number_of_results_is_the_configured_one_where_none_is_asked_for() -> None:
    parser = IntentParser(default_max_results=25)
    assert (await parser.parse("graph neural networks")).constraints.max_results == 25
    assert (await parser.parse("10 papers on graph neural networks")).constraints.max_results == 10
