"""Strategies as eight systems print them, with documents that they must and must not find.

Composed for these tests. Where `line` is set, the strategy is to be refused in that line; where
`remark` is set, something is left out, and a remark has to say so.
"""

from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]


def doc(title: str, abstract: str = "", **fields: Any) -> Document:
    """Return a document; what is not given is as in most of them."""
    usual: Document = {
        "keywords": [], "headings": [], "year": 2016, "language": "English",
        "type": ["Journal Article"], "authors": [], "venue": "", "entered": "2016-06-15",
    }  # fmt: skip
    return {"title": title, "abstract": abstract, **usual, **fields}


@dataclass(frozen=True)
class Printed:
    """A strategy, the documents that it finds, and those that it does not."""

    system: str
    text: str
    found: list[Document] = field(default_factory=list)
    missed: list[Document] = field(default_factory=list)
    line: int | None = None
    remark: bool = False


OVID = [
    Printed(
        "Ovid",
        "1 *Cataract/su, dt [Surgery, Drug Therapy] (8412)\n2 day surgery.ti. (12)\n3 1 and 2 (3)",
        [doc("Day surgery", headings=["Cataract/surgery"]),
         doc("Day surgery", headings=["Cataract/drug therapy"])],
        [doc("Day surgery", headings=["Cataract/epidemiology"]),
         doc("Day surgery", headings=["Glaucoma/surgery"])],
    ),
    Printed(
        "Ovid",
        "1     exp Asthma/ or asthma*.ti,ab,kw,kf. (200123)\n"
        "2     (child* or pediatric* or paediatric*).tw,hw. (2500000)\n"
        "3     1 and 2 (60000)\n"
        '4     limit 3 to (yr="2015 - 2020" and (english or french)) (9000)\n'
        "5     limit 4 to humans (8000)\n",
        [doc("Asthma in children", year=2017, headings=["Humans"])],
        [
            doc("Asthma in children", year=2014, headings=["Humans"]),
            doc("Asthma in children", year=2017, language="German", headings=["Humans"]),
            doc("Asthma in adults", year=2017, headings=["Humans"]),
        ],
    ),
    Printed(
        "Ovid",
        "1. (back adj2 pain).ti,ab.\n2. yoga.ti,ab. use ppez\n3. 1 and 2\n"
        "4. remove duplicates from 3\n5. limit 4 to last 5 years",
        line=5,
    ),
    Printed(
        "Ovid",
        "1 exp *Kidney Failure, Chronic/\n2 (dialysis or h?emodialysis).ti.\n3 1 and 2\n"
        "4 3 and ed=20200101-20201231",
        line=4,
    ),
    Printed(
        "Ovid",
        "1 exp *Kidney Failure, Chronic/\n2 (dialysis or h?emodialysis).ti.\n3 1 or 2\n"
        "4 exercis*.ti. and 3\n5 limit 4 to ed=20200101-20201231",
        [doc("Exercise in haemodialysis", entered="2020-03-04"),
         doc("Exercise and dialysis", entered="2020-12-31")],
        [doc("Exercise and dialysis", entered="2021-01-01"), doc("Dialysis", entered="2020-03-04")],
    ),
    Printed(
        "Ovid",
        "1 gout.ti. 812\n2 diet.ti.\n3 1 and 2 47",
        [doc("Diet in gout")],
        [doc("Gout"), doc("Diet")],
    ),
    Printed(
        "Ovid",
        "1 (stroke and aphasia).ti.\n2 (comment or editorial or letter).pt.\n3 1 not 2\n"
        "4 3 and 2:4",
        line=4,
    ),
    Printed(
        "Ovid",
        "1 (vitamin adj d).ti. and (fall or falls or fracture$1).ab.\n"
        "2 animals/ not (animals/ and humans/)\n3 1 not 2",
        [doc("Vitamin D at night", "One fracture."), doc("Vitamin D", "Fractures")],
        [doc("Vitamin D", "Fracturing"), doc("D vitamin", "A fall"),
         doc("Vitamin D", "Falls", headings=["Animals"])],
    ),
]  # fmt: skip
PUBMED = [
    Printed(
        "PubMed",
        "Search\tAdd to builder\tQuery\tItems found\tTime\n"
        "#3\tAdd\tSearch #1 NOT #2\t1187\t05:14:33\n#2\tAdd\tSearch review[pt]\t31\t05:13:58\n"
        "#1\tAdd\tSearch pessar*[tiab]\t2104\t05:12:41",
        [doc("Pessaries")],
        [doc("Pessaries", type=["Review"]), doc("Rings")],
    ),
    Printed(
        "PubMed",
        'asthma[tiab] AND "last 5 years"[dp]',
        line=1,
    ),
    Printed(
        "PubMed",
        "Search: asthma[tiab] AND (child*[tiab] OR infan*[tiab]) Filters: Review, from 2018/1/1 - "
        "2020/12/31 Sort by: Most Recent",
        [doc("Asthma in infancy", type=["Review"], year=2019)],
        [doc("Asthma in infancy", type=["Journal Article"], year=2019),
         doc("Asthma in infancy", type=["Review"], year=2021),
         doc("Asthma in adults", type=["Review"], year=2019)],
    ),
    Printed(
        "PubMed",
        'Search number,Query,Sort By,Filters,Results,Time\n3,"#1 AND #2",,,2113,10:01:22\n'
        '2,"sleep[ti]",,English,21130,10:01:20\n1,"shift work*[tiab]",,,1999,10:01:15',
        [doc("Sleep of shift workers")],
        [doc("Sleep"), doc("Shift workers"), doc("Sleep of shift workers", language="Dutch")],
    ),
    Printed(
        "PubMed",
        "(gout[mh] OR gout[tiab]) NOT (animals[mh] NOT humans[mh]) AND 2015:2020[edat]",
        [doc("Gout", entered="2017-05-01"), doc("Gout", headings=["Animals", "Humans"])],
        [doc("Gout", entered="2014-12-31"), doc("Gout", headings=["Animals"])],
    ),
    Printed(
        "PubMed",
        "((sepsis[tiab:~0]) AND lactate[tiab]) AND free full text[sb]",
        [doc("Lactate in sepsis")],
        [doc("Sepsis")],
        remark=True,
    ),
    Printed(
        "PubMed",
        '"tooth loss"[tiab] AND (y_5[Filter])',
        line=1,
    ),
]  # fmt: skip
COCHRANE = [
    Printed(
        "Cochrane Library",
        "#1 (acupressure):ti,ab,kw\n#2 (nausea or vomit*):ti,ab,kw\n#3 #1 and #2\n214 results",
        [doc("Acupressure for nausea")],
        [doc("Acupressure: 214 results")],
    ),
    Printed(
        "Cochrane Library",
        "#1\t[mh Hypertension[mj]]\t120\n#2\tdiuretic*:ti,ab,kw\t800\n#3\t#1 and #2\t10",
        [doc("Diuretics", headings=["Hypertension"])],
        [doc("Diuretics"), doc("Diet", headings=["Hypertension"])],
    ),
    Printed(
        "Cochrane Library",
        "#1 (blood next pressure):ti,ab\n#2 (salt near restrict*):ti,ab\n"
        "#3 #1 and #2 in Trials",
        [doc("Blood pressure", "We restricted salt."), doc("Blood pressure and restricting salt")],
        [doc("Pressure of blood", "Restricting salt"), doc("Blood pressure", "No sugar")],
        remark=True,
    ),
    Printed(
        "Cochrane Library",
        "#1 MeSH descriptor: [Burns] explode all trees\n#2 silver:ti,ab,kw\n"
        "#3 #1 AND #2 with Cochrane Library publication date in the last month",
        line=3,
    ),
    Printed(
        "Cochrane Library",
        '#1 (pain and (neck or cervical)):ti\n#2 "manual therapy":ti,ab OR massage:ti\n'
        "#3 #1 AND #2 AND (2015 or 2016):py",
        [doc("Cervical pain", "Manual therapy", year=2015)],
        [doc("Cervical pain", "Manual therapy", year=2017), doc("Neck pain", year=2015)],
    ),
    Printed(
        "Cochrane Library",
        "#1 tinnitus:ti,ab,kw\n#2 masker?:ti,ab\n#3 (hearing NEXT aid*):ti,ab\n"
        "#4 #1 AND (#2 OR #3) NOT (letter:pt OR comment:pt)",
        [doc("Tinnitus and a masker"), doc("Tinnitus", "Hearing aids"), doc("Tinnitus: maskers")],
        [doc("Tinnitus and masks"), doc("Tinnitus", "Aids to hearing"),
         doc("Tinnitus and a masker", type=["Letter"])],
    ),
]  # fmt: skip
EMBASE = [
    Printed(
        "Embase.com",
        "(‘loneliness’/exp OR ‘social* isolat*’:ti,ab)\nAND befriending:ti,ab",
        [doc("Befriending", headings=["loneliness"]), doc("Social isolation: befriending")],
        [doc("Befriending"), doc("Loneliness")],
    ),
    Printed(
        "Embase.com",
        "'heart attack' AND exercise",
        [doc("Exercise after a heart attack")],
        [doc("An attack on the heart of exercise"), doc("Heart attack")],
    ),
    Printed(
        "Embase.com",
        "('migraine'/exp OR migrain*:ti,ab) AND ('triptan'/exp OR 'sumatriptan'/de) AND "
        "([article]/lim OR [review]/lim) AND [english]/lim AND [2000-2010]/py NOT [medline]/lim",
        [doc("Migraines", headings=["triptan"], year=2005, type=["Article"])],
        [doc("Migraines", headings=["triptan"], year=2011, type=["Article"]),
         doc("Migraines", headings=["triptan"], year=2005, type=["Letter"])],
        remark=True,
    ),
    Printed(
        "Embase.com",
        "#1 'knee arthroplasty'/exp/mj OR 'knee replacement*':ti,ab,kw\n"
        "#2 'tranexamic acid'/exp OR tranexamic:ti\n"
        "#3 #1 AND #2 AND ('article'/it OR 'article in press'/it) AND [01-03-2020]/sd",
        [doc("Knee replacements", headings=["tranexamic acid"], type=["Article"],
             entered="2020-03-02")],
        [doc("Knee replacements", headings=["tranexamic acid"], type=["Article"],
             entered="2020-02-28"),
         doc("Knee replacements", headings=["tranexamic acid"], type=["Letter"],
             entered="2020-03-02"),
         doc("Replacing knees: tranexamic", type=["Article"], entered="2020-03-02")],
    ),
    Printed("Embase.com", "'asthma'/exp AND child*:ti,ab AND 'london':ad", line=1),
    Printed("Embase.com", "'asthma'/exp AND child*:ti AND (acute NEAR/3 'room visit'):zz", line=1),
    Printed(
        "Embase.com",
        "#3. #1 AND #2 17\n#2. ((wound* OR 'skin graft') NEAR/3 dress*):ab,ti 4,101\n"
        "#1. 'burn':ti OR burns:ti 9,200",
        [doc("Burns", "Dressings for a wound")],
        [doc("Burns", "Wounds were seen by the nurse who after an hour brought dressings"),
         doc("Burning", "Wound dressing")],
    ),
]  # fmt: skip
WOS = [
    Printed(
        "Web of Science",
        '(AK=("open data") OR TI=("open data")) and AB=(reus*)\n3,214 results',
        [doc("Sharing", "Reuse", keywords=["open data"]), doc("Open data", "Reused")],
        [doc("Sharing files", "Open data are reused.")],
    ),
    Printed(
        "Web of Science",
        "TS=(telehealth AND (rural OR remote)) and 2019 (Publication Years) and Open Access",
        line=1,
    ),
    Printed(
        "Web of Science",
        '# 2 1,204 #1 AND LANGUAGE: (English)\nIndexes=SCI-EXPANDED Timespan=All years\n'
        '# 1 41,230 TITLE: ("heat stress") AND TOPIC: (cattle)\n'
        "Indexes=SCI-EXPANDED Timespan=All years",
        [doc("Heat stress of cattle")],
        [doc("Heat stress of cattle", language="Spanish"), doc("Cattle", "Heat stress")],
        remark=True,
    ),
    Printed("Web of Science", 'TS=(wolf OR wolves) AND FO=("Research Council")', line=1),
    Printed(
        "Web of Science",
        "#1 TI=(algae NEAR/4 biofuel*)\n#2 #1 AND PY=(2010-2015) NOT DT=(Editorial Material)",
        [doc("Algae for biofuels", year=2012)],
        [doc("Algae for biofuels", year=2016), doc("Biofuel"),
         doc("Algae for biofuels", year=2012, type=["Editorial Material"])],
    ),
    Printed(
        "Web of Science",
        'TS=("school meal*")\nRefined by: WEB OF SCIENCE CATEGORIES: (NUTRITION DIETETICS)\n'
        "Timespan: 2010-2020. Indexes: SSCI.",
        line=2,
    ),
]  # fmt: skip
SCOPUS = [
    Printed(
        "Scopus",
        "a W/3 b",
        [doc("a b"), doc("b of the a")],
        [doc("a is one of the longest b"), doc("a W/3")],
    ),
    Printed(
        "Scopus",
        'TITLE-ABS-KEY ( "urban farm*" AND ( soil OR roof ) ) AND PUBYEAR > 2014 AND ( LIMIT-TO '
        '(DOCTYPE, "ar") OR LIMIT-TO ( DOCTYPE , "cp" ) ) AND ( EXCLUDE ( LANGUAGE , "French" ) )',
        [doc("Urban farming on a roof", type=["Article"]),
         doc("Urban farming on a roof", type=["Conference Paper"])],
        [doc("Urban farming on a roof", type=["Review"]),
         doc("Urban farming on a roof", type=["Article"], language="French"),
         doc("Urban farming on a roof", type=["Article"], year=2014)],
    ),
    Printed("Scopus", 'TITLE-ABS-KEY ( hydrogen ) AND ( LIMIT-TO ( OA , "all" ) )', line=1),
    Printed("Scopus", "TITLE-ABS-KEY ( hydrogen AND steel ) AND REFPUBYEAR > 2015", line=1),
    Printed(
        "Scopus",
        "TITLE ( gene ) OR ABS ( drive ) AND NOT KEY ( mosquito )",
        [doc("Gene"), doc("A", "Drive")],
        [doc("Gene", keywords=["mosquito"]), doc("Drive")],
    ),
]  # fmt: skip
EBSCO = [
    Printed(
        "EBSCOhost",
        "(TI exercise) AND (AB depression)",
        [doc("Exercise", "Depression")],
        [doc("Depression", "Exercise"), doc("TI exercise", "In AB")],
    ),
    Printed(
        "EBSCOhost",
        "S3 S1 AND S2 Limiters - Published Date: 20120101-20181231; Language: English, French; "
        "Age Groups: Adult: 19-44 years\nS2 TI nurs*\nS1 TI burnout",
        line=1,
    ),
    Printed(
        "EBSCOhost",
        '#,Query,Limiters/Expanders,Results\nS2,S1 AND AB resilience,Search modes - Find all my '
        'search terms,12\nS1,TI "nurse* burnout",,99',
        [doc("Nurses burnout", "Resilience")],
        [doc("Burnout of nurses", "Resilience"), doc("Nurses burnout")],
    ),
    Printed(
        "EBSCOhost",
        'S1 (MH "Pain, Postoperative+/DT/PC") OR TI (postoperative N2 pain)\n'
        "S2 TI music OR AB music\nS3 S1 AND S2\nS4 S3 AND EM 20190101-20191231",
        [doc("Music and postoperative pain", entered="2019-04-01")],
        [doc("Music and postoperative pain", entered="2020-04-01"),
         doc("Music and pain", entered="2019-04-01")],
    ),
    Printed(
        "EBSCOhost",
        'TI "shared reading" AND ZW "preschool" AND RV Y',
        [doc("Shared reading", keywords=["preschool"])],
        [doc("Shared reading", "In preschool")],
        remark=True,
    ),
]  # fmt: skip
PROQUEST = [
    Printed(
        "ProQuest",
        'ti("sign language" AND interpret*)\n'
        "Additional limits - Date: From January 01 2010 to December 31 2018; Language: English",
        [doc("Sign language interpreters", year=2018)],
        [doc("Sign language interpreters", year=2019), doc("Sign language", year=2018)],
    ),
    Printed(
        "ProQuest",
        'ti("reading difficult*") AND ab(interven*)\nAdditional limits - Date: From 2015 to 2019; '
        "Language: English",
        [doc("Reading difficulties", "Interventions", year=2017)],
        [doc("Reading difficulties", "Interventions", year=2020),
         doc("Reading difficulties", "Interventions", year=2017, language="French"),
         doc("Reading difficulties", year=2017)],
    ),
    Printed(
        "ProQuest",
        "ti(loneliness) AND ab(elder*) AND peer(yes)",
        [doc("Loneliness", "In the elderly")],
        [doc("Loneliness", "Yes, peers")],
        remark=True,
    ),
    Printed(
        "ProQuest",
        'S1 noft(gambl* NEAR/5 online)\nS2 MJMAINSUBJECT.EXACT("Adolescents") OR ti(teen*)\n'
        'S3 S1 AND S2 NOT rtype.exact("Editorial")',
        [doc("Teens", "Gambling that is online"), doc("Online gambling", headings=["Adolescents"])],
        [doc("Teens", "Online games"),
         doc("Teens", "Gambling that is online", type=["Editorial"])],
    ),
    Printed("ProQuest", "S1 ti(drones) AND pd(last12months)\nS2 ab(van)\nS3 S1 AND S2", line=1),
    Printed(
        "ProQuest",
        "ti(heat PRE/1 wave*) AND ab(mortality LNK deaths)",
        line=1,
    ),
]  # fmt: skip
STRATEGIES = [*OVID, *PUBMED, *COCHRANE, *EMBASE, *WOS, *SCOPUS, *EBSCO, *PROQUEST]
