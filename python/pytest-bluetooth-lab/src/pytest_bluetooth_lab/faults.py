"""What was wrong below the test: programs that have crashed in the lab, and what the kernel reports of itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_LOG = Path("/dev/kmsg")
_CRASHES_LIMIT = 300.0
"""Seconds: gdb makes the backtraces, in an emulated machine perhaps."""
_REPORTS_LIMIT = 60.0


class KernelLog:
    """The kernel's log, from where this is made on; empty where there is no lab's kernel, or it cannot be read.

    The lab's agent knows what is a report."""

    def __init__(self, test: str) -> None:
        self._test = test
        self._agent = os.environ.get("LAB_AGENT")
        self._descriptor: int | None = None
        if not self._agent or os.environ.get("LAB_KERNEL_REPORTS") == "0":
            return
        try:
            # Its children must not have it: they would read on.
            self._descriptor = os.open(_LOG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        self._write("begins")
        os.lseek(self._descriptor, 0, os.SEEK_END)

    def _write(self, what: str) -> None:
        """Without it, a message that has no end of its line cannot be read yet."""
        try:
            with open(_LOG, "wb", buffering=0) as log:
                log.write(f"<7>lab: {self._test} {what}\n".encode())
        except OSError:
            pass

    def reports(self) -> str:
        """What the kernel has reported of its own mistakes since the last call."""
        if self._descriptor is None or not self._agent:
            return ""
        self._write("is looked at")
        command = [self._agent, "kernel-reports"]
        try:
            done = subprocess.run(command, stdin=self._descriptor, capture_output=True, timeout=_REPORTS_LIMIT)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"the kernel's log could not be read: {error}"
        return done.stdout.decode(errors="replace").strip()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


def crashes(start: float) -> str:
    """The backtraces of programs that have crashed since `start`; lab-bundle makes them."""
    cores = Path(os.environ.get("LAB_RUN") or "/run/lab") / "cores"
    try:
        is_new = any(core.stat().st_mtime >= start for core in cores.iterdir())
    except OSError:
        return ""
    if not is_new:
        return ""
    command = ["lab-bundle", "crashes", repr(start)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_CRASHES_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"a program has crashed, without a backtrace: {error}"
    return done.stdout.decode(errors="replace").strip()
