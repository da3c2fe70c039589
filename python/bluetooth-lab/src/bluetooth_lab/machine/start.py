"""How a machine starts: from the beginning, or where another one of its kind was saved.

In software emulation a kernel takes seconds to start. Until a machine asks for its job (guest/boot.c), all machines of
its kind are alike, and nothing of ours is mounted, which would keep it from being saved.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.machine.hardware import Accelerator, Hardware
from bluetooth_lab.machine.monitor import Monitor
from bluetooth_lab.places import Places

MAXIMUM_SAVED = 6  # files of some 90 MB
SAVE_LIMIT = 60  # seconds


class Start:
    """Of one machine. `job`: its folder; `saved`: the file of its kind, which need not exist; None where machines start
    fast by themselves."""

    def __init__(self, job: Path, saved: Path | None, is_user_mode: bool = False) -> None:
        self.job = job
        self.is_user_mode = is_user_mode
        self.saved = saved
        self.monitor = Monitor() if saved else None
        self.state: int | None = None
        if saved:
            with contextlib.suppress(OSError):
                self.state = os.open(saved, os.O_RDONLY | os.O_CLOEXEC)
                os.utime(saved)

    def options(self) -> list[str]:
        """For QEMU. The device notifies a restored kernel, whose random numbers then differ from the saved one's."""
        if not self.monitor:
            return []
        incoming = [] if self.state is None else ["-incoming", f"fd:{self.state}"]
        return [*self.monitor.options(), "-device", "vmgenid,guid=auto", *incoming]

    def descriptors(self) -> list[int]:
        """What QEMU inherits."""
        theirs = [self.monitor.theirs.fileno()] if self.monitor else []
        return theirs if self.state is None else [*theirs, self.state]

    def close_theirs(self) -> None:
        """QEMU has them."""
        if self.monitor:
            self.monitor.theirs.close()
        if self.state is not None:
            os.close(self.state)

    def close(self) -> None:
        if self.monitor:
            self.monitor.close()

    def resume(self, control: socket.socket) -> None:
        """Resumes a restored machine. Raises OSError if it cannot be restored; then the next one boots."""
        if not self.monitor or not self.saved or self.state is None:
            return
        try:
            while self.monitor.perform("query-status")["status"] == "inmigrate":
                time.sleep(0.01)
            self.monitor.perform("cont")
            self.send_job(control)
        except OSError:
            self.saved.unlink(missing_ok=True)
            raise

    def give_job(self, control: socket.socket) -> None:
        """The machine asks for it, and has nothing of ours yet."""
        if self.monitor and self.saved:
            # Without a saved one the next machine boots, too.
            with contextlib.suppress(OSError):
                self.save(self.monitor, self.saved)
        self.send_job(control)

    def send_job(self, control: socket.socket) -> None:
        control.sendall(f"{bytes(self.job).hex()} {int(time.time())}\n".encode())

    @staticmethod
    def save(monitor: Monitor, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f"{file.name}.{os.getpid()}.new")
        monitor.perform("migrate-set-parameters", max_bandwidth=1 << 34)
        monitor.perform("stop")
        try:
            monitor.perform("migrate", uri=f"exec:cat >{shlex.quote(str(new))}")
            deadline = time.monotonic() + SAVE_LIMIT
            while (status := monitor.perform("query-migrate").get("status")) != "completed":
                if status in ("failed", "cancelled") or time.monotonic() > deadline:
                    raise OSError(f"saving the machine: {status}")
                time.sleep(0.01)
            new.replace(file)
            remove_old(file.parent)
        finally:
            new.unlink(missing_ok=True)
            monitor.perform("cont")


def saved_file(places: Places, kernel: Path, parts: Hardware, ports: Sequence[str], architecture: str) -> Path | None:
    """Where a machine of this kind is saved. Only in software emulation is a kernel restored faster than it
    starts."""
    program = shutil.which("qemu-system-x86_64")
    if parts.accelerator is not Accelerator.EMULATION or architecture != "x86_64" or program is None:
        return None
    # What the radio is to do is known only later.
    parts = parts._replace(radio_options="", scene="")
    # Of the user's other clones as well.
    kernel, boot = kernel.resolve(), places.boot.resolve()
    digest = hashlib.sha256(repr((parts, sorted(ports), str(kernel))).encode())
    virtme = places.home / "tools" / "bin" / "virtme-run"
    for file in (Path(program).resolve(), kernel, boot / "initramfs", virtme):
        status = file.stat()
        digest.update(f"{status.st_size} {status.st_mtime_ns}".encode())
    return boot / "saved" / digest.hexdigest()[:16]


def remove_old(folder: Path) -> None:
    """Keeps the last ones used."""
    files = [(file.stat().st_mtime, file) for file in folder.iterdir() if not file.suffix]
    for _, file in sorted(files, reverse=True)[MAXIMUM_SAVED:]:
        file.unlink(missing_ok=True)
