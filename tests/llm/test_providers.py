import pytest

from paper_search.errors import ConfigError
from paper_search.llm import LLMConfig, LLMProvider, OpenAIProvider, create_provider
from paper_search.llm.provider import name_of


def test_settings_reach_the_provider():
    config = LLMConfig(
        model="m", api_key="k", base_url="http://x/v1", temperature=0.2, max_tokens=5, timeout_s=3.0
    )
    llm = create_provider(config)
    assert isinstance(llm, OpenAIProvider)
    assert llm.deadline_s == (llm.max_retries + 1) * 3.0
    assert (llm.model, llm.base_url, llm.temperature, llm.max_tokens, llm.timeout_s) == (
        "m",
        "http://x/v1",
        0.2,
        5,
        3.0,
    )


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (LLMConfig(model="m"), "API key required"),
        (LLMConfig(model="m", api_key="  "), "API key required"),
        (LLMConfig(api_key="k"), "Model name required"),
        (
            LLMConfig(provider="nope", model="m", api_key="k"),
            r"Unknown LLM provider.*'nope'.*openai",
        ),
    ],
)
def test_settings_that_lack_something_are_refused(config, words):
    with pytest.raises(ValueError, match=words):
        create_provider(config)


def test_no_unknown_provider_is_taken_for_a_model_of_openai():
    with pytest.raises(ConfigError, match=r"'gemini'; known: anthropic.*google_genai.*openai"):
        create_provider(LLMConfig(model="gemini:x", api_key="k"))


def test_a_double_need_not_call_the_constructor():
    class Double(LLMProvider):
        def __init__(self) -> None:
            self.ready = True

        async def complete(self, system_prompt: str, user_message: str) -> str:
            return system_prompt + user_message

        async def complete_json(
            self, system_prompt: str, user_message: str, schema: dict[str, object] | None = None
        ) -> dict[str, object]:
            return {"asked": [system_prompt, user_message, schema]}

    assert Double().ready
    assert name_of(Double()) == "Double"
    named = Double()
    named.model = "m"
    assert (name_of(named), name_of(None)) == ("m", None)
