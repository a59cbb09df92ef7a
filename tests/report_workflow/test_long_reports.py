"""Reports longer than a model answers at once: written, mended and resumed section by section."""

import json

import pytest
from tests.report.answers import good_answer
from tests.report_workflow.doubles import report_workflow
from tests.workflow.doubles import Crash

from paper_search.errors import LLMFailure, LLMLengthError
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.llm import FakeLLM
from paper_search.testing.reports import QUESTION

SECTIONS = ["Introduction", "By day", "At night", "Limitations"]


def flow(llm: FakeLLM, **settings: object) -> ReportWorkflow:
    return report_workflow(llm, **{"target_length": 5000, **settings})


def kind(call) -> str:
    return call.schema["title"]


def wanted(call) -> dict[str, object]:
    """Return which section a call asks for; of any other call, nothing."""
    return head(call).get("write", {}).get("section", {}) if kind(call) == "SectionAnswer" else {}


def head(call) -> dict:
    return json.JSONDecoder().raw_decode(call.user_message)[0]


def asked(llm: FakeLLM) -> list[str]:
    """Return the titles of the sections that were asked for, in order."""
    return [str(wanted(call)["title"]) for call in llm.calls if wanted(call)]


async def test_a_piece_goes_on_from_the_one_before_it_on_the_sub_question_of_its_section():
    llm = FakeLLM(good_answer)
    await flow(llm).run(QUESTION)
    first, second = [c for c in llm.calls if wanted(c).get("title") == "By day"][:2]
    assert wanted(first)["piece"] == "1 of 2"
    assert '"written_before": ""' in first.user_message
    assert '"written_before": "Shade trees lower' in second.user_message
    call = next(c for c in llm.calls if wanted(c).get("title") == "At night")
    assert wanted(call)["answers"] == [
        "Do shade trees lower the temperature of city streets at night?"
    ]
    last = next(c for c in llm.calls if wanted(c).get("title") == "Limitations")
    assert wanted(last)["answers"] == ["Which limits do studies of shade trees name?"]


async def test_an_answer_that_is_cut_off_is_asked_for_in_sections_from_as_many_sources():
    def answer(call):
        if kind(call) == "DraftAnswer":
            return LLMLengthError("cut off", reason=LLMFailure.ANSWER_TOO_LONG)
        return good_answer(call)

    llm = FakeLLM(answer)
    report = await flow(llm, target_length=300).run(QUESTION)
    assert asked(llm) == SECTIONS
    assert report.metadata["is_by_model"] is True
    assert not [row for row in report.provenance["checkpoints"] if "reduced" in row]


async def test_a_model_that_cannot_answer_a_piece_is_done_without_and_the_reason_is_told():
    def answer(call):
        if wanted(call):
            return LLMLengthError("cut off", reason=LLMFailure.ANSWER_TOO_LONG)
        return good_answer(call)

    report = await flow(FakeLLM(answer)).run(QUESTION)
    assert report.metadata["is_by_model"] is False
    assert any("LLM_MAX_TOKENS" in error for error in report.provenance["errors"])


async def test_a_revision_asks_for_the_sections_that_have_a_fault():
    def answer(call):
        written = good_answer(call)
        if wanted(call).get("title") == "By day" and "revision" not in head(call):
            written["content"] += " Trees cool by magic (Merlin, 1985)."
        return written

    llm = FakeLLM(answer)
    report = await flow(llm, max_iterations=2).run(QUESTION)
    assert report.metadata["version"] == 2
    first = asked(llm).index("Limitations")
    again = set(asked(llm)[first:]) - {"Limitations"}
    assert again == {"By day"}
    assert "Merlin" not in report.sections[1].content


@pytest.mark.parametrize("dying", ["At night", "frame"])
async def test_what_was_answered_before_a_crash_is_not_paid_for_again(url, dying):
    deaths = []

    def answer(call):
        is_it = wanted(call).get("title") == dying or (
            dying == "frame" and kind(call) == "FrameAnswer"
        )
        if is_it and not deaths:
            deaths.append(dying)
            return Crash()
        return good_answer(call)

    llm = FakeLLM(answer)
    with pytest.raises(Crash):
        await flow(llm, persistence=url).run(QUESTION, thread_id="t")
    before = len(llm.calls)
    report = await flow(llm, persistence=url).proceed("t")
    again = [call for call in llm.calls[before:] if wanted(call)]
    assert "By day" not in {wanted(call)["title"] for call in again}
    assert report.metadata["model_calls"] == len(llm.calls)
    assert [section.title for section in report.sections] == SECTIONS
