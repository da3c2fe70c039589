"""The arguments of the tool that runs a machine."""

from __future__ import annotations

import pytest

from bluetooth_lab.machine.options import parse


def refusal(said: list[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        parse(words)
    assert ended.value.code == 125
    return said[-1]


def test_without_options_nothing_is_asked_for() -> None:
    options = parse(["--", "true"])
    assert (options.controllers, options.command, options.joined) == (None, ["true"], [])


def test_the_commands_own_dashes_stay() -> None:
    assert parse(["--out", "x", "--", "sh", "--", "-c"]).command == ["sh", "--", "-c"]
    assert parse(["sh", "--out", "x"]).command == ["sh", "--out", "x"]


def test_joined_ports_are_names_and_descriptors() -> None:
    options = parse(["--joined", "peer=7", "--joined", "radio0=8", "--", "true"])
    assert options.joined == [("peer", 7), ("radio0", 8)]


def test_a_joined_port_needs_a_descriptor(said: list[str]) -> None:
    for value in ("peer", "peer=", "=7", "peer=x"):
        text = refusal(said, "--joined", value, "--", "true")
        assert f"invalid --joined {value}; expected PORT=DESCRIPTOR" in text


def test_a_number_of_controllers_that_no_radio_makes_is_a_mistake(said: list[str]) -> None:
    for number in ("0", "251", "-1"):
        assert "1 to 250" in refusal(said, f"--controllers={number}", "--", "true")


def test_no_command_is_a_mistake(said: list[str]) -> None:
    for words in ((), ("--",), ("--out", "x")):
        assert "no command to run" in refusal(said, *words)
