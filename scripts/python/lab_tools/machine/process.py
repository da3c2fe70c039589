"""The virtual machine as a process."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lab_tools.machine.qemu import PORTS

CommandLine = Callable[[Mapping[str, int]], list[str]]


class Machine:
    """One QEMU, from start to end; always ended when the `with` block is left."""

    def __init__(self, command_line: CommandLine, log_file: Path, joined: Sequence[tuple[str, int]]) -> None:
        """`command_line` makes the command for the machine's ends of the ports; `joined`: as in qemu.command_line."""
        pairs = {name: socket.socketpair() for name in PORTS}
        self.ours = {name: pair[0] for name, pair in pairs.items()}
        theirs = {name: pair[1] for name, pair in pairs.items()}
        self.empty_input, self.input_writer = os.pipe()
        with open(log_file, "ab") as log:
            self.process = subprocess.Popen(
                command_line({name: end.fileno() for name, end in theirs.items()}),
                stdin=self.empty_input,
                stdout=log,
                stderr=log,
                pass_fds=[*(end.fileno() for end in theirs.values()), *(descriptor for _, descriptor in joined)],
                start_new_session=True,
            )
        for end in theirs.values():
            end.close()

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def send(self, message: str) -> None:
        """A line for the guest, which may be gone."""
        with contextlib.suppress(OSError):
            self.ours["control"].sendall(f"{message}\n".encode())

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            if number == signal.SIGTERM:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(timeout=2)
        self.process.wait()
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
        os.close(self.empty_input)
        os.close(self.input_writer)


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind, so that it can wait for QEMU's end."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)
