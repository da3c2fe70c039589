"""The virtual machine as a process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bluetooth_lab.machine import keeper
from bluetooth_lab.machine.keeper import Keeper
from bluetooth_lab.machine.qemu import Port
from bluetooth_lab.machine.session import Link
from bluetooth_lab.machine.start import Start

END_LIMIT = keeper.PATIENCE + 10  # seconds, on a busy machine
PORTS = ("control", "session0")  # of a machine for one command
CommandLine = Callable[[Sequence[Port]], list[str]]


class Kept:
    """A machine with its keeper, which ends it when this process is gone.

    Sockets that the machine makes are in `folder`, as are those that the keeper makes for the machine's ports: `served`
    has their names, and the other ends of the ports."""

    def __init__(
        self,
        command_line: CommandLine,
        ports: Sequence[Port],
        start: Start,
        stdin: int,
        log_file: Path,
        folder: Path | None = None,
        served: Sequence[tuple[str, socket.socket]] = (),
    ) -> None:
        """The machine does not start yet."""
        lease, self.lease = os.pipe()
        descriptors = [*(end for _, end in ports if isinstance(end, int)), *start.descriptors()]
        with open(log_file, "ab") as log:
            self.process = Keeper(
                lease,
                [*command_line(ports), *start.options()],
                start.is_user_mode,
                descriptors,
                (stdin, log.fileno(), log.fileno()),
                folder,
                {name: end.fileno() for name, end in served},
            ).start()
        os.close(lease)
        start.close_theirs()

    def begin(self) -> None:
        self.send(keeper.START)

    def leave(self) -> None:
        """The machine outlasts this process."""
        self.send(keeper.KEEP)

    def send(self, word: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # has_ended says so
            os.write(self.lease, word)

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> None:
        end(self.process.pid, self.has_ended)

    def close(self) -> None:
        """Ends the machine, if it is neither left nor ended."""
        os.close(self.lease)


def end(keeper_number: int, has_ended: Callable[[], bool]) -> None:
    """Ends a machine by its keeper, and returns when that has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(keeper_number, signal.SIGTERM)
    deadline = time.monotonic() + END_LIMIT
    while not has_ended() and time.monotonic() < deadline:
        time.sleep(0.01)


class Machine:
    """One QEMU, from start to end; always ended when the `with` block is left."""

    def __init__(
        self,
        command_line: CommandLine,
        start: Start,
        log_file: Path,
        joined: Sequence[tuple[str, int]],
        session: int | None = None,
    ) -> None:
        """`joined`: further ports, each with a descriptor whose other end another machine has. `session`: our end of
        the command's, if its other one is among them."""
        pairs = {name: socket.socketpair() for name in PORTS if name not in dict(joined)}
        self.ours = {name: pair[0] for name, pair in pairs.items()}
        if session is not None:
            self.ours["session0"] = socket.socket(fileno=session)
        theirs = {name: pair[1] for name, pair in pairs.items()}
        self.empty_input, self.input_writer = os.pipe()
        ports: list[Port] = [(name, end.fileno()) for name, end in theirs.items()]
        self.start = start
        self.kept = Kept(command_line, [*ports, *joined], start, self.empty_input, log_file)
        for end in theirs.values():
            end.close()
        for _, descriptor in joined if session is not None else ():  # its end is seen by them
            os.close(descriptor)
        self.kept.begin()

    @property
    def link(self) -> Link:
        return Link(self.ours["session0"], self.ours["control"], self.kept.has_ended, self.start)

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.kept.end()
        self.kept.close()
        # QEMU is virtme's child, and becomes ours when virtme ends.
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    time.sleep(0.01)
            except ChildProcessError:
                break
        for end in self.ours.values():
            end.close()
        self.start.close()
        os.close(self.empty_input)
        os.close(self.input_writer)


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind, so that it can wait for QEMU's end."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)
