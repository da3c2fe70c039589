"""A test that has the lab to itself: from its turn to the bundle that it leaves when it has failed."""

from __future__ import annotations

import fcntl
import logging
import os
from pathlib import Path

from . import bluez
from .failures import bus_position, write_bundle
from .faults import KernelLog, crashes
from .lab import Lab, LabError, start_recording
from .record import Record, RecordHandler


class LabTest:
    """Begins when it is made, and must be ended."""

    def __init__(self, name: str, folders: list[Path], controllers: int) -> None:
        self.name = name
        self._turn = _take_turn()
        try:
            start_recording()
            self.lab = Lab(Record(), folders)
            if len(self.lab.controllers) < controllers:
                raise LabError(
                    f"the test needs {controllers} controllers, and the lab has {len(self.lab.controllers)}: "
                    f"bluetooth_lab_controllers = {controllers} in pytest's settings, or --controllers {controllers}"
                )
        except BaseException:
            os.close(self._turn)
            raise
        self._kernel = KernelLog(name)
        self._reports: list[str] = []
        self._shown: set[str] = set()
        self._bus_position = bus_position()
        self._issues: list[str] = []
        self._devices = ""
        self._log = RecordHandler(self.lab.record)
        logging.getLogger().addHandler(self._log)
        self.lab.note(f"{name} begins")

    def fail(self, issue: str, headline: str) -> None:
        """Notes that the test has failed, and why."""
        self._issues.append(issue)
        self.lab.note(f"failure: {headline}")
        if not self._devices:
            self._devices = bluez.describe_devices()

    def kernel_reports(self) -> str:
        """What the kernel has reported of its own mistakes since the test began; empty if it has nothing new."""
        reports = self._kernel.reports()
        if reports:
            self._reports.append(reports)
            self.lab.note(f"the kernel reported: {reports.splitlines()[0]}")
        return reports

    def faults(self) -> list[tuple[str, str]]:
        """What was wrong below the test, for the text of its failure: titles and texts, each once."""
        self.kernel_reports()
        found = [("kernel", text) for text in self._reports] + [("crash", crashes(self.lab.record.start))]
        new = [(title, text) for title, text in found if text and text not in self._shown]
        self._shown.update(text for _, text in new)
        return new

    def note_shown(self, text: str) -> None:
        """The text of a failure has this already."""
        self._shown.add(text)

    @property
    def has_failed(self) -> bool:
        return bool(self._issues)

    def stop_programs(self) -> None:
        """Ends the sensors and programs. Raises when one of them does not end well."""
        problems = self.lab.stop()
        if problems:
            raise LabError("\n".join(problems))

    def end(self) -> tuple[Path | None, str]:
        """Writes the bundle if the test has failed, or if LAB_RECORD asks for those of all tests, and lets the next one
        begin. Returns the bundle's folder, or None and why there is none."""
        try:
            self.lab.stop()
            self._kernel.close()
            logging.getLogger().removeHandler(self._log)
            if not self._issues and os.environ.get("LAB_RECORD") != "all":
                return None, ""
            folder, reason = write_bundle(self.lab, self.name, self._bus_position, self._issues, self._devices)
            if folder:
                for name, content in self.lab.attachments.items():
                    (folder / name).write_bytes(content)
            return folder, reason
        finally:
            os.close(self._turn)


def _take_turn() -> int:
    """The lab is there once: tests that several processes run have it one after another."""
    folder = Path(os.environ.get("LAB_RUN") or "/run/lab")
    descriptor = os.open(folder / "turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
