"""CSL's types of publications, and their names in other sources."""

import re

PREPRINTS = frozenset({"preprint", "posted-content"})
"""Names of preprints; CSL's "article" may be anything."""

CSL_TYPES = frozenset({
    "article", "article-journal", "article-magazine", "article-newspaper", "bill", "book",
    "broadcast", "chapter", "classic", "collection", "dataset", "document", "entry",
    "entry-dictionary", "entry-encyclopedia", "event", "figure", "graphic", "hearing", "interview",
    "legal_case", "legislation", "manuscript", "map", "motion_picture", "musical_score",
    "pamphlet", "paper-conference", "patent", "performance", "periodical",
    "personal_communication", "post", "post-weblog", "regulation", "report", "review",
    "review-book", "software", "song", "speech", "standard", "thesis", "treaty", "webpage",
})  # fmt: skip
"""https://docs.citationstyles.org/en/stable/specification.html#appendix-iii-types."""

# Names in Crossref, OpenAlex, DataCite and BibTeX files.
_SYNONYMS = {
    name: csl
    for csl, names in {
        "article": "preprint posted-content",
        "article-journal": "journal-article review articles",
        "paper-conference": "proceedings-paper proceedings-article conference-paper inproceedings "
        "conference",
        "chapter": "book-chapter book-section incollection inbook",
        "book": "monograph edited-book",
        "thesis": "dissertation phdthesis mastersthesis",
        "report": "techreport",
    }.items()
    for name in names.split()
}
_NOTES = frozenset({"editorial", "erratum", "letter", "retraction"})
_NAMES = {
    "article": "preprint", "article-journal": "journal article",
    "paper-conference": "conference paper", "entry": "encyclopedia entry",
}  # fmt: skip


def type_name(kind: str) -> str:
    """Return a display name: `journal article` for `article-journal`."""
    return _NAMES.get(kind) or kind.replace("_", " ").replace("-", " ")


def type_word(text: str | None) -> str:
    word = (text or "").strip().lower()
    return word if word in CSL_TYPES else word.replace("_", "-").replace(" ", "-")


def csl_type(text: str | None) -> str:
    word = type_word(text)
    return _SYNONYMS.get(word, word)


def stated_type(text: str | None) -> str | None:
    """Return the CSL type that a file states in addition to its own type, if any.

    "Article" and "Review" are ignored, because they only mean journal articles.
    """
    csl = csl_type(text)
    return csl if csl in CSL_TYPES and type_word(text) not in {"article", "review"} else None


def document_type(text: str | None) -> str | None:
    """Return the CSL type of `Article; Book Chapter` or `journalArticle` in a table, or None."""
    words = re.split(r"[;/]", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text or ""))
    kinds = [
        "article-journal" if type_word(word) in {"article", "review"} else csl_type(word)
        for word in words
    ]
    known = [kind for kind in kinds if kind in CSL_TYPES or kind in _NOTES]
    return "chapter" if "chapter" in known else next(iter(known), None)
