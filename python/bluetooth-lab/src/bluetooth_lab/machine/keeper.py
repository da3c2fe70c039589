"""Keeps a machine only as long as somebody wants it, so that whoever is killed leaves none behind.

The process that wants the machine has one end of a pipe, the lease. START starts the machine, in a process group of its
own. When the pipe is closed at that end the whole group is killed, unless KEEP has come. SIGTERM ends the machine as
well, and what has not ended by then is killed after a while. The keeper ends when the machine has.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import socket
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.machine.processor import take_processor
from bluetooth_lab.machine.relay import Relay

START, KEEP = b"s", b"k"
NO_RANDOM_ADDRESSES = 0x0040000  # ADDR_NO_RANDOMIZE of <sys/personality.h>
PATIENCE = 2  # seconds that a machine has to end by itself


def fix_addresses() -> None:
    """User-mode Linux has its memory where its host has put it: a machine that begins in the same way does the same
    then. Where that is forbidden, as in some containers, it may not."""
    ctypes.CDLL(None).personality(NO_RANDOM_ADDRESSES)


def close_others(kept: set[int]) -> None:
    """What the machine alone should have, so that its end is the end of it."""
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in kept:
            with contextlib.suppress(OSError):  # that of the list itself
                os.close(descriptor)


def end_group(machine: int, number: int) -> None:
    """Its leader is not reaped yet, so that no other group has its number."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(machine, number)


class Keeper(NamedTuple):
    """`lease`: the reading end; `command`: what starts the machine, in user-mode Linux or not, with `descriptors` and
    these `streams` (standard input, output, error) of this process. Callers reach each of `served`, an end of a socket
    pair whose other one is the machine's, by the socket of that name in `folder`."""

    lease: int
    command: Sequence[str]
    is_user_mode: bool
    descriptors: Sequence[int]
    streams: tuple[int, int, int]
    folder: Path | None
    served: Mapping[str, int]

    def start(self) -> Copy:
        """As a copy of this process, which should have one thread: another interpreter takes 60 ms to start."""
        number = os.fork()
        if number:
            return Copy(number)
        status = 1
        try:
            for signal_number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
                if callable(signal.getsignal(signal_number)):
                    signal.signal(signal_number, signal.SIG_DFL)
            os.setsid()
            for target, stream in enumerate(self.streams):
                os.dup2(stream, target)
            close_others({self.lease, *self.served.values(), *self.descriptors})
            for descriptor in self.descriptors:
                os.set_inheritable(descriptor, True)
            if self.folder:
                os.chdir(self.folder)
            status = keep(self.lease, self.command, self.is_user_mode, self.served)
        except BaseException:  # nothing of the process that this is a copy of may run here
            os.write(2, traceback.format_exc().encode(errors="backslashreplace"))
        finally:
            os._exit(status)


class Copy:
    """A process that this one has forked."""

    def __init__(self, number: int) -> None:
        self.pid = number
        self.status: int | None = None

    def poll(self) -> int | None:
        """Its exit status; None while it runs."""
        return self.await_end(os.WNOHANG)

    def wait(self) -> int:
        return self.await_end(0) or 0

    def await_end(self, options: int) -> int | None:
        if self.status is None:
            try:
                number, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # somebody else has waited for it
                number, status = self.pid, 0
            if number:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status


def keep(lease: int, command: Sequence[str], is_user_mode: bool, served: Mapping[str, int]) -> int:
    """Returns the machine's exit status, or the number of the signal that has ended it."""
    if os.read(lease, 1) != START:
        return 0
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    if is_user_mode:
        fix_addresses()
        claim = take_processor()
        if claim is not None:
            os.set_inheritable(claim, True)  # it is the machine's
    # A group of its own, which user-mode Linux would make otherwise. The signals are those that Python ignores.
    ignored = [signal.SIGPIPE, signal.SIGXFSZ]
    machine = os.posix_spawnp(command[0], list(command), os.environ, setpgroup=0, setsigdef=ignored)
    close_others({lease, wake, waker, *served.values()})
    deadline: float | None = None
    selector = selectors.DefaultSelector()
    for descriptor in (wake, lease):
        selector.register(descriptor, selectors.EVENT_READ)
    for name, end in served.items():
        Relay(selector, Path(name), socket.socket(fileno=end))
    while os.waitid(os.P_PID, machine, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        events = selector.select(left)
        ready = [key.fd for key, _ in events]
        for key, event in events:
            if key.data:
                key.data(event)
        if wake in ready and signal.SIGTERM in os.read(wake, 512) and deadline is None:
            end_group(machine, signal.SIGTERM)
            deadline = time.monotonic() + PATIENCE
        if lease in ready:
            selector.unregister(lease)
            if os.read(lease, 1) != KEEP:
                end_group(machine, signal.SIGKILL)
        if deadline is not None and time.monotonic() >= deadline:
            end_group(machine, signal.SIGKILL)
            deadline = None
    end_group(machine, signal.SIGKILL)  # what its leader has left behind
    return abs(os.waitstatus_to_exitcode(os.waitpid(machine, 0)[1]))
