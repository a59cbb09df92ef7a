"""Contract test of exporters."""

import re
from collections.abc import Callable, Iterator

from paper_search.exports.registry import Exporter
from paper_search.models import (
    Author,
    Facets,
    Paper,
    PaperCollection,
    PaperTag,
    SearchConstraints,
    SearchMetadata,
    SearchStrategy,
)

_RAW_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")

_NASTY_TEXTS = (
    "plain words",
    "two\nlines\r\nand\u2028more\x85breaks\x1cand\x0bmore",
    "control \x00\x01\x07\x1b[31m characters \x7f",
    "lone { brace",
    "}{ the wrong way round",
    "a backslash at the end \\",
    "TeX: 100% of $x_1^2$ & #2 ~ \\input{/etc/passwd} \\write18{ls}",
    '@string{a = "b"}',
    "@article{other, title = {x}}",
    "\n}\n\n@comment{",
    'quotes " and "" and \' and `',
    "=HYPERLINK(1)",
    "+1 -1 @SUM(1) =1",
    "\t=1+1",
    "a;=1+1",
    "pipe | in | a | cell",
    "<script>alert(1)</script> <img src=x onerror=alert(1)> &lt;b&gt;",
    "[link](javascript:alert(1)) ![image](x) **bold** `code`",
    "ER  - ",
    "x\nER  - \n\nTY  - JOUR",
    "comma, semicolon; and more and others",
    "图神经网络 для всех 日本語 العربية 🧪 e\u0301",
    "nul\x00",
    "null None nan {0} {title} %s ${HOME}",
    "very long " + "word " * 2_000,
    "   ",
)
_TEXT_FIELDS = [
    name for name, field in Paper.model_fields.items() if field.annotation in {str, str | None}
]


def collection_of(*papers: Paper, query: str = "a question") -> PaperCollection:
    """Return a collection of the papers, with an empty strategy and a fixed time."""
    strategy = SearchStrategy(queries=[], sources=[], filters=SearchConstraints())
    return PaperCollection(
        metadata=SearchMetadata(
            query=query,
            search_strategy=strategy,
            total_found=len(papers),
            timestamp="2026-01-02T03:04:05+00:00",
        ),
        papers=list(papers),
        facets=Facets(),
    )


def nasty_papers() -> list[Paper]:
    """Return papers with texts that break exporters; each title begins with `marker(place)`."""
    return [
        Paper.model_validate(
            {
                **dict.fromkeys(_TEXT_FIELDS, text),
                "title": f"{marker(place)} {text}",
                "authors": [Author(name=n) for n in (text, f"{text}, {text}", "Mary of Nowhere")],
                "year": 2020,
                "doi": f"10.1000/{text}",
                "url": f"javascript:{text}",
                "full_text_url": f"https://example.org/{text}",
                "tags": list(PaperTag),
                "is_retracted": True,
            }
        )
        for place, text in enumerate(_NASTY_TEXTS)
    ]


def marker(place: int) -> str:
    """Return the word that identifies a paper in an exported text."""
    return f"marker{place:04d}x"


def check_exporter(
    exporter: Exporter, *, count_records: Callable[[str], int] | None = None
) -> None:
    """Run an exporter on difficult texts and on an empty collection.

    Its result must be reproducible text that can be encoded as UTF-8, without control characters.
    It must not change its input, and keep every paper, recognised by its title, and counted by
    `count_records` of an independent reader if given.

    Raises:
        AssertionError: lists all problems.
    """
    problems = list(_problems(exporter, count_records))
    if problems:
        breaches = "\n".join(f"- {problem}" for problem in problems)
        raise AssertionError(f"{len(problems)} problems with exporter {exporter!r}:\n{breaches}")


def _problems(exporter: Exporter, count_records: Callable[[str], int] | None) -> Iterator[str]:
    papers = nasty_papers()
    sparse = Paper(id="sparse", title=marker(len(papers)), authors=[], source="kit")
    yield from _problems_with("no papers", collection_of(), [], exporter, count_records)
    for place, paper in enumerate(papers):
        words, about = [marker(place)], f"a paper with {_NASTY_TEXTS[place][:40]!r}"
        yield from _problems_with(about, collection_of(paper), words, exporter, count_records)
    everything = collection_of(*papers, sparse, query=_NASTY_TEXTS[1])
    words = [marker(place) for place in range(len(everything.papers))]
    yield from _problems_with("all papers", everything, words, exporter, count_records)


def _problems_with(
    about: str,
    collection: PaperCollection,
    words: list[str],
    exporter: Exporter,
    count_records: Callable[[str], int] | None,
) -> Iterator[str]:
    before = collection.model_dump_json()
    try:
        text, again = exporter(collection), exporter(collection)
    except Exception as error:  # noqa: BLE001  an exporter may raise anything; all is listed
        yield f"{about}: raised {error!r}"
        return
    if not isinstance(text, str):
        yield f"{about}: returned {type(text).__name__}, not str"
        return
    if text != again:
        yield f"{about}: two calls gave two results"
    if collection.model_dump_json() != before:
        yield f"{about}: the collection was changed"
    if missing := [word for word in words if word not in text.casefold()]:
        yield f"{about}: lost {', '.join(missing)}"
    if match := _RAW_CONTROL.search(text):
        yield f"{about}: control character {match[0]!r} in the result"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        yield f"{about}: not encodable as UTF-8 ({error.reason})"
    if count_records is not None and (count := count_records(text)) != len(collection.papers):
        yield f"{about}: {len(collection.papers)} papers became {count} records"
