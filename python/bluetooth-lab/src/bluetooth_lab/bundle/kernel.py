"""The kernel's log (Linux: Documentation/ABI/testing/dev-kmsg), with the times of the machine's clock."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from bluetooth_lab.bundle.timeline import Entry
from bluetooth_lab.explore.delays import described

LOG = Path("/dev/kmsg")
LONGEST_RECORD = 1 << 14
ESCAPE = re.compile(r"\\x([0-9a-f]{2})")


def records(log: Path = LOG) -> Iterator[bytes]:
    """What is in it now, as far as the kernel has it still. Nothing where it cannot be read."""
    try:
        descriptor = os.open(log, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        while True:
            try:
                record = os.read(descriptor, LONGEST_RECORD)
            except BrokenPipeError:  # the kernel has overwritten what was to be read
                continue
            if not record:
                return
            yield record
    except OSError:  # no more: BlockingIOError
        return
    finally:
        os.close(descriptor)


def parsed(record: bytes) -> tuple[float, str] | None:
    """The seconds by the kernel's own clock, and the text."""
    fields, _, rest = record.decode(errors="replace").partition(";")
    try:
        moment = int(fields.split(",")[2]) / 1e6
    except (IndexError, ValueError):
        return None
    return moment, ESCAPE.sub(lambda match: chr(int(match[1], 16)), rest.split("\n", 1)[0])


def write_mark(text: str, log: Path = LOG) -> float:
    """Writes a line into the log. Returns the time."""
    try:
        with open(log, "wb", buffering=0) as file:
            file.write(f"{text}\n".encode())
    except OSError:
        pass  # a machine of the user's own may not allow it
    return time.time()


def kernel_entries(start: float) -> list[Entry]:
    """The messages of `start` or later, of a kernel that is the lab's own."""
    if "LAB_AGENT" not in os.environ:
        return []
    mark = f"lab: record {os.urandom(4).hex()}"
    now = write_mark(mark)
    messages = [message for record in records() if (message := parsed(record))]
    # The kernel's clock is none of those that programs can read.
    own = next((moment for moment, text in reversed(messages) if text == mark), None)
    if own is None:
        return []
    timed = ((now - own + moment, text) for moment, text in messages if text != mark)
    return [
        (moment, "kernel", described(line)) for moment, text in timed if moment >= start for line in text.splitlines()
    ]
