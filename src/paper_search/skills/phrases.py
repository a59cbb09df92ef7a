"""Noun phrases of an English text: the runs between function words, verbs and punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from paper_search.skills.intent.languages import FUNCTION_WORDS, is_english
from paper_search.skills.stop_words import BREAKS, COMMANDS, FIXED_TERMS, GENERIC
from paper_search.skills.words import is_unspaced, words_in

_VERBS = words_in("""
accomplish account achieve acquire adapt add address adopt advocate aggregate aid aim allow
alleviate analyse analyze answer apply argue assess assign assume attempt attribute avoid base
become begin behave believe belong bring build calculate call capture carry categorise categorize
cause characterise characterize choose cite claim clarify collect combine come compare compete
complement complete comprehend comprise compute concern conclude conduct confirm consider consist
constitute construct contain contribute convert cope correspond create deal decide decrease deduce
define deliver demonstrate depend deploy derive describe detail detect determine develop devise
differ discover discuss distinguish do draw eliminate emerge emphasise emphasize employ enable
encourage enhance ensure enter establish evaluate evolve examine exceed exclude execute exhibit
exist expand expect explain exploit explore express extend facilitate fail find follow formulate
foster gain gather generate get give go happen help highlight hinder identify illustrate implement
imply improve include incorporate increase indicate infer influence inform inspire integrate
intend interpret introduce investigate involve keep know lead let leverage locate look maintain
make manage mean mention mitigate motivate need observe obtain occur offer optimise optimize
outperform overcome perceive perform permit pioneer possess predict prepare present prevent
produce promote propose prove provide publish pursue put quantify reach realise realize receive
recognise recognize recommend reduce refer refine reflect regard relate rely remain remove replace
represent require resolve restrict result retain reveal satisfy say see seek seem select serve
show solve specify stem stimulate strengthen study stress suggest summarise summarize suit support
surpass tackle take tell think transform treat try uncover understand undergo undertake use
utilise utilize validate vary verify want wish yield write interested
""")
_IRREGULAR = words_in("""
begun became began brought built came chosen chose dealt done drawn drew found gave given gone got
held kept knew known lay led left lent let lost made meant met overcame proven put ran said saw
seen sent shown sought spent stood stemmed taken taught thought told took understood undertaken
underwent undergone went won written wrote
""")
_ALSO_NOUNS = frozenset(
    words_in("""
account address aim aid answer attempt attribute base call cause claim compete compute concern
contract cope deal detail exploit express focus gain guess help influence interest keep lead
leverage look need offer present produce refine reach regard result stem stress study support
tackle treat try use wish yield write capture complete draw see find show record report cite
""")
)
"""Verbs whose plain form or form in -s is as often a noun."""
_STILL_BREAKS = words_in("""
address addresses attempt attempts claim claims concern concerns deal deals find finds give gives
help helps keep keeps leads leverage leverages look looks need needs offer offers present presents
prove proves regard regards result results see sees show shows stems study studies tackle tackles
treats try tries use uses wish wishes yields write writes focuses focus aim aims attributes
influences influence
""")
"""Forms of those that are verbs in a question."""
_PAST = words_in("""
measured reported tested sampled estimated planned associated linked connected caused named called
written published cited owned hosted held needed wanted studied designed focused aimed handled
trained labeled labelled occurred referred inferred permitted stemmed
""")
"""Past forms of verbs whose other forms are nouns."""


def _with(verb: str, ending: str) -> str:
    stem = verb[:-1] if verb.endswith("e") and ending != "s" and not verb.endswith("ee") else verb
    if verb.endswith("y") and verb[-2] not in "aeiou" and ending != "ing":
        return f"{verb[:-1]}ie{ending[-1]}"
    return f"{verb}es" if ending == "s" and verb.endswith(("s", "x", "ch", "sh")) else stem + ending


_PARTICIPLES = frozenset([*(_with(verb, "ed") for verb in _VERBS), *_PAST, *_IRREGULAR])
"""Past forms of verbs: at the end of a phrase they belong to what follows."""
_GERUNDS = frozenset(_with(verb, "ing") for verb in _VERBS)
"""Forms in -ing that take an object when a phrase begins with them ("improving accuracy")."""
_MORE_BREAKS = words_in("""
proposed introduced described discussed presented suggested considered investigated examined
explored studied utilised utilized employed adopted reported published mentioned shown given found
known made done said seen claimed observed provided obtained included interested compared
incorporated attempted devised pioneered tackled addressed demonstrated works measured anyone
anybody anything someone something everyone everything somebody nobody none nothing myself
ourselves themselves itself oneself yourself mine ours theirs whoever whatever whichever wherever
whenever whereas whereby wherein whence hence thus therefore thereby however moreover furthermore
nevertheless nonetheless otherwise instead rather quite too even still already always never ever
often sometimes usually seldom again once twice perhaps maybe thanks thank hello hi ok yes away
together apart ahead i'm i'd i've we're we've you're it's that's there's what's don't doesn't
didn't isn't aren't can't cannot couldn't wouldn't shouldn't won't dr mr mrs prof et al vs. eg ie
cf viz out off up over under above below except excluding unless despite although though whilst
amid amidst considering following according due owing prior respect regards ought going gonna
let's lets learn learns eat eats feel feels grow grows interact interacts cooperate survive
survives arise arises and/or own enough else plus minus glad grateful pleased liked currently
presently dissertation thesis phd researchers researcher authors author scholars scientists
""")
_FINITE = {form for verb in _VERBS for form in (verb, _with(verb, "s")) if verb not in _ALSO_NOUNS}
_BREAKS = BREAKS.union(_MORE_BREAKS, _FINITE, _STILL_BREAKS)
_NO_ADVERBS = frozenset(
    words_in("""
family assembly anomaly supply italy butterfly monopoly oligopoly duopoly elderly bully daily
weekly monthly yearly hourly early multiply homily jelly belly rally reply panoply doily
only-child friendly deadly orderly scholarly hilly gully dolly folly holly kelly sally billy emily
lonely lovely costly curly woolly barfly dragonfly firefly mayfly housefly fruitfly
""")
)
_EMPTY_ADJECTIVES = frozenset(
    words_in("""
different various novel new recent certain several main important specific particular possible
existing available appropriate suitable better best good overall usual other further additional
numerous diverse extensive significant relevant respective corresponding detailed comprehensive
interesting useful similar necessary crucial beneficial detrimental great promising well-known
proper entire such
""")
)
"""Adjectives that a phrase loses at its beginning, if something is left."""
_INFINITIVES = frozenset(
    words_in("""
align amalgamate approximate automate balance cluster control decode design encode estimate
fine-tune forecast guide handle label learn map measure model monitor plan process rank report
review sample schedule score search steer study support test trace track train transfer transform
tune match bind scale separate trigger rewrite parse filter group mine sort
""")
)
"""Verbs that are nouns as well: behind "to", with an object, they are verbs."""
_SUBJECTS = frozenset(words_in("papers articles studies works publications that which who authors"))
"""Words behind which a past form is what papers did, not what something is."""
_NAMES_IN_ING = frozenset(["accounting", "building", "drawing", "publishing", "writing"])
_EMPTY = GENERIC.union(
    _EMPTY_ADJECTIVES,
    words_in("""
one ones two three four five six seven eight nine ten first second third last next former latter
same common potential primary key major minor typical multiple wide broad large-scale current
modern actual initial final related present essential critical fundamental basic positive negative
greater high-level popular whole total general practical obligatory able foundational sensitive
accurate satisfactory resort seminal high low large small long short more less old full real
higher lower larger smaller ability abilities advancement advancements advent advantage advantages
aim aims amount amounts analyses attempt attempts basis benefit benefits capability capabilities
category categories cause causes challenge characteristic characteristics combination comparisons
concept concepts conclusion conclusions consequence consequences consideration considerations
context contexts contribution contributions degree degrees detail details difference differences
difficulty difficulties disadvantages discussion drawback drawbacks effectiveness efficacy element
emergence evidence examination example exception existence experience extent factor factors
feature features finding findings form forms framework frameworks function functions goal goals
handling idea ideas implementation implementations implication implications importance inclusion
influences information insight insights instance instances investigation investigations issue kind
kinds knowledge lack level levels light limitation limitations list magnitude material means
nature need needs notion number numbers objective objectives option options order outcome outcomes
part parts perspective phenomena phenomenon piece possibility practice practices presence
principle principles procedure procedures process purpose purposes range ranges reason reasons
relation relations scenario scenarios scope section series set sets setting settings significance
situation situations solution sort sorts strategies strategy studies success survey task tasks
term terms theme themes trend type types utility value values variation variations variety view
views way world interest interests person year years time times day days today
"""),
)
"""Words that are no subject when they stand alone ("the impact of ...")."""
_TRAILING = frozenset(
    words_in("""
advances advancements applications approach approaches challenges considerations developments
issues limitations method methodologies methodology methods overview progress research scenarios
settings solutions strategies studies study techniques technique trends works papers literature
article articles
""")
)
"""Nouns that a phrase loses at its end."""
_TRAILING_OF_LONG = frozenset(
    words_in("""
effect effects impact impacts problem problems task tasks role influence use usage improvement
improvements examples topics field fields domain area areas tools aspects capabilities frameworks
framework
""")
)
"""Nouns that a phrase loses at its end if two other words are left ("side effects" stays)."""
_ADJECTIVE = re.compile(
    r"\w+(?:ed|al|ic|ive|ous|ary|ar|ory|able|ible|less|ful|ant|ent|ian)|short|long|low|high|early"
    r"|late|male|female|old|young|single|hard|soft|hot|cold|wet|dry|deep|\w+(?:-\w+)+",
    re.IGNORECASE,
)
_MODIFIED = re.compile(r"\w+(?:ed|en|ic|al|ive|ous|able|ible|ing|ear|ill|ent|ant|ar|ly)|ill|born")
_PAPERS = (
    r"(?:papers?|articles?|publications?|stud(?:y|ies)|works?|research(?: papers?)?|literature)"
)
_LEAD = re.compile(
    r"^(?:(?:(?:can|could|would) you(?: please)?(?: (?:tell|show|give|find|list|name|recommend"
    r"|suggest|provide|look|search|run a search))?\b"
    r"|help me\b|i(?: am|'m)?(?: would)? (?:want|need|look\w*|like|interested)\b|we need\b"
    r"|i'?d like\b|need (?:stuff|something|papers|articles)\b|stuff (?:on|about|abt)\b"
    r"|what (?:is|are|was|were)(?: known about)?\b|are there\b|is there\b|tell me\b"
    r"|how (?:do|does|can|to|much is known about)\b"
    rf"|(?:which|what) {_PAPERS} (?:have|has|had|are|were|is|was|can|could|first|deal with"
    rf"|focus on|talk about)\b|(?:which|what) {_PAPERS}(?: (?:that|which))?\b|which\b"
    r"|(?:has|have|did) anyone\b|(?:search(?:ing)?|look(?:ing)?) (?:for|up)\b"
    r"|research (?:on|about|into|in)\b|an overview\b|(?:work|works) (?:on|about|by|from)\b"
    r"|(?:journal|conference|research)(?= (?:papers?|articles?)\b)"
    r"|(?:me|us|for|to|in|some|any|all|the|a|an|of|on|about|abt|and|at least|that|these)\b"
    rf"|(?:{'|'.join(re.escape(word) for word in sorted(COMMANDS, key=len, reverse=True))})\b)"
    r"(?![-'’])(?:[\s,:]*))+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?<![\s,;:.?!])(?:[\s,;:.?!]|\b(?:papers?|articles?|publications?|studies|please|published|in"
    r"|on|of|for|from|and|with|the|only)\b)+$",
    re.IGNORECASE,
)
_MOST = 8
_LONGEST = 5
"""Words of a phrase; a longer one is a sentence without function words, not a term."""
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{2,80})[\"“”„«»]")
_CLAUSE = re.compile(r"(?:[\w\s+#]|(?<=\w)[./'’*\u2010-\u2015\u2212-](?=\w))+")
_TOKEN = re.compile(r"[^\W_](?:[\w+#./'’\u2010-\u2015\u2212*-]*[\w+#])?")
_FIXED = re.compile(rf"\b(?:{'|'.join(map(re.escape, FIXED_TERMS))})\b", re.IGNORECASE)
INSIDE = "\ua78f"
"""Stands for the spaces inside of a term while a text is cut: a letter that nobody writes."""
_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]?")
_NUMBER = re.compile(r"\d{3,}(?:[-–/]\d+)*")
"""Years and other numbers at the end of a phrase; "type 2" and "Web 2" keep theirs."""
_ASKING = frozenset({"do", "does", "did", "can", "could", "may", "might", "will", "would"})
"""The first word of a question in which the words of `_ASKED` are verbs."""
_ASKED = frozenset({"cause", "lead", "contribute"})


@dataclass(frozen=True)
class Phrase:
    """A noun phrase at its place: its text, its offsets, and whether it stood in quotes."""

    text: str
    start: int
    end: int
    is_quoted: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether none of its words is a subject."""
        if self.is_quoted:
            return False
        is_letter = len(self.text) == 1 or _INITIALS.fullmatch(self.text)
        return bool(is_letter) or all(map(_is_empty_word, self.text.casefold().split()))


def phrases(text: str) -> list[Phrase]:
    """Return the noun phrases of a text in order, each as it is written.

    English is cut at function words, verbs and adverbs, everything at punctuation, other languages
    at a few function words of their own.
    """
    in_english = is_english(text)
    glued = _FIXED.sub(lambda match: match[0].replace(" ", INSIDE), text)
    quoted = [match for match in _QUOTED.finditer(glued) if re.search(r"\w", match[1])]
    spans = [(match.start(1), match.end(1), True) for match in quoted]
    blank = glued
    for match in quoted:
        blank = f"{blank[: match.start()]}{',' * len(match[0])}{blank[match.end() :]}"
    for clause in _CLAUSE.finditer(blank):
        spans += [(*span, False) for span in _cut(blank, *clause.span(), is_english=in_english)]
    return [
        Phrase(" ".join(glued[start:end].replace(INSIDE, " ").split()), start, end, is_quoted)
        for start, end, is_quoted in sorted(spans)
    ]


def _cut(text: str, start: int, end: int, *, is_english: bool) -> Iterator[tuple[int, int]]:
    breaks = _BREAKS if is_english else FUNCTION_WORDS
    tokens = list(_TOKEN.finditer(text, start, end))
    if is_english and tokens and tokens[0][0].casefold() in _ASKING:
        breaks = breaks | _ASKED
    is_shouted = text[start:end].isupper()
    words: list[re.Match[str]] = []
    before = ""
    for match, following in zip_longest(tokens, tokens[1:]):
        word = match[0].casefold()
        behind = following[0].casefold() if following else ""
        # "US", "WHO" and "IT" are names, unless everything is in capitals.
        is_name = match[0].isupper() and len(word) > 1 and not is_shouted
        is_break = word in breaks or (is_english and _is_verbal(before, word, behind))
        if (is_break and not is_name) or (word.isdigit() and not words):
            yield from _trimmed(words, is_english=is_english)
            words = []
        else:
            words.append(match)
        before = word
    yield from _trimmed(words, is_english=is_english)


def _is_verbal(before: str, word: str, behind: str) -> bool:
    """Return whether an English word is a verb or an adverb where it stands."""
    is_infinitive = before == "to" and word in _INFINITIVES and bool(behind)
    is_told = before in _SUBJECTS and word in _PARTICIPLES
    return is_infinitive or is_told or _is_adverb(word, behind)


def _is_adverb(word: str, behind: str = "") -> bool:
    """Return whether a word is in no noun phrase; in "fully convolutional networks" it is."""
    if len(word) <= len("only") or not word.endswith("ly") or word in _NO_ADVERBS:
        return False
    return _MODIFIED.fullmatch(behind) is None


def _trimmed(words: list[re.Match[str]], *, is_english: bool) -> Iterator[tuple[int, int]]:
    """Yield the phrase without what says nothing at its ends, if anything is left."""
    lowered = [match[0].casefold() for match in words]
    first, last = 0, len(words)
    while last - first > 1 and _is_loose_at_end(lowered[first:last], is_english=is_english):
        last -= 1
    while last - first > 1 and is_english and _is_loose_at_start(lowered[first]):
        first += 1
    left = lowered[first:last]
    if left and not (len(left) == 1 and is_english and _is_verb_form(left[0])):
        yield words[first].start(), words[last - 1].end()


def _is_loose_at_start(word: str) -> bool:
    return word in _EMPTY_ADJECTIVES or (word in _GERUNDS and word not in _NAMES_IN_ING)


def _is_loose_at_end(words: list[str], *, is_english: bool) -> bool:
    word = words[-1]
    if _NUMBER.fullmatch(word) or not is_english:
        return _NUMBER.fullmatch(word) is not None
    if word in _PARTICIPLES or word in _EMPTY_ADJECTIVES:
        return True
    if word in _TRAILING:
        # "asymptotic methods" stays: an adjective alone is no subject.
        return len(words) > 2 or not is_adjective(words[0])  # noqa: PLR2004  # it and another
    return len(words) > 2 and word in _TRAILING_OF_LONG  # noqa: PLR2004  # "side effects" stays


def is_adjective(word: str) -> bool:
    """Return whether an English word looks like an adjective."""
    return _ADJECTIVE.fullmatch(word) is not None


def _is_verb_form(word: str) -> bool:
    return word in _PARTICIPLES or (word in _GERUNDS and word not in _NAMES_IN_ING)


def _is_empty_word(word: str) -> bool:
    return word in _EMPTY or word.isdigit() or _is_adverb(word) or _is_verb_form(word)


def key_phrases(text: str) -> list[str]:
    """Return the key phrases of `text`, quoted ones first, each once, at most eight.

    Nouns that say nothing alone ("effect", "method") are left out where something else is left.
    """
    everything = sorted(phrases(without_request(text)), key=lambda phrase: not phrase.is_quoted)
    solid = [phrase for phrase in everything if not phrase.is_empty] or everything
    names = [phrase.text if phrase.is_quoted else _shortened(phrase.text) for phrase in solid]
    return list({name.casefold(): name for name in reversed(names)}.values())[::-1][:_MOST]


def _shortened(name: str) -> str:
    return name if is_unspaced(name) else " ".join(name.split()[:_LONGEST])


def without_request(text: str) -> str:
    """Return the text without the words of the request that it begins and ends with."""
    return _TAIL.sub("", _LEAD.sub("", text))
