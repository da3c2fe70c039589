"""What goes between the caller and the guest: bytes, signals and messages, until the command has ended."""

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Protocol

from lab_tools.machine.streams import Input, Output
from lab_tools.machine.terminal import Terminal, terminal_size
from lab_tools.messages import EXIT_LAB_FAILED, say

BOOT_LIMIT = 180  # seconds until the command must have started, on a slow and busy machine
END_LIMIT = 30  # seconds that the command has to end after a signal
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGWINCH)
SAME_SIGNAL = 0.3  # seconds: both the terminal and our parent may have sent it
STEPS = {"kernel": "machine booted ({accelerator})", "bluetooth": "Bluetooth up"}
BOOT_CHATTER = ("[    0.00000", "Poking", "Memory KASLR", "qemu-system-x86_64: terminating on signal")
SHOWN_LINES = 6  # of each log, when something is wrong


class Guest(Protocol):
    """The machine as a session needs it (process.Machine)."""

    @property
    def ours(self) -> Mapping[str, socket.socket]: ...

    def has_ended(self) -> bool: ...

    def send(self, message: str) -> None: ...


class Session:
    """Ends with a `status`, the command's, or with a `reason` for which there is none."""

    def __init__(self, machine: Guest, accelerator: str, terminal: Terminal, out: Path, prefix: str = "") -> None:
        self.machine = machine
        self.accelerator = accelerator
        self.terminal = terminal
        self.out = out
        self.write = {target: Output(target, prefix) for target in (1, 2)}
        self.status: int | None = None
        self.reason: str | None = None
        self.started = False
        self.died_starting = False
        self.last_step = time.monotonic()
        self.stops = 0
        self.last_stop = 0.0
        self.give_up_at: float | None = self.last_step + BOOT_LIMIT
        self.control = b""
        self.signals, self.signal_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    # Signals of the caller

    def install_signals(self) -> None:
        for number in SIGNALS:
            signal.signal(number, self.on_signal)

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        os.write(self.signal_writer, bytes([number]))

    def handle_signal(self, number: int) -> None:
        if number == signal.SIGWINCH:
            if self.terminal.is_used and self.started:
                rows, columns = terminal_size()
                self.machine.send(f"window {rows} {columns}")
            return
        now = time.monotonic()
        if now - self.last_stop < SAME_SIGNAL:
            return
        self.last_stop = now
        self.stops += 1
        if not self.started or self.stops > 2:
            self.status = 128 + number
            return
        self.machine.send("signal " + signal.Signals(number).name.removeprefix("SIG"))
        self.give_up_at = now + END_LIMIT

    # Messages of the guest

    def handle_control(self, data: bytes) -> None:
        *lines, self.control = (self.control + data).split(b"\n")
        for line in lines:
            self.handle_message(line.decode(errors="replace").strip())

    def handle_message(self, line: str) -> None:
        verb, _, rest = line.partition(" ")
        if verb == "step":
            now = time.monotonic()
            text = STEPS.get(rest, rest).format(accelerator=self.accelerator)
            say(f"{text} in {now - self.last_step:.1f} s")
            self.last_step = now
        elif verb == "started":
            self.started = True
            self.give_up_at = None
            self.terminal.enter()
        elif verb == "note":
            say(f"{rest} (logs in {os.path.relpath(self.out)})")
        elif verb == "fail":
            self.reason = rest
        elif verb == "exit":
            self.status = int(rest)

    # The loop

    def run(self) -> None:
        ours = self.machine.ours
        poll = select.poll()
        poll.register(self.signals, select.POLLIN)
        poll.register(ours["control"], select.POLLIN)
        outputs = {"console": 1} if self.terminal.is_used else {"stdout": 1, "stderr": 2}
        streams = {ours[name].fileno(): target for name, target in outputs.items()}
        for stream in streams:
            poll.register(stream, select.POLLIN)
        input_end = ours["console" if self.terminal.is_used else "stdin"]
        source = Input(poll, input_end, self.terminal.is_used)
        while self.status is None and not self.must_give_up() and not self.machine_has_ended():
            if self.started:
                source.begin()
            for descriptor, events in poll.poll(500):
                if descriptor == self.signals:
                    for number in os.read(self.signals, 64):
                        self.handle_signal(number)
                elif descriptor == ours["control"].fileno():
                    self.handle_control(ours["control"].recv(4096))
                elif descriptor == source.source:
                    source.read()
                elif descriptor == input_end.fileno() and events & ~select.POLLIN:
                    source.flush()
                elif descriptor in streams:
                    self.copy_output(descriptor, streams[descriptor], poll)
        self.drain(streams)

    def must_give_up(self) -> bool:
        if self.give_up_at is None or time.monotonic() <= self.give_up_at:
            return False
        never_started = f"the command did not start in {BOOT_LIMIT} s"
        self.reason = "the command did not end" if self.started else never_started
        return True

    def machine_has_ended(self) -> bool:
        if not self.machine.has_ended():
            return False
        with contextlib.suppress(OSError):
            self.handle_control(self.machine.ours["control"].recv(65536, socket.MSG_DONTWAIT))
        if self.status is None:
            self.died_starting = not self.started and not self.reason
            self.reason = self.reason or "the virtual machine ended by itself"
        return True

    def copy_output(self, descriptor: int, target: int, poll: "select.poll") -> None:
        data = os.read(descriptor, 65536)
        if not data:
            poll.unregister(descriptor)
        elif not self.terminal.is_used or self.started:
            self.write[target].add(data)

    def drain(self, streams: Mapping[int, int]) -> None:
        """What the command wrote last may still be on its way when its exit status is here."""
        for descriptor, target in streams.items():
            end = socket.socket(fileno=os.dup(descriptor))
            end.settimeout(0.05)
            try:
                while data := end.recv(65536):
                    self.write[target].add(data)
            except OSError:
                pass
            end.close()
            self.write[target].end()

    # The end

    def finish(self) -> int:
        """Says what was wrong, and gives the exit status."""
        if self.reason:
            say(f"{self.reason} (logs in {os.path.relpath(self.out)})")
            for name in ("lab.log", "console.log"):
                for line in last_lines(self.out / name):
                    say(f"  {name}: {line}")
        return EXIT_LAB_FAILED if self.status is None else self.status


def last_lines(file: Path) -> list[str]:
    """The end of a log, without what every start of a machine says."""
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip() and not line.startswith(BOOT_CHATTER)][-SHOWN_LINES:]
