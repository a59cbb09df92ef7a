"""The language models that can be named, their packages and keys, and settings of embeddings."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, Field

CHAT_MODELS_GROUP = "paper_search.chat_models"
"""The entry points of further providers: a factory (LLMConfig) -> BaseChatModel of
langchain-core."""
EMBEDDINGS_GROUP = "paper_search.embeddings"
"""Entry points of what makes an embedding model: a factory (EmbeddingsConfig) -> Embeddings."""


class ChatPackage(NamedTuple):
    """A package of LangChain that has a chat model."""

    module: str
    class_name: str
    key_variable: str = ""
    """The variable of its key; empty: it has none, or reads its own."""


CHAT_PACKAGES = {
    "openai": ChatPackage("langchain_openai", "ChatOpenAI", "OPENAI_API_KEY"),
    "anthropic": ChatPackage("langchain_anthropic", "ChatAnthropic", "ANTHROPIC_API_KEY"),
    "azure_openai": ChatPackage("langchain_openai", "AzureChatOpenAI", "AZURE_OPENAI_API_KEY"),
    "bedrock_converse": ChatPackage("langchain_aws", "ChatBedrockConverse"),
    "cohere": ChatPackage("langchain_cohere", "ChatCohere", "COHERE_API_KEY"),
    "deepseek": ChatPackage("langchain_deepseek", "ChatDeepSeek", "DEEPSEEK_API_KEY"),
    "fireworks": ChatPackage("langchain_fireworks", "ChatFireworks", "FIREWORKS_API_KEY"),
    "google_genai": ChatPackage(
        "langchain_google_genai", "ChatGoogleGenerativeAI", "GOOGLE_API_KEY"
    ),
    "groq": ChatPackage("langchain_groq", "ChatGroq", "GROQ_API_KEY"),
    "mistralai": ChatPackage("langchain_mistralai", "ChatMistralAI", "MISTRAL_API_KEY"),
    "ollama": ChatPackage("langchain_ollama", "ChatOllama"),
    "together": ChatPackage("langchain_together", "ChatTogether", "TOGETHER_API_KEY"),
    "xai": ChatPackage("langchain_xai", "ChatXAI", "XAI_API_KEY"),
}
"""Providers by the names that LangChain's `init_chat_model` gives them. No other name leads to a
module or a variable."""


class EmbeddingsConfig(BaseModel):
    """Which embedding model the library is ranked with, too; without a name, none."""

    name: str = ""
    """`PROVIDER`, `PROVIDER:MODEL`, `MODULE:FACTORY` or `MODULE:FACTORY:MODEL`."""
    api_key: str = Field(default="", repr=False)
    base_url: str | None = None
    """The server, for providers that know several; None: the provider's own."""
    batch_size: int = Field(default=64, ge=1)
    """Texts in one call."""
    timeout_s: float = Field(default=120.0, gt=0)
    """For one call."""
