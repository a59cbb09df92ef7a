"""What the models are told: one Markdown file per prompt, reviewed as prose."""

from collections.abc import Iterable
from hashlib import sha256

from paper_search.resources import Conventions, PackageFiles, ResourceProvider

_DOMAINS = {"materials_science": "domain_materials_science"}
"""Domains with instructions of their own; all others add nothing."""
DOMAINS = ("general", *_DOMAINS)


def shipped_prompts() -> ResourceProvider[str]:
    return Conventions(PackageFiles(__name__), suffix=".md", kind="prompt")


def prompt_digests(names: Iterable[str]) -> dict[str, str]:
    prompts = shipped_prompts()
    return {name: sha256(prompts.read(name).encode()).hexdigest() for name in names}


def load_prompt(name: str, domain: str = "general") -> str:
    """Return a prompt with the instructions of the domain, if it has any."""
    provider = shipped_prompts()
    text, extra = provider.read(name), _DOMAINS.get(domain)
    return text if extra is None else f"{text}\n\n{provider.read(extra)}"
