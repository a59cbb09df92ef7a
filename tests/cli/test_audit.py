"""`paper-search audit`."""


def test_the_audit_of_a_search_is_a_new_directory_and_its_counts_are_told(
    cli, done_by_hand, tmp_path
):
    ended = cli("audit", done_by_hand, "--output", "audit", code=0)
    assert "wrote" in ended.stderr
    assert "0 included" in ended.stderr
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "hepatotoxicity of molecules" in page

    again = cli("audit", done_by_hand, "--output", "audit", code=2)
    assert "already exists" in again.stderr
    assert (tmp_path / "audit" / "report.html").read_text() == page
