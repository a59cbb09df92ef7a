"""The test kit of exporters finds what is wrong."""

import itertools

import pytest

from paper_search.models import PaperCollection
from paper_search.testing.exporters import check_exporter, collection_of, nasty_papers


def good(collection: PaperCollection) -> str:
    return "\n".join(ascii(paper.title) for paper in collection.papers)


def raises(collection: PaperCollection) -> str:
    raise ValueError(collection.metadata.query)


def returns_bytes(collection: PaperCollection) -> str:
    return good(collection).encode()  # type: ignore[return-value]  # the mistake under test


def loses_the_last(collection: PaperCollection) -> str:
    return good(collection.model_copy(update={"papers": collection.papers[:-1]}))


def changes_its_input(collection: PaperCollection) -> str:
    for paper in collection.papers:
        paper.abstract = None
    return good(collection)


def lets_control_characters_through(collection: PaperCollection) -> str:
    return "\n".join(paper.title for paper in collection.papers)


def writes_surrogates(collection: PaperCollection) -> str:
    return good(collection) + "\ud800"


def test_a_good_exporter_passes():
    check_exporter(good, count_records=lambda text: len(text.splitlines()))


@pytest.mark.parametrize(
    ("exporter", "problem"),
    [
        (raises, "no papers: raised ValueError"),
        (returns_bytes, "returned bytes, not str"),
        (loses_the_last, "lost marker0000x"),
        (changes_its_input, "the collection was changed"),
        (lets_control_characters_through, r"control character '\\x00' in the result"),
        (writes_surrogates, "not encodable as UTF-8"),
    ],
)
def test_each_mistake_is_named(exporter, problem):
    with pytest.raises(AssertionError, match=problem):
        check_exporter(exporter)


def test_an_exporter_that_changes_its_mind_is_caught():
    numbers = itertools.count()
    with pytest.raises(AssertionError, match="two calls gave two results"):
        check_exporter(lambda collection: f"{good(collection)}{next(numbers)}")


def test_records_that_fall_apart_are_counted():
    def breaks_lines(collection: PaperCollection) -> str:
        return "\n".join(paper.title.replace("\x00", "") for paper in collection.papers)

    with pytest.raises(AssertionError, match=r"1 papers became [2-9] records"):
        check_exporter(breaks_lines, count_records=lambda text: len(text.splitlines()))


def test_all_problems_are_listed_at_once():
    with pytest.raises(AssertionError) as caught:
        check_exporter(raises)
    assert str(caught.value).count("\n- ") == len(nasty_papers()) + 2


def test_a_collection_of_papers_keeps_their_order():
    papers = nasty_papers()[:3]
    assert collection_of(*papers).papers == papers
    assert collection_of(*papers).metadata.total_found == 3
