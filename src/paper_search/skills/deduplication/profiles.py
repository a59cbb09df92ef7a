"""Profiles: the fields of a record, normalised for comparison."""

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi, parse_pmcid, parse_pmid
from paper_search.bibliography.publication_types import PREPRINTS, csl_type, type_word
from paper_search.models import RawPaper
from paper_search.skills.deduplication.text import (
    People,
    fold,
    people,
    without_line_breaks,
    word_set,
    words,
)
from paper_search.skills.deduplication.titles import (
    VERSION_AT_THE_END,
    roles,
    without_annotations,
)

_EMPTY_WORDS = word_set(
    "the of and in on for a an de la le et des der die das und proc proceedings conference conf"
    " journal j jour int intl international annual meeting st nd rd th symposium symp workshop"
    " lecture notes trans transactions acm ieee united states kingdom published as to appear col"
    " year val hellip mdash amp official publication organ"
)
_CUT = re.compile(
    r"(?:\.\s*|(?<!\s)\s+)?\bconference(?: start| publication)?\s*:|\bannual meeting\b| - |\(|;|:"
)
_DIGITS = re.compile(r"\d")
_KINDS = {
    kind: re.compile(words)
    for kind, words in {
        "report": r"\btech\b|\btechnical rep|\breport\b|\bthes[ie]s\b|\bdissert|\bunpub"
        r"|\bmanuscript|\bpreprint|\barxiv|\bsubmitted|\bto appear|\bdraft|\bworking paper"
        r"|\b(?:bio|med)rxiv|\bssrn\b|\bcorr\b",
        "conference": r"\bproc|\bconf|\bsymp|\bworkshop|\bmeeting|\bcongress|\bcolloq"
        r"|\bannual acm\b|\bstoc\b|\bscientific sessions",
        "journal": r"\bjourn|\bj\b|\btrans(?:actions)?\b|\bletters?\b|\blett\b"
        r"|\brev(?:iews?)?\b|\bannals?\b|\bannal|\barchives?\b|\barch\b|\brecord\b"
        r"|\bmagazine\b|\bquarterly\b|\bbulletin\b|\bresearch\b|\bmedicine\b",
    }.items()
}
_FORMS = frozenset({"dataset", "erratum", "peer-review", "retraction", "software", "thesis"})
"""Types that may have the title of a paper without being a version of it."""
DATA = frozenset({"dataset", "software"})
_PAPERS = frozenset({"article-journal", "chapter", "paper-conference"})
_THESIS = re.compile(r"\bthes[ie]s\b|\bdissert")
_NUMBER = re.compile(r"[a-z]{0,3}\d+", re.IGNORECASE)
_LEADING_YEAR = re.compile(r"^[\W\d]*\(?(?:18|19|20)\d\d\)?[a-z]?[\s.,:)'\"]+(?=\S)")
_PAGE_WORD = re.compile(r"pages?|pgs?\b|pp?\b\.?")
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {month: str(number) for number, month in enumerate(_MONTH_NAMES.split(), start=1)}
_MONTH = re.compile("|".join(_MONTHS))
"""Spreadsheets change pages 1-10 to "01-Oct"."""
_DOCUMENTS = (".pdf", ".ps", ".epub", ".xml")
_MOST_ISSUES = 60
_YEARS = range(1400, 2101)


@dataclass(frozen=True, slots=True)
class Profile:
    """One record in comparable form; an empty value means unknown.

    Attributes:
        words, key: words of the title, with and without spaces.
        main: the key of a title before its colon.
        roles: words that may state the relation to another work; see `titles.roles`.
        form: "paper", or "thesis", "dataset" and so on if it is not a version of a paper.
        first_page: first page without leading zeros, with its letter ("s12", "e1004").
    """

    words: tuple[str, ...]
    key: str
    main: str
    roles: tuple[tuple[str, str], ...]
    form: str
    names_version: bool
    people: People
    year: int | None
    venue: tuple[str, ...]
    kind: str
    volume: str
    issue: str
    first_page: str
    last_page: str
    doi: str
    arxiv: str
    ids: tuple[tuple[str, str], ...]
    abstract: str

    @property
    def title(self) -> str:
        return " ".join(self.words)


def profile(paper: RawPaper) -> Profile:
    title = without_line_breaks(fold(paper.title)).replace("center dot", "")  # Web of Science's "·"
    own_title = title
    if "vol" in title or "(" in title or "[" in title or title.startswith("retracted"):
        own_title = without_annotations(title)
    own_title = _LEADING_YEAR.sub("", own_title) or own_title
    doi = parse_doi(paper.doi) or ""
    venue = fold(paper.venue) if paper.venue else ""
    form, kind = _form_and_kind(paper.publication_type, venue)
    without_version = VERSION_AT_THE_END.sub("", own_title) if form in DATA else own_title
    names_version, own_title = without_version != own_title, without_version
    title_words = words(own_title)
    first, last = _pages(paper.pages)
    return Profile(
        words=title_words,
        key="".join(title_words),
        main="".join(words(own_title.partition(":")[0])) if ":" in own_title else "",
        roles=roles(own_title),
        form=form,
        names_version=names_version,
        people=people(paper.authors),
        year=paper.year if paper.year in _YEARS else None,
        venue=venue_words(venue),
        kind=kind,
        volume=_volume(paper.volume),
        issue=_issue(paper.issue),
        first_page=first,
        last_page=last,
        doi=doi,
        arxiv=parse_arxiv_id(paper.arxiv_id) or parse_arxiv_id(doi) or "",
        ids=_ids(paper),
        abstract=paper.abstract or "",
    )


@lru_cache(maxsize=4096)
def _form_and_kind(stated: str | None, venue: str) -> tuple[str, str]:
    """Return form and kind by type of publication and venue; empty if unknown."""
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.search(venue)), "")
    csl = csl_type(stated)
    if not kind and (csl == "report" or type_word(stated) in PREPRINTS):
        kind = "report"
    if csl in _FORMS:
        return csl, kind
    if _THESIS.search(venue):
        return "thesis", kind
    return "paper" if csl in _PAPERS or kind in {"journal", "conference"} else "", kind


def _ids(paper: RawPaper) -> tuple[tuple[str, str], ...]:
    """Return the identifiers of a record, without landing pages, which may be a journal's."""
    texts = {paper.full_text_url, paper.url if is_document(paper.url) else None}
    urls = [key for key in map(address_key, texts) if key]
    own = paper.raw_data.get("result_id")
    if not (urls or paper.pmid or paper.pmcid or paper.openalex_id or paper.s2_id or own):
        return ()
    values = {
        "pmid": parse_pmid(paper.pmid),
        "pmcid": parse_pmcid(paper.pmcid),
        "openalex_id": (paper.openalex_id or "").rstrip("/").rpartition("/")[2].casefold().strip(),
        "s2_id": (paper.s2_id or "").strip().casefold(),
        "result_id": f"{paper.source}:{own}" if isinstance(own, str) and own else "",
    }
    pairs = [(kind, value) for kind, value in values.items() if value]
    return tuple(pairs + [("url", url) for url in sorted(urls)])


def is_document(address: str | None) -> bool:
    """Whether a URL is that of a file rather than a web page."""
    path = (address or "").strip().casefold().partition("?")[0].rstrip("/")
    return path.endswith(_DOCUMENTS)


def address_key(address: str | None) -> str | None:
    """Return a normalised URL; None for a home page or an invalid URL."""
    if not address:
        return None
    try:
        parts = urlsplit(address.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    if not host or (len(path) <= 1 and not parts.query):
        return None
    return f"{host}{path}?{parts.query}" if parts.query else f"{host}{path}"


def _volume(text: str | None) -> str:
    """Return the first number of a volume; none in "1)", the rest of "53 (Suppl 1)"."""
    if not text or (")" in text and "(" not in text):
        return ""
    number = _NUMBER.search(text)
    return sys.intern(number.group().lower().lstrip("0")) if number else ""


def _issue(text: str | None) -> str:
    """Return the first number, at most 60, of an issue, with "s" before that of a supplement."""
    found = _NUMBER.search(text) if text else None
    if not text or not found:
        return ""
    number = found.group().lower().lstrip("s0")
    if not number.isdecimal() or int(number) > _MOST_ISSUES:
        return ""
    return sys.intern(f"s{number}" if "s" in text.lower() else number)


def _pages(text: str | None) -> tuple[str, str]:
    """Return the first and last page; "221-8" ends on 228."""
    if not text:
        return "", ""
    text = _MONTH.sub(lambda month: _MONTHS[month.group()], text.lower())
    numbers = _NUMBER.findall(_PAGE_WORD.sub(" ", text))
    if not numbers:
        return "", ""
    first = numbers[0].lstrip("0")
    last = numbers[1].lstrip("0") if len(numbers) > 1 else first
    if last.isdecimal() and first.isdecimal() and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return sys.intern(first), sys.intern(last)


@lru_cache(maxsize=4096)
def venue_words(folded_venue: str) -> tuple[str, ...]:
    """Return the content words of a folded venue, without text after its name."""
    for text in (_CUT.split(folded_venue, maxsplit=1)[0], folded_venue):
        content = (w for w in words(text) if not _DIGITS.search(w) and w not in _EMPTY_WORDS)
        if names := tuple(content):
            return names
    return ()


def venue_similarity(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Return the similarity of two venues, 0 to 1, by beginnings of words or by initials."""
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=lambda venue: (len(venue), venue))
    if len(short) == 1 and len(long) > 1:
        initials = "".join(word[0] for word in long)
        if short[0].startswith(initials) or (len(short[0]) > 2 and initials.startswith(short[0])):  # noqa: PLR2004  # two letters are no acronym
            return 0.9
    place, matched = 0, 0
    for word in short:
        for position in range(place, len(long)):
            if _begins_alike(word, long[position]):
                matched += 1
                place = position + 1
                break
    return matched / len(short) * 0.6 + matched / len(long) * 0.4


def _begins_alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or (
        len(short) > 3 and short[:3] == long[:3] and short[-1] == long[-1]  # noqa: PLR2004  # "natl", "national"
    )
