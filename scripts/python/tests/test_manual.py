"""Manual pages from what programs say about themselves."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bluetooth_lab.command_line.commands import COMMANDS, Command
from repository import manual

LAB_PAGE = manual.lab_page("1.2", "2026-11-23")
ARGUMENT = {
    "abstract": "The adapter's name.",
    "isOptional": True,
    "isRepeating": False,
    "kind": "option",
    "names": [{"kind": "long", "name": "adapter"}, {"kind": "short", "name": "a"}],
    "shouldDisplay": True,
    "preferredName": {"kind": "long", "name": "adapter"},
    "valueName": "name",
    "defaultValue": "hci0",
}
POSITIONAL = {"abstract": "What.", "isOptional": False, "isRepeating": True, "kind": "positional", "valueName": "value"}
COMMAND = {
    "abstract": "A sensor.",
    "commandName": "sensor",
    "defaultSubcommand": "run",
    "discussion": "It runs.\n\n  sensor run > file\n  sensor stop\n\n"
    "EXIT STATUS\n  0   done\n  64  wrong\n      usage\n",
    "subcommands": [
        {"abstract": "Run it.", "commandName": "run", "arguments": [ARGUMENT]},
        {
            "abstract": "Services.",
            "commandName": "service",
            "subcommands": [{"abstract": ".dots and 'quotes'", "commandName": "add", "arguments": [POSITIONAL]}],
        },
        {"abstract": "Hidden.", "commandName": "measure", "shouldDisplay": False},
        {"abstract": "Help.", "commandName": "help"},
    ],
}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page of a program that prints these commands."""
    program = tmp_path / "sensor"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'command': COMMAND})}\nEND\n")
    program.chmod(0o755)
    monkeypatch.setitem(manual.SEE_ALSO, "sensor", ("other",))
    assert manual.main([str(tmp_path / "pages"), "1.2", "2026-11-23", str(program)]) == 0
    return (tmp_path / "pages/sensor.1").read_text()


def test_a_page_has_commands_with_all_their_words_and_no_hidden_ones(page: str) -> None:
    assert ".SS sensor run (the default)\n" in page
    assert ".SS sensor service add\n" in page
    assert "measure" not in page
    assert ".SS sensor help" not in page


def test_arguments_have_names_texts_and_defaults(page: str) -> None:
    assert "\\fBsensor run\\fR [\\fB\\-\\-adapter\\fR \\fIname\\fR]" in page
    text = ".TP\n\\fB\\-\\-adapter\\fR, \\fB\\-a\\fR \\fIname\\fR\nThe adapter\\(aqs name. Default: hci0."
    assert text in page
    assert "\\fBsensor service add\\fR \\fIvalue\\fR..." in page


def test_tables_and_examples_are_set_as_such(page: str) -> None:
    assert ".SH EXIT STATUS\n.TP\n\\fB0\\fR\ndone\n.TP\n\\fB64\\fR\nwrong\nusage" in page
    assert ".nf\nsensor run > file\nsensor stop\n.fi" in page


def test_text_is_no_command_to_roff(page: str) -> None:
    assert "\n\\&.dots and \\(aqquotes\\(aq" in page


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_page_of_the_lab_has_every_command_and_option(command: Command) -> None:
    section = LAB_PAGE.partition(f".SS lab {command.name}\n")[2].partition("\n.S")[0]
    assert f"lab {command.name}" in section.splitlines()[1]
    for option in command.options:
        assert f"\n\\fB{manual.escape(option.name)}" in section


@pytest.mark.skipif(not shutil.which("groff"), reason="there is no groff")
def test_groff_has_nothing_to_say(page: str) -> None:
    for text in (page, LAB_PAGE):
        words = ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"]
        result = subprocess.run(words, input=text.encode(), capture_output=True, check=True)
        assert result.stderr == b""
        assert b"NAME" in result.stdout
