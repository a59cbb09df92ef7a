"""Ten studies of ten fields, with statements on them that were written before any was checked.

A line is a statement; the letters at its end stand for the studies that it cites.
"""

from __future__ import annotations

import re

from paper_search.models import Author, Paper
from paper_search.report.evidence import Evidence, result_of

_TOLD = (
    (
        "Statins and muscle pain in primary care",
        ["García-López, M", "Wu, Li"],
        2016,
        "Lancet",
        (
            "Muscle pain was reported by 12.6% of 5,144 people on statins and by 12.4% on placebo"
            " (hazard ratio 1.03, 95% CI 0.97-1.10, P=0.39). Median follow-up was 4.9 years (IQR "
            "3.2-6.1). Simvastatin 20mg was the most common dose. We found no evidence that "
            "statins cause muscle pain in most people; 15 participants stopped treatment."
        ),
    ),
    (
        "Deep learning for diabetic retinopathy",
        ["Rao, P", "Okoye, C", "Smith, J", "Li, X"],
        2020,
        "JAMA",
        (
            "On 9963 images from 4997 patients, the algorithm had a sensitivity of 97.5% and a "
            "specificity of 93.4%. In EyePACS-1, the AUC was 0.991 (95% CI, 0.988-0.993). Graders"
            " were US licensed ophthalmologists. Images were taken in India and the USA from May "
            "to October 2015."
        ),
    ),
    (
        "Coffee, sleep and adenosine: a crossover trial",
        ["Ito, K."],
        2014,
        "Sleep Medicine",
        (
            "Twelve healthy men drank 400 mg caffeine six hours before bedtime. Sleep was shorter"
            " by more than one hour (mean 67 min, SD 12). Caffeine doubled sleep latency. Whether"
            " women react similarly is unknown. Trial registration: NCT01234567."
        ),
    ),
    (
        "Urban trees and mortality in 93 European cities",
        ["Iungman, Tamara"],
        2023,
        "The Lancet",
        (
            "Increasing tree cover to 30% could prevent 2644 premature deaths (1·84% of all "
            "summer deaths). Cities were on average 1.5 °C warmer than the surrounding "
            "countryside. Mean population-weighted tree cover was 14.9%. We analysed 57 million "
            "inhabitants aged 20 years or older."
        ),
    ),
    (
        "Mindfulness for chronic pain",
        ["van Dijk, A", "Peeters, B"],
        2018,
        "Pain",
        (
            "Thirty-eight RCTs were included (n = 3536). Mindfulness meditation was associated "
            "with a small decrease in pain compared with controls (SMD 0.32; 95% CI 0.09 to "
            "0.54). Evidence quality was low. One study reported adverse events."
        ),
    ),
    (
        "Minimum wages and employment in fast food",
        ["Card, David", "Krueger, Alan"],
        1994,
        "American Economic Review",
        (
            "On April 1, 1992, New Jersey's minimum wage rose from $4.25 to $5.05 per hour. We "
            "surveyed 410 fast-food restaurants in New Jersey and eastern Pennsylvania. "
            "Employment did not fall: it rose by 13 percent relative to Pennsylvania. Prices "
            "increased by about 4%."
        ),
    ),
    (
        "Wolves and trees in a national park",
        ["Ripple, William J.", "Beschta, Robert L."],
        2012,
        "Biological Conservation",
        (
            "Fifteen years after wolves were reintroduced, elk numbers had fallen from more than "
            "15,000 in the early 1990s to about 6,100 in 2010. The height of young aspen exceeded"
            " 2 m in 46% of stands. Beaver colonies increased from 1 in 1996 to 9 in 2009."
        ),
    ),
    (
        "Attention is all that is needed for translation",
        ["Vaswani, A."],
        2017,
        "NeurIPS",
        (
            "The model reaches 28.4 BLEU on English-to-German, improving over the best previous "
            "results by over 2 BLEU. Training took 3.5 days on eight GPUs. The big model has 213 "
            "million parameters, the base model 65 million. A dropout rate of 0.3 was used."
        ),
    ),
    (
        "Measurement of the muon lifetime",
        ["Fermi, E", "Rossi, B"],
        2005,
        "Physical Review",
        (
            "The lifetime of the muon was measured as 2.197 µs with an uncertainty of 1.5 ns. "
            "Data were taken for 14 weeks. Temperature was held at 20 ± 0.1 °C. The beam "
            "delivered 7 MHz of pulses."
        ),
    ),
    (
        "Homework and grades in secondary schools",
        ["Cooper, H."],
        2006,
        "Review of Educational Research",
        (
            "We reviewed 69 correlations from 35 studies published between 1987 and 2003; 50 were"
            " positive and 19 negative. The link was stronger in grades 7-12 than in grades K-6. "
            "Students spent 1.5 to 2.5 hours per night on homework. No causal claim can be made."
        ),
    ),
)
SOURCES = [
    result_of(
        Paper(
            id=f"study-{number}",
            title=title,
            authors=[Author(name=author) for author in authors],
            abstract=abstract,
            year=year,
            venue=venue,
            source="fake",
            relevance_score=0.9,
        ),
        "q1",
    )
    for number, (title, authors, year, venue, abstract) in enumerate(_TOLD, 1)
]
_LETTERS = dict(
    zip(
        ["ST", "DR", "CO", "TR", "MI", "WA", "WO", "AT", "MU", "HO"],
        Evidence(SOURCES).by_key,
        strict=True,
    )
)


def _cited(match: re.Match[str]) -> str:
    return "[" + "; ".join(f"@{_LETTERS[letters]}" for letters in match[0].split("+")) + "]"


def _statements(lines: str) -> tuple[str, ...]:
    letters = "|".join(_LETTERS)
    cited = re.compile(rf"\b(?:{letters})(?:\+(?:{letters}))*(?=\.?$)")
    return tuple(cited.sub(_cited, line) for line in lines.strip().splitlines())


TRUE = _statements(
    """
Roughly one in eight people on statins reported muscle pain ST.
The two groups differed by only 0.2 percentage points ST.
Muscle pain was no more frequent with statins than placebo (HR 1.03, CI 0.97-1.10, P = 0.39) ST.
Over almost five years of follow-up, muscle pain was equally common ST.
Median follow-up was just under 5 years ST.
The commonest regimen was simvastatin 20 mg per day ST.
Some 87% of statin users reported no muscle pain ST.
García-López & Wu (2016) find no evidence that statins cause muscle pain ST.
Garcia-Lopez and Wu found no evidence of harm ST.
More than 5000 people were followed ST.
The confidence interval includes 1, so the difference was not significant (P > 0.05) ST.
Fifteen participants discontinued ST.
Sensitivity reached 97.5 % and specificity 93.4 % DR.
The false-negative rate was 2.5% DR.
The model missed 2.5 percent of cases DR.
About two images per patient were read, 9,963 in all DR.
An area under the curve of 0.99 was reached DR.
The algorithm was tested on nearly ten thousand images DR.
Rao et al. tested a deep-learning algorithm on images from two countries DR.
Images were collected over six months in 2015 DR.
Images date from 2015, five years before publication DR.
The sensitivity exceeded the specificity by 4.1 points DR.
The AUC of 99.1% is high DR.
Ophthalmologists licensed in the United States served as graders DR.
In twelve men, caffeine shortened sleep by over an hour CO.
In 12 men, 0.4 g of caffeine cut sleep by 67 minutes CO.
Caffeine was taken a quarter of a day before bedtime CO.
Sleep latency was twice as long after caffeine CO.
Sleep latency increased twofold CO.
It took 100% longer to fall asleep CO.
The loss of about 1.1 hours was measured in men only CO.
The trial of Ito (NCT01234567) leaves open how women react CO.
Ito's crossover trial was small CO.
At a tree cover of 30%, some 2,600 premature deaths could be prevented TR.
Roughly 1.8% of summer deaths could be avoided TR.
This would double the mean cover of about 15% TR.
Tree cover would have to rise by 15.1 percentage points on average TR.
Cities were 1.5 degrees warmer than their surroundings TR.
The analysis covered more than fifty million adults in 93 cities TR.
Inhabitants below the age of 20 were left out TR.
Iungman (2023) estimates 2644 preventable deaths, or 1.84% TR.
Almost 40 trials with over 3,500 participants were pooled MI.
38 randomised trials were included MI.
Thirty-eight trials had 93 participants each on average MI.
The effect was small (SMD = 0.32) MI.
A standardised mean difference of 0.3 was found MI.
van Dijk and Peeters call the evidence low in quality MI.
Van Dijk et al. rate the “evidence quality” as low MI.
Only one of 38 trials reported adverse events MI.
The other 37 trials did not report adverse events MI.
The authors found “a small decrease in pain” MI.
“Evidence quality was low”, van Dijk and Peeters state MI.
They report “a small decrease in pain…” MI.
Neither Rao et al. nor Ito studied pain DR+CO.
Statins and mindfulness were studied in 2016 and 2018 ST+MI.
In the Lancet, García-López and colleagues reported on 5144 people ST.
The year 2015 was when the images were taken DR.
No study collected here is on children.
Women were not studied CO.
The 30% target is twice today's cover TR.
Effects in the 2010s may differ ST.
A 400-mg dose 6 h before bed was tested CO.
The programme prevented “premature deaths” on paper only TR.
EyePACS-1 was one of the data sets DR.
COVID-19 was not yet an issue ST.
The minimum wage rose by 80 cents an hour WA.
It rose by $0.80, or nearly 19% WA.
New Jersey raised its hourly minimum from 4.25 to 5.05 dollars in 1992 WA.
Card and Krueger surveyed about 400 restaurants WA.
Employment grew 13% relative to the neighbouring state WA.
Prices went up by 4 per cent WA.
Restaurants in two states were compared WA.
The increase in April 1992 did not cost jobs WA.
Prices rose by one twenty-fifth WA.
The two economists, Card & Krueger (1994), contradict the textbook view WA.
Elk numbers dropped by roughly 60% WO.
Elk fell by almost 9,000 animals WO.
In less than half of the stands, young aspen stood higher than two metres WO.
In 54% of stands, aspen did not exceed 200 cm WO.
Beaver colonies grew ninefold WO.
There were nine beaver colonies in 2009, up from one in 1996 WO.
Beaver colonies increased by eight in 13 years WO.
Wolves came back one and a half decades before WO.
Since the 1990s, elk have declined WO.
Ripple and Beschta (2012) counted some six thousand elk in 2010 WO.
The Transformer reached a BLEU score of 28.4 AT.
It beat the previous best by more than two points AT.
It took three and a half days to train AT.
Training took 84 hours on 8 GPUs AT.
The big model is more than three times as large as the base model AT.
The base model has 65M parameters AT.
The models differ by 148 million parameters AT.
Thirty percent of units were dropped AT.
Vaswani and colleagues trained for under 4 days AT.
The muon lives for 2.2 microseconds MU.
Its lifetime is about 2,197 ns MU.
The uncertainty of 0.0015 µs is small MU.
Data taking lasted for over three months MU.
Data were taken for 98 days MU.
The laboratory was kept at 68 °F MU.
Temperature stayed between 19.9 and 20.1 °C MU.
Pulses came at seven megahertz MU.
Some 35 studies gave 69 correlations HO.
Roughly 72% of the correlations were positive HO.
Nearly three quarters of the correlations were positive HO.
Positive correlations outnumber negative ones by 31 HO.
There were about 2.6 times as many positive as negative correlations HO.
More than a quarter of them (19 of 69) were negative HO.
The studies span 16 years HO.
Studies from 1987-2003 were reviewed HO.
Older students (grades 7 to 12) show a stronger link HO.
Students did homework for 90 to 150 minutes a night HO.
About two hours of homework a night were common HO.
Cooper warns that “no causal claim can be made” HO.
“No causal claim can be made,” Cooper (2006) cautions HO.
As Cooper notes, the review is not causal HO.
The paper by Fermi and Rossi is from 2005 MU.
Unlike in Pennsylvania, wages rose in New Jersey WA.
None of the sources tests homework in universities.
In primary school ("grades K-6") the link is weaker HO.
The wolves’ return and the decline of elk coincide WO.
A “trophic cascade” is one explanation WO.
Type 2 errors are not discussed HO.
The 2012 paper covers 1996 to 2010 WO.
On average, each study gave two correlations HO.
"""
)
FALSE = _statements(
    """
Muscle pain was reported by 16.2% of people on statins ST.
Statins cause muscle pain in most people ST.
Muscle pain was reported by 51,440 people on statins ST.
Follow-up was 4.9 months ST.
Simvastatin 20 g was the most common dose ST.
Simvastatin 80 mg was the most common dose ST.
The difference was significant (P = 0.039) ST.
The difference was significant (p < 0.05) ST.
Wu and Smith (2015) found muscle pain ST.
Ito found no evidence that statins cause muscle pain ST.
In 1998, García-López studied statins ST.
García-López writes: “Statins cause muscle pain in most people” ST.
The authors write “statins cause muscle pain in most people” ST.
“We found no evidence that statins cause muscle pain” is what Rao et al. write DR.
Sensitivity was 99.9% DR.
Sensitivity was 93.4% and specificity 97.5% DR.
The algorithm was tested on 99,630 images DR.
The AUC was 0.5 DR.
Images were taken in China in 2019 DR.
Graders were nurses DR.
Images were taken over nine years DR.
Sleep was shorter by 67 hours CO.
Twelve women drank caffeine CO.
Men drank 40 mg caffeine CO.
Caffeine tripled sleep latency CO.
Caffeine was given six days before bedtime CO.
Caffeine had no effect on sleep CO.
Women react in the same way CO.
Tree cover of 30% could prevent 26,440 premature deaths TR.
Tree cover could prevent half of all summer deaths TR.
Cities were 15 °C warmer TR.
Cities were on average 1.5 °C cooler than the countryside TR.
The study covered 57 thousand inhabitants TR.
Iungman writes “Cities were cooler” TR.
Meditation cured chronic pain in 93% of patients MI.
Evidence quality was high MI.
Eighty-three RCTs were included MI.
Mindfulness increased pain MI.
van Dijk does not write “Evidence quality was low” MI.
Peeters writes “Evidence quality was” low in none MI.
Evidence quality was low MI+ST.
It is untrue that “Evidence quality was low” MI.
According to Ito, “Evidence quality was low” MI.
Mindfulness is a fraud (Knox, 2011) MI.
Mindfulness works [@knox_2011_fraud].
Mindfulness works [12].
See https://fake.example/paper MI.
All 38 RCTs reported adverse events MI.
One study reported no adverse events MI.
Evidence quality was low in 2018, say van Dijk and Wu (2016): “Evidence quality was low” MI.
"""
)
