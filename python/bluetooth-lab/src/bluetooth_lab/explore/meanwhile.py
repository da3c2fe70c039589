"""What happened while a process was held up: which packets came, and which messages on the bus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.bundle.bus import bus_entries, bus_messages
from bluetooth_lab.bundle.command import decode
from bluetooth_lab.bundle.packets import packet_entries
from bluetooth_lab.bundle.recording import content_of
from bluetooth_lab.bundle.timeline import Entry, merged
from bluetooth_lab.explore.delays import Made

MOMENT = re.compile(rb"^[\d-]{10} [\d:]{8}\.\d{6}  ", re.MULTILINE)
# What the bus and its clients do among themselves, and links do by themselves.
ASIDE = re.compile(r"org\.freedesktop\.DBus(?!\.Properties|\.ObjectManager)|\bMGMT\b|LE Advertising Report|Read Remote")
MAXIMUM_SHOWN = 3
LONGEST = 180


def entries_of(record: Path) -> list[Entry]:
    """The packets and the bus's messages of a run's record."""
    messages = bus_messages(MOMENT.sub(b"", content_of(record / "bus.log")), 0.0)
    return merged([bus_entries(messages), packet_entries(decode(record), 0.0)])


def meanwhile(entries: Sequence[Entry], made: Made) -> list[str]:
    """The first ones that say something."""
    end = made.moment + made.delay.length / 1e6
    texts = [f"{source} {text}" for moment, source, text in entries if made.moment <= moment <= end]
    return [text[:LONGEST] for text in texts if not ASIDE.search(text)][:MAXIMUM_SHOWN]
