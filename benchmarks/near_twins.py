"""A set of any size whose works are nearly alike, made from the arXiv records that are there.

Half of what is added are new works: near twins of a work, by the same people. The other half are
damaged records of a work. The id of a record says which kind made it ("opposed:17"), so that a
result can be told by kind. The same seed makes the same set.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Record = dict[str, str]
Maker = Callable[[Record, Record, random.Random], Record | None]
"""Makes a record from a work and from another work; None where the work does not lend itself."""

_OPPOSITES = (
    "weak/strong upper/lower left/right odd/even linear/nonlinear finite/infinite local/global"
    " discrete/continuous classical/quantum static/dynamic positive/negative symmetric/asymmetric"
    " commutative/noncommutative convex/nonconvex homogeneous/inhomogeneous low/high small/large"
    " elastic/inelastic reversible/irreversible bounded/unbounded compact/noncompact hot/cold"
    " deterministic/stochastic parametric/nonparametric isotropic/anisotropic early/late"
    " stable/unstable regular/singular real/complex light/heavy relativistic/nonrelativistic"
)
_OPPOSED = {
    a: b for pair in _OPPOSITES.split() for a, b in (pair.split("/"), pair.split("/")[::-1])
}
_ADJECTIVES = ["generalized", "weighted", "asymptotic", "multiple", "modified", "random", "dual"]
_TAILS = [
    "in two dimensions", "with boundary", "via fractional integrals", "the general case",
    "at finite temperature", "in the presence of noise", "for dense graphs", "a numerical study",
]  # fmt: skip
_SERIALS = ["Progress in {}", "Annual report on {}", "{}: yearly survey", "Status of {}"]
_LITTLE = frozenset(
    ["a", "an", "and", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to",
     "via", "with"]
)  # fmt: skip
_FEWEST_SENTENCES = 4


def _changed(work: Record, **fields: str) -> Record:
    return {**work, **fields}


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+", text.strip())


def _mixed(work: Record, other: Record, chance: random.Random) -> str:
    """Return an abstract that begins as one does and ends as another."""
    own, rest = _sentences(work.get("abstract") or ""), _sentences(other.get("abstract") or "")
    if len(own) < _FEWEST_SENTENCES:
        return " ".join(rest)
    share = chance.uniform(0.4, 0.8)
    return " ".join(own[: round(len(own) * share)] + rest[round(len(rest) * share) :])


def _content_words(title: str) -> list[str]:
    return [word for word in title.split() if word.isalpha() and word.lower() not in _LITTLE]


def _in_both(work: Record, words: Sequence[str]) -> list[str]:
    """Return the words that the abstract has too: no twin differs by its title alone."""
    text = set(re.findall(r"\w+", (work.get("abstract") or "").lower()))
    return [word for word in words if word.lower() in text]


def _swap(text: str, word: str, other: str) -> str:
    def cased(found: re.Match[str]) -> str:
        return other.capitalize() if found.group()[0].isupper() else other

    return re.sub(rf"\b{re.escape(word)}\b", cased, text, flags=re.IGNORECASE)


# --- near twins: new works of the same people


def _sequel(work: Record, other: Record, chance: random.Random) -> Record:
    part = chance.choice([" II", ", part 2", ". II", " 2", ": Part III"])
    return _changed(work, title=work["title"] + part, abstract=_mixed(work, other, chance))


def _opposed(work: Record, _other: Record, chance: random.Random) -> Record | None:
    words = [word for word in _in_both(work, work["title"].lower().split()) if word in _OPPOSED]
    if not words:
        return None
    word = chance.choice(words)
    fields = {
        key: _swap(work.get(key) or "", word, _OPPOSED[word]) for key in ("title", "abstract")
    }
    return _changed(work, **fields)


def _next_paper(work: Record, other: Record, chance: random.Random) -> Record:
    own, rest = work["title"].split(), other["title"].split()
    title = " ".join(own[: len(own) * 2 // 3] + rest[len(rest) * 2 // 3 :])
    return _changed(work, title=title, abstract=_mixed(work, other, chance))


def _inserted(work: Record, other: Record, chance: random.Random) -> Record:
    words = work["title"].split()
    words.insert(chance.randrange(len(words)), chance.choice(_ADJECTIVES))
    return _changed(work, title=" ".join(words), abstract=_mixed(work, other, chance))


def _swapped(work: Record, other: Record, chance: random.Random) -> Record | None:
    own, rest = _in_both(work, _content_words(work["title"])), _content_words(other["title"])
    if not own or not rest:
        return None
    word, instead = chance.choice(own), chance.choice(rest).lower()
    return _changed(
        work, **{key: _swap(work.get(key) or "", word, instead) for key in ("title", "abstract")}
    )


def _narrower(work: Record, other: Record, chance: random.Random) -> Record:
    title = f"{work['title']} {chance.choice(_TAILS)}"
    return _changed(work, title=title, abstract=_mixed(work, other, chance))


def _yearly(work: Record, _other: Record, chance: random.Random) -> Record:
    title = chance.choice(_SERIALS).format(" ".join(_content_words(work["title"])[:4]))
    year = str(1990 + chance.randrange(30))
    return _changed(work, title=title, year=year, abstract="", doi="", journal="Bulletin")


def _editorial(work: Record, _other: Record, chance: random.Random) -> Record:
    return _changed(
        work, title=chance.choice(["Editorial", "Editor's note", "In this issue"]), abstract="",
        doi="", journal="Bulletin of the Society", volume="12", pages="5",
        number=str(chance.randrange(1, 400)),
    )  # fmt: skip


_COMPANIONS = (
    "{}: study protocol", "Protocol for {}", "{}: rationale and design", "Design and methods of {}",
    "Statistical analysis plan for {}", "{} (vol 12, pg 100, 2009)", "Correction to: {}",
    "Erratum: {}", "Expression of concern: {}", "Reply to: {}", "{}: authors' reply",
)  # fmt: skip


def _companion(work: Record, other: Record, chance: random.Random) -> Record:
    abstract = chance.choice([work.get("abstract") or "", "", _mixed(work, other, chance)])
    title = chance.choice(_COMPANIONS).format(work["title"])
    return _changed(work, title=title, abstract=abstract)


TWINS: dict[str, Maker] = {
    "sequel": _sequel, "opposed": _opposed, "next paper": _next_paper, "inserted": _inserted,
    "swapped": _swapped, "narrower": _narrower, "yearly": _yearly, "editorial": _editorial,
    "companion": _companion,
}  # fmt: skip


# --- damage: the same work again


def _case(work: Record, _other: Record, chance: random.Random) -> Record:
    return _changed(work, title=chance.choice([str.upper, str.title, str.lower])(work["title"]))


def _hyphens(work: Record, _other: Record, chance: random.Random) -> Record | None:
    if "-" not in work["title"]:
        return None
    return _changed(work, title=work["title"].replace("-", chance.choice(["", " ", "--", "‐"])))


def _initials(work: Record, _other: Record, _chance: random.Random) -> Record:
    names = [name.split() for name in (work.get("author") or "").split(" and ") if name.split()]
    short = [f"{name[-1]}, {' '.join(f'{item[0]}.' for item in name[:-1])}" for name in names]
    return _changed(work, author=" and ".join(short))


def _missing(work: Record, _other: Record, chance: random.Random) -> Record:
    gone = chance.sample(["abstract", "year", "doi", "journal"], 2)
    return _changed(work, **dict.fromkeys(gone, ""))


def _subtitle(work: Record, _other: Record, _chance: random.Random) -> Record | None:
    head, colon, _ = work["title"].partition(": ")
    return _changed(work, title=head) if colon and len(head) > 20 else None


def _scanned(work: Record, _other: Record, chance: random.Random) -> Record:
    title = work["title"]
    for good, bad in chance.sample([("rn", "m"), ("m", "rn"), ("l", "1"), ("o", "0")], 2):
        title = title.replace(good, bad, 1)
    return _changed(work, title=title)


def _slip(work: Record, _other: Record, chance: random.Random) -> Record:
    title = work["title"]
    place = chance.randrange(1, len(title) - 1)
    letter = chance.choice(["", title[place] * 2, chance.choice("aeinrst")])
    return _changed(work, title=title[:place] + letter + title[place + 1 :])


def _latex(work: Record, _other: Record, _chance: random.Random) -> Record:
    title = re.sub(r"\b([A-Z])(\w+)", r"{\1}\2", work["title"])
    author = re.sub("[öüä]", lambda c: '\\"{' + {"ö": "o", "ü": "u", "ä": "a"}[c.group()] + "}",
                    work.get("author") or "")  # fmt: skip
    return _changed(work, title=title.replace("β", r"$\beta$"), author=author)


def _noted(work: Record, _other: Record, chance: random.Random) -> Record:
    notes = [" [see comment]", ". [Review] [20 refs]", "1", "*", " [Article in German]"]
    return _changed(work, title=work["title"] + chance.choice(notes))


def _renamed(work: Record, _other: Record, chance: random.Random) -> Record | None:
    words, sentences = work["title"].split(), _sentences(work.get("abstract") or "")
    if len(words) < 5 or len(sentences) < 4:  # too short to be known again
        return None
    cut = chance.randrange(2, len(words) - 1)
    title = (
        f"{chance.choice(['On', 'A note on', 'Towards', 'Understanding'])} {' '.join(words[cut:])}"
    )
    return _changed(work, title=title, abstract=" ".join(sentences[:-1]), doi="")


def _retitled(work: Record, other: Record, chance: random.Random) -> Record | None:
    words = _content_words(work["title"])
    if len(words) < 4 or len(_sentences(work.get("abstract") or "")) < _FEWEST_SENTENCES:
        return None
    kept = chance.sample(words, len(words) // 2)
    new = " ".join([*_content_words(other["title"])[:1], *kept, chance.choice(_TAILS)])
    return _changed(work, title=new, doi="")


DAMAGE: dict[str, Maker] = {
    "case": _case, "hyphens": _hyphens, "initials": _initials, "missing": _missing,
    "subtitle": _subtitle, "scanned": _scanned, "slip": _slip, "latex": _latex, "noted": _noted,
    "renamed": _renamed, "retitled": _retitled,
}  # fmt: skip


def near_twins(
    works: Sequence[Record], size: int, seed: int = 7
) -> tuple[list[Record], list[list[str]]]:
    """Return a set of `size` records, and the groups of ids that are one work.

    Args:
        works: one record of each work; at most half of `size` are used.
        size: how many records there shall be.
        seed: of chance.
    """
    chance = random.Random(seed)  # noqa: S311  # no secret
    chosen = list(works[: size // 2])
    records = [_changed(work, id=f"work:{n}") for n, work in enumerate(chosen)]
    groups = {n: [f"work:{n}"] for n in range(len(chosen))}
    makers = [*((kind, make, False) for kind, make in TWINS.items()),
              *((kind, make, True) for kind, make in DAMAGE.items())]  # fmt: skip
    weights = [1 / len(TWINS)] * len(TWINS) + [1 / len(DAMAGE)] * len(DAMAGE)
    made_before: set[tuple[str, int]] = set()
    while len(records) < size:
        [(kind, make, is_same)] = chance.choices(makers, weights)
        place = chance.randrange(len(chosen))
        made = make(chosen[place], chance.choice(chosen), chance)
        if made is None or (kind, place) in made_before:
            continue
        made_before.add((kind, place))
        name = f"{kind}:{len(records)}"
        records.append(made | {"id": name} | ({} if is_same else {"doi": ""}))
        if is_same:
            groups[place].append(name)
    chance.shuffle(records)
    return records, [group for group in groups.values() if len(group) > 1]
