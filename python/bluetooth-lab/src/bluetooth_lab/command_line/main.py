"""`lab COMMAND …`: finds the command, takes its words, and does what it is for."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import MutableMapping, Sequence

from bluetooth_lab import __version__
from bluetooth_lab.command_line import help as help_texts
from bluetooth_lab.command_line.actions import ACTIONS, apply
from bluetooth_lab.command_line.completion import candidates
from bluetooth_lab.command_line.parsing import HelpWanted, UsageError, find_command, parse_line
from bluetooth_lab.messages import fail
from bluetooth_lab.places import lab_home

WRONG_USAGE = 2  # the exit status of `lab` alone


def main(words: Sequence[str]) -> int:
    """Does what was typed, and gives the exit status."""
    try:
        status = run(words)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader is gone: nothing may be left to flush when this process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 128 + signal.SIGPIPE


def run(words: Sequence[str]) -> int:
    if not words:
        print(help_texts.text_of(), end="", file=sys.stderr)
        return WRONG_USAGE
    name, *rest = words
    if name in ("help", "-h", "--help"):
        return show_help(rest[0] if rest else "")
    if name == "--version":
        print(f"lab {__version__}")
        return 0
    if name == "complete":
        print("".join(f"{candidate}\n" for candidate in candidates(rest)), end="")
        return 0
    try:
        command = find_command(name)
        try:
            line = parse_line(command, rest)
        except HelpWanted:
            return show_help(name)
        # The tools that follow find it there, as do programs that they start.
        os.environ["LAB_HOME"] = str(lab_home(os.environ))
        take_installed_machine(os.environ)
        apply(line, os.environ)
        return ACTIONS[name](line, os.environ)
    except UsageError as error:
        fail(str(error))


def take_installed_machine(environment: MutableMapping[str, str]) -> None:
    """The machine that pip has installed beside this package, and this Python, which has what its user has installed.
    Neither is known to a Python without site packages, such as that of a clone."""
    if sys.flags.no_site:
        return
    if importlib.util.find_spec("bluetooth_lab_machine"):
        from bluetooth_lab_machine import FOLDER

        environment.setdefault("LAB_PREBUILT", str(FOLDER))
        environment.setdefault("LAB_PYTHON", sys.executable)


def show_help(topic: str) -> int:
    text = help_texts.text_of(topic)
    if text is None:
        fail(f"unknown command {topic}; see lab help")
    print(text, end="")
    return 0
