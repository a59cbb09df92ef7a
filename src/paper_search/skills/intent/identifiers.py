"""Identifiers of works that a question names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.skills.intent.cutting import cut

_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|https?://\S{1,80}?/(?=10\.\d{4})"
    r"|doi\s*:?\s*)?10\.\d{4,9}/[^\s\"<>，。；]+",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"https?://(?:\w+\.)?arxiv\.org/(?:abs|pdf|html)/[^\s,;]+"
    r"|\barxiv\s*[:\s]\s*(?:\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?!\w)"
    r"|(?<![\w./-])(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?)(?![\w/-]|\.\d)",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"(?:https?://\S{1,80}?/)?\b(?:pmcid\s*:?\s*)?(?P<id>pmc\d{3,9})(?!\w)/?", re.IGNORECASE
)
_PMID = re.compile(
    r"(?:https?://pubmed\.ncbi\.nlm\.nih\.gov/|https?://\S{1,60}?/pubmed/"
    r"|\bpmid\s*:?\s*)(?P<id>\d{1,9})(?!\w)/?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Identifiers:
    """The text without identifiers, and these, normalised: `doi:...`, `arxiv:...`, `pmid:...`."""

    rest: str
    names: tuple[str, ...] = ()


def read_identifiers(text: str) -> Identifiers:
    """Return the DOIs, arXiv ids, PMIDs and PMCIDs of a text, in the form of `names_of`.

    A bare number is a PMID only where the text says so.
    """
    names: list[str] = []
    for pattern, name in (
        (_DOI, _doi),
        (_ARXIV, _arxiv),
        (_PMID, lambda match: f"pmid:{match['id'].lstrip('0')}"),
        (_PMCID, lambda match: f"pmcid:{match['id'].lower()}"),
    ):
        found = [(match, made) for match in pattern.finditer(text) if (made := name(match))]
        names += [made for _, made in found]
        for match, _ in reversed(found):
            text = cut(text, match.start(), match.end())
    return Identifiers(text, tuple(dict.fromkeys(names)))


def _doi(match: re.Match[str]) -> str | None:
    doi = parse_doi(match[0])
    if doi is None:
        return None
    arxiv = parse_arxiv_id(doi)
    return f"arxiv:{arxiv}" if arxiv else f"doi:{doi}"


def _arxiv(match: re.Match[str]) -> str | None:
    found = parse_arxiv_id(match[0])
    return f"arxiv:{found}" if found else None
