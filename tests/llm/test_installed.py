"""Chat models of packages that are installed beside ours."""

import sys
from pathlib import Path

import pytest

from paper_search.config import load_config
from paper_search.errors import ConfigError, LLMError, LLMFailure
from paper_search.llm import LLMConfig, create_models, create_provider
from paper_search.llm.creation import OPENAI_URL
from paper_search.models.settings import Skill

PACKAGE = """
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from pydantic import Field, SecretStr

class Refused(Exception):
    status_code = 401

class ChatMistralAI(GenericFakeChatModel):
    messages: object = None
    model: str = Field(alias="model_name")
    mistral_api_key: SecretStr = Field(alias="api_key")
    max_tokens: int = 0
    max_retries: int = 5
    model_config = {"populate_by_name": True}

    def _generate(self, messages, *args, **options):
        key = self.mistral_api_key.get_secret_value()
        if key == "wrong":
            raise Refused(f"no such key: {key}")
        text = f'{{"model": "{self.model}", "max_tokens": {self.max_tokens}, '
        text += f'"retries": {self.max_retries}, "options": {len(options)}}}'
        said = {"finish_reason": "length"} if self.model == "chatty" else {}
        spent = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
        message = AIMessage(content=text, response_metadata=said, usage_metadata=spent)
        self.messages = iter([message])
        return super()._generate(messages)
"""


def install(
    directory: Path, monkeypatch: pytest.MonkeyPatch, module: str, code: str, entry_points: str = ""
) -> None:
    """Put a package on the path of this test, with what it registers."""
    root = directory / f"site-{module}"
    metadata = root / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (root / f"{module}.py").write_text(code)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(root))
    monkeypatch.delitem(sys.modules, module, raising=False)


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "langchain_mistralai", PACKAGE)


def mistral(model: str = "mistral-small", key: str = "k-0123456789") -> LLMConfig:
    return LLMConfig(model=f"mistralai:{model}", max_tokens=7, api_keys={"mistralai": key})


async def test_a_model_of_an_installed_package_gets_the_settings_in_its_own_spelling():
    llm = create_provider(mistral())
    answer = await llm.complete_json("s", "u", {"title": "Answer"})
    assert answer == {"model": "mistral-small", "max_tokens": 7, "retries": 0, "options": 0}


async def test_a_key_that_it_refuses_is_told_and_not_shown():
    with pytest.raises(LLMError) as caught:
        await create_provider(mistral(key="wrong")).complete("s", "u")
    assert caught.value.reason is LLMFailure.KEY
    assert "wrong" not in str(caught.value)


async def test_an_answer_that_it_cuts_off_is_told_apart():
    with pytest.raises(LLMError) as caught:
        await create_provider(mistral("chatty")).complete("s", "u")
    assert caught.value.reason is LLMFailure.ANSWER_TOO_LONG


def test_a_package_that_is_not_installed_is_named():
    config = LLMConfig(model="cohere:command-r", api_keys={"cohere": "k"})
    with pytest.raises(ConfigError, match="pip install langchain-cohere"):
        create_provider(config)


@pytest.mark.parametrize("name", ["llama3:8b", "ft:gpt-4o-mini:lab::7p4l", "a/b:free"])
def test_a_colon_in_a_model_name_names_no_provider(name):
    address = None if name.startswith("ft:") else "http://own:8000/v1"
    llm = create_provider(LLMConfig(model=name, api_key="k", base_url=address))
    assert repr(llm) == f"OpenAIProvider(model={name!r}, base_url={address!r})"


def test_a_provider_never_gets_the_key_or_the_address_of_another():
    with pytest.raises(ConfigError, match="set MISTRAL_API_KEY"):
        create_provider(LLMConfig(model="mistralai:m", api_key="openai's"))
    llm = create_provider(
        LLMConfig(
            provider="mistralai",
            model="openai:m",
            api_keys={"openai": "k"},
            base_url="http://mistral",
        )
    )
    assert repr(llm) == "OpenAIProvider(model='m', base_url=None)"


def test_openai_is_asked_where_it_is_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("OPENAI_API_BASE", "http://elsewhere/v1")
    client = create_provider(LLMConfig(model="m", api_key="k")).create_client()
    assert client.openai_api_base == OPENAI_URL


async def test_a_package_may_register_a_model_of_its_own(tmp_path, monkeypatch):
    code = PACKAGE + '\ndef create(config): return ChatMistralAI(model=config.model, api_key="k")\n'
    entry_points = "[paper_search.chat_models]\nlab = lab_models:create\n"
    install(tmp_path, monkeypatch, "lab_models", code, entry_points)
    llm = create_provider(LLMConfig(model="lab:own"))
    assert (await llm.complete_json("s", "u"))["model"] == "own"


def test_skills_have_models_of_their_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "LLM_MODEL": "gpt-small",
        "LLM_MODEL_JUDGE": "mistralai:large",
        "LLM_MODEL_DUPLICATES": "none",
        "OPENAI_API_KEY": "sk-1",
        "MISTRAL_API_KEY": "k-2",
        "COHERE_API_KEY": "not needed",
    }.items():
        monkeypatch.setenv(name, value)
    config = load_config()
    models = create_models(config.llm)
    assert {skill.value: repr(model) for skill, model in models.items()} == {
        "intent": "OpenAIProvider(model='gpt-small', base_url=None)",
        "strategy": "OpenAIProvider(model='gpt-small', base_url=None)",
        "duplicates": "None",
        "judge": "InstalledProvider(model='mistralai:large')",
    }
    assert models[Skill.INTENT] is models[Skill.STRATEGY]
    assert {"sk-1", "k-2"} <= {*config.secrets}
    assert "not needed" not in config.secrets
