"""Parse and normalise identifiers of works (DOI, arXiv, PMID, ISBN ...)."""

import hashlib
import html
import re
from urllib.parse import unquote, urlsplit

from paper_search.bibliography.text import normalised_title
from paper_search.models import BibliographicRecord

_DOI = re.compile(r'(?:10\.\d{4,9}(?:\.\d{1,9}){0,4}|^10\.\d{1,3}(?=/\S+$))/[^\s"<>{}|\\^`]{1,300}')
_SICI_DOI = re.compile(
    r"10\.\d{4,9}/\(?(?:sici\)|\d{4}-\d{3}[\dx]\()[^\s\"{}|\\^`]{1,300}", re.IGNORECASE
)
"""DOIs of the 1990s carry angle brackets: `10.1002/(sici)1097-4571(1998)49:8<693::aid-asi4>3.0`."""
_DOI_END = ".,;:'’”!?*/"
_URL_END = re.compile(
    r"(?:[./](?:full(?:-?text)?|abstract|e?pdf|html?|meta|long|short)/?)*(?:[?&]\w+=[^<>]*)?$"
)
"""What follows the DOI in the URL of a publisher: `.full.pdf`, `/abstract`, `?journalCode=abc`."""
_BIORXIV_VERSION = re.compile(r"(?<=\d)v\d{1,2}$")
_PAIRS = {")": "(", "]": "[", ">": "<"}
_ARXIV_NEW = re.compile(r"(?<![\d.])(\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(v\d{1,3})?(?![\d.]\d|\d)")
_ARXIV_OLD = re.compile(
    r"(?<![A-Za-z.-])(?!abs/|pdf/|html/)([a-z]{2,10}(?:-[a-z]{2,4})?)(?:\.[A-Za-z]{2})?/(\d{7})(v\d{1,3})?(?!\d)",
    re.IGNORECASE,
)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_ARXIV_PREFIX = re.compile(r"^\s*(?:https?://\S*?arxiv\.org/\w+/|arxiv\s*:?\s*)", re.IGNORECASE)
_PMID = re.compile(
    r"^\s*(?:https?://\S*?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/"
    r"|pmid\s*:?\s*|medline\s*:?\s*)?0*([1-9]\d{0,8})(?:\.0)?/?\s*(?:\[.*\])?\s*$",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"(?:^|\bpmc\s?(?:id)?\s*:?\s*|/)(?:pmc)?\s?(\d{3,9})(?:\.\d+)?/?\s*$", re.IGNORECASE
)
_ISSN = re.compile(r"(?<!\d)(\d{4})-?(\d{3}[\dXx])(?![\dXx])")
_ISBN = re.compile(r"(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx](?![\dXx])")


def host_of(url: str) -> str | None:
    """Return the host name in a URL, or None if the URL is invalid, such as `http://[x`."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return None if port == 0 else parts.hostname


def parse_doi(text: str | None) -> str | None:
    """Return the DOI in the text in lower case (ISO 26324), or None.

    `https://doi.org/`, `doi:`, percent-encoding, trailing punctuation and the rest of a publisher's
    URL are removed; paired brackets (`10.1016/s0140(05)1`) stay. A registrant with fewer than four
    digits is accepted only if the text is nothing but the DOI.
    """
    if not text or "10." not in text.replace("%2E", "."):
        return None
    text = html.unescape(unquote(text) if "%" in text else text).replace("\\_", "_")
    match = _SICI_DOI.search(text) or _DOI.search(text)
    if match is None:
        return None
    doi = match.group().lower()
    while doi:
        last = doi[-1]
        is_unpaired = last in _PAIRS and doi.count(last) > doi.count(_PAIRS[last])
        if last not in _DOI_END and not is_unpaired:
            break
        doi = doi[:-1]
    doi = _URL_END.sub("", doi)
    if doi.startswith("10.1101/"):
        doi = _BIORXIV_VERSION.sub("", doi)
    return doi if doi.partition("/")[2] else None


def parse_arxiv_id(text: str | None) -> str | None:
    """Return the arXiv id in the text, new (`2101.00001`) or old style (`hep-th/9901001`), or None.

    The text may be an id, an `arXiv:` form, a URL of the abstract or PDF, or arXiv's own DOI. The
    version is removed. See https://info.arxiv.org/help/arxiv_identifier.html.
    """
    if not text or len(text) > 500:  # noqa: PLR2004  # no id or its URL is longer
        return None
    own_doi = _ARXIV_DOI.search(text)
    is_address = own_doi or _ARXIV_PREFIX.match(text)
    rest = (own_doi.group(1) if own_doi else _ARXIV_PREFIX.sub("", text)).strip()
    match = _ARXIV_NEW.match if is_address else _ARXIV_NEW.fullmatch
    if new := match(rest):
        return new.group(1)
    match = _ARXIV_OLD.match if is_address else _ARXIV_OLD.fullmatch
    if old := match(rest):
        return f"{old.group(1).lower()}/{old.group(2)}"
    return None


def doi_of_arxiv(arxiv_id: str) -> str:
    """Return arXiv's DOI of a preprint (https://info.arxiv.org/help/doi.html)."""
    return f"10.48550/arxiv.{arxiv_id}"


def parse_pmid(text: str | int | None) -> str | None:
    """Return the PubMed id in `PMID: 1`, `1` or a PubMed URL, as digits, or None."""
    match = _PMID.match(str(text)) if text is not None else None
    return match.group(1) if match else None


def parse_pmcid(text: str | int | None) -> str | None:
    """Return the PubMed Central id as `PMC` and digits, or None."""
    match = _PMCID.search(str(text).strip()) if text is not None else None
    return f"PMC{match.group(1).lstrip('0')}" if match else None


def parse_isbn(text: str | None) -> str | None:
    """Return the first valid ISBN (ISO 2108) in the text as 13 digits, or None."""
    for match in _ISBN.finditer(text or ""):
        digits = re.sub(r"[- ]", "", match.group()).upper()
        if len(digits) == 10 and "X" not in digits[:9] and _are_checked(digits):  # noqa: PLR2004  # ISBN-10
            body = f"978{digits[:9]}"
            return body + _isbn13_check(body)
        if len(digits) == 13 and "X" not in digits and _isbn13_check(digits[:12]) == digits[12]:  # noqa: PLR2004  # ISBN-13
            return digits
    return None


def parse_issn(text: str | None) -> str | None:
    """Return the first valid ISSN in the text as `1234-567X`, or None (ISO 3297)."""
    for match in _ISSN.finditer(text or ""):
        digits = f"{match[1]}{match[2]}".upper()
        if _are_checked(digits):
            return f"{digits[:4]}-{digits[4:]}"
    return None


def family_name(name: str) -> str:
    """Return the family name of an author written as `Smith, J` or `J Smith`."""
    family, comma, _ = name.partition(",")
    if comma and family.strip():
        return family.strip()
    words = name.split()
    return words[-1] if words else ""


def stable_id(record: BibliographicRecord) -> str:
    """Return an id that does not depend on the source or the time of a record.

    It is the first of DOI, arXiv id, PMID, PMCID, OpenAlex and Semantic Scholar id (an arXiv DOI
    counts as the arXiv id), or a hash of title, year and first author's family name.
    """
    identifiers = identifiers_of(record)
    if (doi := identifiers["doi"]) and _ARXIV_DOI.match(doi) and (arxiv := parse_arxiv_id(doi)):
        identifiers |= {"doi": None, "arxiv": arxiv}
    first = next((f"{kind}:{value}" for kind, value in identifiers.items() if value), None)
    return first or f"hash:{content_key(record)}"


def identifiers_of(record: BibliographicRecord) -> dict[str, str | None]:
    """Return the normalised identifiers of a work by kind, the most reliable first."""
    return {
        "doi": parse_doi(record.doi),
        "arxiv": parse_arxiv_id(record.arxiv_id),
        "pmid": parse_pmid(record.pmid),
        "pmcid": parse_pmcid(record.pmcid),
        "openalex": (record.openalex_id or "").rstrip("/").rpartition("/")[2].upper(),
        "s2": (record.s2_id or "").strip().lower(),
    }


def names_of(record: BibliographicRecord) -> set[str]:
    """Return all identifiers of a work with their kinds: `doi:10.1000/1`, `arxiv:...`."""
    identifiers = identifiers_of(record)
    identifiers["arxiv"] = identifiers["arxiv"] or parse_arxiv_id(identifiers["doi"])
    return {f"{kind}:{value.lower()}" for kind, value in identifiers.items() if value}


def content_key(record: BibliographicRecord) -> str:
    """Return a hash (24 hex digits) of title, year and first author of a work."""
    first = normalised_title(family_name(record.authors[0].name)) if record.authors else ""
    title = normalised_title(record.title) or record.title.strip()
    key = f"{title}\n{record.year or ''}\n{first}"
    return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _are_checked(digits: str) -> bool:
    """Whether the check digit of an ISSN or ISBN-10 is correct."""
    values = [10 if c == "X" else int(c) for c in digits]
    return not sum(v * (len(values) - i) for i, v in enumerate(values)) % 11


def _isbn13_check(body: str) -> str:
    return str(-sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(body)) % 10)
