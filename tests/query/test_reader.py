"""Search strings of other systems are understood, or refused by column."""

import pytest

from paper_search.errors import QuerySyntaxError
from paper_search.query import lint, parse, render
from paper_search.query.parser import analyse


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        # PubMed
        (
            '"heart attack"[tiab] AND smith j[au] AND 2015:2019[dp]',
            'tiab:"heart attack" AND author:smith AND author:j* AND year:2015-2019',
        ),
        ("heart attack[tiab]", 'tiab:"heart attack"'),
        ("cancer*[Title/Abstract] NOT mice[ti]", "tiab:cancer* NOT title:mice"),
        ("(aspirin[ti] OR ibuprofen[ti]) AND pain", "(title:aspirin OR title:ibuprofen) AND pain"),
        ('asthma[tw] AND "Lancet"[ta]', "asthma AND venue:Lancet"),
        ('asthma AND "Smith, John"[Author]', "asthma AND author:Smith AND author:John"),
        ("asthma[ti] AND 2015[dp]", "title:asthma AND year:2015"),
        ("asthma[ti] AND 2015/03/01:2019/12[pdat]", "title:asthma AND year:2015-2019"),
        ("asthma[ti] AND 2015:3000[dp]", "title:asthma AND year:2015-"),
        (
            'asthma[ti] AND ("2015/01/01"[Date - Publication] : "3000"[Date - Publication])',
            "title:asthma AND year:2015-",
        ),
        ('"hip pain"[tiab:~3]', "tiab:(hip NEAR/3 pain)"),
        ('"Neoplasms"[MeSH Terms] AND drug[ti]', "mesh:Neoplasms AND title:drug"),
        ('"Neoplasms"[majr] AND drug[ti]', "majr:Neoplasms AND title:drug"),
        ("cancer[ti] AND review[pt]", "title:cancer AND type:review"),
        ("asthma[mh:noexp] AND english[la]", "mesh-only:asthma AND language:english"),
        ("Diagnosis, differential[mh]", 'mesh:"Diagnosis, differential"'),
        # Web of Science
        (
            "TI=(deep learning) AND AU=Smith J AND PY=2015-2019",
            "title:(deep learning) AND author:Smith AND author:J* AND year:2015-2019",
        ),
        ('TS=("neural net*" NEAR/3 bee) NOT TI=ant', '("neural net*" NEAR/3 bee) NOT title:ant'),
        ("TI=heart attack and AB=aspirin", "title:heart title:attack abstract:aspirin"),
        ("TS=(aa NEAR bb)", "aa NEAR/15 bb"),
        ("PY=(2015 OR 2017) AND SO=Nature", "(year:2015 OR year:2017) AND venue:Nature"),
        ("AU=(Smith J* OR Doe, A)", "(author:Smith author:J*) OR (author:Doe author:A*)"),
        # Scopus
        (
            'TITLE-ABS-KEY("deep learning" W/3 graph*) AND PUBYEAR > 2014 AND NOT TITLE(survey)',
            '("deep learning" NEAR/3 graph*) AND year:2015- AND NOT title:survey',
        ),
        ("TITLE-ABS(aa AND {bb cc})", 'tiab:(aa AND "bb cc")'),
        ("AUTH(smith) AND PUBYEAR BEF 2010", "author:smith AND year:-2009"),
        ("title-abs-key(aa) AND key (bb)", "aa AND keyword:bb"),
        ("ti=(aa) AND ts=bb", "title:aa AND bb"),
        ("TI=aa (bb OR cc) OR AB=dd", "title:(aa (bb OR cc)) OR abstract:dd"),
        ("(TI=aa) OR (AB=bb AND TI=cc dd)", "title:aa OR (abstract:bb title:(cc dd))"),
        ("TS=(aa AND wom?n colo$r)", "aa AND wom?n AND colo$r"),
        ("TS=aa NOT (TI=bb OR AU=Li X)", "aa NOT (title:bb OR (author:Li author:X*))"),
        ("TS=AD (aa OR bb)", "AD (aa OR bb)"),
        ("SRCTITLE(nature) AND PUBYEAR IS 2012", "venue:nature AND year:2012"),
        # where few other tags say whose they are
        ("PT research AND TI asthma", "type:research AND title:asthma"),
        ('(MH "Asthma+") AND ti child', "mesh:Asthma AND title:child"),
        ("AU smith AND TI asthma", "author:smith AND title:asthma"),
        ("TX asthma W5 child", "asthma PRE/5 child"),
        ("asthma[tiab] AND hasabstract", "tiab:asthma AND subset:hasabstract"),
        ("asthma[tiab] AND hasabstract[text]", "tiab:asthma AND subset:hasabstract"),
        ('MESH.EXACT("Asthma -- diet") AND ti(child)', 'mesh-only:"Asthma/diet" AND title:child'),
        ("TITLE-ABS-KEY(a) AND CASREGNUMBER(50-78-2)", "a AND substance:50-78-2"),
        ("1. asthma.m_titl.\n2. 1 and child.ti.", "title:asthma AND title:child"),
    ],
)
def test_a_foreign_search_string_means(text, ours):
    assert render(parse(text)) == render(parse(ours))


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("cancer[ti] AND utrecht[ad]", 23, "[ad]"),
        ("(hip pain)[tiab]", 11, "before [tiab]"),
        ("cancer[ti] AND foo[dp]", 19, "2015:2019[dp]"),
        ("cancer[ti] AND (drug[ti]", 25, "expected ')' for the '(' in column 16"),
        ("cancer[ti] OR OR drug[ti]", 15, "found 'OR'"),
        ("TS=aa AND WC=(Chemistry)", 11, "WC"),
        ("#1 AND TS=aa", 1, "#1"),
        ("TS=(aa SAME bb)", 8, "SAME"),
        ("TI=aa AND PY=abc", 11, "PY=2015-2019"),
        ("TITLE-ABS-KEY(aa AND)", 21, "found ')'"),
        ("TITLE-ABS-KEY(aa) AND LIMIT-TO(SUBJAREA, medi)", 23, "LIMIT-TO"),
        ("TITLE(aa", 9, "expected ')' for the '(' in column 6"),
        ("(asthma or wheez$.ti,ab.", 25, "expected ')' for the '(' in column 1"),
        ("asthma.ti,ab. and utrecht.in.", 26, "the tag .in. of Ovid has no counterpart"),
        ("(a and b) adj3 c.ti.", 11, "adj3 joins words, phrases or OR-groups"),
        ("limit 5 to english language", 7, "line 5 is not known here"),
        ("exp Asthma/ or", 15, "found the end"),
        ("(heart NEXT failure):zz", 21, "has no counterpart"),
        ("[mh Asthma] and )", 17, "found ')'"),
        ("TI asthma AND S3 OR S4", 15, "the line S3 is not known here"),
        ("'heart attack'/exp AND [pigeon]/lim", 24, "the limit 'pigeon' has no counterpart"),
        ("'heart attack'/exp AND (a:ti", 29, "expected ')' for the '(' in column 24"),
        ("NOFT(asthma) AND XX(child)", 18, "the field XX of ProQuest"),
        ("free full text[sb]", 1, ": only limits that have no counterpart here are left"),
        ("TITLE-ABS-KEY(aa) AND SUBJAREA(medi)", 23, "the field SUBJAREA of Scopus"),
        ("trial.ab. /freq=2", 11, "'/freq=2' is not valid in Ovid"),
        ('asthma.ti. or "heart', 15, "this quote is never closed"),
        # what is no word is refused even where it stands alone
        ("asthm$[tiab]", 6, ""),
        ("asthma[tiab] & child[tiab]", 14, ""),
        ("asthma[tiab]; child[tiab]", 13, ""),
        ("asthma[tiab] AND 12345678[uid]", 26, ""),
        ("asthma[tiab] AND y_5[filter]", 18, ""),
        ("TS=(asthma) & TS=(child)", 13, ""),
        ("TS=(asthma) AND WC=(Respiratory System)", 17, ""),
        ('ALL("heart attack")', 1, ""),
        ("all(asthma) AND peer(yes)", 1, ""),
        ("noft(asthma*2) AND ti(child)", 6, ""),
        ("noft(asthma) AND loc(Germany)", 18, ""),
        ("(ti(asthma) OR peer(yes)) AND ti(child)", 1, ""),
        ("TITLE-ABS-KEY(asthma) AND ISSN(1234)", 27, ""),
        ("TITLE-ABS-KEY(asthma) AND SRCTYPE(j)", 27, ""),
        ("asthma*.ti,ab,zz.", 1, ""),
        ("asthma.zz.", 1, ""),
        ("..l/1 yr=2010-2015", 1, ""),
        ("'asthma'/exp AND 'x'/co", 21, ""),
        ("'asthma'/exp AND ([embase]/lim OR child:ti)", 1, ""),
        ("asthma:zz AND [mh child]", 7, ""),
        ("TI asthma AND IS 1234-5678", 15, ""),
        ('(ZU "asthma") AND TI child', 2, ""),
        ('asthma[tiab] AND "last 5 years"[dp]', 32, ""),
        ("'asthma'/exp AND child*:ti,ab AND 'london':ad", 43, ""),
        ("'asthma'/exp AND child*:ti AND (acute NEAR/3 'room visit'):zz", 59, ""),
        ("TS=(telehealth AND rural) and 2019 (Publication Years) and Open Access", 60, ""),
        ("TITLE-ABS-KEY ( hydrogen AND steel ) AND REFPUBYEAR > 2015", 53, ""),
        ("ti(heat PRE/1 wave*) AND ab(mortality LNK deaths)", 39, ""),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_column_and_a_true_reason(text, column, said):
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.column == column
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '"cancer[ti]" AND "TI=x"',
        "title AND (graph)",
        "vitamin [12]",
        "x=1 AND all (things)",
        "AD(alzheimer) DO (more)",
    ],
)
def test_our_own_language_is_not_mistaken_for_another(text):
    assert analyse(text).system is None


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("noft(asthma) AND peer(yes)", "asthma"),
        ("TI asthma AND FT Y", "title:asthma"),
        ("TITLE-ABS-KEY(asthma) AND OPENACCESS(1)", "asthma"),
        ("'asthma'/exp/dm_dt AND 'child'/exp", "asthma AND child"),
        ("noft(asthma)\nDate: After 2015", "asthma AND year:2015-"),
        ("(sepsis[tiab:~0]) AND free full text[sb]", "tiab:sepsis"),
        (
            "#1 (salt near diet*):ti,ab\n#2 rice:ti\n#3 #1 and #2 in Trials",
            "tiab:(salt NEAR/6 diet*) AND title:rice",
        ),
        ("migrain*:ti,ab AND [2000-2010]/py NOT [medline]/lim", "tiab:migrain* AND year:2000-2010"),
        pytest.param(
            "# 2 1,204 #1 AND LANGUAGE: (English)\nIndexes=SCI-EXPANDED Timespan=All years\n"
            '# 1 41,230 TITLE: ("heat stress") AND TOPIC: (cattle)\nIndexes=SSCI',
            'title:"heat stress" AND cattle AND language:English',
        ),
        ("TI reading AND ZW preschool AND RV Y", "title:reading AND keyword:preschool"),
        (
            "1. asthma.ti.\n2. limit 1 to english language [Limit not valid in Embase]",
            "title:asthma AND language:english",
        ),
    ],
)
def test_what_is_left_out_is_named(text, ours):
    assert render(parse(text)) == render(parse(ours))
    assert any("left out" in note.message or "read as" in note.message for note in lint(text))
