"""Typed answers: parse and validate a model's JSON, with one repair attempt."""

import asyncio
import json
import logging
import re
from typing import Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

from paper_search.bibliography.text import SURROGATES, remove_invisible
from paper_search.errors import LLMLengthError, LLMRefusalError, LLMResponseError, LLMTimeoutError
from paper_search.llm.provider import LLMProvider

_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL | re.IGNORECASE)
_THOUGHTS_BEGIN = re.compile(r"[<\[](?:think(?:ing)?|thoughts?|reasoning)[>\]]", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"[<\[]/(?:think(?:ing)?|thoughts?|reasoning)[>\]]", re.IGNORECASE)
_MAX_STARTS = 50  # opening braces to try: a long answer must not cost quadratic time
_BEGINNING = 200

NullIsList = BeforeValidator(lambda value: [] if value is None else value)
NullIsObject = BeforeValidator(lambda value: {} if value is None else value)
LowerCase = BeforeValidator(lambda text: text.strip().lower() if isinstance(text, str) else text)


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`, which may have a code fence or sentences around it.

    Truncated objects are not completed. Objects in a reasoning block are ignored.

    Raises:
        LLMResponseError: there is no complete object, or there are several that differ, such as
            a draft and its correction.
    """
    stripped = text.strip().removeprefix("\ufeff")
    if not isinstance(_loaded(stripped), dict):
        *thoughts, answer = _THOUGHTS_END.split(stripped)
        is_open = not thoughts and _THOUGHTS_BEGIN.match(stripped) is not None
        stripped = "" if is_open else answer.strip()
    if not stripped:
        raise LLMResponseError("the model's answer is empty")
    whole = _loaded(stripped)
    if isinstance(whole, dict):
        return whole
    fenced = (_loaded(match.strip()) for match in _FENCE.findall(stripped))
    answers = [value for value in fenced if isinstance(value, dict)] or _embedded(stripped)
    if not answers:
        raise LLMResponseError(
            f"the model's answer contains no JSON object; it begins {stripped[:_BEGINNING]!r}"
        )
    if any(answer != answers[0] for answer in answers):
        raise LLMResponseError("the model gave several answers, which differ")
    return answers[0]


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unambiguous)
    except (ValueError, RecursionError):
        return None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs) and any(value[name] != content for name, content in pairs):
        raise ValueError("a name has two values")
    return value


def _embedded(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder(object_pairs_hook=_unambiguous)
    start = -1 if text[0] == "[" else text.find("{")
    for _ in range(_MAX_STARTS):
        if start < 0:
            break
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if re.match(r'\{\s*"', text[start:]):  # an answer that is cut off
                break
            end = start + 1
        else:
            found.append(value)
        start = text.find("{", end)
    return found


_EXCERPT = 1_000

_log = logging.getLogger(__name__)

ModelT = TypeVar("ModelT", bound=BaseModel)


async def ask(
    llm: LLMProvider,
    model_cls: type[ModelT],
    system_prompt: str,
    user_message: str,
    *,
    repairs: int = 1,
) -> ModelT:
    """Return the model's answer as an instance of `model_cls`.

    After an invalid answer, the model is told the problem and asked again, at most `repairs`
    times; not after a refusal or an answer cut off for length, where repeating cannot help.

    Raises:
        LLMResponseError: the last answer is invalid, too.
        LLMError: there is no answer; each attempt has the provider's `deadline_s`.
    """
    message, schema = user_message, model_cls.model_json_schema()
    while True:
        try:
            async with asyncio.timeout(llm.deadline_s):
                return _validated(
                    model_cls, await llm.complete_json(system_prompt, message, schema)
                )
        except TimeoutError:
            raise LLMTimeoutError(f"the model did not answer within {llm.deadline_s:g} s") from None
        except (LLMLengthError, LLMRefusalError):
            raise
        except LLMResponseError as error:
            if not repairs:
                raise
            problem = str(error)
        repairs -= 1
        _log.warning("the model's answer is invalid; asking again: %s", problem)
        message = (
            f"{user_message}\n\nYour previous answer could not be used: {problem}\n"
            f"{format_request(schema)}"
        )


def format_request(schema: dict[str, Any] | None = None) -> str:
    request = "Answer with exactly one JSON object and nothing else."
    if schema is None:
        return request
    return f"{request} It follows this JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"


def response_format(schema: dict[str, Any] | None) -> dict[str, Any]:
    """Return the option for JSON; not strict, because strict servers refuse optional fields."""
    if schema is None:
        return {"type": "json_object"}
    form = json.loads(json.dumps(schema), object_hook=_without_descriptions)
    form["title"] = schema.get("title", "answer")
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": form}}


def _without_descriptions(part: dict[str, Any]) -> dict[str, Any]:
    """Remove texts from a part of a schema: the prompt has them."""
    texts = {name for name in ("title", "description") if isinstance(part.get(name), str)}
    return {name: value for name, value in part.items() if name not in texts}


def _validated(model_cls: type[ModelT], answer: Any) -> ModelT:
    whole = _visible(answer)
    try:
        return model_cls.model_validate(whole)
    except ValidationError as error:
        problem = format_errors(error)
    excerpt = json.dumps(whole, ensure_ascii=False, default=repr)[:_EXCERPT]
    raise LLMResponseError(f"{problem}; the answer was {excerpt}")


def _visible(part: Any) -> Any:
    """Return texts as a person sees them; half of a surrogate pair could not be stored."""
    if isinstance(part, str):
        return remove_invisible(SURROGATES.sub("\ufffd", part))
    if isinstance(part, dict):
        return {_visible(name): _visible(value) for name, value in part.items()}
    return [_visible(one) for one in part] if isinstance(part, list) else part


def format_errors(error: ValidationError) -> str:
    """Name each invalid field and its problem, without its value."""
    problems = (
        f"{'.'.join(str(part) for part in problem['loc']) or 'answer'}: {problem['msg']}"
        for problem in error.errors(include_input=False, include_url=False)[:10]
    )
    return "; ".join(problems).replace(": Value error, ", ": ")
