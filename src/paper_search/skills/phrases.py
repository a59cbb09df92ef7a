"""Noun phrases of an English text: runs between function words, verbs and punctuation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from paper_search.skills.intent.forms import form
from paper_search.skills.variants import is_heading, is_known_term, is_topic
from paper_search.skills.words import BREAKS, COMMANDS, GENERIC, is_unspaced, term_table, word_table

_FOREIGN = word_table("foreign")
_LETTERS = re.compile(r"(?<!/)\b[^\W\d_]+\b(?!/)")
_FOREIGN_LETTERS = re.compile("[äöüßñáíóúéèêçàœãõìòù¿]", re.IGNORECASE)
_ET_AL = re.compile(r"\bet al\b", re.IGNORECASE)
_VERBS = word_table("verbs")
_ALSO_NOUNS = word_table("also nouns")


def _with(verb: str, ending: str) -> str:
    stem = verb[:-1] if verb.endswith("e") and ending != "s" and not verb.endswith("ee") else verb
    if verb.endswith("y") and verb[-2] not in "aeiou" and ending != "ing":
        return f"{verb[:-1]}ie{ending[-1]}"
    return f"{verb}es" if ending == "s" and verb.endswith(("s", "x", "ch", "sh")) else stem + ending


_PARTICIPLES = {_with(verb, "ed") for verb in _VERBS}.union(
    word_table("past"), word_table("irregular")
)
"""Past forms of verbs, which belong to what follows if they end a phrase."""
_GERUNDS = {_with(verb, "ing") for verb in _VERBS} - {
    *("accounting", "building", "drawing", "publishing", "writing")
}
"""Forms in -ing that take an object at the start of a phrase ("improving accuracy"), except names
of fields and things."""
_VERB_FORMS = _PARTICIPLES | _GERUNDS
_FINITE = {form for verb in _VERBS for form in (verb, _with(verb, "s")) if verb not in _ALSO_NOUNS}
_SURE_VERBS = _FINITE.union(word_table("still breaks"), {"affect", "you"})
_PLURAL = re.compile(r"\w+[^sui\W]s|children|people|women|men|mice|bacteria")
_BREAKS = BREAKS.union(_FINITE, word_table("still breaks"), word_table("more breaks"))
_OF_PUBLICATIONS = word_table("of publications")
_PUBLICATIONS = COMMANDS | word_table("publications")
_NOUNS = {_with(verb, "s") for verb in _ALSO_NOUNS - word_table("no nouns before a preposition")}
_OBJECTS = {"to", "the", "a", "an", "their", "its", "that"}
"""Words that follow a verb but not a noun: "trust leads to", but "crop yields in Africa"."""
_NO_ADVERBS = word_table("no adverbs")
_EMPTY_ADJECTIVES = word_table("empty adjectives")
_INFINITIVES = word_table("infinitives")
_SUBJECTS = word_table("subjects")
"""Words after which a past form is a verb, not an adjective."""
_LOOSE_AT_START = _EMPTY_ADJECTIVES | _GERUNDS
_EMPTY = GENERIC | _EMPTY_ADJECTIVES | word_table("empty")
_TRAILING = word_table("trailing")
_TRAILING_OF_LONG = word_table("trailing of long")
_KINDS = {
    "f": {"for"}, "d": {"the", "a", "an", "any", "some"}, "h": {"how", "what", "which"},
    "l": word_table("leads"), "w": word_table("further leads"), "a": word_table("askers"),
    "v": word_table("asks"), "c": COMMANDS, "t": word_table("talk"), "x": word_table("auxiliaries"),
    "r": word_table("request"), "n": word_table("talk of publications") | _OF_PUBLICATIONS,
}  # fmt: skip
"""The kinds of words at the start of a question: see `words.txt`."""
_REQUEST = re.compile(  # "papers on", "I look for", "can you find me"
    r"(?:[^a]*a.*?[lhw]+|[xrdlhfvc]*[cn][xrdcnt]*[lhw]+)(?:[rd]*[cn][rdcn]*[lhw]+)*d*"
    r"|[^a]*a[^f]*?v+fd*|(?=[^a]*a[^vc]*[vc]|[^c]*c[^a]*a)[xrdlhfavc]+"
)
_LOOSE = re.compile(r"(?!.*a)(?=x*[rdlhcf])[xrdhcf]*(?:l[lhd]*)?")
"""Words that say nothing, in front of a subject for which nobody asks: "how do bees sleep"."""
_WORD_OF_REQUEST = re.compile(
    r"[\s,:!\ue000]*([^\W\d_]+(?:-[^\W\d_]+|['’][a-z]+)?)(?![-'’/\w]|(?<=\b\w)\.)[\s,:!\ue000]*"
)
_LONGEST_REQUEST = 40  # words; the patterns take the square of their number
_MOST = 8
_LONGEST = 5
"""Words of a key phrase; further ones are dropped."""
_LONGEST_END = 100
"""Characters at the end of a text that are searched for words of a request."""
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»\ue000]{0,80})[\"“”„«»]")
_HAS_WORDS = re.compile(r"\w.|.\w")
_CLAUSE = re.compile(r"(?:[\w\s+#]|(?<=\w)[./'’*\u2010-\u2015\u2212-](?=\w))+")
_TOKEN = re.compile(r"[^\W_](?:[\w+#./'’\u2010-\u2015\u2212*-]*[\w+#])?")
_FIXED = re.compile(
    rf"\b(?:{'|'.join(re.escape(term) for (term,) in term_table('fixed terms'))}"
    r"|(?<!\.)[a-z]\. (?=(?-i:[a-z]{2,})(?:us|a|is|i|um|ns|ae|er|ile)\b))\b",  # "E. coli"
    re.IGNORECASE,
)
INSIDE = "\ua78f"
"""Replaces spaces inside fixed terms while a text is split; an unused letter."""
_DEGREE = re.compile(r"(?<=\bhow) (?:well|much|often|long|far|fast|soon)\b", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]?")
_NUMBER = re.compile(r"\d{3,}(?:[-–/]\d+)*")
"""Years and other numbers at the end of a phrase, but not the digits of "type 2" and "Web 2"."""
_ASKING = frozenset({"do", "does", "did", "can", "could", "may", "might", "will", "would"})
"""The first word of a question, or its second after "how" or "why"."""
_DENYING = frozenset({"don't", "doesn't", "didn't", "won't"})
"""Words before a verb, except in "why don't antidepressants work"."""
_ASKED = word_table("asked")
_ARTICLES = ["a"], ["an"], ["the"], ["their"], ["its"]


def reads_as_english(text: str) -> bool:
    """Whether a text is in English, or its language is unclear.

    Since short words are ambiguous ("die", "do"), foreign words must outnumber English ones.
    """
    letters = [char for char in text if char.isalpha()]
    if sum(char > "\u036f" for char in letters) * 4 > len(letters):
        return False
    words = [word.casefold() for word in _LETTERS.findall(_ET_AL.sub("", without_request(text)))]
    english = sum(word in BREAKS for word in words)
    foreign = sum(word in _FOREIGN for word in words) + bool(_FOREIGN_LETTERS.search(text))
    return foreign <= max(1, english)


@dataclass(frozen=True)
class Phrase:
    text: str
    start: int
    end: int
    is_quoted: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it is neither a name ("time series") nor has a topical word."""
        if self.is_quoted:
            return False
        if len(self.text) == 1 or _INITIALS.fullmatch(self.text):
            return True
        words = self.text.casefold().split()
        is_name = len(words) > 1 and (is_known_term(self.text) or is_heading(self.text))
        return not is_name and all(map(_is_empty_word, words))


def phrases(text: str, *, in_english: bool | None = None) -> list[Phrase]:
    """Return the noun phrases of a text in order.

    A text is split at punctuation, and at function words, verbs and adverbs in English, or at a few
    function words of other languages. By default, the language is detected.
    """
    if in_english is None:
        in_english = reads_as_english(text)
    glued = _FIXED.sub(lambda match: match[0].replace(" ", INSIDE), text)
    quoted = [match for match in _QUOTED.finditer(glued) if _HAS_WORDS.search(match[1])]
    spans = [(match.start(1), match.end(1), True) for match in quoted]
    blank = _QUOTED.sub(lambda q: "," * len(q[0]) if _HAS_WORDS.search(q[1]) else q[0], glued)
    blank = _DEGREE.sub(lambda match: " " * len(match[0]), blank)
    for clause in _CLAUSE.finditer(blank):
        spans += [(*span, False) for span in _parts(blank, *clause.span(), is_english=in_english)]
    return [
        Phrase(" ".join(glued[start:end].replace(INSIDE, " ").split()), start, end, is_quoted)
        for start, end, is_quoted in sorted(spans)
    ]


def _parts(text: str, start: int, end: int, *, is_english: bool) -> Iterator[tuple[int, int]]:
    breaks = _BREAKS if is_english else _FOREIGN | {"in", "no"}
    tokens = list(_TOKEN.finditer(text, start, end))
    verb = _verb_place([match[0].casefold() for match in tokens]) if is_english and tokens else None
    is_shouted = text[start:end].isupper()
    words: list[re.Match[str]] = []
    before: tuple[str, ...] = ()
    for place, (match, following) in enumerate(zip_longest(tokens, tokens[1:])):
        word = match[0].casefold()
        behind = following[0].casefold() if following else ""
        # "US", "WHO" and "IT" are names unless everything is in capitals; "OR" is a name only at
        # the start of a phrase.
        is_operator = word in {"and", "not"} or (word == "or" and bool(words))
        is_name = match[0].isupper() and len(word) > 1 and not is_shouted and not is_operator
        is_noun = word in _NOUNS and bool(words) and behind in {"", *BREAKS} - _OBJECTS
        is_request = word in _OF_PUBLICATIONS and behind in _PUBLICATIONS
        is_request |= word in _PUBLICATIONS and not words and behind in {"on", "about"}
        is_break = (word in breaks and not is_noun) or (
            is_english and (is_request or _is_verbal(before, word, behind))
        )
        if (is_break and not is_name) or (word.isdigit() and not words) or place == verb:
            yield from _trim(words, is_english=is_english)
            words = []
            if place == verb and word.removesuffix("s") not in _ASKED:
                yield match.span()
        else:
            words.append(match)
        before = (*before[-1:], word)
    yield from _trim(words, is_english=is_english)


def _verb_place(words: Sequence[str]) -> int | None:
    """Return the index of a question's verb that may also be a noun or is in no table, if certain.

    It is the last word in the table `asked` after a subject, or else the word before an article
    ("does tea delay the onset") or after a plural ("how do bees hear"). In "what drives decline",
    it is the second word.
    """
    if words[0] == "what" and len(words) > 1 and words[1].endswith("s"):
        return 1 if words[1][:-1] in _ASKED else None
    start = int(words[0] in {"how", "why", "when", "where"})
    if not {*words[start : start + 1]} & _ASKING or not _SURE_VERBS.isdisjoint(words[start + 1 :]):
        return None
    verbs = [place for place in range(start + 2, len(words)) if words[place - 1] not in _BREAKS]
    table = [place for place in verbs if words[place] in _ASKED]
    objects = [
        place
        for place in verbs
        if words[place] not in _BREAKS and words[place + 1 : place + 2] in _ARTICLES
    ]
    if sure := table or objects:
        return sure[-1]
    if words[start] not in {"do", "did"}:
        return None
    behind = (place for place in verbs if _PLURAL.fullmatch(words[place - 1]))
    return next(
        (i for i in behind if words[i] not in _BREAKS and not _PLURAL.fullmatch(words[i])), None
    )


def _is_verbal(before: tuple[str, ...], word: str, behind: str) -> bool:
    """Whether an English word is a verb, an adverb or before "than" in its context."""
    last = before[-1] if before else ""
    is_infinitive = last == "to" and word in _INFINITIVES and bool(behind)
    is_told = last in _SUBJECTS and word in _PARTICIPLES
    is_told |= word == "living" and behind in BREAKS and _PLURAL.fullmatch(last) is not None
    first = before[0] if len(before) > 1 else ""
    is_inverted = not first or (first in BREAKS and first not in {"that", "which", "who"})
    is_denied = last in _DENYING and not is_inverted
    is_denied = is_denied or (last == "not" and first in _ASKING - {"can", "could"})
    is_verb = is_infinitive or is_told or is_denied
    is_age = word in {"aged", "ages"} and behind[:1].isdigit()
    return is_verb or is_age or behind == "than" or _is_adverb(word, behind)


def _is_adverb(word: str, behind: str = "") -> bool:
    """Whether a word is an adverb outside noun phrases such as "fully convolutional networks"."""
    if len(word) <= len("only") or not word.endswith("ly") or word in _NO_ADVERBS:
        return False
    return form("word", "modified").fullmatch(behind) is None


def _trim(words: list[re.Match[str]], *, is_english: bool) -> Iterator[tuple[int, int]]:
    lowered = [match[0].casefold() for match in words]
    first, last = 0, len(words)
    while last - first > 1 and _is_loose_at_end(lowered[first:last], is_english=is_english):
        last -= 1
    while last - first > 1 and is_english and lowered[first] in _LOOSE_AT_START:
        if is_heading(" ".join(lowered[first:last])):  # "developing countries"
            break
        first += 1
    rest = lowered[first:last]
    if rest and not (len(rest) == 1 and is_english and rest[0] in _VERB_FORMS):
        yield words[first].start(), words[last - 1].end()


def _is_loose_at_end(words: list[str], *, is_english: bool) -> bool:
    word = words[-1]
    if _NUMBER.fullmatch(word) or not is_english:
        return _NUMBER.fullmatch(word) is not None
    if word in _PARTICIPLES or word in _EMPTY_ADJECTIVES:
        return True
    if word in _TRAILING:
        # "asymptotic methods" stays: an adjective alone is not a topic.
        return len(words) > 2 or not is_adjective(words[0])  # noqa: PLR2004  # it and another
    if len(words) == 2 or word not in _TRAILING_OF_LONG:  # noqa: PLR2004  # "side effects" stays
        return False
    return not is_topic(" ".join(words[-2:]))  # "marine protected areas" stays


def is_adjective(word: str) -> bool:
    return form("word", "adjective").fullmatch(word) is not None


def _is_empty_word(word: str) -> bool:
    return word in _EMPTY or word.isdigit() or _is_adverb(word) or word in _VERB_FORMS


def key_phrases(text: str) -> list[str]:
    """Return at most eight distinct key phrases, quoted ones first, generic nouns only if alone."""
    everything = sorted(phrases(without_request(text)), key=lambda phrase: not phrase.is_quoted)
    solid = [phrase for phrase in everything if not phrase.is_empty] or everything
    names = [
        phrase.text
        if phrase.is_quoted or is_unspaced(phrase.text)
        else " ".join(phrase.text.split()[:_LONGEST])
        for phrase in solid
    ]
    return list({name.casefold(): name for name in reversed(names)}.values())[::-1][:_MOST]


def without_request(text: str) -> str:
    """Remove words of a request ("find papers on") from both ends of a text."""
    outline, ends = _outline(text)
    start = _REQUEST.match(outline) or _LOOSE.match(outline)
    rest = text[ends[start.end()] :] if start else text
    end = form("request", "end").search(rest, max(0, len(rest) - _LONGEST_END))
    return rest[: end.start()] if end else rest


def end_of_request(text: str) -> int:
    """Return where a request at the start of a text ends.

    It is 0 if nobody asks and no word leads to a subject: "publication bias", "on liberty".
    """
    outline, ends = _outline(text)
    request = _REQUEST.match(outline)
    return ends[request.end()] if request else 0


def _outline(text: str) -> tuple[str, list[int]]:
    """Return the kinds of the words at the start that may be of a request, and where they end."""
    outline, ends = "", [0]
    while (match := _WORD_OF_REQUEST.match(text, ends[-1])) and not _begins_name(match):
        kind = next((kind for kind, words in _KINDS.items() if match[1].casefold() in words), None)
        if kind is None:
            break
        outline += kind
        ends.append(match.end())
    return outline[:_LONGEST_REQUEST], ends


def _begins_name(word: re.Match[str]) -> bool:
    """Whether a word is an acronym ("US", "WHO") or the first one of a fixed term ("in vitro")."""
    is_acronym = len(word[1]) > 1 and word[1].isupper() and not word.string.isupper()
    return is_acronym or _FIXED.match(word.string, word.start(1)) is not None
