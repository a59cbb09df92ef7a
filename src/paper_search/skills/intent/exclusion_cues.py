"""Words that introduce exclusions, in several languages."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache

from paper_search.skills.intent.languages import language_of

_PAPERS = r"(?:papers?|articles?|studies|works?|research|publications?|literature|ones|those)"
_NO_EXCLUSION = (
    r"(?:only|just|merely|simply|solely|exclusively|necessarily|always|yet|even|so|too|very|much"
    r"|more|less|fewer|later|earlier|older|newer|longer|before|after|well|fully|entirely|limited"
    r"|restricted|sure|all|every|quite|really|often|as|that|to|be|been|being|have|do|known|found"
    r"|able|available|due|enough|when|if|because|possible|clear|significant|significantly|likely"
    r"|present|part|nicht|nur|solo|sólo|seulement|solamente|until|since|at|yet|new)\b"
)
_IN_ENGLISH = (
    r"exclud(?:e|es|ing)(?!\w)|excl\.|with the (?:exclusion|exception) of|except(?:ing)?(?:\s+for)?"
    r"(?!\s+(?:that|when|if|where|as)\b)|other than|apart from|aside from|leaving out"
    r"|rather than|instead of"
    rf"|(?:but|and)\s+(?:not|never)(?!\s+{_NO_EXCLUSION})|but\s+(?:no|without)"
    rf"(?!\s+{_NO_EXCLUSION})|nothing\s+(?:on|about)"
    r"|(?:(?:i|we)(?:'m|\s+am|'re|\s+are)\s+)?not\s+(?:interested\s+in|looking\s+for)"
    r"|not\s+(?:about|on|including|involving|concerning)"
    r"|(?<=\bpapers )not\s+using|(?<=\barticles )not\s+using|(?<=\bstudies )not\s+using"
    r"|(?:i|we|you)\s+(?:do\s+not|don'?t)\s+(?:want|need|care\s+about)"
    r"|(?<!that )(?<!which )(?<!who )(?<!they )(?:do\s+not|don'?t)\s+(?:include|show|list|give"
    r"|return)(?:\s+me)?"
    rf"|{_PAPERS}\s+(?:that|which)\s+(?:do|does|should|must)\s+not\s+(?:use|include|involve"
    r"|rely\s+on|contain)"
    r"|(?:it|this)\s+(?:does|should|must)\s+not\s+(?:include|cover)"
    r"|(?:that|which|it|this)\s+(?:do|does|should|must)\s+not\s+(?:consider|mention|discuss"
    r"|concern|deal\s+with|focus\s+on)"
)
_IN_OTHERS = (
    r"außer|ausgenommen|mit ausnahme (?:von|der|des)|abgesehen von|(?:aber|jedoch|und) nicht"
    r"|aber keine?"
    r"|keine?[nrsm]?|sauf|excepté|hormis|à l['’]exc(?:ep|lus)(?:t)?ion (?:des?|du|de la)"
    r"|mais (?:pas|non)(?: d[e'’]s?)?"
    r"|et non|pas d[e'’]s?|excepto|salvo|excluyendo|exceptuando|a excepción de|pero (?:no|sin)"
    r"|tranne"
    r"|eccetto|escludendo|ad eccezione (?:di|dei|delle)|ma non|exceto|excluindo|mas (?:não|sem)"
    r"|behalve|uitgezonderd|maar (?:niet|geen|zonder)|geen"
)
_DISTINCT = (
    r"außer|aber nicht|aber keine?|keine[nrsm]?|mais pas(?: d[e'’]s?)?|excepto|pero no|mas não"
    r"|maar niet|tranne|eccetto"
)
_HORS = r"|hors"


class Strength(Enum):
    """How surely a cue begins an exclusion."""

    SURE = auto()
    OF_KINDS = auto()
    """At the beginning of a text: of kinds of publication alone."""
    BY_CONTEXT = auto()
    """After a noun it may as well be part of the subject ("learning without labels")."""
    BY_NOUN = auto()
    """Before a plural noun or a known term ("wild bees not honey bees")."""


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_WITHOUT = r"without|with\s+no"
_WITHOUT_IN_OTHERS = r"ohne|sans|sin|senza|sem|zonder"
_STOP = r"(?:^|[,;:(.–—\ue000]\s*)"


@cache
def exclusion_cues(language: str) -> tuple[tuple[Strength, re.Pattern[str]], ...]:
    """Return the cues to look for in a text of a language, the surest first."""
    is_english = language == "en"
    sure = f"{_IN_ENGLISH}|{_DISTINCT if is_english else _IN_OTHERS}"
    sure += _HORS if language == "fr" else ""
    without = f"{_WITHOUT}|ohne|zonder" if is_english else f"{_WITHOUT}|{_WITHOUT_IN_OTHERS}"
    no = "no|not|nicht|niet" if is_english else "no|not|nicht|non|pas|niet|não"
    return (
        (Strength.SURE, _cue(rf"(?<![\w-])(?:{sure})(?![\w-])")),
        (
            Strength.SURE,
            _cue(
                rf"(?<=[,;:(.–—\ue000])\s*(?:{without}|minus)(?![\w-])(?!\s+loss\s+of\s+generality)"
            ),
        ),
        (
            Strength.SURE,
            _cue(
                rf"(?<=[,;:(.–—\ue000])\s*(?:{no}|and\s+no|please\s+no)(?![\w-])(?!\s+{_NO_EXCLUSION})"
            ),
        ),
        (Strength.OF_KINDS, _cue(rf"(?:^|\b(?:and|please)\s+)(?:{no}|{without})(?![\w-])")),
        (
            Strength.BY_CONTEXT,
            _cue(rf"(?<![\w-])(?:{without})(?![\w-])(?!\s+loss\s+of\s+generality)"),
        ),
        (
            Strength.BY_NOUN,
            _cue(
                r"(?<=[^\W\d_]\s)(?<!\bis\s)(?<!\bare\s)(?<!\bwas\s)(?<!\bdo\s)(?<!\bdoes\s)(?<!\bdid\s)"
                r"(?<!\bwere\s)(?<!\bhas\s)(?<!\bhave\s)(?<!\bhad\s)(?<!\bcan\s)(?<!\bcould\s)(?<!\bor\s)"
                r"(?<!\bwill\s)(?<!\bwould\s)(?<!\bshould\s)(?<!\bmay\s)(?<!\bmight\s)(?<!\bmust\s)"
                rf"(?<!\bwhy\s)(?<!\bif\s)(?:not|nicht|minus)(?![\w-])(?!\s+{_NO_EXCLUSION})"
            ),
        ),
    )


def cues_for(text: str) -> tuple[tuple[Strength, re.Pattern[str]], ...]:
    """Return the cues to look for in a text."""
    return exclusion_cues(language_of(text))


FILLERS = _cue(
    r"(?:any|all|the|those|these|its|a|an|papers?|articles?|studies|works?|research|publications?"
    r"|literature|results?|ones?|anything|things?|that|which|are|is|were|deals?|dealing|with|on"
    r"|about|of|from|in|for|by|involving|involves?|using|uses?|used|concerning|related|to"
    r"|mentioning|mentions?|including|includes?|considering|considers?|regarding|looking|at"
    r"|focus(?:ed|ing|es)?|discussing|der|die|das|den|dem|des|solche|arbeiten|über|zu|zum|zur|von"
    r"|mit|im|les|la|le|el|los|las|il|lo|i|gli|os|as|o|de|du|del|della|dei|het|een|et|sur|sobre"
    r"|su|over"
    r"|les\s+articles|artículos|estudios|études|artigos|articoli|studien)(?![\w'’-])\s*|[dl]['’]"
)
"""Words between a cue and what is excluded."""

LISTING = _cue(
    r"(?<!\s)\s*+,?\s*+(?:\b(?:and|or|nor|und|oder|et|ou|ni|y|o|e|en|of)\b|&|/)\s*(?:(?:no|not|nor|without"
    r"|any)\s+)*"
)
LAST_OF_LIST = _cue(
    r"(?<!\s)\s*+,\s*(?=[^,.;:\ue000]{1,40}(?:,[^,.;:\ue000]{1,40}){0,5},?\s+(?:and|or|nor|und|oder|et|ou"
    r"|y|o)\s)"
)
NAMED = _cue(
    r"(?<!\s)\s++(?:studies|study|trials?|research|experiments?|methods?|approach(?:es)?|techniques?"
    r"|applications?|problems?|tasks?)(?!\w)"
)
"""Nouns that a concept loses and an excluded phrase keeps."""
PAPERS = _cue(r"(?<!\s)\s++(?:papers?|articles?|works|publications?|literature)(?!\w)")
ATTACHED = _cue(r"(?<!\s)\s++(?:on|with|by|to|between|under)(?!\w)")
RESTRICTED = _cue(
    r"(?<!\s)\s++(?:that|which|who|whose|where|\w+ed(?!\w)|made|done|given|found|shown)(?!\w)"
)
EXTENDED = _cue(r"(?<!\s)\s++(?:of|at)\s+(?:the\s+)?")

CHINESE = re.compile(
    r"(?:但|并|且|，|,)?(?:不包括|不包含|不含|不涉及|不要|排除|剔除|除去|除了|除|但不是|而非|而不是)(?:关于|任何)?\s*"
    r"(?P<object>[^，。；,.;\s的]{1,20}?)(?:以外|之外|外)?(?=的|，|。|；|,|;|\s|$)的?"
)
CHINESE_KIND = re.compile(r"非(?P<object>综述|评述|预印本|学位论文)(?:类|性)?的?")
JAPANESE = re.compile(
    r"(?P<object>[^、。，\s\u3041-\u309f]{1,20})(?:を除く|を除いた|を除き|以外の?|ではない)"
)
