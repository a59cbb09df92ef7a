import json
from pathlib import Path

import pytest

from paper_search.errors import InputError
from paper_search.evaluation.runs import Label, LabelledQuestion, read_labels
from paper_search.models import RawPaper


def written(tmp_path: Path, text: str, name: str = "labels.csv") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_table_has_questions_papers_and_labels(tmp_path):
    path = written(
        tmp_path,
        "Question,DOI,Title,Label,Year\n"
        "q1,https://doi.org/10.1000/A,,1,2019\n"
        "q1,,A title,irrelevant,\n"
        "q1,,Not labelled yet,,\n"
        "q2,,Another,yes,soon\n",
    )
    one, two = read_labels(path)
    assert (one.question, [label.is_relevant for label in one.labels]) == ("q1", [True, False])
    assert (one.labels[0].paper.doi, one.labels[0].paper.year) == ("10.1000/a", 2019)
    assert two.labels[0].paper.title == "Another"
    found = RawPaper(title="Whatever", doi="10.1000/a", source="s")
    assert one.labels[0].identity.is_described_by(found)


def test_a_review_of_one_question_is_read_with_the_question_given(tmp_path):
    rows = [{"title": "T", "abstract": "A", "included": "1"}, {"title": "U", "included": "0"}]
    path = written(tmp_path, "\n".join(map(json.dumps, rows)), "review.jsonl")
    [asked] = read_labels(path, "what of it")
    assert [label.is_relevant for label in asked.labels] == [True, False]
    assert asked.labels[0].paper.abstract == "A"
    with pytest.raises(InputError, match="--question"):
        read_labels(path)


def test_a_folder_of_a_benchmark_is_read(tmp_path):
    corpus = [{"_id": f"d{n}", "title": f"Title {n}", "text": "t"} for n in range(5)]
    written(tmp_path, "\n".join(map(json.dumps, corpus)), "corpus.jsonl")
    written(tmp_path, '{"_id": "1", "text": "asked"}\n{"_id": "2", "text": "b"}', "queries.jsonl")
    written(tmp_path, "1\td3\t1\n1\td4\t0\n1\tgone\t1\n2\tgone\t1", "qrels.tsv")
    [asked] = read_labels(tmp_path)
    relevant = [label.paper.title for label in asked.labels if label.is_relevant]
    assert (asked.question, relevant, len(asked.labels)) == ("asked", ["Title 3"], 5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("question,title\nq,t\n", "no column label"),
        ("question,title,label\nq,t,maybe\n", "line 2: the label 'maybe' is not 1 or 0"),
        ("question,title,label\nq,,1\n", "line 2: there is neither a title nor a DOI"),
        ("question,title,label\nq,t,0\n", "no paper labelled relevant"),
        ("", "no paper labelled relevant"),
    ],
)
def test_a_table_that_cannot_be_used_says_what_to_give(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        read_labels(written(tmp_path, text))
    with pytest.raises(InputError, match="cannot read"):
        read_labels(tmp_path / "none.csv")


def test_a_sample_has_relevant_papers_in_half_of_its_places_and_is_always_the_same():
    labels = [
        Label(RawPaper(id=str(n), title=str(n), source="s"), is_relevant=n < 30) for n in range(90)
    ]
    asked = LabelledQuestion("q", labels)
    sample = asked.sampled(20)
    assert sum(label.is_relevant for label in sample.labels) == 10
    assert sample == asked.sampled(20)
    few = LabelledQuestion("q", labels[:32]).sampled(20)
    assert sum(label.is_relevant for label in few.labels) == 18
    assert sum(label.is_relevant for label in asked.sampled(500).labels) == 30
