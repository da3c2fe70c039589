"""A command as the agent in the guest gets it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.bundle.recording import AIR
from bluetooth_lab.machine import frames
from bluetooth_lab.machine.construction import Construction
from bluetooth_lab.machine.options import Options
from bluetooth_lab.machine.terminal import Terminal, terminal_size
from bluetooth_lab.messages import say
from bluetooth_lab.places import GUEST

CAPTURE = "capture.btsnoop"
RUN = "run"  # the record of one with a page


class Call(NamedTuple):
    """What runs where, with which variables."""

    environment: Mapping[str, str]
    words: Sequence[str]
    flags: str = ""

    def frame(self, terminal: Terminal | None = None) -> bytes:
        """What begins it."""
        size = terminal_size() if terminal and terminal.is_used else None
        return frames.begin(os.getcwd(), size, self.flags, self.environment, self.words)


def keep_record(out: Path, options: Options) -> None:
    """Copies the capture of a command, and makes the pages of its record, where they were asked for. What cannot be
    written is said: the command has run, and its exit status is what matters."""
    file = out / CAPTURE
    try:
        if options.capture and file.exists():
            shutil.copyfile(file, options.capture)
    except OSError as error:
        say(f"cannot write the capture to {options.capture}: {error.strerror or error} (it is in {file})")
    try:
        if options.page and options.page != os.devnull:
            from bluetooth_lab.page.command import write_page  # only now: most commands have none

            write_page(out / RUN, Path(options.page))
    except OSError as error:
        say(f"cannot make a page of this run: {error}")
    try:
        if options.air_page:
            from bluetooth_lab.page.air import write_air_page

            write_air_page(out / RUN / AIR.name, Path(options.air_page))
    except (OSError, ValueError) as error:
        say(f"cannot make a page of this run's air: {error}")


def prepare_call(construction: Construction, options: Options, out: Path, logs: Path, flags: str = "") -> Call:
    """`out`: for what the command keeps; `logs`: has the machine's own."""
    environment = construction.environment(out, logs, options.host, options.hosts)
    words = list(options.command)
    # With a seed, a run is the same with and without a capture or a record: all is recorded, and may not be kept.
    has_seed = bool(construction.parts.seed) and not options.records_itself
    if options.capture or options.live or has_seed:
        words = [str(GUEST / "captured"), str(out / CAPTURE), *words]
    if options.is_recorded or has_seed:
        action = "keep" if options.is_recorded else "drop"
        words = [str(GUEST / "recorded"), action, str(out / RUN), *words]
    return Call(environment, words, flags)
