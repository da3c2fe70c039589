"""Where a machine in user-mode Linux has its memory: a file without a name, whose pages are taken when they are used.

The kernel takes $TMPDIR, $TMP or $TEMP, or else /dev/shm, and does not look whether there is room. Containers have
64 MB in /dev/shm. A machine that finds no more there is killed by SIGBUS, at any time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.messages import fail, say

LEAST = 256 << 20  # bytes; a lab with two programs uses 150 MB
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Memory(NamedTuple):
    """`folder`: that of the file; `size`: for the kernel."""

    folder: Path
    size: str


class Place(NamedTuple):
    """A folder as far as it matters here. `room`: in bytes."""

    folder: Path
    room: int
    takes_code: bool


def size_in_bytes(text: str) -> int:
    """As QEMU takes it: a number of megabytes, or with a unit."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in UNITS else (text, "M")
    if not number.isdecimal():
        fail(f"invalid LAB_MEMORY {text}; expected a size such as 512M or 2G")
    return int(number) * UNITS[unit]


def look_at(folder: Path) -> Place | None:
    """None for one in which no file can be made."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return None
    system = os.statvfs(folder)
    return Place(folder, system.f_bavail * system.f_frsize, not system.f_flag & os.ST_NOEXEC)


def candidates(environment: Mapping[str, str], home: Path) -> list[Path]:
    """The folder that the caller has named comes first."""
    named = [Path(environment[name]) for name in ("TMPDIR", "TMP", "TEMP") if environment.get(name)]
    return [*named[:1], Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"), home]


def choose_memory(wanted: str, folders: Iterable[Path], look: Callable[[Path], Place | None] = look_at) -> Memory:
    """The first folder with room for all of it, or else the one with the most room, and as much as there is. Ends this
    process if that is not enough for a machine."""
    size = size_in_bytes(wanted)
    found = list(dict.fromkeys(folders))
    places = [place for place in map(look, found) if place and place.takes_code]
    for place in places:
        if place.room >= size:
            return Memory(place.folder, wanted)
    largest = max(places, key=lambda place: place.room, default=None)
    room = largest.room * 9 // 10 if largest else 0
    if largest is None or room < min(LEAST, size):
        shown = ", ".join(map(str, found))
        fail(
            f"user-mode Linux keeps its memory in a file, which needs {LEAST >> 20} MB in a folder that is not mounted "
            f"noexec; none of {shown} qualifies. Set TMPDIR to another folder"
        )
    say(f"the machine has {room >> 20} MB of memory instead of {wanted}: {largest.folder} has no more room")
    return Memory(largest.folder, f"{room >> 20}M")
