"""Keeps a machine only as long as somebody wants it, so that whoever is killed leaves none behind.

usage: keeper.py LEASE COMMAND [ARG…]

LEASE is the descriptor of a pipe's reading end, whose other end the process has that wants the machine. START starts
it, by COMMAND, in a process group of its own. When the pipe is closed at the other end the whole group is killed,
unless KEEP has come. SIGTERM ends the machine as well, and what has not ended by then is killed after a while. This
process ends when the machine has.
"""

import contextlib
import os
import select
import signal
import sys
import time

START, KEEP = b"s", b"k"
PATIENCE = 2  # seconds that a machine has to end by itself


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


def main() -> int:
    lease, command = int(sys.argv[1]), sys.argv[2:]
    if os.read(lease, 1) != START:
        return 0
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    os.set_inheritable(lease, False)
    # A group of its own, which user-mode Linux would make otherwise. The signals are those that Python ignores.
    ignored = [signal.SIGPIPE, signal.SIGXFSZ]
    machine = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=ignored)
    close_others({lease, wake, waker})
    watched, deadline = [wake, lease], None
    while os.waitid(os.P_PID, machine, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        ready = select.select(watched, [], [], left)[0]
        if wake in ready and signal.SIGTERM in os.read(wake, 512) and deadline is None:
            end_group(machine, signal.SIGTERM)
            deadline = time.monotonic() + PATIENCE
        if lease in ready:
            watched.remove(lease)
            if os.read(lease, 1) != KEEP:
                end_group(machine, signal.SIGKILL)
        if deadline is not None and time.monotonic() >= deadline:
            end_group(machine, signal.SIGKILL)
            deadline = None
    end_group(machine, signal.SIGKILL)  # what its leader has left behind
    return abs(os.waitstatus_to_exitcode(os.waitpid(machine, 0)[1]))


if __name__ == "__main__":
    sys.exit(main())
