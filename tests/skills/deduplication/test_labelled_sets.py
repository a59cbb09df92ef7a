"""What is reached on labelled sets of other people: a floor under the figures of the benchmark."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[3] / "../shared/data"


@pytest.mark.parametrize(
    ("name", "least_f1", "most_lost"),
    [
        ("asysd_testset", 0.995, 0),
        ("bibdedupe_respiratory", 0.985, 0),
        ("bibdedupe_haematology", 0.89, 0),
        ("exp_mis_baseline", 0.995, 0),
        ("cora", 0.90, 22),
        ("dblp_acm", 0.96, 25),
        ("dblp_scholar_pairs_structured_valid", 0.79, 12),
        ("arxiv_20k", 0.989, 1),
    ],
)
def test_a_labelled_set_is_resolved_as_well_as_before(name, least_f1, most_lost):
    if not (DATA / f"dedup_{name}").exists():
        pytest.skip("the labelled sets are not here")
    from benchmarks import dedup

    papers = dedup.papers_of(list(dedup.read(name)))
    groups = dedup.our_clusters(papers)
    pairs, _, lost, _ = dedup.scores(name, [paper.id for paper in papers], groups)
    assert float(pairs.split(" / ")[2]) >= least_f1
    assert lost <= most_lost
