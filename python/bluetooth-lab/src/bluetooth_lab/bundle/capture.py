"""A capture of HCI traffic in the btsnoop format: all controllers in one file, and what programs noted meanwhile
(BlueZ: doc/btsnoop-protocol.txt)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bluetooth_lab.bundle.timeline import Entry

MAGIC = b"btsnoop\0"
FILE_HEADER, RECORD_HEADER = 16, 24
# What a reader has to know of controllers and programs to show a packet, however long ago it was: when they came and
# went, their addresses, and the kernel's version.
CONTEXT = frozenset({0, 1, 8, 9, 10, 12, 14, 15})
USER_LOGGING = 13
EPOCH = 0x00E03AB44A676000 - 946_684_800_000_000  # the format counts microseconds from the year 0


class Record(NamedTuple):
    """`content`: with the header."""

    time: float
    kind: int
    content: bytes


def capture_records(capture: bytes) -> Iterator[Record]:
    """The records that are complete: the writer may just be adding one."""
    position = FILE_HEADER
    while position + RECORD_HEADER <= len(capture):
        _, length, flags, _, moment = struct.unpack_from(">IIIIq", capture, position)
        end = position + RECORD_HEADER + length
        if end > len(capture):
            break
        yield Record((moment - EPOCH) / 1e6, flags & 0xFFFF, capture[position:end])
        position = end


def capture_slice(capture: bytes, records: Iterable[Record], start: float) -> bytes:
    """A capture of what came at `start` or later, with the controllers that were there before."""
    kept = [record.content for record in records if record.time >= start or record.kind in CONTEXT]
    return capture[:FILE_HEADER] + b"".join(kept)


def capture_notes(records: Iterable[Record], program: str, start: float) -> Iterator[Entry]:
    """What a program noted at `start` or later."""
    for moment, kind, record in records:
        if kind != USER_LOGGING or moment < start:
            continue
        identity, _, text = record[RECORD_HEADER + 2 :].partition(b"\0")  # after priority and length
        if identity.decode(errors="replace") == program:
            yield moment, program, text.partition(b"\0")[0].decode(errors="replace").strip()
