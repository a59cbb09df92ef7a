"""Words that end a noun phrase, and words at its ends without content."""

from __future__ import annotations

import re

from paper_search.skills.stop_words import BREAKS
from paper_search.skills.words import words_in

_VERBS = words_in(
    """
    accomplish account achieve acquire adapt add address adopt advocate aggregate aid aim allow
    alleviate analyse analyze answer apply argue assess assign assume attempt attribute avoid base
    become begin behave believe belong bring build calculate call capture carry categorise
    categorize cause characterise characterize choose cite claim clarify collect combine come
    compare compete complement complete comprehend comprise compute concern conclude conduct
    confirm consider consist constitute construct contain contribute convert cope correspond
    create deal decide decrease deduce define deliver demonstrate depend deploy derive describe
    detail detect determine develop devise differ discover discuss distinguish do draw eliminate
    emerge emphasise emphasize employ enable encourage enhance ensure enter establish evaluate
    evolve examine exceed exclude execute exhibit exist expand expect explain exploit explore
    express extend facilitate fail find follow formulate foster gain gather generate get give
    go happen help highlight hinder identify illustrate implement imply improve include
    incorporate increase indicate infer influence inform inspire integrate intend interpret
    introduce investigate involve keep know lead let leverage locate look maintain make manage
    mean mention mitigate motivate need observe obtain occur offer optimise optimize
    outperform overcome perceive perform permit pioneer possess predict prepare present prevent
    produce promote propose prove provide publish pursue put quantify reach realise realize
    receive recognise recognize recommend reduce refer refine reflect regard relate rely remain
    remove replace represent require resolve restrict result retain reveal satisfy say see seek
    seem select serve show solve specify stem stimulate strengthen study stress suggest summarise
    summarize suit support surpass tackle take tell think transform treat try uncover understand
    undergo undertake use utilise utilize validate vary verify want wish yield write interested
    """
)
_IRREGULAR = words_in(
    """
    begun became began brought built came chosen chose dealt done drawn drew found gave given gone
    got held kept knew known lay led left lent let lost made meant met overcame proven put ran
    said saw seen sent shown sought spent stood stemmed taken taught thought told took understood
    undertaken underwent undergone went won written wrote
    """
)
_ALSO_NOUNS = frozenset(
    words_in(
        """
    account address aim aid answer attempt attribute base call cause claim compete compute
    concern contract cope deal detail exploit express focus gain guess help influence interest
    keep lead leverage look need offer present produce refine reach regard result
    stem stress study support tackle treat try use wish yield write base capture compute cause
    complete draw see find show record report result cite
    """
    )
)
"""Verbs whose plain form or form in -s is as often a noun."""
_STILL_BREAKS = frozenset(
    words_in(
        """
    address addresses attempt attempts claim claims concern concerns deal deals find finds give
    gives help helps keep keeps leads leverage leverages look looks need needs offer offers
    present presents prove proves regard regards result results see sees show shows stems study
    studies tackle tackles treats try tries use uses wish wishes yields write writes focuses
    focus aim aims attributes influences influence
    """
    )
)


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "x", "ch", "sh")) or verb == "go":
        return f"{verb}es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def _with_ing(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith("ee"):
        return f"{verb[:-1]}ing"
    return f"{verb}ing"


_DOUBLED = words_in(
    """
    putting getting letting beginning occurring referring inferring transferring permitting
    occurred referred inferred permitted stemmed stemming
    """
)
_FINITE = {
    form for verb in _VERBS for form in (verb, _with_s(verb)) if verb not in _ALSO_NOUNS
} | _STILL_BREAKS

_ONLY_PAST = words_in(
    """
    measured reported tested sampled estimated planned associated linked connected caused named
    called written published cited owned hosted held needed wanted studied designed focused aimed
    handled trained labeled labelled
    """
)
"""Past forms of verbs whose other forms are nouns."""
PARTICIPLES = frozenset(
    [
        *map(_with_ed, _VERBS),
        *_ONLY_PAST,
        *_IRREGULAR,
        *(word for word in _DOUBLED if word.endswith("ed")),
    ]
)
"""Past forms of verbs: at the end of a phrase they belong to what follows."""

GERUNDS = frozenset([*map(_with_ing, _VERBS), *(w for w in _DOUBLED if w.endswith("ing"))])
"""Forms in -ing that take an object when a phrase begins with them ("improving accuracy")."""

_REPORTED = words_in(
    """
    proposed introduced described discussed presented suggested considered investigated examined
    explored studied utilised utilized employed adopted reported published mentioned shown given
    found known made done said seen claimed observed provided obtained included interested compared
    incorporated attempted devised pioneered tackled addressed demonstrated works measured
    """
)
"""Forms that tell what papers did, wherever they stand in a sentence."""

_MORE_BREAKS = words_in(
    """
    anyone anybody anything someone something everyone everything somebody nobody none nothing
    myself ourselves themselves itself oneself yourself mine ours theirs whoever whatever
    whichever wherever whenever whereas whereby wherein whence hence thus therefore thereby
    however moreover furthermore nevertheless nonetheless otherwise instead rather quite too
    even still yet already always never ever often sometimes usually seldom again once twice
    perhaps maybe please thanks thank hello hi ok yes away together apart ahead
    i'm i'd i've we're we've you're it's that's there's what's don't doesn't didn't isn't aren't
    can't cannot couldn't wouldn't shouldn't won't dr mr mrs prof et al vs. e.g i.e eg ie cf viz
    out off up over under above below upon onto within without except excluding unless
    despite although though whilst amid amidst regarding concerning considering given following
    according due owing thanks prior according respect regards
    would could should might must ought going gonna let's lets
    learn learns eat eats feel feels grow grows interact interacts cooperate survive survives
    arise arises and/or own another enough else per via plus minus
    glad grateful pleased like liked currently presently dissertation thesis phd anybody
    researchers researcher authors author scholars scientists
    """
)

_ADVERB_LIKE = frozenset(
    words_in(
        """
    family assembly anomaly supply july italy butterfly monopoly oligopoly duopoly elderly lily
    ally bully daily weekly monthly yearly hourly early fly poly multiply homily jelly belly rally
    reply panoply doily anomaly only-child friendly deadly orderly scholarly elderly hilly gully
    dolly folly holly kelly sally billy emily lonely lovely costly curly ugly woolly barfly
    dragonfly firefly mayfly housefly fruitfly
    """
    )
)
"""Words in -ly that are no adverbs."""

PHRASE_BREAKS = BREAKS.union(_MORE_BREAKS, _REPORTED, _FINITE)
"""Words at which a noun phrase ends."""

EMPTY_ADJECTIVES = frozenset(
    words_in(
        """
    different various novel new recent certain several main important specific particular possible
    existing available appropriate suitable better best good overall usual other further additional
    numerous diverse extensive significant relevant respective corresponding detailed comprehensive
    interesting useful similar necessary crucial beneficial detrimental great promising well-known
    proper entire such
    """
    )
)
"""Adjectives that a phrase loses at its beginning, if something is left."""

ALONE = frozenset(
    words_in(
        """
    one ones two three four five six seven eight nine ten first second third last next former
    latter same common potential primary key major minor typical multiple wide broad large-scale
    current modern actual initial final related present essential critical fundamental basic
    positive negative greater high-level popular whole total general practical obligatory able
    foundational sensitive accurate satisfactory resort seminal high low large small long short
    more less old full real higher lower larger smaller
    """
    )
)
"""Adjectives and numbers that are no subject when they stand alone."""

INFINITIVES = frozenset(
    words_in(
        """
    align amalgamate approximate automate balance cluster control decode design encode estimate
    fine-tune forecast guide handle label learn map measure model monitor plan process rank report
    review sample schedule score search steer study support test trace track train transfer
    transform tune match bind scale separate trigger rewrite parse filter group mine sort plan
    """
    )
)
"""Verbs that are nouns as well: behind "to", with an object, they are verbs."""

SUBJECTS = frozenset(
    words_in("papers articles studies works publications that which who authors researchers")
)
"""Words behind which a past form is what papers did, not what something is."""

NAMES_IN_ING = frozenset(["accounting", "building", "drawing", "publishing", "writing"])
"""Forms in -ing that are nouns more often than not."""

LIGHT_NOUNS = frozenset(
    words_in(
        """
    ability abilities advance advances advancement advancements advent advantage advantages aim
    aims amount amounts analysis analyses application applications approach approaches aspect
    aspects attempt attempts basis benefit benefits capability capabilities case cases category
    categories cause causes challenge challenges characteristic characteristics combination
    comparison comparisons concept concepts conclusion conclusions consequence consequences
    consideration considerations context contexts contribution contributions correlation
    degree degrees detail details development developments difference differences difficulty
    difficulties disadvantages discussion drawback drawbacks effect effects effectiveness
    efficacy element emergence evaluation evidence examination example examples exception existence
    experience
    extent factor factors feature features field fields finding findings form forms framework
    frameworks function functions goal goals handling idea ideas impact impacts implementation
    implementations implication implications importance improvement improvements inclusion
    influence influences information insight insights instance instances introduction
    investigation investigations issue issues kind kinds knowledge lack level levels light
    limitation limitations list magnitude material means method methodologies methodology
    methods nature need needs notion number numbers objective objectives option options order
    outcome outcomes overview part parts perspective perspectives phenomena phenomenon
    piece possibility practice practices presence principle principles problem problems
    procedure procedures process progress purpose purposes question
    questions range ranges reason reasons relation relations relationship relationships result
    results role roles scenario scenarios scope search section series set sets setting
    settings significance situation situations solution solutions sort sorts state strategies
    strategy studies study subject subjects success survey task tasks technique techniques
    term terms theme themes thing things topic topics trend trends type types understanding
    usage use uses utility value values variation variations variety view views way ways
    work works world area areas association associations interest interests people person
    year years time times day days today
    """
    )
)
"""Nouns that are no subject when they stand alone ("the impact of ...")."""

TRAILING = frozenset(
    words_in(
        """
    advances advancements applications approach approaches challenges considerations
    developments issues limitations method methodologies methodology methods overview progress
    research scenarios settings solutions strategies studies study techniques technique trends
    works papers literature article articles
    """
    )
)
"""Nouns that a phrase loses at its end."""
TRAILING_OF_LONG = frozenset(
    words_in(
        """
    effect effects impact impacts problem problems task tasks role influence use usage
    improvement improvements examples topics field fields domain area areas tools aspects
    capabilities frameworks framework
    """
    )
)
"""Nouns that a phrase loses at its end if two other words are left ("side effects" stays)."""


_ADJECTIVE = re.compile(
    r"\w+(?:ed|al|ic|ive|ous|ary|ar|ory|able|ible|less|ful|ant|ent|ian)|short|long|low|high|early"
    r"|late|male|female|true|false|old|young|single|hard|soft|hot|cold|wet|dry|deep|shallow|online|offline"
    r"|\w+(?:-\w+)+",
    re.IGNORECASE,
)


def is_adjective(word: str) -> bool:
    """Return whether an English word looks like an adjective."""
    return _ADJECTIVE.fullmatch(word) is not None


_OF_SENTENCES = frozenset(
    words_in(
        """
    especially particularly specifically mainly generally usually recently currently previously
    commonly widely successfully explicitly implicitly efficiently effectively accurately
    significantly potentially possibly typically directly indirectly jointly really actually
    basically essentially primarily namely respectively additionally finally importantly
    practically simultaneously ideally preferably substantially systematically thoroughly
    originally initially eventually increasingly largely mostly nearly roughly approximately
    exactly precisely merely solely purely entirely completely easily quickly rapidly reasonably
    safely sufficiently extremely relatively frequently rarely apparently obviously clearly
    certainly probably likely unlikely
    """
    )
)
_MODIFIED = re.compile(r"\w+(?:ed|en|ic|al|ive|ous|able|ible|ing|ear|ill|ent|ant|ar|ly)|ill|born")


def is_adverb(word: str, following: str = "") -> bool:
    """Return whether an English word, in lower case, is an adverb that belongs to no noun phrase.

    Args:
        word: the word.
        following: the word behind it, which it may modify: "fully convolutional networks".
    """
    if len(word) <= len("only") or not word.endswith("ly") or word in _ADVERB_LIKE:
        return False
    return word in _OF_SENTENCES or _MODIFIED.fullmatch(following) is None
