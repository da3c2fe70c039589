"""Keeps a machine only as long as somebody wants it, so that whoever is killed leaves none behind.

usage: keeper.py LEASE COMMAND [ARG…]

It leads the process group of the machine. LEASE is the descriptor of a pipe's reading end, whose other end the process
has that wants the machine. START starts it, by COMMAND. When the pipe is closed at the other end the whole group is
killed, unless KEEP has come. It ends when the machine does.
"""

import contextlib
import os
import select
import signal
import sys

START, KEEP = b"s", b"k"


def close_others(kept: set[int]) -> None:
    """What the machine alone should have, so that its end is the end of it."""
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in kept:
            with contextlib.suppress(OSError):  # that of the list itself
                os.close(descriptor)


def main() -> int:
    lease, command = int(sys.argv[1]), sys.argv[2:]
    if os.read(lease, 1) != START:
        return 0
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker)
    # SIGTERM is for all of the group, and the machine decides when it has ended.
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    os.set_inheritable(lease, False)
    # Those that Python ignores.
    machine = os.posix_spawnp(command[0], command, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    close_others({lease, wake, waker})
    watched = [wake, lease]
    while True:
        ready = select.select(watched, [], [])[0]
        if wake in ready:
            os.read(wake, 512)
        if lease in ready:
            if os.read(lease, 1) != KEEP:
                os.killpg(0, signal.SIGKILL)
            watched.remove(lease)
        ended, status = os.waitpid(machine, os.WNOHANG)
        if ended:
            return abs(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    sys.exit(main())
