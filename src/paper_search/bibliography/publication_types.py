"""Types of publications in the words of CSL, whatever a source calls them."""

PREPRINTS = frozenset({"preprint", "posted-content"})
"""What is called so is a preprint; CSL's "article" alone may be anything."""

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

# What Crossref, OpenAlex, DataCite and BibTeX files call the same things.
_SYNONYMS = {
    name: csl
    for csl, names in {
        "article": "preprint posted-content",
        "article-journal": "journal-article review articles",
        "paper-conference": "proceedings-article conference-paper inproceedings conference",
        "chapter": "book-chapter book-section incollection inbook",
        "book": "monograph edited-book",
        "thesis": "dissertation phdthesis mastersthesis",
        "report": "techreport",
    }.items()
    for name in names.split()
}
_NAMES = {
    "article": "preprint", "article-journal": "journal article",
    "paper-conference": "conference paper", "entry": "encyclopedia entry",
}  # fmt: skip


def type_name(kind: str) -> str:
    """Return what people call a kind: `journal article` for `article-journal`."""
    return _NAMES.get(kind) or kind.replace("_", " ").replace("-", " ")


def type_word(text: str | None) -> str:
    word = (text or "").strip().lower()
    return word if word in CSL_TYPES else word.replace("_", "-").replace(" ", "-")


def csl_type(text: str | None) -> str:
    word = type_word(text)
    return _SYNONYMS.get(word, word)


def stated_type(text: str | None) -> str | None:
    """Return the CSL type that a file states in words beside its own type, if any.

    "Article" and "Review" are no more than articles of journals there, and say nothing.
    """
    csl = csl_type(text)
    return csl if csl in CSL_TYPES and type_word(text) not in {"article", "review"} else None
