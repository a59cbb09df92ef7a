"""Strategies as eight systems print them are read as they are meant, or refused by line.

All but the last test have strategies that were composed for them.
"""

import json
import os
from pathlib import Path

import pytest
from benchmarks.strategies import answer, checker

from paper_search.errors import QuerySyntaxError
from paper_search.query import parse, render
from paper_search.query.parser import analyse

case = pytest.param
PUBLISHED = (
    Path(os.environ.get("PAPER_SEARCH_SHARED", Path(__file__).parents[3] / "shared"))
    / "data"
    / "strategies_as_printed"
)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        # Ovid
        case(
            "1 *Cataract/su, dt [Surgery, Drug Therapy] (8412)\n2 day surgery.ti. (12)\n"
            "3 1 and 2 (3)",
            '(majr-only:"Cataract/su" OR majr-only:"Cataract/dt") AND title:"day surgery"',
        ),
        case(
            "1     exp Asthma/ or asthma*.ti,ab,kw,kf. (200123)\n"
            "2     (child* or pediatric* or paediatric*).tw,hw. (2500000)\n"
            "3     1 and 2 (60000)\n"
            '4     limit 3 to (yr="2015 - 2020" and (english or french)) (9000)\n'
            "5     limit 4 to humans (8000)\n",
            "(mesh:Asthma OR tiabkw:asthma*) AND (child* OR pediatric* OR paediatric*) AND "
            "year:2015-2020 AND (language:english OR language:french) AND subset:humans",
        ),
        case(
            "1 asthma.ti.\n2 limit 1 to (slovak language or swahili)\n3 2 and hun.la.",
            "title:asthma AND (language:slovak OR language:swahili) AND language:hungarian",
        ),
        case(
            "1 exp *Kidney Failure, Chronic/\n2 (dialysis or h?emodialysis).ti.\n3 1 or 2\n"
            "4 exercis*.ti. and 3\n5 limit 4 to ed=20200101-20201231",
            'title:exercis* AND (majr:"Kidney Failure, Chronic" OR title:dialysis OR '
            'title:h$emodialysis) AND entered:"2020-01-01/2020-12-31"',
        ),
        case("1 gout.ti. 812\n2 diet.ti.\n3 1 and 2 47", "title:gout AND title:diet"),
        case(
            "1 (vitamin adj d).ti. and (fall or falls or fracture$1).ab.\n"
            "2 animals/ not (animals/ and humans/)\n3 1 not 2",
            'title:"vitamin d" AND (abstract:fall OR abstract:falls OR abstract:"fracture$") AND '
            "(NOT (mesh-only:animals AND (NOT (mesh-only:animals AND mesh-only:humans))))",
        ),
        # PubMed
        case(
            "Search\tAdd to builder\tQuery\tItems found\tTime\n"
            "#3\tAdd\tSearch #1 NOT #2\t1187\t05:14:33\n"
            "#2\tAdd\tSearch review[pt]\t31\t05:13:58\n"
            "#1\tAdd\tSearch pessar*[tiab]\t2104\t05:12:41",
            "tiab:pessar* AND (NOT type:review)",
        ),
        case(
            "Search: asthma[tiab] AND (child*[tiab] OR infan*[tiab]) Filters: Review, from "
            "2018/1/1 - 2020/12/31 Sort by: Most Recent",
            "tiab:asthma AND (tiab:child* OR tiab:infan*) AND type:review AND year:2018-2020",
        ),
        case(
            "gout[ti]\nFilters: Review, English, from 2015 to\n2020",
            "title:gout AND type:review AND language:english AND year:2015-2020",
        ),
        case(
            "TS=(gout)\nTimespan: 2010\n-2020\nRefined by: DOCUMENT TYPES: (ARTICLE)\n"
            "AND LANGUAGES:\n(ENGLISH)",
            'gout AND year:2010-2020 AND type:"journal article" AND language:english',
        ),
        case(
            "Search\tQuery\tResults\n#3\t#1 AND #2\t4\n#2\t(hip[ti] OR\nknee[ti])\t12\n"
            "#1\tpain[ti]\nOR ache[ti]\t9",
            "(title:pain OR title:ache) AND (title:hip OR title:knee)",
        ),
        case("Land- und Forstwirtschaft[ti]", 'title:"Land- und Forstwirtschaft"'),
        case(
            'Search number,Query,Sort By,Filters,Results,Time\n3,"#1 AND #2",,,2113,10:01:22\n'
            '2,"sleep[ti]",,English,21130,10:01:20\n1,"shift work*[tiab]",,,1999,10:01:15',
            'tiab:"shift work*" AND title:sleep AND language:english',
        ),
        case(
            "(gout[mh] OR gout[tiab]) NOT (animals[mh] NOT humans[mh]) AND 2015:2020[edat]",
            "(mesh:gout OR tiab:gout) AND (NOT (mesh:animals AND (NOT mesh:humans))) AND "
            'entered:"2015-01-01/2020-12-31"',
        ),
        # Cochrane Library
        case(
            "#1 (acupressure):ti,ab,kw\n#2 (nausea or vomit*):ti,ab,kw\n#3 #1 and #2\n214 results",
            "acupressure AND (nausea OR vomit*)",
        ),
        case(
            "#1\t[mh Hypertension[mj]]\t120\n#2\tdiuretic*:ti,ab,kw\t800\n#3\t#1 and #2\t10",
            "majr:Hypertension AND diuretic*",
        ),
        case(
            '#1 (pain and (neck or cervical)):ti\n#2 "manual therapy":ti,ab OR massage:ti\n'
            "#3 #1 AND #2 AND (2015 or 2016):py",
            'title:pain AND (title:neck OR title:cervical) AND (tiab:"manual therapy" OR '
            "title:massage) AND (year:2015 OR year:2016)",
        ),
        case(
            "#1 tinnitus:ti,ab,kw\n#2 masker?:ti,ab\n#3 (hearing NEXT aid*):ti,ab\n"
            "#4 #1 AND (#2 OR #3) NOT (letter:pt OR comment:pt)",
            'tinnitus AND (tiab:"masker$" OR tiab:"hearing aid*") AND (NOT (type:letter OR '
            "type:comment))",
        ),
        # Embase.com
        case(
            "(‘loneliness’/exp OR ‘social* isolat*’:ti,ab)\nAND befriending:ti,ab",
            '(loneliness OR tiab:"social* isolat*") AND tiab:befriending',
        ),
        case("'heart attack' AND exercise", '"heart attack" AND exercise'),
        case(
            "#1 'knee arthroplasty'/exp/mj OR 'knee replacement*':ti,ab,kw\n"
            "#2 'tranexamic acid'/exp OR tranexamic:ti\n"
            "#3 #1 AND #2 AND ('article'/it OR 'article in press'/it) AND [01-03-2020]/sd",
            '("knee arthroplasty" OR tiabkw:"knee replacement*") AND ("tranexamic acid" OR '
            'title:tranexamic) AND (type:"journal article" OR type:"article in press") AND '
            'entered:"2020-03-01/"',
        ),
        case(
            "#3. #1 AND #2 17\n#2. ((wound* OR 'skin graft') NEAR/3 dress*):ab,ti 4,101\n"
            "#1. 'burn':ti OR burns:ti 9,200",
            '(title:burn OR title:burns) AND ((tiab:wound* OR tiab:"skin graft") NEAR/3 '
            "tiab:dress*)",
        ),
        # Web of Science
        case(
            '(AK=("open data") OR TI=("open data")) and AB=(reus*)\n3,214 results',
            '(keyword:"open data" OR title:"open data") AND abstract:reus*',
        ),
        case(
            "#1 TI=(algae NEAR/4 biofuel*)\n#2 #1 AND PY=(2010-2015) NOT DT=(Editorial Material)",
            '(title:algae NEAR/4 title:biofuel*) AND year:2010-2015 AND (NOT type:"editorial '
            'material")',
        ),
        # Scopus
        case("a W/3 b", "a NEAR/3 b"),
        case(
            'TITLE-ABS-KEY ( "urban farm*" AND ( soil OR roof ) ) AND PUBYEAR > 2014 AND ( '
            'LIMIT-TO (DOCTYPE, "ar") OR LIMIT-TO ( DOCTYPE , "cp" ) ) AND ( EXCLUDE ( LANGUAGE '
            ', "French" ) )',
            '"urban farm*" AND (soil OR roof) AND year:2015- AND (type:"journal article" OR '
            "type:congress) AND (NOT language:french)",
        ),
        case(
            "TITLE ( gene ) OR ABS ( drive ) AND NOT KEY ( mosquito )",
            "(title:gene OR abstract:drive) AND (NOT keyword:mosquito)",
        ),
        # EBSCOhost
        case("(TI exercise) AND (AB depression)", "title:exercise AND abstract:depression"),
        case(
            "#,Query,Limiters/Expanders,Results\n"
            "S2,S1 AND AB resilience,Search modes - Find all my search terms,12\n"
            'S1,TI "nurse* burnout",,99',
            'title:"nurse* burnout" AND abstract:resilience',
        ),
        case(
            'S1 (MH "Pain, Postoperative+/DT/PC") OR TI (postoperative N2 pain)\n'
            "S2 TI music OR AB music\nS3 S1 AND S2\nS4 S3 AND EM 20190101-20191231",
            '(mesh:"Pain, Postoperative/dt/pc" OR (title:postoperative NEAR/2 title:pain)) AND '
            'tiab:music AND entered:"2019-01-01/2019-12-31"',
        ),
        # ProQuest
        case(
            'ti("sign language" AND interpret*)\n'
            "Additional limits - Date: From January 01 2010 to December 31 2018; Language: "
            "English",
            'title:"sign language" AND title:interpret* AND year:2010-2018 AND language:english',
        ),
        case(
            'ti("reading difficult*") AND ab(interven*)\n'
            "Additional limits - Date: From 2015 to 2019; Language: English",
            'title:"reading difficult*" AND abstract:interven* AND year:2015-2019 AND '
            "language:english",
        ),
        case(
            'S1 noft(gambl* NEAR/5 online)\nS2 MJMAINSUBJECT.EXACT("Adolescents") OR ti(teen*)\n'
            'S3 S1 AND S2 NOT rtype.exact("Editorial")',
            "(gambl* NEAR/5 online) AND (keyword:Adolescents OR title:teen*) AND (NOT "
            "type:editorial)",
        ),
    ],
)
def test_a_printed_strategy_means(text, ours):
    assert render(parse(text)) == ours


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        # a word that a soft hyphen cuts at the end of a row
        case(
            "1. (gait or neuro\u00ad\npathy).ti.\n2. diabet*.ti.\n3. 1 and 2",
            "(title:gait OR title:neuropathy) AND title:diabet*",
        ),
        case(
            "1. neuro\u00ad\npathy pain.ti.\n2. foot.ti.\n3. 1 and 2",
            'title:"neuropathy pain" AND title:foot',
        ),
        # limits in rows below the query
        case(
            "noft(tutoring)\nLimits applied\nLimited by: Peer reviewed\nDate: From 2011 to 2014\n"
            "Source type: Scholarly Journals\nLanguage: French",
            "tutoring AND year:2011-2014 AND language:french",
        ),
        case(
            "S1 noft(tutoring)\nS2 noft(prison*)\nS3 S1 AND S2\nLimits applied\nDatabases: ERIC\n"
            "Date: From 2011 to 2014\nLanguage: French",
            "tutoring AND prison* AND year:2011-2014 AND language:french",
        ),
        case("tutor*[ti]\nFilters applied\nFrench", "title:tutor* AND language:french"),
        # years behind a line of the Cochrane Library
        case(
            "#1 ozone:ti\n#2 caries:ti\n#3 #1 and #2 from 2001 to 2004",
            "title:ozone AND title:caries AND year:2001-2004",
        ),
        case(
            "#1 ozone:ti\n#2 caries:ti\n#3 #1 and #2, from 2001, in Trials",
            "title:ozone AND title:caries AND year:2001-",
        ),
        # headings in rows of their own
        case(
            "Patients:\n(gout[mh] OR gout[ti])\nAND\nTreatment:\ncherr*[ti]",
            "(mesh:gout OR title:gout) AND title:cherr*",
        ),
        case("# patients\ngout\nAND\n# treatment\ncherr*", "gout AND cherr*"),
        case(
            "# Part 1: gout\n1. gout.ti.\n\n# Part 2: cherries\n2. cherr*.ti.\n# Both\n3. 1 and 2",
            "title:gout AND title:cherr*",
        ),
        case("Patients:\nTI gout\nTreatment:\nTI cherr*\nS1 AND S2", "title:gout AND title:cherr*"),
        # labels in bullets and brackets, counts in front of the query
        case(
            "• #1: gout:ti (31)\n• #2: cherr*:ti (8)\n• #3: #1 AND #2 (1)",
            "title:gout AND title:cherr*",
        ),
        case(
            "[S1] TI(gout)\n[S2] TI(cherr*)\n[S3] [S1] NOT [S2]",
            "title:gout AND (NOT title:cherr*)",
        ),
        case("S1 TI gout\nS2 TI cherr*\n[S1] NOT [S2]", "title:gout AND (NOT title:cherr*)"),
        case("(1) gout.ti.\n(2) cherr*.ti.\n(1) not (2)", "title:gout AND (NOT title:cherr*)"),
        case(
            'S3 (1) S1 AND S2\nS2 (8) TI cherr*\nS1 (3,100) DE "Gout"',
            "keyword:Gout AND title:cherr*",
        ),
        # cells of several rows
        case(
            "#\tQuery\tLimiters/Expanders\tLast Run Via\tResults\n"
            "S2\tS1 AND TI cherr*\tLimiters - Date Published: 20010101-20041231\n"
            "Search modes - Boolean/Phrase\tInterface - EBSCOhost\nDatabase - CINAHL\t1\n"
            "S1\tTI gout\nOR AB gout\tSearch modes - Boolean/Phrase\tInterface - EBSCOhost\n"
            "Database - CINAHL\t3,100",
            "tiab:gout AND title:cherr* AND year:2001-2004",
        ),
        case(
            "Search number,Query,Sort By,Filters,Results,Time\n"
            '2,"#1 AND cherr*[ti]",,"French,\nHumans",1,10:01:20\n1,"gout[ti]",,,31,10:01:15',
            "title:gout AND title:cherr* AND language:french AND subset:humans",
        ),
        # quotes in a table belong to the query
        case(
            '#\tSearches\tResults\n1\t"Bites and Stings"/ or exp Ants/\t31\n2\t"first aid".ti.\t8\n'
            "3\t1 and 2\t1",
            '(mesh-only:"Bites and Stings" OR mesh:Ants) AND title:"first aid"',
        ),
        case(
            '#\tQuery\tResults\nS2\t"S1 AND TI ""first aid"""\t1\nS1\tTI ants\t31',
            'title:ants AND title:"first aid"',
        ),
        case(
            "Search ID#\tSearch Terms\tSearch Options\tActions\n"
            "S2\tS1 AND TI stings\tLimiters - Published Date: 20010101-20041231\n"
            "Search modes - Boolean/Phrase\tView Results (1)\nView Details\nEdit\n"
            "S1\tTI ants\tSearch modes - Boolean/Phrase\tView Results (31)\nView Details\nEdit",
            "title:ants AND title:stings AND year:2001-2004",
        ),
        case(
            "#1 TITLE(ants) [Document results: 3,100]\n#2 TITLE(stings) [Document results: 8]\n"
            "#3 #1 AND #2 [Document results: 1]",
            "title:ants AND title:stings",
        ),
        case("ants[ti] AND stings[ti] (1,200 results)", "title:ants AND title:stings"),
        case("noft(ants) AND ab(stings) 120 hits", "ants AND abstract:stings"),
        case("ants AND stings (120 results)", "ants AND stings"),
        case("TITLE(ants)\nAND TITLE(stings)\n120 document results", "title:ants AND title:stings"),
        # filters of PubMed
        case(
            "ants[ti] AND (french[Filter]) AND (casereports[Filter] OR meta-analysis[sb]) "
            "NOT (animals[Filter])",
            'title:ants AND language:french AND (type:"case reports" OR type:meta-analysis) AND '
            "(NOT subset:animals)",
        ),
        # names of concepts before them
        case(
            "P: (ants[ti] OR bees[ti])\nAND\nOutcome (any): (stings[ti])",
            "(title:ants OR title:bees) AND title:stings",
        ),
        case("P - (ants.ti.)\nAND\nO - (stings.ti.)", "title:ants AND title:stings"),
        case(
            "**Animals**\n#1 ants:ti\n**Both**\n#2 #1 and stings:ti", "title:ants AND title:stings"
        ),
        case("TOPIC: (ants) AND TITLE: (stings)", "ants AND title:stings"),
        # rows that a page breaks
        case(
            '#1 ants[ti] OR "fire\nants"[ti]\n#2 stings[ti]\n#3 #1 AND #2',
            '(title:ants OR title:"fire ants") AND title:stings',
        ),
        case(
            "1. ants.ti.\n2. stings.ti.\n3. 1 and 2\nFinal: 3 not letter.pt.",
            "title:ants AND title:stings AND (NOT type:letter)",
        ),
        case(
            "S1 TI ants\nS2 S1 AND TI stings\nNarrow by SubjectThesaurus0: - bees",
            "title:ants AND title:stings AND bees",
        ),
        # "$" is a wildcard of three systems
        case(
            "TI=((tum$r OR carcinoma$) AND dog$)",
            '(title:tum$r OR title:"carcinoma$") AND title:"dog$"',
        ),
        case("carcinoma$ and dog$", "carcinoma* AND dog*"),
    ],
)
def test_what_printing_does_to_a_strategy_changes_nothing(text, ours):
    assert render(parse(text)) == ours


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        *(
            case(f"{query}\nPeer reviewed", 2, "expected AND, OR or NOT before 'Peer'")
            for query in (
                "noft(gout)", "TITLE-ABS-KEY(gout)", "TS=gout", "TI gout", "gout[ti]", "gout.ti.",
                "'gout'/exp", "gout:ti", "gout AND diet",
            )
        ),
        case("Patients\n(gout[mh] OR gout[ti])", 2, "expected AND, OR or NOT before '('"),
        case("TI gout\nPeer reviewed\nTI diet", 2, "expected AND, OR or NOT before 'Peer'"),
        case(
            '#,Query,Results\nS2,"fear and anger" AND S1,5\nS1,TI ants OR TI bees,10',
            2, "is not valid in EBSCO",
        ),
        case("1. ants.ti.\n2. 1 and bees.ti.\n(Library)", 3, "this row has no number"),
        case('S1 TI ants\nS2 S1 AND TI bees\n"The Library"', 3, "this row has no number"),
        case("1. ants.ti.\nbees.ti.\n2. 1 and stings.ti.", 2, "this row has no number"),
        case(
            "S1 TI ants\nS2 S1 AND TI bees\nNarrow by SubjectAge: - infant: 1-23 months",
            3, "the limit 'subjectage: infant: 1-23 months' has no counterpart",
        ),
        case("TITLE(neuro-\npathy)", 1, "'neuro-' is cut at the hyphen"),
        case("1. gout.ti.\n2. (neuro-\npathy or foot).ti.\n3. 1 and 2", 2, "'neuro-' is cut"),
        case('"neuro-\npathy"[ti] AND gout[ti]', 1, "'neuro-' is cut at the hyphen"),
    ],
)  # fmt: skip
def test_a_row_that_may_be_no_part_of_the_query_is_refused(text, line, said):
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert (caught.value.line or 1) == line
    assert said in str(caught.value)


def test_a_half_word_that_means_something_is_read():
    assert render(parse("(pre- or post-natal).ti.")) == 'title:"pre-" OR title:post-natal'


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("gout\nAND\nTreatment:\ncherr*", "Treatment:"),
        ("gout[ti]\nAND\nTreatment:\ncherr*[ti]", "Treatment:"),
        ("1. Gout\n  podagra.ti.\n2. cherr*.ti.\n3. 1 and 2", "Gout"),
    ],
)
def test_a_heading_that_is_left_out_is_named(text, heading):
    assert (1, f"read as a heading and left out: {heading!r}") in analyse(text).notes


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        # Ovid
        case(
            "1. (back adj2 pain).ti,ab.\n2. yoga.ti,ab. use ppez\n3. 1 and 2\n"
            "4. remove duplicates from 3\n5. limit 4 to last 5 years",
            5,
            "the limit 'last 5 years'",
        ),
        case(
            "1 exp *Kidney Failure, Chronic/\n2 (dialysis or h?emodialysis).ti.\n3 1 and 2\n"
            "4 3 and ed=20200101-20201231",
            4,
            "'=20200101-20201231' is not valid in Ovid",
        ),
        case(
            "1 (stroke and aphasia).ti.\n2 (comment or editorial or letter).pt.\n3 1 not 2\n"
            "4 3 and 2:4",
            4,
            "':4' is not valid in Ovid",
        ),
        # Cochrane Library
        case(
            "#1 MeSH descriptor: [Burns] explode all trees\n#2 silver:ti,ab,kw\n"
            "#3 #1 AND #2 with Cochrane Library publication date in the last month",
            3,
            "the limit 'date: in the last month'",
        ),
        # Web of Science
        case(
            'TS=("school meal*")\nRefined by: WEB OF SCIENCE CATEGORIES: (NUTRITION DIETETICS)\n'
            "Timespan: 2010-2020. Indexes: SSCI.",
            2,
            "the limit 'WEB OF SCIENCE CATEGORIES: (NUTRITION DIETETICS)'",
        ),
        # EBSCOhost
        case(
            "S3 S1 AND S2 Limiters - Published Date: 20120101-20181231; Language: English, "
            "French; Age Groups: Adult: 19-44 years\n"
            "S2 TI nurs*\nS1 TI burnout",
            1,
            "the limit 'Age Groups: Adult: 19-44 years'",
        ),
        # ProQuest
        case(
            "S1 ti(drones) AND pd(last12months)\nS2 ab(van)\nS3 S1 AND S2",
            1,
            "expected years as in PD=2015-2019",
        ),
    ],
)
def test_a_printed_strategy_is_refused_in_the_line_that_has_no_counterpart(text, line, said):
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert (caught.value.line or 1) == line
    assert said in str(caught.value)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the printed strategies are not here")
def test_no_printed_strategy_is_read_wrong_without_a_word(capsys):
    rows = (PUBLISHED / "strategies.jsonl").read_text(encoding="utf-8").splitlines()
    assert checker(PUBLISHED).check(answer, map(json.loads, rows)) == 0
    assert capsys.readouterr().out.split()[-3:] == ["108", "0", "0"]
