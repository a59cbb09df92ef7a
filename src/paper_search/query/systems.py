"""The search languages of other systems: one table for each.

Ovid: https://ospguides.ovid.com/OSPguides/medline.htm, PubMed:
https://pubmed.ncbi.nlm.nih.gov/help/, Cochrane: https://www.cochranelibrary.com/advanced-search,
EBSCO: https://connect.ebsco.com, Embase.com: https://www.elsevier.com/products/embase, ProQuest:
https://proquest.libguides.com/proquestplatform, Scopus:
https://schema.elsevier.com/dtds/document/bkapi/search/SCOPUSSearchTips.htm, Web of Science:
https://webofscience.help.clarivate.com.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from paper_search.query.ast import FIELDS, straighten

ANYWHERE = ""
"""The field of a tag that searches all fields."""
YEAR = "year"


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """A search language. Patterns are regular expressions.

    Attributes:
        marks: pattern of syntax that identifies it; text between double quotes is ignored.
        fields: our field for each of its tags, in lower case.
        prefix: pattern of a tag before its operand, with the group `tag`.
        suffix: the same for a tag after its operand.
        levels: precedence of OR, AND and NOT; operators of equal precedence are left-associative.
        wildcards: our wildcard for each of its own.
        is_phrase: whether adjacent words are a phrase; otherwise they are joined by AND.
        joins: which operands may be adjacent without an operator: "all", "words" or "none".
        letters: characters inside a word besides letters and digits.
        proximity: pattern of a proximity operator, with groups `distance` and `ordered`.
        adjacent: the distance of adjacent words: 1 for Ovid's adj1, else 0.
        default_distance: the distance of an operator without a number.
        quoted: pattern of other quotation, after a leading "|".
        availability: tags for the availability of a record, which are ignored.
        own_keywords: tags of author keywords.
    """

    name: str
    marks: re.Pattern[str]
    fields: Mapping[str, str]
    prefix: str = r"(?!)(?P<tag>)"
    suffix: str = r"(?!)(?P<tag>)"
    levels: Mapping[str, int] = field(default_factory=lambda: {"OR": 1, "AND": 2, "NOT": 3})
    wildcards: Mapping[str, str] = field(default_factory=lambda: {"*": "*", "?": "?"})
    is_phrase: bool = False
    joins: str = "all"
    letters: str = r"'’.&+%@°/–‑-"
    proximity: str = r"(?!)(?P<ordered>)(?P<distance>)"
    adjacent: int = 0
    default_distance: int = 5
    quoted: str = ""
    availability: frozenset[str] = frozenset()
    own_keywords: frozenset[str] = frozenset()

    def field_of(self, tag: str) -> str | None:
        return self.fields.get(" ".join(tag.lower().split()))


def _table(**tags: str) -> dict[str, str]:
    """Return our fields by tag; each argument has tags separated by bars."""
    table = {}
    for ours, theirs in tags.items():
        name = {"anywhere": ANYWHERE}.get(ours, ours.replace("_", "-"))
        table.update(dict.fromkeys(map(str.strip, theirs.split("|")), name))
    return table


_EQUAL_LEVELS = {"OR": 1, "AND": 1, "NOT": 1}

PUBMED = System(
    "PubMed",
    re.compile(
        r'(?<=[\w"*.)?$#-])\s*\[\s*(?!mh\s|S\d+\])[A-Za-z][^\[\]"()]*\](?=[\s):]|$)', re.IGNORECASE
    ),
    _table(
        title="ti|title|tt|transliterated title", abstract="ab|abstract",
        tiab="tiab|title/abstract", venue="ta|journal|jour",
        author="au|author|fau|full author name|1au|author - first|lastau|author - last|auth",
        anywhere="tw|text word|text words|text|all|all fields|doi", keyword="ot|other term",
        mesh="mh|mesh|mesh terms|mesh term|mh:exp|mesh:exp",
        mesh_only="mh:noexp|mesh:noexp|mesh terms:noexp|mh: noexp|mesh: noexp",
        majr="majr|mesh major topic|majr:exp", majr_only="majr:noexp|mesh major topic:noexp",
        substance="nm|supplementary concept|rn|ec/rn number|pharmacological action|pa",
        type="pt|publication type|ptyp", language="la|lang|language",
        subheading="sh|mesh subheading|subheading", subset="sb|subset|filter",
        entered="edat|crdt|mhda|entrez date|date - entry|date - entrez|date - create"
        "|date - mesh|entry date|create date|completion date|dcom|lr",
        year="dp|pdat|ppdat|epdat|date - publication|publication date",
    ),
    suffix=r"\[\s*(?P<tag>[^\[\]\"()]*?)\s*\]",
    levels=_EQUAL_LEVELS,
    wildcards={"*": "*", "?": "$"},
    availability=frozenset({"free full text", "full text", "ffrft", "fft"}),
    own_keywords=frozenset({"ot", "other term"}),
)  # fmt: skip

_OVID_TAG = r"(?:[a-z]{2}(?:_[a-z]+)?|m_titl)"
_OVID_TAGS = (
    r"(?:ti|ab|tw|mp|kw|kf|hw|ot|pt|sh|fs|nm|au|jn|jw|la|ed|dt|af|rn|in|yr|xs|sb|de|id|tn|px)"
)
SUBHEADING = (
    r"(?:ab|ad|ae|ag|ah|ai|an|ba|bi|bl|bs|c[fhilnosty]|d[eghitu]|dm|dr|dv|e[cdhmnpst]|g[detro]|h[iot]"
    r"|il|im|in|ip|ir|is|iv|ja|li|m[aeiot]|nu|og|p[acdkopsvxy]|pr|r[adehitu]|s[cdenptuy]|si|t[adhmoru]"
    r"|ul|ur|us|ut|v[einost])"
)
"""Ovid's two-letter abbreviations of subheadings."""
OVID = System(
    "Ovid",
    re.compile(
        rf'(?<=[\w)"*$?#])\.{_OVID_TAGS}(?:,{_OVID_TAGS})*(?:\.(?!\w)|(?=\s*(?:\)|$)))'
        rf"|\)\s*\.\s*{_OVID_TAGS}\.(?!\w)"
        r"|\badj\d+\b|[\w*$)]\s+adj\s+[\w(]|(?<![\w/])(?:or|and)\s*/\s*\d"
        r"|^[^\w\n]*(?:\d+[^\w\n]+)?(?:limit|remove\s+duplicates\s+from)\s+\d"
        rf'|^[^/:\n]*[\w")](?<!\band)(?<!\bor)/(?:{SUBHEADING}(?:\s*,\s*{SUBHEADING})*)?'
        r"(?=\s*(?:$|\[|\))|\s+(?:(?:or|and|not)\b|\d+\s*$))",
        re.IGNORECASE | re.MULTILINE,
    ),
    _table(
        title="ti|ot|tt|bt|m_titl", abstract="ab", tiab="tw", keyword="kw|kf|hw|id|de|kp",
        anywhere="mp|af|px|rx|tn|tm|dm|dv|mf|dq|do|ox|ps|rs|tc|sm|bs|cw|mi", author="au|fa|a1|ax",
        venue="jn|jw|jx|ja|nj|so", mesh="mh|xm", mesh_only="sh", majr="mj", substance="nm|rn",
        type="pt", language="la|lg", subheading="fs|xs", subset="sb|st",
        entered="ed|dt|dc|ez|da|up|em|rd|dd|dz", year="yr|dp|py|sa_year",
    ),
    suffix=rf"\s*\.\s*(?P<tag>\((?:{_OVID_TAG})\)|{_OVID_TAG}(?:\s*,\s*{_OVID_TAG})*)(?:\.(?!\w)|(?=\s|\)|,|$))",
    wildcards={"$": "*", "*": "*", ":": "*", "?": "$", "#": "?"},
    is_phrase=True,
    joins="words",
    letters=r"'’.&+%@°–‑-",
    proximity=r"adj(?P<distance>\d+)?(?P<ordered>(?<=adj))?",
    adjacent=1,
    default_distance=1,
    own_keywords=frozenset({"kf", "kw"}),
)  # fmt: skip

_NO_FIELD_OF_OURS = "".join(rf"(?<!\b{name})" for name in FIELDS)
COCHRANE = System(
    "Cochrane",
    re.compile(
        r"\bmesh\s+descriptor\b|\[mh\s|\b(?-i:NEXT)\b(?!/)"
        rf"|(?<=[\w*?\")]){_NO_FIELD_OF_OURS}:(?:ti|ab|kw)(?:,(?:ti|ab|kw|pt))*\b"
        r"|\{\s*(?:or|and)\s+\#|\(word variations have been searched\)",
        re.IGNORECASE,
    ),
    _table(
        title="ti", abstract="ab", keyword="kw", anywhere="so kw|tb|doi", author="au", venue="so",
        type="pt", year="py|yr",
    ),
    suffix=r"\s*:\s*(?P<tag>[a-z]{2}(?:\s*,\s*[a-z]{2})*)\b",
    wildcards={"*": "*", "?": "$"},
    joins="words",
    proximity=r"(?:(?P<ordered>NEXT)|NEAR)(?:/(?P<distance>\d+))?",
    default_distance=6,
)  # fmt: skip

EMBASE = System(
    "Embase.com",
    re.compile(
        r"(?<=[\w'\")])/(?:exp|de|mj|br|syn|it)\b|\bNEXT/\d|'[^'\n]+':|\]/(?:lim|py|sd|dt)\b"
        r"|(?<![\w'])'[^'\n]+'(?=\s+(?-i:AND|OR|NOT)\b|\s+(?:NEAR|NEXT)/|\):)"
        r"|(?-i:AND|OR|NOT)\s+\(*'[^'\n]+'(?!\w)"
        rf"|(?<=[\w*?'\")]){_NO_FIELD_OF_OURS}:(?:ti|ab|kw|de|lnk)(?:,(?:ti|ab|kw|de|lnk))*\b",
        re.IGNORECASE,
    ),
    _table(
        title="ti|tt", abstract="ab", keyword="kw",
        anywhere="de|exp|mj|br|syn|lnk|tn|dn|mn|rn|df|mv|cn|mfr|exp/mj|mj/exp|de/mj|do|all|ff",
        author="au", venue="jt|ta|so", type="it|pt", language="la", year="py",
    ),
    suffix=r"(?:\s*:\s*(?=[a-z]{2,3}\b)|/(?=[a-z]))"
    r"(?P<tag>[a-z]{2,8}(?:/[a-z]{2,8}(?!_))?(?:\s*,\s*[a-z]{2,3}(?!_))*)\b(?:/\w+_\w+(?:,\w+_\w+)*)*",
    proximity=r"(?:(?P<ordered>NEXT)|NEAR)/(?P<distance>\d+)",
    wildcards={"*": "*", "?": "?", "$": "$"},
    quoted=r"|(?<![\w])'[^'\n]+'(?!\w)",
    joins="none",
    letters=r"’.&+%@°–‑-",
    availability=frozenset({"embase", "medline", "pubmed-not-medline", "abstracts"}),
    own_keywords=frozenset({"kw"}),
)  # fmt: skip

EBSCO_TAGS = frozenset({
    "AB", "AF", "AG", "AN", "AR", "AU", "CA", "CO", "DE", "DH", "DI", "DM", "DT", "EM", "GE",
    "GN", "IB", "IC", "ID", "IN", "IP", "IS", "JN", "JT", "KW", "LA", "MH", "MJ", "MM", "MW",
    "NT", "PB", "PG", "PT", "PY", "PZ", "RV", "SB", "SO", "SU", "TI", "TX", "UI", "XB", "XJ",
    "ZC", "ZT", "ZW",
})  # fmt: skip
"""Fields of EBSCO's databases, some without a counterpart."""
EBSCO = System(
    "EBSCO",
    re.compile(
        r"(?<![\w/.])(?:TI|AB|SU|MW|TX|KW|DE|MJ|XB)(?=\s+(?!AND\b|OR\b|NOT\b)[\w\"(*].{0,200}?(?:\b(?:AND|OR|NOT)\b|[*\"(]))"
        r"|(?<![\w/.])(?:TI|AB|SU|MW|TX|KW)(?=\s*[\"(])(?!\(\d)|(?<![\w/.])(?:MH|MM)\s*[\"(]"
        r"|\(\s*(?:TI|AB|SU|MW|TX|XB|KW)\s+[\w\"]"
        r"|\b(?:AND|OR|NOT)\s+(?:TI|AB|SU|MW|TX|KW|DE|MJ|XB|MH|MM)\s+(?!AND\b|OR\b|NOT\b)\w"
        rf"|^\W*(?:{'|'.join(sorted(EBSCO_TAGS))})\s[\w\"(].*\b(?:AND|OR|NOT)\s\(?(?:{'|'.join(sorted(EBSCO_TAGS))})\s[\w\"(]"
        r"|^\W*(?:TI|AB|TX|SU|MW|KW)\s[^\n]*\s[NW]\d{1,2}\s"
        r"|\*\s[NW]\d{1,2}(?=\s)|(?<=\s)[NW]\d{1,2}(?=\s+(?:\w+\*|\())",
    ),
    _table(
        title="ti", abstract="ab", tiab="xb", keyword="su|mw|kw|de|mj|id|zw|dh|dm", anywhere="tx",
        author="au", venue="so|jn", mesh_only="mh", majr_only="mm", type="pt|zt|pz", language="la",
        year="py|dt", entered="em",
    ),
    prefix=r"(?<![\w/.-])(?P<tag>(?-i:[A-Z]{2})|ti|ab|su|mw|tx|kw|mh|mm|xb)(?<!OR)(?=[\s(\"])\s*(?!(?:AND|OR|NOT)\b|[NW]\d)(?=[^\s)])",
    wildcards={"*": "*", "?": "?", "#": "$"},
    proximity=r"(?:(?P<ordered>W)|N)(?P<distance>\d+)",
    is_phrase=True,
    joins="words",
    availability=frozenset({"ft", "rv"}),
)  # fmt: skip

PROQUEST = System(
    "ProQuest",
    re.compile(
        r"\b(?:NOFT|SU|AU|FT|TI|AB|TIABSU)\((?!\d)|\b(?i:noft|ti|ab|su)(?:,\s*(?i:ti|ab|su|if|au|kw))+\("
        r"|\b(?i:ti|ab|noft)\((?=[\w\"(])"
        r"|\b(?i:(?:main)?subject|mj(?:mesh|emb|sub)|mesh|emb|su|dtype|stype|rtype|la)(?i:\.(?:exact|explode|x))+\("
        r"|\bP/\d",
    ),
    _table(
        title="ti|title", abstract="ab|abstract", anywhere="noft|all|ft|tiabsu",
        keyword="su|if|subject|mainsubject|mainsubject.exact|mainsubject.exact.explode"
        "|mjmainsubject|mjmainsubject.exact|subject.exact|su.exact"
        "|su.exact.explode|emb.exact|emb.exact.explode|emb|mjsub|mjsub.exact"
        "|mjemb.exact|mjemb.exact.explode|diskw|keyword|subt|subt.exact",
        author="au|author", venue="pub|pubtitle|jo|pub.exact|pubtitle.exact",
        mesh="mesh.exact.explode|mesh.explode", mesh_only="mesh|mesh.exact",
        majr="mjmesh.exact.explode", majr_only="mjmesh|mjmesh.exact",
        type="at|at.exact|dtype|dtype.exact|rtype|rtype.exact|stype|stype.exact",
        language="la|la.exact|lang|language|language.exact", year="yr|pd|pubyear",
        entered="lupd|fav",
    ),
    prefix=r"(?<![\w.])(?!(?:AND|OR|NOT|NEAR|PRE|N|P)\b)(?P<tag>[A-Za-z]+(?:\.[A-Za-z]+)*(?:,\s*[A-Za-z]+(?:\.[A-Za-z]+)*)*)\s*(?=\()",
    proximity=r"(?:(?P<ordered>PRE|P(?=/))|(?-i:NEAR)|near(?=/)|N(?=/))(?:/(?P<distance>\d+))?",
    default_distance=4,
    wildcards={"*": "*", "?": "?", "$": "*"},
    availability=frozenset({"peer", "fulltext"}),
    own_keywords=frozenset({"if", "diskw"}),
)  # fmt: skip

_SCOPUS_TAG = (
    r"TITLE-ABS-KEY-AUTH|TITLE-ABS-KEY|TITLE-ABS|TITLE|ABS|AUTHOR-NAME|AUTHLASTNAME|AUTHFIRST|AUTHKEY"
    r"|AUTHOR|AUTH|FIRSTAUTH|EXACTSRCTITLE|SRCTITLE|INDEXTERMS|DOI|LANGUAGE|DOCTYPE|PMID|CHEMNAME"
    r"|SRCTYPE|SUBJAREA|AFFILCOUNTRY|AFFILORG|AFFIL|LIMIT-TO|EXCLUDE|OPENACCESS"
)
SCOPUS = System(
    "Scopus",
    re.compile(
        rf"(?<![\w-])(?:{_SCOPUS_TAG})\s*\(|(?<![\w-])PUBYEAR\s*(?:[<>=]|AFT\b|BEF\b|IS\b)|\bW/\d+\b"
        r"|(?i:(?<![\w-])title-abs-key\s*\()",
    ),
    _table(
        title="title", abstract="abs", tiab="title-abs",
        anywhere="all|title-abs-key|title-abs-key-auth|doi|abs-key|title-key",
        keyword="key|authkey|indexterms", substance="chemname|chem|casregnumber",
        author="auth|author-name|author|firstauth|authlastname|authfirst",
        venue="srctitle|exactsrctitle", type="doctype", language="language", year="pubyear",
        entered="load-date",
    ),
    prefix=r"(?<![\w-])(?!(?:AND|OR|NOT|W|PRE)\b)(?P<tag>(?-i:[A-Z][A-Z-]+)|title-abs(?:-key(?:-auth)?)?"
    r"|title|abs|key|auth|srctitle|language|doctype|indexterms)\s*(?=\()",
    proximity=r"(?:(?P<ordered>PRE)|W)/(?P<distance>\d+)",
    levels={"NOT": 1, "AND": 2, "OR": 3},
    quoted=r"|\{[^\{\}]*\}",
    availability=frozenset({"openaccess"}),
)  # fmt: skip

_WOS_TAG = (
    r"TI|AB|TS|AU|SO|AK|KP|DO|PY|ALL|DT|LA|WC|SU|AD|OG|OO|UT|IS|FO|CF|CU|PMID|TITLE|MH|DOP|PUBL|SA"
    r"|LD"
)
_WOS_NAME = r"TOPIC|TITLE|AUTHOR|DOCUMENT TYPES?|LANGUAGES?|PUBLICATION NAME|YEAR PUBLISHED"
WOS_NAMES = {
    "topic": "TS", "title": "TI", "abstract": "AB", "author": "AU", "authors": "AU",
    "all fields": "ALL", "publication years": "PY", "publication year": "PY",
    "year published": "PY", "document types": "DT", "document type": "DT", "languages": "LA",
    "language": "LA", "publication titles": "SO", "publication/source titles": "SO",
    "author keywords": "AK", "keyword plus ®": "KP", "doi": "DO",
}  # fmt: skip
"""Tags by the names that the current interface prints after the operand."""
WEB_OF_SCIENCE = System(
    "Web of Science",
    re.compile(
        rf"(?<![\w-])(?i:{_WOS_TAG})\s*=\s*[\w(\"*]|(?<![\w-])(?:{_WOS_NAME})\s*:\s*\("
        r"|[\w\")*]\s+\((?:Topic|Title|Abstract|Author|All\s+Fields|Publication\s+Years"
        r"|Document\s+Types)\)"
    ),
    _table(
        title="ti|title", abstract="ab", anywhere="ts|topic|all|do", keyword="ak|kp",
        author="au|author", venue="so|publication name", mesh="mh",
        type="dt|document types|document type", language="la|language|languages",
        year="py|year published", entered="ld",
    ),
    prefix=r"(?<![\w-])(?P<tag>\w+(?=\s*=)|(?-i:(?!(?:AND|OR|NOT)\b)[A-Z][A-Z ]+[A-Z])"
    r"(?=\s*:\s*\())\s*[=:]\s*(?=\S)",
    proximity=r"(?P<ordered>(?!))?NEAR(?:/(?P<distance>\d+))?",
    default_distance=15,
    wildcards={"*": "*", "?": "?", "$": "$"},
)  # fmt: skip

SYSTEMS = (OVID, COCHRANE, EMBASE, PUBMED, SCOPUS, WEB_OF_SCIENCE, PROQUEST, EBSCO)
_SETS = re.compile(r"(?<![\w-])S\d+\s+(?:AND|OR|NOT)\s+S\d")
"""Line references of EBSCO and ProQuest; ProQuest has other marks that are unambiguous."""
_TRUNCATED = re.compile(r"\b[a-z]{3,}\$(?=[\s).,\]]|$)", re.IGNORECASE | re.MULTILINE)
"""Ovid's truncation, which is another wildcard in Embase.com and Web of Science."""
_QUOTED = re.compile(r'"[^"\n]*"')


def detect_system(text: str) -> System | None:
    """Return the system whose marks are most frequent; None for our own language."""
    bare = blank_quotes(text)
    counts = {system.name: len(system.marks.findall(bare)) for system in SYSTEMS}
    best = max(SYSTEMS, key=lambda system: counts[system.name])
    if counts[best.name]:
        return best
    return EBSCO if _SETS.search(bare) else OVID if _TRUNCATED.search(bare) else None


def count_tags(text: str) -> int:
    """Return the number of marks of the detected system; 0 for our own language."""
    plain = straighten(text)
    bare = blank_quotes(plain)
    system = detect_system(plain)
    if system is not PUBMED:
        return 0 if system is None else max(1, len(system.marks.findall(bare)))
    marks = (mark[0].lower() for mark in PUBMED.marks.finditer(bare))
    # Databases print " [abstract]" after the titles of conference abstracts.
    tags = [mark.strip(" []").partition(":~")[0] for mark in marks if mark != " [abstract]"]
    return sum(PUBMED.field_of(tag) is not None for tag in tags)


def blank_quotes(text: str) -> str:
    return _QUOTED.sub(lambda quoted: f'"{"_" * (len(quoted[0]) - 2)}"', text)
