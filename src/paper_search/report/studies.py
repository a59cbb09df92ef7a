"""What a source says of the study behind it: its kind, and whom or what was studied."""

from __future__ import annotations

import re

from paper_search.report.models import SearchResult
from paper_search.report.polarity import groups

NOT_STATED = "not stated"
_PAGES = {"web": "web page", "news": "news"}
_PAGES = {"web": "web page", "news": "news"}
_READ = 3000
"""Characters of a text in which a study is described: those of its abstract."""
_LONGEST = 60

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{cues})\b", re.IGNORECASE))
    for name, cues in (
        ("meta-analysis", r"meta-?analys[ei]s"),
        ("systematic review", r"systematic(?:ally)? review(?:ed)?|scoping review"),
        ("protocol", r"(?:study|trial|review) protocol|protocol for"),
        (
            "randomised trial",
            r"randomi[sz]ed (?:\w+[- ]){0,4}(?:trial|study)|randomly (?:assigned|allocated)",
        ),
        ("crossover trial", r"cross-?over (?:trial|study)"),
        ("clinical trial", r"clinical trial|open[- ]label|phase (?:i+|[1-4]) trial"),
        ("cohort study", r"cohort|longitudinal study|follow-up study"),
        ("case-control study", r"case[- ]control"),
        ("cross-sectional study", r"cross-sectional"),
        ("case report", r"case (?:report|series)"),
        ("survey", r"questionnaires?|survey of (?:\w+ ){0,3}(?:people|patients|users|students)"),
        ("qualitative study", r"interviews|focus groups|qualitative study"),
        ("review", r"we review|this review|literature review|(?:a|the) (?:review|survey) of"),
        ("laboratory study", r"in vitro|cell lines?|(?:mice|rats|zebrafish) (?:were|was)"),
        ("simulation", r"simulations?|we simulated?"),
        ("computational study", r"benchmarks?|data ?sets?|neural networks?|algorithms?"),
        ("measurements", r"we measured|sensors|field (?:study|experiment|measurements)"),
    )
)
_COUNTED = re.compile(
    r"\b(?:\d{1,3}(?:,\d{3})+|\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
    r" (?:[a-z][a-z-]* ){0,4}?"
    r"(?:patients|participants|subjects|volunteers|people|persons|individuals|adults|children"
    r"|adolescents|teenagers|infants|neonates|women|men|girls|boys|students|pupils|workers"
    r"|veterans|mothers|users|respondents|mice|rats|studies|trials|cities|streets|schools"
    r"|hospitals|households|countries|data ?sets|molecules|images|records)\b",
    re.IGNORECASE,
)


def kind_of(result: SearchResult) -> str:
    """Return what kind of study a source is, by its own words, else by how it was published."""
    described = f"{result.title}. {result.text[:_READ]}"
    for name, cue in _KINDS:
        if cue.search(described):
            return name
    page = _PAGES.get(str(result.metadata.get("source_type")))
    published = str(result.metadata.get("publication_type") or page or NOT_STATED)
    return published.replace("-", " ").replace("_", " ")[:_LONGEST]


def population_of(result: SearchResult) -> str:
    """Return whom or what was studied, in the source's words, else the groups that it names."""
    described = f"{result.title}. {result.text[:_READ]}"
    if match := _COUNTED.search(described):
        return match.group()[:_LONGEST]
    return ", ".join(sorted(groups(described))) or NOT_STATED
