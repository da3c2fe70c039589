"""What `btmon -T -r` prints, in UTC: a packet's headline ends with its time, and what it says follows, indented."""

from __future__ import annotations

import re
from datetime import datetime

from bluetooth_lab.bundle.timeline import Entry

PACKET = re.compile(r"([<>=@].*?)\s*(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6})$")
# Comes after every packet and says nothing.
ACKNOWLEDGEMENT = "HCI Event: Number of Completed Packets"
# The kernel's own notes; those of programs are in the timeline by themselves.
OWN_NOTES = ("New Index", "Delete Index", "Open Index", "Close Index", "Index Info", "Note", "Vendor")
# A packet's own name and, for ATT, its values: what one looks for first. What failed and why is said of every packet.
NAME_INDENT, VALUE_INDENT = 6, 8
VALUES = ("Handle:", "Data:", "Data[", "Error:", "Value:")
OUTCOMES = ("Status:", "Reason:")
SUCCESS = "Status: Success (0x00)"


def packet_entries(decoded: str, start: float) -> list[Entry]:
    """One for each packet of `start` or later; none for acknowledgements and programs' notes."""
    entries: list[Entry] = []
    is_wanted = is_att = False
    for line in decoded.splitlines():
        match = PACKET.match(line)
        if match:
            moment = time_of(match[2])
            is_note = line.startswith("=") and not line[2:].startswith(OWN_NOTES)
            is_wanted, is_att = moment >= start and not is_note and ACKNOWLEDGEMENT not in line, False
            if is_wanted:
                entries.append((moment, "hci", " ".join(match[1].split())))
        elif is_wanted:
            indent, text = len(line) - len(line.lstrip()), " ".join(line.split())
            if indent == NAME_INDENT:
                is_att = text.startswith("ATT:")
                entries[-1] = extended(entries[-1], f"; {text}")
            elif indent < VALUE_INDENT or text == SUCCESS:
                continue
            elif text.startswith(OUTCOMES) or (is_att and text.startswith(VALUES)):
                entries[-1] = extended(entries[-1], f", {text}")
    return entries


def time_of(text: str) -> float:
    try:
        return datetime.fromisoformat(text + "+00:00").timestamp()
    except ValueError:
        return 0.0


def extended(entry: Entry, more: str) -> Entry:
    moment, source, text = entry
    return moment, source, text + more
