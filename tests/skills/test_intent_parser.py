import re
import time
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.examples import examples

from paper_search.errors import (
    LLMError,
    LLMLengthError,
    LLMRefusalError,
    LLMResponseError,
    QuestionError,
)
from paper_search.models import (
    IntentType,
    ParsedIntent,
    Purpose,
    RawPaper,
    SourceReport,
    SourceStatus,
)
from paper_search.query import parse as parse_query
from paper_search.skills import MAX_QUESTION_CHARS, IntentParser
from paper_search.skills.intent.concepts import MAX_CONCEPTS
from paper_search.skills.untrusted import visible
from paper_search.testing.llm import FakeLLM


async def parse(question: str) -> ParsedIntent:
    return await IntentParser(None, today=lambda: date(2026, 11, 21)).parse(question)


async def test_a_question_is_its_subject_and_its_limits():
    intent = await parse(
        "Please find 10 papers by Vaswani on attention or memory in translation, not reviews,"
        " but not honey bees, published since 2015 in English"
    )
    assert intent.topic == "attention or memory in translation"
    assert intent.question == "attention or memory in translation"
    assert intent.concepts == ["attention", "translation"]
    assert intent.alternatives == {"attention": ["memory"]}
    assert intent.excluded == ["honey bees"]
    assert intent.authors == ["Vaswani"]
    assert intent.intent_type is IntentType.METHOD
    limits = intent.constraints
    assert (limits.year_from, limits.year_to, limits.language) == (2015, None, "en")
    assert (limits.max_results, limits.excluded_types) == (10, ["review"])
    assert intent.notes == []


async def test_a_question_without_limits_is_ranked_by_as_it_is_written_behind_the_request():
    question = "What is known about the survey of  moss (and lichen) in cities?"
    assert (await parse(question)).question == "survey of moss (and lichen) in cities?"


async def test_nothing_is_read_out_of_quotation_marks():
    intent = await parse('the novel "not before 1984" in the schools of "review by Smith" fame')
    assert (intent.excluded, intent.authors, intent.constraints.year_from) == ([], [], None)
    assert intent.intent_type is IntentType.METHOD
    assert {"not before 1984", "review by Smith"} <= set(intent.concepts)


@pytest.mark.parametrize(
    "question",
    [
        "künstliche Intelligenz in der Medizin",
        "el cambio climático y la salud",
        "les cellules solaires dans la ville",
        "gli effetti della caffeina sul sonno",
        "os efeitos da cafeína no sono",
        "het effect van cafeïne op de slaap",
        "图神经网络的应用",
        "влияние кофе на сон",
        "diabetes و النوم",
    ],
)
async def test_a_note_says_that_english_terms_find_more(question):
    assert "English terms find more" in (await parse(question)).notes[0]
    assert (await parse("the effect of coffee on sleep")).notes == []


@pytest.mark.parametrize("question", ["papers", "to be or not to be", "the of and"])
async def test_words_that_say_nothing_are_searched_with_a_note(question):
    intent = await parse(question)
    assert intent.question == question
    assert "only words that most papers use" in intent.notes[0]


async def test_a_quotation_mark_that_is_never_closed_is_noted():
    intent = await parse('graph "neural networks')
    assert intent.concepts == ["graph", "neural networks"]
    assert "closing quotation mark is missing" in intent.notes[0]


@pytest.mark.parametrize("question", ["not reviews", "excluding honey bees", "no surveys please"])
async def test_a_question_that_only_excludes_is_refused(question):
    with pytest.raises(QuestionError, match="only says what to exclude"):
        await parse(question)


@pytest.mark.parametrize("question", ["🙂🙂", "?!", "\u200b\u200b", "--", '""'])
async def test_a_question_without_a_word_is_refused(question):
    with pytest.raises(QuestionError, match="contains no words"):
        await parse(question)


async def test_hidden_characters_and_emojis_are_no_part_of_concepts():
    intent = await parse("so\u200blar\x07 cells 🙂\n in\tcities")
    assert intent.concepts == ["solar cells", "cities"]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("survey of solar cells", IntentType.SURVEY),
        ("a systematic review on solar cells", IntentType.SURVEY),
        ("meta-analysis of exercise", IntentType.SURVEY),
        ("benchmark for solar cells", IntentType.DATASET),
        ("speech corpora", IntentType.DATASET),
        ("compare LSTMs and transformers", IntentType.BASELINE),
        ("state of the art in parsing", IntentType.BASELINE),
        ("solar cells", IntentType.METHOD),
        ("corpus callosum", IntentType.METHOD),
        ("peer review", IntentType.METHOD),
        ("survey data", IntentType.METHOD),
    ],
)
async def test_cue_words_tell_the_kind(question, kind):
    assert (await parse(question)).intent_type is kind


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("papers written in French on grammar", "fr"),
        ("solar cells, papers in German", "de"),
        ("German-language papers on law", "de"),
        ("English only papers on law", "en"),
        ("law, literature written in Spanish", "es"),
        ("law (in English)", None),
        ("teaching in English at Swedish universities", None),
        ("sentiment analysis of Arabic tweets", None),
        ("Chinese medicine", None),
        ("care in German hospitals", None),
    ],
)
async def test_a_language_is_a_limit_when_papers_are_in_it(question, language):
    assert (await parse(question)).constraints.language == language


async def test_a_language_that_is_not_wanted_is_no_limit_and_noted():
    intent = await parse("law, not in German")
    assert (intent.constraints.language, intent.excluded, intent.question) == (None, [], "law")
    assert "'not in German'" in intent.notes[0]


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("10 papers on dogs", 10),
        ("top 20 articles about dogs", 20),
        ("at least 50 articles on dogs", 100),
        ("dogs, no more than 30 papers", 30),
        ("ten papers about dogs", 10),
        ("give me 5 papers on dogs", 5),
        ("need 3 gd articles on dogs", 3),
        ("the 10 most cited trials in dogs", 10),
        ("dogs, max 15 papers", 15),
        ("five papers a year: publish or perish", 100),
        ("10 000 steps a day", 100),
        ("dogs", 100),
        ("0 papers on dogs", 100),
        ("2021 papers on dogs", 100),
        ("3 legged dogs", 100),
    ],
)
async def test_a_count_is_the_number_of_papers_shown(question, count):
    limits = (await parse(question)).constraints
    assert (limits.max_results, limits.max_papers) == (count, None if count == 100 else count)


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
@pytest.mark.parametrize("llm", [None, FakeLLM()])
async def test_an_empty_question_is_refused(question, llm):
    with pytest.raises(QuestionError, match="empty"):
        await IntentParser(llm).parse(question)


async def test_the_longest_question_is_read_and_a_longer_one_is_not():
    longest = "dogs " * (MAX_QUESTION_CHARS // 5)
    assert (await parse(longest)).concepts
    with pytest.raises(QuestionError, match=r"10,001 characters.*10,000"):
        await parse(longest + "!")


CUES = """between 2015 and since 2020 before 1990s last five years 10 papers in German review 近五年
的 综述 top in Nature most cited like AND OR NOT ( ) " for graph 0 99999 the of not without
but excluding except reviews
preprints or , . : ; by Vaswani from Smith et al. title: year: [tiab] TS=( NEAR/3 * 10.1000/1 pmid
honey bees ohne außer sauf excepto moss lichen 不包括 黄蜂 rather than whether improving observed ''
-- \ue000 \ua78f"""
QUESTIONS = st.one_of(
    st.text(min_size=1, max_size=300),
    st.lists(st.sampled_from(CUES.split()), min_size=1, max_size=16).map(" ".join),
)


@given(QUESTIONS)
@examples(400)
@example('""0 // "')
async def test_any_text_gives_a_sound_intent_or_a_question_error(text):
    try:
        intent = await parse(text)
    except QuestionError:
        return
    limits = intent.constraints
    assert intent.topic.strip()
    assert limits.max_results >= 1
    assert limits.year_from is None or limits.year_to is None or limits.year_from <= limits.year_to
    carried = (intent.authors, intent.venues, intent.identifiers, limits.year_from, limits.year_to)
    if intent.boolean_query is None:
        assert intent.question or any(carried)
        assert intent.concepts or not intent.question
        assert len(intent.concepts) <= MAX_CONCEPTS
        written = _folded(visible(text))
        assert all(_folded(concept) in written for concept in intent.concepts)
    else:
        parse_query(intent.boolean_query)
    assert not {*map(_folded, intent.concepts)} & {*map(_folded, intent.excluded)}
    assert set(intent.alternatives) <= set(intent.concepts)
    assert not re.search("[\ue000\ua78f]", intent.model_dump_json())


def _folded(text: str) -> str:
    return " ".join(re.sub("[\ue000\ua78f]", " ", text).casefold().replace('"', " ").split())


GOOD: dict[str, Any] = {
    "topic": "solar cells",
    "concepts": ["solar cell", " ", "stability"],
    "intent_type": "Survey",
    "constraints": {"year_from": 2020, "year_to": 2015, "language": "EN", "max_results": None},
}


async def test_the_model_answer_is_cleaned():
    llm = FakeLLM(GOOD)
    intent = await IntentParser(llm).parse("solar cells?")
    assert intent.concepts == ["solar cell", "stability"]
    assert intent.intent_type is IntentType.SURVEY
    limits = intent.constraints
    assert (limits.year_from, limits.year_to, limits.language) == (2015, 2020, "en")
    assert limits.max_results == 100
    assert intent.notes == [
        "the years are read as 2015 to 2020: the model gave them in reverse order",
        "read by the model only: the years and the language; remove what you did not ask for",
    ]
    assert llm.calls[0].user_message == '"solar cells?"'


SILENT = {"topic": "moss", "intent_type": "method"}
IN_TWO = "moss, in German or French"
DESCRIBED = "bridges excluding wood that is treated with tar"


@pytest.mark.parametrize(
    ("question", "answer", "left"),
    [
        ("open access papers on moss", {"constraints": {"year_from": 2015}}, "open access"),
        (IN_TWO, {"constraints": {"year_from": 2015}}, "in German or French"),
        (IN_TWO, {"constraints": {"language": "de"}}, None),
        ("moss before 1990 and since 2015", {"excluded": ["roofs"]}, "not a single span"),
        ("moss before 1990 and since 2015", {"constraints": {"year_from": 2015}}, None),
        (DESCRIBED, {"authors": ["Tar"]}, "wood that is treated with tar"),
        (DESCRIBED, {"excluded": ["tar"]}, None),
        ("Ostrom on the commons", {}, "Ostrom as author"),
        ("Ostrom on the commons", {"authors": ["Ostrom"]}, None),
    ],
)
async def test_what_neither_words_nor_model_act_on_is_named(question, answer, left):
    notes = (await IntentParser(FakeLLM(SILENT | answer)).parse(question)).notes
    notes = [note for note in notes if "read by the model only" not in note]
    assert [left in note for note in notes] == [True] if left else notes == []


async def test_a_bad_model_answer_is_repaired():
    """LLM-01, LLM-05"""
    llm = FakeLLM([GOOD | {"intent_type": "poem"}, GOOD])
    assert (await IntentParser(llm).parse("x")).topic == "solar cells"
    assert "intent_type" in llm.calls[1].user_message


FAILURES = [LLMError("404"), LLMRefusalError("no"), LLMLengthError("cut off"), {"topic": ""}]


@pytest.mark.parametrize("answer", [*FAILURES, KeyError()])
async def test_without_a_fallback_what_the_model_raises_propagates(answer):
    """LLM-01"""
    with pytest.raises(type(answer) if isinstance(answer, Exception) else LLMResponseError):
        await IntentParser(FakeLLM(answer)).parse("solar cells since 2015")


@pytest.mark.parametrize("answer", [*FAILURES, KeyError()])
async def test_with_a_fallback_a_question_that_the_model_does_not_read_is_read_without_it(answer):
    parser = IntentParser(FakeLLM(answer), has_fallback=True)
    intent = await parser.parse("solar cells since 2015")
    alone = await IntentParser(None).parse("solar cells since 2015")
    assert intent.concepts == alone.concepts == ["solar cells"]
    assert intent.constraints == alone.constraints
    assert "the model failed (" in intent.notes[-1]
    assert intent.criteria, "the model still judges"


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Solarzellen", "the years and the language"),
        ("solar cells since 2015", "the language"),
        ("solar cells since 2015 in German", None),
    ],
)
async def test_limits_that_only_the_model_read_are_named(question, note):
    llm = FakeLLM(SILENT | {"constraints": {"year_from": 2015, "language": "de"}})
    notes = (await IntentParser(llm).parse(question)).notes
    advice = "remove what you did not ask for"
    assert notes == ([f"read by the model only: {note}; {advice}"] if note else [])


@pytest.mark.parametrize(
    ("question", "answer", "note"),
    [
        ("solar cells", {"constraints": {"max_results": 5}}, "the number of papers"),
        ("20 papers on solar cells", {"constraints": {"max_results": 5}}, None),
        ("solar cells", {"constraints": {"excluded_types": ["Review"]}}, "the kinds to leave out"),
        ("solar cells, no reviews", {"constraints": {"excluded_types": ["review"]}}, None),
        ("solar cells", {"authors": ["Ada Smith"]}, "the authors"),
        ("solar cells by Ada Smith", {"authors": ["Ada Smith"]}, None),
    ],
)
async def test_a_limit_of_the_model_that_hides_papers_is_named(question, answer, note):
    notes = (await IntentParser(FakeLLM(SILENT | answer)).parse(question)).notes
    advice = "remove what you did not ask for"
    assert notes == ([f"read by the model only: {note}; {advice}"] if note else [])


async def test_a_domain_adds_its_instructions_to_the_prompt():
    llm = FakeLLM(GOOD)
    await IntentParser(llm, domain="materials_science").parse("x")
    await IntentParser(llm, domain="unheard-of").parse("x")
    assert ["material families" in call.system_prompt for call in llm.calls] == [True, False]


async def test_a_model_names_alternatives_exclusions_and_authors():
    answer = GOOD | {
        "alternatives": {"Solar cell": ["battery", " ", "stability", "Wind"], "unknown": ["x"]},
        "excluded": ["wind", "wind ", "Stability"],
        "authors": ["M. Green", ""],
        "constraints": {"excluded_types": ["Review", " "]},
    }
    intent = await IntentParser(FakeLLM(answer)).parse("solar cells by M. Green?")
    assert intent.concepts == ["solar cell"]
    assert intent.alternatives == {"solar cell": ["battery"]}
    assert intent.excluded == ["wind", "Stability"]
    assert intent.authors == ["M. Green"]
    assert intent.constraints.excluded_types == ["review"]


@pytest.mark.parametrize(
    ("question", "unwanted", "excluded", "note"),
    [
        ("solar cells in rain", "Solar cells", [], ": the model's exclusion is ignored"),
        ("solar cells in rain", "cells", [], ": the model's exclusion is ignored"),
        (
            "solar cells, I am tired of wind",
            "wind",
            ["wind"],
            "by the model only: what to exclude",
        ),
        ("solar cells in rain", "wind", ["wind"], None),
        ("solar cells, not wind", "wind", ["wind"], None),
    ],
)
async def test_a_model_excludes_nothing_that_the_question_asks_for(
    question, unwanted, excluded, note
):
    answer = GOOD | {"excluded": [unwanted], "constraints": None}
    intent = await IntentParser(FakeLLM(answer)).parse(question)
    assert (intent.concepts, intent.excluded) == (["solar cell", "stability"], excluded)
    assert (note or "") in str(intent.notes)
    assert bool(intent.notes) is (note is not None)


@pytest.mark.parametrize(
    "constraints",
    [None, {"year_from": 1900, "year_to": 2000, "language": "de", "max_results": 3}],
)
async def test_a_model_changes_no_limit_that_the_question_states(constraints):
    question = (
        "20 theses on solar cells since 2015 by M. Green, before 2023, in English, excluding wind"
    )
    answer = GOOD | {"constraints": constraints, "authors": ["Nobody"], "excluded": ["wave"]}
    intent = await IntentParser(FakeLLM(answer)).parse(question)
    alone = await IntentParser(None).parse(question)
    assert len(alone.constraints.in_words) == 4
    assert intent.constraints == alone.constraints
    assert (intent.authors, intent.excluded) == (["M. Green"], ["wind", "wave"])


async def test_a_question_that_names_only_a_year_says_so():
    intent = await parse("2015")
    assert intent.constraints.year_from == intent.constraints.year_to == 2015
    assert intent.notes == ["the question contains only years: say what it is about"]


async def test_concepts_in_another_language_are_asked_for_in_english_once():
    german = GOOD | {"concepts": ["Vorbeugung von Schlaganfällen"], "constraints": {}}
    llm = FakeLLM([german, GOOD])
    assert (await IntentParser(llm).parse("x")).concepts == ["solar cell", "stability"]
    assert "in English" in llm.calls[1].user_message
    for second in (LLMError("gone"), german):
        stubborn = FakeLLM([german, second])
        assert (await IntentParser(stubborn).parse("x")).concepts == german["concepts"]
        assert stubborn.call_count == 2
    wanted = FakeLLM(german | {"constraints": {"language": "de"}})
    await IntentParser(wanted).parse("x")
    assert wanted.call_count == 1


async def test_limits_outside_of_what_can_be_are_left_out_in_sight():
    limits = {"year_from": 12, "year_to": 2999, "language": "Klingon", "max_results": 10**20}
    intent = await IntentParser(FakeLLM(GOOD | {"constraints": limits})).parse("x")
    read = intent.constraints
    assert (read.year_from, read.year_to, read.language) == (None, None, None)
    assert read.max_results == 10_000  # a strategy is held within the ceiling
    shown = "\n".join(intent.notes)
    assert all(part in shown for part in ("12", "2999", "'Klingon'"))


# --- papers like one ------------------------------------------------------------------------------

LOOKED_UP = SourceReport(
    source="crossref", purpose=Purpose.LOOKUP, query="q", status=SourceStatus.OK, unused=1
)
SEED = RawPaper(
    id="doi:10.1000/1",
    doi="10.1000/1",
    arxiv_id="1706.03762",
    title="Visual odometry on small drones",
    abstract="We fly.",
    keywords=["SLAM"],
    source="library",
    year=2015,
)


@pytest.mark.parametrize(
    ("question", "title", "identifiers"),
    [
        ("papers like doi:10.1000/1", "", ["doi:10.1000/1"]),
        ("similar to https://doi.org/10.1000/1 since 2020", "since 2020", ["doi:10.1000/1"]),
        ("find more papers similar to arXiv:1706.03762", "", ["arxiv:1706.03762"]),
        ("Papers like visual odometry on small drones", "visual odometry on small drones", []),
        ('related work to "Visual odometry on small drones".', SEED.title, []),
        ('papers like "Visual odometry on small drones"', SEED.title, []),
        ("show me articles that are similar to this paper: " + SEED.title, SEED.title, []),
    ],
)
async def test_a_question_for_papers_like_one_is_that_papers_title_and_keywords(
    question, title, identifiers
):
    asked: list[tuple[str, Sequence[str]]] = []

    async def find(text: str, names: Sequence[str]) -> tuple[list[RawPaper], list[SourceReport]]:
        asked.append((text, names))
        return [SEED], [LOOKED_UP]

    question = question.replace("related work to", "related articles to")
    intent = await IntentParser(today=lambda: date(2026, 11, 23), find_papers=find).parse(question)
    assert asked == [(title, identifiers)]
    assert intent.question == "Visual odometry on small drones SLAM"
    assert [(seed.id, seed.is_relevant) for seed in intent.seeds] == [(SEED.id, True)]
    assert intent.identifiers == (identifiers or ["doi:10.1000/1"])
    assert intent.constraints.year_from == (2020 if "2020" in question else None)
    assert "is this the paper you mean?" in intent.notes[-1]
    assert intent.lookups == [LOOKED_UP]


async def test_limits_may_stand_behind_the_title_of_a_paper_that_others_are_like():
    async def find(text: str, _names: Sequence[str]) -> tuple[list[RawPaper], list[SourceReport]]:
        return [SEED] if text == SEED.title else [], [LOOKED_UP]

    parser = IntentParser(find_papers=find)
    intent = await parser.parse(f"papers like {SEED.title}, since 2020, not about birds")
    assert intent.question == "Visual odometry on small drones SLAM"
    assert (intent.constraints.year_from, intent.excluded) == (2020, ["birds"])
    assert [seed.id for seed in intent.seeds] == [SEED.id]
    assert intent.lookups == [LOOKED_UP, LOOKED_UP]


@pytest.mark.parametrize(
    "question",
    ["papers like transformers", "doi:10.1000/1", "cells like neurons that fire in bursts", "like"],
)
async def test_other_questions_look_for_no_paper(question):
    async def find(_text: str, _names: Sequence[str]) -> tuple[list[RawPaper], list[SourceReport]]:
        raise AssertionError("asked")

    assert not (await IntentParser(find_papers=find).parse(question)).seeds


@pytest.mark.parametrize(
    "question",
    [
        "papers like visual odometry on small drones",
        'papers like ("visual odometry" OR slam) AND small drones',
    ],
)
async def test_a_paper_that_nobody_has_leaves_the_question_as_it_is(question):
    async def find(_text: str, _names: Sequence[str]) -> tuple[list[RawPaper], list[SourceReport]]:
        return [], [LOOKED_UP]

    parser = IntentParser(find_papers=find)
    read, plain = await parser.parse(question), await IntentParser().parse(question)
    assert read.model_copy(update={"notes": [], "lookups": []}) == plain
    assert read.lookups == [LOOKED_UP]
    assert "none of the sources of this search has the paper" in read.notes[-1]


@pytest.mark.parametrize("piece", ["and ", "no x,", "excluding x, ", "-x "])
async def test_the_time_of_reading_does_not_grow_with_the_square_of_the_length(piece):
    async def seconds(length: int) -> float:
        start = time.process_time()
        await parse(f"{f'sleep {piece * length}'[: length - 9]} children")
        return time.process_time() - start

    await parse(f"sleep in adults {piece}")  # what is compiled once
    quarter = await seconds(MAX_QUESTION_CHARS // 4)
    assert await seconds(MAX_QUESTION_CHARS) < 8 * quarter + 0.2  # 16 times, by the square
