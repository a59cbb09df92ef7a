"""The commands that are printed start this program, however it was started."""

from pathlib import Path

from paper_search.cli.console import command_line, print_json


def program_at(folder: Path) -> Path:
    folder.mkdir()
    program = folder / "paper-search"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def test_a_program_outside_of_the_path_is_named_as_it_was_typed(tmp_path, monkeypatch):
    program_at(tmp_path / "its bin")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.argv", ["its bin/paper-search"])
    assert command_line("threads") == "'its bin/paper-search' threads"


def test_every_value_can_be_printed_as_json(capsysbinary):
    for value in ({"a": [1, "é"]}, {"half": "\ud800"}, {"many": 2**70}):
        print_json(value)
    half, many = '{\n  "half": "\ufffd"\n}\n', f'{{\n  "many": {2**70}\n}}\n'
    first = '{\n  "a": [\n    1,\n    "é"\n  ]\n}\n'
    assert capsysbinary.readouterr().out.decode() == first + half + many
