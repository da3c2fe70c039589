"""The delays that a run had, as the kernel has noted them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.explore.system_calls import name_of_call
from bluetooth_lab.explore.variation import Delay

# "<7>vary: 812:4711:14200 at 1893456002123456 us, system call 46 of bluetoothd"
DELAY = re.compile(r"vary: (\d+:\d+:\d+) at (\d+) us, system call (\d+) of (.*)$", re.MULTILINE)


class Made(NamedTuple):
    """A delay that was made. `moment`: in seconds since 1970; `call`: the system call's number."""

    delay: Delay
    moment: float
    program: str
    call: int

    @property
    def text(self) -> str:
        place = f" on host {self.delay.host}" if self.delay.host else ""
        who = f"{self.program} (process {self.delay.process}{place})"
        return f"{who} is held up for {self.delay.length / 1000:.1f} ms before {name_of_call(self.call)}"


def parsed(match: re.Match[str], host: str = "") -> Made:
    return Made(Delay.parse(match[1])._replace(host=host), int(match[2]) / 1e6, match[4], int(match[3]))


def delays_of(log: Path, host: str) -> Iterator[Made]:
    with contextlib.suppress(OSError):
        for match in DELAY.finditer(log.read_text(errors="replace")):
            yield parsed(match, host)


def described(line: str) -> str:
    """A line of the kernel's log for people."""
    match = DELAY.fullmatch(line)
    return parsed(match).text if match else line
