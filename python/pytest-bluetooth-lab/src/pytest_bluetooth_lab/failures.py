"""What a failed test leaves behind: the same folder as one in Swift, written by the lab's `lab-bundle`."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from .lab import Lab

LIMIT = 300.0
"""Seconds for the bundle: btmon decodes the packets, in an emulated machine perhaps."""


def bus_position() -> int:
    """The bus trace's current length: what comes later begins there."""
    trace = Path(os.environ.get("LAB_RUN") or "/run/lab") / "record" / "bus.log"
    try:
        return trace.stat().st_size
    except OSError:
        return 0


def write_bundle(lab: Lab, test: str, position: int, issues: list[str], devices: str) -> tuple[Path | None, str]:
    """Writes the folder. Returns it, or None and why there is none."""
    content = {
        "test": test,
        "start": lab.record.start,
        "end": time.time(),
        "busPosition": position,
        "issues": issues,
        "devices": devices,
        "entries": [list(entry) for entry in lab.record.entries],
    }
    command = ["lab-bundle", str(lab.output)]
    try:
        done = subprocess.run(command, input=json.dumps(content), capture_output=True, text=True, timeout=LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return Path(done.stdout.strip()), ""
