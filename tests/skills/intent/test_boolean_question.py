import gzip
import json

import pytest

from paper_search.errors import QuestionError
from paper_search.library.samples import shipped_sample
from paper_search.models import ParsedIntent
from paper_search.skills import IntentParser
from paper_search.skills.intent.boolean_question import parse_boolean

ABSTRACT = """\
Where existing work leverages many examples with their start, their ending, and/or the class of the
action, we train a model of $\\gamma$ values that is fast (see 1 and 2).
1. We show that it is not harmed by noise in 3 of 4 sets
2. and that the gain is large.
"""


def read(text: str) -> ParsedIntent:
    found = parse_boolean(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "concepts", "alternatives"),
    [
        (
            '"graph neural network" AND (drug OR molecule) NOT survey',
            ["graph neural network", "drug"],
            {"drug": ["molecule"]},
        ),
        ("moss NOT lichen", ["moss"], {}),
        ("moss NEAR/3 lichen", ["moss", "lichen"], {}),
        ("title:moss AND year:2010-2015", ["moss"], {}),
        ("moss[tiab] AND lichen[tiab]", ["moss", "lichen"], {}),
        ("TS=(moss AND lichen)", ["moss", "lichen"], {}),
        ("TITLE-ABS-KEY(moss OR lichen)", ["moss"], {"moss": ["lichen"]}),
        ("lich* moss", ["lich*", "moss"], {}),
        ('"deep brain stimulation" tremor', ["deep brain stimulation", "tremor"], {}),
        ("“moss” AND lichen", ["moss", "lichen"], {}),
        ("author:Darwin moss", ["moss"], {}),
        ("tiabkw:asthma", ["asthma"], {}),
    ],
)
def test_a_query_gives_what_it_wants(text, concepts, alternatives):
    found = read(text)
    assert (found.concepts, found.alternatives) == (concepts, alternatives)


def test_authors_of_a_query_are_no_concepts():
    assert read("author:Darwin").concepts == []
    assert read("author:Darwin").question == "Darwin"


@pytest.mark.parametrize(
    "text",
    [
        "moss and lichen",
        '"deep brain stimulation" for tremor',
        "the OR of stroke in smokers with diabetes",
        "graph neural networks",
        "Deep learning: a review of the field",
        'a "quoted and never closed',
        "the special [LENGTH] token of the encoder and its use",
        "the reverse* of the medal in the game",
        "Subroutines for Time Series Data Reduction*",
        "effects of medication and/or cognitive behavioral therapy on anxiety in children",
        "remittances and/or foreign aid and household spending in Nepal",
        "MYTH AND RITUAL IN THE ANDES: A STUDY OF WATER",
        "DESCRIBES THE NEXT DECADE (FILMS AND SLIDES) IN THE VIEW OF LIBRARIANS.",
        "author: Doudna J, Cas9",
        "supply AND demand for credit in banks, what is known?",
        '+"deliberative poll" -"focus group"',
        ABSTRACT,
    ],
)
def test_prose_is_no_query(text):
    assert parse_boolean(text) is None


def test_no_title_of_the_sample_is_taken_for_a_query():
    records = gzip.decompress(shipped_sample().read_bytes()).decode().splitlines()
    titles = [json.loads(record)["title"] for record in records]
    assert len(titles) > 3_000
    assert [title for title in titles if parse_boolean(title)] == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ('"sleep apnea" AND/OR insomnia', '"sleep apnea" OR insomnia'),
        ('("heart failure" and/or stroke) AND sex', '("heart failure" OR stroke) AND sex'),
    ],
)
def test_and_or_in_a_query_is_or(text, query):
    found = read(text)
    assert found.boolean_query == query
    assert found.notes == ["'and/or' in the query is read as OR"]
    assert read('"and/or graphs" AND search').boolean_query == '"and/or graphs" AND search'


def test_a_field_of_one_word_before_a_name_of_two_is_noted_with_what_works():
    [note] = read("anxiety author:Asa Berta AND school").notes
    advice = note.partition("for all, write ")[2]
    assert read(f"anxiety {advice}").concepts == ["anxiety"]
    assert read("anxiety author:Berta AND School").notes == []


def test_a_query_that_wants_nothing_is_refused():
    with pytest.raises(QuestionError, match="only says what to exclude"):
        parse_boolean("NOT moss")
    assert read("year:2015 NOT moss").concepts == []


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("moss AND (lichen", 17),
        ("moss[xyz] AND lichen", 5),
        ("ti:moss", 1),
        ("SELECT * FROM papers WHERE 1=1 OR 2", 8),
    ],
)
def test_a_query_that_cannot_be_read_is_refused_with_the_column(text, column):
    with pytest.raises(QuestionError, match=rf"column {column}:.*use words") as caught:
        parse_boolean(text)
    assert "AND OR NOT" in str(caught.value)


STRATEGY = """\
1. exp Asthma/ (120)
2. wheez$.ti,ab.
3. 1 or 2
4. limit 3 to (english language and yr="2000 -Current")
5. 4 and journal article.pt.
"""


def test_a_pasted_strategy_is_read_with_its_lines_and_limits():
    found = read(STRATEGY)
    assert [line.label for line in found.lines] == ["1", "2", "3", "4", "5"]
    assert found.lines[1].text == "wheez$.ti,ab."
    assert found.lines[2].boolean_query == "mesh:Asthma OR tiab:wheez*"
    assert found.boolean_query == (
        "(mesh:Asthma OR tiab:wheez*) AND language:english AND year:2000-"
        ' AND type:"journal article"'
    )
    assert found.constraints.year_from == 2000
    assert found.constraints.language == "en"
    assert found.constraints.publication_types == ["article-journal"]
    assert found.concepts == ["Asthma"]
    assert "in the style of Ovid, 5 lines; line 5 is searched" in found.notes[0]


def test_a_strategy_with_a_mistake_is_refused_by_line_and_column():
    with pytest.raises(QuestionError, match=r"search strategy .* line 3, column 9: there is no"):
        parse_boolean("1. exp Asthma/\n2. wheez$.ti,ab.\n3. 1 or 7")


def test_how_and_and_or_are_grouped_without_parentheses_is_noted():
    [note] = read("(moss OR lichen) AND wall OR roof").notes
    assert note.endswith("read as ((moss OR lichen) AND wall) OR roof")
    assert read("moss AND (lichen OR (wall AND roof)) NOT tree").notes == []


async def test_what_is_excluded_in_words_behind_a_query_is_excluded_by_it():
    intent = await IntentParser().parse("(bee OR wasp) AND pesticide*, but not mice")
    assert intent.boolean_query == '((bee OR wasp) AND pesticide*) NOT ("mice")'
    assert "mice" not in intent.question


@pytest.mark.parametrize(
    "query", ["bee AND 2015", "(bee OR wasp) year:2015-2020", "bee NOT review"]
)
async def test_what_an_operator_joins_is_no_limit_behind_a_query(query):
    assert (await IntentParser().parse(query)).boolean_query == query


def test_who_asks_for_keywords_of_authors_is_told_what_a_library_has():
    found = parse_boolean("deep learning.ti,ab,kf.")
    assert found is not None
    style, keywords = found.notes
    assert style == 'read as a query in the style of Ovid: tiabkw:"deep learning"'
    assert keywords == (
        "author keywords: a library's records do not separate them from subject headings, so"
        " both are searched there"
    )


def test_the_query_of_a_numbered_line_is_asked_without_its_number_and_its_hits():
    found = parse_boolean("12\tasthma:ti,ab,kw\t1200")
    assert found is not None
    assert (found.boolean_query, found.topic) == ("asthma:ti,ab,kw", "asthma:ti,ab,kw")
    assert "'12' before the query is read as its line number" in found.notes
