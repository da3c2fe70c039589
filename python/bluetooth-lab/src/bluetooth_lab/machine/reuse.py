"""Running commands in a machine that is up."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from bluetooth_lab.machine import frames
from bluetooth_lab.machine.calls import Call, keep_record, prepare_call
from bluetooth_lab.machine.construction import Construction
from bluetooth_lab.machine.hardware import Accelerator, Clock
from bluetooth_lab.machine.live import live
from bluetooth_lab.machine.options import Options
from bluetooth_lab.machine.persistent import SESSIONS, PersistentLab, Record, chosen_name, ingredients, is_alive
from bluetooth_lab.machine.runs import new_run, remove_old, show_newest
from bluetooth_lab.machine.session import Link, Session
from bluetooth_lab.machine.terminal import Terminal
from bluetooth_lab.messages import fail, say, shown_path
from bluetooth_lab.places import GUEST, Places

RESET = [str(GUEST / "bluetooth"), "reset"]
KINDS = {"uml": Accelerator.USER_MODE, "kvm": Accelerator.KVM, "tcg": Accelerator.EMULATION}
LOGS = ("bluetoothd.log", "btvirt.log", "virtual-radio.log", "lab.log")


def mismatch(record: Record, options: Options, caller: Mapping[str, str] = os.environ) -> str | None:
    """How a machine differs from what was asked for expressly, to follow "is up"; None if it does not."""
    parts = record.hardware
    asked = options.controllers
    if asked is not None and asked != record.controllers:
        return f"with {record.controllers} controllers, not {asked}"
    if options.bluez and options.bluez != record.bluez:
        return f"with another BlueZ than {options.bluez}"
    kind = KINDS.get(caller.get("LAB", ""), parts.accelerator)
    if kind is not parts.accelerator:
        return f"in {parts.accelerator.value}"
    clock = caller.get("LAB_CLOCK", parts.clock.value)
    if clock != parts.clock and (clock == Clock.SIMULATED or parts.accelerator is not Accelerator.KVM):
        return f"with its clock {parts.clock.value}"
    if caller.get("LAB_RADIO", parts.radio) != parts.radio:
        return f"with the radio {parts.radio}"
    if caller.get("LAB_RADIO_OPTIONS", parts.radio_options) != parts.radio_options:
        return f"with its radio {parts.radio_options or 'as usual'}"
    if caller.get("LAB_SCENE", parts.scene) != parts.scene:
        return "with another scene" if parts.scene else "without a scene"
    if caller.get("LAB_MEMORY", parts.memory) != parts.memory:
        return f"with {parts.memory} of memory"
    if parts.clock is Clock.REAL and caller.get("LAB_CPUS", parts.processors) != parts.processors:
        return f"with {parts.processors} processors"
    return None


def reuse(places: Places, options: Options) -> int | None:
    """Runs a command in the machine that is up, as in a new one; None if there is none that can be used."""
    lab = PersistentLab(places.home, chosen_name(os.environ))
    record = lab.record()
    if record is None or record.up_since is None:
        if not lab.is_default:
            fail(f"{lab.shown_name} is not up")
        return None
    reason = unusable(places, lab, record, options)
    lock = None if reason else lab.lock("run.lock")
    if not reason and (lock is None or lab.running_commands()):
        reason = "is up and busy"
    if reason:
        say(f"{lab.shown_name} {reason}; starting another")
        return None
    reused = ReusedLab(places, lab, record)
    return reused.reset() or reused.run(options, frames.KILL_LEFTOVERS)


def unusable(places: Places, lab: PersistentLab, record: Record, options: Options) -> str | None:
    if not is_alive(record):
        return "that was up has ended by itself"
    if record.made_of != ingredients(places, Path(record.kernel)):
        return "that is up was started before its scripts or its kernel changed"
    difference = mismatch(record, options)
    return f"is up {difference}" if difference else None


class ReusedLab:
    """A machine that is up, for some commands."""

    def __init__(self, places: Places, lab: PersistentLab, record: Record) -> None:
        self.places, self.lab, self.record = places, lab, record
        self.construction = Construction(places, Path(record.kernel), record.hardware, record.controllers, record.bluez)

    def reset(self) -> int:
        """The state of Bluetooth becomes that after the start, and what commands have left behind is ended."""
        logs = self.lab.logs
        status = self.perform(
            Call(self.construction.environment(logs, logs), RESET), Terminal(False), takes_input=False
        )
        if status:
            say(f"{self.lab.shown_name} could not be reset (logs in {shown_path(logs)})")
        return status

    def run(self, options: Options, flags: str = "") -> int:
        """Runs a command, and keeps what it has put into LAB_OUT."""
        runs = self.lab.runs
        out = new_run(runs) / "out"
        out.mkdir(parents=True)
        show_newest(self.places.home, out)
        remove_old(runs)
        tails = [LogTail(self.lab.logs / name) for name in LOGS]
        call = prepare_call(self.construction, options, out, self.lab.logs, flags + frames.FRESH_FILES)
        terminal = Terminal(os.isatty(0) and os.isatty(1) and not options.is_recorded)
        with terminal, live(out, options.live):
            status = self.perform(call, terminal, options.prefix)
        for tail in tails:
            tail.copy_to(out)
        keep_record(out, options)
        try:
            if options.out:
                shutil.copytree(out, options.out, symlinks=True, dirs_exist_ok=True)
        except OSError as error:
            say(f"cannot copy the output to {options.out}: {error.strerror or error} (it is in {out})")
        return status

    def perform(self, call: Call, terminal: Terminal, prefix: str = "", takes_input: bool = True) -> int:
        try:
            session = self.lab.take_session()
        except OSError as error:
            fail(f"{self.lab.shown_name} cannot be reached: {error}")
        if session is None:
            fail(f"{self.lab.shown_name} runs too many commands (limit {SESSIONS})")
        stream, lock = session
        link = Link(stream, None, lambda: not is_alive(self.record))
        running = Session(
            link, call.frame(terminal), self.construction.accelerator, terminal, self.lab.logs, prefix, takes_input
        )
        running.install_signals()
        running.run()
        stream.close()
        os.close(lock)
        return running.finish()


class LogTail:
    """What is appended to a log of the machine after this was made."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.begin = file.stat().st_size if file.exists() else 0

    def copy_to(self, folder: Path) -> None:
        if not self.file.exists():
            return
        with self.file.open("rb") as log:
            log.seek(self.begin)
            text = log.read()
        if text:
            (folder / self.file.name).write_bytes(text)
