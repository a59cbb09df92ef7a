import asyncio
import json
import logging
import math
import traceback
from typing import Any

import pytest
from pydantic import BaseModel
from pytest_httpserver import HTTPServer
from tests.architecture.test_imports import run
from werkzeug import Request, Response

from paper_search import errors
from paper_search.llm import OpenAIProvider, ask
from paper_search.llm.metering import Meter, metered, tokens_in

KEY = "sk-very-secret-0123456789abcdef"
LASTING = {errors.LLMFailure.KEY, errors.LLMFailure.QUOTA, errors.LLMFailure.UNKNOWN_MODEL}


class Verdict(BaseModel):
    score: float


def completion(
    content: str | None, finish: str = "stop", refusal: str | None = None
) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


class Script:
    """Answers in order, the last one for ever; keeps what was sent."""

    def __init__(self, server: HTTPServer, *answers: Any) -> None:
        self.answers = list(answers)
        self.sent: list[dict[str, Any]] = []
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self)

    def __call__(self, request: Request) -> Response:
        self.sent.append(json.loads(request.data))
        answer = self.answers[min(len(self.sent), len(self.answers)) - 1]
        if isinstance(answer, Response):
            return answer
        return Response(json.dumps(answer), content_type="application/json")


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Response:
    body = {"error": {"message": message, "type": "e", "code": code, "param": None}}
    response = Response(json.dumps(body), status=status, content_type="application/json")
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return response


def provider(server: HTTPServer, **options: Any) -> OpenAIProvider:
    base_url = server.url_for("/v1")
    return OpenAIProvider(
        model="m", api_key=KEY, base_url=base_url, **{"max_retries": 0, "timeout_s": 5.0} | options
    )


async def test_text_is_returned_and_tokens_are_counted(httpserver):
    script = Script(httpserver, completion("hello"))
    llm = provider(httpserver, temperature=0.5, max_tokens=99)
    with metered(Meter(step="test")) as meter:
        assert await llm.complete("be brief", "hi") == "hello"
    spent = meter.of_step
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (1, 11, 7)
    [sent] = script.sent
    assert [(m["role"], m["content"]) for m in sent["messages"]] == [
        ("system", "be brief"),
        ("user", "hi"),
    ]
    assert (sent["temperature"], sent["max_completion_tokens"]) == (0.5, 99)


async def test_json_is_asked_for_by_schema(httpserver):
    script = Script(httpserver, completion('{"score": 0.5}'))
    assert await ask(provider(httpserver), Verdict, "s", "u") == Verdict(score=0.5)
    wish = script.sent[0]["response_format"]
    assert wish["type"] == "json_schema"
    form = {"title": "Verdict", "type": "object", "required": ["score"]}
    assert wish["json_schema"]["schema"] == {**form, "properties": {"score": {"type": "number"}}}
    assert "score" not in str(script.sent[0]["messages"])  # the words are those of the prompt


def detail(status: int, words: Any) -> Response:
    return Response(json.dumps({"detail": words}), status=status, content_type="application/json")


REFUSED_OPTIONS = [
    ("temperature", failure(400, "Unsupported value: 'temperature' does not support 0.0")),
    ("temperature", detail(422, "Temperature must be 1 for this model.")),
    ("temperature", detail(422, [{"loc": ["body", "temperature"], "msg": "Extra inputs"}])),
    ("max_completion_tokens", failure(400, "Unrecognized argument: max_completion_tokens")),
    ("max_completion_tokens", detail(422, "unknown field max_completion_tokens; use max_tokens")),
    ("temperature", failure(400, "sampling parameters are not adjustable")),
    ("system", failure(400, "System role not supported")),
    ("system", failure(422, "messages.0: unexpected value; permitted: 'user', 'assistant'")),
    ("system", failure(400, "Conversation roles must alternate user/assistant/user")),
    ("system", failure(400, "Input should be 'user' or 'assistant'")),
    ("system", detail(400, "Developer instruction is not enabled for this model")),
    ("response_format", failure(400, "unknown parameter response_format")),
    (
        "response_format",  # of which the client of OpenAI warns who writes a program
        failure(400, "'response_format' of type 'json_schema' is not supported with this model"),
    ),
    ("response_format", detail(422, "json_schema output is not available here")),
    ("response_format", detail(400, "guided decoding is disabled")),
    ("response_format", Response("This model has no structured outputs", status=400)),
]


def was_sent(option: str, question: dict[str, Any]) -> bool:
    if option == "system":
        return question["messages"][0]["role"] == "system"
    return option in question


@pytest.mark.parametrize(("option", "refusal"), REFUSED_OPTIONS)
async def test_an_option_that_the_server_refuses_is_left_out_from_then_on(
    httpserver, option, refusal
):
    script = Script(httpserver, refusal, completion('{"score": 1}'))
    llm = provider(httpserver)
    assert (await ask(llm, Verdict, "s", "u")).score == 1
    assert (await ask(llm, Verdict, "s", "u")).score == 1
    assert [was_sent(option, question) for question in script.sent] == [True, False, False]
    others = {"temperature", "max_completion_tokens", "system", "response_format"} - {option}
    assert all(was_sent(other, script.sent[-1]) for other in others)
    assert all(words in str(script.sent[-1]["messages"]) for words in ("s\\n\\nAnswer", "u"))
    is_form_in_words = "score" in str(script.sent[-1]["messages"])
    assert is_form_in_words is (option == "response_format")


async def test_options_may_be_refused_one_after_another(httpserver):
    words = ("temperature", "max_completion_tokens", "max_tokens", "system role", "response_format")
    refusals = [failure(400, f"{name}: not supported") for name in words]
    script = Script(httpserver, *refusals, completion('{"score": 1}'))
    assert (await ask(provider(httpserver), Verdict, "s", "u")).score == 1
    assert [question.get("max_tokens") for question in script.sent] == [
        None,
        None,
        4096,
        *[None] * 3,
    ]
    assert {*script.sent[-1]} <= {"model", "messages", "stream", "n"}


async def test_calls_that_run_at_once_are_all_asked_again(httpserver):
    refusal = failure(400, "temperature is not supported")
    Script(httpserver, refusal, refusal, completion('{"score": 1}'))
    llm = provider(httpserver)
    answers = await asyncio.gather(*(ask(llm, Verdict, "s", "u") for _ in range(2)))
    assert [answer.score for answer in answers] == [1, 1]


async def test_malformed_json_is_repaired_once_with_the_error_shown(httpserver):
    """LLM-01"""
    script = Script(httpserver, completion('{"score": '), completion('{"score": 0.3}'))
    assert (await ask(provider(httpserver), Verdict, "s", "u")).score == 0.3
    repair = script.sent[1]["messages"][1]["content"]
    assert repair.startswith("u\n")
    assert "no JSON object" in repair
    assert '{"score":' in repair
    schema = json.dumps(Verdict.model_json_schema(), ensure_ascii=False)
    assert schema in repair, "some servers ignore the option"


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"score": 0.5}\n```',
        'Sure! Here it is:\n\n{"score": 0.5}\n\nHope that helps.',
        '```\n{"score": 0.5}\n```',
        '\ufeff{"score": 0.5}',
        'For the set {a, b} I give {"score": 0.5}.',
    ],
)
async def test_fenced_and_wrapped_json_needs_no_repair(httpserver, text):
    """LLM-02"""
    script = Script(httpserver, completion(text))
    assert (await ask(provider(httpserver), Verdict, "s", "u")).score == 0.5
    assert len(script.sent) == 1


async def test_an_answer_in_parts_is_read_without_its_thoughts(httpserver):
    answer = completion("")
    thoughts = {"type": "thinking", "thinking": '{"score": 0.1}?'}
    parts = [thoughts, {"type": "text", "text": '{"score":'}, {"type": "text", "text": " 0.5}"}]
    answer["choices"][0]["message"]["content"] = parts
    Script(httpserver, answer)
    assert (await ask(provider(httpserver), Verdict, "s", "u")).score == 0.5


async def test_an_answer_cut_off_for_length_is_never_complete(httpserver):
    """LLM-03"""
    script = Script(httpserver, completion('{"score": 0.5}', finish="length"))
    llm = provider(httpserver)
    with metered(Meter(step="test")) as meter:
        with pytest.raises(
            errors.LLMLengthError, match=r"^the answer was cut off; LLM_MAX_TOKENS allows more$"
        ):
            await ask(llm, Verdict, "s", "u")
        with pytest.raises(errors.LLMLengthError):
            await llm.complete("s", "u")
    assert len(script.sent) == 2
    assert meter.of_step.output_tokens == 14


@pytest.mark.parametrize(
    "answer",
    [
        completion(None, refusal="I cannot help with that"),
        completion("", finish="content_filter"),
        failure(400, "blocked", code="content_filter"),
    ],
)
async def test_a_refusal_is_not_asked_again(httpserver, answer):
    """LLM-04"""
    script = Script(httpserver, answer)
    with pytest.raises(errors.LLMRefusalError):
        await ask(provider(httpserver), Verdict, "s", "u")
    assert len(script.sent) == 1


@pytest.mark.parametrize(
    "answer",
    [
        completion("null"),
        completion(None),
        completion("   "),
        completion("[1, 2]"),
        completion("[" * 100_000),
        {**completion("x"), "choices": []},
        {},
        Response("<html><body>Bad gateway</body></html>", content_type="text/html"),
        Response("", content_type="application/json"),
    ],
    ids=["null", "no-content", "blank", "list", "deep", "no-choices", "{}", "html", "0"],
)
async def test_an_answer_that_is_none_is_a_failure(httpserver, answer):
    """LLM-06, LLM-07"""
    Script(httpserver, answer)
    with pytest.raises(errors.LLMResponseError):
        await ask(provider(httpserver), Verdict, "s", "u")


@pytest.mark.parametrize("body", ["<html>Sign in</html>", "{}", "null", "[]", '{"detail": "no"}'])
async def test_a_server_that_is_none_of_a_model_is_named_by_its_setting(httpserver, body):
    Script(httpserver, Response(body, content_type="application/json"))
    with pytest.raises(errors.LLMResponseError, match=r"is LLM_BASE_URL right\?"):
        await provider(httpserver).complete_json("s", "u", Verdict.model_json_schema())


async def test_a_short_rate_limit_is_waited_for(httpserver):
    """LLM-12"""
    script = Script(httpserver, failure(429, "slow", retry_after_ms="10"), completion("ok"))
    llm = provider(httpserver, max_retries=2)
    assert await llm.complete("s", "u") == "ok"
    assert len(script.sent) == 2


@pytest.mark.parametrize(("wait_s", "timeout_s"), [("31", 30.0), ("7", 2.0)])
async def test_a_long_rate_limit_comes_back_at_once(httpserver, wait_s, timeout_s):
    """LLM-12"""
    script = Script(httpserver, failure(429, "slow", Retry_After=wait_s))
    with pytest.raises(errors.LLMRateLimitError):
        await provider(httpserver, max_retries=2, timeout_s=timeout_s).complete("s", "u")
    assert len(script.sent) == 1


async def test_a_server_error_is_retried_a_bounded_number_of_times(httpserver):
    """LLM-12"""
    script = Script(httpserver, failure(500, "oops", retry_after_ms="5"))
    with pytest.raises(errors.LLMError, match="answered with an error"):
        await provider(httpserver, max_retries=2).complete("s", "u")
    assert len(script.sent) == 3


async def test_a_server_that_is_not_there_is_named_unreachable():
    llm = OpenAIProvider(
        model="m", api_key=KEY, base_url="http://127.0.0.1:9/v1", max_retries=0, timeout_s=5
    )
    cannot = pytest.raises(errors.LLMError, match="cannot be reached")
    with metered(Meter(step="test")) as meter, cannot:
        await llm.complete("s", "u")
    assert meter.of_step.tokens == 0


async def test_a_server_that_drips_runs_into_the_deadline():
    """LLM-13, LLM-16: every byte resets the client's timeout, so there is one for the whole."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        writer.write(b"Content-Length: 100000\r\n\r\n{")
        try:
            while not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    llm = OpenAIProvider(
        model="m", api_key=KEY, base_url=f"http://127.0.0.1:{port}/v1", timeout_s=0.4, max_retries=0
    )
    async with server:
        with pytest.raises(errors.LLMError, match="in time"):
            await llm.complete("s", "u")


async def test_a_refused_key_is_nowhere_to_be_read(httpserver, caplog):
    """LLM-14"""
    caplog.set_level(logging.DEBUG, logger="paper_search")
    echo = f"Incorrect API key provided: {KEY}. Also sk-abc*****xyz and Bearer {KEY}"
    Script(httpserver, failure(401, echo, code="invalid_api_key"))
    llm = provider(httpserver)
    with pytest.raises(errors.LLMAuthError) as caught:
        await ask(llm, Verdict, "s", "u")
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(llm)
    assert KEY not in shown
    assert "sk-abc" not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_the_client_logs_no_key_that_a_server_sends_back(httpserver, caplog):
    caplog.set_level(logging.DEBUG)
    key = "CANARY-of-no-other-test"
    elsewhere = {"Location": f"/elsewhere?key={key}"}
    httpserver.expect_request("/v1/chat/completions").respond_with_data("", 307, elsewhere)
    httpserver.expect_request("/elsewhere").respond_with_data("", 500)
    url = httpserver.url_for("/v1")
    with pytest.raises(errors.LLMError):
        await OpenAIProvider(model="m", api_key=key, base_url=url, max_retries=0).complete("s", "u")
    sent = [record for record in caplog.records if record.name.startswith(("httpx", "httpcore"))]
    assert any("/elsewhere?key=[redacted]" in record.getMessage() for record in sent)
    assert [record.getMessage() for record in sent if key in record.getMessage()] == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (failure(401, "no"), errors.LLMFailure.KEY),
        (failure(429, "out of money", code="insufficient_quota"), errors.LLMFailure.QUOTA),
        (failure(402, "Insufficient Balance"), errors.LLMFailure.QUOTA),
        (failure(400, "Your credit balance is too low"), errors.LLMFailure.QUOTA),
        (failure(404, "no model m"), errors.LLMFailure.UNKNOWN_MODEL),
        (failure(403, "not yours", code="model_not_found"), errors.LLMFailure.UNKNOWN_MODEL),
        (failure(429, "slow down"), errors.LLMFailure.RATE_LIMIT),
        (failure(500, "oops"), errors.LLMFailure.SERVER),
        (failure(529, "overloaded"), errors.LLMFailure.SERVER),
        (failure(504, "upstream"), errors.LLMFailure.TIMEOUT),
        (failure(400, "what?"), errors.LLMFailure.REQUEST),
        (failure(400, "blocked", code="content_filter"), errors.LLMFailure.CONTENT_FILTER),
        (failure(400, "long", code="context_length_exceeded"), errors.LLMFailure.QUESTION_TOO_LONG),
        (failure(400, "no", code="exceed_context_size_error"), errors.LLMFailure.QUESTION_TOO_LONG),
        (failure(400, "no", code="data_inspection_failed"), errors.LLMFailure.CONTENT_FILTER),
        (failure(403, "The model requires moderation"), errors.LLMFailure.CONTENT_FILTER),
        ({"error": {"message": "no", "code": 401}}, errors.LLMFailure.KEY),
        ({"error": {"message": "slow down", "code": 429}}, errors.LLMFailure.RATE_LIMIT),
        ({"error": "the provider failed"}, errors.LLMFailure.SERVER),
        ({"error": {"message": "no", "code": "bad_gateway"}}, errors.LLMFailure.SERVER),
        (completion('{"score": 0.5}', finish="error"), errors.LLMFailure.SERVER),
        (completion("", finish="content_filter"), errors.LLMFailure.CONTENT_FILTER),
        (completion(None, refusal="No."), errors.LLMFailure.REFUSAL),
        (completion('{"score": 0.5}', finish="length"), errors.LLMFailure.ANSWER_TOO_LONG),
        (completion("no JSON"), errors.LLMFailure.UNREADABLE),
        (completion('{"score": "high"}'), errors.LLMFailure.UNREADABLE),
    ],
)
async def test_failures_are_told_apart(httpserver, answer, reason):
    script, is_lasting = Script(httpserver, answer), reason in LASTING
    with pytest.raises(errors.LLMError) as caught:
        await ask(provider(httpserver, max_retries=2 * is_lasting), Verdict, "s", "u")
    assert (caught.value.reason, reason.is_lasting) == (reason, is_lasting)
    assert not is_lasting or len(script.sent) == 1


async def test_a_question_that_is_too_long_is_told_apart(httpserver):
    """LLM-15"""
    words = "The number of tokens to keep is greater than the context length"
    Script(httpserver, Response(json.dumps({"error": words}), 400))  # as LM Studio says it
    with pytest.raises(errors.LLMLengthError, match=words):
        await provider(httpserver).complete("s", "u")


@pytest.mark.parametrize("count", [-11, math.nan, math.inf, 10**30, 0, None])
async def test_a_count_that_cannot_be_true_is_replaced_by_an_estimate(httpserver, count):
    usage = {"prompt_tokens": count, "completion_tokens": count, "total_tokens": 18}
    Script(httpserver, {**completion('{"score": 0.5}'), "usage": usage})
    with metered(Meter(step="test")) as meter:
        await ask(provider(httpserver), Verdict, "s" * 300, "u")
    assert 100 < meter.of_step.input_tokens < 400
    assert meter.of_step.output_tokens == tokens_in('{"score": 0.5}')


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ({**completion("x"), "choices": []}, 111),
        (Response("data: {}\n\n", content_type="text/event-stream"), 111),
        (Response("{}", headers={"content-encoding": "gzip"}), 111),
        ({**completion("cut", finish="length"), "usage": {"prompt_tokens": -1}}, 111),
        (failure(500, "oops"), 0),
        (failure(400, "no"), 0),
    ],
    ids=["no-choices", "stream", "not-gzip", "cut-off", "error", "refused"],
)
async def test_a_question_whose_answer_is_lost_counts_since_it_may_be_charged(
    httpserver, answer, tokens
):
    Script(httpserver, answer)
    with metered(Meter(step="test")) as meter, pytest.raises(errors.LLMError):
        await provider(httpserver).complete("s" * 300, "u" * 30)
    assert meter.of_step.input_tokens == tokens


def test_one_provider_serves_several_event_loops(httpserver):
    Script(httpserver, completion("ok"))
    llm = provider(httpserver)
    assert [asyncio.run(llm.complete("s", "u")) for _ in range(2)] == ["ok", "ok"]


def test_making_a_provider_loads_no_client():
    code = (
        "import sys; from paper_search.llm import *;"
        "create_provider(LLMConfig(model='m', api_key='k'));"
        "print([m for m in ('openai', 'langchain_openai', 'langchain_core') if m in sys.modules])"
    )
    assert run(code).stdout == "[]\n"


async def test_a_model_is_asked_for_one_role_with_a_temperature_and_a_limit_of_its_own(httpserver):
    script = Script(httpserver, completion("ok"))
    llm = provider(httpserver, temperature=0.5, max_tokens=99)
    for one in (llm.tuned(0.1, 8000), llm.tuned(None, None), llm):
        await one.complete("s", "u")
    sent = [(body["temperature"], body["max_completion_tokens"]) for body in script.sent]
    assert sent == [(0.1, 8000), (0.5, 99), (0.5, 99)]
    assert llm.tuned(0.1, 8000) is llm.tuned(0.1, 8000)
