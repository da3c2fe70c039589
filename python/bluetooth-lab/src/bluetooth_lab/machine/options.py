"""The arguments of the tools that start machines and run commands in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from bluetooth_lab.machine.hardware import RADIOS
from bluetooth_lab.messages import fail

MOST_CONTROLLERS = max(RADIOS.values())
DEFAULT_CONTROLLERS = 2


class Options(NamedTuple):
    """What was asked for. `controllers` is None if nothing was said.

    `host` is the name of one of several hosts, whose names are `hosts`, a letter each; `prefix` begins every line that
    its command prints; `joined` are further ports, each a name and a descriptor whose other end another machine has.
    """

    controllers: int | None
    capture: str | None
    page: str | None
    air_page: str | None
    out: str | None
    bluez: str | None
    host: str
    hosts: str
    prefix: str
    joined: list[tuple[str, int]]
    command: list[str]


def parse(words: Sequence[str], has_command: bool = True) -> Options:
    """Ends this process where the words are not right."""
    parser = argparse.ArgumentParser(prog="lab run", add_help=False)
    parser.add_argument("--controllers", type=int)
    parser.add_argument("--capture")
    parser.add_argument("--page")
    parser.add_argument("--air-page")
    parser.add_argument("--out")
    parser.add_argument("--bluez")
    parser.add_argument("--host", default="")
    parser.add_argument("--hosts", default="")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--joined", action="append", default=[], type=port, metavar="PORT=DESCRIPTOR")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = Options(**vars(parser.parse_args(words)))
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if has_command and not command:
        fail("no command to run: ./lab run [OPTION…] -- COMMAND [ARG…]")
    if command and not has_command:
        fail(f"there is no command here: {' '.join(command)}")
    if options.controllers is not None and not 1 <= options.controllers <= MOST_CONTROLLERS:
        fail(f"--controllers takes 1 to {MOST_CONTROLLERS}")
    return options._replace(command=command)


def is_recorded(options: Options) -> bool:
    """Whether the command is recorded, for a page."""
    return bool(options.page or options.air_page)


def port(word: str) -> tuple[str, int]:
    """`NAME=DESCRIPTOR`"""
    name, _, descriptor = word.partition("=")
    return name, int(descriptor)
