"""What goes between the caller and a command in the lab: bytes, signals and messages, until the command has ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from bluetooth_lab.machine.frames import FrameReader, frame
from bluetooth_lab.machine.start import Start
from bluetooth_lab.machine.streams import Input, Output
from bluetooth_lab.machine.terminal import Terminal, terminal_size
from bluetooth_lab.messages import EXIT_LAB_FAILED, say, shown_path

BOOT_LIMIT = 180  # seconds until the command must have started, on a slow and busy machine
END_LIMIT = 30  # seconds that the command has to end after a signal
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGWINCH)
SAME_SIGNAL = 0.3  # seconds: both the terminal and our parent may have sent it
STEPS = {"kernel": "machine booted ({accelerator})", "bluetooth": "Bluetooth up"}
BOOT_CHATTER = ("[    0.00000", "Poking", "Memory KASLR", "qemu-system-x86_64: terminating on signal")
SHOWN_LINES = 6  # of each log, when something is wrong


class Link(NamedTuple):
    """The way to a machine. `stream` leads to its agent. `has_ended` says whether the machine has. Of one that is
    starting, `control` has its messages, and the agent is there when it says so."""

    stream: socket.socket
    control: socket.socket | None
    has_ended: Callable[[], bool]
    start: Start | None = None


class Session:
    """Ends with a `status`, the command's, or with a `reason` for which there is none."""

    def __init__(
        self,
        link: Link,
        command: bytes | None,
        accelerator: str,
        terminal: Terminal,
        out: Path,
        prefix: str = "",
        takes_input: bool = True,
        copies: Sequence[Path] = (),
        is_quiet: bool = False,
    ) -> None:
        """`command`: the frame that begins it; None if the machine has it already, with its input; `out`: where the
        machine's logs are; `takes_input`: whether our standard input is the command's; `copies`: files for what it
        writes to standard output and error; `is_quiet`: whether the steps of the start are not printed."""
        self.link = link
        self.command = command
        self.accelerator = accelerator
        self.terminal = terminal
        self.out = out
        self.takes_input = takes_input
        self.is_quiet = is_quiet
        output, error = copies or (None, None)
        self.outputs = {b"O": Output(1, prefix, output), b"E": Output(2, prefix, error)}
        self.frames = FrameReader()
        self.greeting = b"" if link.control else os.urandom(16)
        self.status: int | None = None
        self.has_ended = False  # the command, by itself or by a signal that was passed on
        self.reason: str | None = None
        self.started = False
        self.died_starting = False
        self.last_step = time.monotonic()
        self.stops = 0
        self.last_stop = 0.0
        self.give_up_at: float | None = self.last_step + BOOT_LIMIT
        self.control = b""
        self.signals, self.signal_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.poll = select.poll()
        self.input = Input(self.poll, self.send)

    def send(self, kind: bytes, content: bytes = b"") -> None:
        """To the agent, which may be gone."""
        with contextlib.suppress(OSError):
            self.link.stream.sendall(frame(kind, content))

    # Signals of the caller

    def install_signals(self) -> None:
        for number in SIGNALS:
            signal.signal(number, self.on_signal)

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        os.write(self.signal_writer, bytes([number]))

    def handle_signal(self, number: int) -> None:
        if number == signal.SIGWINCH:
            if self.terminal.is_used and self.started:
                self.send(b"W", "{} {}".format(*terminal_size()).encode())
            return
        now = time.monotonic()
        if now - self.last_stop < SAME_SIGNAL:
            return
        self.last_stop = now
        self.stops += 1
        if not self.started or self.stops > 2:
            self.status = 128 + number
            return
        self.send(b"S", str(int(number)).encode())
        self.give_up_at = now + END_LIMIT

    # Messages of a machine that starts

    def handle_control(self, data: bytes) -> None:
        *lines, self.control = (self.control + data).split(b"\n")
        for line in lines:
            self.handle_message(line.decode(errors="replace").strip())

    def handle_message(self, line: str) -> None:
        verb, _, rest = line.partition(" ")
        if verb == "step" and not self.is_quiet:
            now = time.monotonic()
            text = STEPS.get(rest, rest).format(accelerator=self.accelerator)
            say(f"{text} in {now - self.last_step:.1f} s")
            self.last_step = now
        elif verb == "waiting" and self.link.start and self.link.control:
            with contextlib.suppress(OSError):  # the machine has ended
                self.link.start.give_job(self.link.control)
        elif verb == "ready":
            self.begin()
        elif verb == "fail":
            self.reason = rest
            self.status = EXIT_LAB_FAILED

    def resume(self, control: socket.socket) -> None:
        try:
            if self.link.start:
                self.link.start.resume(control)
        except OSError as error:
            self.died_starting = True
            self.reason = f"a saved machine could not be restored: {error}"

    # Frames of the agent

    def begin(self) -> None:
        """The agent is there."""
        self.started = True
        self.give_up_at = None
        if self.command is None:
            return
        with contextlib.suppress(OSError):
            self.link.stream.sendall(self.command)
        self.terminal.enter()
        if self.takes_input:
            self.input.begin()
        else:
            self.send(b"I")

    def handle_stream(self, data: bytes) -> None:
        # A machine that has the command already may send its output before it says that it is ready.
        if not self.started and self.command is not None:
            data = self.after_greeting(data)
        for kind, content in self.frames.add(data):
            if kind in self.outputs:
                self.outputs[kind].add(content)
            elif kind == b"R":
                self.input.begin()
            elif kind == b"N":
                say(f"{content.decode(errors='replace')} (logs in {shown_path(self.out)})")
            elif kind == b"X":
                self.status = int(content)
                self.has_ended = True

    def after_greeting(self, data: bytes) -> bytes:
        """What follows the answer to our greeting. What precedes it was for the last caller."""
        expected = frame(b"H", self.greeting)
        self.control += data
        start = self.control.find(expected)
        if start < 0 or not self.greeting:
            return b""
        rest = self.control[start + len(expected) :]
        self.begin()
        return rest

    # The loop

    def run(self) -> None:
        stream, control = self.link.stream, self.link.control
        self.poll.register(self.signals, select.POLLIN)
        self.poll.register(stream, select.POLLIN)
        if control:
            self.poll.register(control, select.POLLIN)
            self.resume(control)
        else:
            self.send(b"H", self.greeting)
        while self.status is None and not self.must_give_up() and not self.machine_has_ended():
            for descriptor, _ in self.poll.poll(500):
                if descriptor == self.signals:
                    for number in os.read(self.signals, 64):
                        self.handle_signal(number)
                elif descriptor == stream.fileno():
                    self.read_stream()
                elif descriptor == self.input.source:
                    self.input.read()
                elif control and descriptor == control.fileno():
                    self.read_control(control)
        for output in self.outputs.values():
            output.end()

    def read_stream(self) -> None:
        try:
            data = self.link.stream.recv(1 << 16)
        except OSError:
            data = b""
        if data:
            self.handle_stream(data)
        else:
            self.poll.unregister(self.link.stream)
            self.note_end()

    def read_control(self, control: socket.socket) -> None:
        data = control.recv(4096)
        if data:
            self.handle_control(data)
        else:
            self.poll.unregister(control)

    def must_give_up(self) -> bool:
        if self.give_up_at is None or time.monotonic() <= self.give_up_at:
            return False
        never_started = f"the command did not start in {BOOT_LIMIT} s"
        self.reason = "the command did not end" if self.started else never_started
        return True

    def machine_has_ended(self) -> bool:
        """Looks at what it has said last."""
        if self.reason or not self.link.has_ended():
            return bool(self.reason)
        with contextlib.suppress(OSError):
            if self.link.control:
                self.handle_control(self.link.control.recv(1 << 16, socket.MSG_DONTWAIT))
            while data := self.link.stream.recv(1 << 16, socket.MSG_DONTWAIT):
                self.handle_stream(data)
        self.note_end()
        return True

    def note_end(self) -> None:
        if self.status is None and self.reason is None:
            self.died_starting = not self.started
            self.reason = "the virtual machine ended by itself"

    # The end

    def finish(self) -> int:
        """Says what was wrong, and gives the exit status."""
        if self.reason:
            say(f"{self.reason} (logs in {shown_path(self.out)})")
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
