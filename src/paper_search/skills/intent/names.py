"""Authors, journals and conferences that a question names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from paper_search.bibliography.rarities import rarity
from paper_search.skills.intent.cutting import PAPERS, cut, forms, is_quoted
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.synonyms import is_known
from paper_search.skills.words import stem, words_in

Kind: TypeAlias = Literal["author", "venue"]
Lookup: TypeAlias = Callable[[Kind, str], bool | None]
"""Whether the records at hand have a name; None: there are none to look it up in."""

_NO_PERSONS = frozenset(
    words_in("""
africa african america american asia asian europe european afghanistan albania algeria argentina
armenia australia austria azerbaijan bangladesh belarus belgium bolivia botswana brazil britain
bulgaria cambodia cameroon canada chile china chinese colombia congo croatia cuba cyprus denmark
ecuador egypt england estonia ethiopia finland france french georgia germany german ghana greece
guatemala haiti honduras hungary iceland india indian indonesia iran iraq ireland israel italy
italian japan japanese kazakhstan kenya korea korean kuwait latvia lebanon liberia libya
lithuania madagascar malawi malaysia mali mexico mongolia morocco mozambique myanmar namibia nepal
netherlands nigeria norway pakistan palestine panama peru philippines poland portugal qatar romania
russia russian rwanda scotland senegal serbia singapore slovakia slovenia somalia spain spanish
sudan sweden switzerland syria taiwan tanzania thailand tibet tunisia turkey uganda ukraine uruguay
venezuela vietnam wales yemen zambia zimbabwe zealand london paris berlin madrid rome vienna moscow
beijing shanghai tokyo delhi california texas washington cambridge oxford harvard stanford princeton
university institute college school laboratory lab department center centre ministry agency group
association society team consortium foundation council corporation company academy hospital google
microsoft facebook openai deepmind apple amazon ibm nasa nature science elsevier springer wikipedia
researchers scientists authors students women men children people patients physicians nurses
teachers doctors engineers companies bayesian markov gaussian poisson fourier laplace monte carlo
kalman hamiltonian boltzmann transformer transformers python java linux web english deep machine
artificial neural quantum january february march april june july august september october november
december covid ebola alzheimer parkinson darwinian marxist christian islamic western eastern
northern southern random forest regression analysis network networks method methods theory model
means way doppler hubble crispr new north south east west united kingdom states
""")
)
"""Places, institutions, groups of people, and names that stand for subjects."""
_RARE = 3.0
"""Rarity from which a word in lower case may be a name."""
_FEW = 3
"""Long words that are no title."""

_TITLE = r"(?:(?:Prof(?:essor)?|Dr|Sir)\.?\s+)?"
_INITIAL = r"(?:[A-ZÀ-Þ]\.(?:[\s-]?[A-ZÀ-Þ]\.)*)"
_WORD = (
    r"(?:(?:[DLO]['’]|Mc|Mac)?[A-ZÀ-ÞĀ-ſ][a-zß-ÿĀ-ſ]+(?:[A-Z][a-z]+)?(?:-[A-ZÀ-Þ][a-zß-ÿĀ-ſ]+)*)"
)
_PARTICLE = r"(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|el|al|bin|ibn|ten|ter)\s+)"
_NAME = (
    rf"(?:{_WORD},\s*{_INITIAL}|(?:(?:{_INITIAL}|{_WORD})\s+){{0,2}}{_PARTICLE}{{0,2}}{_WORD}"
    r"(?:\s+[A-Z]{1,2}(?![\w-]))?)"
)
_LOWER = r"[a-zß-ÿ][a-zß-ÿ'’-]{2,}"
_AND = r"(?:\s*,?\s*\b(?:and|or)\s+(?:by\s+)?|\s*,\s*(?!et\b)|\s*&\s*)"
_NAMES = rf"{_TITLE}(?P<names>{_NAME}(?:{_AND}{_NAME})*)"
_ET_AL = r"(?:\s+et\s+al\b\.?|\s+and\s+(?:colleagues|co-?workers|collaborators))"
_YEAR = r"(?:,?\s*\(?(?P<year>(?:19|20)\d\d)\)?)"
_END = (
    r"(?=\s*(?:$|[,;:.?!)\ue000–—]|-\s|\b(?:on|about|in|and|or|since|from|between|before|after"
    r"|published|that|which|with|for|regarding|at|during|where|who|until|not|but)\b))"
)
_BY = r"(?:(?i:written|(?:co-?)?authored|edited|published)\s+)?(?i:by)\s+"
_OF_PAPERS = rf"(?i:{PAPERS}|anything|everything|something|novels|writings|preprints)"
_AUTHOR_FORMS = tuple(
    forms(
        "author",
        {
            "AND": _AND, "BY": _BY, "END": _END, "ET_AL": _ET_AL, "INITIAL": _INITIAL,
            "LOWER": _LOWER, "NAME": _NAME, "NAMES": _NAMES, "OF_PAPERS": _OF_PAPERS,
            "PARTICLE": _PARTICLE, "WORD": _WORD, "YEAR": _YEAR,
        },
        re.NOFLAG,
    )
)  # fmt: skip
_OTHERS = re.compile(
    r"(?<!\s)\s*+(?:(?:,\s*+)?(?:and|or|&)\s+(?:(?i:others?|anyone|similar)\b|[A-Z])"
    r"|,\s*[A-Z]\.)"
)
"""Others are wanted as well, or further names that are not understood."""
_MADE_BY = re.compile(r"\b(?!written|authored|published)\w+(?:ed|wn|ne|ade)\s*$", re.IGNORECASE)
"""What somebody proposed, others write about."""
_NEGATED = re.compile(
    r"\b(?:not|nothing|none|except|excluding|without|no|other\s+than|ignore|leave\s+out|skip)\s+"
    rf"(?:(?:{PAPERS}|those|anything)\s+)?(?:written\s+|published\s+)?$",
    re.IGNORECASE,
)

_CAPS = r"[A-Z][\w&.-]*(?:\s+(?:(?:of|and|the|for|in|on|&|-)\s+)*[A-Z][\w&-]*)*(?!['’])"
_SERIAL = (
    r"(?:Journal|Review|Letters|Proceedings|Transactions|Annals|Annual|Bulletin|Quarterly"
    r"|Archives|Acta|Lancet"
    r"|Studies|Reports|Communications|Magazine|Gazette|Revue|Zeitschrift|Advances|Frontiers|Trends)"
)
_FAMOUS = (
    r"(?:Nature(?:\s+[A-Z]\w+)*|Science|Cell|PNAS|(?:The\s+)?Lancet(?:\s+[A-Z]\w+)*"
    r"|(?:The\s+)?BMJ|JAMA|NEJM|PLoS\s+\w+|PLOS\s+\w+"
    r"|NeurIPS|NIPS|ICML|ICLR|CVPR|ICCV|ECCV|ACL|EMNLP|NAACL|SIGIR|KDD|AAAI|IJCAI|CHI|WWW|SIGMOD"
    r"|VLDB|ICSE"
    r"|OSDI|SOSP|INTERSPEECH|ICASSP|ICRA|IROS|eLife)"
)
_FAMOUS = (
    rf"(?:{_FAMOUS}(?:(?:\s+or\s+|\s+and\s+|\s*[,&]\s*)(?:{_FAMOUS}"
    rf"|[A-Z]{{2,6}}\b))*)(?:\s+(?:magazine|only))?"
)
_VENUE = rf"(?P<venue>{_CAPS})"
_ON = (
    r"(?=\s+(?:on|about|since|from|after|before|between|that|which|of)\b|\s*(?:$"
    r"|[,;:.?!()\ue000–—]|-\s))"
)
_VENUE_FORMS = tuple(
    forms(
        "venue",
        {
            "CAPS": _CAPS, "FAMOUS": _FAMOUS, "ON": _ON, "PAPERS": PAPERS, "SERIAL": _SERIAL,
            "VENUE": _VENUE,
        },
        re.NOFLAG,
    )
)  # fmt: skip
_LIST = re.compile(r"(?<!\s)(?:\s+or\s+|\s*[,&]\s*(?=[A-Z]+\b)|\s+and\s+(?=The\b|[A-Z]+\b$))")
_ARTICLE = re.compile(r"^[Tt]he\s+|(?<!\s)\s+(?:magazine|only)$")
_LONGEST_VENUE = 12


@dataclass
class Names:
    """Names in a question.

    Attributes:
        rest: the text without those that are limits.
        authors: any of whom a paper must have.
        venues: in any of which a paper must have been published.
        year: of a reference such as "Hinton et al. 2012".
        notes: what the person should know about how they were read.
    """

    rest: str
    authors: list[str] = field(default_factory=list)
    venues: list[str] = field(default_factory=list)
    year: int | None = None
    notes: list[str] = field(default_factory=list)


def read_names(text: str, lookup: Lookup) -> Names:
    """Return the authors and venues of a text.

    A name in a form that says so ("papers by", "author:", "published in") is a limit unless the
    records at hand lack it; in another form only where they have it. Other names stay words.
    """
    names = Names(text)
    _read_venues(names, lookup)
    _read_authors(names, lookup)
    names.notes = list(dict.fromkeys(names.notes))
    return names


def _read_venues(names: Names, lookup: Lookup) -> None:
    for certainty, pattern in _VENUE_FORMS:
        for match in pattern.finditer(names.rest):
            venues = [_ARTICLE.sub("", name.strip(" .'’-")) for name in _LIST.split(match["venue"])]
            words = {word for venue in venues for word in venue.casefold().split()}
            is_place = len(words) == 1 and words <= _NO_PERSONS | {"us", "uk", "usa", "eu"}
            is_other = is_place and not re.fullmatch(_FAMOUS, venues[0])
            if is_other or is_quoted(names.rest, match.start()) or len(words) > _LONGEST_VENUE:
                continue
            is_said = re.search("published|:", match[0]) or not _is_title(_around(match))
            how = certainty if is_said else "known"
            if _Claim("venue", venues, how, match).is_accepted(names, lookup):
                names.venues += venues
                names.year = _year(match)
                return


def _read_authors(names: Names, lookup: Lookup) -> None:
    text = names.rest
    for certainty, pattern in _AUTHOR_FORMS:
        for match in pattern.finditer(text):
            people = _persons(match)
            is_bare = match.groupdict().get("bare") is not None
            is_skipped = is_quoted(text, match.start()) or _OTHERS.match(text, match.end())
            is_made = _MADE_BY.search(text[: match.start()]) or (
                _is_title(text) and "." not in match[0]
            )
            if not people or is_skipped or (is_bare and is_made):
                continue
            if _Claim("author", people, certainty, match).is_accepted(names, lookup):
                names.authors += people
                names.year = _year(match) or names.year
            if names.rest != text:
                return


def _year(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    year = groups.get("year") or groups.get("of")
    return int(year) if year else None


@dataclass(frozen=True)
class _Claim:
    """Names that a form finds, and how sure the form is."""

    kind: Kind
    names: list[str]
    certainty: str
    match: re.Match[str]

    def is_accepted(self, names: Names, lookup: Lookup) -> bool:
        """Cut the names out of the text if they limit the search; else say how they are read."""
        text, groups, listed = names.rest, self.match.groupdict(), ", ".join(self.names)
        papers = groups.get("papers") or ""
        end = self.match.end()
        if negated := _NEGATED.search(text[: self.match.start()] + papers):
            names.notes.append(
                f"not acted on: {self.kind}s that are not wanted ({listed}); in a boolean query,"
                f" write NOT {self.kind}:{self.names[0]}"
            )
            names.rest = cut(text, min(negated.start(), self.match.start()), end)
            return False
        known = [lookup(self.kind, name) for name in self.names]
        is_certain = self.certainty == "certain"
        if True in known or (is_certain and False not in known):
            lead = next((name for name in ("papers", "works") if groups.get(name)), None)
            names.rest = cut(text, self.match.end(lead) if lead else self.match.start(), end)
            return True
        write = f"write {self.kind}:{self.names[0]}"
        if is_certain:
            names.notes.append(
                f"no paper of the library has the {self.kind} {listed}, so it is read as words; to"
                f" look for it all the same, {write}"
            )
        elif self.kind == "author" or (self.certainty == "likely" and " " in self.names[0]):
            names.notes.append(
                f"not acted on: {listed} as {self.kind}; to limit the search, {write}"
            )
        return False


def _persons(match: re.Match[str]) -> list[str]:
    """Return the names of persons; empty: they are something else."""
    groups = match.groupdict()
    if lower := groups.get("lower"):
        return [lower] if ":" in match[0] or all(map(_may_be_name, lower.split())) else []
    written = groups.get("names") or groups.get("single") or ""
    people = [" ".join(name[0].split()) for name in re.finditer(_NAME, written)]
    return [] if any(map(_is_no_person, people)) else list(dict.fromkeys(people))


def _is_no_person(name: str) -> bool:
    words = {word.strip(".").casefold() for word in re.split(r"[\s-]+", name)}
    return is_known(name) or bool(words & _NO_PERSONS) or words <= STOP_WORDS - {"may", "will"}


def _may_be_name(word: str) -> bool:
    is_common = word in STOP_WORDS or rarity(stem(word)) < _RARE
    return not is_common and word not in _NO_PERSONS


def _around(match: re.Match[str]) -> str:
    return f"{match.string[: match.start()]} {match.string[match.end() :]}"


def _is_title(text: str) -> bool:
    """Return whether most long words are capitalised, as in a title: capitals then tell nothing."""
    words = re.findall(r"[^\W\d_]{4,}", text)
    return len(words) > _FEW and sum(word[0].isupper() for word in words) * 3 > len(words) * 2


def lookups_of(read: Callable[[Lookup], object]) -> list[tuple[Kind, str]]:
    """Return the names that a reading would look up."""
    wanted: list[tuple[Kind, str]] = []

    def note(kind: Kind, name: str) -> None:
        wanted.append((kind, name))

    read(note)
    return list(dict.fromkeys(wanted))
