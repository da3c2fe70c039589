"""Captures in btsnoop's format, record by record, for tests."""

from __future__ import annotations

import struct

START = 1795285375.209250  # 2026-11-21 18:22:55.209250 UTC
# In numbers, and not by the constants of what reads them.
START_US = 1_795_285_375_209_250
YEAR_0_US = 0x00E03AB44A676000 - 946_684_800_000_000
HEADER = b"btsnoop\0" + bytes([0, 0, 0, 1, 0, 0, 0x07, 0xD1])
NEW_INDEX, COMMAND, USER_LOGGING = 0, 2, 13


def record(kind: int, after_us: int, content: bytes) -> bytes:
    """`after_us`: since the start."""
    return struct.pack(">IIIIq", len(content), len(content), kind, 0, START_US + after_us + YEAR_0_US) + content


def note(program: str, text: str, after_us: int) -> bytes:
    name = program.encode() + b"\0"
    return record(USER_LOGGING, after_us, bytes([6, len(name)]) + name + text.encode() + b"\0")
