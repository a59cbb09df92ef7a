"""How years and year limits are written, in several languages."""

from __future__ import annotations

_BARE_YEAR = r"(?<![\w.,/])(?:1[5-9]|20|21)\d\d(?!\w|[.,/]\d|-\d(?!\d{3}))"

_MONTH = (
    r"(?:\d\d?\s+)?(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)

NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "fifteen": 15, "twenty": 20, "couple of": 2, "few": 3,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "几": 5, "zwei": 2, "drei": 3, "fünf": 5, "zehn": 10, "dos": 2, "tres": 3,
    "cinco": 5, "diez": 10, "deux": 2, "trois": 3, "cinq": 5, "dix": 10, "due": 2, "tre": 3,
    "cinque": 5, "dieci": 10, "três": 3, "dez": 10, "twee": 2, "drie": 3, "vijf": 5, "tien": 10,
}  # fmt: skip
NUMBER = rf"(\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
"""A count of years, as one group."""

DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
PARTS = {"early": (0, 4), "mid": (3, 6), "middle": (3, 6), "late": (5, 9), "later": (5, 9)}
"""First and last year of a part of a decade: wide, because a limit hides papers."""

SINCE = (
    r"since|ever since|as of|as from|starting (?:in|from|with|at)|beginning (?:in|with)"
    r"|(?:no|not) (?:earlier|older) than|not before|from|seit|ab|desde|a partir de|depuis"
    r"|à partir de|dal|a partire dal|sinds|vanaf"
)
AFTER = (
    r"after|later than|newer than|more recent than|younger than|subsequent to|nach|después de"
    r"|posteriores a|après|dopo(?: il)?|depois de"
)
BEFORE = (
    r"before|prior to|earlier than|older than|previous to|preceding|vor|antes de|anteriores a"
    r"|avant|prima del|vóór"
)
UNTIL = (
    r"up until|until|till|up to|through|thru|(?:no|not) (?:later|newer|more recent) than|not after"
    r"|by the end of|published by|bis|hasta|jusqu'en|jusqu'à|fino al|até|tot"
)
WITHIN = r"in|during|within|throughout|im jahre?|en|nel|em|in het jaar"
TO = r"to|until|till|through|thru|and|up to|bis|und|hasta|y|à|au|et|a|al|e|até|tot|en"
BETWEEN = r"between|zwischen|entre|tra|fra|tussen"
FROM = r"from|over|in|during|von|de|desde|dal|van|period"

PAPERS = (
    r"(?:papers?|articles?|publications?|stud(?:y|ies)|works?|research|literature|references?"
    r"|records?|preprints?|reviews?|surveys?|theses|thesis|books?|proceedings|artikel|arbeiten"
    r"|studien|art[ií]culos|estudios|études|artigos|articoli|lavori|trabajos|travaux)"
)
PUBLISHED = (
    r"(?:published|written|appear(?:ed|ing)|dated|released|issued|printed|veröffentlicht"
    r"|erschienen|publicados?|publiés?|pubblicati|gepubliceerd)"
)
EVENTS = (
    r"(?:crisis|crises|outbreaks?|epidemics?|pandemics?|earthquakes?|elections?|wars?|referendum"
    r"|eruptions?|tsunami|disasters?|accidents?|reforms?|olympics|census|floods?|hurricanes?"
    r"|wildfires?|fires?|attacks?|famine|revolution|recession|coup|treaty|act|lockdowns?)"
)
"""What happens in a year: the year is then part of its name, and papers on it come later."""


def year(number: int) -> str:
    """Return the pattern of a year, a decade or a part of one; its groups end in the number.

    "the" stands before decades alone: "the 2008 crisis" names what happened then.
    """
    n = number
    part = rf"(?P<part{n}>early|mid|middle|late|later)[\s-]+(?:of\s+)?(?:the\s+)?"
    decade = (
        rf"(?P<decade{n}>(?:1[5-9]|20)\d0|['’]?[2-9]0)['’]?s\b|(?P<named{n}>{'|'.join(DECADES)})\b"
    )
    lead = r"(?:the\s+)?(?:years?|(?:end|beginning|start|turn)\s+of(?:\s+the\s+year)?)\s+"
    return (
        rf"(?:(?:{lead})?(?:(?:the\s+)?(?:{part})?(?:{decade})"
        rf"|(?:(?:{_MONTH}),?\s+)?(?P<year{n}>{_BARE_YEAR}|['’]\d\d(?!\w))))"
    )
