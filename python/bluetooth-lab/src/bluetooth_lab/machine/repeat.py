"""What it takes to run a command again exactly as it ran: kept beside its output.

With simulated time in user-mode Linux and a seed, what happens in a machine depends on nothing but its programs and
files: its random numbers follow from the seed, its clock starts at a fixed moment and goes by what programs do, and it
waits for its host wherever it deals with it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.command_line.options import MAXIMUM_CONTROLLERS, MAXIMUM_HOSTS, SEED_NUMBER
from bluetooth_lab.explore.variation import DEFAULT_VARIATION, Variation
from bluetooth_lab.machine.hardware import Clock
from bluetooth_lab.machine.job import NAME, is_passed
from bluetooth_lab.machine.options import Options

FILE = "repeat.json"
OUTPUTS = ("stdout.log", "stderr.log")  # what the command wrote, beside it
# What the lab has on the machine that the run is on, and what a repetition has anyway.
OF_THE_MACHINE = ("LAB_HOME", "LAB_PREBUILT", "LAB_VIRTUAL_RADIO", "LAB_CLOCK")
# Of what the command does not get.
OF_THE_RUN = ("PATH", "LAB_MEMORY")
LONGEST_SHOWN = 60  # of an invalid value


def is_kept(name: str, named: Sequence[str] = ()) -> bool:
    """Whether the run may go by the variable. Those of CI services have tokens, and are kept only if they are named."""
    return name in OF_THE_RUN or (is_passed(name, named, is_repeatable=True) and name not in OF_THE_MACHINE)


class Repeat(NamedTuple):
    """`folder`: the current one of the run; `variables`: what its command could go by. Of several `hosts` the command
    is `--host a -- COMMAND --host b -- COMMAND`."""

    seed: str
    vary: str
    folder: str
    command: list[str]
    variables: dict[str, str]
    controllers: int | None
    bluez: str | None
    is_recorded: bool
    hosts: int = 1
    records_itself: bool = False

    @classmethod
    def of(cls, options: Options, command: Sequence[str], environment: Mapping[str, str], hosts: int = 1) -> Repeat:
        named = environment.get("LAB_ENV", "").split()
        return cls(
            environment["LAB_SEED"],
            environment.get("LAB_VARY") or DEFAULT_VARIATION,
            os.getcwd(),
            list(command),
            {name: value for name, value in environment.items() if is_kept(name, named)},
            options.controllers,
            options.bluez,
            options.is_recorded,
            hosts,
            options.records_itself,
        )

    def write(self, out: Path) -> None:
        (out / FILE).write_text(json.dumps(self._asdict(), indent=1) + "\n")

    @classmethod
    def read(cls, out: Path) -> Repeat:
        """Raises OSError, or ValueError with what is wrong."""
        try:
            values = json.loads((out / FILE).read_bytes())
        except RecursionError:
            raise ValueError("invalid JSON: nested too deeply") from None
        except UnicodeDecodeError:
            raise ValueError("not a text file") from None
        except ValueError as error:
            raise ValueError(f"invalid JSON: {error}") from None
        if not isinstance(values, dict):
            raise ValueError(f"expected an object, not {shown_value(values)}")
        for name in values:
            if name not in cls._fields:
                raise ValueError(f"unknown key {shown_value(name)}")
        for name in cls._fields:
            if name not in values and name not in cls._field_defaults:
                raise ValueError(f'no "{name}"')
        repeat = cls(**values)
        for name, (is_valid, expected) in VALID.items():
            value = getattr(repeat, name)
            if not is_valid(value):
                raise ValueError(f"invalid {name} {shown_value(value)}; expected {expected}")
        repeat.check_hosts()
        return repeat

    def check_hosts(self) -> None:
        """Raises ValueError."""
        from bluetooth_lab import hosts  # which needs this module
        from bluetooth_lab.command_line.parsing import UsageError

        if self.hosts == 1:
            return
        try:
            named = set(hosts.commands_of(self.command))
        except UsageError as error:
            raise ValueError(f"invalid command: {error}") from None
        if not named or not named <= set(hosts.NAMES[: self.hosts]):
            raise ValueError(f"invalid command for {self.hosts} hosts; expected --host HOST -- COMMAND [ARG…] …")
        maximum = hosts.MAXIMUM_CONTROLLERS // self.hosts
        if (self.controllers or 1) > maximum:
            expected = f"at most {maximum} with {self.hosts} hosts"
            raise ValueError(f"invalid controllers {self.controllers}; expected {expected}")

    def environment(self, own: Mapping[str, str]) -> dict[str, str]:
        """For the run."""
        others = {name: value for name, value in own.items() if not is_kept(name)}
        settings = {"LAB_CLOCK": Clock.SIMULATED.value, "LAB_SEED": self.seed, "LAB_VARY": self.vary, "LAB_FRESH": "1"}
        return {**others, **self.variables, **settings}

    def options(self, out: Path) -> Options:
        page = str(out / "page.html") if self.is_recorded else None
        command = [] if self.hosts > 1 else self.command
        return Options(
            command,
            self.controllers,
            page=page,
            out=str(out),
            bluez=self.bluez,
            records_itself=self.records_itself,
            is_repetition=True,
        )


# What a file from outside may have


def shown_value(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def is_text(value: Any) -> bool:
    """Whether a program can be given it as a word, a variable or a path."""
    try:
        return isinstance(value, str) and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


def is_variation(value: Any) -> bool:
    try:
        return is_text(value) and bool(Variation.parse(value))
    except ValueError:
        return False


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def is_number(value: Any, most: int) -> bool:
    return type(value) is int and 1 <= value <= most  # a bool is an int, too


# Of each key: whether a value is valid, and what is expected.
VALID: Mapping[str, tuple[Callable[[Any], object], str]] = {
    "seed": (lambda value: is_text(value) and re.fullmatch(SEED_NUMBER, value), "a string of 1 to 18 digits"),
    "vary": (is_variation, "a value of --vary"),
    "folder": (lambda value: is_text(value) and os.path.isabs(value), "an absolute path"),
    "command": (lambda value: value and isinstance(value, list) and all(map(is_text, value)), "a list of strings"),
    "variables": (
        lambda value: isinstance(value, dict) and all(map(NAME.fullmatch, value)) and all(map(is_text, value.values())),
        "names of variables with strings",
    ),
    "controllers": (
        lambda value: value is None or is_number(value, MAXIMUM_CONTROLLERS),
        f"null or 1 to {MAXIMUM_CONTROLLERS}",
    ),
    "bluez": (lambda value: value is None or is_text(value), "null or a string"),
    "is_recorded": (is_flag, "true or false"),
    "hosts": (lambda value: is_number(value, MAXIMUM_HOSTS), f"1 to {MAXIMUM_HOSTS}"),
    "records_itself": (is_flag, "true or false"),
}
