"""The options of the lab's commands, each defined once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

HOSTS_BY_NAME = "abcdefgh"  # several hosts, a letter for each
MOST_HOSTS = len(HOSTS_BY_NAME)
# What makes controllers, and how many at most. The first one is the default.
RADIOS = {"virtual": 250, "btvirt": 16}
MOST_CONTROLLERS = max(RADIOS.values())


class Kind(Enum):
    """What a value is, for completion."""

    WORD = "word"
    FILE = "file"
    FOLDER = "folder"
    LAB = "lab"  # the name of a lab that is up
    VARIABLE = "variable"


class Option(NamedTuple):
    """`value`: how help names its value, nothing for a flag; `values`: all that it takes, if they are few; `check`:
    gives the value as it is passed on, or raises ValueError with what is expected instead."""

    name: str
    value: str
    text: str
    values: Sequence[str] = ()
    kind: Kind = Kind.WORD
    check: Callable[[str], str] | None = None

    @property
    def takes_value(self) -> bool:
        return bool(self.value)

    def checked(self, value: str) -> str:
        """Raises ValueError with a sentence if it is wrong."""
        if self.values and value not in self.values:
            expected = " or ".join(filter(None, [", ".join(self.values[:-1]), self.values[-1]]))
            raise ValueError(f"{self.name} takes {expected}, not {value}")
        try:
            return self.check(value) if self.check else value
        except ValueError as error:
            raise ValueError(f"{self.name} {error}, not {value or 'nothing'}") from None


def matching(pattern: str, expected: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"takes {expected}")
        return value

    return check


def number(least: int, most: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not value.isdecimal() or len(value) > 9 or not least <= int(value) <= most:
            raise ValueError(f"takes {least} to {most}")
        return value

    return check


def absolute(value: str) -> str:
    """A path of the folder where it was typed."""
    return str(Path(value).absolute())


def new_file(value: str) -> str:
    if not value or Path(value).is_dir():
        raise ValueError("takes a file")
    return absolute(value)


def readable_file(value: str) -> str:
    if not Path(value).is_file():
        raise ValueError("takes a file that is there")
    return absolute(value)


def existing_folder(value: str) -> str:
    if not Path(value).is_dir():
        raise ValueError("takes a folder that is there")
    return absolute(value)


def shard(value: str) -> str:
    numbers = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", value)
    if not numbers or int(numbers[1]) > int(numbers[2]):
        raise ValueError("takes K/N, such as 2/5, with K from 1 to N")
    return value


PACKAGE = Option(
    "--package", "FOLDER", "Work in FOLDER instead of the current folder.", (), Kind.FOLDER, existing_folder
)
CONTROLLERS = Option(
    "--controllers",
    "N",
    "Make N virtual controllers: hci0, hci1, … (default: 2; at most 250, or 16 with btvirt). With several hosts each "
    "has N (default: 1; at most 16 in all).",
    check=number(1, MOST_CONTROLLERS),
)
TIME = Option(
    "--time",
    "CLOCK",
    "How time passes in the lab. real: as on this machine; the lab is late when this machine is busy. counted: by what "
    "the lab's processor executes; idle time passes as on this machine. simulated: likewise, but idle time takes no "
    "time. counted needs software emulation; simulated needs that or user-mode Linux, and one host. Default: real; "
    "test and up: counted where software emulation is used.",
    ("real", "counted", "simulated"),
)
RADIO = Option(
    "--radio",
    "RADIO",
    "What makes the controllers: this package's virtual-radio (virtual, the default), or BlueZ's btvirt, which has "
    "none of the next four options.",
    tuple(RADIOS),
)
CONTROLLER = Option(
    "--controller",
    "VERSION",
    "Controllers of Bluetooth 4.2, or with extended advertising (5.x, the default).",
    ("4.2", "5.x"),
)
AIR = Option(
    "--air",
    "AIR",
    "Packets take no time and none is lost (ideal, the default), or they do and are (real).",
    ("ideal", "real"),
)
SEED = Option(
    "--seed", "N", "All chance on the air follows from N (default: 1).", check=matching("[0-9]{1,18}", "a number")
)
SCENE = Option(
    "--scene",
    "FILE",
    "Who is where, and what happens: docs/radio.md. Its time begins when Bluetooth is up, and anew with lab reset. "
    "Its air is real unless it says otherwise. In the lab, virtual-radio changes it: virtual-radio help.",
    (),
    Kind.FILE,
    readable_file,
)
ENV = Option(
    "--env",
    "NAME[=VALUE]",
    "Pass a variable to the lab; without VALUE, with the value that it has here.",
    (),
    Kind.VARIABLE,
    matching("(?s)[A-Za-z_][A-Za-z0-9_]*(=.*)?", "NAME or NAME=VALUE"),
)
CAPTURE = Option(
    "--capture",
    "FILE",
    "Write the HCI traffic of all controllers as btsnoop, for Wireshark or btmon -r.",
    (),
    Kind.FILE,
    new_file,
)
BLUEZ = Option(
    "--bluez",
    "PATH|VERSION",
    "Use the bluetoothd, bluetoothctl, btvirt and btmon of this folder, an installation or a build tree, or a release "
    "such as 5.82, which is downloaded from Debian and built.",
    (),
    Kind.FOLDER,
)
NAME = Option("--name", "NAME", "The name of a lab that stays up (default: default).", (), Kind.LAB)
FRESH = Option("--fresh", "", "Start a machine even if a lab is up.")
OUT = Option(
    "--out", "FOLDER", "Keep the output in FOLDER (default: a new folder in .lab/runs).", (), Kind.FOLDER, absolute
)
PAGE = Option(
    "--page",
    "FILE",
    "Record the run, and write it as one HTML file: packets, bus messages, logs and output over time. The command "
    "has no terminal then.",
    (),
    Kind.FILE,
    new_file,
)
AIR_PAGE = Option(
    "--air-page",
    "FILE",
    "The same for the air: a map on which devices move, links and their strengths, and packets.",
    (),
    Kind.FILE,
    new_file,
)
HOSTS = Option(
    "--hosts",
    "N",
    f"Start N machines, 1 to {MOST_HOSTS}. Each has its own kernel, bus, bluetoothd and controllers; only the virtual "
    "radio joins them.",
    [str(number) for number in range(1, MOST_HOSTS + 1)],
)
HOST = Option(
    "--host", "HOST", "With --hosts: what follows, -- COMMAND [ARG…], runs on this host (a, b, …).", ("a", "b")
)

LIST = Option("--list", "", "Print the tests that would run, and run none; they are built.")
SHARD = Option(
    "--shard",
    "K/N",
    "Run the Kth of N parts, such as 2/5: on N machines, each test runs once, and the parts take about as long as one "
    "another, by .test-durations.json of the package's folder; see lab help merge.",
    check=shard,
)
JUNIT = Option("--junit", "FILE", "Also write the results as one JUnit file.", (), Kind.FILE, new_file)
REPEAT = Option(
    "--repeat",
    "N",
    "Run the tests N times; a machine that has started runs several rounds. What failed how often is printed at the "
    "end. Of each test, the record of the first failure is kept.",
    check=matching("[1-9][0-9]{0,5}", "a number of rounds from 1 on"),
)
UNTIL_FAILURE = Option(
    "--until-failure",
    "",
    "Run the tests again and again until one fails, at most N times with --repeat N. Ctrl-C ends it and prints the "
    "results so far.",
)
NIGHTLY = Option(
    "--nightly",
    "",
    "Also run what takes long. The tests find LAB_THOROUGH=1, and have 5,400 s in each machine.",
)
DURATIONS = Option(
    "--durations",
    "FOLDER",
    "Write how long the tests took to FOLDER/.test-durations.json, by which lab test --shard balances the shards of "
    "the package in FOLDER.",
    (),
    Kind.FOLDER,
    absolute,
)
COMPARE = Option(
    "--compare",
    "FOLDER",
    "Also show what differs from this record, such as that of a run that passed.",
    (),
    Kind.FOLDER,
    absolute,
)
PAGE_OUT = Option(
    "--out",
    "FILE",
    "Write FILE (default: page.html in FOLDER, or RECORDING's name with .html).",
    (),
    Kind.FILE,
    new_file,
)
JSON = Option("--json", "", "Print JSON.")
ALL = Option("--all", "", "All labs that are up.")
SOCKET = Option("--socket", "PATH", "The control socket of a sensor in the lab (default: that of dittojay).")
UI_RADIO = Option("--radio", "PATH", "The control socket of the radio in the lab.")
PORT = Option("--port", "N", "Serve on this port.", check=number(0, 65535))
BROWSER = Option("--browser", "", "Also install Chromium, for tests of web pages.")
PEERS = Option(
    "--peers",
    "",
    "Also install the other Bluetooth libraries and programs that this package is tested with: a Python environment, "
    ".lab/peers (Fixtures/peers/nightly.txt), BlueZ 5.82 for its btgatt-client, and tshark.",
)
UML = Option(
    "--uml",
    "",
    "Also build the kernel for user-mode Linux from the sources of the distribution's kernel, which takes some "
    "minutes. The lab runs in it from then on. lab test builds it by itself.",
)
CACHED = Option("--list", "", "Print what is in the cache, with its size and last use.")
CLEAN = Option("--clean", "", "Remove from the cache what was not used for a month.")
HELP = Option("--help", "", "Show this help.")

RADIO_OPTIONS = (RADIO, CONTROLLER, AIR, SEED, SCENE)
MACHINE_OPTIONS = (PACKAGE, CONTROLLERS, TIME, *RADIO_OPTIONS, ENV, BLUEZ, NAME)
RUN_OPTIONS = (*MACHINE_OPTIONS, FRESH, CAPTURE, OUT)
