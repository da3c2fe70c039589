"""Keeps a machine only as long as somebody wants it, so that whoever is killed leaves none behind.

usage: keeper LEASE [NAME=DESCRIPTOR…] -- COMMAND [ARG…]

LEASE is the descriptor of a pipe's reading end, whose other end the process has that wants the machine. START starts
it, by COMMAND, in a process group of its own. When the pipe is closed at the other end the whole group is killed,
unless KEEP has come. SIGTERM ends the machine as well, and what has not ended by then is killed after a while. This
process ends when the machine has. Callers reach each DESCRIPTOR, an end of a socket pair whose other one is the
machine's, by the socket NAME in this folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import socket
import time
from pathlib import Path

from bluetooth_lab.machine.relay import Relay

START, KEEP = b"s", b"k"
NO_RANDOM_ADDRESSES = 0x0040000  # ADDR_NO_RANDOMIZE of <sys/personality.h>
PATIENCE = 2  # seconds that a machine has to end by itself


def fix_addresses() -> None:
    """Of user-mode Linux, which has its memory where its host has put it: a machine that begins in the same way does
    the same then. Where that is forbidden, as in some containers, it may not."""
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


def main(words: list[str]) -> int:
    end_of_options = words.index("--")
    lease, command = int(words[0]), words[end_of_options + 1 :]
    served = {name: int(end) for name, _, end in (word.partition("=") for word in words[1:end_of_options])}
    if os.read(lease, 1) != START:
        return 0
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    for descriptor in (lease, *served.values()):
        os.set_inheritable(descriptor, False)
    fix_addresses()
    # A group of its own, which user-mode Linux would make otherwise. The signals are those that Python ignores.
    ignored = [signal.SIGPIPE, signal.SIGXFSZ]
    machine = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=ignored)
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
