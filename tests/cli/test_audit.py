"""`paper-search audit`."""


def test_the_audit_of_a_search_is_a_new_directory_and_its_counts_are_told(
    cli, done_by_hand, tmp_path
):
    ended = cli("audit", done_by_hand, "--output", "audit", code=0)
    assert "wrote" in ended.stderr
    assert "0 included" in ended.stderr
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "hepatotoxicity of molecules" in page

    again = cli("audit", done_by_hand, "--output", "audit", code=1)
    assert "exists already" in again.stderr
    assert (tmp_path / "audit" / "report.html").read_text() == page


def test_the_counts_are_printed_as_json(cli, done, tmp_path):
    document = cli("audit", done, "--output", "audit", "--json").document
    assert document["output"] == str(tmp_path / "audit")
    flow = document["flow"]
    assert flow["identified"] == flow["duplicates"] + flow["works"] > 0
    assert set(document["files"]) >= {"records.csv", "report.md", "manifest-sha256.txt"}


def test_a_thread_that_is_not_there_leaves_no_directory(cli, tmp_path):
    assert cli("audit", "nobody", "--output", "audit").code == 4
    assert not (tmp_path / "audit").exists()
