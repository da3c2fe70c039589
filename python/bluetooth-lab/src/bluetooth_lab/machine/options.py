"""What was asked for of a command in the lab, and of the machine that it runs in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bluetooth_lab.command_line import options as table
from bluetooth_lab.command_line.commands import Command
from bluetooth_lab.command_line.options import Option
from bluetooth_lab.command_line.parsing import Line, UsageError, parse_line
from bluetooth_lab.messages import fail

DEFAULT_CONTROLLERS = 2


def joined_port(value: str) -> str:
    name, _, descriptor = value.partition("=")
    if not name or not descriptor.isdecimal():
        raise ValueError("PORT=DESCRIPTOR")
    return value


# The lab's own tools start a machine with these as well.
THIS_HOST = Option("--this-host", "HOST", "One of several hosts.")
ALL_HOSTS = Option("--all-hosts", "HOSTS", "The names of all.")
PREFIX = Option("--prefix", "TEXT", "Begins every line that the command prints.")
RECORDS_ITSELF = Option("--records-itself", "", "The command keeps records of its own, as tests do.")
QUIET = Option("--quiet", "", "Do not print the steps of its start.")
SESSION = Option("--session", "DESCRIPTOR", "The other end of the port session0, if that is joined.")
JOINED = Option("--joined", "PORT=DESCRIPTOR", "A port whose other end another machine has.", check=joined_port)
MACHINE = Command(
    "machine",
    (),
    "",
    "",
    (
        *(table.CONTROLLERS, table.CAPTURE, table.LIVE, table.PAGE, table.AIR_PAGE, table.OUT, table.BLUEZ),
        *(THIS_HOST, ALL_HOSTS, PREFIX, QUIET, RECORDS_ITSELF, SESSION, JOINED),
    ),
)


class Options(NamedTuple):
    """`controllers` is None if nothing was said; `bluez`: the folder of one. `host` is the name of one of several
    hosts, whose names are `hosts`, a letter each; `joined` are further ports, each a name and a descriptor whose other
    end another machine has, or the calendar that several get their time from (machine/calendar.py), as is `session`,
    where our end of the command's line is. `live`: where packets are passed on to as they come. `is_quiet`: whether
    the steps of the start are not printed. `records_itself`: whether the command keeps records of its own.
    `is_repetition`: of a run, with which it will be compared; an interrupt then raises KeyboardInterrupt."""

    command: Sequence[str] = ()
    controllers: int | None = None
    capture: str | None = None
    page: str | None = None
    air_page: str | None = None
    out: str | None = None
    bluez: str | None = None
    host: str = ""
    hosts: str = ""
    prefix: str = ""
    joined: Sequence[tuple[str, int]] = ()
    live: str | None = None
    session: int | None = None
    is_quiet: bool = False
    records_itself: bool = False
    is_repetition: bool = False

    @classmethod
    def of(cls, line: Line, command: Sequence[str] | None = None) -> Options:
        """`command`: in place of that of the line."""
        number = line.value("--controllers")
        session = line.value("--session")
        ports = (value.partition("=") for value in line.values("--joined"))
        return cls(
            line.rest if command is None else command,
            int(number) if number else None,
            line.value("--capture"),
            line.value("--page"),
            line.value("--air-page"),
            line.value("--out"),
            line.value("--bluez"),
            line.value("--this-host") or "",
            line.value("--all-hosts") or "",
            line.value("--prefix") or "",
            [(name, int(descriptor)) for name, _, descriptor in ports],
            line.value("--live"),
            int(session) if session else None,
            line.has("--quiet"),
            line.has("--records-itself"),
        )

    @property
    def is_recorded(self) -> bool:
        """Whether the command is recorded, for a page."""
        return bool(self.page or self.air_page)


def parse(words: Sequence[str]) -> Options:
    """Of a tool that starts a machine. Ends this process if the words are invalid."""
    try:
        options = Options.of(parse_line(MACHINE, words))
    except UsageError as error:
        fail(str(error))
    if not options.command:
        fail("no command to run")
    return options
