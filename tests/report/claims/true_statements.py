"""Sources of several fields, and what is true of them in the words of people who write reports."""

from __future__ import annotations

from paper_search.models import Author, Paper
from paper_search.report.evidence import Evidence, result_of

QUESTION = "What do trials and surveys say?"
_TOLD = (
    (
        "Vitamin B12 by mouth in older adults",
        ["Müller, Jana", "O'Brien, Sean"],
        2014,
        (
            "In a randomised trial, 120 adults aged 65 years and over took 50 µg of vitamin B12 "
            "daily or a placebo for 12 months. Levels rose from 150 to 300 pmol/L with vitamin "
            "B12. Memory did not improve (p = 0.08). Ten participants withdrew. Fatigue fell in "
            "64% of those on vitamin B12 and in 41% of those on placebo."
        ),
    ),
    (
        "Sleep and screens: a survey of pupils",
        ["Ekström, Liv", "Hale, Tom", "Nguyen, An"],
        2019,
        (
            "We surveyed 1,246 pupils in Norway and Sweden between 2015 and 2018. Of these, 312 "
            "slept for less than seven hours a night. Pupils with a screen in the bedroom slept "
            "30 minutes less (95% CI 22 to 38; p < 0.001). The study relied on self-reports, and "
            "parents were not asked."
        ),
    ),
    (
        "Green roofs and heat in a warm city",
        ["Okafor, Ada"],
        2021,
        (
            "Green roofs lowered the air temperature by 1.5 °C at noon and by 0.4 °C at night. "
            "The roofs cost 120 dollars per square metre. Runoff was halved in heavy rain, from "
            "40 to 20 mm. Effects on health were not measured."
        ),
    ),
    (
        "Cognitive therapy for insomnia: a meta-analysis",
        ["Brown, Eve", "van der Berg, Kees"],
        2017,
        (
            "We pooled 20 randomised controlled trials with 1,162 patients. Cognitive behavioural "
            "therapy shortened the time to fall asleep by 19 minutes compared with controls. "
            "Sleep efficiency improved by 9.9%. We hypothesise that group sessions work as well. "
            "Effects lasted for one year. Adolescents were excluded."
        ),
    ),
    (
        "A cure for tinnitus",
        ["Sly, Max"],
        2010,
        "Tinnitus disappeared in 95% of 40 patients after two weeks.",
    ),
    (
        "Learned sparse retrieval at scale",
        ["Iyer, Ravi", "Chen, Bo"],
        2023,
        (
            "Our model answers queries in 20 ms and reaches an accuracy of 0.87 on 3.2 million "
            "documents, against 0.81 for BM25. Training took 36 hours on 8 GPUs. The index is "
            "three times as large as that of BM25."
        ),
    ),
)
SOURCES = [
    result_of(
        Paper(
            id=f"true-{number}",
            title=title,
            authors=[Author(name=author) for author in authors],
            abstract=abstract,
            year=year,
            venue="Annals of Trials",
            source="fake",
            relevance_score=0.9,
            is_retracted=True if authors == ["Sly, Max"] else None,
        ),
        "q1",
    )
    for number, (title, authors, year, abstract) in enumerate(_TOLD, 1)
]
B12, SLEEP, ROOFS, THERAPY, GONE, INDEX = (f"[@{key}]" for key in Evidence(SOURCES).by_key)
BOTH = f"{SLEEP[:-1]}; {THERAPY[1:]}"

TRUE = (
    # Those of the issue.
    f"The effect on memory was not significant (p = 0.08) {B12}.",
    "No source reports on adolescents.",
    f"The trial gave 50 ug of vitamin B12 a day {B12}.",
    f"Participants took vitamin B12 for one year {B12}.",
    f"The difference in fatigue between the groups was 23 percentage points {B12}.",
    f"Nearly two thirds of those on vitamin B12 felt less fatigue {B12}.",
    f"The report of Sly that tinnitus disappeared in 95% of patients has been retracted {GONE}.",
    # Units, in other words and in other units.
    f"Participants took 50 mcg of vitamin B12 daily {B12}.",
    f"The daily dose was 0.05 mg {B12}.",
    f"The dose of 50 micrograms did not improve memory {B12}.",
    f"Over 12 months, memory did not improve {B12}.",
    f"The benefit of therapy lasted for 12 months {THERAPY}.",
    f"Pupils with a screen in the bedroom slept half an hour less {SLEEP}.",
    f"Air temperature at noon fell by 1.5 degrees Celsius {ROOFS}.",
    f"At noon the air was 2.7 °F cooler under green roofs {ROOFS}.",
    f"Roofs cost $120 per square metre {ROOFS}.",
    f"Runoff in heavy rain fell from 4 cm to 2 cm {ROOFS}.",
    f"Training took a day and a half {INDEX}.",
    f"Queries are answered in 0.02 seconds {INDEX}.",
    f"Accuracy was 87%, against 81% for BM25 {INDEX}.",
    # Shares, rounding, and what follows from two numbers.
    f"Fatigue fell in 64 per cent of those on vitamin B12 {B12}.",
    f"About 40% of those on placebo felt less fatigue {B12}.",
    f"One in four pupils slept for less than seven hours {SLEEP}.",
    f"A quarter of the pupils slept for less than 7 hours {SLEEP}.",
    f"About 25% of the pupils slept too little {SLEEP}.",
    f"The remaining 934 pupils slept for seven hours or more {SLEEP}.",
    f"More than 1,200 pupils were surveyed {SLEEP}.",
    f"Some 1,250 pupils were surveyed {SLEEP}.",
    f"Over a thousand patients took part in 20 trials {THERAPY}.",
    f"Levels of vitamin B12 doubled {B12}.",
    f"Levels of vitamin B12 rose by 150 pmol/L {B12}.",
    f"Levels rose by 100% with vitamin B12 {B12}.",
    f"Green roofs cut runoff by half {ROOFS}.",
    f"Green roofs cut runoff by 50%, or 20 mm {ROOFS}.",
    f"The effect at noon was 1.1 °C larger than the one at night {ROOFS}.",
    f"Sleep efficiency improved by about 10% {THERAPY}.",
    f"Patients fell asleep almost twenty minutes sooner {THERAPY}.",
    f"The index was tested on more than three million documents {INDEX}.",
    f"Accuracy was 0.06 higher than with BM25 {INDEX}.",
    f"The effect on sleep was significant (p < 0.05) {SLEEP}.",
    f"In 36% of those on vitamin B12, fatigue did not fall {B12}.",
    f"110 participants completed the trial {B12}.",
    # Years and names.
    f"The survey ran from 2015 to 2018 {SLEEP}.",
    f"The survey ran for three years {SLEEP}.",
    f"Ekström et al. surveyed pupils in two countries {SLEEP}.",
    f"Ekstrom and colleagues surveyed pupils in Scandinavia {SLEEP}.",
    f"Müller and O’Brien (2014) found no benefit for memory {B12}.",
    f"Unlike Brown et al., the survey by Ekström was on pupils {BOTH}.",
    f"In 2021, Okafor measured temperatures under green roofs {ROOFS}.",
    f"Van der Berg is a co-author of the meta-analysis {THERAPY}.",
    f"The RCTs pooled by Brown and van der Berg were on CBT {THERAPY}.",
    f"The trial appeared in the Annals of Trials in 2014 {B12}.",
    # Quotations.
    f"The authors “hypothesise that group sessions work as well” {THERAPY}.",
    f"The authors write that “[e]ffects on health were not measured” {ROOFS}.",
    f"Levels “rose from 150 to 300 pmol/L” {B12}.",
    f"Their ‘self-reports’ are a limitation {SLEEP}.",
    f"Ekström et al. concede: “The study relied on self-reports … parents were not asked” {SLEEP}.",
    # Denials, absences, and sentences on the sources or the report.
    f"Neither memory nor any other test of cognition is said to have improved {B12}.",
    f"Whether adolescents benefit is unknown, since they were excluded {THERAPY}.",
    f"Sly (2010) was withdrawn and is no evidence {GONE}.",
    f"Two of the sources are on sleep {BOTH}.",
    f"In teenagers, screens go with 0.5 hours less sleep {SLEEP}.",
    "This report compares six sources, one of which is retracted.",
    "Taken together, the evidence on sleep is limited.",
)
"""None may be called wrong; code can check few of them."""
