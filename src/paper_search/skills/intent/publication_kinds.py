"""Kinds of publication, as people name them."""

from __future__ import annotations

import re

_KINDS = {
    "review": (
        r"(?:(?:systematic|literature|scoping|narrative|umbrella|critical"
        r"|topical)\s+)?(?:reviews?|surveys?)"
        r"(?:\s+(?:papers?|articles?))?|overviews?|overview\s+(?:papers?|articles?)"
        r"|review\s+stud(?:y|ies)"
        r"|übersichtsarbeit(?:en)?|übersichtsartikeln?|reviewartikeln?|überblicksarbeiten"
        r"|revues?(?:\s+(?:systématiques?|de\s+(?:la\s+)?littérature))?|articles?\s+de\s+(?:revue"
        r"|synthèse)"
        r"|synthèses"
        r"|revision(?:es)?(?:\s+sistemáticas?)?|revisión(?:\s+sistemática)?"
        r"|artículos?\s+de\s+revisión"
        r"|rassegne|revisioni(?:\s+sistematiche)?|revisões(?:\s+sistemáticas)?"
        r"|overzichtsartikelen|reviewartikelen|综述(?:论文|文章|文献|类)?|评述|レビュー(?:論文)?"
    ),
    "article": (
        r"pre-?prints?|eprints?|arxiv\s+(?:papers?|pre-?prints?)|unpublished\s+(?:papers?"
        r"|manuscripts?)"
        r"|vorabdrucken?|prépublications?|preimpresos|preprint-server|预印本|プレプリント"
    ),
    "thesis": (
        r"(?:(?:phd|doctoral|master'?s?)\s+)?(?:theses|thesis|dissertations?)|doktorarbeiten"
        r"|dissertationen|abschlussarbeiten|thèses|tesis|tesi|teses|proefschriften|学位论文|博士论文"
        r"|硕士论文"
    ),
    "book": r"books?|monographs?|textbooks?|büchern?|livres|libros|libri|livros|boeken|书籍|图书",
    "chapter": r"(?:book\s+)?chapters?|buchkapiteln?",
    "paper-conference": (
        r"(?:conference|workshop)\s+(?:papers?|articles?|abstracts?)|(?:conference\s+)?proceedings"
        r"|konferenzbeiträgen?|会议论文"
    ),
    "dataset": r"data\s?sets?|datensätzen?|数据集",
    "report": r"(?:technical\s+)?reports|(?:technical\s+report|working\s+papers?)",
    "software": r"software(?:\s+packages?)?",
}
"""By CSL type, where `article` is a preprint; `review` is none of CSL's, but what sources give."""
_PATTERNS = tuple(
    (kind, re.compile(rf"(?:{pattern})(?![\w-])", re.IGNORECASE))
    for kind, pattern in _KINDS.items()
)


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, and where its name ends; None: none."""
    for kind, pattern in _PATTERNS:
        if match := pattern.match(text, start):
            return kind, match.end()
    return None
