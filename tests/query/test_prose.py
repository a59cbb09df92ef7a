import pytest

from paper_search.query.prose import is_prose


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ('What is meant by "deep learning" in the literature?', True),
        ("REVIEW OF ARCHIVES AND LIBRARIES TODAY", True),
        ('Formatting systems, including "what you see": nroff, scribe, bravo', True),
        ('"deep learning" AND graph', False),
        ("title:graph AND (toxicity OR poison OR harm)", False),
        ("GRAPH AND DRUG", False),
        ('"exact phrase"', False),
        ('"the effect of caffeine on the sleep of adults"', False),
        ("Which methods use CT OR MRI for staging?", True),
        ("papers on CT OR MRI", True),
        ("the effect of CT OR MRI on the staging of cancer", True),
        ("the effect of caffeine on the sleep of adults[tiab]", False),
        ("TS=(effect of caffeine on the sleep of the old)", False),
        ("TITLE-ABS-KEY(the effect of caffeine on the old)", False),
        ("caffeine AND sleep", False),
        ("effects of caffeine AND sleep", True),
        ("Impact of HIV/AIDS AND Tariffs on Food Prices", True),
        ("fish in rivers NOT lakes", True),
        ("fish W/3 in rivers", False),
        ("exp Fishes/ and in rivers", False),
        ('fish in rivers AND "dead zone"', False),
        (r"Navier-Stokes-$\alpha$ models of $\times$ five flows", True),
        ("randomi$ed AND trial$", False),
    ],
)
def test_sentences_are_told_from_queries(text, *, is_so):
    assert is_prose(text) is is_so
