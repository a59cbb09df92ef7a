"""Two people who screen the same papers, and what they disagree on."""

KEYS = "[q]uit > "


def test_two_people_decide_apart_and_settle_what_they_disagree_on(cli, reviewing):
    first = cli("screen", reviewing, "--json").document["queue"][0]["id"]
    for name, keys in (("ada", "rr"), ("bo", "ri")):
        ended = cli("screen", reviewing, "--reviewer", name, typed=[*keys, "q"], code=0)
        ended.shows(*[KEYS] * 3, "stay separate until all reviewers are done")
        own = cli("screen", reviewing, "--reviewer", name, "--json").document
        assert len(own["marks"]) == 2
    assert cli("screen", reviewing, "--json").document["marks"] == []
    alone = cli("screen", reviewing, typed=["q"], code=0)
    alone.shows(
        "ada, bo decide independently on these papers", "counts for the thread at once", KEYS
    )

    blind = cli("reconcile", reviewing, "--json").document
    assert blind["is_blind"]
    assert blind["conflicts"] == []
    refused = cli("reconcile", reviewing, "--relevant", first, code=2)
    assert "not all reviewers are done" in refused.stderr

    for name in ("ada", "bo"):
        assert cli("screen", reviewing, "--reviewer", name, "--done").code == 0
    refused = cli("reconcile", reviewing, "--relevant", first, "--irrelevant", "x")
    assert (refused.code, "'x' is not a paper of this result" in refused.stderr) == (2, True)
    told = cli("reconcile", reviewing)
    assert "Decided by several: 2 (1 included, 0 excluded, 1 in conflict)." in told.stderr
    assert "Agreement: 50%; Cohen's kappa: 0.00." in told.stderr
    assert "decided now, as all agree: 1 paper\n" in told.stderr

    assert "relevant: ada; not: bo" in told.stdout
    [conflict] = cli("reconcile", reviewing, "--json").document["conflicts"]
    assert conflict["settled"] is None
    why = ("--irrelevant", conflict["paper_id"], "--reason", "no molecules")
    assert cli("reconcile", reviewing, *why).code == 0
    assert cli("resume", reviewing, "--approve").code == 0
    out = cli("export", reviewing, "--format", "json", "--decision", "excluded").stdout
    assert conflict["paper_id"] in out
    assert "no molecules" in out
    assert cli("screen", reviewing, "--reviewer", "ada").code != 0


def test_options_that_do_not_go_together_are_refused(cli, reviewing):
    assert "--reviewer" in cli("screen", reviewing, "--done").stderr
    unnamed = cli("screen", reviewing, "--reviewer", "a/b", "--json")
    assert (unnamed.code, unnamed.stdout) == (2, "")
    assert "'a/b' is not a valid name of a reviewer" in unnamed.stderr
    for ids in ((), ("--relevant", "1", "--irrelevant", "2")):
        told = cli("reconcile", reviewing, *ids, "--reason", "x")
        assert (told.code, "--reason needs either" in told.stderr) == (2, True)
    told = cli("reconcile", reviewing, code=0)
    assert "at least two" in told.stderr
