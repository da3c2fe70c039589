"""`lab COMMAND …`: finds the command, takes its words, and does what it is for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from bluetooth_lab.command_line import help as help_texts
from bluetooth_lab.command_line.actions import ACTIONS, apply
from bluetooth_lab.command_line.completion import candidates
from bluetooth_lab.command_line.parsing import HelpWanted, UsageError, find_command, parse
from bluetooth_lab.command_line.version import version
from bluetooth_lab.messages import fail
from bluetooth_lab.places import lab_home

WRONG_USAGE = 2  # the exit status of `lab` alone


def main(words: Sequence[str]) -> int:
    if not words:
        print(help_texts.text_of(), end="", file=sys.stderr)
        return WRONG_USAGE
    name, *rest = words
    if name in ("help", "-h", "--help"):
        return show_help(rest[0] if rest else "")
    if name == "--version":
        print(f"lab {version()}")
        return 0
    if name == "complete":
        print("".join(f"{candidate}\n" for candidate in candidates(rest)), end="")
        return 0
    try:
        command = find_command(name)
        try:
            line = parse(command, rest)
        except HelpWanted:
            return show_help(name)
        # The tools that follow find it there, as do programs that they start.
        os.environ["LAB_HOME"] = str(lab_home(os.environ))
        apply(line, os.environ)
        return ACTIONS[name](line, os.environ)
    except UsageError as error:
        fail(str(error))


def show_help(topic: str) -> int:
    text = help_texts.text_of(topic)
    if text is None:
        fail(f"unknown command {topic}; lab help lists all")
    print(text, end="")
    return 0
