"""The syntax in which strategies are written for eight databases: one table for each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from paper_search.query.ast import (
    OWN_WORDS,
    Near,
    Node,
    Phrase,
    Term,
    YearRange,
    is_wrapped,
    words_of,
)
from paper_search.query.evaluation import heading_words
from paper_search.query.limits import FAR_FUTURE, FIRST_YEAR, bounds, day_after, whole_days
from paper_search.query.widening import expand_wildcards

_MOST_FORMS = 60
_SAFE = re.compile(r"[^\W_][\w*?$#&+-]*")
_UNSAFE = re.compile(
    r"(?i:and|or|not|same|near|next|adj|pre|exp|use|limit|to|in|with)\d*|[A-Z]{1,4}|[SLNWP]?\d+\w?"
)
"""Words that are reserved in one of the databases."""
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT)\b")


class InexpressibleError(Exception):
    """The database has no syntax for a part."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The syntax of a database. Most attributes are templates for `str.format`.

    Attributes:
        label: precedes a line, with its number.
        reference: refers to an earlier line.
        fields: field syntax around words, by our field.
        headings: heading syntax by kind; `{sub}`, `{SUB}` and `{code}` are subheadings.
        others: syntax of entry dates and index fields, by our field.
        years: a span of years, `{first}` to `{last}`.
        heading_note: what to check if the database has another thesaurus.
        types: its names of publication types, by ours.
        signs: its wildcards, by ours; words with any other wildcard are spelled out.
        near: proximity in any order, with at most `{n}` words between.
        ordered: proximity in the given order.
        adjacent: added to a distance: 1 if adjacent words have distance 1.
        day: the format of an entry date.
        limits: by field, the line that limits the line `{line}`.
        operators: its words for AND, OR and NOT if they differ.
        tags_each_leaf: whether tags apply to single words or phrases only, not to groups.
        least: the smallest distance it accepts.
        has_own_keywords: whether it distinguishes author keywords from index terms.
    """

    name: str
    label: str
    reference: str
    fields: Mapping[str | None, str]
    headings: Mapping[str, str]
    others: Mapping[str, str]
    years: str
    heading_note: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=lambda: {"*": "*"})
    near: str = ""
    ordered: str = ""
    adjacent: int = 0
    day: str = "%Y%m%d"
    limits: Mapping[str, str] = field(default_factory=dict)
    limit_note: str = ""
    operators: Mapping[str, str] = field(default_factory=dict)
    quote: str = '"'
    tags_each_leaf: bool = False
    least: int = 0
    has_own_keywords: bool = True

    def word(self, operator: str) -> str:
        return self.operators.get(operator, operator)

    def combination(self, operator: str, numbers: list[int]) -> str:
        if self.name == "Ovid" and numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"{self.word(operator)}/{numbers[0]}-{numbers[-1]}"
        return f" {self.word(operator)} ".join(map(self.reference.format, numbers))

    def within(self, name: str | None, text: str) -> str:
        if name not in self.fields:
            raise InexpressibleError(f"{text}: there is no field for {name}")
        form = self.fields[name]
        return form.format(text[1:-1] if "(" in form and is_wrapped(text) else text)

    def leaf(self, leaf: Term | Phrase) -> str:
        text = _OPERATOR.sub(lambda operator: operator[0].lower(), " ".join(words_of(leaf)))
        is_bare = isinstance(leaf, Term) and _SAFE.fullmatch(text) and not _UNSAFE.fullmatch(text)
        if is_bare and self.quote == '"':
            return text
        quote = '"' if "'" in text else self.quote
        return f"{quote}{text}{quote}"

    def spellings(self, leaf: Term | Phrase) -> list[Term | Phrase]:
        """Return a leaf with this database's wildcards, or all spellings it matches."""
        options = [self._forms(word) for word in words_of(leaf)]
        forms: list[Term | Phrase] = [
            Phrase(words, leaf.field) if len(words) > 1 else Term(words[0], leaf.field)
            for words in product(*options)
        ]
        if not 0 < len(forms) <= _MOST_FORMS:
            raise InexpressibleError(f"{' '.join(words_of(leaf))}: the wildcard")
        return forms

    def _forms(self, word: str) -> list[str]:
        stem = word.rstrip("*")
        star = self.signs["*"] if stem != word else ""
        signs = set("*?$") & set(stem)
        if self.name == "Ovid" and (part := re.fullmatch(r"([^*?$]+)(\${2,})", word)):
            return [f"{part[1]}${len(part[2])}"]
        if self.name == "ProQuest":
            stem = re.sub(r"\$+", lambda part: f"[*{len(part[0])}]", stem)
            signs -= {"$"}
        if "$" in signs and "$" not in self.signs and "?" in self.signs:
            parts = [("", "?") if sign == "$" else (sign,) for sign in stem]
            stems = ["".join(letters) for letters in product(*parts)]
        elif signs - {*self.signs}:
            if "*" in signs:
                raise InexpressibleError(f"{word}: the wildcard")
            stems = list(expand_wildcards(stem))
        else:
            stems = [stem]
        return ["".join(self.signs.get(sign, sign) for sign in one) + star for one in stems]

    def heading(self, leaf: Term | Phrase) -> str:
        form = self.headings.get(leaf.field or "")
        if form is None:
            raise InexpressibleError(f"{' '.join(words_of(leaf))}: there are no such headings")
        if self.heading_note:
            return form.format(" ".join(heading_words(leaf)).lower(), sub="")
        name, slash, sub = " ".join(words_of(leaf)).partition("/")
        is_code = len(sub) == len("dt") and ("{SUB}" in form or "{code}" in form)
        if sub and not is_code and "{sub}" not in form:
            raise InexpressibleError(f"{name}/{sub}: there are no such subheadings")
        return form.format(name, sub=f"{slash}{sub}", SUB=f"{slash}{sub.upper()}", code=sub)

    def index_term(self, leaf: Term | Phrase) -> str:
        """Return a term of an index field, such as a type, a language or an entry date."""
        name, text = leaf.field or "", " ".join(words_of(leaf))
        form = self.others.get(name)
        if form is None:
            raise InexpressibleError(f"{name}:{text}: there is no such field")
        if name == "entered":
            return self._entry_dates(form, text)
        if name == "type":
            text = self.types.get(text.lower(), text)
            if self.name == "Scopus" and len(text) > len("ar"):
                raise InexpressibleError(f"{text}: there is no such type")
        return form.format(text)

    def _entry_dates(self, form: str, text: str) -> str:
        first, last = bounds(text)
        begin, end = whole_days(text)
        values = {
            "first": _format_day(begin, self.day), "last": _format_day(end, self.day),
            "before": _format_day(day_after(begin, -1), self.day),
            "after": _format_day(day_after(end), self.day),
        }  # fmt: skip
        return _open_ended(form, first, last).format(**values)

    def year_span(self, years: YearRange) -> str:
        first, last = years.first or FIRST_YEAR, years.last or FAR_FUTURE
        form = _open_ended(self.years, years.first, years.last)
        return form.format(first=first, last=last, before=first - 1, after=last + 1)

    def limit_line(self, line: str, part: Node) -> str | None:
        """Return a line that limits another; None if the limit is an ordinary operand."""
        if isinstance(part, YearRange) and "year" in self.limits:
            last = part.last or "Current"
            return self.limits["year"].format(line=line, first=part.first or FIRST_YEAR, last=last)
        if isinstance(part, Term | Phrase) and part.field and part.field in self.limits:
            text = " ".join(words_of(part))
            if part.field == "entered":
                return f"limit {line} to {self._entry_dates('ed={first}-{last}', text)}"
            return self.limits[part.field].format(line=line, text=text)
        return None

    def distance(self, near: Near) -> str:
        """Return the operator for a distance; empty if there is none."""
        form = self.ordered if near.is_ordered else self.near
        if not form or near.distance < self.least:
            return ""
        if self.name in {"Ovid", "Cochrane Library"} and near.is_ordered:
            return form if not near.distance else ""
        return form.format(n=near.distance + self.adjacent)

    def pairs(self, near: Near, name: str | None) -> list[str] | None:
        """Return PubMed's proximity searches for each pair of words; None if there is no such."""
        sides = [_terms(near.left), _terms(near.right)]
        fields = {None, "tiab", OWN_WORDS, "title"}
        if near.is_ordered or name not in fields or not all(sides):
            return None
        tag = "ti" if name == "title" else "tiab"
        texts = [
            f'"{one} {other}"[{tag}:~{near.distance}]'
            for one, other in product(sides[0] or (), sides[1] or ())
        ]
        return texts if len(texts) <= _MOST_FORMS else None


def _open_ended(form: str, first: object, last: object) -> str:
    """Drop the condition for an open end from a span with two conditions."""
    begin, both, end = form.partition(" AND ")
    if not both or (first and last):
        return form
    return begin.removeprefix("(") if first else end.removesuffix(")")


def _terms(node: Node) -> list[str] | None:
    children = node.children if hasattr(node, "children") else (node,)
    texts = [
        child.text
        for child in children
        if isinstance(child, Term) and not child.is_prefix and re.fullmatch(r"[\w-]+", child.text)
    ]
    return texts if len(texts) == len(children) else None


def _format_day(day: str, form: str) -> str:
    year, month, number = day.split("-")
    return form.replace("%Y", year).replace("%m", month).replace("%d", number)


_LOWER = {"AND": "and", "OR": "or", "NOT": "not"}
_MESH = "a MeSH heading; check the term of Emtree that stands for it"
_PLAIN_HEADING = "there are no MeSH headings; written as words of the index"
_ARTICLE = {"journal article": "article", "congress": "conference abstract"}

DIALECTS = {
    "ovid": Dialect(
        "Ovid", "{}. ", "{}",
        {None: "{}.mp.", "title": "{}.ti.", "abstract": "{}.ab.", "tiab": "{}.ti,ab.",
         OWN_WORDS: "{}.ti,ab,kf.",
         "keyword": "{}.kw,hw.", "author": "{}.au.", "venue": "{}.jn."},
        {"mesh": 'exp "{}"/{code}', "mesh-only": '"{}"/{code}', "majr": 'exp *"{}"/{code}',
         "majr-only": '*"{}"/{code}'},
        {"type": '"{}".pt.', "language": "{}.la.", "subheading": "{}.fs.", "substance": '"{}".nm.',
         "subset": "{}.sb.", "entered": "{first}:{last}.(ed)."},
        "{first}:{last}.(sa_year).",
        signs={"*": "*", "?": "#", "$": "?"}, near="adj{n}", ordered="adj", adjacent=1,
        limits={"year": 'limit {line} to yr="{first} -{last}"', "entered": "ed",
                "language": "limit {line} to {text} language"},
        operators=_LOWER,
    ),
    "pubmed": Dialect(
        "PubMed", "#{} ", "#{}",
        {None: "{}[tw]", "title": "{}[ti]", "abstract": "{}[ab]", "tiab": "{}[tiab]",
         OWN_WORDS: "({0}[tiab] OR {0}[ot])",
         "keyword": "{}[ot]", "author": "{}[au]", "venue": "{}[ta]"},
        {"mesh": '"{}{sub}"[Mesh]', "mesh-only": '"{}{sub}"[Mesh:NoExp]',
         "majr": '"{}{sub}"[Majr]', "majr-only": '"{}{sub}"[Majr:NoExp]'},
        {"type": '"{}"[pt]', "language": "{}[la]", "subheading": '"{}"[sh]',
         "substance": '"{}"[nm]', "subset": "{}[sb]", "entered": "{first}:{last}[edat]"},
        "{first}:{last}[dp]", day="%Y/%m/%d", tags_each_leaf=True,
    ),
    "embase": Dialect(
        "Embase.com", "#{} ", "#{}",
        {None: "{}:ti,ab,kw,de", "title": "{}:ti", "abstract": "{}:ab", "tiab": "{}:ti,ab",
         OWN_WORDS: "{}:ti,ab,kw", "keyword": "{}:kw", "author": "{}:au", "venue": "{}:jt"},
        {"mesh": "'{}'/exp", "mesh-only": "'{}'/de", "majr": "'{}'/exp/mj", "majr-only": "'{}'/mj"},
        {"type": "'{}'/it", "language": "[{}]/lim",
         "entered": "([{first}]/sd NOT [{after}]/sd)"},
        "[{first}-{last}]/py", heading_note=_MESH, types=_ARTICLE,
        signs={"*": "*", "?": "?", "$": "$"}, near="NEAR/{n}", ordered="NEXT/{n}", least=1,
        day="%d-%m-%Y", quote="'",
    ),
    "wos": Dialect(
        "Web of Science", "#{} ", "#{}",
        {None: "TS=({})", "title": "TI=({})", "abstract": "AB=({})",
         "tiab": "(TI=({0}) OR AB=({0}))", "keyword": "AK=({})",
         OWN_WORDS: "(TI=({0}) OR AB=({0}) OR AK=({0}))",
         "author": "AU=({})", "venue": "SO=({})"},
        dict.fromkeys(("mesh", "mesh-only", "majr", "majr-only"), 'TS=("{}")'),
        {"type": 'DT=("{}")', "language": "LA=({})", "entered": "LD=({first}/{last})"},
        "PY=({first}-{last})", heading_note=_PLAIN_HEADING,
        types={"journal article": "Article", "congress": "Proceedings Paper"},
        signs={"*": "*", "?": "?", "$": "$"}, near="NEAR/{n}", day="%Y-%m-%d",
    ),
    "scopus": Dialect(
        "Scopus", "#{} ", "#{}",
        {None: "TITLE-ABS-KEY({})", "title": "TITLE({})", "abstract": "ABS({})",
         "tiab": "TITLE-ABS({})", "keyword": "KEY({})",
         OWN_WORDS: "(TITLE-ABS({0}) OR AUTHKEY({0}))",
         "author": "AUTH({})", "venue": "SRCTITLE({})"},
        dict.fromkeys(("mesh", "mesh-only", "majr", "majr-only"), 'INDEXTERMS("{}")'),
        {"type": "DOCTYPE({})", "language": "LANGUAGE({})",
         "entered": "(ORIG-LOAD-DATE AFT {before} AND ORIG-LOAD-DATE BEF {after})"},
        "(PUBYEAR > {before} AND PUBYEAR < {after})", heading_note=_PLAIN_HEADING,
        types={"journal article": "ar", "review": "re", "congress": "cp", "note": "no",
               "letter": "le", "editorial": "ed", "book": "bk", "book chapter": "ch",
               "erratum": "er", "short survey": "sh", "conference review": "cr"},
        signs={"*": "*", "?": "?"}, near="W/{n}", ordered="PRE/{n}", operators={"NOT": "AND NOT"},
    ),
    "cochrane": Dialect(
        "Cochrane Library", "#{} ", "#{}",
        {None: "{}:ti,ab,kw", "title": "{}:ti", "abstract": "{}:ab", "tiab": "{}:ti,ab",
         OWN_WORDS: "{}:ti,ab,kw", "keyword": "{}:kw", "author": "{}:au", "venue": "{}:so"},
        {"mesh": '[mh "{}"{SUB}]', "mesh-only": '[mh ^"{}"{SUB}]',
         "majr": '[mh "{}"[mj]]', "majr-only": '[mh ^"{}"[mj]]'},
        {"type": '"{}":pt', "subheading": "[mh /{}]"},
        "({first}-{last}):py",
        signs={"*": "*", "$": "?"}, near="NEAR/{n}", ordered="NEXT",
        limits={"year": "{line} with Publication Year from {first} to {last}"},
        limit_note="years are set by 'Search limits' of the Cochrane Library",
        has_own_keywords=False,
    ),
    "ebsco": Dialect(
        "EBSCOhost", "S{} ", "S{}",
        {None: "(TI ( {0} ) OR AB ( {0} ) OR SU ( {0} ))", "title": "TI ( {} )",
         "abstract": "AB ( {} )", "tiab": "(TI ( {0} ) OR AB ( {0} ))", "keyword": "SU ( {} )",
         OWN_WORDS: "(TI ( {0} ) OR AB ( {0} ) OR SU ( {0} ))",
         "author": "AU ( {} )", "venue": "SO ( {} )"},
        {"mesh": '(MH "{}+{SUB}")', "mesh-only": '(MH "{}{SUB}")',
         "majr": '(MM "{}+{SUB}")', "majr-only": '(MM "{}{SUB}")'},
        {"type": 'PT "{}"', "language": "LA {}", "entered": "EM {first}-{last}"},
        "PY {first}-{last}",
        signs={"*": "*", "?": "?", "$": "#"}, near="N{n}", ordered="W{n}", has_own_keywords=False,
    ),
    "proquest": Dialect(
        "ProQuest", "S{} ", "S{}",
        {None: "noft({})", "title": "ti({})", "abstract": "ab({})", "tiab": "ti,ab({})",
         OWN_WORDS: "ti,ab,if({})",
         "keyword": "su({})", "author": "au({})", "venue": "pub({})"},
        {"mesh": 'MESH.EXACT.EXPLODE("{}")', "mesh-only": 'MESH.EXACT("{}")',
         "majr": 'MJMESH.EXACT.EXPLODE("{}")', "majr-only": 'MJMESH.EXACT("{}")'},
        {"type": 'rtype.exact("{}")', "language": 'la.exact("{}")'},
        "yr({first}-{last})",
        signs={"*": "*", "?": "?"}, near="NEAR/{n}", ordered="PRE/{n}",
    ),
}  # fmt: skip
"""Databases that a strategy can be written for, by their names on the command line."""
