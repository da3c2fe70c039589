"""The options of the lab's commands, each defined once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.explore.variation import checked as checked_variation
from bluetooth_lab.explore.variation import new_seed

HOSTS_BY_NAME = "abcdefgh"  # several hosts, a letter for each
MAXIMUM_HOSTS = len(HOSTS_BY_NAME)
# What makes controllers, with the maximum number. The first one is the default.
RADIOS = {"virtual": 250, "btvirt": 16}
MAXIMUM_CONTROLLERS = max(RADIOS.values())
SEED_NUMBER = "[0-9]{1,18}"


class Kind(Enum):
    """What a value is, for completion."""

    WORD = "word"
    FILE = "file"
    FOLDER = "folder"
    LAB = "lab"  # the name of a running lab
    VARIABLE = "variable"


class Option(NamedTuple):
    """`value`: how help names its value, nothing for a flag; `values`: all that it takes, if they are few; `check`:
    returns the value as it is passed on, or raises ValueError with what is expected."""

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
            raise ValueError(f"invalid {self.name} {value}; expected {expected}")
        try:
            return self.check(value) if self.check else value
        except ValueError as error:
            raise ValueError(f"invalid {self.name} {value or repr(value)}; expected {error}") from None


def matching(pattern: str, expected: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(expected)
        return value

    return check


def number(least: int, most: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not value.isdecimal() or len(value) > 9 or not least <= int(value) <= most:
            raise ValueError(f"{least} to {most}")
        return value

    return check


def absolute(value: str) -> str:
    """A path of the folder where it was typed."""
    return str(Path(value).absolute())


def seed(value: str) -> str:
    return new_seed() if value == "random" else matching(SEED_NUMBER, "a number or random")(value)


def new_file(value: str) -> str:
    if not value or Path(value).is_dir():
        raise ValueError("a file")
    return absolute(value)


def readable_file(value: str) -> str:
    if not Path(value).is_file():
        raise ValueError("an existing file")
    return absolute(value)


def existing_folder(value: str) -> str:
    if not Path(value).is_dir():
        raise ValueError("an existing folder")
    return absolute(value)


def shard(value: str) -> str:
    numbers = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", value)
    if not numbers or int(numbers[1]) > int(numbers[2]):
        raise ValueError("K/N, such as 2/5, with K from 1 to N")
    return value


PACKAGE = Option(
    "--package", "FOLDER", "Work in FOLDER instead of the current folder.", (), Kind.FOLDER, existing_folder
)
CONTROLLERS = Option(
    "--controllers",
    "N",
    "Make N virtual controllers: hci0, hci1, … (default: 2; limit: 250, with btvirt 16). With several hosts, N per "
    "host (default: 1; limit: 16 in all).",
    check=number(1, MAXIMUM_CONTROLLERS),
)
TIME = Option(
    "--time",
    "CLOCK",
    "The lab's clock. real: this machine's; a busy machine makes the lab late. counted: by the instructions that the "
    "lab's processor executes; idle time passes as on this machine. simulated: likewise, but idle time is skipped. "
    "counted needs software emulation; simulated needs user-mode Linux or, with one host, software emulation. Default: "
    "real; for test and up in software emulation, counted.",
    ("real", "counted", "simulated"),
)
RADIO = Option(
    "--radio",
    "RADIO",
    "The radio that makes the controllers: this package's virtual-radio (virtual, the default), or BlueZ's btvirt, "
    "which does not support the next five options.",
    tuple(RADIOS),
)
CONTROLLER = Option(
    "--controller",
    "VERSION",
    "The controllers' Bluetooth version: 4.2, or 5.x with extended advertising (default).",
    ("4.2", "5.x"),
)
AIR = Option(
    "--air",
    "AIR",
    "ideal (default): packets take no time and are never lost; real: they take time and may be lost.",
    ("ideal", "real"),
)
SEED = Option(
    "--seed",
    "N",
    "Random seed of the air (default: the scene's, or 1); random: another one each time. With --time simulated in "
    "user-mode Linux, of everything random in the lab: a run with the same seed is the same (docs/explore.md).",
    check=seed,
)
VARY = Option(
    "--vary",
    "KINDS",
    "With --seed, --time simulated and user-mode Linux: what the seed varies. all, none, or some of delays, "
    "programs, bluetoothd, bus, costs, radio, numbers (default: radio,numbers), as lab explore prints it.",
    check=checked_variation,
)
SCENE = Option(
    "--scene",
    "FILE",
    "Scene file: device positions and a timeline of events (docs/radio.md). The timeline starts when Bluetooth is up, "
    "and restarts with lab reset. The air is real unless the scene sets it. In the lab, virtual-radio changes the "
    "scene: virtual-radio help.",
    (),
    Kind.FILE,
    readable_file,
)
ENV = Option(
    "--env",
    "NAME[=VALUE]",
    "Pass a variable to the lab (default VALUE: the current one).",
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
LIVE = Option(
    "--live",
    "FILE",
    "Write the HCI traffic as it comes, as pcap: to a FIFO that Wireshark reads (mkfifo FILE; wireshark -k -i FILE).",
    (),
    Kind.FILE,
    absolute,
)
BLUEZ = Option(
    "--bluez",
    "PATH|VERSION",
    "Use the bluetoothd, bluetoothctl, btvirt and btmon of an installation or a build tree, or of a release such as "
    "5.82, which is downloaded from Debian and built.",
    (),
    Kind.FOLDER,
)
NAME = Option("--name", "NAME", "The persistent lab's name (default: default).", (), Kind.LAB)
FRESH = Option("--fresh", "", "Start a new machine even if a lab is up.")
OUT = Option(
    "--out", "FOLDER", "Keep the output in FOLDER (default: a new folder in .lab/runs).", (), Kind.FOLDER, absolute
)
PAGE = Option(
    "--page",
    "FILE",
    "Record the run as one HTML file: packets, bus messages, logs and output over time. The command then has no "
    "terminal.",
    (),
    Kind.FILE,
    new_file,
)
AIR_PAGE = Option(
    "--air-page",
    "FILE",
    "Record the air as one HTML file: a map with moving devices, links and their strengths, and packets.",
    (),
    Kind.FILE,
    new_file,
)
HOSTS = Option(
    "--hosts",
    "N",
    f"Start N machines, 1 to {MAXIMUM_HOSTS}, each with its own kernel, bus, bluetoothd and controllers; they share "
    "only the virtual radio.",
    [str(number) for number in range(1, MAXIMUM_HOSTS + 1)],
)
HOST = Option("--host", "HOST", "With --hosts: run the following -- COMMAND [ARG…] on this host (a, b, …).", ("a", "b"))

LIST = Option("--list", "", "Build the tests and list those that would run, without running them.")
SHARD = Option(
    "--shard",
    "K/N",
    "Run the Kth of N parts, such as 2/5. On N machines each test runs once, and .test-durations.json of the package's "
    "folder balances the parts; see lab help merge.",
    check=shard,
)
JUNIT = Option("--junit", "FILE", "Also write the results as one JUnit file.", (), Kind.FILE, new_file)
REPEAT = Option(
    "--repeat",
    "N",
    "Run the tests N times, several rounds per machine, and print how often each test failed. The record of each "
    "test's first failure is kept.",
    check=matching("[1-9][0-9]{0,5}", "1 to 999999"),
)
UNTIL_FAILURE = Option(
    "--until-failure",
    "",
    "Repeat the tests until one fails, at most N times with --repeat N. Ctrl-C ends this and prints the results so "
    "far.",
)
NIGHTLY = Option(
    "--nightly",
    "",
    "Also run slow tests: with LAB_THOROUGH=1, and a limit of 5,400 s per machine.",
)
DURATIONS = Option(
    "--durations",
    "FOLDER",
    "Write the tests' durations to FOLDER/.test-durations.json, which lab test --shard uses to balance the shards of "
    "the package in FOLDER.",
    (),
    Kind.FOLDER,
    absolute,
)
EXPLORE = Option(
    "--explore",
    "N",
    "Run the tests N times, each time with another seed, until one fails: lab explore with these tests as its command. "
    "--shard K/M then takes every Mth seed.",
    check=number(1, 999_999_999),
)
NO_TESTS = Option(
    "--no-tests",
    "STATUS",
    "An exit status by which COMMAND says that no test has run (pytest: 5), which ends the search.",
    check=number(1, 255),
)
RUNS = Option("--runs", "N", "End after N runs (default: 200).", check=number(1, 999_999_999))
MINUTES = Option("--minutes", "N", "End after N minutes.", check=number(1, 100_000))
JOBS = Option("--jobs", "N", "Run N at a time (default: one per processor).", check=number(1, 1000))
KEEP_GOING = Option("--keep-going", "", "Do not end at the first failure.")
KEEP_EXPLORING = KEEP_GOING._replace(text="With --explore: do not end at the first seed that fails.")
LIMIT = Option(
    "--limit",
    "SECONDS",
    "By the lab's clock: a command that is still running then has failed (default: 300). So has one that is still "
    "running after 600 s of real time, or after this limit if it is longer.",
    check=number(1, 1_000_000),
)
FIRST_SEED = Option(
    "--seed",
    "N",
    "The first seed; the others follow it (default: a random one).",
    check=matching("[0-9]{1,17}", "a number"),
)
SHARD_OF_SEEDS = SHARD._replace(
    text="Run every Nth seed, from the Kth on, such as 2/5. On N machines each seed runs once (the first seed is 1 by "
    "default); see lab help merge."
)
VARIED = VARY._replace(
    text="What varies with the seed (default: all): some of delays, programs, bluetoothd, bus, costs, radio, numbers."
)
OUT_OF_SEARCH = OUT._replace(text="Keep the output in FOLDER (default: a new folder in .lab/explored).")
COMPARE = Option(
    "--compare",
    "FOLDER",
    "Also show the differences from this record, such as a passing run's.",
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
ALL = Option("--all", "", "End all running labs.")
SOCKET = Option("--socket", "PATH", "A sensor's control socket in the lab (default: dittojay's).")
UI_RADIO = Option("--radio", "PATH", "The radio's control socket in the lab.")
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
    "Also build the kernel for user-mode Linux, which the lab then uses, from the distribution's kernel sources; takes "
    "some minutes. lab test does this automatically.",
)
CACHED = Option("--list", "", "List the cache's contents with sizes and last uses.")
CLEAN = Option("--clean", "", "Remove what was not used for a month from the cache.")
HELP = Option("--help", "", "Show this help.")

RADIO_OPTIONS = (RADIO, CONTROLLER, AIR, SEED, VARY, SCENE)
MACHINE_OPTIONS = (PACKAGE, CONTROLLERS, TIME, *RADIO_OPTIONS, ENV, BLUEZ, NAME)
RUN_OPTIONS = (*MACHINE_OPTIONS, FRESH, CAPTURE, OUT)
