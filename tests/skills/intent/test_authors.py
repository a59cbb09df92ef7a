from __future__ import annotations

import pytest

from paper_search.skills.intent.authors import read_authors
from paper_search.skills.intent.cutting import without_cuts


@pytest.mark.parametrize(
    ("text", "names", "rest"),
    [
        ("papers by Vaswani on attention", ["Vaswani"], "papers on attention"),
        ("papers by vaswani on attention", ["vaswani"], "papers on attention"),
        ("works of Geoffrey Hinton", ["Geoffrey Hinton"], "works"),
        ("papers from Geoffrey Hinton on learning", ["Geoffrey Hinton"], "papers on learning"),
        ("articles by Smith and Jones", ["Smith", "Jones"], "articles"),
        ("causality by J. Pearl", ["J. Pearl"], "causality"),
        ("research by Hannah Arendt about power", ["Hannah Arendt"], "research about power"),
        ("papers by O'Brien et al. on sleep", ["O'Brien"], "papers on sleep"),
        (
            "studies by Maria Garcia-Lopez, Jan van der Berg and Li Wei on cells",
            ["Maria Garcia-Lopez", "Jan van der Berg", "Li Wei"],
            "studies on cells",
        ),
        ("attention written by Vaswani", ["Vaswani"], "attention"),
        ("attention by Vaswani and colleagues", ["Vaswani"], "attention"),
        ("Artikel von Heinrich Böll über Köln", ["Heinrich Böll"], "Artikel über Köln"),
        ("books by Marie Curie since then", ["Marie Curie"], "books since then"),
        ("graph theory by Erdős or Rényi", ["Erdős", "Rényi"], "graph theory"),
        ("the earliest works of Alan Turing", ["Alan Turing"], "the earliest works"),
        ("novels by Jane Austen", ["Jane Austen"], "novels"),
        ("anything by Turing or Church", ["Turing", "Church"], "anything"),
    ],
)
def test_names_of_persons_are_authors(text: str, names: list[str], rest: str) -> None:
    found = read_authors(text)
    assert list(found.names) == names
    assert without_cuts(found.rest) == rest


@pytest.mark.parametrize(
    "text",
    [
        "learning by means of examples",
        "image recognition by deep learning",
        "image recognition by Deep Learning",
        "papers from China on obesity",
        "papers from Stanford University",
        "treatment of cancer",
        "theory of Einstein",
        "studies of Parkinson disease",
        "papers by women on physics",
        "papers by nurses",
        "papers by robots on art",
        "parameter estimation by Gibbs sampling",
        "solutions by Monte Carlo",
        "papers by using graphs",
        "Image Recognition by Graph Cuts",
        "the transformer proposed by Vaswani",
        "research that extends the work of Zaheer et al. by clusters",
        "articles by Salton or others about clusters",
        "articles by Prieve or Udo Pooch Prieve, B.",
        "by and by",
        "papers by",
    ],
)
def test_other_words_are_no_authors(text: str) -> None:
    found = read_authors(text)
    assert (found.names, found.rest) == ((), text)


def test_authors_who_are_not_wanted_are_named_in_a_note() -> None:
    found = read_authors("deep learning, not by Hinton")
    assert found.names == ()
    assert "NOT author:Hinton" in found.notes[0]
    assert "Hinton" not in found.rest
