"""Search strings as people paste them from eight systems: what each of them means."""

import pytest

from paper_search.query import lint, parse, render
from paper_search.query.systems import count_tags, detect_system

OVID = [
    ("asthma.ti. and 2010:2015.(sa_year).", "title:asthma AND year:2010-2015"),
    ('asthma.ti. and "2010".yr.', "title:asthma AND year:2010"),
    ("exp Diabetes Mellitus/", 'mesh:"Diabetes Mellitus"'),
    ("Asthma/ or Wheezing/", "mesh-only:Asthma OR mesh-only:Wheezing"),
    ("exp *Dementia/ and *Brain/", "majr:Dementia AND majr-only:Brain"),
    ("(diabet$ adj3 type 2).ti,ab.", 'tiab:(diabet* NEAR/2 "type 2")'),
    ("(false adj positive$).tw.", 'tiab:"false positive*"'),
    ("((heart or cardiac) adj failure).tw.", "tiab:((heart OR cardiac) PRE/0 failure)"),
    ("Lasers/du [Diagnostic Use]", 'mesh-only:"Lasers/du"'),
    ("exp Dementia/bl, cf", 'mesh:"Dementia/bl" OR mesh:"Dementia/cf"'),
    ("h?emorrhage$.mp. [mp=title, abstract, heading word]", "h$emorrhage*"),
    ("(cancer? or tumo?r#).ti.", 'title:"cancer$" OR title:"tumo$r$"'),
    ("child$3.ab.", 'abstract:"child$$$"'),
    ("exp animals/ not humans.sh.", "mesh:animals NOT mesh-only:humans"),
    ("randomized controlled trial.pt.", 'type:"randomized controlled trial"'),
    ("gerber c.au. and spine.jn.", "(author:gerber AND author:c*) AND venue:spine"),
    ("(2012* or 2013*).ed.", "entered:2012-01-01/2012-12-31 OR entered:2013-01-01/2013-12-31"),
    ("(cf or bl).fs.", "subheading:cf OR subheading:bl"),
    ("ultraso$.tw. or magnetic imaging.tw.", 'tiab:ultraso* OR tiab:"magnetic imaging"'),
    ("(Xpert or Gene or( near* patient)). tw.", 'tiab:(Xpert OR Gene OR "near* patient")'),
    ("asthma.ti,ab,kf.", "tiabkw:asthma"),
    ("(asthma or wheez*).ti,ab,kw,kf.", "tiabkw:asthma OR tiabkw:wheez*"),
    ("asthma.ti,ab,kw,hw.", "asthma"),
    ("“mini mental stat*”.ti,ab", 'tiab:"mini mental stat*"'),
]
COCHRANE = [
    ('"asthma":ti and (heart next failure)', 'title:asthma AND "heart failure"'),
    ("(heart NEXT failure):ti,ab", 'tiab:"heart failure"'),
    ("MeSH descriptor: [Asthma] explode all trees", "mesh:Asthma"),
    ("MeSH descriptor: [Diabetes, Type 2] this term only", 'mesh-only:"Diabetes, Type 2"'),
    ("MeSH descriptor Asthma explode all trees", "mesh:Asthma"),
    ('[mh "Heart Failure"] or [mh ^Asthma]', 'mesh:"Heart Failure" OR mesh-only:Asthma'),
    ("(child* NEAR/3 cough):ti,ab,kw (Word variations have been searched)", "child* NEAR/3 cough"),
    ("(wom?n or girl*):ti", "title:wom$n OR title:girl*"),
    ("(child* NEAR/3 asthma*):ti,ab,kw", "child* NEAR/3 asthma*"),
]
EBSCO = [
    ('(MH "Heart Failure+/DT") AND TI asthma', 'mesh:"Heart Failure/dt" AND title:asthma'),
    ("TX asthma AND DT 20100101-20151231", "asthma AND year:2010-2015"),
    ("TI asthma N3 child*", "title:(asthma NEAR/3 child*)"),
    ('(MH "Asthma+") OR (MM "Wheezing")', "mesh:Asthma OR majr-only:Wheezing"),
    ("TI ( bad heart OR valve ) AND AB wom?n", 'title:("bad heart" OR valve) AND abstract:wom?n'),
    ("TX (colo#r W2 blind*)", "colo$r PRE/2 blind*"),
    ("AU lee j AND TI age AND PT review", "author:lee AND author:j* AND title:age AND type:review"),
    ("TI ant* AND LA german AND PY 2010-2015", "title:ant* AND language:german AND year:2010-2015"),
    ('TI "heart failure" OR AB "heart failure" OR SU "heart failure"', '"heart failure"'),
    ('SU "decision making" NOT TI editorial', 'keyword:"decision making" NOT title:editorial'),
]
EMBASE = [
    ("'asthma'/exp AND (2010:py OR 2011:py)", "asthma AND (year:2010 OR year:2011)"),
    ("'heart infarction'/exp OR 'heart att*':ti,ab", '"heart infarction" OR tiab:"heart att*"'),
    ("(randomi?ed NEXT/2 trial):ti,ab", "tiab:(randomi?ed PRE/2 trial)"),
    ("asthma/de AND [english]/lim", "asthma AND language:english"),
    ("(heart NEXT/1 block):ti AND [2000-2010]/py", "title:(heart PRE/1 block) AND year:2000-2010"),
    ("'tumo$r':ti,ab OR 'wom?n':ti,ab OR x/exp", "tiab:tumo$r OR tiab:wom?n OR x"),
    (
        "'asthma'/exp/mj AND ([humans]/lim AND [article]/lim)",
        'asthma AND subset:humans AND type:"journal article"',
    ),
]
PROQUEST = [
    (
        'SU.EXACT("Depression") AND (TI,AB(CBT) OR pd(20100101-20151231))',
        "keyword:Depression AND (tiab:CBT OR year:2010-2015)",
    ),
    ("TI,AB(asthma NEAR/3 child*)", "tiab:(asthma NEAR/3 child*)"),
    ("NOFT(nurs* PRE/2 home*)", "nurs* PRE/2 home*"),
    ('TI("heart failure") AND AB(wom?n)', 'title:"heart failure" AND abstract:wom?n'),
    ('MAINSUBJECT.EXACT("Big choice") OR ti(choice*)', 'keyword:"Big choice" OR title:choice*'),
    ('MESH.EXACT.EXPLODE("Asthma") AND la.exact("English")', "mesh:Asthma AND language:English"),
    ("AB,TI(school* N/5 bully*) NOT SU(adult)", "tiab:(school* NEAR/5 bully*) NOT keyword:adult"),
    ("TI(depress*) AND YR(2010-2015)", "title:depress* AND year:2010-2015"),
]
SCOPUS = [
    (
        'TITLE-ABS-KEY ( heart ) AND LIMIT-TO ( DOCTYPE ,  "ar" ) AND EXCLUDE(LANGUAGE, "French")',
        'heart AND type:"journal article" NOT language:french',
    ),
    ("TITLE-ABS-KEY(heart W/3 failure)", "heart NEAR/3 failure"),
    ("TITLE(aa PRE/2 bb)", "title:(aa PRE/2 bb)"),
    ("TITLE-ABS(wom?n) AND PUBYEAR > 2010", "tiab:wom?n AND year:2011-"),
    (
        "TITLE-ABS-KEY(aa) AND (LIMIT-TO(PUBYEAR, 2020) OR LIMIT-TO(PUBYEAR, 2019))",
        "aa AND (year:2020 OR year:2019)",
    ),
    ("TITLE-ABS-KEY(aa AND bb OR cc)", "aa AND (bb OR cc)"),
    (
        "TITLE-ABS-KEY({heart attack}) AND LANGUAGE(english) AND DOCTYPE(re)",
        '"heart attack" AND language:english AND type:review',
    ),
    ("TITLE(aa) AND NOT TITLE(bb) AND PUBYEAR = 2015", "title:aa NOT (title:bb AND year:2015)"),
]
WEB_OF_SCIENCE = [
    ("TOPIC: (heart failure) AND LANGUAGE: (English)", "heart AND failure AND language:English"),
    ("TS=(wom?n OR colo$r OR *cillin)", "wom?n OR colo$r OR *cillin"),
    (
        "TI=asthma AND DT=(Article OR Review) AND LA=English",
        'title:asthma AND (type:"journal article" OR type:review) AND language:English',
    ),
    ("TS=(aa AND bb OR cc)", "(aa AND bb) OR cc"),
    ("TS=(heart NEAR/2 failure) AND PY=2010-2015", "(heart NEAR/2 failure) AND year:2010-2015"),
    ("AU=(Smith J) AND SO=(Nature)", "(author:Smith AND author:J*) AND venue:Nature"),
    ('AB=("decision aid*") NOT TI=(editorial)', 'abstract:"decision aid*" NOT title:editorial'),
]
PUBMED = [
    ("aa[ti] OR bb[ti] AND cc[ti]", "(title:aa OR title:bb) AND title:cc"),
    ("exp Child [mesh] OR Infant[mh:noexp]", "mesh:Child OR mesh-only:Infant"),
    (
        "diagnosis[sh] AND english[la] AND medline[sb]",
        "subheading:diagnosis AND language:english AND subset:medline",
    ),
    ("cholangio?pancreas*[tiab] AND review[pt]", "tiab:cholangio$pancreas* AND type:review"),
    ("(bile duct[tiab] or duct[tiab]) AND gall*[tw]", '(tiab:"bile duct" OR tiab:duct) AND gall*'),
    ('"wounds and burns"[mesh] AND 2010:2015[dp]', 'mesh:"wounds and burns" AND year:2010-2015'),
]


CASES = {
    "Ovid": OVID,
    "Cochrane": COCHRANE,
    "EBSCO": EBSCO,
    "Embase.com": EMBASE,
    "ProQuest": PROQUEST,
    "Scopus": SCOPUS,
    "Web of Science": WEB_OF_SCIENCE,
    "PubMed": PUBMED,
}


@pytest.mark.parametrize(
    ("name", "text", "ours"),
    [(name, text, ours) for name, cases in CASES.items() for text, ours in cases],
)
def test_a_string_is_recognised_and_means(name, text, ours):
    system = detect_system(text.replace("“", '"').replace("”", '"'))
    assert system.name == name
    assert render(parse(text)) == render(parse(ours))


@pytest.mark.parametrize(
    "text",
    [
        "omega N3 fatty acids (fish oil) in children",
        "TI plasmid transfer in Agrobacterium",
        "what is the yes/no answer to https://arxiv.org/abs/2101.00001/",
        "costs in US$ 100 of benign/malignant tumours",
        "papers near Smith et al. 2015: is it so?",
        "medication and/or cognitive therapy",
        "equivalence between AND/OR graphs",
        "hypertrophy via AMPK/mTOR signaling",
        "quantum symmetries of SU(3) graphs",
        "talc for malignant pleural effusions [Abstract]",
        "What comes next after TS and DT in ML, e.g. in U.S. schools?",
    ],
)
def test_prose_is_of_no_system(text):
    assert count_tags(text) == 0


@pytest.mark.parametrize(
    ("text", "column", "reading"),
    [
        ("aa[ti] OR bb[ti] AND cc[ti]", 1, "(aa[ti] OR bb[ti]) AND cc[ti]"),
        ("aa[ti] AND bb[ti] OR cc[ti]", 1, "(aa[ti] AND bb[ti]) OR cc[ti]"),
        ("aa[ti] OR bb[ti] NOT cc[ti]", 1, "(aa[ti] OR bb[ti]) NOT cc[ti]"),
        ("TITLE(aa OR bb AND cc)", 6, "(aa OR bb) AND cc"),
        ("TITLE(aa AND bb OR cc)", 6, "aa AND (bb OR cc)"),
        ("TS=(aa AND bb OR cc)", 4, "(aa AND bb) OR cc"),
        ("aa.ti. or bb.ti. and cc.ti.", 1, "aa.ti. OR (bb.ti. AND cc.ti.)"),
        ("aa OR bb AND cc", 1, "aa OR (bb AND cc)"),
        ("aa bb OR cc", 1, "(aa AND bb) OR cc"),
        ("dd (aa bb OR cc)", 4, "(aa AND bb) OR cc"),
    ],
)
def test_a_mixture_without_parentheses_says_how_it_was_read(text, column, reading):
    [finding] = lint(text)
    assert finding.column == column
    assert f"read as {reading}" in finding.message


def test_parentheses_need_no_remark():
    assert lint("(aa.ti. or bb.ti.) and cc.ti.") == lint("(aa OR bb) AND cc") == []


@pytest.mark.timeout(30)  # a tenth of a second as it is, minutes were it quadratic
def test_blank_lines_without_end_are_of_no_system():
    """SEC-17"""
    assert detect_system("bees" + "\n" * 100_000 + "ants") is None
