"""A BlueZ that was installed or built in a folder."""

from __future__ import annotations

import os
from pathlib import Path

from bluetooth_lab.messages import fail

PROGRAMS = ("bluetoothd", "bluetoothctl", "btvirt", "btmon")
# Below the folder itself and its usr and usr/local: an installation's folders, and those of a build tree.
PLACES = ("", "bin", "sbin", "libexec/bluetooth", "lib/bluetooth", "src", "client", "emulator", "monitor")


def find_bluez(folder: str) -> dict[str, Path]:
    """Each program's path, by its name. Ends this process if there is no bluetoothd."""
    candidates = [Path(folder).resolve() / start / place for start in ("", "usr", "usr/local") for place in PLACES]
    found = {}
    for name in PROGRAMS:
        paths = [place / name for place in candidates if os.access(place / name, os.X_OK) and (place / name).is_file()]
        if paths:
            found[name] = paths[0]
    if "bluetoothd" not in found:
        fail(f"no bluetoothd in {folder}")
    return found


def use_bluez(environment: dict[str, str], programs: dict[str, Path]) -> None:
    """Puts these programs before the system's."""
    environment["LAB_BLUETOOTHD"] = str(programs["bluetoothd"])
    folders = dict.fromkeys(str(path.parent) for path in programs.values())
    environment["PATH"] = ":".join([*folders, environment["PATH"]])
