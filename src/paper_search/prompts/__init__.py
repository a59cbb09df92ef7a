"""What the models are told: one Markdown file per prompt, reviewed as prose."""

from __future__ import annotations

from importlib.resources import files

from paper_search.errors import UnknownNameError

_DOMAINS = {"materials_science": "domain_materials_science"}
"""Domains with instructions of their own; all others add nothing."""


def load_prompt(name: str, domain: str = "general") -> str:
    """Return the prompt of that name, with the instructions of the domain, if it has any.

    Raises:
        UnknownNameError: there is no such prompt.
    """
    known = sorted(
        entry.name.removesuffix(".md")
        for entry in files(__name__).iterdir()
        if entry.name.endswith(".md")
    )
    if name not in known:
        raise UnknownNameError("prompt", name, known)
    text = _read(name)
    extra = _DOMAINS.get(domain)
    return text if extra is None else f"{text}\n\n{_read(extra)}"


def _read(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()
