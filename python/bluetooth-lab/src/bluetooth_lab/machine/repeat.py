"""What it takes to run a command again exactly as it ran: kept beside its output.

With simulated time in user-mode Linux and a seed, what happens in a machine depends on nothing but its programs and
files: its random numbers follow from the seed, its clock starts at a fixed moment and goes by what programs do, and it
waits for its host wherever it deals with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.explore.variation import DEFAULT_VARIATION
from bluetooth_lab.machine.hardware import Clock
from bluetooth_lab.machine.job import is_passed
from bluetooth_lab.machine.options import Options

FILE = "repeat.json"
OUTPUTS = ("stdout.log", "stderr.log")  # what the command wrote, beside it
# What the lab has on the machine that the run is on, and what a repetition has anyway.
OF_THE_MACHINE = ("LAB_HOME", "LAB_PREBUILT", "LAB_VIRTUAL_RADIO", "LAB_CLOCK")
# Of what the command does not get.
OF_THE_RUN = ("PATH", "LAB_MEMORY")


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
        """Raises OSError or ValueError."""
        values: dict[str, Any] = json.loads((out / FILE).read_text())
        try:
            repeat = cls(**values)
        except TypeError as error:
            raise ValueError(f"{out / FILE} is not of this lab: {error}") from None
        is_valid = isinstance(repeat.command, list) and repeat.command and isinstance(repeat.variables, dict)
        if not is_valid or not isinstance(repeat.seed, str):
            raise ValueError(f"{out / FILE} is not of this lab")
        return repeat

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
