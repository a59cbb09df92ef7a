"""`paper-search threads`, `show`, `export` and `delete`."""

import pytest


def test_show_says_what_each_source_will_be_sent(cli, waiting):
    assert "What each source will be sent" not in cli("show", waiting).stdout
    shown = cli("show", waiting, "--details").stdout
    assert "What each source will be sent" in shown
    sent = cli("show", waiting, "--json").document["translations"]
    assert {report["source"] for report in sent} == {"sample"}
    assert all(item["texts"] and not item["requests"] for item in sent)


def test_deleting_needs_a_yes_where_nobody_can_be_asked(cli, done):
    ended = cli("delete", done, code=2)
    assert "--yes" in ended.stderr
    assert cli("delete", done, "--yes", "--json").document == {"thread_id": done, "deleted": True}
    assert cli("threads", "--json").document == []


@pytest.mark.parametrize("thread", ["unknown", "no UTF-8: \udcff"])
def test_unknown_threads_are_not_found(cli, thread):
    for words in (
        ("show",), ("export",), ("delete", "--yes"), ("export", "--format", "ris"), ("usage",)
    ):  # fmt: skip
        ended = cli(*words, thread, code=4)
        assert repr(thread) in ended.stderr
        assert ended.stdout == ""


def test_references_are_exported_in_the_style_of_a_file(cli, done, tmp_path):
    missing = cli("export", done, "--format", "nowhere.csl", code=2)
    assert "no reference style 'nowhere.csl'" in missing.stderr
    (tmp_path / "titles.csl").write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0"><info>'
        "<title>t</title><id>t</id><updated>2026-01-01T00:00:00+00:00</updated></info><citation>"
        '<layout><text variable="title"/></layout></citation><bibliography><layout suffix="!">'
        '<text variable="title"/></layout></bibliography></style>'
    )
    ended = cli("export", done, "--format", "titles.csl")
    papers = cli("export", done, "--format", "json").document["papers"]
    assert ended.stdout.splitlines()[0].startswith(papers[0]["title"][:20])
    assert len(ended.stdout.splitlines()) == len(papers)
