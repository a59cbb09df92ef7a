"""Authors whose papers a question asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paper_search.bibliography.rarities import rarity
from paper_search.skills.intent.cutting import cut, is_quoted
from paper_search.skills.intent.phrases import without_request
from paper_search.skills.stop_words import STOP_WORDS
from paper_search.skills.synonyms import is_known
from paper_search.skills.words import stem, words_in

_WORDS = words_in(
    """
    africa african america american antarctica arctic asia asian europe european eurasia oceania
    afghanistan albania algeria angola argentina armenia australia austria azerbaijan bahrain
    bangladesh belarus belgium benin bhutan bolivia bosnia botswana brazil britain bulgaria
    burundi cambodia cameroon canada chad chile china chinese colombia congo croatia cuba cyprus
    czechia denmark ecuador egypt england eritrea estonia ethiopia fiji finland france french gabon
    gambia georgia germany german ghana greece greenland guatemala guinea haiti honduras hungary
    iceland india indian indonesia iran iraq ireland israel italy italian jamaica japan japanese
    jordan kazakhstan kenya kosovo kuwait laos latvia lebanon liberia libya lithuania luxembourg
    macedonia madagascar malawi malaysia mali malta mexico moldova mongolia montenegro morocco
    mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan
    palestine panama paraguay peru philippines poland portugal qatar romania russia russian rwanda
    scotland senegal serbia singapore slovakia slovenia somalia spain spanish sudan suriname sweden
    switzerland syria taiwan tanzania thailand tibet togo tunisia turkey uganda ukraine uruguay
    uzbekistan venezuela vietnam wales yemen zambia zimbabwe zealand korea korean emirates kingdom
    england london paris berlin madrid rome vienna moscow beijing shanghai tokyo delhi mumbai
    sydney toronto chicago boston california texas florida york washington cambridge oxford harvard
    stanford princeton yale berkeley zurich munich amsterdam
    university institute college school laboratory lab labs department center centre ministry
    agency association society group team consortium foundation council corporation company
    academy hospital google microsoft facebook meta openai deepmind apple amazon ibm nvidia intel
    nasa nature science elsevier springer wiley wikipedia twitter reddit github arxiv pubmed scopus
    researchers scientists authors students women men children people patients physicians nurses
    teachers doctors engineers companies
    bayesian markov gaussian poisson fourier laplace hilbert euler newton newtonian monte carlo
    kalman hessian jacobian lagrangian hamiltonian boltzmann fermi dirac maxwell navier stokes
    euclidean riemannian transformer transformers bert python java linux windows android internet
    web english deep machine artificial neural quantum learning monday january february march
    april june july august september october november december pleistocene holocene
    covid ebola alzheimer alzheimers parkinson mendelian darwinian marxist christian islam islamic
    buddhist catholic jewish muslim western eastern northern southern latin middle
    random forest regression analysis network networks method methods theory model models means way
    doppler hubble crispr hadoop san los new north south east west santa saint rio central homo
    hong cape united
    """
)
NOT_PERSONS = frozenset(_WORDS)
"""In lower case: places, institutions, groups of people, and names that stand for subjects."""


_PAPERS = (
    r"(?i:papers?|articles?|publications?|studies|study|works?|research|literature|books?|preprints?"
    r"|reviews?|surveys?|anything|everything|something|all|theses|thesis|dissertations?|writings"
    r"|artikel|arbeiten|aufsätze|art[ií]culos|trabajos|articoli|lavori|artigos|trabalhos|travaux)"
)
_WORKS = r"(?i:papers?|articles?|publications?|works?|writings|artikel|arbeiten)"
_WRITTEN = (
    r"(?i:written|authored|co-?authored|published|wrote|led|edited|verfasst|escritos?|écrits?)"
)
_INITIAL = r"(?:[A-ZÀ-ÞĀ-ſ]\.(?:[\s-]?[A-ZÀ-ÞĀ-ſ]\.)*)"
_PARTICLE = r"(?:van|von|de|der|den|del|della|di|da|dos|la|le|el|al|bin|ibn|ten|ter)"
_WORD = r"(?:(?:[DLO]['’]|Mc|Mac)?[A-ZÀ-ÞĀ-ſ][a-zß-ÿĀ-ſ]+(?:[-'’][A-ZÀ-Þ]?[a-zß-ÿĀ-ſ]+)*)"
_NAME = (
    rf"(?:{_WORD},\s*{_INITIAL}"
    rf"|(?:(?:{_INITIAL}"
    rf"|{_WORD})\s+){{0,2}}(?:{_PARTICLE}\s+){{0,2}}{_WORD}(?:\s+[A-Z]{{1,2}}(?![\w-]))?)"
)
_LOWER = r"(?:[a-zß-ÿĀ-ſ]\.\s*)?[a-zß-ÿĀ-ſ'’-]{3,}(?:\s+[a-zß-ÿĀ-ſ'’-]{3,})?"
_END = (
    r"(?=\s*(?:$|[,;:.?!)\ue000]|\b(?:on|about|in|and|or|since|from|between|before|after"
    r"|published|that"
    r"|which|with|for|regarding|concerning|et|at|during|where|who|until|über|sobre|sur|su)\b))"
)
_AND = r"(?:\s*(?:,\s*(?:and|or|&)?|\band\b|\bor\b|&|\bund\b|\by\b|\bet\b(?!\s+al))\s*)"
_NAMES = rf"(?P<names>{_NAME}(?:\s+et\s+al\.?)?(?:{_AND}(?:by\s+)?{_NAME}(?:\s+et\s+al\.?)?)*)"
_ET_AL = r"(?:\s+(?:et\s+al\.?|and\s+(?:colleagues|coworkers|co-workers|collaborators)))?"
_LED = re.compile(
    rf"(?P<papers>(?P<works>\b{_WORKS}\s+)|\b{_PAPERS}\s+)?(?P<written>(?:(?:that|which)\s+(?:was"
    rf"|were|is|are)\s+)?\b{_WRITTEN}\s+)?"
    rf"\b(?P<by>(?i:by|from|of|von|par|por|di|authors?:?))\s+(?:(?i:professor|prof\.?|dr\.?"
    rf"|the\s+authors?|authors?)\s+)?"
    rf"{_NAMES}{_ET_AL}{_END}"
)
_LOWER_LED = re.compile(
    rf"\b(?P<papers>{_PAPERS}\s+)(?:{_WRITTEN}\s+)?by\s+(?P<names>{_LOWER}){_ET_AL}{_END}"
)
_GOES_ON = re.compile(
    r"\s*(?:,\s*)?(?:and|or|&)\s+(?:(?i:others?|anyone|somebody|similar)\b|[A-Z])|\s*,\s*[A-Z]\."
)
"""Others are wanted as well, or further names that are not understood."""
_MADE_BY = re.compile(rf"\b(?!{_WRITTEN})\w+(?:ed|wn|ne|ade|und)\s*$", re.IGNORECASE)
"""What somebody proposed, others write about."""
_EARLY = re.compile(
    r"\b(?:earliest|early|later?|latest|major|main|selected|collected|famous|classic|most|cited|key)\b",
    re.IGNORECASE,
)
_LEADS_TO_PLACES = ("from", "of")
_RARE = 3.0
"""Rarity from which a word in lower case may be a name; words for groups of people are commoner."""
_FEW = 3
"""Long words that are no title."""
_ONE_NAME = re.compile(_NAME)
_NEGATED = re.compile(
    r"\b(?:not|except|excluding|without|no|other than)\b\s*(?:\w+\s+)?$", re.IGNORECASE
)


@dataclass(frozen=True)
class Authors:
    """Whose papers are wanted.

    Attributes:
        rest: the text without them.
        names: as they are written.
        notes: what the person should know about how they were read.
    """

    rest: str
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_authors(text: str) -> Authors:
    """Return the authors named after "by", and after "of" or "from" behind a word for papers.

    A name is capitalised, or directly behind "papers by" a word that no vocabulary has; it is not
    a place, an institution or a known subject, and no noun follows it ("by Gibbs sampling").
    """
    is_title = _is_in_capitals(text)
    for pattern in (_LED, _LOWER_LED):
        for match in pattern.finditer(text):
            names = _persons(match, is_title=is_title, is_lower=pattern is _LOWER_LED)
            is_name = names and not is_quoted(text, match.start("names"))
            if not is_name or _GOES_ON.match(text, match.end("names")):
                continue
            if _MADE_BY.search(text[max(0, match.start() - 30) : match.start()]):
                continue
            if _NEGATED.search(text[max(0, match.start() - 30) : match.start()]):
                said = f"to exclude authors ({', '.join(names)}), write NOT author:{names[0]}"
                return Authors(cut(text, match.start(), match.end()), notes=(said,))
            start = match.end("papers") if match["papers"] else match.start()
            return Authors(cut(text, start, match.end()), tuple(dict.fromkeys(names)))
    return Authors(text)


def _persons(match: re.Match[str], *, is_title: bool, is_lower: bool) -> list[str]:
    """Return the names of persons; empty: they are something else."""
    if is_lower:
        words = match["names"].replace(".", " ").split()
        return [match["names"]] if all(map(_may_be_name, words)) else []
    names = [" ".join(found[0].split()) for found in _ONE_NAME.finditer(match["names"])]
    if any(map(_is_no_person, names)):
        return []
    is_marked = re.search(rf"{_INITIAL}|\bet al\b", match[0]) is not None
    if match["by"].casefold() in _LEADS_TO_PLACES:
        if _EARLY.sub("", without_request(match.string[: match.start()])).strip():
            return []
        is_full = all(" " in name for name in names)
        return names if match["works"] and (is_full or is_marked) else []
    return names if is_marked or match["papers"] or match["written"] or not is_title else []


def _is_no_person(name: str) -> bool:
    words = [word.strip(".").casefold() for word in re.split(r"[\s-]+", name)]
    return is_known(name) or not NOT_PERSONS.isdisjoint(words)


def _may_be_name(word: str) -> bool:
    """Return whether a word in lower case may be a name: common words are none."""
    if len(word) == 1:
        return True
    is_common = word in STOP_WORDS or rarity(stem(word)) < _RARE
    return not is_common and word not in NOT_PERSONS


def _is_in_capitals(text: str) -> bool:
    """Return whether most long words are capitalised, as in a title: capitals then tell nothing."""
    words = re.findall(r"[^\W\d_]{4,}", text)
    return len(words) > _FEW and sum(word[0].isupper() for word in words) * 3 > len(words) * 2
